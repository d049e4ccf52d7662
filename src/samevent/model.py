"""A model: language resources, extractor and pair models, and the way from documents to events with them."""

from __future__ import annotations

import gc
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from samevent import __version__
from samevent.clock import Clock
from samevent.clock import Watch as Watch
from samevent.clusterers import Clustered, Clusterer, Evidence, clusterer
from samevent.clusterers.base import choose_pair_model
from samevent.corpus import Corpus, Document, Mention
from samevent.corpus.corpus import checked_documents
from samevent.corrections import UNCORRECTED, Corrections, NotEvents, match, read_corrections
from samevent.errors import UsageError, check_type
from samevent.extraction import CONTEXTUAL_FILE, EXTRACTOR_FILE, Extractor
from samevent.formats.files import check_absent
from samevent.grounding.entities import entity_reader
from samevent.grounding.identities import Identities, JoinedEntities
from samevent.inputs import Source, corpus_of
from samevent.language.cache import Cache
from samevent.language.encoder import Encoder
from samevent.language.resources import DEFAULT, Resources, resources
from samevent.language.vectors import Vectors
from samevent.names import DEFAULT_PRESET, ENCODED_PRESETS, VERB_PRESETS
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.preparation import (
    EVERYTHING,
    MISSING_ARGUMENTS,
    WORDS_ONLY,
    Encode,
    Extraction,
    Prepared,
    encode_with,
    load_pair_models,
    missing_extractor,
    parse,
    prepare,
    read_with,
)
from samevent.results import Result
from samevent.results.assembly import assemble, explain_pair
from samevent.scratch import Scratch
from samevent.similarity.boosted import AnyPairModel, BoostedModel
from samevent.similarity.entities import joined_entities
from samevent.similarity.explanation import Explanation
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PAIR_MODEL_FILES


@contextmanager
def batch_runtime() -> Iterator[None]:
    """Tune Python for many documents.

    They are many small values, hardly any of which is garbage, so it is collected rarely. Their matrices are small,
    so threads inside one operation would wait more than work; `jobs` share the work at a higher level.
    """
    usual = gc.get_threshold()
    gc.set_threshold(500_000, 50, 1000)
    try:
        with threadpool_limits(1):
            yield
    finally:
        gc.set_threshold(*usual)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of `Model.resolve`.

    Mentions less probable than `min_probability` are taken out of their event; singletons are no events unless they
    are kept; `within_only` links no mentions across documents. With a `time_limit` in seconds the sampler gets what
    reading leaves and writing does not need, which alone makes results depend on the machine.
    """

    preset: str = DEFAULT_PRESET
    clusterer: str = "hddcrp"
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    keep_singletons: bool = False
    min_probability: float = 0.0
    within_only: bool = False
    time_limit: float | None = None

    def __post_init__(self) -> None:
        check_type(self.seed, int | np.integer, "a whole number as the seed")
        check_type(self.min_probability, int | float, "a probability")
        if not 0 <= self.min_probability <= 1:
            raise UsageError(f"the least probability is {self.min_probability}", expected="0 to 1")

    @property
    def changes(self) -> dict[str, Any]:
        """The settings of the clusterer that differ from its preset."""
        asked = {"within_only": self.within_only or None, "time_limit": self.time_limit}
        return {**self.settings, **{name: value for name, value in asked.items() if value is not None}}

    @property
    def system(self) -> Clusterer:
        """The clusterer."""
        return clusterer(self.clusterer, self.changes, preset=self.preset)


class Model:
    """A model folder; its parts are loaded on first use."""

    def __init__(self, resources: Resources, *, cache: Cache | None = None) -> None:
        self.resources = resources
        self.cache = cache

    @classmethod
    def load(cls, model: str | Path = DEFAULT, *, cache: Cache | None = None) -> Model:
        """Load a shipped model by name, or any model by its folder; parses are stored in `cache` if there is one."""
        return cls(resources(model), cache=cache)

    @property
    def name(self) -> str:
        """The name of the model's folder."""
        return self.resources.folder.name

    @cached_property
    def extractor(self) -> Extractor:
        """Finds events, participants, times and locations, without an encoder."""
        file = self.resources.file(EXTRACTOR_FILE)
        if not file.exists():
            raise missing_extractor(self.resources.folder)
        return Extractor.load(file, self.resources)

    @cached_property
    def contextual_extractor(self) -> Extractor:
        """The same from what the encoder says about each token; without one of its own, the model's other extractor."""
        file = self.resources.file(CONTEXTUAL_FILE)
        return Extractor.load(file, self.resources) if file.exists() else self.extractor

    def extractor_of(self, preset: str) -> Extractor:
        """Return the extractor that a preset uses."""
        return self.contextual_extractor if preset in ENCODED_PRESETS else self.extractor

    @cached_property
    def pair_models(self) -> dict[str, AnyPairModel]:
        """The pair models of the folder by name: `standard`, `best`, `light`, `paper`, `paper-code`."""
        for file in PAIR_MODEL_FILES.values():
            self.resources.file(file)
        return load_pair_models(self.resources.folder)

    def check_parts(self, system: Clusterer) -> None:
        """Raise if the model lacks what a clusterer needs, before documents are read."""
        if system.pair_model is None:
            return
        pair_model = choose_pair_model(self.pair_models, system.pair_model)
        if isinstance(pair_model, BoostedModel) and pair_model.needs_large:
            self.resources.large_encoder  # noqa: B018 -- raises if it is not installed

    def save(self, folder: str | Path) -> None:
        """Write the whole model into a new folder."""
        check_absent(Path(folder), overwrite=False)
        shutil.copytree(self.resources.folder, folder)

    @classmethod
    def train(
        cls,
        corpus: Iterable[Document],
        folder: str | Path,
        *,
        base: str | Path = DEFAULT,
        source: str = "one's own corpus",
        cache: Cache | None = None,
        jobs: int = 1,
        progress: Callable[[str], None] = lambda _: None,
    ) -> Model:
        """Train on documents with gold events and write a model's folder; words and roles are those of the base."""
        # scikit-learn takes a second to import, and only training needs it.
        from samevent.training import Source, train_model

        train_model(
            checked_documents(corpus),
            Path(folder),
            resources(base),
            source=Source(source),
            cache=cache,
            jobs=jobs,
            progress=progress,
        )
        return cls.load(folder, cache=cache)

    @batch_runtime()
    def prepare(
        self,
        corpus: Iterable[Document],
        *,
        extraction: Extraction = EVERYTHING,
        preset: str = DEFAULT_PRESET,
        corrections: Corrections | None = None,
        jobs: int = 1,
        watch: Watch | None = None,
    ) -> Prepared:
        """Return the documents with the mentions, classes and arguments that they lack, and all that clusterers read.

        This is the only way from documents to mentions. By default every kind that a document has no mentions of is
        extracted; `extraction` asks for less or more. The `preset` chooses the extractor, with an encoder or without,
        and whether every verb is an event. Mentions that `corrections` call no events are left out.
        """
        if extraction.verbs is None:
            extraction = replace(extraction, verbs=preset in VERB_PRESETS)
        documents = checked_documents(corpus)
        extractor = self._extractor_for(documents, extraction, preset)
        roles = self.resources.roles if extraction.arguments else None

        def show(done: int, events: int) -> None:
            if watch:
                watch("reading", done, len(documents), f"{events:,} mentions")

        return prepare(
            parse(documents, roles, jobs=jobs, cache=self.cache),
            self.resources,
            extractor,
            extraction=extraction,
            pair_models=self.pair_models,
            encode=self._encode(lambda: self.resources.encoder, "encoding", jobs, watch),
            encode_large=self._encode(lambda: self.resources.large_encoder, "reading closely", jobs, watch),
            read=read_with(self.resources.encoder, self.cache)
            if extractor and extractor.contextual
            else None,
            keep_vectors=True,
            not_events=NotEvents(corrections) if corrections else None,
            jobs=jobs,
            progress=show,
        )

    def _extractor_for(
        self, documents: Iterable[Document], extraction: Extraction, preset: str
    ) -> Extractor | None:
        """Return the extractor if the documents need one, or if there is one that could add classes."""
        if any(map(extraction.missing, documents)) and extraction.arguments:
            return self.extractor_of(preset)
        exists = (self.resources.folder / EXTRACTOR_FILE).exists()
        return self.extractor_of(preset) if exists and any(map(extraction.incomplete, documents)) else None

    def _encode(self, encoder: Callable[[], Encoder], stage: str, jobs: int, watch: Watch | None) -> Encode:
        """Return what encodes mentions when a pair model asks for it."""

        def encode(corpus: Corpus, mentions: Sequence[Mention]) -> Mapping[str, Vectors]:
            done = 0

            def show(count: int) -> None:
                nonlocal done
                done += count
                if watch:
                    watch(stage, done, len(mentions), "")

            return encode_with(encoder(), jobs=jobs, cache=self.cache, progress=show)(corpus, mentions)

        return encode

    def extract(
        self,
        corpus: Iterable[Document],
        *,
        extraction: Extraction = EVERYTHING,
        preset: str = DEFAULT_PRESET,
        jobs: int = 1,
        watch: Watch | None = None,
    ) -> Corpus:
        """Return the documents with the mentions, classes and arguments that they lack."""
        return self.prepare(corpus, extraction=extraction, preset=preset, jobs=jobs, watch=watch).corpus

    @batch_runtime()
    def resolve(
        self,
        corpus: Iterable[Document],
        *,
        seed: int | None = None,
        options: Options | None = None,
        corrections: Corrections | str | Path | None = None,
        jobs: int = 1,
        checkpoint: Path | None = None,
        watch: Watch | None = None,
        clock: Clock | None = None,
    ) -> Result:
        """Return which mentions refer to the same event; mentions that documents lack are extracted first.

        A person's `corrections`, or a file of them, hold exactly. The result depends on documents, model, options and
        corrections alone. With a `checkpoint`, interrupted sampling continues
        where it stopped. A time limit counts from the start of the `clock`, by default from now.
        """
        check_type(options, Options | None, "samevent.Options")
        check_type(corrections, Corrections | str | Path | None, "corrections, or the name of their file")
        options = options or Options()
        if seed is not None:
            options = replace(options, seed=seed)
        clock = clock or Clock(options.time_limit)
        self.check_parts(options.system)
        if isinstance(corrections, str | Path):
            corrections = read_corrections(Path(corrections))
        prepared = self.prepare(
            corpus, preset=options.preset, corrections=corrections, jobs=jobs, watch=clock.watching(watch)
        )
        clock.begin_linking()
        return self.resolve_evidence(
            prepared.corpus,
            prepared.evidence,
            options,
            corrections=corrections,
            jobs=jobs,
            checkpoint=checkpoint,
            watch=watch,
            clock=clock,
        )

    def resolve_evidence(
        self,
        corpus: Corpus,
        evidence: Evidence,
        options: Options,
        *,
        corrections: Corrections | None = None,
        jobs: int = 1,
        checkpoint: Path | None = None,
        watch: Watch | None = None,
        clock: Clock | None = None,
        scratch: Scratch | None = None,
    ) -> Result:
        """Return which mentions of prepared documents refer to the same event; see `resolve`.

        With a `scratch`, reasons lie there.
        """
        matched = match(corrections, corpus, evidence.table.ids) if corrections else UNCORRECTED
        evidence = evidence.constrained(matched.constraints)
        system = limited = options.system
        if options.time_limit and clock:
            _links(system, evidence, jobs, watch)
            limited = replace(options, time_limit=clock.sampling(len(evidence))).system
        clustered = cluster_evidence(limited, evidence, options.seed, jobs, checkpoint, watch)
        if watch:
            watch("explaining", 0, 1, "")
        return assemble(
            corpus,
            evidence,
            system,
            clustered,
            matched=matched,
            entities=self.join_entities(evidence.table, options, jobs=jobs),
            about=self.describe(options, system),
            min_probability=options.min_probability,
            keep_singletons=options.keep_singletons,
            jobs=jobs,
            scratch=scratch,
        )

    def join_entities(
        self, table: MentionTable, options: Options, *, known: Identities | None = None, jobs: int = 1
    ) -> JoinedEntities:
        """Return which named entities of documents are one; the first rows may be `known`."""
        return joined_entities(
            table,
            entity_reader(self.resources),
            known=known,
            within_only=options.within_only,
            seed=options.seed,
            jobs=jobs,
        )

    @batch_runtime()
    def cluster(
        self,
        corpus: Iterable[Document],
        system: Clusterer,
        *,
        seed: int = 0,
        corrections: Corrections | None = None,
        jobs: int = 1,
        checkpoint: Path | None = None,
        watch: Watch | None = None,
    ) -> Clustered:
        """Return which of the given event mentions refer to the same event, by a clusterer of one's choice.

        A person's `corrections` hold exactly; mentions that they call no events are not in the answer.
        """
        self.check_parts(system)
        extraction = MISSING_ARGUMENTS if "arguments" in system.needs else WORDS_ONLY
        preset = system.pair_model or DEFAULT_PRESET
        prepared = self.prepare(
            corpus, extraction=extraction, preset=preset, corrections=corrections, jobs=jobs, watch=watch
        )
        evidence = prepared.evidence
        if corrections:
            matched = match(corrections, prepared.corpus, evidence.table.ids)
            evidence = evidence.constrained(matched.constraints)
        return cluster_evidence(system, evidence, seed, jobs, checkpoint, watch)

    def describe(self, options: Options, system: Clusterer) -> dict[str, Any]:
        """Return what a result says about how it was made."""
        return {
            "samevent": __version__,
            "model": self.name,
            "preset": options.preset,
            "clusterer": options.clusterer,
            "seed": options.seed,
            "settings": asdict(system),
        }

    def explain(
        self, corpus: Iterable[Document], first: str, second: str, *, pair_model: str = DEFAULT_PRESET
    ) -> Explanation:
        """Return what speaks for and against two event mentions of these documents being the same event."""
        evidence = self.prepare(corpus, preset=pair_model).evidence
        return explain_pair(evidence, evidence.pair_model(pair_model), first, second)


def _links(system: Clusterer, evidence: Evidence, jobs: int, watch: Watch | None) -> None:
    """Find the links; the evidence keeps them."""
    if watch:
        watch("linking", 0, 1, f"{len(evidence):,} mentions")
    system.links(evidence, jobs=jobs)


def cluster_evidence(
    system: Clusterer,
    evidence: Evidence,
    seed: int,
    jobs: int = 1,
    checkpoint: Path | None = None,
    watch: Watch | None = None,
) -> Clustered:
    """Find links and cluster, quietly; the verdict says whether chains agree."""
    _links(system, evidence, jobs, watch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the verdict says it
        return system.cluster(
            evidence,
            seed=seed,
            jobs=jobs,
            checkpoint=checkpoint if len(evidence) else None,  # nothing to resume
            progress=lambda done, total: watch("sampling", done, total, "") if watch else None,
        )


def resolve(
    source: Source,
    *,
    model: str | Path | Model = DEFAULT,
    preset: str | None = None,
    seed: int | None = None,
    options: Options | None = None,
    corrections: Corrections | str | Path | None = None,
    jobs: int = 1,
) -> Result:
    """Return which mentions of texts, files, folders or documents refer to the same event.

    A string is the name of a file or folder if there is one of this name, and a text if it has blanks. Texts of a list
    are called `text-1`, `text-2` and so on. `preset` is short for `Options(preset=...)`; `Model.resolve` explains the
    rest.

        result = samevent.resolve(["A quake struck Kestry.", "The earthquake in Kestry killed two."])
    """
    check_type(model, str | Path | Model, "the name or the folder of a model")
    check_type(options, Options | None, "samevent.Options")
    corpus = corpus_of(source)
    loaded = model if isinstance(model, Model) else Model.load(model, cache=Cache())
    if preset is not None:
        options = replace(options or Options(), preset=preset)
    return loaded.resolve(corpus, seed=seed, options=options, corrections=corrections, jobs=jobs)
