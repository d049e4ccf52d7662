"""Show what the preset `light` is made of: scores out of fold, over the train and dev topics of yang2015.

Folds are made of topics. Pair models learn from four folds, and the topics of the fifth are clustered together, so that
events joined across topics cost what they should. Mentions are given, arguments predicted. CoNLL F1 within documents,
across documents of a sub-topic, and over all documents of a fold at once; sums of all folds are added up.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from samevent.clusterers import Evidence, clusterer
from samevent.corpus import Clustering, Corpus, Unit
from samevent.experiments.protocols import load_split
from samevent.extraction import load_extractor
from samevent.formats import read
from samevent.language.annotate import annotate
from samevent.language.cache import Cache
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.scoring.pairing import pair
from samevent.scoring.scores import f1_of, tallies
from samevent.similarity.mentions import Annotated
from samevent.similarity.pairs import label_mentions
from samevent.similarity.training import LIGHT, PairTrainingSettings, train
from samevent.training import given_events, predicted_arguments

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "ecbplus"
FOLDS = 5
UNITS: tuple[Unit, ...] = ("document", "subtopic", "corpus")
TRAINING = {"paper": PairTrainingSettings(penalties=(0.001,), folds=2), "light": replace(LIGHT, folds=2)}
"""The strength of the paper's model is the one that its own choice ends with; here nothing is chosen."""

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
}
"""What is tried: a clusterer, and what is changed in the preset `light`."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Documents with their events, and what pair models say of them that have not seen their topics."""

    gold: Corpus
    evidence: Evidence


def documents(data: Path) -> list[Annotated]:
    """Return the train and dev documents with given events and predicted arguments."""
    split, extractor = load_split("yang2015"), load_extractor()
    chosen = [given_events(d) for d in read(data) if split.part_of(d) in ("train", "dev")]
    add = predicted_arguments(extractor)
    return [
        (add(document, annotation), annotation) for document, annotation in annotate(chosen, cache=Cache())
    ]


def folds(annotated: Sequence[Annotated]) -> Iterator[Fold]:
    """Leave out one fold after the other."""
    words = load_extractor().resources
    topics = sorted({str(document.topic) for document, _ in annotated})
    for number in range(FOLDS):
        left_out = set(topics[number::FOLDS])
        inside = [each for each in annotated if each[0].topic in left_out]
        outside = [each for each in annotated if each[0].topic not in left_out]
        data = label_mentions(outside, lexicon=words.lexicon, vectors=words.vectors)
        models = {name: train(data, settings=settings).model for name, settings in TRAINING.items()}
        table = label_mentions(inside, lexicon=words.lexicon, vectors=words.vectors).table
        print(f"fold {number + 1} of {FOLDS}: {len(table):,} mentions", file=sys.stderr)
        yield Fold(Corpus(document for document, _ in inside), Evidence(table, models, words.lexicon))


def conll(parts: Sequence[Fold], answers: Sequence[Clustering], unit: Unit) -> float:
    """Return the CoNLL score of all folds together."""
    found = [tallies(pair(part.gold, answer, unit=unit)) for part, answer in zip(parts, answers, strict=True)]
    sums = {name: np.sum([tally[name].sum(axis=0) for tally in found], axis=0) for name in found[0]}
    return float(f1_of(sums)["conll"])


def main() -> None:
    """Print a JSON object a row, or a table in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of ECB+")
    parser.add_argument("--json", action="store_true", help="a JSON object a row instead of a table")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    parts = list(folds(documents(options.data)))
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
