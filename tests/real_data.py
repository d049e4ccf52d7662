"""Corpora of the data folder, read once for all the tests that look at them."""

from __future__ import annotations

from functools import cache

from builders import DATA
from samevent.corpus import Corpus
from samevent.formats import ecbplus
from samevent.formats.base import ReadOptions


@cache
def ecbplus_release() -> Corpus:
    """Return ECB+ 1.0 with its list of validated sentences."""
    return Corpus(ecbplus.read(DATA / "ecbplus", ReadOptions()))
