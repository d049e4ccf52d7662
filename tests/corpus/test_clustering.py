from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samevent.corpus import Clustering
from samevent.errors import CorpusError

LABELS = st.dictionaries(st.text(max_size=3), st.integers(0, 4))


@pytest.mark.parametrize("clusters", [[["a"], ["a"]], [["a", "b", "a"]]])
def test_a_mention_belongs_to_one_cluster(clusters: list[list[str]]) -> None:
    with pytest.raises(CorpusError, match="mention 'a'"):
        Clustering(clusters)


@given(LABELS)
def test_labels_group_mentions(labels: dict[str, int]) -> None:
    clustering = Clustering.from_labels(labels)
    assert set(clustering.mentions) == set(labels)
    for a in labels:
        for b in labels:
            assert clustering.same(a, b) == (labels[a] == labels[b])


@given(LABELS, st.randoms())
def test_equality_ignores_order_and_names(labels: dict[str, int], random: Random) -> None:
    items = list(labels.items())
    random.shuffle(items)
    other = Clustering.from_labels({mention: f"c{label}" for mention, label in items})
    assert other == Clustering.from_labels(labels)
    assert hash(other) == hash(Clustering.from_labels(labels))


@given(LABELS, st.sets(st.text(max_size=3)))
def test_restriction_keeps_the_grouping(labels: dict[str, int], kept: set[str]) -> None:
    expected = Clustering.from_labels({m: label for m, label in labels.items() if m in kept})
    assert Clustering.from_labels(labels).restricted(kept) == expected
