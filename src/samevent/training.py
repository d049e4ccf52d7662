"""Training on annotated documents: the extractor, the pair models, and whole models.

Documents are parsed and prepared as everywhere (`preparation`); a whole model parses each document once.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from samevent.corpus import KINDS, Corpus, Document, Mention
from samevent.errors import DataError
from samevent.extraction import EXTRACTOR_FILE, Extractor, Parsed
from samevent.extraction import training as extractors
from samevent.formats.files import check_absent, write_text
from samevent.language.cache import Cache
from samevent.language.encoder import Encoder
from samevent.language.encoder.training import HALVES, annotated_part, topic_halves
from samevent.language.resources import MANIFEST_FILE, Resources
from samevent.language.vectors import Matrix
from samevent.preparation import (
    GIVEN_MENTIONS,
    PREDICTED_ARGUMENTS,
    Encode,
    encode_with,
    parse,
    prepare,
)
from samevent.similarity.blocking import Blocking
from samevent.similarity.boosted import AnyPairModel
from samevent.similarity.boosting import BoostingSettings, train_boosted
from samevent.similarity.model import PAIR_MODEL_FILES
from samevent.similarity.pairs import LabelledMentions
from samevent.similarity.training import PairTrainingSettings, train
from samevent.similarity.tree_features import CONTEXT_GROUP

Progress = Callable[[str], None]
EventFilter = Callable[[Document], Document]
"""Returns a document with the event mentions that a pair model learns from."""

PAIR_MODEL_SETTINGS: Mapping[str, PairTrainingSettings | BoostingSettings] = {
    "paper": PairTrainingSettings(),
    "light": BoostingSettings(without=(CONTEXT_GROUP,), blocking=Blocking(contextual=None)),
    "standard": BoostingSettings(),
}
"""How each pair model of a model's folder is trained."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a trained file was made from, and the licence of that."""

    name: str
    licence: str = ""


def linked_events(document: Document) -> Document:
    """Return the document without event mentions that belong to no event."""
    return document.with_mentions(m for m in document.mentions if m.kind != "action" or m.event is not None)


def annotated_events(document: Document) -> Document:
    """Return the document without event mentions of sentences that are known not to be annotated throughout.

    What is left has singletons as well: users' text is mostly singletons.
    """

    def counts(m: Mention) -> bool:
        return m.kind != "action" or document.sentences[document.sentence_of(m.start)].annotated is not False

    return document.with_mentions(filter(counts, document.mentions))


def chooses_penalty(settings: PairTrainingSettings | BoostingSettings) -> bool:
    """Return whether dev topics help to choose C; otherwise, they are learned from."""
    return isinstance(settings, PairTrainingSettings)


def default_events(settings: PairTrainingSettings | BoostingSettings) -> EventFilter:
    """Return the event mentions that a pair model learns from unless others are chosen."""
    return annotated_events if isinstance(settings, BoostingSettings) else linked_events


def labelled_mentions(
    texts: Iterable[Parsed],
    resources: Resources,
    extractor: Extractor | None,
    *,
    events: EventFilter = linked_events,
    encode: Encode | None = None,
) -> LabelledMentions:
    """Return the mention table of parsed documents with their known events.

    Participants, times and locations are found by the extractor; without one, they are the given mentions.
    """
    chosen = (text._replace(document=events(text.document)) for text in texts)
    extraction = PREDICTED_ARGUMENTS if extractor else GIVEN_MENTIONS
    prepared = prepare(chosen, resources, extractor, extraction=extraction, encode=encode)
    data = prepared.labelled
    return replace(data, table=data.table.with_contextual(prepared.contextual())) if encode else data


@dataclass(frozen=True, slots=True)
class CrossFitted:
    """The encoders of both halves of some topics: each encodes the topics that it was not tuned on."""

    encode: Encode
    half_of: Mapping[str, int]


def cross_fitted(
    folder: Path, documents: Iterable[Document], *, jobs: int = 1, cache: Cache | None = None
) -> CrossFitted:
    """Return the encoders that `train_encoder` left in its work folder for these documents."""
    halves = topic_halves(annotated_part(documents))
    # The encoder of a half was tuned on it, and encodes the other.
    encoders = [encode_with(Encoder(folder / half), jobs=jobs, cache=cache) for half in reversed(HALVES)]
    half_of = {topic: number for number, topics in enumerate(halves) for topic in topics}

    def encode(corpus: Corpus, mentions: Sequence[Mention]) -> Mapping[str, Matrix]:
        half = np.array([half_of[corpus[mention.document].topic or ""] for mention in mentions])
        vectors: dict[str, Matrix] = {}
        for number, encoder in enumerate(encoders):
            rows = np.flatnonzero(half == number)
            own = [mentions[row] for row in rows.tolist()]
            for name, part in encoder(corpus, own).items() if own else ():
                whole = vectors.setdefault(name, np.zeros((len(mentions), part.shape[1]), np.float32))
                whole[rows] = part
        return vectors

    return CrossFitted(encode, half_of)


def train_extractor(
    documents: Iterable[Document],
    output: Path,
    resources: Resources,
    *,
    beside: Iterable[Document] = (),
    settings: extractors.ExtractorSettings | None = None,
    source: Source,
    jobs: int = 1,
    cache: Cache | None = None,
    overwrite: bool = False,
    progress: Progress = lambda _: None,
) -> Extractor:
    """Train an extractor on annotated documents and write it; documents `beside` only help to choose thresholds."""
    check_absent(output, overwrite=overwrite)
    progress("parsing")
    texts, others = (
        list(parse(each, resources.roles, jobs=jobs, cache=cache)) for each in (documents, beside)
    )
    return _fit_extractor(texts, others, output, resources, settings, source, progress)


def train_pair_model(
    documents: Iterable[Document],
    output: Path,
    extractor: Extractor,
    *,
    learn: Collection[str] | None = None,
    settings: PairTrainingSettings | BoostingSettings | None = None,
    encoders: Path | None = None,
    jobs: int = 1,
    cache: Cache | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> AnyPairModel:
    """Train a pair model on documents with events and write it; arguments are the extractor's.

    `learn` names the topics to learn from; the others only help to choose C. Trees compare contextual vectors if
    `encoders` is the work folder of an encoder's training on the same documents.
    """
    check_absent(output, overwrite=overwrite)
    documents, settings = list(documents), settings or PairTrainingSettings()
    texts = parse(documents, extractor.resources.roles, jobs=jobs, cache=cache)
    fitted = None
    if encoders and isinstance(settings, BoostingSettings):
        fitted = cross_fitted(encoders, documents, jobs=jobs, cache=cache)
    data = labelled_mentions(
        texts,
        extractor.resources,
        extractor,
        events=default_events(settings),
        encode=fitted.encode if fitted else None,
    )
    model = _fit_pair_model(data, settings, learn, fitted, progress)
    model.save(output, overwrite=overwrite)
    return model


def _fit_pair_model(
    data: LabelledMentions,
    settings: PairTrainingSettings | BoostingSettings,
    learn: Collection[str] | None,
    fitted: CrossFitted | None,
    progress: Progress | None,
) -> AnyPairModel:
    if isinstance(settings, BoostingSettings):
        half_of = fitted.half_of if fitted else None
        return train_boosted(data, learn=learn, settings=settings, half_of=half_of, progress=progress)
    return train(data, learn=learn, settings=settings, progress=progress).model


def train_model(
    documents: Iterable[Document],
    folder: Path,
    base: Resources,
    *,
    beside: Iterable[Document] = (),
    events: EventFilter | None = None,
    source: Source,
    jobs: int = 1,
    cache: Cache | None = None,
    overwrite: bool = False,
    progress: Progress = lambda _: None,
) -> None:
    """Train an extractor and pair models on annotated documents, and write a whole model's folder, or none.

    Lexicon, vectors and roles are those of the base. Documents `beside` only help to choose thresholds and C;
    `events` chooses what pair models learn from. A corpus that marks no mentions of some kind cannot train an
    extractor: then the base's stays.
    """
    check_absent(folder, overwrite=overwrite)
    documents, beside = list(documents), list(beside)
    check_linked(map(events or linked_events, documents))
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        shutil.copytree(base.folder, part)
        manifest = json.loads((part / MANIFEST_FILE).read_text("utf-8"))
        sources = {
            name: Source(about["source"], about["licence"]) for name, about in manifest["files"].items()
        }
        written = train_files(
            documents,
            part,
            beside=beside,
            events=events,
            source=source,
            jobs=jobs,
            cache=cache,
            progress=progress,
        )
        if EXTRACTOR_FILE not in written:
            progress(f"the extractor stays that of {base.folder.name}")
        write_manifest(part, folder.name, sources | dict.fromkeys(written, source))
        if folder.exists():
            shutil.rmtree(folder)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def train_files(
    documents: Sequence[Document],
    folder: Path,
    *,
    beside: Sequence[Document] = (),
    events: EventFilter | None = None,
    pair_models: Sequence[str] = tuple(PAIR_MODEL_FILES),
    source: Source,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Progress = lambda _: None,
) -> list[str]:
    """Train the extractor and the pair models of a folder that has lexicon, vectors and roles; see `train_model`.

    Return the names of the files that were written. Each document is parsed, and its roles are labelled, once. Boosted
    trees are trained without contextual vectors: an encoder that has seen these documents would mislead them.
    """
    resources = Resources(folder)
    progress(f"parsing {len(documents) + len(beside):,} documents")
    texts, others = (
        list(parse(each, resources.roles, jobs=jobs, cache=cache)) for each in (documents, beside)
    )
    missing = [kind for kind in KINDS if not any(m.kind == kind for d in documents for m in d.mentions)]
    if missing:
        progress(f"the corpus marks no {missing[0]}s: no extractor can be trained on it")
        extractor = Extractor.load(folder / EXTRACTOR_FILE, resources)
    else:
        extractor = _fit_extractor(texts, others, folder / EXTRACTOR_FILE, resources, None, source, progress)
    learn = {document.topic or document.id for document in documents}
    compiled: dict[EventFilter, LabelledMentions] = {}
    for name in pair_models:
        settings = PAIR_MODEL_SETTINGS[name]
        chosen = events or default_events(settings)
        if chosen not in compiled:
            compiled[chosen] = labelled_mentions([*texts, *others], resources, extractor, events=chosen)
        topics = learn if chooses_penalty(settings) else None
        model = _fit_pair_model(compiled[chosen], settings, topics, None, progress)
        model.save(folder / PAIR_MODEL_FILES[name], overwrite=True)
    return [*([] if missing else [EXTRACTOR_FILE]), *(PAIR_MODEL_FILES[name] for name in pair_models)]


def check_linked(documents: Iterable[Document]) -> None:
    """Raise unless some event has several mentions."""
    sizes = Counter(
        m.event for d in documents for m in d.mentions if m.kind == "action" and m.event is not None
    )
    if not any(size > 1 for size in sizes.values()):
        raise DataError(
            "no two mentions refer to the same event",
            expected="documents with event mentions (kind action) that share an event",
            hint="samevent check shows what a corpus has",
        )


def write_manifest(folder: Path, name: str, sources: Mapping[str, Source]) -> None:
    """Write the manifest of a model's folder: its files with size and hash, their sources and licences."""
    files = {}
    for file, source in sources.items():
        data = (folder / file).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        files[file] = {"bytes": len(data), "sha256": digest, "source": source.name, "licence": source.licence}
    manifest = {"name": name, "language": "en", "schema": 1, "files": files}
    write_text(folder / MANIFEST_FILE, [json.dumps(manifest, indent=2) + "\n"], overwrite=True)


def _fit_extractor(
    texts: Sequence[Parsed],
    beside: Sequence[Parsed],
    output: Path,
    resources: Resources,
    settings: extractors.ExtractorSettings | None,
    source: Source,
    progress: Progress,
) -> Extractor:
    """Train and write an extractor; return it as it is read back, with rounded weights."""
    extractor = extractors.train(texts, resources, beside=beside, settings=settings, progress=progress)
    extractor.save(output, {"source": source.name, "licence": source.licence}, overwrite=True)
    return Extractor.load(output, resources)
