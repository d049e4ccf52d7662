"""The official scorer's own cases: every numerator and denominator that it prints."""

from __future__ import annotations

import json
from typing import Any

import pytest

from builders import DATA, needs_data
from samevent.errors import FormatError
from samevent.formats import read
from samevent.scoring import pair, scores_of
from samevent.scoring.scores import tallies

CASES = DATA / "conll-scorer-cases"
EXPECTED: dict[str, Any] = (
    json.loads((CASES / "expected.json").read_text())
    if (CASES / "expected.json").exists()
    else {"no data": {}}
)
REPEATING = ["TC-A-8.response", "TC-A-9.response"]


@needs_data("conll-scorer-cases")
@pytest.mark.parametrize("case", EXPECTED)
def test_case_equals_the_official_scorer(case: str) -> None:
    expected = EXPECTED[case]
    pairing = pair(read(CASES / expected["key"]), read(CASES / case, repeats=True))
    sums = {name: tally.sum(axis=0) for name, tally in tallies(pairing).items()}
    for theirs, ours in {"muc": "muc", "bcub": "bcubed", "ceafm": "ceafm", "ceafe": "ceafe"}.items():
        official = expected[theirs]["recall"] + expected[theirs]["precision"]
        assert sums[ours] == pytest.approx(official, abs=1e-9), theirs
    blanc = scores_of(pairing).blanc
    assert blanc.recall == pytest.approx(expected["blanc"]["recall"], abs=1e-9)
    assert blanc.precision == pytest.approx(expected["blanc"]["precision"], abs=1e-9)
    assert expected["blanc"]["f1_percent"] - 1e-9 <= 100 * blanc.f1 < expected["blanc"]["f1_percent"] + 0.01


@needs_data("conll-scorer-cases")
def test_there_are_36_cases() -> None:
    assert len(EXPECTED) == 36


@needs_data("conll-scorer-cases")
@pytest.mark.parametrize("case", REPEATING)
def test_a_repeated_span_is_noted_when_scored_and_rejected_elsewhere(case: str) -> None:
    notes = pair(read(CASES / "TC-A.key"), read(CASES / case, repeats=True)).notes
    assert any("repeat a span" in note for note in notes)
    with pytest.raises(FormatError, match=rf"{case}:5: tokens 3-7 .* clusters 1, 3"):
        read(CASES / case)
