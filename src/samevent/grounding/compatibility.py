"""Whether two events may be one by when, where, how many and who: on arrays, for millions of pairs.

`Referents` holds what the events of a corpus refer to, one row per event mention. Names are 64-bit hashes, so tables
that are compiled apart can be joined. Each comparison is symmetric and NaN where one side is unknown:

    same 1, compatible between 0 and 1, contradicting 0; of times, days apart
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.corpus import SOURCES, Quantity, Reference, When, Where

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]
Who = tuple[str, str]
"""A role (`ARG0`, `ARG1` or another), and the id or name of who plays it."""

AGENT, PATIENT, OTHER = 1, 2, 0
ROLES = {"ARG0": AGENT, "ARG1": PATIENT}
_STATED = 2
"""Sources up to this one are stated near the event; the last one is the document."""


@dataclass(frozen=True, slots=True, eq=False)
class Referents:
    """What event mentions refer to; row r has the places, quantities and persons `starts[r]:starts[r + 1]`.

    `first` and `last` are days (NaN unknown, infinite if open). `when_source` and `where_source` are 1 for an argument,
    2 for the sentence, 3 for the document and 0 for unknown. `place` has the codes of what contains a place, the
    largest first, and of itself; `known` is whether the gazetteer knows it.
    """

    first: NDArray[np.float32]
    last: NDArray[np.float32]
    when_source: NDArray[np.int8]
    where_source: NDArray[np.int8]
    known: NDArray[np.bool_]
    place_starts: NDArray[np.int64]
    place: NDArray[np.int64]
    quantity_starts: NDArray[np.int64]
    unit: NDArray[np.int64]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    who_starts: NDArray[np.int64]
    who: NDArray[np.int64]
    role: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.first)

    def take(self, rows: NDArray[np.int32] | NDArray[np.int64]) -> Referents:
        """Return some rows, in this order."""
        place, places = _taken(self.place_starts, rows)
        quantity, quantities = _taken(self.quantity_starts, rows)
        who, persons = _taken(self.who_starts, rows)
        return Referents(
            first=self.first[rows],
            last=self.last[rows],
            when_source=self.when_source[rows],
            where_source=self.where_source[rows],
            known=self.known[rows],
            place_starts=place,
            place=self.place[places],
            quantity_starts=quantity,
            unit=self.unit[quantities],
            low=self.low[quantities],
            high=self.high[quantities],
            who_starts=who,
            who=self.who[persons],
            role=self.role[persons],
        )

    @classmethod
    def stack(cls, parts: Sequence[Referents]) -> Referents:
        """Return the rows of all parts, one after the other."""
        parts = [compile_referents([]), *parts]

        def joined(name: str) -> Any:
            return np.concatenate([getattr(part, name) for part in parts])

        def starts(name: str) -> Any:
            sizes = np.concatenate([np.diff(getattr(part, name)) for part in parts])
            return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

        names = cls.__dataclass_fields__
        return cls(**{name: starts(name) if name.endswith("_starts") else joined(name) for name in names})


def compile_referents(events: Iterable[tuple[Reference | None, Sequence[Who]]]) -> Referents:
    """Return what events refer to, and who takes part in them, as arrays."""
    rows = [(reference or Reference(), whos) for reference, whos in events]
    whens = [_days(reference.when) for reference, _ in rows]
    paths = [_path(reference.where) for reference, _ in rows]
    counted = [reference.quantities for reference, _ in rows]
    quantities = list(chain.from_iterable(counted))
    persons = list(chain.from_iterable(whos for _, whos in rows))
    return Referents(
        first=np.array([first for first, _ in whens], np.float32),
        last=np.array([last for _, last in whens], np.float32),
        when_source=np.array([_source(reference.when) for reference, _ in rows], np.int8),
        where_source=np.array([_source(reference.where) for reference, _ in rows], np.int8),
        known=np.array([bool(r.where and (r.where.id or r.where.within)) for r, _ in rows], np.bool_),
        place_starts=_starts(paths),
        place=np.array(list(chain.from_iterable(paths)), np.int64),
        quantity_starts=_starts(counted),
        unit=np.array([code(quantity.unit) for quantity in quantities], np.int64),
        low=np.array([-np.inf if q.low is None else q.low for q in quantities], np.float32),
        high=np.array([np.inf if q.high is None else q.high for q in quantities], np.float32),
        who_starts=_starts([whos for _, whos in rows]),
        who=np.array([code(name) for _, name in persons], np.int64),
        role=np.array([ROLES.get(role, OTHER) for role, _ in persons], np.int8),
    )


@lru_cache(maxsize=65_536)
def code(name: str) -> int:
    """Return a name as a number, the same in every process."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), signed=True)


def days_apart(referents: Referents, i: Rows, j: Rows) -> Floats:
    """Return how many days lie between two events, if both times are stated: 0 if they may be of one day."""
    first, last = _times(referents)
    with np.errstate(invalid="ignore"):
        gap = np.maximum(first[i], first[j]) - np.minimum(last[i], last[j])
    return np.where(np.isnan(gap), np.nan, np.clip(gap, 0.0, 1e6)).astype(np.float64)


def time_overlap(referents: Referents, i: Rows, j: Rows) -> Floats:
    """Return the share of the days of either event that both have, if both times are stated: 1 the same, 0 apart."""
    first, last = _times(referents)
    with np.errstate(invalid="ignore"):
        shared = np.minimum(last[i], last[j]) - np.maximum(first[i], first[j]) + 1
        either = np.maximum(last[i], last[j]) - np.minimum(first[i], first[j]) + 1
        share = np.clip(shared, 0, None) / either
    shares: Floats = share.astype(np.float64)
    return shares


def same_place(referents: Referents, i: Rows, j: Rows) -> Floats:
    """Compare two stated places: 1 the same, 3/4 one contains the other, at most 1/2 they exclude each other.

    The more of what contains them is the same, the less they contradict: two towns of a county are closer than two of
    different countries, which are 0.
    """
    out = np.empty(len(i))
    stated = _stated(referents.where_source)
    _places(referents.place_starts, referents.place, stated, referents.known, i, j, out)
    return out


def same_quantities(worst: bool, referents: Referents, i: Rows, j: Rows) -> Floats:
    """Compare quantities of the same unit: 1 equal, 1/2 compatible (*at least 30* and 35), 0 contradicting.

    Of one unit, the two that agree best count; of several units, the one that agrees best, or least if `worst`.
    """
    out = np.empty(len(i))
    _quantities(referents.quantity_starts, referents.unit, referents.low, referents.high, i, j, worst, out)
    return out


def same_who(role: int, referents: Referents, i: Rows, j: Rows) -> Floats:
    """Return whether somebody plays this role in both events; NaN if nobody is known in one. `OTHER` is any role."""
    out = np.empty(len(i))
    _who(referents.who_starts, referents.who, referents.role, role, i, j, out)
    return out


Comparison = Callable[[Referents, Rows, Rows], Floats]


@njit(cache=True, nogil=True)
def _places(starts, place, stated, known, i, j, out):  # type: ignore[no-untyped-def]
    for pair in range(len(i)):
        a, b = i[pair], j[pair]
        first, second = starts[a], starts[b]
        m, n = starts[a + 1] - first, starts[b + 1] - second
        shared = 0
        while shared < m and shared < n and place[first + shared] == place[second + shared]:
            shared += 1
        if not stated[a] or not stated[b]:
            out[pair] = np.nan
        elif shared == m and shared == n:
            out[pair] = 1.0
        elif not known[a] or not known[b]:
            out[pair] = np.nan
        elif shared == min(m, n):
            out[pair] = 0.75
        else:
            out[pair] = 0.5 * shared / min(m, n)


@njit(cache=True, nogil=True)
def _quantities(starts, unit, low, high, i, j, worst, out):  # type: ignore[no-untyped-def]
    for pair in range(len(i)):
        a, b = i[pair], j[pair]
        answer = np.nan
        for at in range(starts[a], starts[a + 1]):
            best = -1.0
            for first in range(starts[a], starts[a + 1]):
                if unit[first] != unit[at]:
                    continue
                for other in range(starts[b], starts[b + 1]):
                    if unit[other] == unit[at]:
                        if low[first] == low[other] and high[first] == high[other]:
                            best = 1.0
                        elif low[first] <= high[other] and low[other] <= high[first]:
                            best = max(best, 0.5)
                        else:
                            best = max(best, 0.0)
            if best >= 0.0:
                answer = best if np.isnan(answer) else min(answer, best) if worst else max(answer, best)
        out[pair] = answer


@njit(cache=True, nogil=True)
def _who(starts, who, role, asked, i, j, out):  # type: ignore[no-untyped-def]
    for pair in range(len(i)):
        a, b = i[pair], j[pair]
        answer = np.nan
        for first in range(starts[a], starts[a + 1]):
            if asked != 0 and role[first] != asked:
                continue
            for other in range(starts[b], starts[b + 1]):
                if asked == 0 or role[other] == asked:
                    if who[first] == who[other]:
                        answer = 1.0
                    elif np.isnan(answer):
                        answer = 0.0
        out[pair] = answer


def _stated(source: NDArray[np.int8]) -> NDArray[np.bool_]:
    return (source > 0) & (source <= _STATED)


def _times(referents: Referents) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    near = _stated(referents.when_source)
    first = np.where(near, referents.first, np.float32(np.nan))
    return first, np.where(near, referents.last, np.float32(np.nan))


def _days(when: When | None) -> tuple[float, float]:
    if when is None or when.duration:
        return np.nan, np.nan
    first = date.fromisoformat(when.start).toordinal() if when.start else -np.inf
    return first, date.fromisoformat(when.end).toordinal() if when.end else np.inf


def _path(where: Where | None) -> list[int]:
    if where is None:
        return []
    path = where.path
    return [code(", ".join(path[at:])) for at in range(len(path) - 1, -1, -1)]


def _source(part: When | Where | Quantity | None) -> int:
    return SOURCES.index(part.source) + 1 if part and part.source else int(bool(part))


def _starts(lists: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)


def _taken(
    starts: NDArray[np.int64], rows: NDArray[np.int32] | NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the starts of some rows, and the entries that they have."""
    sizes = starts[rows + 1] - starts[rows]
    new = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return new, np.arange(new[-1]) + np.repeat(starts[rows] - new[:-1], sizes)
