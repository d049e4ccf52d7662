from __future__ import annotations

import numpy as np
import pytest

from franchise import Partition, franchise_posterior, p_value
from franchise_reference import Tables
from samevent.hddcrp import hdp
from samevent.hddcrp.observations import Channel, Observations
from samevent.hddcrp.problem import Rows
from samevent.hddcrp.randoms import seeded
from samevent.hddcrp.splits import split_and_merge, split_and_merge_clusters
from samevent.partitions.labels import canonical
from samevent.seeds import stream

WITHIN, ACROSS = 0.6, 0.8


def split(state: hdp.State, count: int) -> tuple[int, int]:
    arrays = state.restaurants, state.tables, state.menu, state.blocks, state.sides, state.random
    splits, merges = split_and_merge(count, state.alpha_within, state.alpha_across, *arrays)
    return int(splits), int(merges)


def split_clusters(state: hdp.State, count: int) -> tuple[int, int]:
    arrays = state.restaurants, state.tables, state.menu, state.blocks, state.sides, state.random
    splits, merges = split_and_merge_clusters(count, state.alpha_within, state.alpha_across, *arrays)
    return int(splits), int(merges)


def of_words(lines: list[list[int]], vocabulary: int, dirichlet: float) -> Channel:
    return Channel(Rows.counted(lines), vocabulary, dirichlet)


@pytest.mark.parametrize("seed", range(3))
def test_splits_and_merges_alone_draw_from_the_posterior(seed: int) -> None:
    """All customers show one word, so that splits and merges reach every partition."""
    random = stream(seed, "splits")
    document = random.permutation([0, 0, 0, 1, 1, 2])
    channels = [
        of_words([[0], [0, 1], [0], [0, 1], [0, 2], [0]], 3, 0.5),
        of_words(random.integers(2, size=(6, 1)).tolist(), 2, 0.3),
    ]
    state = hdp.init(document, channels, seeded(seed, "splits"), alpha_within=WITHIN, alpha_across=ACROSS)

    def draw() -> Partition:
        split(state, 60)
        return tuple(state.labels.tolist())

    assert p_value(franchise_posterior(document, channels, WITHIN, ACROSS), draw, 2000) > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_splits_and_merges_keep_the_posterior(seed: int) -> None:
    """Sweeps alone draw from it; here most updates split and merge blocks next to customers without the word."""
    document, lines = np.array([0, 1, 0, 1, 2, 2]), [[0], [0], [0, 1], [1], [0], [1, 2]]
    channels = [of_words(lines, 3, 0.3), Channel(Rows.counted(lines), 3, 0.4, parent=np.array([0, 1, 1]))]
    state = hdp.init(document, channels, seeded(seed, "keep"), alpha_within=WITHIN, alpha_across=ACROSS)
    moves = np.zeros(2, int)

    def draw() -> Partition:
        hdp.sweep(state)
        moves[:] += split(state, 40)
        return tuple(state.labels.tolist())

    assert p_value(franchise_posterior(document, channels, WITHIN, ACROSS), draw, 2000) > 1e-3
    assert (moves > 2000).all()


@pytest.mark.parametrize("seed", range(3))
def test_blocks_split_and_merge_as_in_plain_python(seed: int) -> None:
    random = stream(seed, "lines")
    lines = [random.integers(5, size=random.integers(3)).tolist() for _ in range(40)]
    channels = [of_words(lines, 5, 1e-2), of_words(random.integers(3, size=(40, 1)).tolist(), 3, 0.5)]
    document = random.integers(4, size=40)
    state = hdp.init(document, channels, seeded(seed, "same"))
    twin = state.random.copy()
    plain = Tables(document, Observations.of_channels(channels, 40), hdp.ALPHA_WITHIN, hdp.ALPHA_ACROSS)
    moves = np.zeros(2, int)
    for _ in range(8):
        moves += split(state, 100)
        plain.split_and_merge(100, twin)
        state.check()
        assert plain.table == state.tables.table.tolist()
        assert canonical([plain.cluster[t] for t in plain.table]).tolist() == state.labels.tolist()
    assert twin.tolist() == state.random.tolist()
    assert (moves > 20).all()


@pytest.mark.parametrize("seed", range(3))
def test_splits_and_merges_of_clusters_alone_draw_from_the_posterior(seed: int) -> None:
    """All customers share a feature of the second channel, so that every partition can be reached."""
    random = stream(seed, "clusters")
    document = random.permutation([0, 0, 0, 1, 1, 2])
    lines = [[0], [1], [0, 1], [2], [1, 2], [0]]
    channels = [
        of_words(lines, 3, 0.5),
        of_words([[0], [0], [0, 1], [0], [0, 0], [0]], 2, 0.3),
        Channel(Rows.counted(lines), 3, 0.4, parent=np.array([0, 1, 1])),
    ]
    state = hdp.init(document, channels, seeded(seed, "clusters"), alpha_within=WITHIN, alpha_across=ACROSS)

    def draw() -> Partition:
        split_clusters(state, 60)
        return tuple(state.labels.tolist())

    assert p_value(franchise_posterior(document, channels, WITHIN, ACROSS), draw, 2000) > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_splits_and_merges_of_clusters_keep_the_posterior(seed: int) -> None:
    """Some customers show nothing, or a feature that nobody else shows: these move in sweeps only."""
    document, lines = np.array([0, 1, 0, 1, 2, 2]), [[0], [0], [0, 1], [], [3], [1, 2]]
    channels = [of_words(lines, 4, 0.3)]
    state = hdp.init(document, channels, seeded(seed, "keep"), alpha_within=WITHIN, alpha_across=ACROSS)
    moves = np.zeros(2, int)

    def draw() -> Partition:
        hdp.sweep(state)
        moves[:] += split_clusters(state, 40)
        return tuple(state.labels.tolist())

    assert p_value(franchise_posterior(document, channels, WITHIN, ACROSS), draw, 2000) > 1e-3
    assert (moves > 2000).all()


@pytest.mark.parametrize("seed", range(3))
def test_clusters_split_and_merge_as_in_plain_python(seed: int) -> None:
    random = stream(seed, "lines")
    lines = [random.integers(5, size=random.integers(3)).tolist() for _ in range(30)]
    channels = [of_words(lines, 5, 1e-2), of_words(random.integers(3, size=(30, 1)).tolist(), 3, 0.5)]
    document = random.integers(4, size=30)
    state = hdp.init(document, channels, seeded(seed, "same"))
    twin = state.random.copy()
    plain = Tables(document, Observations.of_channels(channels, 30), hdp.ALPHA_WITHIN, hdp.ALPHA_ACROSS)
    moves = np.zeros(2, int)
    for _ in range(6):
        moves += split_clusters(state, 60)
        plain.split_and_merge_clusters(60, twin)
        state.check()
        assert plain.table == state.tables.table.tolist()
        assert canonical([plain.cluster[t] for t in plain.table]).tolist() == state.labels.tolist()
    assert twin.tolist() == state.random.tolist()
    assert (moves > 10).all()


def test_words_that_two_clusters_share_meet_in_one() -> None:
    """A few customers with a word in a second cluster keep the others from following, unless blocks merge."""
    document = np.repeat(np.arange(40), 3)
    word = np.tile([0, 1, 2], 40)
    labels = np.where((word == 0) & (document < 3), 1, (word > 0).astype(int))
    state = hdp.init(
        document, [of_words([[w] for w in word.tolist()], 50, 1e-7)], seeded(0, "meet"), labels=labels
    )
    splits, merges = split(state, 200)
    assert merges == splits + 1
    assert len(set(state.labels[word == 0].tolist())) == 1
