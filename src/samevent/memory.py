"""How much memory a run takes, from measurements (`benchmarks/memory.py`), so that a limit is kept or refused at once.

The need is that of the program, of every further process that parses, and so many bytes per word of the documents:
for the mention table, links, samples, reasons and events. What does not fit is spilled: tables, links and samples are
then memory-mapped, components are solved in small groups, and reasons are looked up in a file. While a run is under
way, a `Watchdog` looks at what its processes really hold, and lets go of what lies on disk as well.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from samevent.errors import UsageError

_PROGRAM, _ENCODER = 700e6, 150e6
"""The process itself, with its models, compiled code and what it works on at a time; what an encoder adds."""
_WORKER = 300e6
"""A process that parses."""
_PER_WORD, _SPILLED_PER_WORD = 1_500.0, 900.0
"""Mention table, links, samples, reasons, events and the report; the same if what is large is spilled."""
_VECTORS_PER_WORD = 900.0
"""Contextual vectors, which linking looks at all the time."""

_EVERY, _PATIENCE = 0.05, 1.0
"""Seconds between two looks at the memory, and after one that was of no help."""
_CLOSE = 0.85
"""The share of a limit from which on memory is given back."""

_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
_SIZE = re.compile(r"([0-9]*\.?[0-9]+)\s*([KMGT]I?)?B?", re.IGNORECASE)


def parsed_size(text: str) -> float:
    """Return the bytes that a size says.

    >>> parsed_size("4GB"), parsed_size("1.5 GiB"), parsed_size("800M")
    (4000000000.0, 1610612736.0, 800000000.0)
    """
    match = _SIZE.fullmatch(text.strip())
    if not match:
        raise UsageError(f"{text!r} is no amount of memory", expected="a number with a unit, such as 4GB")
    return float(match[1]) * _UNITS[(match[2] or "").upper()]


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """How a run keeps within its memory: with so many jobs, and what is large `spilled` to disk or not."""

    jobs: int
    spilled: bool = False


def needed(words: int, jobs: int, *, encoded: bool, spilled: bool = False) -> float:
    """Return the bytes that all processes of a run take together, at most."""
    workers = _WORKER * jobs if jobs > 1 else 0.0
    per_word = (_SPILLED_PER_WORD if spilled else _PER_WORD) + _VECTORS_PER_WORD * encoded
    return _PROGRAM + _ENCODER * encoded + workers + per_word * words


def plan_within(limit: float, words: int, jobs: int, *, encoded: bool, can_spill: bool = True) -> MemoryPlan:
    """Return how a run with at most so many jobs keeps within so many bytes; raise if it cannot.

    A run in one process that holds everything is preferred to several that spill.

    >>> plan_within(4e9, 100_000, 16, encoded=False)
    MemoryPlan(jobs=10, spilled=False)
    >>> plan_within(1.8e9, 1_000_000, 1, encoded=False)
    MemoryPlan(jobs=1, spilled=True)
    """
    for spilled in (False, True) if can_spill else (False,):
        for count in range(jobs, 0, -1):
            if needed(words, count, encoded=encoded, spilled=spilled) <= limit:
                return MemoryPlan(count, spilled)
    least = needed(words, 1, encoded=encoded, spilled=can_spill)
    raise UsageError(
        f"{words:,} words need about {least / 1e9:.1f} GB, and the limit is {limit / 1e9:.1f} GB",
        expected="a higher --memory",
        hint="resolve fewer documents at a time, choose the preset light, or use a cluster (--cluster)",
    )


def resident() -> float:
    """Return the bytes that this process and all that it started have in memory; 0 where nobody can tell."""
    return sum(map(_resident, _family(os.getpid())))


def trim() -> None:
    """Give free memory back to the system; the GNU C library keeps what many small arrays have taken until asked."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):  # another C library, or another system
        return


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended, or this is not Linux
        return [pid]
    return [pid, *(other for child in children for other in _family(int(child)))]


def _resident(pid: int) -> float:
    try:
        return float(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0.0


class Watchdog:
    """A thread that looks at the memory of a run, and calls `release` whenever it comes close to a limit.

        watchdog = Watchdog(4e9, scratch.release)
        watchdog.start()
        ...
        watchdog.stop()

    `peak` is the most that all processes had together when they were looked at.
    """

    def __init__(
        self, limit: float, release: Callable[[], None], *, held: Callable[[], float] = resident
    ) -> None:
        self.peak = 0.0
        self._limit, self._release, self._held = limit, release, held
        self._ended = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        self._thread.join()

    @property
    def exceeded(self) -> bool:
        """Whether the run had more than the limit."""
        return self.peak > self._limit

    def _watch(self) -> None:
        while not self._ended.wait(_EVERY):
            held = self._held()
            self.peak = max(self.peak, held)
            if held > _CLOSE * self._limit:
                self._release()
                if self._held() > _CLOSE * self._limit:
                    self._ended.wait(_PATIENCE)
