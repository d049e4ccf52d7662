"""Files of an update: what did not change is copied byte by byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samevent.errors import FormatError
from samevent.formats.sheets import written
from samevent.partitions.posterior import Line
from samevent.results.probabilities import SavedProbabilities
from samevent.results.rows import Row
from samevent.updates.splicing import line_ids, spliced_probabilities, spliced_table

COLUMNS = ("event", "label")


def table(tmp_path: Path, rows: list[tuple[str, str]]) -> Path:
    path = tmp_path / "events.csv"
    path.write_text("".join(written(COLUMNS, rows)), "utf-8", newline="")
    return path


def test_rows_are_replaced_removed_and_added(tmp_path: Path) -> None:
    odd = 'a "raid",\r\non two lines; =SUM(1)'
    path = table(tmp_path, [("e1", odd), ("e2", "x"), ("e2", "y"), ("e3", "z"), ("e4", "last")])
    changed: dict[str, list[Row]] = {
        "e2": [{"event": "e2", "label": "new"}, {"event": "e2", "label": "er"}],
        "e9": [{"event": "e9", "label": odd}],
    }
    text = "".join(spliced_table(path, COLUMNS, changed, {"e2", "e3"}))
    expected = [("e1", odd), ("e2", "new"), ("e2", "er"), ("e4", "last"), ("e9", odd)]
    assert text == "".join(written(COLUMNS, expected))


def test_a_table_without_changes_keeps_its_bytes(tmp_path: Path) -> None:
    path = table(tmp_path, [("e1", 'quo"te'), ("e2", "-1"), ("e3", "")])
    assert "".join(spliced_table(path, COLUMNS, {}, ())).encode() == path.read_bytes()


def test_ids_are_found_without_reading_lines_to_their_end() -> None:
    long = "x" * 2000
    lines = [b'{"id": "a", broken', f'{{"id": "{long}"}}'.encode(), '{"id": "\u00e9\\n", '.encode()]
    assert list(line_ids(lines)) == ["a", long, "\u00e9\n"]
    with pytest.raises(FormatError, match="line 1 is not one that samevent run wrote"):
        list(line_ids([b'{"text": ""}']))


def test_untouched_probabilities_stay() -> None:
    old = SavedProbabilities(
        ("a", "b", "c"), np.array([[0, 0, 2], [0, 1, 2]], np.uint8), np.array([0, 1], np.int32),
        np.array([1, 2], np.int32), np.array([0.5, 0.25]), Line(),
    )  # fmt: skip
    touched = np.array([False, False, True, True])
    new = spliced_probabilities(old, ["a", "b", "c", "d"], touched, [])
    assert new.samples.tolist() == [[0, 0, 2, 3], [0, 1, 2, 3]]
    assert (new.left.tolist(), new.right.tolist()) == ([0, 1], [1, 2])
    touched[:2] = True
    assert spliced_probabilities(old, ["a", "b", "c", "d"], touched, []).left.tolist() == []
