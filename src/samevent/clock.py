"""The time limit of a run: which part of it sampling gets, and when it cannot be kept.

Sampling is the only stage that can end at any moment. It gets what reading and linking leave and what comes after it
does not need, estimated by the number of mentions and by how busy the machine was while they were linked. Reading
cannot be shortened: if it alone exceeds the limit, the run ends while little is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, process_time

from samevent.errors import UsageError

Watch = Callable[[str, int, int, str], None]
"""Progress callback: stage, steps done, steps in all, and what was found so far."""

AFTER = 6e-4
"""CPU seconds per event mention for judging an answer and writing all files, as measured by benchmarks/update.py."""
ENDING = 2.0
"""CPU seconds for the same that do not depend on mentions: joining the last answers, and leaving the program."""
_READING = 0.6
"""The share of the limit that reading may take by its own estimate."""
_ENOUGH, _SHARE = 3.0, 0.1
"""Seconds of reading and the share of the documents after which the pace is known."""


class Clock:
    """Counts to a limit in seconds, if there is one: from now, or from when a command `began` (`time.monotonic`)."""

    def __init__(self, limit: float | None, began: float | None = None) -> None:
        self._limit = limit
        self._began = monotonic() if began is None else began
        self._linking = monotonic(), process_time()
        self._first: tuple[float, int] | None = None

    def read(self, done: int, total: int) -> None:
        """Take note that so many documents have been read; raise if reading all takes longer than the limit."""
        now = monotonic()
        if self._first is None:  # before it, models were loaded
            self._first = now, done
        if self._limit is None or done >= total:
            return
        began, before = self._first
        late = now - self._began > self._limit
        if not late and (now - began < _ENOUGH or done - before < _SHARE * total):
            return
        whole = began - self._began + (now - began) * (total - before) / max(done - before, 1)
        if late or whole > self._limit:
            raise UsageError(
                f"the time limit of {self._limit:g} s cannot be kept: reading {total:,} documents takes about "
                f"{whole:.0f} s",
                expected=f"at least --time-limit {whole / _READING:.0f}",
                hint="documents that were read are remembered, so the next run is faster",
            )

    def watching(self, watch: Watch | None) -> Watch | None:
        """Return a progress callback that also takes note of documents read."""
        if self._limit is None:
            return watch

        def show(stage: str, done: int, total: int, note: str) -> None:
            if stage == "reading":
                self.read(done, total)
            if watch:
                watch(stage, done, total, note)

        return show

    def begin_linking(self) -> None:
        """Take note that documents have been read."""
        self._linking = monotonic(), process_time()

    def sampling(self, mentions: int) -> float | None:
        """Return the seconds that sampling has, once links are known; None without a limit."""
        if self._limit is None:
            return None
        now, (then, cpu_then) = monotonic(), self._linking
        # A machine that does other work as well takes longer; several threads are no reason to expect less.
        busy = max(1.0, (now - then) / max(process_time() - cpu_then, 1e-3))
        # A limit that is over already leaves everything to the pair model, whose answer needs no time.
        return max(self._began + self._limit - busy * (ENDING + AFTER * mentions) - now, 1e-3)
