from __future__ import annotations

import numpy as np
import pytest

from problems import LINKS, random_problem, whole
from samevent.hddcrp.chains import Initial, agree, agreement, start
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.randoms import seeded, uniform
from samevent.hddcrp.reference import clusters_of
from samevent.hddcrp.weights import active


@pytest.mark.parametrize("sampler", LINKS)
def test_chain_draws_the_same_compiled_and_plain(sampler: str) -> None:
    problem = random_problem(2, customers=10, density=0.4)
    block, logs = whole(problem, sampler), Logs.of(problem)
    ends = []
    for compiled in (False, True):
        chain = start(block, logs, seed=5, chain=1, initial="links", keep=3, compiled=compiled)
        chain.begin_round(12)
        chain.advance(12)
        ends.append(chain)
    slow, fast = ends
    assert np.array_equal(slow.random, fast.random)
    assert np.array_equal(slow.labels, fast.labels)
    for name in ("log_joint", "clusters", "changes", "together", "best_log_joint"):
        assert np.array_equal(getattr(slow.info, name), getattr(fast.info, name))


def test_start_depends_on_seed_and_chain_only() -> None:
    problem = random_problem(2, customers=40, documents=4, density=0.2)
    block, logs = whole(problem), Logs.of(problem)

    def begun(seed: int, chain: int) -> bytes:
        begun = start(block, logs, seed=seed, chain=chain, initial="links")
        return begun.choices[0].tobytes()

    assert begun(3, 1) == begun(3, 1)
    assert begun(3, 1) != begun(3, 2)
    assert begun(3, 1) != begun(4, 1)


@pytest.mark.parametrize("initial", ["links", "spread"])
def test_start_draws_links_with_their_weights(initial: Initial) -> None:
    problem = random_problem(1, customers=6, density=0.9)
    block, logs = whole(problem), Logs.of(problem)
    rows = block.links[0]
    third = 3  # the chain of a spread that starts from equally likely links
    draws = [
        start(block, logs, seed=seed, chain=third - 1, initial=initial).choices[0] for seed in range(3000)
    ]
    for i in range(6):
        begin, end = rows.starts[i], rows.starts[i + 1]
        weights = rows.values[begin:end] if initial == "links" else np.full(end - begin, 1 / (end - begin))
        shares = np.bincount(np.array(draws)[:, i] - begin, minlength=end - begin) / 3000
        assert shares == pytest.approx(weights, abs=0.04)


def test_start_may_leave_all_customers_alone() -> None:
    problem = random_problem(1, customers=6)
    block, logs = whole(problem, "paper"), Logs.of(problem)
    for chain, initial in ((0, "spread"), (5, "alone")):
        begun = start(block, logs, seed=0, chain=chain, initial=initial)  # type: ignore[arg-type]
        assert begun.labels.tolist() == [0, 1, 2, 3, 4, 5]


def test_chain_labels_are_the_clusters_of_its_links() -> None:
    problem = random_problem(8, customers=30, documents=5, density=0.1)
    block, logs = whole(problem, "paper"), Logs.of(problem)
    chain = start(block, logs, seed=0, chain=1, initial="links")
    assert chain.labels.tolist() == clusters_of(active(block.links, chain.choices).tolist())


def test_chains_agree_only_if_they_recorded_the_same() -> None:
    problem = random_problem(1, customers=6, density=0.9)
    block, logs = whole(problem), Logs.of(problem)
    chains = [start(block, logs, seed=0, chain=k, initial="alone") for k in range(2)]
    for chain in chains:
        chain.begin_round(10)
        chain.info.done = 10
        chain.info.together[:] = 9
    assert agree(agreement(chains))
    chains[0].info.together[0] = 0
    assert not agree(agreement(chains))


def test_random_numbers_are_uniform_and_continue_from_a_saved_state() -> None:
    state = seeded(1, "test")
    draws = np.array([uniform(state) for _ in range(4000)])
    assert abs(draws.mean() - 0.5) < 4 / np.sqrt(12 * 4000)
    assert np.histogram(draws, 10, (0, 1))[0] == pytest.approx(400, abs=80)
    saved = state.copy()
    assert [uniform(state) for _ in range(5)] == [uniform(saved) for _ in range(5)]
