"""From annotated documents to the files of an encoder, cross-fitted.

The topics are dealt to two halves and one encoder is tuned on each, with or without a teacher. Each half's encoder
scores the topics of the other, which gives out-of-fold cosines to train a pair model on; the mean of both weights is
one encoder for new text. Every stage leaves a file in the work folder and is not repeated.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document, Mention
from samevent.corpus.corpus import event_key
from samevent.errors import DataError, check_absent
from samevent.language.encoder.distillation import DistillationSettings, Teacher, distil, known, with_words
from samevent.language.encoder.graph import write_graph
from samevent.language.encoder.network import averaged
from samevent.language.encoder.runtime import ENCODER_FILE, TOKENIZER_FILE, Encoder, mention_vectors
from samevent.language.encoder.tagging import EVENT_CLASSES, kind_probabilities, token_tags
from samevent.language.encoder.tuning import Progress, TuningSettings, import_torch, training_examples, tune
from samevent.language.encoder.units import UnitReader
from samevent.language.encoder.weights import Weights, read_weights
from samevent.storage import pack_strings, read_table, unpack_strings, write_table

HALVES = ("a", "b")
Stored = dict[str, NDArray[Any]]
_KIND, _SCHEMA = "stage of an encoder's training", 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """A teacher's folder, and text without annotation to teach on."""

    folder: Path
    text: Sequence[Document] = ()
    settings: DistillationSettings = field(default_factory=DistillationSettings)


def train_encoder(
    documents: Sequence[Document],
    base: Path,
    target: Path,
    *,
    work: Path,
    settings: TuningSettings | None = None,
    teaching: Teaching | None = None,
    overwrite: bool = False,
    progress: Progress = lambda _: None,
) -> dict[str, float]:
    """Tune the encoder in the folder `base` on documents with events and write it into the folder `target`.

    `work` keeps one encoder per half of the topics (`a/`, `b/`); a repeated call continues there. Returns the average
    precision of cosines within each half: of the encoder as it was, and of the one tuned on the other half.
    """
    import_torch().set_num_threads(1)  # with more, sums depend on their number
    settings = settings or TuningSettings()
    target.mkdir(parents=True, exist_ok=True)
    check_absent(target / ENCODER_FILE, overwrite=overwrite)
    weights = read_weights(base)
    untuned = write_encoder(weights, base, work / "untuned")
    tuned, figures = [], {}
    for number, topics in enumerate(topic_halves(documents)):
        half = HALVES[number]
        learned = [d for d in documents if (d.topic or "") in topics]
        scored = [d for d in documents if (d.topic or "") not in topics]
        progress(f"half {half}: {len(topics)} topics, {len(learned):,} documents")
        stages = _Stages(
            work, half, base, replace(settings, seed=len(HALVES) * settings.seed + number), progress
        )
        tuned.append(
            stages.taught(weights, learned, teaching) if teaching else stages.tuned(weights, learned)
        )
        encoder = write_encoder(tuned[-1], base, work / half)
        for name, scorer in (("untuned", untuned), ("tuned", encoder)):
            figures[f"{name} {half}"] = cosine_precision(scorer, scored)
            progress(f"half {half}, {name}: average precision out of fold {figures[f'{name} {half}']:.4f}")
        if "tags" in encoder.outputs:
            figures[f"tags {half}"] = action_f1(encoder, scored)
            progress(f"half {half}: F1 of the tokens of actions out of fold {figures[f'tags {half}']:.4f}")
    write_encoder(averaged(tuned), base, target)
    return figures


def annotated_part(documents: Iterable[Document]) -> list[Document]:
    """Return the documents with actions in annotated sentences, with the mentions of these sentences alone.

    Where a corpus does not say which sentences are annotated, all count.
    """

    def counts(mention: Mention, document: Document) -> bool:
        return document.sentences[document.sentence_of(mention.start)].annotated is not False

    kept = (d.with_mentions(replace(m, arguments=()) for m in d.mentions if counts(m, d)) for d in documents)
    return [document for document in kept if any(m.kind == "action" for m in document.mentions)]


def topic_halves(documents: Iterable[Document]) -> tuple[frozenset[str], frozenset[str]]:
    """Deal the topics, in order, to two halves."""
    topics = sorted({d.topic or "" for d in documents}, key=lambda t: (not t.isdigit(), t.zfill(9)))
    if len(topics) < 2:
        raise DataError(
            "all documents have the same topic",
            expected="documents of two or more topics: an encoder that was tuned on one half of them scores the other",
        )
    return frozenset(topics[::2]), frozenset(topics[1::2])


def write_encoder(weights: Weights, base: Path, folder: Path) -> Encoder:
    """Write the files of an encoder into a folder, with the tokeniser of its base, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_graph(weights, folder / ENCODER_FILE)
    shutil.copyfile(base / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    return Encoder(folder)


def cosine_precision(encoder: Encoder, documents: Sequence[Document]) -> float:
    """Return the average precision of ranking all pairs of actions by the cosine of their vectors."""
    mentions = [m for d in documents for m in d.mentions if m.kind == "action"]
    vectors = mention_vectors(encoder, {d.id: d for d in documents}, mentions).last
    return pair_precision(vectors.astype(np.float32), mentions)


def pair_precision(vectors: NDArray[np.float32], mentions: Sequence[Mention]) -> float:
    """Return the average precision of ranking all pairs of mentions by their cosine."""
    numbers: dict[tuple[str, ...], int] = {}
    events = np.array([numbers.setdefault(event_key(m), len(numbers)) for m in mentions])
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    left, right = np.triu_indices(len(events), 1)
    same = (events[left] == events[right])[np.argsort(-(unit @ unit.T)[left, right], kind="stable")]
    hits = np.flatnonzero(same)
    return float(np.mean(np.arange(1, len(hits) + 1) / (hits + 1))) if len(hits) else 0.0


def action_f1(encoder: Encoder, documents: Sequence[Document]) -> float:
    """Return the F1 of calling tokens of annotated sentences actions where that is more probable than not."""
    hits = found = actual = 0
    for document in documents:
        labels = token_tags(document)
        tokens = list(labels)
        if tokens:
            shares = kind_probabilities(encoder.read(document).tags[tokens])
            positive = shares[:, 1 : len(EVENT_CLASSES) + 1].sum(axis=1) > 0.5
            actions = np.array([labels[token].action for token in tokens])
            hits, found, actual = (
                total + int(part.sum())
                for total, part in ((hits, positive & actions), (found, positive), (actual, actions))
            )
    return 2 * hits / max(found + actual, 1)


@dataclass(frozen=True, slots=True)
class _Stages:
    """The stages of one half; each is read from its file if it was done before from the same input."""

    work: Path
    half: str
    base: Path
    settings: TuningSettings
    progress: Progress

    def tuned(self, weights: Weights, learned: Sequence[Document]) -> Weights:
        """Tune on the annotation alone."""
        examples = training_examples(self._reader(), learned)

        def run() -> Stored:
            tuned = tune(weights, examples, self.settings, self.progress)
            return _trained(weights, tuned)

        arrays = self._once("tuned", [self._key(learned, self.base)], run)
        return replace(weights, arrays=weights.arrays | arrays)

    def taught(self, weights: Weights, learned: Sequence[Document], teaching: Teaching) -> Weights:
        """Tune a teacher, learn its cosines, and tune on the annotation."""
        settings, teacher = teaching.settings, Teacher(teaching.folder)
        key = [self._key(learned, teaching.folder), f"{settings.rank} {settings.teacher_rate}"]
        adapters = self._once(
            "teacher", key, lambda: teacher.tune(learned, self.settings, settings, self.progress)
        )
        text = with_words([*learned, *teaching.text], settings, self.settings.seed)
        key.append(self._key(text))
        self.progress(f"teacher: reading {sum(len(d.mentions) for d in text):,} words of other text")

        def read() -> Stored:
            vectors = teacher.vectors([*learned, *text], adapters)
            return {"ids": pack_strings(list(vectors)), "vectors": np.stack(list(vectors.values()))}

        stored = self._once("vectors", key, read)
        vectors = dict(zip(unpack_strings(stored["ids"]), stored["vectors"], strict=True))
        reader = self._reader()

        def run() -> Stored:
            examples, others = (known(training_examples(reader, part), vectors) for part in (learned, text))
            student = distil(weights, examples, others, vectors, self.settings, settings, self.progress)
            return _trained(weights, student)

        key += [self._key((), self.base), json.dumps(asdict(settings))]
        return replace(weights, arrays=weights.arrays | self._once("taught", key, run))

    def _once(self, stage: str, key: Sequence[str], run: Callable[[], Stored]) -> Stored:
        path = self.work / f"{self.half}-{stage}.npz"
        mark = blake2b("\n".join(key).encode(), digest_size=16).hexdigest()
        if path.exists():
            table = read_table(path, _KIND, _SCHEMA)
            if table.manifest["input"] == mark:
                self.progress(f"half {self.half}: {stage} was done before")
                return dict(table.arrays)
        arrays = run()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(
            path, _KIND, _SCHEMA, {"input": mark}, arrays, compression=zipfile.ZIP_STORED, overwrite=True
        )
        return arrays

    def _key(self, documents: Sequence[Document], *folders: Path) -> str:
        """Return a hash of what a stage depends on."""
        content = blake2b(json.dumps(asdict(self.settings), sort_keys=True).encode(), digest_size=16)
        for folder in folders:
            for name in ("config.json", "model.safetensors", TOKENIZER_FILE):
                content.update((folder / name).read_bytes())
        for d in documents:
            mentions = [(m.kind, m.tag, m.start, m.end, m.anchors, event_key(m)) for m in d.mentions]
            content.update(repr((d.id, d.topic, d.text, d.sentences, mentions)).encode())
        return content.hexdigest()

    def _reader(self) -> UnitReader:
        return UnitReader(self.base / TOKENIZER_FILE)


def _trained(base: Weights, tuned: Weights) -> Stored:
    """Return the arrays that training changed or added."""
    return {name: array for name, array in tuned.arrays.items() if array is not base.arrays.get(name)}
