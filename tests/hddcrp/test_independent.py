"""Links that do not depend on each other: drawn from their rows, all at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from laws import assert_drawn_from
from problems import posterior_of_partitions, random_problem, whole, with_constraints, with_fields
from samevent.errors import SameventError
from samevent.hddcrp import independent, reference
from samevent.hddcrp.chains import Info, LinkChain, clusters, start
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Problem
from samevent.hddcrp.randoms import seeded

DRAWS = 20_000


def weightless(seed: int, *, must: int = 0, **fields: float) -> Problem:
    problem = random_problem(seed, **fields, likelihood_weight=0)  # type: ignore[arg-type]
    return with_constraints(problem, seed, must=must, cannot=0) if must else problem


def chain_of(problem: Problem, sampler: str = "collapsed", *, compiled: bool = True) -> LinkChain:
    return start(
        whole(problem, sampler), Logs.of(problem), seed=1, chain=0, initial="links", keep=5, compiled=compiled
    )


@pytest.mark.parametrize("law", ["collapsed", "ddcrp"])
@pytest.mark.parametrize("seed", range(3))
def test_draws_have_the_law_of_the_posterior(law: str, seed: int) -> None:
    problem = weightless(seed, must=seed, customers=5 + seed, documents=2, density=0.5)
    block, logs, random = whole(problem, law), Logs.of(problem), seeded(seed, "test")
    state = independent.init(block, (reference.prior_draw(block.links[0], random),), random, logs)
    info = Info.planned(block, DRAWS, keep=DRAWS)
    independent.sweep(block, state, info, logs, sweeps=DRAWS)
    assert_drawn_from(posterior_of_partitions(problem, law), info.samples)


@pytest.mark.parametrize("must", [0, 3])
@pytest.mark.parametrize("seed", range(4))
def test_compiled_chain_draws_and_records_what_the_plain_one_does(seed: int, must: int) -> None:
    problem = weightless(seed, must=must, customers=14, documents=4, density=0.3, words=4)
    chains = [chain_of(problem, compiled=compiled) for compiled in (True, False)]
    for chain in chains:
        assert chain.independent
        chain.begin_round(40)
    chains[0].advance(40)
    for sweeps in (1, 16, 3, 20):
        chains[1].advance(sweeps)
    for name, array in chains[0].arrays().items():
        assert array.tobytes() == chains[1].arrays()[name].tobytes(), name
    assert (np.diff(chains[0].info.log_joint) != 0).any()


def test_steps_leave_no_trace() -> None:
    problem = weightless(5, customers=30, documents=4, density=0.2)
    one, other = chain_of(problem), chain_of(problem)
    one.begin_round(50)
    other.begin_round(50)
    one.advance(50)
    for sweeps in (15, 1, 17, 17):
        other.advance(sweeps)
    for name, array in one.arrays().items():
        assert array.tobytes() == other.arrays()[name].tobytes(), name


def test_links_depend_on_each_other_where_words_count_or_pairs_are_kept_apart() -> None:
    problem = weightless(2, customers=8, density=0.5)
    assert chain_of(problem).independent
    assert not chain_of(problem, "paper").independent
    assert not chain_of(with_fields(problem, likelihood_weight=0.1)).independent
    assert not chain_of(with_constraints(problem, 1, must=0, cannot=1)).independent


def test_check_finds_labels_that_do_not_follow_from_the_links() -> None:
    chain = replace(chain_of(weightless(3, customers=9, density=0.6)), check=True)
    chain.begin_round(5)
    chain.advance(5)
    state = independent.init(chain.block, chain.choices, chain.random, chain.logs)
    independent.sweep(chain.block, state, Info.planned(chain.block, 1), chain.logs)
    assert (state.labels[:, 0] == clusters(chain.block, state.choices)).all()
    state.labels[0, 0] += 1
    with pytest.raises(SameventError, match="drifted"):
        state.check(chain.block, chain.logs)
