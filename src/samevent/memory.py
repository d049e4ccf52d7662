"""How much memory a run takes, from measurements (`benchmarks/growth.py`), so that a limit is kept or refused at once.

Documents and everything compiled from them stay in memory; samplers work batch by batch. So the need is that of the
program, of every further process that parses, and so many bytes per word of the documents.
"""

from __future__ import annotations

import re

from samevent.errors import UsageError

_PROGRAM, _ENCODER = 500e6, 150e6
"""The process itself, with its models and compiled code; what a contextual encoder adds."""
_WORKER = 300e6
"""A process that parses."""
_PER_WORD, _VECTORS_PER_WORD = 1_400.0, 900.0
"""Documents, mentions, table, links, samples and the report; contextual vectors."""

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


def needed(words: int, jobs: int, *, encoded: bool) -> float:
    """Return the bytes that all processes of a run take together, at most."""
    workers = _WORKER * jobs if jobs > 1 else 0.0
    vectors = _VECTORS_PER_WORD * words + _ENCODER if encoded else 0.0
    return _PROGRAM + workers + _PER_WORD * words + vectors


def jobs_within(limit: float, words: int, jobs: int, *, encoded: bool) -> int:
    """Return how many jobs, of at most `jobs`, keep a run within so many bytes; raise if even one does not.

    >>> jobs_within(4e9, 100_000, 16, encoded=False), jobs_within(1e9, 100_000, 16, encoded=False)
    (11, 1)
    """
    fitting = next(
        (count for count in range(jobs, 0, -1) if needed(words, count, encoded=encoded) <= limit), None
    )
    if fitting is None:
        least = needed(words, 1, encoded=encoded)
        raise UsageError(
            f"{words:,} words need about {least / 1e9:.1f} GB, and the limit is {limit / 1e9:.1f} GB",
            expected="a higher --memory",
            hint="resolve fewer documents at a time, choose the preset light, or use a cluster (--cluster)",
        )
    return fitting
