from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from samevent.errors import FormatError, UsageError
from samevent.settings import assignment, changed, check_range, read_tables


@dataclass(frozen=True)
class Oven:
    degrees: float = 180.0
    minutes: int = 20
    fan: bool = False
    mode: Literal["top", "bottom"] = "top"
    label: str = ""
    trays: tuple[Literal["upper", "lower"], ...] = ("upper",)


def test_settings_are_changed_by_name() -> None:
    found = changed(
        Oven(),
        {"degrees": 200, "minutes": 5, "fan": True, "mode": "bottom", "label": "bread", "trays": ["lower"]},
    )
    assert found == Oven(200.0, 5, True, "bottom", "bread", ("lower",))
    assert isinstance(found.degrees, float)
    assert changed(Oven(), {}) == Oven()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"degres": 1}, "there is no setting 'degres'; expected one of degrees, .*Did you mean degrees"),
        ({"xyz": 1}, "there is no setting 'xyz'; expected one of degrees, minutes, fan, mode, label, trays$"),
        ({"degrees": "hot"}, "the setting 'degrees' is 'hot'; expected a number"),
        ({"degrees": True}, "the setting 'degrees' is True; expected a number"),
        ({"minutes": 2.5}, "the setting 'minutes' is 2.5; expected a whole number"),
        ({"minutes": True}, "expected a whole number"),
        ({"fan": 1}, "the setting 'fan' is 1; expected true or false"),
        ({"mode": "left"}, "the setting 'mode' is 'left'; expected top or bottom"),
        ({"mode": ["top"]}, "expected top or bottom"),
        ({"label": 3}, "expected text"),
        ({"trays": "upper"}, "the setting 'trays' is 'upper'; expected a list"),
        ({"trays": ["middle"]}, "the setting 'trays' is 'middle'; expected upper or lower"),
    ],
)
def test_wrong_names_and_values_are_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        changed(Oven(), changes)


def test_errors_say_where_a_setting_was_read() -> None:
    with pytest.raises(UsageError, match=r"^oven.toml: there is no setting"):
        changed(Oven(), {"x": 1}, where="oven.toml")


@pytest.mark.parametrize(
    ("text", "value"),
    [("a=3", 3), ("a = 0.5", 0.5), ("a=1e-7", 1e-7), ("a=true", True), ("a=last", "last"),
     ('a="3"', "3"), ('a=["x", "y"]', ["x", "y"]), ("a=b=c", "b=c")],
)  # fmt: skip
def test_assignments_hold_toml_values_or_plain_words(text: str, value: object) -> None:
    assert assignment(text) == ("a", value)


@pytest.mark.parametrize("text", ["", "a", "a=", "=3", " = "])
def test_incomplete_assignments_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected NAME=VALUE"):
        assignment(text)


def test_tables_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "oven.toml"
    path.write_text("[oven]\ndegrees = 200\n[grill]\n")
    assert read_tables(path) == {"oven": {"degrees": 200}, "grill": {}}


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (b"degrees = 200", FormatError, "sets 'degrees' outside of any table"),
        (b"[oven\n", FormatError, "is not TOML"),
        (b"\xff", FormatError, "is not TOML"),
        (None, UsageError, "cannot be read"),
    ],
)
def test_files_that_hold_no_tables_are_refused(
    tmp_path: Path, content: bytes | None, error: type[Exception], says: str
) -> None:
    path = tmp_path / "oven.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=f"oven.toml: {says}"):
        read_tables(path)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_numbers_outside_a_range_are_refused(value: float) -> None:
    check_range("share", 0.0, 0, 1)
    check_range("share", 1.0, 0, 1)
    with pytest.raises(UsageError, match=r"the setting 'share' is .*; expected a number from 0 to 1"):
        check_range("share", value, 0, 1)
