"""Measure the ingredients of the preset `light` out of fold, over the train and dev topics of yang2015.

Pair models are trained on four folds of topics, and the topics of the fifth are clustered together, so that events
merged across topics cost what they should. Mentions are gold, arguments predicted. CoNLL F1 within documents, across
documents of a sub-topic, and over all documents of a fold; numerators and denominators are summed over folds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from samevent.clusterers import clusterer
from samevent.corpus import Clustering, Corpus, Unit
from samevent.experiments.folds import Fold, held_out
from samevent.experiments.protocols import load_split
from samevent.formats import read
from samevent.language.cache import Cache
from samevent.model import Model
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.preparation import PREDICTED_ARGUMENTS
from samevent.scoring.pairing import pair
from samevent.scoring.scores import f1_of, tallies
from samevent.similarity.training import LIGHT, PairTrainingSettings
from samevent.training import linked_events

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "ecbplus"
UNITS: tuple[Unit, ...] = ("document", "subtopic", "corpus")
TRAINING = {"paper": PairTrainingSettings(penalties=(0.001,), folds=2), "light": replace(LIGHT, folds=2)}
"""One penalty for each pair model, that which its own training chooses."""

_PAPER = {"pair_model": "paper", "minimum_similarity": 0.5, "document_gate": 0.0, "dirichlet": 1e-7}
ROWS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "lemma": ("lemma", {}),
    "paper's pair model and settings": ("hddcrp", _PAPER),
    "with λ = 0.1": ("hddcrp", {**_PAPER, "dirichlet": 0.1}),
    "and links from 0.25": ("hddcrp", {**_PAPER, "dirichlet": 0.1, "minimum_similarity": 0.25}),
    "and the gate": (
        "hddcrp",
        {**_PAPER, "dirichlet": 0.1, "minimum_similarity": 0.25, "document_gate": 0.15},
    ),
    "**light** (and its pair model)": ("hddcrp", {}),
    "light without the gate": ("hddcrp", {"document_gate": 0.0}),
    "light, gate 0.1": ("hddcrp", {"document_gate": 0.1}),
    "light, gate 0.2": ("hddcrp", {"document_gate": 0.2}),
    "light, links from 0.15": ("hddcrp", {"minimum_similarity": 0.15}),
    "light, links from 0.35": ("hddcrp", {"minimum_similarity": 0.35}),
    "light, links from 0.5": ("hddcrp", {"minimum_similarity": 0.5}),
    "light, λ = 1e-7": ("hddcrp", {"dirichlet": 1e-7}),
    "light, λ = 0.01": ("hddcrp", {"dirichlet": 0.01}),
    "light, λ = 1": ("hddcrp", {"dirichlet": 1.0}),
    "light, another seed": ("hddcrp", {}),
    "ddcrp, light": ("ddcrp", {}),
    "agglomerative, light": ("agglomerative", {}),
}
"""The rows: a clusterer, and the changes to the preset `light`."""

GRID = tuple(k / 20 for k in range(4, 19))
_NO_LINKS = 0.999
"""A threshold that hardly any pair reaches."""


def folds(data: Path) -> list[Fold]:
    """Return the folds of the train and dev topics, with gold events and predicted arguments."""
    split = load_split("yang2015")
    corpus = Corpus(linked_events(d) for d in read(data) if split.part_of(d) in ("train", "dev"))
    prepared = Model.load(cache=Cache()).prepare(corpus, extraction=PREDICTED_ARGUMENTS)
    parts = []
    for part in held_out(prepared, TRAINING):
        parts.append(part)
        print(f"fold {len(parts)}: {len(part.evidence):,} mentions", file=sys.stderr)
    return parts


def conll(parts: Sequence[Fold], answers: Sequence[Clustering], unit: Unit) -> float:
    """Return the CoNLL score of all folds together."""
    by_fold = [
        tallies(pair(part.gold, answer, unit=unit)) for part, answer in zip(parts, answers, strict=True)
    ]
    sums = {name: np.sum([tally[name].sum(axis=0) for tally in by_fold], axis=0) for name in by_fold[0]}
    return float(f1_of(sums)["conll"])


def thresholds(parts: Sequence[Fold], grid: Sequence[float] = GRID) -> dict[str, dict[float, float]]:
    """Return the CoNLL score of each threshold of AGGLOMERATIVE under `light`.

    Those within documents are scored by document. Those across documents are combined with the best of these, and
    scored on whole folds, so that a link between two topics counts as the mistake it is.
    """

    def scores(settings: Mapping[float, Mapping[str, float]], unit: Unit) -> dict[float, float]:
        systems = {threshold: clusterer("agglomerative", changes) for threshold, changes in settings.items()}
        return {
            threshold: conll(parts, [system.cluster(part.evidence).clustering for part in parts], unit)
            for threshold, system in systems.items()
        }

    within = scores({t: {"within": t, "across": _NO_LINKS} for t in grid}, "document")
    across = scores({t: {"within": best(within), "across": t} for t in grid}, "corpus")
    return {"within": within, "across": across}


def best(scores: Mapping[float, float]) -> float:
    """Return the threshold with the highest score, the higher threshold among equals.

    >>> best({0.2: 0.5, 0.3: 0.6, 0.4: 0.6})
    0.4
    """
    return max(scores, key=lambda threshold: (scores[threshold], threshold))


def main() -> None:
    """Print one JSON object per row, or a table in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of ECB+")
    parser.add_argument("--json", action="store_true", help="one JSON object per row instead of a table")
    parser.add_argument(
        "--thresholds", action="store_true", help="choose the thresholds of agglomerative instead"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    parts = folds(options.data)
    if options.thresholds:
        scores_of = thresholds(parts)
        chosen = {phase: best(scores) for phase, scores in scores_of.items()}
        print(json.dumps({"chosen": chosen, "conll": scores_of}, indent=1))
        return
    if not options.json:
        print("| out of fold, CoNLL F1 | WD | CD | corpus |\n|---|---|---|---|")
    for row, (name, changes) in ROWS.items():
        system, seed = clusterer(name, changes), int("another seed" in row)
        answers = [system.cluster(part.evidence, seed=seed).clustering for part in parts]
        scores = {unit: conll(parts, answers, unit) for unit in UNITS}
        if options.json:
            print(json.dumps({"row": row, "clusterer": name, "changes": dict(changes), **scores}), flush=True)
        else:
            print(
                f"| {row} | " + " | ".join(f"{100 * scores[unit]:.1f}" for unit in UNITS) + " |", flush=True
            )


if __name__ == "__main__":
    main()
