"""Training on annotated documents: the extractor, the pair models, and whole models.

Documents are parsed and prepared as everywhere (`preparation`); a whole model parses each document once.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from samevent.corpus import KINDS, Document
from samevent.errors import DataError
from samevent.extraction import EXTRACTOR_FILE, Extractor, Parsed
from samevent.extraction import training as extractors
from samevent.formats.files import check_absent, write_text
from samevent.language.cache import Cache
from samevent.language.resources import MANIFEST_FILE, Resources
from samevent.preparation import GIVEN_MENTIONS, PREDICTED_ARGUMENTS, parse, prepare
from samevent.similarity.model import PAIR_MODEL_FILES
from samevent.similarity.pairs import LabelledMentions
from samevent.similarity.training import LIGHT, PairTrainingSettings, Trained, train

Progress = Callable[[str], None]
EventFilter = Callable[[Document], Document]
"""Returns a document with the event mentions that a pair model learns from."""

PAIR_MODEL_SETTINGS: Mapping[str, PairTrainingSettings] = {"paper": PairTrainingSettings(), "light": LIGHT}
"""How each pair model of a model's folder is trained."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a trained file was made from, and the licence of that."""

    name: str
    licence: str = ""


def linked_events(document: Document) -> Document:
    """Return the document without event mentions that belong to no event."""
    return document.with_mentions(m for m in document.mentions if m.kind != "action" or m.event is not None)


def labelled_mentions(
    texts: Iterable[Parsed],
    resources: Resources,
    extractor: Extractor | None,
    *,
    events: EventFilter = linked_events,
) -> LabelledMentions:
    """Return the mention table of parsed documents with their known events.

    Participants, times and locations are found by the extractor; without one, they are the given mentions.
    """
    chosen = (text._replace(document=events(text.document)) for text in texts)
    extraction = PREDICTED_ARGUMENTS if extractor else GIVEN_MENTIONS
    return prepare(chosen, resources, extractor, extraction=extraction).labelled


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
    settings: PairTrainingSettings | None = None,
    jobs: int = 1,
    cache: Cache | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Trained:
    """Train a pair model on documents with events and write it; arguments are the extractor's.

    `learn` names the topics to learn from; the others only help to choose C.
    """
    check_absent(output, overwrite=overwrite)
    texts = parse(documents, extractor.resources.roles, jobs=jobs, cache=cache)
    data = labelled_mentions(texts, extractor.resources, extractor)
    trained = train(data, learn=learn, settings=settings, progress=progress)
    trained.model.save(output, overwrite=overwrite)
    return trained


def train_model(
    documents: Iterable[Document],
    folder: Path,
    base: Resources,
    *,
    beside: Iterable[Document] = (),
    events: EventFilter = linked_events,
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
    check_linked(map(events, documents))
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
    events: EventFilter = linked_events,
    source: Source,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Progress = lambda _: None,
) -> list[str]:
    """Train the extractor and the pair models of a folder that has lexicon, vectors and roles; see `train_model`.

    Return the names of the files that were written. Each document is parsed, and its roles are labelled, once.
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
    data = labelled_mentions([*texts, *others], resources, extractor, events=events)
    learn = {document.topic or document.id for document in documents}
    for name, settings in PAIR_MODEL_SETTINGS.items():
        trained = train(data, learn=learn, settings=settings, progress=progress)
        trained.model.save(folder / PAIR_MODEL_FILES[name], overwrite=True)
    return [*([] if missing else [EXTRACTOR_FILE]), *PAIR_MODEL_FILES.values()]


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
