"""What every clusterer is given, what it gives back, and the protocol between the two."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Clustering
from samevent.errors import CorpusError, UsageError
from samevent.hddcrp.result import ComponentPosterior
from samevent.language.lexicon.base import Lexicon
from samevent.partitions.labels import canonical
from samevent.similarity.affinities import Links, Settings, scored
from samevent.similarity.candidates import candidates, gate_between
from samevent.similarity.documents import topical_documents
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel

Labels = NDArray[np.int32]
Floats = NDArray[np.float64]
Need = Literal["arguments", "similarity"]
"""What a clusterer may look at beyond the words of a mention: its arguments, the pair model."""
Similarity = Literal["light", "paper"]
"""The pair models of a model's folder."""

Progress = Callable[[int, int], None]
"""Told how much is done, and how much there is at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The event mentions of a corpus and what can be asked about them.

    `models` are pair models by name; `model` is the one for names that are not there. Documents are compared against
    the background of whichever model has one. Links are found when they are first asked for and kept, so that several
    clusterers can share one search.
    """

    table: MentionTable
    model: PairModel | None = None
    lexicon: Lexicon | None = None
    models: Mapping[str, PairModel] = field(default_factory=dict)
    _links: dict[tuple[int, float, float], Links] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for model in (self.model, *self.models.values()):
            if model and model.background.documents:
                object.__setattr__(self, "table", self.table.against(model.background))
                return

    def __len__(self) -> int:
        return len(self.table)

    def links(
        self,
        minimum_similarity: float,
        *,
        document_gate: float = 0.0,
        similarity: Similarity = "light",
        jobs: int = 1,
    ) -> Links:
        """Return all pairs of mentions at least so similar, each once, with their f.

        With a `document_gate`, of pairs across documents only those whose documents are that much about the same.
        """
        model = self.models.get(similarity, self.model)
        if model is None:
            raise UsageError(
                "similarities were asked for without a pair model",
                hint="give a model's folder that has one (samevent train similarity), or choose lemma or hdp-lex",
            )
        key = id(model), minimum_similarity, document_gate
        if key not in self._links:
            settings = Settings(minimum_similarity=minimum_similarity)
            gate = (
                gate_between(self.table, *topical_documents(self.table, document_gate))
                if document_gate
                else None
            )
            found = candidates(self.table, model, settings.least_score, gate=gate, jobs=jobs)
            self._links[key] = scored(self.table, model, found, settings)
        return self._links[key]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Clustered:
    """Which mentions tell of the same event, and how sure that is.

    `labels` is the answer, for the rows of the table in their order, with events numbered by their first mention.
    Rows of `samples` are partitions that a sampler drew (one for each run if the answer is the last of a run), or
    the answer itself where nothing is random; `verdict` says in words how far to trust them. `traces` have a row a
    run and a column a sweep. `posterior` is all that is known of models whose posterior falls into parts.
    """

    ids: tuple[str, ...]
    labels: Labels
    samples: Labels
    verdict: str = ""
    traces: Mapping[str, Floats] = field(default_factory=dict)
    posterior: ComponentPosterior | None = None
    _rows: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", {mention: row for row, mention in enumerate(self.ids)})

    @property
    def clustering(self) -> Clustering:
        """The answer as a partition of mention ids."""
        return Clustering.from_labels(dict(zip(self.ids, self.labels.tolist(), strict=True)))

    @property
    def sampled(self) -> tuple[Clustering, ...]:
        """The samples as partitions of mention ids."""
        rows = self.samples.tolist()
        return tuple(Clustering.from_labels(dict(zip(self.ids, row, strict=True))) for row in rows)

    def probability(self, a: str, b: str) -> float:
        """Return P(same event) of two mentions: exact where the posterior knows it, else the share of samples."""
        for mention in (a, b):
            if mention not in self._rows:
                raise CorpusError(f"there is no event mention {mention!r} among those that were clustered")
        i, j = self._rows[a], self._rows[b]
        if self.posterior is not None:
            return self.posterior.probability(i, j)
        return float((self.samples[:, i] == self.samples[:, j]).mean())


class Clusterer(Protocol):
    """A frozen dataclass whose fields are its settings."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def needs(self) -> frozenset[Need]:
        """What it looks at beyond the words of a mention."""

    def cluster(
        self,
        evidence: Evidence,
        *,
        seed: int = 0,
        jobs: int = 1,
        progress: Progress | None = None,
        checkpoint: Path | None = None,
    ) -> Clustered:
        """Say which mentions tell of the same event.

        The answer depends on evidence, settings and seed alone: not on `jobs` (threads), nor on the order in which
        documents were given. With a `checkpoint`, a run that was interrupted goes on where it was.
        """


class Rule(ABC):
    """A clusterer without chance: a rule that labels mentions, at once."""

    __slots__ = ()

    @abstractmethod
    def labels(self, evidence: Evidence) -> NDArray[np.integer]:
        """Return a label for each mention."""

    def cluster(self, evidence: Evidence, **_: Any) -> Clustered:
        """Say which mentions the rule gives the same label."""
        labels = canonical(self.labels(evidence)).astype(np.int32)
        return Clustered(ids=evidence.table.ids, labels=labels, samples=labels[np.newaxis])
