"""What is known of each token, as atoms: its word and tag, its neighbours, its place in the parse, its roles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from samevent.corpus import Document
from samevent.language.annotation import Annotation
from samevent.language.hashing import Codes, code, codes
from samevent.language.roles.base import Predicate
from samevent.language.roles.encoding import Encoded, encode

OWN = "w l t p d sh s3 s2 p3 e pr rl ri k hl ht sg c cap gl".split()
"""Word, lemma, tag, universal tag, label, shape, suffixes, prefix, entity type, kind of predicate, role as the head
of a filler, role of the smallest filler around, place in the noun chunk, lemma and tag of the governor, core labels
below, WordNet class, whether it is written with a capital, lemma of the governor's governor."""
SHIFTED = {"w": (-2, -1, 1, 2), "l": (-1, 1), "t": (-2, -1, 1, 2), "d": (-1, 1), "e": (-1, 1), "pr": (-1, 1),
           "c": (-1, 1), "rl": (-1, 1), "k": (-1, 1)}  # fmt: skip
ATOMS = (*OWN, *(f"{name}{by:+d}" for name, places in SHIFTED.items() for by in places))

_EDGE = code("^")


def token_atoms(
    document: Document, annotation: Annotation, predicates: Iterable[Predicate], classes: Sequence[str]
) -> tuple[Codes, Encoded]:
    """Return the atoms of every token, a row each, and the document as the arrays they were read from.

    `classes` names the WordNet class of each token.
    """
    predicates = tuple(predicates)
    e = encode(document, annotation, [p.token for p in predicates])
    words = [token.text for token in document.tokens]
    lower = [word.lower() for word in words]
    own, around = _roles(len(words), predicates)
    signature = np.zeros(len(words), np.uint64)
    np.bitwise_or.at(
        signature, e.head, np.where(e.head == np.arange(len(words)), 0, e.core).astype(np.uint64)
    )
    columns = {
        "w": e.word,
        "l": e.lemma,
        "t": e.tag,
        "p": codes(annotation.pos),
        "d": e.label,
        "sh": codes([shape(word) for word in words]),
        "s3": e.suffix,
        "s2": codes([word[-2:] for word in lower]),
        "p3": codes([word[:3] for word in lower]),
        "e": e.entity,
        "pr": e.predicate.astype(np.uint64),
        "rl": own,
        "ri": around,
        "k": _chunks(len(words), annotation),
        "hl": e.lemma[e.head],
        "ht": e.tag[e.head],
        "sg": signature,
        "c": codes(classes),
        "cap": np.array([word[:1].isupper() for word in words], np.uint64),
        "gl": e.lemma[e.head[e.head]],
    }
    for name, places in SHIFTED.items():
        for by in places:
            columns[f"{name}{by:+d}"] = shifted(columns[name], by, e)
    return np.stack([columns[name] for name in ATOMS], axis=1), e


def shifted(column: Codes, by: int, e: Encoded) -> Codes:
    """Return what stands so many places further on, a mark of its own beyond the sentence."""
    at = np.arange(len(column)) + by
    inside = (at >= e.first) & (at < e.last)
    out = np.full(len(column), _EDGE, np.uint64)
    out[inside] = column[at[inside]]
    return out


@lru_cache(maxsize=100_000)
def shape(word: str) -> str:
    """Return how a word is written, stretches shortened.

    >>> [shape(word) for word in ("Yida", "10th", "U.S.", "2011", "$400m")]
    ['Xx', 'dx', 'X.X.', 'd', '$dx']
    """
    out = ""
    for c in word[:12]:
        mark = "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c
        if out[-1:] != mark:
            out += mark
    return out


def _roles(n: int, predicates: Iterable[Predicate]) -> tuple[Codes, Codes]:
    """Return the role of each token as the head of a filler, and that of the smallest filler around it."""
    own, around, size = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.full(n, n + 1)
    for predicate in predicates:
        for argument in predicate.arguments:
            name = code(f"{predicate.kind} {argument.role}")
            own[argument.head] = own[argument.head] or name
            width = argument.end - argument.start
            inside = np.arange(argument.start, argument.end)
            inside = inside[size[inside] > width]
            around[inside], size[inside] = name, width
    return own, around


def _chunks(n: int, annotation: Annotation) -> Codes:
    """Return the place in the noun chunk: 0 outside, else whether it is the first and the last token of one."""
    place = np.zeros(n, np.uint64)
    for start, end in annotation.chunks:
        place[start:end] = 1
        place[start] |= np.uint64(2)
        place[end - 1] |= np.uint64(4)
    return place
