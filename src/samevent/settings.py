"""Settings: frozen dataclasses whose fields are changed by name, from a TOML file or the command line.

Nothing is guessed: an unknown name is an error that suggests a known one, and a value of the wrong type is an error
that says which type is expected. Ranges of values are checked by the dataclass itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from samevent.errors import FormatError, UsageError, place

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Settings = TypeVar("Settings", bound="DataclassInstance")


def changed(settings: Settings, changes: Mapping[str, object], *, where: str | None = None) -> Settings:
    """Return settings with some fields changed.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Oven:
    ...     degrees: float = 180.0
    >>> changed(Oven(), {"degrees": 200})
    Oven(degrees=200.0)
    """
    names = [field.name for field in fields(settings)]
    types = get_type_hints(type(settings))
    for name in changes:
        check_known("setting", name, names, where=where)
    return replace(
        settings, **{name: _typed(name, value, types[name], where) for name, value in changes.items()}
    )


def read_tables(path: Path) -> dict[str, dict[str, object]]:
    """Read a TOML file of tables, one per thing that has settings."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror or error})", where=place(path)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"is not TOML ({error})", where=place(path)) from error
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise FormatError(
                f"sets {name!r} outside of any table",
                where=place(path),
                expected="tables, such as [hddcrp], with settings in them",
            )
    return tables


def assignment(text: str) -> tuple[str, object]:
    """Return the name and the value of `NAME=VALUE`; what is not a TOML value is a string.

    >>> assignment("alpha_within=0.3"), assignment("answer=last")
    (('alpha_within', 0.3), ('answer', 'last'))
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise UsageError(f"the setting {text!r} is incomplete", expected="NAME=VALUE")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value


def check_known(what: str, name: str, known: Iterable[str], *, where: str | None = None) -> None:
    """Raise if a name is unknown, with a suggestion."""
    names = list(known)
    if name in names:
        return
    close = get_close_matches(name, names, n=1)
    raise UsageError(
        f"there is no {what} {name!r}",
        where=where,
        expected=f"one of {', '.join(names)}" if names else "none: there is nothing to set",
        hint=f"did you mean {close[0]}?" if close else None,
    )


def check_range(name: str, value: float, least: float, most: float) -> None:
    """Raise unless least <= value <= most."""
    if not least <= value <= most:
        raise UsageError(f"the setting {name!r} is {value}", expected=f"a number from {least:g} to {most:g}")


def _typed(name: str, value: object, wanted: Any, where: str | None) -> object:
    """Return a value in the type of its field: integers serve as floats, lists as tuples."""
    if get_origin(wanted) is tuple and isinstance(value, list | tuple):
        return tuple(_typed(name, item, get_args(wanted)[0], where) for item in value)
    if get_origin(wanted) is Literal:
        fits, kind = value in get_args(wanted), " or ".join(get_args(wanted))
    elif wanted is float:
        fits, kind = isinstance(value, int | float) and not isinstance(value, bool), "a number"
        value = float(value) if fits else value  # type: ignore[arg-type]
    elif wanted is int:
        fits, kind = isinstance(value, int) and not isinstance(value, bool), "a whole number"
    else:
        names = {bool: "true or false", str: "text"}
        fits, kind = isinstance(value, get_origin(wanted) or wanted), names.get(wanted, "a list")
    if not fits:
        raise UsageError(f"the setting {name!r} is {value!r}", where=where, expected=kind)
    return value
