from __future__ import annotations

import numpy as np
from tools.chain_starts import described
from tools.results_page.chains import TIMED, chain_starts, speed

SWEEPS = 80


def test_chains_of_one_law_agree_wherever_they_start() -> None:
    random = np.random.default_rng(0)
    draws = {
        start: {name: random.normal(100.0, 5.0, (2, SWEEPS)) for name in ("log joint", "events")}
        for start in ("alone", "lemma")
    }
    for each in draws.values():
        each["events"][:, : SWEEPS // 2] += 1000.0  # first halves do not count
    row = described(draws)
    assert max(row["rhat"].values()) < 1.1
    assert all(abs(mean - 100.0) < 5.0 for each in row["starts"].values() for mean in each["events"])


def test_chains_that_stay_apart_do_not_count_as_settled() -> None:
    random = np.random.default_rng(0)
    draws = {
        start: {
            "log joint": np.tile(np.arange(SWEEPS), (2, 1)) * 3.0,
            "events": random.normal(mean, 5.0, (2, SWEEPS)),
        }
        for start, mean in (("alone", 900.0), ("lemma", 100.0))
    }
    row = described(draws)
    assert row["rhat"]["events"] > 1.5
    assert row["starts"]["alone"]["rise"] == 3.0 * SWEEPS / 4
    row |= {"clusterer": "hdp-lex", "mentions": "predicted", "given": 56_244, "runs": 2, "sweeps": SWEEPS}
    page = chain_starts({"chain_starts": [row]})
    assert "Not settled within these sweeps: `hdp-lex` on 56,244 mentions." in page
    assert "| single mentions |" in page
    assert "| lemmas |" in page


def test_page_says_that_both_starts_agree() -> None:
    starts = {start: {"events": [7.0], "log joint": [-9.0], "rise": 0.0} for start in ("alone", "lemma")}
    row = {
        "clusterer": "hdp-lex", "mentions": "gold", "given": 9, "runs": 1, "sweeps": 8, "starts": starts,
        "rhat": {"events": 1.0, "log joint": 1.0},
    }  # fmt: skip
    assert "All of them end in the same place" in chain_starts({"chain_starts": [row]})


def test_page_shows_the_time_of_a_sweep_beside_its_floor() -> None:
    row = {"n": 53_429, "documents": 446, "hdp_floor_ns_per_update": 120.0}
    for number, name in enumerate(TIMED, start=1):
        row |= {f"{name}_ns_per_update": 1000.0 * number, f"{name}_clusters": 1000 * number}
    page = speed(row)
    assert "53,429 mentions in 446 documents" in page
    assert "| HDP, words | 1.0 | 0.12 | 1,000 |" in page
    assert "| HDDCRP | 5.0 |  | 5,000 |" in page
