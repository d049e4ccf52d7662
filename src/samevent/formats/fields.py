"""Read JSON objects and typed fields; errors name the field."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, TypeGuard

from samevent.errors import FormatError, place

Json = Mapping[str, Any]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str) -> Any:
    """Read JSON that can be written back, or raise a ValueError."""
    try:
        data = json.loads(text, parse_constant=_finite, parse_float=_finite)
        if _SURROGATE.search(text):
            json.dumps(
                data, ensure_ascii=False
            ).encode()  # half a surrogate pair could be read, but never written
    except RecursionError as error:
        raise ValueError(str(error)) from error
    return data


def parsed(text: str, path: Path, first_line: int = 1) -> Json:
    """Read one JSON object; `path` and `first_line` locate the text."""
    try:
        data = loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"is not valid JSON ({error.msg} at column {error.colno})",
            where=place(path, first_line + error.lineno - 1),
            expected="a JSON object",
        ) from error
    except ValueError as error:
        raise FormatError(f"is not valid JSON ({error})", expected="a JSON object") from error
    if not isinstance(data, dict):
        raise FormatError(f"is a JSON {type(data).__name__}", expected="a JSON object")
    return data


def string(data: Json, name: str, *, required: bool = False) -> Any:
    """Read a string; null and a missing field are None unless it is required."""
    value = data.get(name)
    if type(value) is str:  # nearly always
        return value
    if value is None and required:
        raise FormatError(f"the field {name!r} is missing", expected=f"a string {name!r}")
    if value is not None and not isinstance(value, str):
        raise FormatError(f"the field {name!r} is {value!r}", expected="a string")
    return value


def label(data: Json, name: str, *, required: bool = False) -> Any:
    """Read a string that may be written as a whole number, as ids and topics often are."""
    value = data.get(name)
    if type(value) is str:  # nearly always
        return value
    return str(value) if _is_integer(value) else string(data, name, required=required)


def integer(data: Json, name: str) -> int:
    """Read a whole number."""
    value = data.get(name)
    if not _is_integer(value):
        raise FormatError(f"the field {name!r} is {value!r}", expected="a whole number")
    return value


def number(data: Json, name: str) -> float | None:
    """Read a number; null and a missing field are None."""
    value = data.get(name)
    if value is not None and not _is_integer(value) and not isinstance(value, float):
        raise FormatError(f"the field {name!r} is {value!r}", expected="a number")
    return value


def truth(data: Json, name: str) -> bool:
    """Read true or false; null and a missing field are false."""
    value = data.get(name)
    if value is not None and not isinstance(value, bool):
        raise FormatError(f"the field {name!r} is {value!r}", expected="true or false")
    return bool(value)


def list_of(data: Json, name: str, of: type, called: str) -> list[Any]:
    """Read a list of values of one type; a missing field is an empty list."""
    if name not in data:
        return []
    value = data[name]
    if not isinstance(value, list) or not all(isinstance(v, of) and not isinstance(v, bool) for v in value):
        raise FormatError(f"the field {name!r} is not a list of {called}", expected=f"a list of {called}")
    return value


def _is_integer(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _finite(number: str) -> float:
    # JSON itself has no NaN and no infinity.
    value = float(number)
    if not isfinite(value):
        raise ValueError(f"{number} is not a finite number")
    return value
