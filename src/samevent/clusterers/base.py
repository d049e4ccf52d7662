"""The protocol of a clusterer: what it is given (`Evidence`), what it returns (`Clustered`), what callers may ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import Field, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Clustering
from samevent.errors import CorpusError, UsageError
from samevent.language.lexicon import Lexicon
from samevent.language.vectors import Vectors
from samevent.partitions.constraints import FREE, PairConstraints
from samevent.partitions.posterior import Posterior
from samevent.similarity.boosted import AnyPairModel, BoostedModel
from samevent.similarity.links import LinkSettings, MentionLinks, find_links
from samevent.similarity.mentions import LARGE_CONTEXTUAL, MentionTable

Labels = NDArray[np.int32]
Floats = NDArray[np.float64]
Need = Literal["arguments", "similarity"]
"""What a clusterer may look at beyond the words of a mention: its arguments, a pair model."""
PairModelName = Literal["standard", "best", "light", "paper", "paper-code"]
"""The pair models of a model's folder."""
Answer = Literal["rule", "consensus", "last"]
"""How labels come about: by rule, as the consensus of samples, or as the last sample of one of several runs."""

Progress = Callable[[int, int], None]
"""Progress callback: (done, total)."""


class Search(Protocol):
    """Finds all links of a table, as `find_links` does."""

    def __call__(
        self, table: MentionTable, model: AnyPairModel, *, settings: LinkSettings | None = None, jobs: int = 1
    ) -> MentionLinks:
        """Return all pairs that reach the minimum similarity of the settings."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What some mentions of a larger corpus bring with them: its table, their rows there, all links among them.

    Random streams belong to `names`. `vocabulary` has the number of distinct values of a feature in the whole corpus.
    """

    whole: MentionTable
    rows: Labels
    names: NDArray[np.int64]
    links: MentionLinks
    vocabulary: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The event mentions of a corpus, and what clusterers may ask about them.

    `models` are pair models by name; documents are compared against the background corpus of the first boosted one.
    MentionLinks are computed when they are first asked for and kept, so that several clusterers share one search.
    `encode` returns the contextual vectors of all mentions; it is called once, if a pair model compares them.
    `encode_rows` returns those of the large encoder, of some mentions: only mentions that might be linked are read.
    `search` finds links. If the table is `weighted`, words keep their weights. Mentions that are independent of all
    others can be evidence of their own, a `part`, with the same answer. A person's decisions are `constraints` on rows.
    """

    table: MentionTable
    models: Mapping[str, AnyPairModel] = field(default_factory=dict)
    lexicon: Lexicon | None = None
    encode: Callable[[], Mapping[str, Vectors]] | None = None
    encode_rows: Callable[[Labels], Mapping[str, Vectors]] | None = None
    search: Search = find_links
    weighted: bool = False
    part: Part | None = None
    constraints: PairConstraints = FREE
    _links: dict[tuple[str, float, float], MentionLinks] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for model in () if self.part or self.weighted else self.models.values():
            if isinstance(model, BoostedModel):
                object.__setattr__(self, "table", self.table.with_background(model.background))
                return

    def __len__(self) -> int:
        return len(self.table)

    def constrained(self, constraints: PairConstraints) -> Evidence:
        """Return the same evidence under constraints; links that are known stay known."""
        twin = copy(self)
        object.__setattr__(twin, "constraints", constraints)
        return twin

    def pair_model(self, name: str) -> AnyPairModel:
        """Return a pair model by its name; the table then has what it compares."""
        model = choose_pair_model(self.models, name)
        if (
            isinstance(model, BoostedModel)
            and model.needs_context
            and self.encode
            and not self.table.contextual
        ):
            object.__setattr__(self, "table", self.table.with_contextual(self.encode()))
        return model

    def read(self, model: AnyPairModel, rows: NDArray[np.integer[Any]]) -> None:
        """Let the large encoder read some mentions, if a model compares its vectors and they have none yet."""
        if not (isinstance(model, BoostedModel) and model.needs_large and self.encode_rows):
            return
        known = self.table.contextual.get(LARGE_CONTEXTUAL[0])
        new = rows.astype(np.int32) if known is None else rows[np.isnan(known[rows, 0])].astype(np.int32)
        if len(new):
            vectors = self.encode_rows(new)
            object.__setattr__(self, "table", self.table.with_contextual_rows(new, vectors))

    def links(
        self, minimum_similarity: float, *, pair_model: str, document_gate: float = 0.0, jobs: int = 1
    ) -> MentionLinks:
        """Return all pairs of mentions whose similarity f is at least the minimum, each pair once.

        With a `document_gate`, pairs across documents are kept only if the documents are at least that similar.
        """
        if self.part:
            return self.part.links
        model = self.pair_model(pair_model)
        key = pair_model, minimum_similarity, document_gate
        if key not in self._links:
            if isinstance(model, BoostedModel) and model.needs_large:
                self.read(model, np.flatnonzero(model.blocking.partnered(self.table, gate=document_gate)))
            settings = LinkSettings(minimum_similarity=minimum_similarity, gate=document_gate)
            self._links[key] = self.search(self.table, model, settings=settings, jobs=jobs)
        return self._links[key]


def choose_pair_model(models: Mapping[str, AnyPairModel], name: str) -> AnyPairModel:
    """Return a pair model by its name."""
    if name not in models:
        raise UsageError(
            f"the model has no pair model {name!r}",
            expected=f"one of {', '.join(models)}" if models else None,
            hint=f"train it (samevent train similarity --preset {name}), choose another preset, "
            "or a clusterer that compares no pairs (lemma, hdp-lex)",
        )
    return models[name]


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """Which mentions refer to the same event, and how sure that is.

    `labels` has one label per mention of `ids`, with events numbered by their first mention. The customers of
    `posterior` are these mentions; where nothing is random, its one sample is the answer itself.
    """

    ids: tuple[str, ...]
    labels: Labels
    posterior: Posterior
    _rows: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", {mention: row for row, mention in enumerate(self.ids)})

    @property
    def clustering(self) -> Clustering:
        """The answer as a partition of mention ids."""
        return Clustering.from_labels(dict(zip(self.ids, self.labels.tolist(), strict=True)))

    def event_probability(self) -> Floats:
        """Return for each mention how probable its event is one event, NaN if it is alone.

        An event is as sure as the two mentions in it that are least so: on topics that no model had seen, this came
        closer to the share of events that are pure than the share of samples in which they are whole.
        """
        return self.posterior.least_with(self.labels)

    def probability(self, a: str, b: str) -> float:
        """Return P(same event) of two mentions."""
        for mention in (a, b):
            if mention not in self._rows:
                raise CorpusError(
                    f"there is no event mention {mention!r} in the result",
                    hint="ids are in mentions.csv and result.jsonl",
                )
        return self.posterior.probability(self._rows[a], self._rows[b])


class Clusterer(Protocol):
    """A frozen dataclass whose fields are its settings."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def needs(self) -> frozenset[Need]:
        """What it looks at beyond the words of a mention."""

    @property
    def answer(self) -> Answer:
        """How it arrives at its labels."""

    @property
    def sampled(self) -> bool:
        """Whether it draws samples: then it has the settings `runs` and `sweeps`."""

    @property
    def total_sweeps(self) -> int:
        """Sweeps of all runs together, at most; 1 if nothing is sampled."""

    @property
    def pair_model(self) -> PairModelName | None:
        """The name of the pair model it uses, or None if it compares no pairs."""

    @property
    def minimum_similarity(self) -> float | None:
        """The least similarity of its links, or None if it compares no pairs."""

    def links(self, evidence: Evidence, *, jobs: int = 1) -> MentionLinks | None:
        """Return the pairs of mentions that it may link, or None if it compares no pairs."""

    def cluster(
        self,
        evidence: Evidence,
        *,
        seed: int = 0,
        jobs: int = 1,
        progress: Progress | None = None,
        checkpoint: Path | None = None,
    ) -> Clustered:
        """Return which mentions refer to the same event.

        The answer depends on evidence, settings and seed alone: not on `jobs` (threads), nor on the order in which
        documents are given. With a `checkpoint`, an interrupted run continues where it stopped.
        """


def check_unconstrained(evidence: Evidence, name: str) -> None:
    """Raise if a clusterer that cannot hold constraints is given some."""
    if evidence.constraints:
        raise UsageError(
            f"the clusterer {name} cannot hold corrections",
            expected="hddcrp, hddcrp-star or ddcrp",
            hint="choose one of these, or leave the corrections out",
        )


def check_seed_and_jobs(seed: int, jobs: int) -> None:
    """Raise unless both are in range."""
    for name, value, least in (("seed", seed, 0), ("jobs", jobs, 1)):
        if value < least:
            raise UsageError(f"the parameter {name!r} is {value}", expected=f"{least} or more")


class WithoutPairs:
    """The part of the protocol that clusterers share which compare no pairs of mentions."""

    __slots__ = ()

    @property
    def pair_model(self) -> None:
        """No pair model is used."""

    @property
    def minimum_similarity(self) -> None:
        """No similarities are used."""

    def links(self, evidence: Evidence, *, jobs: int = 1) -> None:
        """There are no links."""
