"""What could not be read: counted and listed, with the reason and what to do, while everything else is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from samevent.errors import DataError, FormatError, SameventError

MOST = 10_000
"""More failures than this are no exceptions: it is the wrong file, or the wrong option."""
_SHOWN = 12
"""How many reasons are worth a line on a terminal; run.json has them all."""


@dataclass(slots=True)
class Unread:
    """Files of a folder, and rows of tables, that could not be read, in the order in which they were met."""

    errors: list[SameventError] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.errors)

    def add(self, error: SameventError) -> None:
        """Add what could not be read; raise if hardly anything can."""
        if len(self.errors) == MOST:
            raise DataError(
                f"more than {MOST:,} files or rows cannot be read, the first being {self.errors[0]}",
                hint="are these the right files?",
            ) from error
        self.errors.append(error)

    def summary(self) -> FormatError:
        """Return the error for inputs of which nothing could be read."""
        first = self.errors[0]
        return FormatError(
            f"none of the {len(self):,} files or rows can be read; {first.where}: {first.reason}",
            hint=first.hint,
        )

    def to_json(self) -> list[dict[str, str]]:
        """Return plain values for JSON: file, reason, and remedy where there is one."""
        return [
            {"file": error.where or "", "reason": error.reason}
            | ({"remedy": error.hint} if error.hint else {})
            for error in self.errors
        ]

    def lines(self) -> Iterator[str]:
        """Yield lines for a person: how many were not read, then each reason once with the files that it holds for."""
        if not self.errors:
            return
        yield f"{_counted(len(self.errors), 'file or row', 'files or rows')} could not be read:"
        by_reason: dict[str, list[str]] = {}
        for error in self.errors:
            reason = error.reason + (f". {error.hint[0].upper()}{error.hint[1:]}" if error.hint else "")
            by_reason.setdefault(reason, []).append(error.where or "")
        for reason, places in list(by_reason.items())[:_SHOWN]:
            more = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
            yield f"  {places[0]}{more}: {reason}"
        if len(by_reason) > _SHOWN:
            yield f"  {len(by_reason) - _SHOWN:,} more reasons"


def _counted(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"
