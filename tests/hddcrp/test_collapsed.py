from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from laws import assert_drawn_from
from problems import (
    LINKS,
    frequencies,
    posterior_of_partitions,
    random_problem,
    whole,
    with_fields,
    without_words,
)
from samevent.errors import SameventError
from samevent.hddcrp import collapsed, reference, two_phase
from samevent.hddcrp.chains import Info
from samevent.hddcrp.components import Block
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.randoms import seeded
from samevent.hddcrp.seating import LIKELIHOOD, Seating
from samevent.hddcrp.weights import active
from samevent.seeds import stream

DRAWS, THIN = 10_000, 8
State = collapsed.State | two_phase.State


def begin(problem: Problem, sampler: str, seed: int = 0) -> tuple[Block, State, Logs]:
    block, logs = whole(problem, sampler), Logs.of(problem)
    random = seeded(seed, "test")
    choices = tuple(reference.prior_draw(rows, random) for rows in block.links)
    module = collapsed if len(block.links) == 1 else two_phase
    return block, module.init(block, choices, random, logs), logs


def advance(block: Block, state: State, logs: Logs, sweeps: int, *, keep: int = 0) -> Info:
    info = Info.planned(block, sweeps, keep=keep)
    if isinstance(state, collapsed.State):
        collapsed.sweep(block, state, info, logs, sweeps=sweeps)
    else:
        two_phase.sweep(block, state, info, logs, sweeps=sweeps)
    return info


@pytest.mark.parametrize("observed", [True, False], ids=["words", "prior"])
@pytest.mark.parametrize("sampler", LINKS)
@pytest.mark.parametrize("seed", range(4))
def test_samplers_draw_partitions_from_the_posterior(sampler: str, seed: int, observed: bool) -> None:
    problem = random_problem(
        seed, customers=5 + seed % 3, documents=2 + seed % 2, density=(0.6, 0.45, 0.3)[seed % 3]
    )
    problem = problem if observed else without_words(problem)
    block, state, logs = begin(problem, sampler, seed)
    info = advance(block, state, logs, DRAWS * THIN, keep=DRAWS)
    law = "ddcrp" if sampler == "ddcrp" else "collapsed"
    assert_drawn_from(posterior_of_partitions(problem, law), info.samples)


@pytest.mark.parametrize("sampler", LINKS)
def test_samplers_draw_from_the_posterior_at_the_papers_parameters(sampler: str) -> None:
    problem = with_fields(
        random_problem(11, customers=6, vocabulary=3), alpha_across=0.001, alpha_flat=0.1, dirichlet=1e-2
    )
    block, state, logs = begin(problem, sampler)
    info = advance(block, state, logs, DRAWS * THIN, keep=DRAWS)
    law = "ddcrp" if sampler == "ddcrp" else "collapsed"
    assert_drawn_from(posterior_of_partitions(problem, law), info.samples)


@pytest.mark.parametrize("sampler", LINKS)
@pytest.mark.parametrize("seed", range(5))
def test_compiled_samplers_draw_the_links_of_the_reference(sampler: str, seed: int) -> None:
    problem = random_problem(seed, customers=14, documents=4, density=0.3, words=4)
    block, state, logs = begin(problem, sampler, seed)
    choices, random = tuple(links.copy() for links in state.choices), state.seating.random.copy()
    for _ in range(15):
        info, expected = advance(block, state, logs, 1), Info.planned(block, 1)
        changes = reference.sweep(block, choices, logs, random)
        labels = np.array(reference.clusters_of(active(block.links, choices).tolist()))
        expected.record(block, labels, reference.log_joint(block, choices, logs), changes)
        assert all(np.array_equal(a, b) for a, b in zip(choices, state.choices, strict=True))
        assert np.array_equal(random, state.seating.random)
        for name in ("log_joint", "clusters", "changes", "together"):
            assert np.array_equal(getattr(info, name), getattr(expected, name)), name


@pytest.mark.parametrize("sampler", LINKS)
@pytest.mark.parametrize("density", [0.02, 0.2])
def test_seating_equals_recomputation(sampler: str, density: float) -> None:
    problem = random_problem(9, customers=120, documents=6, density=density, vocabulary=12, dirichlet=1e-3)
    block, state, logs = begin(problem, sampler)
    for _ in range(20):
        advance(block, state, logs, 1)
        state.check(block, logs)


def _raise_likelihood(seating: Seating) -> None:
    seating.log_joint_parts[LIKELIHOOD] += 2.0**-30


def _raise_a_count(seating: Seating) -> None:
    seating.cells[1::2][seating.cells[::2] >= 0] += 1


def _move_a_customer(seating: Seating) -> None:
    seating.label[0] = seating.label[seating.label != seating.label[0]][0]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_raise_likelihood, "log likelihood drifted"),
        (_raise_a_count, "word counts drifted"),
        (_move_a_customer, "labels drifted"),
    ],
)
def test_seating_check_raises_on_drift(spoil: Callable[[Seating], None], message: str) -> None:
    block, state, logs = begin(random_problem(2, customers=12, density=0.1), "collapsed")
    spoil(state.seating)
    with pytest.raises(SameventError, match=message):
        state.check(block, logs)


@pytest.mark.parametrize("sampler", LINKS)
def test_samplers_draw_the_same_links_with_wide_and_narrow_cells(sampler: str) -> None:
    problem = random_problem(9, customers=60, documents=6, density=0.1, vocabulary=12)
    block, narrow, logs = begin(problem, sampler)
    block, wide, logs = begin(problem, sampler)
    assert narrow.seating.cells.dtype == np.int32
    wide = replace(wide, seating=wide.seating._replace(cells=wide.seating.cells.astype(np.int64)))
    for state in (narrow, wide):
        advance(block, state, logs, 10)
        state.check(block, logs)
    assert all(np.array_equal(a, b) for a, b in zip(narrow.choices, wide.choices, strict=True))


@pytest.mark.parametrize("sampler", LINKS)
def test_samplers_form_and_break_cycles(sampler: str) -> None:
    problem = random_problem(5, customers=6, documents=3, density=0.9)
    block, state, logs = begin(problem, sampler)
    lengths = set()
    for _ in range(300):
        advance(block, state, logs, 1)
        targets = active(block.links, state.choices)
        at, seen = 0, []
        while at not in seen:
            seen.append(at)
            at = int(targets[at])
        lengths.add(len(seen) - seen.index(at))
    assert {1, 2, 3} <= lengths


def test_sweep_draws_do_not_depend_on_the_number_of_calls() -> None:
    problem = random_problem(3, customers=30, documents=4, density=0.2)
    block, state, logs = begin(problem, "collapsed")
    once = advance(block, state, logs, 12, keep=4)
    block, state, logs = begin(problem, "collapsed")
    by_turns = Info.planned(block, 12, keep=4)
    for sweeps in (1, 4, 7):
        collapsed.sweep(block, state, by_turns, logs, sweeps=sweeps)  # type: ignore[arg-type]
    for name in ("log_joint", "together", "best_log_joint"):
        assert np.array_equal(getattr(once, name), getattr(by_turns, name))
    assert frequencies(once.samples) == frequencies(by_turns.samples)


def test_sampler_survives_words_with_high_counts() -> None:
    words = Rows.from_triples(6, np.arange(6), [0, 0, 0, 1, 1, 1], np.full(6, 5000))
    problem = with_fields(
        random_problem(0, customers=6, density=1.0), words=words, dirichlet=1e-7, vocabulary=1000
    )
    block, state, logs = begin(problem, "collapsed")
    info = advance(block, state, logs, 50)
    state.check(block, logs)
    assert np.isfinite(info.log_joint).all()
    assert state.seating.labels.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("sampler", LINKS)
def test_samplers_and_forward_simulation_have_the_same_joint_distribution(sampler: str) -> None:
    """Geweke (2004): links and words drawn forwards, and by turns given each other, have the same moments."""
    problem = random_problem(6, customers=6, documents=3, density=0.5, vocabulary=3, dirichlet=0.7)
    tokens = [2, 1, 3, 1, 2, 2]
    widest = with_fields(problem, words=_words([[0] * n for n in tokens]))
    block, logs = whole(widest, sampler), Logs.of(widest)
    random, generator = seeded(1, "geweke"), stream(1, "words")
    module = collapsed if len(block.links) == 1 else two_phase

    def drawn_words(choices: tuple[NDArray[np.int64], ...]) -> list[list[int]]:
        labels = reference.clusters_of(active(block.links, choices).tolist())
        counts = np.full((6, 3), problem.dirichlet)
        words: list[list[int]] = []
        for label, length in zip(labels, tokens, strict=True):
            words.append([])
            for _ in range(length):
                word = int(generator.choice(3, p=counts[label] / counts[label].sum()))
                counts[label, word] += 1
                words[-1].append(word)
        return words

    def moments(choices: tuple[NDArray[np.int64], ...], words: list[list[int]]) -> list[float]:
        labels = reference.clusters_of(active(block.links, choices).tolist())
        firsts = [line[0] for line in words]
        equal = [(labels[i] == labels[j], firsts[i] == firsts[j]) for i in range(6) for j in range(i)]
        return [
            max(labels) + 1,
            sum(a for a, _ in equal),
            sum(b for _, b in equal),
            sum(a and b for a, b in equal),
        ]

    forwards = []
    for _ in range(1500):
        choices = tuple(reference.prior_draw(rows, random) for rows in block.links)
        forwards.append(moments(choices, drawn_words(choices)))
    by_turns = []
    words = drawn_words(choices)
    for _ in range(3000):
        here = Block(block.customers, block.links, _words(words), block.left, block.right)
        advance(here, module.init(here, choices, random, logs), logs, 1)
        words = drawn_words(choices)
        by_turns.append(moments(choices, words))
    ahead, turns = np.array(forwards, float), np.array(by_turns, float)
    batches = turns.reshape(30, -1, 4).mean(axis=1)
    error = np.sqrt(ahead.var(axis=0) / len(ahead) + batches.var(axis=0, ddof=1) / 30)
    assert (np.abs(ahead.mean(axis=0) - turns.mean(axis=0)) < 3.5 * error).all()


def _words(lines: list[list[int]]) -> Rows:
    counted = Rows.counted(lines)
    return Rows(counted.starts, counted.columns, counted.values.astype(np.int32))
