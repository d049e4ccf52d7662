"""The step of training that measures trees on topics that they have not seen."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest

from samevent.similarity.boosted import BoostedModel
from samevent.similarity.boosting import BoostingSettings, train_boosted, training_pairs
from samevent.similarity.pairs import LabelledMentions
from samevent.similarity.shown import THE_POSTERIOR
from samevent.similarity.tree_features import CONTEXT_GROUP, LARGE_GROUP
from samevent.training import pair_models, uncertainty
from samevent.training.uncertainty import FOLDS, held_out_links, held_out_trees
from similarity.tables import compiled, random_corpus

SETTINGS = BoostingSettings(rounds=4, leaf_pairs=2, easy_share=1.0, without=(CONTEXT_GROUP, LARGE_GROUP))


def labelled(documents: int) -> LabelledMentions:
    """Return mentions whose events are their head lemmas, every document a topic of its own."""
    table = compiled(random_corpus(3, documents=documents, mentions=8))
    topics = tuple(f"t{number:02}" for number in range(len(table.documents)))
    return LabelledMentions(
        table, table.heads.lemma[table.head], np.arange(len(topics), dtype=np.int32), topics
    )


def test_held_out_pairs_are_scored_by_trees_of_other_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    data, learned = labelled(12), []

    def train(data: LabelledMentions, *, learn: Collection[str], **how: Any) -> BoostedModel:
        learned.append(set(learn))
        return train_boosted(data, learn=learn, **how)

    monkeypatch.setattr(uncertainty, "train_boosted", train)
    half_of = {topic: number // 6 for number, topic in enumerate(data.topics)}
    trees = held_out_trees(training_pairs(data, SETTINGS, half_of))
    links = held_out_links(trees, data, data, half_of=half_of)
    document = data.table.document
    assert len(links.pairs)
    for i, j in zip(document[links.pairs.i].tolist(), document[links.pairs.j].tolist(), strict=True):
        assert i % FOLDS == j % FOLDS
        assert half_of[data.topics[i]] == half_of[data.topics[j]]
    assert [topics.isdisjoint(data.topics[fold::FOLDS]) for fold, topics in enumerate(learned)] == [
        True
    ] * FOLDS
    assert all(len(topics) == 9 for topics in learned)


def test_trained_trees_know_how_far_to_trust_the_posterior_if_there_are_enough_topics() -> None:
    trees = pair_models.fit_pair_model(labelled(12), SETTINGS)
    assert isinstance(trees, BoostedModel)
    assert trees.shown != THE_POSTERIOR
    few = pair_models.fit_pair_model(labelled(4), SETTINGS)
    assert isinstance(few, BoostedModel)
    assert few.shown == THE_POSTERIOR
