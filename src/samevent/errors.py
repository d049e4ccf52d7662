"""All errors that samevent raises, as one tree.

    SameventError
    ├── DataError            invalid data, read or built
    │   ├── FormatError      a file that cannot be read
    │   └── CorpusError      inconsistent values in a document, mention or clustering
    ├── UsageError           an invalid call or command line
    ├── ClusterError         a cluster that cannot be reached, or was lost
    └── OutputExistsError    output that would overwrite something

A message says what was found, where, what was expected and what to do. Library code raises; only the command line
prints errors and exits.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import UnionType

LONGEST = 600
"""Longer descriptions are cut in messages."""


class SameventError(Exception):
    """The root: catches every error that samevent raises deliberately."""

    exit_status = 1

    def __init__(
        self, what: str, *, where: str | None = None, expected: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.expected = expected
        self.hint = hint

    @property
    def reason(self) -> str:
        """What was found and expected, without the place and what to do."""
        what = self.what
        if len(what) > LONGEST:  # it may quote a whole file
            what = f"{what[: LONGEST // 2]} … {what[-LONGEST // 2 :]}"
        return f"{what}; expected {self.expected}" if self.expected else what

    def __str__(self) -> str:
        text = f"{self.where}: {self.reason}" if self.where else self.reason
        if self.hint:
            text += f". {self.hint[0].upper()}{self.hint[1:]}"
        return text


class DataError(SameventError):
    """Invalid data, read or built."""


class FormatError(DataError):
    """A file that cannot be read in its format."""


class CorpusError(DataError):
    """Inconsistent values in a document, mention or clustering."""


class UsageError(SameventError):
    """An invalid call or command line."""

    exit_status = 2


class ClusterError(SameventError):
    """A cluster that cannot be reached, or was lost."""


class OutputExistsError(SameventError):
    """Output that would overwrite something without permission."""


class UnreadWarning(UserWarning):
    """Files of a folder, or rows of a table, could not be read and were left out."""


def check_type(value: object, kinds: type | UnionType, expected: str, *, hint: str | None = None) -> None:
    """Raise unless a value is of one of these types.

    >>> check_type(["a text"], int | str, "a number or a name")
    Traceback (most recent call last):
    samevent.errors.UsageError: got ['a text'], of type list; expected a number or a name
    """
    if not isinstance(value, kinds):
        shown = reprlib.repr(value)
        raise UsageError(f"got {shown}, of type {type(value).__name__}", expected=expected, hint=hint)


def checked_path(value: object) -> Path:
    """Return a file name as a path; raise if it is none."""
    check_type(value, str | Path, "the name of a file or folder")
    return Path(str(value))


_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Return text with escapes for what would control a terminal or break a line: file names may contain anything.

    >>> print(printable("red\\x1b[31m.txt"))
    red\\x1b[31m.txt
    """
    return _UNPRINTABLE.sub(lambda character: character[0].encode("unicode_escape").decode(), text)


def counted(count: int, thing: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "mention"), counted(1200, "mention"), counted(2, "story")
    ('1 mention', '1,200 mentions', '2 stories')
    """
    several = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{count:,} {thing if count == 1 else several}"


def place(path: Path | str, line: int | None = None) -> str:
    """Return a location in a file as editors and compilers write it.

    >>> place("news/a.jsonl", 12)
    'news/a.jsonl:12'
    """
    name = "<stdin>" if str(path) == "-" else str(path)
    return name if line is None else f"{name}:{line}"


@contextmanager
def located(path: Path | str, line: int | None = None) -> Iterator[None]:
    """Add the location to errors raised inside that have none."""
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
        raise UsageError(
            f"the folder {str(path.parent)!r} does not exist",
            where=place(path),
            expected="an existing folder",
        )
