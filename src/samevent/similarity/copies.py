"""Copies of an article: texts of an agency that several newspapers print, with little changed.

Two documents are copies if they share most of their sequences of words. That share is estimated by MinHash: of every
document the least values of many hash functions over its sequences are kept, and the share of equal ones is the
estimate. Only documents with a whole band of equal values are compared, so that time grows with the number of
documents, not of pairs. Nothing is random: the same texts give the same groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document

LEAST_SHARE = 0.6
"""Copies share at least this much of the sequences that either of them has."""
_WORDS = 4
"""Words in a sequence."""
_FEWEST = 16
"""Texts with fewer sequences are too short to be copies of each other."""
_HASHES, _BAND = 128, 4
"""Values kept, and how many make a band: of pairs at the least share, 99 % have an equal band."""
_EARLIER = 16
"""With how many earlier documents of a band a document is compared."""
_CHUNK = 4096
_WORD = re.compile(r"\w+")
_POWERS = np.uint64(0x9E3779B97F4A7C15) ** np.arange(_WORDS, dtype=np.uint64)
_FACTORS, _SHIFTS = (  # odd numbers that stay the same whatever the version of numpy
    np.frombuffer(
        b"".join(blake2b(b"%c%d" % (kind, at), digest_size=8).digest() for at in range(_HASHES)), "<u8"
    )
    | np.uint64(1)
    for kind in b"fs"
)

Signature = NDArray[np.uint32]


def signature(document: Document) -> Signature | None:
    """Return the least hash values of a document's sequences of words, None if it is too short."""
    words = np.array([crc32(word.encode()) for word in _WORD.findall(document.text.lower())], np.uint64)
    if len(words) < _FEWEST + _WORDS:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(words + np.uint64(1), _WORDS)
    sequences = np.unique((windows * _POWERS).sum(axis=1, dtype=np.uint64))
    least = np.full(_HASHES, np.iinfo(np.uint32).max, np.uint32)
    for start in range(0, len(sequences), _CHUNK):
        chunk = sequences[start : start + _CHUNK, None]
        hashed = ((chunk ^ (chunk >> np.uint64(29))) * _FACTORS + _SHIFTS) >> np.uint64(32)
        np.minimum(least, hashed.min(axis=0).astype(np.uint32), out=least)
    return least


def copies(signatures: Iterable[tuple[str, Signature]]) -> dict[str, str]:
    """Return the first document of its group for each document that is a copy, in the order of the documents."""
    ids, rows = [], []
    for id, row in signatures:
        ids.append(id)
        rows.append(row)
    table, first = np.array(rows, np.uint32).reshape(len(rows), _HASHES), list(range(len(rows)))
    for at in range(0, _HASHES, _BAND):
        for places in _equal_rows(table[:, at : at + _BAND]):
            for number, place in enumerate(places):
                for other in places[max(number - _EARLIER, 0) : number]:
                    low, high = sorted((_root(first, other), _root(first, place)))
                    if low != high and float((table[other] == table[place]).mean()) >= LEAST_SHARE:
                        first[high] = low
    return {ids[place]: ids[root] for place in range(len(ids)) if (root := _root(first, place)) != place}


def distinct(documents: Iterable[str], copies_of: Mapping[str, str]) -> int:
    """Return how many documents there are if copies of one text count once."""
    return len({copies_of.get(id, id) for id in documents})


def _equal_rows(band: Signature) -> Iterator[list[int]]:
    """Yield the places of rows that are equal, in groups of two or more."""
    order = np.lexsort(band.T)
    cuts = np.flatnonzero((band[order[1:]] != band[order[:-1]]).any(axis=1)) + 1
    yield from (group.tolist() for group in np.split(order, cuts) if len(group) > 1)


def _root(first: list[int], place: int) -> int:
    while first[place] != place:
        first[place] = first[first[place]]
        place = first[place]
    return place
