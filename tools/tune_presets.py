"""Measure a preset of boosted trees out of fold on ECB+, and on a corpus that it has not learned from.

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

from samevent.clusterers import Evidence, clusterer
from samevent.corpus import Clustering, Corpus, Document, Unit
from samevent.experiments.folds import Fold
from samevent.experiments.protocols import TASKS
from samevent.formats import read
from samevent.language.cache import Cache
from samevent.model import Model
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.preparation import PREDICTED_ARGUMENTS, Prepared
from samevent.scoring.pairing import pair
from samevent.scoring.scores import f1_of, tallies
from samevent.similarity.bags import Background
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.boosting import BoostingSettings, train_boosted, training_pairs
from samevent.similarity.pairs import LabelledMentions, Pairs
from samevent.training import PAIR_MODEL_SETTINGS, averaged_encoders, cross_fitted

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).parents[2] / "shared" / "data")
UNITS: tuple[Unit, ...] = ("document", "corpus")
FOLDS = 4
_ONE_POSTERIOR = {"uncertain": False, "sweeps": 400, "alpha_within": 0.2}
ROWS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "lemma": ("lemma", {}),
    "**hddcrp**": ("hddcrp", {}),
    "cut 0.25": ("hddcrp", {"cut": 0.25}),
    "cut 0.35": ("hddcrp", {"cut": 0.35}),
    "cut 0.4": ("hddcrp", {"cut": 0.4}),
    "cut 0.45": ("hddcrp", {"cut": 0.45}),
    "one posterior, links from 0.5": ("hddcrp", _ONE_POSTERIOR | {"minimum_similarity": 0.5}),
    "one posterior, links from 0.6": ("hddcrp", _ONE_POSTERIOR | {"minimum_similarity": 0.6}),
    "another seed": ("hddcrp", {}),
    "ddcrp": ("ddcrp", {}),
    "agglomerative": ("agglomerative", {}),
}
"""The rows: a clusterer, and changes to the preset."""
GRID = tuple(k / 20 for k in range(4, 19))
_NO_LINKS = 0.999
"""A threshold that hardly any pair reaches."""


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
    preset: str, prepared: Prepared, settings: BoostingSettings, half_of: Mapping[str, int] | None
) -> Iterator[Fold]:
    """Yield the folds, with trees of the topics of the others."""
    topics = sorted({str(document.topic) for document in prepared.corpus}, key=int)
    fold_of = {topic: number % FOLDS for number, topic in enumerate(topics)}
    whole = encoded(prepared)
    pairs = training_pairs(whole, settings, half_of)
    for fold in range(FOLDS):
        learn = {topic for topic in topics if fold_of[topic] != fold}
        model = train_boosted(whole, learn=learn, settings=settings, pairs=pairs)
        inside = prepared.select(d for d in prepared.corpus if fold_of[str(d.topic)] == fold)
        yield part_of(inside, {preset: model})
        print(f"fold {fold + 1} of {FOLDS}", file=sys.stderr)


def part_of(prepared: Prepared, models: Mapping[str, BoostedModel]) -> Fold:
    """Return documents as a part to cluster with these pair models."""
    data = encoded(prepared)
    return Fold(prepared.corpus, data, Evidence(data.table, models, prepared.resources.lexicon))


def measured(preset: str, parts: Sequence[Fold], settings: BoostingSettings) -> Measured:
    """Return the parts and the average precision of their pairs."""
    scores, same = [], []
    for part in parts:
        table = part.evidence.table
        pairs, _ = blocked(replace(part.data, table=table), settings)
        scores.append(part.evidence.pair_model(preset).probability(table, pairs.i, pairs.j))
        same.append(part.data.same(pairs))
    precision = average_precision_score(np.concatenate(same), np.concatenate(scores))
    return Measured(list(parts), float(precision))


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
    unseen = replace(unseen, encode=averaged_encoders(encoders, cache=Cache()))
    return replace(prepared, encode=fitted.encode), unseen, fitted.half_of


def conll(parts: Sequence[Fold], answers: Sequence[Clustering], unit: Unit) -> float:
    """Return the CoNLL score of all parts together."""
    by_part = [
        tallies(pair(part.gold, answer, unit=unit)) for part, answer in zip(parts, answers, strict=True)
    ]
    sums = {name: np.sum([tally[name].sum(axis=0) for tally in by_part], axis=0) for name in by_part[0]}
    return float(f1_of(sums)["conll"])


def thresholds(
    parts: Sequence[Fold], preset: str, grid: Sequence[float] = GRID
) -> dict[str, dict[float, float]]:
    """Return the CoNLL score of each threshold of AGGLOMERATIVE.

    Those within documents are scored by document. Those across documents are combined with the best of these, and
    scored on whole parts, so that a link between two topics counts as the mistake it is.
    """

    def scores(settings: Mapping[float, Mapping[str, float]], unit: Unit) -> dict[float, float]:
        systems = {t: clusterer("agglomerative", changes, preset=preset) for t, changes in settings.items()}
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
    """Print one JSON object per row."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    trees = [name for name, how in PAIR_MODEL_SETTINGS.items() if isinstance(how, BoostingSettings)]
    parser.add_argument("preset", choices=trees)
    parser.add_argument("--data", type=Path, default=DATA / "ecbplus", help="the folder of ECB+")
    parser.add_argument("--other", type=Path, default=DATA / "gvc" / "dev.jsonl", help="another gold corpus")
    parser.add_argument("--encoders", type=Path, help="the work folder of `samevent train encoder`")
    parser.add_argument("--thresholds", action="store_true", help="measure thresholds of agglomerative")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    preset, settings = options.preset, PAIR_MODEL_SETTINGS[options.preset]
    assert isinstance(settings, BoostingSettings)
    prepared, unseen, half_of = prepare(options.data, options.other, options.encoders)
    whole = encoded(prepared)
    background: Background = whole.table.document_frequencies().without_rare(2)
    other = encoded(unseen)
    other = replace(other, table=other.table.with_background(background))
    for name, data in (("ECB+", whole), ("other", other)):
        pairs, recall = blocked(data, settings)
        print(json.dumps({"corpus": name, "candidates": len(pairs), "recall": round(recall, 4)}), flush=True)
    model = train_boosted(whole, settings=settings, pairs=training_pairs(whole, settings, half_of))
    corpora = {
        "ECB+ out of fold": measured(preset, list(folds(preset, prepared, settings, half_of)), settings),
        "other": measured(preset, [part_of(unseen, {preset: model})], settings),
    }
    for name, corpus in corpora.items():
        print(json.dumps({"corpus": name, "average_precision": round(corpus.precision, 4)}), flush=True)
    if options.thresholds:
        for name, corpus in corpora.items():
            print(json.dumps({"corpus": name, **thresholds(corpus.parts, preset)}), flush=True)
        return
    for row, (name, changes) in ROWS.items():
        system, seed = clusterer(name, changes, preset=preset), int("another seed" in row)
        scores = {}
        for corpus_name, corpus in corpora.items():
            answers = [system.cluster(part.evidence, seed=seed).clustering for part in corpus.parts]
            scores[corpus_name] = {unit: round(100 * conll(corpus.parts, answers, unit), 1) for unit in UNITS}
        print(json.dumps({"row": row, "changes": dict(changes), **scores}), flush=True)


if __name__ == "__main__":
    main()
