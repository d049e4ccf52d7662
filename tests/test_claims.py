from __future__ import annotations

from typing import Any

import pytest
from tools.results_page.claims import claims, rules

INTERVALS = {"holds": (0.01, 0.05), "fails": (-0.05, -0.01), "open": (-0.01, 0.05)}


def row(clusterer: str, differences: dict[str, Any]) -> dict[str, Any]:
    return {
        "preset": "paper-code",
        "mentions": "gold",
        "filter": "none",
        "unit": "document",
        "clusterer": clusterer,
        "conll": 0.7,
        "differences": differences,
    }


@pytest.mark.parametrize("verdict", INTERVALS)
def test_a_claim_holds_if_its_interval_is_on_the_papers_side(verdict: str) -> None:
    low, high = INTERVALS[verdict]
    difference = {"conll": 0.02, "interval": {"low": low, "high": high}}
    result = {"protocol": "yang2015", "rows": [row("hddcrp", {"lemma": difference}), row("lemma", {})]}
    page = claims([result])
    assert f"| `hddcrp` – `lemma` | +9.1 | +2.0 [{100 * low:+.1f}, {100 * high:+.1f}] {verdict} |" in page
    assert "as programmed" in page
    assert "as printed" not in page


def test_a_difference_is_also_found_the_other_way_round() -> None:
    difference = {"conll": -0.02, "interval": {"low": -0.05, "high": -0.01}}
    rows = [row("hddcrp", {}), row("hdp-lex", {"agglomerative": difference}), row("agglomerative", {})]
    assert "| `agglomerative` – `hdp-lex` | +2.7 | +2.0 [+1.0, +5.0] holds |" in claims(
        [{"protocol": "yang2015", "rows": rows}]
    )


def test_systems_that_did_not_run_together_are_compared_through_lemma() -> None:
    ours = {"conll": 0.01, "interval": {"low": -0.01, "high": 0.02}}
    theirs = {"conll": -0.04, "interval": {"low": -0.06, "high": -0.03}}
    rows = [row("hddcrp", {"lemma": ours}), row("hdp-lex", {"lemma": theirs}), row("lemma", {})]
    page = claims([{"protocol": "yang2015", "rows": rows}])
    assert "| `hddcrp` – `hdp-lex` | +5.6 | ~+5.0 [+2.0, +8.0] holds |" in page


def test_hdp_lex_of_the_other_reading_counts_only_where_the_mentions_are_the_same() -> None:
    below = {"conll": -0.04, "interval": {"low": -0.06, "high": -0.03}}
    printed = [row(name, {}) | {"preset": "paper"} for name in ("lemma", "hddcrp")]
    printed.append(row("hdp-lex", {"lemma": below}) | {"preset": "paper"})
    for conll, cell in ((0.7, "-4.0 [-6.0, -3.0] fails"), (0.6, "")):
        programmed = [row("hddcrp", {}), row("lemma", {}) | {"conll": conll}]
        page = claims([{"protocol": "yang2015", "rows": [*printed, *programmed]}])
        assert f"| `hdp-lex` – `lemma` | +3.5 | -4.0 [-6.0, -3.0] fails | {cell} |" in page


def test_the_overview_names_what_does_not_hold() -> None:
    better = {"conll": 0.02, "interval": {"low": 0.01, "high": 0.03}}
    worse = {"conll": -0.02, "interval": {"low": -0.03, "high": -0.01}}
    differences = {
        "hddcrp-star": worse,
        "ddcrp": better,
        "agglomerative": better,
        "hdp-lex": better,
        "lemma": worse,
    }
    rows = [row("hddcrp", differences), *(row(name, {}) for name in differences)]
    page = claims([{"protocol": "yang2015", "rows": rows}])
    others = "holds: ddcrp, agglomerative, hdp-lex; fails: lemma"
    assert f"| Gold mentions, WD, `paper-code` | fails | {others} | not measured | not measured |" in page


def test_other_protocols_make_no_claims() -> None:
    assert claims([{"protocol": "cybulska", "rows": [row("hddcrp", {})]}]) == ""


def test_rules_show_the_score_and_the_change() -> None:
    shared = {"mentions": "gold", "filter": "none", "conll": 0.7, "conll_interval": {"low": 0.6, "high": 0.8}}
    change = {"difference": {"conll": 0.012, "interval": {"low": 0.0, "high": 0.02}}}
    rows = [
        shared | change | {"variant": name, "base": "paper", "unit": unit}
        for name in ("paper", "+ equal words")
        for unit in ("document", "subtopic")
    ]
    page = rules({"part": "test", "protocol": "yang2015", "rules": rows})
    assert "| + equal words | 70.0 | +1.2 [+0.0, +2.0] | 70.0 | +1.2 [+0.0, +2.0] | `paper` |" in page
    assert "| `paper` | 70.0 | [60.0, 80.0] | 70.0 | [60.0, 80.0] |  |" in page
