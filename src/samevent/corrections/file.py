"""Decisions in a file, `corrections.jsonl`: one line each, appended as they are made, never changed.

A line is on disk before `append` returns. If a process dies while it writes, the last line may be torn: it is left out
when the file is read, which is reported, and cut off before the next decision is written.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from samevent.corrections.decisions import Decision
from samevent.errors import DataError, FormatError, located, place

CORRECTIONS_FILE = "corrections.jsonl"
MOST_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class Corrections:
    """Decisions in the order in which they were made.

    `lines` are their line numbers in the file `path`, whose last line may have been `torn`.
    """

    decisions: tuple[Decision, ...] = ()
    lines: tuple[int, ...] = ()
    path: str = ""
    torn: bool = False

    def __post_init__(self) -> None:
        if len(self.lines) < len(self.decisions):
            object.__setattr__(self, "lines", tuple(range(1, len(self.decisions) + 1)))

    def __len__(self) -> int:
        return len(self.decisions)

    @property
    def standing(self) -> tuple[tuple[int, Decision], ...]:
        """The decisions that no later one has undone, with their numbers."""
        undone = set[str]()
        kept = []
        for number, decision in reversed(list(enumerate(self.decisions))):
            if decision.id and decision.id in undone:
                continue
            if decision.undoes is not None:
                undone.add(decision.undoes)
            else:
                kept.append((number, decision))
        return tuple(reversed(kept))

    def place(self, number: int) -> str:
        """Return where a decision stands, for messages."""
        return place(self.path, self.lines[number]) if self.path else f"decision {number + 1}"

    @property
    def text(self) -> str:
        """The lines of a file with these decisions."""
        return b"".join(map(_line, self.decisions)).decode()

    @property
    def digest(self) -> str:
        """The SHA-256 of a file with these decisions, as samevent writes it."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_corrections(path: Path) -> Corrections:
    """Read the decisions of a file; an absent line end means that the last line was cut short."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FormatError(
                f"is larger than {MOST_BYTES:,} bytes", where=place(path), expected="a file of decisions"
            )
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", where=place(path)) from error
    return parse_corrections(data, path)


def parse_corrections(data: bytes, path: Path | str = CORRECTIONS_FILE) -> Corrections:
    """Return the decisions in the bytes of a file."""
    *lines, rest = data.split(b"\n")
    decisions, numbers = [], []
    for number, line in enumerate(lines, 1):
        if line.strip():
            with located(path, number):
                decisions.append(_parsed(line))
            numbers.append(number)
    torn = bool(rest.strip())
    if torn and (last := _whole(rest)):
        decisions.append(last)
        numbers.append(len(lines) + 1)
        torn = False
    seen = dict[str, int]()
    for number, decision in zip(numbers, decisions, strict=True):
        if decision.id and seen.setdefault(decision.id, number) != number:
            raise FormatError(
                f"has the id {decision.id!r} of line {seen[decision.id]}",
                where=place(path, number),
                expected="an id of its own for each decision",
            )
        if decision.undoes is not None and decision.undoes not in seen:
            raise FormatError(
                f"undoes {decision.undoes!r}",
                where=place(path, number),
                expected="the id of an earlier decision",
            )
    return Corrections(tuple(decisions), tuple(numbers), str(path), torn)


def append(path: Path, decisions: Sequence[Decision]) -> None:
    """Add decisions to the end of a file, which need not exist; they are on disk when this returns.

    Only one process may do so at a time.
    """
    new = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
    with os.fdopen(descriptor, "r+b") as file:
        data = file.read()
        end = data.rfind(b"\n") + 1
        rest = data[end:]
        if rest.strip() and _whole(rest):
            decided = b"\n"
        else:
            file.truncate(end)
            decided = b""
        file.seek(0, os.SEEK_END)
        file.write(decided + b"".join(map(_line, decisions)))
        file.flush()
        os.fsync(file.fileno())
    if new:
        _sync_folder(path.absolute().parent)


def _sync_folder(folder: Path) -> None:
    """Put the name of a new file on disk, where the system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _line(decision: Decision) -> bytes:
    return json.dumps(decision.to_json(), ensure_ascii=False).encode() + b"\n"


def _parsed(line: bytes) -> Decision:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"is not JSON ({error})", expected="one decision per line, as samevent review writes them"
        ) from error
    return Decision.from_json(data)


def _whole(line: bytes) -> Decision | None:
    """Return the decision of a line without an end, or None if it was cut short."""
    try:
        return _parsed(line)
    except DataError:
        return None
