"""From annotated documents to the files of an encoder, cross-fitted.

The topics are dealt to two halves and one encoder is tuned on each; a larger one can be tuned beside it, and be learned
from. Each half's encoder scores the topics of the other, which gives out-of-fold cosines to train a pair model on; the
mean of both weights is one encoder for new text. Every stage leaves a file in the work folder and is not repeated.
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
from samevent.language.encoder.adapters import stacked, write_adapter
from samevent.language.encoder.distillation import DistillationSettings, Teacher, distil, known, with_words
from samevent.language.encoder.graph import write_graph
from samevent.language.encoder.network import averaged
from samevent.language.encoder.runtime import ENCODER_FILE, TOKENIZER_FILE, Encoder, mention_vectors
from samevent.language.encoder.tagging import EVENT_CLASSES, kind_probabilities, token_tags
from samevent.language.encoder.tuning import Progress, TuningSettings, import_torch, training_examples, tune
from samevent.language.encoder.units import UnitReader
from samevent.language.encoder.weights import Weights, read_weights
from samevent.parallel import WorkerPool
from samevent.storage import pack_strings, read_table, unpack_strings, write_table

HALVES = ("a", "b")
MEAN, LARGE, UNTUNED = "model", "large", "untuned"
Stored = dict[str, NDArray[Any]]
_KIND, _SCHEMA = "stage of an encoder's training", 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """The folder of a larger encoder, and sources of text without annotation to teach the small one on.

    Without text the larger encoder is tuned for its own sake, and the small one learns from the annotation alone.
    """

    folder: Path
    text: Sequence[Sequence[Document]] = ()
    settings: DistillationSettings = field(default_factory=DistillationSettings)


def train_encoder(
    documents: Sequence[Document],
    base: Path,
    target: Path,
    *,
    work: Path,
    settings: TuningSettings | None = None,
    teaching: Teaching | None = None,
    jobs: int = 1,
    overwrite: bool = False,
    progress: Progress = lambda _: None,
) -> dict[str, float]:
    """Tune the encoder in the folder `base` on documents with events and write it into the folder `target`.

    `work` keeps the encoders (`a/`, `b/` and their mean `model/`) and the adapters of the teacher (`large/a.npz`,
    `b.npz` and their mean `model.npz`); a repeated call continues there. With two jobs, each half has a process of its
    own. Returns the average precision of cosines within each half, and the F1 of its tokens of actions: of encoders
    that were tuned on the other half.
    """
    import_torch()
    target.mkdir(parents=True, exist_ok=True)
    check_absent(target / ENCODER_FILE, overwrite=overwrite)
    settings = settings or TuningSettings()
    documents = sorted(documents, key=lambda d: _topic_order(d.topic or ""))
    weights = read_weights(base)
    write_encoder(weights, base, work / UNTUNED)
    halves = [
        _Half(
            name, base, work, [d for d in documents if (d.topic or "") in topics],
            [d for d in documents if (d.topic or "") not in topics],
            replace(settings, seed=len(HALVES) * settings.seed + number), teaching, progress,
        )
        for number, (name, topics) in enumerate(zip(HALVES, topic_halves(documents), strict=True))
    ]  # fmt: skip
    if jobs == 1:
        results = [half.train() for half in halves]
    else:
        with WorkerPool(len(halves)) as pool:
            results = list(pool.map(_Half.train, halves))
    tuned = [replace(weights, arrays=weights.arrays | arrays) for arrays, _, _ in results]
    write_encoder(averaged(tuned), base, work / MEAN)
    for name in (ENCODER_FILE, TOKENIZER_FILE):
        shutil.copyfile(work / MEAN / name, target / name)
    adapters = [adapter for _, adapter, _ in results if adapter]
    if adapters:
        write_adapter(work / LARGE / f"{MEAN}.npz", stacked(adapters), overwrite=True)
    return {name: figure for _, _, figures in results for name, figure in figures.items()}


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
    topics = sorted({d.topic or "" for d in documents}, key=_topic_order)
    if len(topics) < 2:
        raise DataError(
            "all documents have the same topic",
            expected="documents of two or more topics: an encoder that was tuned on one half of them scores the other",
        )
    return frozenset(topics[::2]), frozenset(topics[1::2])


def _topic_order(topic: str) -> tuple[bool, str]:
    """Return the sort key of topics: numbers first, in numeric order."""
    return not topic.isdigit(), topic.zfill(9)


def write_encoder(weights: Weights, base: Path, folder: Path) -> Encoder:
    """Write the files of an encoder into a folder, with the tokeniser of its base, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_graph(weights, folder / ENCODER_FILE)
    shutil.copyfile(base / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    return Encoder(folder)


def cosine_precision(encoder: Encoder, documents: Sequence[Document]) -> float:
    """Return the average precision of ranking all pairs of actions by the cosine of their vectors."""
    mentions = [m for d in documents for m in d.mentions if m.kind == "action"]
    vectors = mention_vectors(encoder, {d.id: d for d in documents}, mentions)["last"]
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
        units, places = encoder.reader.read_tokens(
            document, sorted({document.sentence_of(t) for t in labels})
        )
        scores = [encoder.encode(unit)["tags"] for unit in units]
        for token, where in zip(labels, places, strict=True):
            if where.pieces:
                shares = kind_probabilities(scores[where.unit][where.pieces[0], np.newaxis])
                positive = bool(shares[0, 1 : len(EVENT_CLASSES) + 1].sum() > 0.5)
                hits += positive and labels[token].action
                found += positive
                actual += labels[token].action
    return 2 * hits / max(found + actual, 1)


@dataclass(frozen=True, slots=True)
class _Half:
    """One half of the topics; each stage is read from its file if it was done before from the same input."""

    name: str
    base: Path
    work: Path
    learned: Sequence[Document]
    scored: Sequence[Document]
    settings: TuningSettings
    teaching: Teaching | None
    say: Progress

    def train(self) -> tuple[Stored, Stored, dict[str, float]]:
        """Run all stages; return the tuned arrays, the teacher's adapters and the figures out of fold."""
        import_torch().set_num_threads(1)  # with more, sums depend on their number
        weights = read_weights(self.base)
        self.progress(f"{len({d.topic for d in self.learned})} topics, {len(self.learned):,} documents")
        adapters: Stored = {}
        figures = {}
        if self.teaching is not None:
            teacher = Teacher(self.teaching.folder)
            adapters, figures[f"large {self.name}"] = self._adapters(teacher, self.teaching)
            (self.work / LARGE).mkdir(exist_ok=True)
            write_adapter(self.work / LARGE / f"{self.name}.npz", adapters, overwrite=True)
        if self.teaching is not None and self.teaching.text:
            arrays = self._taught(weights, teacher, adapters, self.teaching)
        else:
            arrays = self._tuned(weights)
        tuned = replace(weights, arrays=weights.arrays | arrays)
        encoder = write_encoder(tuned, self.base, self.work / self.name)
        figures |= {
            f"untuned {self.name}": cosine_precision(Encoder(self.work / UNTUNED), self.scored),
            f"tuned {self.name}": cosine_precision(encoder, self.scored),
        }
        if "tags" in encoder.outputs:
            figures[f"tags {self.name}"] = action_f1(encoder, self.scored)
        for name, figure in figures.items():
            self.progress(f"out of fold, {name}: {figure:.4f}")
        return arrays, adapters, figures

    def progress(self, line: str) -> None:
        """Report progress of this half."""
        self.say(f"half {self.name}: {line}")

    def _tuned(self, weights: Weights) -> Stored:
        """Tune on the annotation alone."""

        def run() -> Stored:
            examples = training_examples(self._reader(), self.learned)
            return _trained(weights, tune(weights, examples, self.settings, self.progress))

        return self._once("tuned", [self._key(self.learned, self.base)], run)

    def _adapters(self, teacher: Teacher, teaching: Teaching) -> tuple[Stored, float]:
        """Tune the teacher on the coreference of actions; return its adapters and average precision out of fold."""
        settings, actions = teaching.settings, [_actions(document) for document in self.learned]
        tuning = replace(self.settings, tagging=0.0, tagger_rate=0.0)
        key = [self._key(actions, teaching.folder, tuning), f"{settings.rank} {settings.teacher_rate}"]
        adapters = self._once("teacher", key, lambda: teacher.tune(actions, tuning, settings, self.progress))

        def score() -> Stored:
            mentions = [m for d in self.scored for m in d.mentions if m.kind == "action"]
            vectors = teacher.vectors(self.scored, adapters)
            return {
                "precision": np.array([pair_precision(np.stack([vectors[m.id] for m in mentions]), mentions)])
            }

        scored = self._once("teacher-score", [*key, self._key(self.scored, teaching.folder, tuning)], score)
        return adapters, float(scored["precision"].item())

    def _taught(self, weights: Weights, teacher: Teacher, adapters: Stored, teaching: Teaching) -> Stored:
        """Learn the teacher's cosines, and tune on the annotation."""
        settings = teaching.settings
        own = {document.id for document in self.learned}
        sources = [self.learned, *([d for d in source if d.id not in own] for source in teaching.text)]
        text = [d for source in sources for d in with_words(source, settings, self.settings.seed)]
        digest = blake2b(digest_size=16)
        for name in sorted(adapters):
            digest.update(adapters[name].tobytes())
        key = [self._key(self.learned, teaching.folder), self._key(text, None), digest.hexdigest()]

        def read() -> Stored:
            self.progress(f"the teacher reads {sum(len(d.mentions) for d in text):,} words of other text")
            vectors = teacher.vectors([*self.learned, *text], adapters)
            return {"ids": pack_strings(list(vectors)), "vectors": np.stack(list(vectors.values()))}

        stored = self._once("vectors", key, read)
        vectors = dict(zip(unpack_strings(stored["ids"]), stored["vectors"], strict=True))

        def run() -> Stored:
            reader = self._reader()
            examples, others = (known(training_examples(reader, p), vectors) for p in (self.learned, text))
            student = distil(weights, examples, others, vectors, self.settings, settings, self.progress)
            return _trained(weights, student)

        key += [self._key((), self.base), json.dumps(asdict(settings))]
        return self._once("taught", key, run)

    def _once(self, stage: str, key: Sequence[str], run: Callable[[], Stored]) -> Stored:
        path = self.work / f"{self.name}-{stage}.npz"
        mark = blake2b("\n".join(key).encode(), digest_size=16).hexdigest()
        if path.exists():
            table = read_table(path, _KIND, _SCHEMA)
            if table.manifest["input"] == mark:
                self.progress(f"{stage} was done before")
                return dict(table.arrays)
        arrays = run()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(
            path, _KIND, _SCHEMA, {"input": mark}, arrays, compression=zipfile.ZIP_STORED, overwrite=True
        )
        return arrays

    def _key(
        self, documents: Sequence[Document], folder: Path | None, settings: TuningSettings | None = None
    ) -> str:
        """Return a hash of what a stage depends on."""
        content = blake2b(
            json.dumps(asdict(settings or self.settings), sort_keys=True).encode(), digest_size=16
        )
        if folder is not None:
            for name in ("config.json", "model.safetensors", TOKENIZER_FILE):
                content.update((folder / name).read_bytes())
        for d in documents:
            mentions = [(m.kind, m.tag, m.start, m.end, m.anchors, event_key(m)) for m in d.mentions]
            content.update(repr((d.id, d.topic, d.text, d.sentences, mentions)).encode())
        return content.hexdigest()

    def _reader(self) -> UnitReader:
        return UnitReader(self.base / TOKENIZER_FILE)


def _actions(document: Document) -> Document:
    """Return a document with its actions alone."""
    return document.with_mentions(m for m in document.mentions if m.kind == "action")


def _trained(base: Weights, tuned: Weights) -> Stored:
    """Return the arrays that training changed or added."""
    return {name: array for name, array in tuned.arrays.items() if array is not base.arrays.get(name)}
