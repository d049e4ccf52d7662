"""Learning from annotated documents: the pair model, and whole models."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from samevent.corpus import KINDS, Document, Kind
from samevent.errors import DataError
from samevent.extraction import EXTRACTOR_FILE, Extractor, Parsed, associate, label_events
from samevent.extraction.training import train_file as train_extractor
from samevent.formats.files import check_absent, write_text
from samevent.language.annotate import annotate
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache
from samevent.language.resources import MANIFEST_FILE, Resources
from samevent.similarity.model import LIGHT_FILE, SIMILARITY_FILE
from samevent.similarity.pairs import LabelledMentions, label_mentions
from samevent.similarity.training import LIGHT, PairTrainingSettings, Trained, train

AddArguments = Callable[[Document, Annotation], Document]
Progress = Callable[[str], None]

SIMILARITIES: Mapping[str, PairTrainingSettings] = {
    SIMILARITY_FILE: PairTrainingSettings(),
    LIGHT_FILE: LIGHT,
}
"""The pair models of a model's folder, and how each is trained."""


def train_similarity(
    documents: Iterable[Document],
    output: Path,
    extractor: Extractor,
    *,
    learn: Collection[str] | None = None,
    settings: PairTrainingSettings | None = None,
    cache: Cache | None = None,
    jobs: int = 1,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Trained:
    """Train on documents with events, whose arguments the extractor finds, and write the pair model.

    `learn` names the topics to learn from; the others only help to choose C.
    """
    check_absent(output, overwrite=overwrite)
    add = predicted_arguments(extractor)
    data = read_labelled(documents, extractor.resources, add_arguments=add, cache=cache, jobs=jobs)
    trained = train(data, learn=learn, settings=settings, progress=progress)
    trained.model.save(output, overwrite=overwrite)
    return trained


def read_labelled(
    documents: Iterable[Document],
    resources: Resources,
    *,
    add_arguments: AddArguments | None = None,
    cache: Cache | None = None,
    jobs: int = 1,
) -> LabelledMentions:
    """Parse documents, give their events arguments, and compile those that belong to an event."""
    add = add_arguments or arguments_by_roles(resources)
    annotated = annotate(map(given_events, documents), cache=cache, jobs=jobs)
    ready = [(add(document, annotation), annotation) for document, annotation in annotated]
    return label_mentions(ready, lexicon=resources.lexicon, vectors=resources.vectors)


def given_events(document: Document) -> Document:
    """Return the document without actions that belong to no event."""
    return document.with_mentions(m for m in document.mentions if m.kind != "action" or m.event is not None)


def arguments_by_roles(resources: Resources) -> AddArguments:
    """Return what gives events their arguments by semantic roles, among the argument mentions that are there."""

    def add(document: Document, annotation: Annotation) -> Document:
        return associate(document, annotation, label_events(resources.roles, document, annotation))

    return add


def predicted_arguments(extractor: Extractor) -> AddArguments:
    """Return what gives events their arguments among participants, times and places that an extractor finds."""
    kinds: tuple[Kind, ...] = ("participant", "time", "location")

    def add(document: Document, annotation: Annotation) -> Document:
        predicates = extractor.resources.roles.label(document, annotation)
        return extractor.extract(Parsed(document, annotation, predicates), kinds=kinds)

    return add


def train_model(
    documents: Iterable[Document],
    folder: Path,
    base: Resources,
    *,
    beside: Iterable[Document] = (),
    source: str,
    licence: str = "",
    cache: Cache | None = None,
    jobs: int = 1,
    overwrite: bool = False,
    progress: Progress = lambda _: None,
) -> None:
    """Train extractor and pair model on annotated documents, and write a whole model's folder, or none.

    Words and roles are those of the base. Documents `beside` only help to choose thresholds and C. A corpus that
    marks no mentions of some kind cannot teach an extractor: then the base's stays.
    """
    check_absent(folder, overwrite=overwrite)
    documents, beside = list(documents), list(beside)
    refuse_unlabelled(documents)
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        shutil.copytree(base.folder, part)
        made = {"source": source, "licence": licence}
        manifest = json.loads((part / MANIFEST_FILE).read_text("utf-8"))
        missing = [kind for kind in KINDS if not any(m.kind == kind for d in documents for m in d.mentions)]
        if missing:
            progress(f"the corpus marks no {missing[0]}s: the extractor stays that of {base.folder.name}")
        else:
            train_extractor(
                documents, part / EXTRACTOR_FILE, Resources(part), beside=beside, source=source, licence=licence,
                jobs=jobs, cache=cache, overwrite=True, progress=progress,
            )  # fmt: skip
            manifest["files"][EXTRACTOR_FILE] = made
        extractor = Extractor.load(part / EXTRACTOR_FILE, Resources(part))
        learn = {document.topic or document.id for document in documents}
        for file, settings in SIMILARITIES.items():
            train_similarity(
                [*documents, *beside], part / file, extractor, learn=learn, settings=settings, cache=cache,
                jobs=jobs, overwrite=True, progress=progress,
            )  # fmt: skip
            manifest["files"][file] = made
        sources = {name: (about["source"], about["licence"]) for name, about in manifest["files"].items()}
        write_manifest(part, folder.name, sources)
        if folder.exists():
            shutil.rmtree(folder)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def refuse_unlabelled(documents: Iterable[Document]) -> None:
    """Raise unless some events are told by several mentions."""
    sizes = Counter(
        m.event for d in documents for m in d.mentions if m.kind == "action" and m.event is not None
    )
    if not any(size > 1 for size in sizes.values()):
        raise DataError(
            "no two mentions tell of the same event",
            expected="documents with event mentions (kind action) that share an event",
            hint="samevent check shows what a corpus has",
        )


def write_manifest(folder: Path, name: str, sources: Mapping[str, tuple[str, str]]) -> None:
    """Write what a model's folder holds: files with size and hash, what they were made from and its licence."""
    files = {}
    for file, (source, licence) in sources.items():
        data = (folder / file).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        files[file] = {"bytes": len(data), "sha256": digest, "source": source, "licence": licence}
    manifest = {"name": name, "language": "en", "schema": 1, "files": files}
    write_text(folder / MANIFEST_FILE, [json.dumps(manifest, indent=2) + "\n"], overwrite=True)
