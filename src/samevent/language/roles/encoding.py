"""A parsed document as arrays of integers, for compiled code.

Strings become 32-bit codes (CRC-32); frequent questions about labels and tags become flags. The children of each token
are consecutive in one array.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.corpus import Document, Sentence, Token
from samevent.language.annotation import Annotation
from samevent.language.hashing import Codes, Indices, code, codes

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
CORE = (*SUBJECTS, "dobj", "dative", "attr", "acomp", "ccomp", "xcomp", "oprd", "agent", "prt")
"""The labels of children that make up the signature of a token, one bit each."""

SUBJECT, RELATIVE, PUNCT, VERB, NOUN, NOMINAL, COMMA = (1 << i for i in range(7))
"""Flags of a token: subject by label, relative word by tag, punctuation by label; tag V*, N*, N* or PRP; a comma."""
PARTICLE, MARK, OBJECT, DETERMINER, COMPLEMENT, NESTED, AUXILIARY, CHAINED, RELCL, CLAUSE = (
    1 << i for i in range(7, 17)
)
"""More flags by label: verb particle, mark, direct object, determiner and the like, complement of a
preposition, preposition below a preposition, auxiliary, clause that shares the subject of its head, relative clause,
other clause."""
PREPOSITION, INFINITIVE, MODAL, PARTICIPLE, PASSIVE, PERFECT, THAT = (1 << i for i in range(17, 24))
"""Flags by tag, lemma and word: preposition, *to*, *to* or modal, past participle, passive and perfect
auxiliary, *that* as a possible relative pronoun."""


class Encoded(NamedTuple):
    """The arrays, parallel to the tokens unless noted."""

    word: Codes
    lemma: Codes
    suffix: Codes
    tag: Codes
    label: Codes
    entity: Codes
    head: Indices
    core: NDArray[np.uint32]
    """The bit of the label among CORE, or 0."""
    flags: NDArray[np.uint32]
    first: Indices
    """First token of the sentence."""
    last: Indices
    """One past the last token of the sentence."""
    child_starts: Indices
    """The start of each token's children in `children`, and the end."""
    children: Indices
    predicate: NDArray[np.uint8]
    """0 if not a predicate, else 1 verbal, 2 nominal, 3 other."""


def encode(document: Document, annotation: Annotation, predicates: Collection[int] = ()) -> Encoded:
    """Encode a document; `predicates` are the tokens that are predicates."""
    return mark_predicates(_encode(document.tokens, document.sentences, annotation), annotation, predicates)


@lru_cache(maxsize=1)  # finder, labeller and extractor encode the same document one after the other
def _encode(tokens: tuple[Token, ...], sentences: tuple[Sentence, ...], annotation: Annotation) -> Encoded:
    n = len(annotation)
    words = [token.text.lower() for token in tokens]
    lemmas = [lemma.lower() for lemma in annotation.lemmas]
    entity = np.zeros(n, np.uint64)
    for start, end, name in annotation.entities:
        entity[start:end] = code(name)
    first, last = np.zeros(n, np.int32), np.zeros(n, np.int32)
    for sentence in sentences:
        first[sentence.start : sentence.end] = sentence.start
        last[sentence.start : sentence.end] = sentence.end
    head = np.array(annotation.heads, np.int32)
    own = np.arange(n, dtype=np.int32)
    below = own[head != own]
    children = below[np.argsort(head[below], kind="stable")]
    starts = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(head[below], minlength=n), out=starts[1:])
    return Encoded(
        word=codes(words),
        lemma=codes(lemmas),
        suffix=codes([lemma[-3:] for lemma in lemmas]),
        tag=codes(annotation.tags),
        label=codes(annotation.labels),
        entity=entity,
        head=head,
        core=np.array([_CORE_BITS.get(label, 0) for label in annotation.labels], np.uint32),
        flags=np.array(
            [_flags(*parts) for parts in zip(annotation.labels, annotation.tags, words, lemmas, strict=True)],
            np.uint32,
        ),
        first=first,
        last=last,
        child_starts=starts,
        children=children.astype(np.int32),
        predicate=np.zeros(n, np.uint8),
    )


def mark_predicates(encoded: Encoded, annotation: Annotation, predicates: Collection[int]) -> Encoded:
    """Return the encoding with these tokens marked as predicates."""
    marked = np.zeros(len(annotation), np.uint8)
    for token in predicates:
        marked[token] = _KIND_CODES.get(annotation.tags[token][:1], 3)
    return encoded._replace(predicate=marked)


def subtrees(head: Indices) -> tuple[Indices, Indices]:
    """Return the first and the last token of the subtree of each token."""
    left, right = np.arange(len(head), dtype=np.int32), np.arange(len(head), dtype=np.int32)
    _widen(head, left, right)
    return left, right


@njit(cache=True)
def _widen(head, left, right):  # type: ignore[no-untyped-def]
    for i in range(len(head)):
        a = i
        while head[a] != a:
            a = head[a]
            left[a] = min(left[a], i)
            right[a] = max(right[a], i)


_KIND_CODES = {"V": 1, "N": 2}
_CORE_BITS = {label: 1 << i for i, label in enumerate(CORE)}
_RELATIVE_TAGS = frozenset(("WDT", "WP", "WP$", "WRB"))


_LABEL_FLAGS = {
    SUBJECT: SUBJECTS,
    PUNCT: ("punct",),
    PARTICLE: ("prt",),
    MARK: ("mark",),
    OBJECT: ("dobj",),
    DETERMINER: ("det", "poss", "nummod", "case"),
    COMPLEMENT: ("pobj", "pcomp"),
    NESTED: ("prep",),
    AUXILIARY: ("aux", "auxpass"),
    CHAINED: ("conj", "xcomp", "ccomp", "aux", "auxpass"),
    RELCL: ("relcl",),
    CLAUSE: ("ccomp", "advcl", "acl", "pcomp"),
    PREPOSITION: ("prep", "agent", "dative"),
    PASSIVE: ("auxpass", "nsubjpass"),
}


@lru_cache(maxsize=200_000)
def _flags(label: str, tag: str, word: str, lemma: str) -> int:
    by_label = sum(flag for flag, labels in _LABEL_FLAGS.items() if label in labels)
    return by_label | (
        RELATIVE * (tag in _RELATIVE_TAGS)
        | VERB * (tag[:1] == "V")
        | NOUN * (tag[:1] == "N")
        | NOMINAL * (tag[:1] == "N" or tag == "PRP")
        | COMMA * (word == ",")
        | PREPOSITION * (tag in ("IN", "TO"))
        | INFINITIVE * (tag == "TO")
        | MODAL * (tag in ("TO", "MD"))
        | PARTICIPLE * (tag == "VBN")
        | PASSIVE * (label == "aux" and lemma in ("be", "get"))
        | PERFECT * (label == "aux" and lemma == "have")
        | THAT * (word == "that" and label not in ("mark", "det"))
    )
