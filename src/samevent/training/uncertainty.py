"""How reliable boosted trees are on unseen topics: trees of some topics score the pairs of the others."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from samevent.clusterers import Evidence, clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.clusterers.shown import learn_shown
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.similarity.bags import Indices
from samevent.similarity.boosted import LEAST_LINK, BoostedModel, SecondLook
from samevent.similarity.boosting import (
    BoostingSettings,
    JudgedLinks,
    TrainingPairs,
    train_boosted,
    train_second_look,
)
from samevent.similarity.links import LinkSettings, MentionLinks, look_again, score_pairs
from samevent.similarity.pairs import LabelledMentions, Pairs

FOLDS = 4
LEAST_TOPICS = 8
"""With fewer topics there is nothing to estimate from."""


def with_reliability(
    model: BoostedModel,
    pairs: TrainingPairs,
    extracted: TrainingPairs | None = None,
    *,
    half_of: Mapping[str, int] | None = None,
) -> BoostedModel:
    """Return a model with what models of most topics teach on the others: a second look, and how far to trust it.

    The model itself has learned from these pairs, of annotated mentions and of extracted ones.
    """
    data, settings = pairs.data, pairs.settings
    if len(data.topics) < LEAST_TOPICS:
        return model
    trees = held_out_trees(pairs, extracted)
    annotated = judged(data, held_out_links(trees, data, data, half_of=half_of), data)
    found = None
    if extracted:
        links = held_out_links(trees, extracted.data, data, half_of=half_of)
        found = judged(extracted.data, links, data)
    second = train_second_look(annotated, settings, found)
    looks = held_out_second_looks(annotated, settings, found)
    looked = looked_again(model, looks, annotated)
    system = cast(Hddcrp, clusterer("hddcrp", preset="standard"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # corrections average over many events
        mixture = system.integrated(Evidence(data.table), looked, model.uncertainty)
    return replace(model, second=second, shown=learn_shown(mixture, looked, data.event))


def judged(data: LabelledMentions, links: MentionLinks, like: LabelledMentions) -> JudgedLinks:
    """Return links to learn a second look from, with the folds of `like`."""
    return JudgedLinks(data, links, fold_of_mentions(data, like))


def held_out_trees(pairs: TrainingPairs, extracted: TrainingPairs | None = None) -> list[BoostedModel]:
    """Return trees for each fold of topics, trained on the others."""
    topics = pairs.data.topics
    return [
        train_boosted(
            pairs.data,
            learn=[name for at, name in enumerate(topics) if at % FOLDS != number],
            settings=pairs.settings,
            pairs=pairs,
            extracted=extracted,
        )
        for number in range(FOLDS)
    ]


def held_out_links(
    trees: Sequence[BoostedModel],
    score: LabelledMentions,
    like: LabelledMentions,
    *,
    half_of: Mapping[str, int] | None = None,
) -> MentionLinks:
    """Return the similarities of pairs within folds of topics, each by the trees of its fold.

    Topics are dealt to folds as those of `like`, which the trees were trained on.
    """
    topic, fold = score.topic[score.table.document], fold_of_mentions(score, like)
    pairs = Pairs.concatenate(trees[0].blocking.pairs(score.table))
    pairs = pairs[pairs.equal(fold)]
    if half_of:
        pairs = pairs[pairs.equal(np.array([half_of[name] for name in score.topics], np.int32)[topic])]
    links = LinkSettings(minimum_similarity=LEAST_LINK)
    return MentionLinks.concatenate(
        [
            score_pairs(score.table, model, [pairs[fold[pairs.i] == number]], links)
            for number, model in enumerate(trees)
        ]
    )


def held_out_second_looks(
    annotated: JudgedLinks, settings: BoostingSettings, extracted: JudgedLinks | None = None
) -> list[SecondLook]:
    """Return a second look for each fold of topics, trained on the links of the others."""
    return [train_second_look(annotated, settings, extracted, without=number) for number in range(FOLDS)]


def looked_again(model: BoostedModel, looks: Sequence[SecondLook], judged: JudgedLinks) -> MentionLinks:
    """Return links as the second look of their fold sees them."""
    links = judged.links
    fold = judged.fold[links.pairs.i]
    similarity = np.empty(len(fold))
    for number, second in enumerate(looks):
        inside = fold == number
        again = look_again(judged.data.table, replace(model, second=second), links[inside])
        similarity[inside] = again.similarity
    return MentionLinks(links.pairs, similarity, links.scored)


def fold_of_mentions(data: LabelledMentions, like: LabelledMentions | None = None) -> Indices:
    """Return the fold of each mention: that of its topic, as the topics of `like` (default: its own) are dealt."""
    fold_of = {topic: number % FOLDS for number, topic in enumerate((like or data).topics)}
    return np.array([fold_of[name] for name in data.topics], np.int32)[data.topic[data.table.document]]
