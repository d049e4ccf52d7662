"""How reliable boosted trees are on unseen topics: trees of some topics score the pairs of the others."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from samevent.clusterers import Evidence, clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.clusterers.shown import learn_shown
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.boosting import BoostingSettings, train_boosted
from samevent.similarity.links import LinkSettings, MentionLinks, score_pairs
from samevent.similarity.pairs import LabelledMentions, Pairs

FOLDS = 4
LEAST_TOPICS = 8
"""With fewer topics there is nothing to estimate from."""
LEAST_SIMILARITY = 0.02


def with_reliability(
    model: BoostedModel,
    data: LabelledMentions,
    settings: BoostingSettings,
    *,
    half_of: Mapping[str, int] | None = None,
) -> BoostedModel:
    """Return a model with how far to trust the posterior of a pair, by models of most topics on the others."""
    if len(data.topics) < LEAST_TOPICS:
        return model
    links = held_out_links(data, settings, half_of=half_of)
    system = cast(Hddcrp, clusterer("hddcrp", preset="standard"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # corrections average over many events
        mixture = system.integrated(Evidence(data.table), links, model.uncertainty)
    return replace(model, shown=learn_shown(mixture, links, data.event))


def held_out_links(
    data: LabelledMentions,
    settings: BoostingSettings,
    *,
    half_of: Mapping[str, int] | None = None,
    score: LabelledMentions | None = None,
) -> MentionLinks:
    """Return the similarities of pairs within folds of topics, each by trees of the other folds.

    Pairs are those of `score`, which may have other mentions of the same topics (default: `data`).
    """
    score = score or data
    fold_of = {topic: number % FOLDS for number, topic in enumerate(data.topics)}
    topic = score.topic[score.table.document]
    fold = np.array([fold_of[name] for name in score.topics], np.int32)[topic]
    pairs = Pairs.concatenate(settings.blocking.pairs(score.table))
    pairs = pairs[pairs.equal(fold)]
    if half_of:
        pairs = pairs[pairs.equal(np.array([half_of[name] for name in score.topics], np.int32)[topic])]
    parts = []
    for number in range(FOLDS):
        learn = [name for name in data.topics if fold_of[name] != number]
        trees = train_boosted(data, learn=learn, settings=settings, half_of=half_of)
        inside = pairs[fold[pairs.i] == number]
        links = LinkSettings(minimum_similarity=LEAST_SIMILARITY)
        parts.append(score_pairs(score.table, trees, [inside], links))
    return MentionLinks.concatenate(parts)
