"""Measure whether chains of the HDP family end in the same place wherever they start: `docs/results/chain-starts.json`.

    python -m tools.chain_starts MODEL --clusterers hdp-lex --mentions predicted --runs 2 --sweeps 500

MODEL is a model of the train topics of `yang2015`; its test topics are clustered, of which no event is looked at. As
many chains start from one event for each mention as from one for each head lemma. R-hat is that of all of them
together, over the second halves. What finishes is kept in the work folder, and rows of the same clusterer and mentions
are replaced.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import Evidence, clusterer
from samevent.clusterers.hdp import Hdp, Start
from samevent.experiments.cells import run_cell
from samevent.experiments.ecbplus import Plan
from samevent.experiments.mention_sets import mention_set
from samevent.experiments.protocols import TASKS
from samevent.experiments.work import Work, folder_digest, provenance
from samevent.formats import read
from samevent.partitions.diagnostics import split_rhat

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SAMEVENT_DATA") or ROOT.parent / "shared" / "data")
TARGET = ROOT / "docs" / "results" / "chain-starts.json"

Traces = Mapping[str, Mapping[str, NDArray[Any]]]


def described(traces: Traces) -> dict[str, Any]:
    """Return what second halves of chains say, by start and all together; `traces` are by start and name.

    `rise` is the change of a start's mean log joint from the third quarter of the sweeps to the last.
    """
    halves = {
        start: {name: values[:, values.shape[1] // 2 :] for name, values in each.items()}
        for start, each in traces.items()
    }
    names = next(iter(halves.values())).keys()
    return {
        "starts": {
            start: {name: values.mean(axis=1).round(1).tolist() for name, values in each.items()}
            | {"rise": round(_rise(each["log joint"]), 1)}
            for start, each in halves.items()
        },
        "rhat": {
            name: round(split_rhat(np.concatenate([each[name] for each in halves.values()])), 3)
            for name in names
        },
    }


def _rise(half: NDArray[Any]) -> float:
    middle = half.shape[1] // 2
    return float(half[:, middle:].mean() - half[:, :middle].mean())


def measured(
    name: str, mentions: str, evidence: Evidence, *, runs: int, sweeps: int, depends_on: str, work: Work
) -> dict[str, Any]:
    """Run chains from both starts, and compare them."""
    system = clusterer(name, {"runs": runs, "sweeps": sweeps}, preset="paper")
    if not isinstance(system, Hdp):
        raise SystemExit(f"{name} has no start to choose")
    cells = {
        start: run_cell(
            name, replace(system, start=start), evidence, depends_on=depends_on, seed=0, work=work
        )
        for start in get_args(Start)
    }
    return {
        "clusterer": name,
        "mentions": mentions,
        "given": len(evidence),
        "runs": runs,
        "sweeps": sweeps,
        **described({start: cell.traces for start, cell in cells.items()}),
        "seconds": round(sum(cell.seconds for cell in cells.values()), 1),
        **provenance(0, {name: repr(system)}),
    }


def main() -> None:
    """Measure, and put the rows into the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--clusterers", default="hdp-lex")
    parser.add_argument("--mentions", default="predicted")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--sweeps", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--work", type=Path, default=ROOT / "chain-starts.work")
    options = parser.parse_args()
    work = Work(folder=options.work, resume=True, jobs=options.jobs, log=print)
    corpus, plan = read(DATA / "ecbplus", format="ecbplus"), Plan(task=TASKS["yang2015"], model=options.model)
    model = plan.load_model(corpus, work)
    given = mention_set(options.mentions, plan.task, plan.documents(corpus), model, work, preset="paper")
    stored = json.loads(TARGET.read_text("utf-8"))["chain_starts"] if TARGET.exists() else []
    for name in options.clusterers.split(","):
        row = measured(
            name, given.name, given.prepared.evidence, runs=options.runs, sweeps=options.sweeps,
            depends_on=f"{given.digest} {folder_digest(model.resources.folder)}", work=work,
        )  # fmt: skip
        others = [r for r in stored if (r["clusterer"], r["mentions"]) != (name, given.name)]
        stored = sorted([*others, row], key=lambda r: (r["mentions"], r["clusterer"]))
        TARGET.write_text(json.dumps({"chain_starts": stored}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
