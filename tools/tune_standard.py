"""Measure the preset `standard` out of fold on ECB+, and on a corpus that it has not learned from.

The train and dev topics of cybulska are dealt to four folds, two of each half of the topics that the encoders were
tuned on. Trees of three folds score the pairs of the fourth, whose topics are clustered together; pairs of the other
corpus are scored by trees of all folds. Mentions are gold, arguments predicted. CoNLL F1 within documents and over
all documents; and how many coreferent pairs the blocking keeps.
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
from sklearn.metrics import average_precision_score
from tools.tune_light import conll

from samevent.clusterers import Evidence, clusterer
from samevent.corpus import Corpus, Document, Unit
from samevent.experiments.folds import Fold
from samevent.experiments.protocols import TASKS
from samevent.formats import read
from samevent.language.cache import Cache
from samevent.model import Model
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.preparation import PREDICTED_ARGUMENTS, Prepared
from samevent.similarity.bags import Background
from samevent.similarity.boosting import BoostingSettings, train_boosted
from samevent.similarity.pairs import LabelledMentions, Pairs
from samevent.training import PAIR_MODEL_SETTINGS, cross_fitted

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).parents[2] / "shared" / "data")
UNITS: tuple[Unit, ...] = ("document", "corpus")
FOLDS = 4
ROWS: Mapping[str, Mapping[str, Any]] = {
    "**standard**": {},
    "links from 0.4": {"minimum_similarity": 0.4},
    "links from 0.5": {"minimum_similarity": 0.5},
    "links from 0.6": {"minimum_similarity": 0.6},
    "links from 0.7": {"minimum_similarity": 0.7},
    "likelihood weight 0.1, λ = 1": {"likelihood_weight": 0.1},
    "likelihood weight 1, λ = 0.1": {"likelihood_weight": 1.0, "dirichlet": 0.1},
    "α_d = 0.5": {"alpha_within": 0.5},
    "another seed": {},
}
"""The rows: changes to the preset `standard`."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Parts to cluster with trees that have not seen them, and the average precision of their blocked pairs."""

    parts: list[Fold]
    precision: float


def without_chain_zero(document: Document) -> Document:
    """Drop the catch-all chain of the Gun Violence Corpus, which is no event."""
    return document.with_mentions(m for m in document.mentions if m.kind != "action" or m.event != "0")


def encoded(prepared: Prepared) -> LabelledMentions:
    """Return the labelled mentions with contextual vectors, if there is an encoder."""
    return replace(prepared.labelled, table=prepared.labelled.table.with_contextual(prepared.contextual()))


def blocked(data: LabelledMentions, settings: BoostingSettings) -> tuple[Pairs, float]:
    """Return the pairs that are scored, and the share of coreferent pairs among them."""
    pairs = Pairs.concatenate(settings.blocking.pairs(data.table))
    sizes = np.bincount(data.event)
    return pairs, float(data.same(pairs).sum() / (sizes * (sizes - 1) // 2).sum())


def folds(
    prepared: Prepared, settings: BoostingSettings, half_of: Mapping[str, int] | None
) -> Iterator[tuple[Fold, Pairs]]:
    """Yield the folds, with trees of the topics of the others and their blocked pairs."""
    topics = sorted({str(document.topic) for document in prepared.corpus}, key=int)
    fold_of = {topic: number % FOLDS for number, topic in enumerate(topics)}
    whole = encoded(prepared)
    for fold in range(FOLDS):
        learn = {topic for topic in topics if fold_of[topic] != fold}
        model = train_boosted(whole, learn=learn, settings=settings, half_of=half_of)
        inside = prepared.select(d for d in prepared.corpus if fold_of[str(d.topic)] == fold)
        yield _part(inside, model, settings)
        print(f"fold {fold + 1} of {FOLDS}", file=sys.stderr)


def _part(prepared: Prepared, model: Any, settings: BoostingSettings) -> tuple[Fold, Pairs]:
    data = encoded(prepared)
    evidence = Evidence(data.table, {"standard": model}, prepared.resources.lexicon)
    return Fold(prepared.corpus, data, evidence), blocked(replace(data, table=evidence.table), settings)[0]


def measured(parts: Sequence[tuple[Fold, Pairs]]) -> Measured:
    """Return the parts and the average precision of their pairs."""
    scores, same = [], []
    for fold, pairs in parts:
        model = fold.evidence.pair_model("standard")
        scores.append(model.probability(fold.evidence.table, pairs.i, pairs.j))
        same.append(fold.data.same(pairs))
    precision = average_precision_score(np.concatenate(same), np.concatenate(scores))
    return Measured([fold for fold, _ in parts], float(precision))


def prepare(
    ecb: Path, other: Path, encoders: Path | None
) -> tuple[Prepared, Prepared, Mapping[str, int] | None]:
    """Return ECB+, encoded by the encoders of both halves, the other corpus, and the half of each topic."""
    task, model = TASKS["cybulska"], Model.load(cache=Cache())
    gold = Corpus(task.gold_document(d) for d in read(ecb) if task.split.part_of(d) in ("train", "dev"))
    prepared = model.prepare(gold, extraction=PREDICTED_ARGUMENTS)
    unseen = model.prepare(Corpus(map(without_chain_zero, read(other))), extraction=PREDICTED_ARGUMENTS)
    if encoders is None:
        return replace(prepared, encode=None), replace(unseen, encode=None), None
    fitted = cross_fitted(encoders, gold, cache=Cache())
    return replace(prepared, encode=fitted.encode), unseen, fitted.half_of


def main() -> None:
    """Print one JSON object per row."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA / "ecbplus", help="the folder of ECB+")
    parser.add_argument("--other", type=Path, default=DATA / "gvc" / "dev.jsonl", help="another gold corpus")
    parser.add_argument("--encoders", type=Path, help="the work folder of `samevent train encoder`")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    settings = PAIR_MODEL_SETTINGS["standard"]
    assert isinstance(settings, BoostingSettings)
    prepared, unseen, half_of = prepare(options.data, options.other, options.encoders)
    whole = encoded(prepared)
    background: Background = whole.table.document_frequencies().without_rare(2)
    other = encoded(unseen)
    other = replace(other, table=other.table.with_background(background))
    for name, data in (("ECB+", whole), ("other", other)):
        pairs, recall = blocked(data, settings)
        print(json.dumps({"corpus": name, "candidates": len(pairs), "recall": round(recall, 4)}), flush=True)
    model = train_boosted(whole, settings=settings, half_of=half_of)
    corpora = {
        "ECB+ out of fold": measured(list(folds(prepared, settings, half_of))),
        "other": measured([_part(unseen, model, settings)]),
    }
    for name, corpus in corpora.items():
        print(json.dumps({"corpus": name, "average_precision": round(corpus.precision, 4)}), flush=True)
    for row, changes in ROWS.items():
        system, seed = clusterer("hddcrp", changes, preset="standard"), int("another seed" in row)
        scores = {}
        for name, corpus in corpora.items():
            answers = [system.cluster(part.evidence, seed=seed).clustering for part in corpus.parts]
            scores[name] = {unit: round(100 * conll(corpus.parts, answers, unit), 1) for unit in UNITS}
        print(json.dumps({"row": row, "changes": dict(changes), **scores}), flush=True)


if __name__ == "__main__":
    main()
