"""The whole table: every system on every set of mentions, scored at every level of a protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.clusterers import Clusterer, Evidence
from samevent.corpus import Clustering, Corpus, Unit
from samevent.experiments.ecbplus.cells import Cell
from samevent.experiments.ecbplus.plan import FOOTNOTE, SISTERS, Answers, Plan, run_systems
from samevent.experiments.ecbplus.rows import Scored, scored
from samevent.experiments.ecbplus.tasks import GOLD
from samevent.experiments.paper import paper_figures
from samevent.experiments.work import Work, provenance
from samevent.scoring import Filter, Pairing, Singletons, pair

BASELINES = ("lemma", "agglomerative")
"""What all others are tested against."""
_TRACED = 40
"""About so many sweeps of a trace are kept."""


def measure_ecbplus(corpus: Corpus, plan: Plan, work: Work) -> dict[str, Any]:
    """Run the systems of a plan on ECB+ and score them; what finishes is kept in the work folder."""
    documents, model = plan.documents(corpus), plan.model_folder(corpus, work)
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
        "model": plan.model or f"trained on the train topics of {plan.task.split_name}",
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
            scored(_pairings(answer, given.gold, kept, unit, singletons), seed=plan.seed)
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


def _pairings(
    answers: Sequence[Clustering], gold: Corpus, kept: Corpus, unit: Unit, singletons: Singletons
) -> list[Pairing]:
    """Pair answers with gold events; an answer may be about more mentions than are kept."""
    return [pair(gold, kept.with_clustering(answer), unit=unit, singletons=singletons) for answer in answers]


def _note(answers: Answers) -> str:
    """Say how the sisters of hdp-lex were treated."""
    name, names = answers.given.name, ", ".join(SISTERS)
    if set(SISTERS) <= set(answers.systems):
        return f"{name}: for a footnote, {names} ran {FOOTNOTE['runs']} x {FOOTNOTE['sweeps']} sweeps"
    return f"{name}: {names} are left out, too slow for {len(answers.evidence):,} mentions"


def _differences(name: str, found: Mapping[str, Scored]) -> dict[str, Any]:
    return {other: found[name].minus(found[other]) for other in BASELINES if other in found and other != name}


def _thinned(cell: Cell) -> dict[str, Any]:
    """Return the traces of a cell at some sweeps, more of the first ones, where most happens."""
    length = next(iter(cell.traces.values())).shape[1]
    sweeps = np.unique(np.geomspace(1, length, _TRACED).round().astype(int))
    series = {name: values[:, sweeps - 1].round(1).tolist() for name, values in cell.traces.items()}
    return {"sweeps": sweeps.tolist(), **series}


def _components(answers: Answers) -> dict[str, int]:
    system = answers.systems.get("hddcrp")
    return component_sizes(answers.evidence, system) if system else {}


def component_sizes(evidence: Evidence, system: Clusterer) -> dict[str, int]:
    """Count the groups of mentions that a system's links connect, by size: alone, 2 or 3, 4 to 7, and so on."""
    links = system.links(evidence)
    if links is None:
        return {}
    pairs = links.pairs
    graph = coo_array((np.ones(len(pairs)), (pairs.i, pairs.j)), shape=(len(evidence),) * 2)
    sizes = np.bincount(connected_components(graph, directed=False)[1])
    powers, counts = np.unique(np.log2(sizes).astype(int), return_counts=True)
    return {str(2**power): count for power, count in zip(powers.tolist(), counts.tolist(), strict=True)}
