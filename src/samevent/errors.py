"""Everything that can go wrong, as one tree.

    SameventError
    ├── DataError            what was read or built does not hold together
    │   ├── FormatError      a file cannot be understood
    │   └── CorpusError      values of a document, mention or clustering disagree
    ├── UsageError           a call or a command line asks for something that makes no sense
    └── OutputExistsError    writing would overwrite something

A message says what was found, where, what was expected and what to do. Library code raises; only the
command line turns an error into words on stderr and an exit status.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 600
"""Characters of what was found that a message shows."""


class SameventError(Exception):
    """The root: one `except` catches whatever samevent raises on purpose."""

    exit_status = 1

    def __init__(
        self, what: str, *, where: str | None = None, expected: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.expected = expected
        self.hint = hint

    def __str__(self) -> str:
        what = self.what
        if len(what) > LONGEST:  # somebody's whole file may be quoted in it
            what = f"{what[: LONGEST // 2]} … {what[-LONGEST // 2 :]}"
        text = f"{self.where}: {what}" if self.where else what
        if self.expected:
            text += f"; expected {self.expected}"
        if self.hint:
            text += f". {self.hint[0].upper()}{self.hint[1:]}"
        return text


class DataError(SameventError):
    """What was read or built does not hold together."""


class FormatError(DataError):
    """A file cannot be understood as the format it is read as."""


class CorpusError(DataError):
    """The values of a document, mention or clustering disagree."""


class UsageError(SameventError):
    """A call or a command line asks for something that makes no sense."""

    exit_status = 2


class OutputExistsError(SameventError):
    """Writing would overwrite something, and nobody asked for that."""


def place(path: Path | str, line: int | None = None) -> str:
    """Name a place in a file the way editors and compilers do.

    >>> place("news/a.jsonl", 12)
    'news/a.jsonl:12'
    """
    name = "<stdin>" if str(path) == "-" else str(path)
    return name if line is None else f"{name}:{line}"


@contextmanager
def located(path: Path | str, line: int | None = None) -> Iterator[None]:
    """Give errors raised inside the place they came from, unless they already know it."""
    try:
        yield
    except SameventError as error:
        if error.where is None:
            error.where = place(path, line)
        raise


def check_absent(path: Path, *, overwrite: bool) -> None:
    """Raise if the path exists (unless `overwrite`) or its folder does not."""
    if path.exists() and not overwrite:
        raise OutputExistsError("already exists", where=place(path), hint="use --force to overwrite it")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {str(path.parent)!r} to write into", where=place(path))
