"""Coreference measured on ECB+: all systems of the paper, each on the same mentions, under one of the protocols.

A `Plan` says what to measure. Its systems run on each set of mentions (`mention_sets`), each answer is kept on disk
(`cells`) and scored with intervals and paired tests (`scores`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.clusterers import CLUSTERERS, Clusterer, Evidence, clusterer
from samevent.corpus import Clustering, Corpus, Unit
from samevent.errors import UsageError
from samevent.experiments.cells import Cell, run_cell
from samevent.experiments.mention_sets import MentionSet, mention_set
from samevent.experiments.paper import paper_figures
from samevent.experiments.protocols import GOLD, Part, Task
from samevent.experiments.scores import Scored, scored
from samevent.experiments.work import Work, corpus_digest, files_digest, folder_digest, provenance
from samevent.extraction import CONTEXTUAL_FILE, EXTRACTOR_FILE
from samevent.grounding.entity_model import ENTITIES_FILE
from samevent.language.annotate import Annotator
from samevent.language.cache import Cache
from samevent.language.resources import DEFAULT, MANIFEST_FILE, resources
from samevent.model import Model
from samevent.scoring import Filter, Pairing, Singletons, pair
from samevent.similarity.model import PAIR_MODEL_FILES
from samevent.training import Source, train_model

TRAINED_FILES = (EXTRACTOR_FILE, CONTEXTUAL_FILE, ENTITIES_FILE, *PAIR_MODEL_FILES.values(), MANIFEST_FILE)
"""The files of a model's folder that training writes."""
WITHOUT_ENCODER = ("paper", "paper-code", "light")
"""The pair models of a model that is trained on the way: the shipped encoder has read all of ECB+."""
SYSTEMS = ("lemma", "hdp-lex", "agglomerative", "ddcrp", "hddcrp-star", "hddcrp")
"""The paper's six, in its order."""
HDP_VARIANTS = tuple(name for name in CLUSTERERS if name.startswith("hdp-") and name not in SYSTEMS)
"""The HDPs that the paper also tried, and mentions in a footnote."""
QUICK_RUN: Mapping[str, Any] = {"runs": 2, "sweeps": 60}
"""How these run unless they are asked for by name: short."""
BASELINES = ("lemma", "agglomerative")
"""All other systems are tested against these."""
PROPOSED = ("hddcrp", "hddcrp-star")
"""What the paper proposes: tested against all of its systems."""
_TRACED = 40
"""About how many sweeps of a trace are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure; without `mentions`, `filters` or `clusterers`, everything that the protocol asks for.

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

    @property
    def systems(self) -> dict[str, Clusterer]:
        """The systems, with their settings."""
        if self.clusterers:
            return {name: self._configured(name) for name in self.clusterers}
        systems = {name: self._configured(name) for name in SYSTEMS}
        return systems | {name: self._configured(name, QUICK_RUN) for name in HDP_VARIANTS}

    def filters_of(self, given: MentionSet) -> tuple[Filter, ...]:
        """Return how a set of mentions is filtered before it is scored; gold mentions all pass."""
        return ("none",) if given.name == GOLD else self.filters or self.task.filters

    def documents(self, corpus: Corpus) -> Corpus:
        """Return the documents to measure on."""
        documents = self.task.split.select(corpus, self.part)
        if not len(documents):
            raise UsageError(
                f"there are no documents of the {self.part} topics of {self.task.split_name} in the corpus"
            )
        return documents

    @property
    def named_model(self) -> str:
        """The name of the model, as results state it."""
        return (
            Path(self.model).name if self.model else f"trained on the train topics of {self.task.split_name}"
        )

    def load_model(self, corpus: Corpus, work: Work) -> Model:
        """Return the model that was named, or train one."""
        folder = self.model or trained_model(self.task, corpus, work)
        return Model.load(folder, cache=Cache())

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


def trained_model(task: Task, corpus: Corpus, work: Work) -> Path:
    """Train on the train topics of a task's split; its dev topics help to choose thresholds and penalties.

    The folder is named after all that training depends on: the documents with topics and sentences, the mentions
    that count, lexicon, vectors and roles, the parser, and the code of this package.
    """
    base, split = resources(DEFAULT), task.split
    train, dev = (split.select(corpus, part) for part in ("train", "dev"))
    untrained = [path for path in base.folder.iterdir() if path.name not in TRAINED_FILES]
    folder = work.path_for(
        "model",
        split.name,
        *(repr(document) for document in (*train, *dev)),
        corpus_digest(task.gold(Corpus((*train, *dev)))),
        files_digest(untrained),
        repr(Annotator().identity()),
    )
    if work.is_done(folder):
        return folder
    work.log(f"training on the {len(train)} documents of {split.name}'s train topics")
    train_model(
        train,
        folder,
        base,
        beside=dev,
        pair_models=WITHOUT_ENCODER,
        source=Source(f"ECB+, train topics of {split.name}"),
        jobs=work.jobs,
        cache=Cache(),
        overwrite=True,
        progress=work.log,
    )
    return folder


def run_systems(name: str, documents: Corpus, plan: Plan, model: Model, work: Work) -> Answers:
    """Run all systems on the mentions of a name; they share one search for similar mentions."""
    given = mention_set(name, plan.task, documents, model, work, preset=plan.preset)
    systems, evidence = plan.systems, given.prepared.evidence
    depends_on = f"{given.digest} {folder_digest(model.resources.folder)}"
    cells = {
        name: run_cell(name, system, evidence, depends_on=depends_on, seed=plan.seed, work=work)
        for name, system in systems.items()
    }
    return Answers(given, evidence, systems, cells)


def measure_ecbplus(corpus: Corpus, plan: Plan, work: Work) -> dict[str, Any]:
    """Run the systems of a plan on ECB+ and score them; what finishes is kept in the work folder."""
    documents, model = plan.documents(corpus), plan.load_model(corpus, work)
    sets, rows, notes = [], [], []
    settings: dict[str, str] = {}
    traces: dict[str, Any] = {}
    for name in plan.mentions or plan.task.mentions:
        answers = run_systems(name, documents, plan, model, work)
        given, systems = answers.given, answers.systems
        for filter in plan.filters_of(given):
            about, scores = _scores(plan, answers, filter)
            sets.append(about)
            rows += scores
        settings |= {name: repr(system) for name, system in systems.items()}
        traces[given.name] = {name: _thinned(cell) for name, cell in answers.cells.items() if cell.traces}
        notes += [] if plan.clusterers else [_note(answers)]
    return {
        "protocol": plan.task.name,
        "part": plan.part,
        "preset": plan.preset,
        "model": plan.named_model,
        **provenance(plan.seed, settings),
        "seconds": round(sum({(r["mentions"], r["clusterer"]): r["seconds"] for r in rows}.values()), 1),
        "mention_sets": sets,
        "rows": rows,
        "traces": traces,
        "notes": notes,
    }


def _scores(plan: Plan, answers: Answers, filter: Filter) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Describe the mentions that pass a filter, and score all systems on them, level by level."""
    given, task = answers.given, plan.task
    kept = given.kept(filter)
    comparable = task.name == "yang2015" and (given.name == GOLD or filter != "none")
    ideal, clusterings = given.ceiling(kept), {name: c.clusterings for name, c in answers.cells.items()}
    ceiling, rows = {}, []
    for unit, singletons in ((unit, singletons) for singletons in task.singletons for unit in task.units):
        best, *found = (
            scored(pairings_of(answer, given.gold, kept, unit, singletons), seed=plan.seed)
            for answer in ((ideal,), *clusterings.values())
        )
        ceiling[f"{unit} {singletons}"] = best.conll
        by_name = dict(zip(clusterings, found, strict=True))
        rows += [
            {
                "clusterer": name,
                "preset": plan.preset,
                "mentions": given.name,
                "filter": filter,
                "unit": unit,
                "singletons": singletons,
                **result.to_json(),
                "differences": _differences(name, by_name),
                "paper": paper_figures(unit, name) if comparable else None,
                "seconds": answers.cells[name].seconds,
                "verdict": answers.cells[name].verdict,
            }
            for name, result in by_name.items()
        ]
    about = {"mentions": given.name, "filter": filter, **given.counts(kept), "ceiling": ceiling}
    return about | {"components": _components(answers)}, rows


def pairings_of(
    answers: Sequence[Clustering], gold: Corpus, kept: Corpus, unit: Unit, singletons: Singletons
) -> list[Pairing]:
    """Pair answers with gold events; an answer may cover more mentions than are kept."""
    return [pair(gold, kept.with_clustering(answer), unit=unit, singletons=singletons) for answer in answers]


def _note(answers: Answers) -> str:
    """Return a remark on the other HDPs of the paper."""
    runs, sweeps = answers.cells[HDP_VARIANTS[0]].traces["events"].shape
    return f"{answers.given.name}: {', '.join(HDP_VARIANTS)} ran only {runs} x {sweeps} sweeps"


def _differences(name: str, found: Mapping[str, Scored]) -> dict[str, Any]:
    others = SYSTEMS if name in PROPOSED else BASELINES
    return {other: found[name].minus(found[other]) for other in others if other in found and other != name}


def _thinned(cell: Cell) -> dict[str, Any]:
    """Return the traces of a cell at some sweeps, denser at the start, where most happens."""
    length = next(iter(cell.traces.values())).shape[1]
    sweeps = np.unique(np.geomspace(1, length, _TRACED).round().astype(int))
    series = {name: values[:, sweeps - 1].round(1).tolist() for name, values in cell.traces.items()}
    return {"sweeps": sweeps.tolist(), **series}


def _components(answers: Answers) -> dict[str, int]:
    system = answers.systems.get("hddcrp")
    return component_sizes(answers.evidence, system) if system else {}


def component_sizes(evidence: Evidence, system: Clusterer) -> dict[str, int]:
    """Count the connected components of a system's links by size: 1, 2 to 3, 4 to 7, and so on."""
    links = system.links(evidence)
    if links is None:
        return {}
    pairs = links.pairs
    graph = coo_array((np.ones(len(pairs)), (pairs.i, pairs.j)), shape=(len(evidence),) * 2)
    sizes = np.bincount(connected_components(graph, directed=False)[1])
    powers, counts = np.unique(np.log2(sizes).astype(int), return_counts=True)
    return {str(2**power): count for power, count in zip(powers.tolist(), counts.tolist(), strict=True)}
