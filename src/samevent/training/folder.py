"""Training of a whole model: entities, extractor and pair models, beside the language resources of another model."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from samevent.corpus import KINDS, Document
from samevent.errors import DataError
from samevent.extraction import CONTEXTUAL_FILE, EXTRACTOR_FILE, Extractor, Parsed
from samevent.extraction import training as extractors
from samevent.extraction.training import HeldOut
from samevent.formats.files import check_absent, write_text
from samevent.grounding.entity_model import ENTITIES_FILE
from samevent.language.cache import Cache
from samevent.language.encoder.large import write_large_encoder
from samevent.language.encoder.runtime import ENCODER_FILE, TOKENIZER_FILE
from samevent.language.encoder.training import LARGE, MEAN
from samevent.language.resources import (
    ADAPTER_FILE,
    LARGE_FOLDER,
    MANIFEST_FILE,
    Resources,
    read_manifest,
    sha256,
)
from samevent.preparation import parse, with_states
from samevent.similarity.model import PAIR_MODEL_FILES
from samevent.similarity.pairs import LabelledMentions
from samevent.training.data import EventFilter, extracted_mentions, labelled_mentions, linked_events
from samevent.training.encoders import Encoders, cross_fitted, same_encoder
from samevent.training.entities import train_entity_model
from samevent.training.pair_models import (
    PAIR_MODEL_SETTINGS,
    chooses_penalty,
    default_events,
    fit_pair_model,
    needs_encoder,
)

Progress = Callable[[str], None]

WITH_ENCODER = ("paper", "paper-code", "light", "standard")
"""The pair models that can be trained without the large encoder."""
BEST = "best"
"""The one that needs it."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a trained file was made from, and the licence of that."""

    name: str
    licence: str = ""


def train_extractor(
    documents: Iterable[Document],
    output: Path,
    resources: Resources,
    *,
    beside: Iterable[Document] = (),
    encoders: Path | None = None,
    settings: extractors.ExtractorSettings | None = None,
    source: Source,
    jobs: int = 1,
    cache: Cache | None = None,
    overwrite: bool = False,
    progress: Progress = lambda _: None,
) -> Extractor:
    """Train an extractor on annotated documents and write it; documents `beside` only help to choose thresholds.

    It is contextual if `encoders` is the work folder of an encoder's training on all these documents.
    """
    check_absent(output, overwrite=overwrite)
    progress("parsing")
    texts, others = (
        list(parse(each, resources.roles, jobs=jobs, cache=cache)) for each in (documents, beside)
    )
    if encoders:
        progress("reading with the encoders")
        fitted = cross_fitted(encoders, [text.document for text in (*texts, *others)], cache=cache)
        texts, others = (list(with_states(each, fitted.read, jobs=jobs)) for each in (texts, others))
    return _fit_extractor(texts, others, output, resources, settings, source, progress)[0]


def train_model(
    documents: Iterable[Document],
    folder: Path,
    base: Resources,
    *,
    beside: Iterable[Document] = (),
    more: Iterable[Document] = (),
    encoders: Path | None = None,
    large: Path | None = None,
    pair_models: Sequence[str] = WITH_ENCODER,
    source: Source,
    jobs: int = 1,
    cache: Cache | None = None,
    overwrite: bool = False,
    progress: Progress = lambda _: None,
) -> None:
    """Train entities, extractor and pair models on annotated documents, and write a whole model's folder, or none.

    Lexicon, vectors and roles are those of the base. The encoder is the mean of those in the work folder `encoders`,
    which were tuned on the same documents; without it, the base's encoder stays, which must not have been tuned on
    them. With `large`, the folder of the large encoder as it was published, and its adapters among the `encoders`,
    there is a pair model for the preset `best`. Documents `beside` help to choose thresholds and C, and boosted trees
    learn from them as well; from `more`, whose sentences may be annotated in part, trees alone learn. A corpus that
    marks no mentions of some kind cannot train an extractor, and one without chains of participants no entities: then
    the base's stay.
    """
    documents, beside, more = list(documents), list(beside), list(more)
    check_linked(documents)
    folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    check_absent(folder, overwrite=overwrite)
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        shutil.copytree(base.folder, part)
        manifest = read_manifest(part)
        sources = {
            name: Source(about["source"], about["licence"]) for name, about in manifest["files"].items()
        }
        for file in (*PAIR_MODEL_FILES.values(), ADAPTER_FILE):
            (part / file).unlink(missing_ok=True)
            sources.pop(file, None)
        written = train_files(
            documents,
            part,
            beside=beside,
            more=more,
            encoders=encoders,
            large=large,
            pair_models=pair_models,
            source=source,
            jobs=jobs,
            cache=cache,
            progress=progress,
        )
        if EXTRACTOR_FILE not in written:
            progress(f"the extractor stays that of {base.folder.name}")
        if CONTEXTUAL_FILE not in written and (EXTRACTOR_FILE in written or encoders):
            # It belongs to another encoder, or to other documents: all presets use the plain one.
            (part / CONTEXTUAL_FILE).unlink(missing_ok=True)
            sources.pop(CONTEXTUAL_FILE, None)
        if ADAPTER_FILE in written and large:
            write_large_encoder(large, part / ADAPTER_FILE, part / LARGE_FOLDER)
        write_manifest(part, folder.name, sources | written)
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
    more: Sequence[Document] = (),
    encoders: Path | None = None,
    large: Path | None = None,
    pair_models: Sequence[str] = WITH_ENCODER,
    source: Source,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Progress = lambda _: None,
) -> dict[str, Source]:
    """Train entities, extractor and pair models in a folder that has lexicon, vectors and roles; see `train_model`.

    Return the files that were written, with their sources. Each document is parsed, and its roles are labelled, once.
    """
    resources, written = Resources(folder, verify=False), {}
    if encoders:
        for name in (ENCODER_FILE, TOKENIZER_FILE):
            shutil.copyfile(encoders / MEAN / name, folder / name)
        written[ENCODER_FILE] = Source(f"all-MiniLM-L6-v2, tuned on {source.name}", source.licence)
        if large:
            shutil.copyfile(encoders / LARGE / f"{MEAN}.npz", folder / ADAPTER_FILE)
            written[ADAPTER_FILE] = Source(f"all-mpnet-base-v2, tuned on {source.name}", source.licence)
            pair_models = (*pair_models, BEST)
    progress(f"parsing {len(documents) + len(beside) + len(more):,} documents")
    texts, others, further = (
        list(parse(each, resources.roles, jobs=jobs, cache=cache)) for each in (documents, beside, more)
    )
    entities = train_entity_model([*texts, *others], resources.vectors, {"source": source.name})
    if entities:  # before anything is prepared: pair models compare participants
        entities.save(folder / ENTITIES_FILE, overwrite=True)
        written[ENTITIES_FILE] = source
    else:
        progress("the corpus has no chains of participants: entities stay as they are")
    found: dict[bool, list[HeldOut]] = {}
    missing = [kind for kind in KINDS if not any(m.kind == kind for d in documents for m in d.mentions)]
    if missing:
        progress(f"the corpus marks no {missing[0]}s: no extractor can be trained on it")
        extractor = Extractor.load(folder / EXTRACTOR_FILE, resources)
    else:
        extractor, found[False] = _fit_extractor(
            texts, others, folder / EXTRACTOR_FILE, resources, None, source, progress
        )
        written[EXTRACTOR_FILE] = source
    fitted: Encoders | None = None
    if any(needs_encoder(PAIR_MODEL_SETTINGS[name]) for name in pair_models):
        fitted = (
            cross_fitted(encoders, [*documents, *beside, *more], large=large, jobs=jobs, cache=cache)
            if encoders
            else same_encoder(resources.encoder, jobs=jobs, cache=cache)
        )
    contextual_extractor = extractor
    if encoders and fitted and not missing:
        progress("reading with the encoders")
        known, beyond = (list(with_states(each, fitted.read, jobs=jobs)) for each in (texts, others))
        contextual_extractor, found[True] = _fit_extractor(
            known, beyond, folder / CONTEXTUAL_FILE, resources, None, source, progress
        )
        written[CONTEXTUAL_FILE] = source
    learn = {document.topic or document.id for document in documents}
    compiled: dict[tuple[EventFilter, bool], LabelledMentions] = {}
    extracted: dict[bool, LabelledMentions] = {}
    for name in pair_models:
        settings = PAIR_MODEL_SETTINGS[name]
        linear, events, contextual = (
            chooses_penalty(settings),
            default_events(settings),
            needs_encoder(settings),
        )
        progress(f"pair model {name}")
        if (events, contextual) not in compiled:
            compiled[events, contextual] = labelled_mentions(
                [*texts, *others, *([] if linear else further)],
                resources,
                contextual_extractor if contextual else extractor,
                events=events,
                encode=fitted.encode if fitted and contextual else None,
                read=fitted.read if fitted and contextual else None,
            )
        if not linear and contextual not in extracted and contextual in found:
            extracted[contextual] = extracted_mentions(
                found[contextual], resources, encode=fitted.encode if fitted and contextual else None
            )
        model = fit_pair_model(
            compiled[events, contextual],
            settings,
            learn=learn if linear else None,
            encoders=fitted,
            extracted=None if linear else extracted.get(contextual),
            progress=progress,
        )
        model.save(folder / PAIR_MODEL_FILES[name], overwrite=True)
        written[PAIR_MODEL_FILES[name]] = source
    return written


def check_linked(documents: Iterable[Document]) -> None:
    """Raise unless some event has several mentions."""
    mentions = (m for d in documents for m in linked_events(d).mentions if m.kind == "action")
    if not any(size > 1 for size in Counter(m.event for m in mentions).values()):
        raise DataError(
            "no two mentions refer to the same event",
            expected="documents with event mentions (kind action) that share an event",
            hint="samevent check shows what a corpus has",
        )


def write_manifest(folder: Path, name: str, sources: Mapping[str, Source]) -> None:
    """Write the manifest of a model's folder: its files with size and hash, their sources and licences."""
    _write_manifest(folder, {"name": name, "language": "en", "schema": 1, "files": _entries(folder, sources)})


def enter_files(folder: Path, sources: Mapping[str, Source]) -> None:
    """Enter files that were replaced into the manifest of a model's folder, if it has one."""
    if (folder / MANIFEST_FILE).exists():
        manifest = read_manifest(folder)
        _write_manifest(folder, manifest | {"files": manifest["files"] | _entries(folder, sources)})


def _entries(folder: Path, sources: Mapping[str, Source]) -> dict[str, dict[str, int | str]]:
    return {
        name: {
            "bytes": (folder / name).stat().st_size,
            "sha256": sha256(folder / name),
            "source": source.name,
            "licence": source.licence,
        }
        for name, source in sources.items()
    }


def _write_manifest(folder: Path, manifest: Mapping[str, object]) -> None:
    write_text(folder / MANIFEST_FILE, [json.dumps(manifest, indent=2) + "\n"], overwrite=True)


def _fit_extractor(
    texts: Sequence[Parsed],
    beside: Sequence[Parsed],
    output: Path,
    resources: Resources,
    settings: extractors.ExtractorSettings | None,
    source: Source,
    progress: Progress,
) -> tuple[Extractor, list[HeldOut]]:
    """Train and write an extractor; return it as it is read back, with rounded weights, and those of other topics."""
    extractor, held_out = extractors.train_cross_fitted(
        texts, resources, beside=beside, settings=settings, progress=progress
    )
    extractor.save(output, {"source": source.name, "licence": source.licence}, overwrite=True)
    return Extractor.load(output, resources), held_out
