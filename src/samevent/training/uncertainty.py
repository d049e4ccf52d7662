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
from samevent.similarity.bags import Indices
from samevent.similarity.boosted import LEAST_LINK, BoostedModel
from samevent.similarity.boosting import BoostingSettings, train_boosted, train_second_look
from samevent.similarity.links import LinkSettings, MentionLinks, look_again, score_pairs
from samevent.similarity.pairs import LabelledMentions, Pairs

FOLDS = 4
LEAST_TOPICS = 8
"""With fewer topics there is nothing to estimate from."""


def with_reliability(
    model: BoostedModel,
    data: LabelledMentions,
    settings: BoostingSettings,
    *,
    half_of: Mapping[str, int] | None = None,
) -> BoostedModel:
    """Return a model with what models of most topics teach on the others: a second look, and how far to trust it."""
    if len(data.topics) < LEAST_TOPICS:
        return model
    links = held_out_links(data, settings, half_of=half_of)
    everything = np.ones(len(links.pairs), np.bool_)
    second = train_second_look(data, links, settings, everything)
    looked = held_out_second_looks(model, data, links, settings)
    system = cast(Hddcrp, clusterer("hddcrp", preset="standard"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # corrections average over many events
        mixture = system.integrated(Evidence(data.table), looked, model.uncertainty)
    return replace(model, second=second, shown=learn_shown(mixture, looked, data.event))


def held_out_second_looks(
    model: BoostedModel,
    data: LabelledMentions,
    links: MentionLinks,
    settings: BoostingSettings,
    *,
    score: tuple[LabelledMentions, MentionLinks] | None = None,
) -> MentionLinks:
    """Return the links of each fold as a second look of the other folds sees them.

    Links are those of `score`, which may have other mentions of the same topics (default: `data` and `links`).
    """
    other, seen = score or (data, links)
    fold, fold_seen = fold_of_mentions(data)[links.pairs.i], fold_of_mentions(other, data)[seen.pairs.i]
    similarity = np.empty(len(fold_seen))
    for number in range(FOLDS):
        inside = fold_seen == number
        second = train_second_look(data, links, settings, fold != number)
        similarity[inside] = look_again(other.table, replace(model, second=second), seen[inside]).similarity
    return MentionLinks(seen.pairs, similarity, seen.scored)


def fold_of_mentions(data: LabelledMentions, like: LabelledMentions | None = None) -> Indices:
    """Return the fold of each mention: that of its topic, as the topics of `like` (default: its own) are dealt."""
    fold_of = {topic: number % FOLDS for number, topic in enumerate((like or data).topics)}
    return np.array([fold_of[name] for name in data.topics], np.int32)[data.topic[data.table.document]]


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
    topic, fold = score.topic[score.table.document], fold_of_mentions(score, like=data)
    pairs = Pairs.concatenate(settings.blocking.pairs(score.table))
    pairs = pairs[pairs.equal(fold)]
    if half_of:
        pairs = pairs[pairs.equal(np.array([half_of[name] for name in score.topics], np.int32)[topic])]
    parts = []
    for number in range(FOLDS):
        learn = [name for at, name in enumerate(data.topics) if at % FOLDS != number]
        trees = train_boosted(data, learn=learn, settings=settings, half_of=half_of)
        inside = pairs[fold[pairs.i] == number]
        links = LinkSettings(minimum_similarity=LEAST_LINK)
        parts.append(score_pairs(score.table, trees, [inside], links))
    return MentionLinks.concatenate(parts)
