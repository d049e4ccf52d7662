from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from franchise import Partition, franchise_posterior, p_value
from franchise_reference import Tables
from samevent.hddcrp import hdp
from samevent.hddcrp.blocks import move_blocks, move_other_blocks, move_parts, new_blocks
from samevent.hddcrp.concentrations import GammaPrior
from samevent.hddcrp.menu import NONE, add_to_s, attach, new_menu
from samevent.hddcrp.observations import Channel, Observations
from samevent.hddcrp.problem import Rows
from samevent.hddcrp.randoms import seeded
from samevent.partitions.diagnostics import split_rhat
from samevent.partitions.labels import canonical
from samevent.seeds import stream

WITHIN, ACROSS = 0.6, 0.8


def move(state: hdp.State) -> int:
    arrays = state.restaurants, state.tables, state.menu, state.blocks, state.random
    return int(move_blocks(state.alpha_within, state.alpha_across, *arrays))


def move_some(state: hdp.State, count: int) -> int:
    arrays = state.restaurants, state.tables, state.menu, state.blocks, state.random
    return int(move_parts(count, state.alpha_within, state.alpha_across, *arrays))


def move_others(state: hdp.State, count: int) -> int:
    arrays = state.restaurants, state.tables, state.menu, state.blocks, state.random
    return int(move_other_blocks(count, state.alpha_within, state.alpha_across, *arrays))


def of_words(lines: list[list[int]], vocabulary: int, dirichlet: float) -> Channel:
    return Channel(Rows.counted(lines), vocabulary, dirichlet)


def restricted(
    posterior: dict[Partition, float], start: list[int], word: list[int]
) -> dict[Partition, float]:
    """Condition on how customers with the same word are grouped at the start."""
    alike = [(i, j) for i in range(len(word)) for j in range(i) if word[i] == word[j]]
    kept = {
        z: mass
        for z, mass in posterior.items()
        if all((z[i] == z[j]) == (start[i] == start[j]) for i, j in alike)
    }
    return {z: mass / sum(kept.values()) for z, mass in kept.items()}


@pytest.mark.parametrize("seed", range(3))
def test_blocks_alone_draw_from_the_posterior_given_the_groups_of_each_word(seed: int) -> None:
    word, start = [0, 0, 1, 1, 0, 0, 2], [0, 0, 1, 1, 2, 2, 3]
    document = stream(seed, "documents").permutation([0, 0, 0, 0, 1, 1, 1])
    channels = [of_words([[w] for w in word], 3, 0.5), of_words([[i % 2] for i in range(7)], 2, 0.8)]
    state = hdp.init(
        document, channels, seeded(seed, "blocks"), alpha_within=WITHIN, alpha_across=ACROSS, labels=start
    )

    def draw() -> Partition:
        for _ in range(3):
            move(state)
        return tuple(state.labels.tolist())

    posterior = restricted(franchise_posterior(document, channels, WITHIN, ACROSS), start, word)
    assert len(posterior) == 10
    assert p_value(posterior, draw, 2000) > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_parts_keep_the_posterior(seed: int) -> None:
    """Sweeps alone draw from it; here three of four updates move parts, among them parts of one word's block."""
    document, word = np.array([0, 1, 0, 1, 2, 2]), [[0], [0], [0, 1], [1], [0], [1, 2]]
    channels = [of_words(word, 3, 0.3)]
    state = hdp.init(document, channels, seeded(seed, "parts"), alpha_within=WITHIN, alpha_across=ACROSS)
    moved = 0

    def draw() -> Partition:
        nonlocal moved
        hdp.sweep(state)
        moved += move_some(state, 30)
        return tuple(state.labels.tolist())

    assert p_value(franchise_posterior(document, channels, WITHIN, ACROSS), draw, 2000) > 1e-3
    assert moved > 2000


@pytest.mark.parametrize("seed", range(3))
def test_blocks_of_other_channels_keep_the_posterior(seed: int) -> None:
    """Sweeps alone draw from it; here most updates move customers that share a value of another channel."""
    document, word = np.array([0, 1, 0, 1, 2, 2]), [[0], [0], [0, 1], [1], [0], [1, 2]]
    channels = [
        of_words(word, 3, 0.3),
        of_words([[0], [1], [0], [0, 1], [1], []], 2, 0.5),
        Channel(Rows.counted([[0], [0], [2], [1], [2], [1]]), 3, 0.4, parent=np.array([0, 1, 1])),
    ]
    state = hdp.init(document, channels, seeded(seed, "others"), alpha_within=WITHIN, alpha_across=ACROSS)
    moved = 0

    def draw() -> Partition:
        nonlocal moved
        hdp.sweep(state)
        moved += move_others(state, 20)
        return tuple(state.labels.tolist())

    assert p_value(franchise_posterior(document, channels, WITHIN, ACROSS), draw, 2000) > 1e-3
    assert moved > 2000


def test_customers_that_share_values_of_another_channel_leave_together() -> None:
    """Nouns have the word of the verbs, and ten synonyms of their own: no word and no customer alone leaves."""
    noun = np.arange(60) % 4 == 0
    channels = [
        of_words([[0]] * 60, 50, 1e-7),
        of_words([list(range(10)) if n else list(range(10, 20)) for n in noun], 100, 1e-7),
    ]
    state = hdp.init(np.repeat(np.arange(20), 3), channels, seeded(0, "leave"), labels=[0] * 60)
    shown_by = np.split(state.blocks.customers, state.blocks.starts[1:-1])
    assert [len(customers) for customers in shown_by] == [60, 15, 45]
    assert state.observations.times.tolist() == [1, 10, 10]
    assert state.blocks.others.tolist() == [1, 2]
    hdp.sweep(state, sweeps=300)
    assert len(set(state.labels[noun].tolist())) == len(set(state.labels[~noun].tolist())) == 1
    assert state.menu.cluster_count == 2


@pytest.mark.parametrize(("seed", "alpha_within"), [(0, 0.5), (1, 0.5), (2, 0.5), (3, 30.0), (4, 30.0)])
def test_blocks_move_as_in_plain_python(seed: int, alpha_within: float) -> None:
    random = stream(seed, "lines")
    lines = [random.integers(6, size=random.integers(1, 3)).tolist() for _ in range(50)]
    others = of_words(random.integers(4, size=(50, 1)).tolist(), 4, 1e-2)
    document, channels = random.integers(4, size=50), [of_words(lines, 6, 1e-3), others][: 1 + seed % 2]
    state = hdp.init(document, channels, seeded(seed, "same"), alpha_within=alpha_within)
    twin = state.random.copy()
    plain = Tables(document, Observations.of_channels(channels, 50), alpha_within, hdp.ALPHA_ACROSS)
    for _ in range(5):
        hdp.sweep(state)
        plain.sweep(twin)
        move(state)
        move_some(state, 40)
        plain.move_blocks(twin)
        plain.move_parts(40, twin)
        if len(channels) > 1:
            move_others(state, 20)
            plain.move_other_blocks(20, twin)
        state.check()
        assert plain.table == state.tables.table.tolist()
        assert canonical([plain.cluster[t] for t in plain.table]).tolist() == state.labels.tolist()
    assert twin.tolist() == state.random.tolist()


def planted(seed: int, customers: int) -> tuple[NDArray[np.int64], list[Channel], NDArray[np.int64]]:
    """Draw documents about one or two of eight topics, each with ten words of its own, in the paper's setting."""
    random = stream(seed, "planted", customers)
    document = np.sort(random.integers(customers // 12, size=customers))
    topics = random.integers(8, size=(document.max() + 1, 2))
    word = topics[document, random.integers(2, size=customers)] * 10 + random.geometric(0.3, customers) % 10
    return document, [of_words([[w] for w in word.tolist()], 200, 1e-7)], word


@pytest.mark.parametrize("priors", [hdp.FIXED, (GammaPrior(1.0, 1.0), GammaPrior(1.0, 1.0))])
def test_chains_agree_from_singletons_and_from_one_cluster_for_each_word(priors: hdp.Priors) -> None:
    document, channels, word = planted(0, 400)
    counts, heights = [], []
    for number, labels in enumerate((None, None, word, word)):
        state = hdp.init(document, channels, seeded(number, "starts"), labels=labels, priors=priors)
        infos = [hdp.step(state) for _ in range(400)]
        counts.append([info.clusters for info in infos[100:]])
        heights.append(np.mean([info.log_joint for info in infos[100:]]))
    assert split_rhat(np.array(counts)) < 1.1
    assert np.ptp(heights) < 25


def reworded(state: hdp.State, channels: list[Channel]) -> hdp.State:
    """Return a state with the same seats and other observations."""
    observations = Observations.of_channels(channels, len(state.labels))
    menu = new_menu(observations)
    cluster, numbers = state.tables.cluster.copy(), dict[int, int]()
    for t in np.flatnonzero(state.tables.size):
        for i in np.flatnonzero(state.tables.table == t):
            add_to_s(menu, i)
        k = int(cluster[t])
        state.tables.cluster[t] = numbers[k] = attach(menu, numbers.get(k, NONE), 1)
    blocks = new_blocks(observations, state.restaurants.document, state.alpha_across)
    return replace(state, observations=observations, menu=menu, blocks=blocks)


@pytest.mark.parametrize("priors", [hdp.FIXED, (GammaPrior(3.0, 4.0), GammaPrior(2.0, 2.0))])
def test_sweeps_and_forward_simulation_have_the_same_joint_distribution(priors: hdp.Priors) -> None:
    """Geweke (2004): clusters and words drawn forwards, and by turns given each other, have the same moments.

    So have concentrations, if they have priors.
    """
    document, generator = np.array([0, 0, 1, 1, 0, 2]), stream(1, "geweke")

    def drawn_concentrations() -> list[float]:
        fixed = zip(priors, (WITHIN, ACROSS), strict=True)
        return [
            float(generator.gamma(prior.shape) / prior.rate) if prior else alpha for prior, alpha in fixed
        ]

    def drawn_words(labels: list[int]) -> list[int]:
        counts, words = np.full((6, 3), 0.4), []
        for label in labels:
            words.append(int(generator.choice(3, p=counts[label] / counts[label].sum())))
            counts[label, words[-1]] += 1
        return words

    def seated(alpha: float, sizes: list[int]) -> int:
        weights = np.array([*sizes, alpha])
        return int(generator.choice(len(weights), p=weights / weights.sum()))

    def drawn_labels(within: float, across: float) -> list[int]:
        menu: list[int] = []
        rooms: list[list[tuple[int, int]]] = [[], [], []]
        labels = []
        for d in document.tolist():
            t = seated(within, [size for size, _ in rooms[d]])
            if t == len(rooms[d]):
                k = seated(across, menu)
                menu[k : k + 1] = [menu[k] + 1] if k < len(menu) else [1]
                rooms[d].append((0, k))
            size, k = rooms[d][t]
            rooms[d][t] = size + 1, k
            labels.append(k)
        return labels

    def moments(labels: list[int], words: list[int], alphas: list[float]) -> list[float]:
        equal = [(labels[i] == labels[j], words[i] == words[j]) for i in range(6) for j in range(i)]
        together, alike = sum(a for a, _ in equal), sum(b for _, b in equal)
        return [
            max(labels) + 1,
            together,
            alike,
            sum(a and b for a, b in equal),
            *np.log(alphas)[: 2 * drawn],
        ]

    def channels(words: list[int]) -> list[Channel]:
        return [of_words([[w] for w in words], 3, 0.4)]

    drawn, forwards = any(priors), []
    for _ in range(1500):
        alphas = drawn_concentrations()
        labels = drawn_labels(*alphas)
        words = drawn_words(labels)
        forwards.append(moments(labels, words, alphas))
    by_turns = []
    state = hdp.init(
        document,
        channels(words),
        seeded(1, "geweke"),
        alpha_within=WITHIN,
        alpha_across=ACROSS,
        priors=priors,
        labels=labels,
    )
    for _ in range(3000):
        hdp.sweep(state)
        labels = state.labels.tolist()
        words = drawn_words(labels)
        state = reworded(state, channels(words))
        by_turns.append(moments(labels, words, state.alphas.tolist()))
    ahead, turns = np.array(forwards, float), np.array(by_turns, float)
    batches = turns.reshape(30, 100, -1).mean(axis=1)
    error = np.sqrt(ahead.var(axis=0) / len(ahead) + batches.var(axis=0, ddof=1) / 30)
    assert (np.abs(ahead.mean(axis=0) - turns.mean(axis=0)) < 3.5 * error).all()
