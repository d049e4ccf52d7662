"""What to measure, and the running of it: all systems of a plan on one set of mentions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samevent.clusterers import CLUSTERERS, Clusterer, Evidence, clusterer
from samevent.clusterers.reading import read_evidence
from samevent.corpus import Corpus
from samevent.errors import UsageError
from samevent.experiments.ecbplus.cells import Cell, run_cell
from samevent.experiments.ecbplus.mentions import MentionSet, mention_set
from samevent.experiments.ecbplus.models import trained_model
from samevent.experiments.ecbplus.tasks import GOLD, Task
from samevent.experiments.protocols import Part
from samevent.experiments.work import Work, digest_of_files
from samevent.language.cache import Cache
from samevent.language.resources import resources
from samevent.scoring import Filter

SYSTEMS = ("lemma", "hdp-lex", "agglomerative", "ddcrp", "hddcrp-star", "hddcrp")
"""The paper's six, in its order."""
SISTERS = tuple(name for name in CLUSTERERS if name.startswith("hdp-") and name not in SYSTEMS)
"""The HDPs that the paper tried too, and mentions in a footnote."""
FOOTNOTE: Mapping[str, Any] = {"runs": 2, "sweeps": 100}
"""How the sisters run unless they are asked for by name: on gold mentions, long enough for a footnote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure; without `mentions`, `filters` or `clusterers`, all that the protocol asks for.

    Without a `model` one is trained. `changes` are settings of samplers, such as `runs`.
    """

    task: Task
    part: Part = "test"
    mentions: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    clusterers: tuple[str, ...] = ()
    preset: str = "paper"
    model: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def systems(self, given: MentionSet) -> dict[str, Clusterer]:
        """Return the systems for some mentions, with their settings."""
        if self.clusterers:
            return {name: self._configured(name) for name in self.clusterers}
        found = {name: self._configured(name) for name in SYSTEMS}
        sisters = SISTERS if given.name == GOLD else ()
        return found | {name: self._configured(name, FOOTNOTE) for name in sisters}

    def filters_of(self, given: MentionSet) -> tuple[Filter, ...]:
        """Return how a set of mentions is filtered before it is scored; gold mentions all pass."""
        return ("none",) if given.name == GOLD else self.filters or self.task.filters

    def documents(self, corpus: Corpus) -> Corpus:
        """Return what is measured on."""
        documents = self.task.split.select(corpus, self.part)
        if not len(documents):
            raise UsageError(
                f"there are no documents of the {self.part} topics of {self.task.split_name} in the corpus"
            )
        return documents

    def model_folder(self, corpus: Corpus, work: Work) -> Path:
        """Return the model that was named, or train one."""
        return resources(self.model).folder if self.model else trained_model(self.task, corpus, work)

    def _configured(self, name: str, changes: Mapping[str, Any] | None = None) -> Clusterer:
        sampled = name in CLUSTERERS and CLUSTERERS[name].sampled
        return clusterer(name, {**(changes or {}), **self.changes} if sampled else {}, preset=self.preset)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """All systems on one set of mentions."""

    given: MentionSet
    evidence: Evidence
    systems: Mapping[str, Clusterer]
    cells: Mapping[str, Cell]


def run_systems(name: str, documents: Corpus, plan: Plan, model: Path, work: Work) -> Answers:
    """Give the mentions of a name to all systems; they share one search for similar mentions."""
    given = mention_set(name, plan.task, documents, model, work)
    with work.watch(f"reading {given.name} mentions", len(documents)) as done:
        evidence = read_evidence(
            given.documents,
            resources(model),
            jobs=work.jobs,
            cache=Cache(),
            progress=done,
            tell=work.tell,
        )
    systems = plan.systems(given)
    depends_on = f"{given.digest} {digest_of_files(model.iterdir())}"
    cells = {
        name: run_cell(name, system, evidence, depends_on=depends_on, seed=plan.seed, work=work)
        for name, system in systems.items()
    }
    return Answers(given, evidence, systems, cells)
