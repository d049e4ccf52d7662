from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from samevent.events import Reason, Why
from samevent.formats.store import LineFile
from samevent.results import stored
from samevent.results.stored import StoredValues


def test_values_are_read_again_only_after_many_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "_RECENT", 3)
    read: Counter[int] = Counter()
    line = LineFile.line

    def counted(file: LineFile, place: int) -> bytes:
        read[place] += 1
        return line(file, place)

    monkeypatch.setattr(LineFile, "line", counted)
    whys = {f"m{n}": Why(f"m{n + 1}", 0.5, 0.25, (Reason("same word", n / 2),)) for n in range(6)}
    values = StoredValues(tmp_path, Why.from_json)
    values.add(whys)
    assert values["m0"] == values["m0"] == whys["m0"]
    assert read == {0: 1}
    assert {key: values[key] for key in values} == whys
    assert values["m0"] == whys["m0"]
    assert read[0] == 2
