"""A parsed document as arrays of whole numbers, for compiled code.

Strings become 32-bit codes (CRC-32); what is asked of labels and tags again and again becomes flags. Children of a
token follow each other in one array.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document
from samevent.language.annotation import Annotation
from samevent.language.hashing import Codes, Indices, code, codes

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
CORE = (*SUBJECTS, "dobj", "dative", "attr", "acomp", "ccomp", "xcomp", "oprd", "agent", "prt")
"""Labels whose presence below a token makes up its signature, a bit each."""

SUBJECT, RELATIVE, PUNCT, VERB, NOUN, NOMINAL, COMMA = (1 << i for i in range(7))
"""Flags of a token: subject by label, relative word by tag, punctuation by label; tag V*, N*, N* or PRP; a comma."""
PARTICLE, MARK, OBJECT, DETERMINER, COMPLEMENT, NESTED, AUXILIARY, CHAINED, RELCL, CLAUSE = (
    1 << i for i in range(7, 17)
)
"""More by label: verb particle, mark, direct object, determiner and the like, what follows a preposition, a preposition
in another one, auxiliary, clause that goes on with its head's, relative clause, other clause."""
PREPOSITION, INFINITIVE, MODAL, PARTICIPLE, PASSIVE, PERFECT, THAT = (1 << i for i in range(17, 24))
"""Also by tag, lemma and word: preposition, *to*, *to* or modal, past participle, auxiliary of the passive and of the
perfect, *that* which may be relative."""


class Encoded(NamedTuple):
    """The arrays, parallel to the tokens unless said otherwise."""

    word: Codes
    lemma: Codes
    suffix: Codes
    tag: Codes
    label: Codes
    entity: Codes
    head: Indices
    core: NDArray[np.uint32]
    """The bit of the token's own label among CORE, or 0."""
    flags: NDArray[np.uint32]
    first: Indices
    """First token of the sentence."""
    last: Indices
    """One past the last token of the sentence."""
    child_starts: Indices
    """Where the children of a token start in `children`; one entry more than tokens."""
    children: Indices
    predicate: NDArray[np.uint8]
    """0 for no predicate, else 1 verbal, 2 nominal, 3 other."""


def encoded(document: Document, annotation: Annotation, predicates: Collection[int] = ()) -> Encoded:
    """Encode a document; `predicates` are the tokens known to be predicates."""
    n = len(annotation)
    words = [token.text.lower() for token in document.tokens]
    lemmas = [lemma.lower() for lemma in annotation.lemmas]
    entity = np.zeros(n, np.uint64)
    for start, end, name in annotation.entities:
        entity[start:end] = code(name)
    first, last = np.zeros(n, np.int32), np.zeros(n, np.int32)
    for sentence in document.sentences:
        first[sentence.start : sentence.end] = sentence.start
        last[sentence.start : sentence.end] = sentence.end
    head = np.array(annotation.heads, np.int32)
    own = np.arange(n, dtype=np.int32)
    below = own[head != own]
    children = below[np.argsort(head[below], kind="stable")]
    starts = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(head[below], minlength=n), out=starts[1:])
    bare = Encoded(
        word=codes(words),
        lemma=codes(lemmas),
        suffix=codes([lemma[-3:] for lemma in lemmas]),
        tag=codes(annotation.tags),
        label=codes(annotation.labels),
        entity=entity,
        head=head,
        core=np.array([_CORE_BITS.get(label, 0) for label in annotation.labels], np.uint32),
        flags=np.array(
            [_flags(*known) for known in zip(annotation.labels, annotation.tags, words, lemmas, strict=True)],
            np.uint32,
        ),
        first=first,
        last=last,
        child_starts=starts,
        children=children.astype(np.int32),
        predicate=np.zeros(n, np.uint8),
    )
    return with_predicates(bare, annotation, predicates)


def with_predicates(encoded: Encoded, annotation: Annotation, predicates: Collection[int]) -> Encoded:
    """Return the same with these tokens marked as predicates."""
    marked = np.zeros(len(annotation), np.uint8)
    for token in predicates:
        marked[token] = kind_code(annotation.tags[token])
    return encoded._replace(predicate=marked)


def kind_code(tag: str) -> int:
    """Return the number of a predicate's kind: 1 verbal, 2 nominal, 3 other."""
    return 1 if tag[:1] == "V" else 2 if tag[:1] == "N" else 3


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
