"""The time limit of a run: which part of it sampling gets, and when it cannot be kept.

Sampling is the only stage that can end at any moment. It gets what reading and linking leave and what comes after it
does not need. How long that will take is estimated from the time that linking took, so a slow or busy machine is
accounted for. Reading cannot be shortened: if it alone exceeds the limit, the run ends while little is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from samevent.errors import UsageError

Watch = Callable[[str, int, int, str], None]
"""Progress callback: stage, steps done, steps in all, and what was found so far."""

AFTER = 1.5
"""Judging an answer and writing all files take at most about so many times as long as compiling and linking."""
_READING = 0.6
"""The share of the limit that reading may take by its own estimate."""
_ENOUGH = 3.0
"""Seconds of reading after which its pace is known."""


class Clock:
    """Counts from now to a limit in seconds, if there is one."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._began = self._reading = self._linking = monotonic()

    def read(self, done: int, total: int) -> None:
        """Take note that so many documents have been read; raise if the limit cannot be kept."""
        seconds = monotonic() - self._reading
        if self._limit is None or seconds < _ENOUGH or done >= total:
            return
        whole = self._reading - self._began + seconds * total / done
        if whole > self._limit:
            raise UsageError(
                f"the time limit of {self._limit:g} s cannot be kept: reading {total:,} documents takes about "
                f"{whole:.0f} s",
                expected=f"at least --time-limit {whole / _READING:.0f}",
                hint="documents that were read are remembered, so the next run is faster",
            )

    def watching(self, watch: Watch | None) -> Watch | None:
        """Begin to read; return a progress callback that also takes note of documents read."""
        if self._limit is None:
            return watch
        self._reading = monotonic()

        def show(stage: str, done: int, total: int, note: str) -> None:
            if stage == "reading":
                self.read(done, total)
            if watch:
                watch(stage, done, total, note)

        return show

    def begin_linking(self) -> None:
        """Take note that documents have been read."""
        self._linking = monotonic()

    def sampling(self) -> float | None:
        """Return the seconds that sampling has, once links are known; None without a limit."""
        if self._limit is None:
            return None
        now = monotonic()
        # A limit that is over already leaves everything to the pair model, whose answer needs no time.
        return max(self._began + self._limit - AFTER * (now - self._linking) - now, 1e-3)
