"""The head word and the phrase type of a span, from the dependency parse."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Literal

from samevent.corpus import Document
from samevent.errors import CorpusError
from samevent.language.annotation import Annotation

PhraseType = Literal["NP", "VP", "PP", "ADJP", "ADVP", "CLAUSE", "X"]

_FUNCTION_WORDS = frozenset("ADP AUX CCONJ DET PART PUNCT SCONJ SPACE SYM".split())
_MARKS = frozenset("PUNCT SPACE".split())
_SUBJECTS = frozenset("nsubj nsubjpass csubj csubjpass expl".split())
_OBJECTS = frozenset("pobj pcomp".split())
_NOMINAL = frozenset("nsubj nsubjpass dobj dative pobj".split())
_COMPLEMENTS = _OBJECTS | frozenset("attr acomp oprd dobj xcomp ccomp".split())
_BY_POS: dict[str, PhraseType] = {
    "NOUN": "NP",
    "PROPN": "NP",
    "PRON": "NP",
    "NUM": "NP",
    "SYM": "NP",
    "ADJ": "ADJP",
    "ADV": "ADVP",
}


def head(annotation: Annotation, start: int, end: int, tokens: Collection[int] | None = None) -> int:
    """Return the content head of a span: the word that carries its meaning.

    It is the highest token of the span in the parse (the leftmost of several). A function word is replaced by its
    complement: the object of a preposition (*on Thursday*: Thursday), the predicate of a copula (*was furious*:
    furious). A span of function words only is headed by one of them. For a discontinuous mention, `tokens` are its
    tokens; the gaps are ignored.
    """
    inside = _inside(annotation, start, end, tokens)
    if len(inside) == 1:
        return next(iter(inside))
    tops = _tops(annotation, inside)
    for top in tops:
        word = _content(annotation, top, inside)
        if word is not None:
            return word
    return min(tops, key=lambda i: annotation.pos[i] in _MARKS)


def phrase_type(
    annotation: Annotation, start: int, end: int, tokens: Collection[int] | None = None
) -> PhraseType:
    """Return the phrase type of a span.

    A span is a phrase if one token heads all others, punctuation aside. A verb with its subject or conjunction is a
    CLAUSE, without them a VP; a preposition with its object is a PP. Everything else is X.
    """
    inside = _inside(annotation, start, end, tokens)
    tops = [i for i in _tops(annotation, inside) if annotation.pos[i] not in _MARKS]
    if len(tops) != 1:
        return "X"
    (top,) = tops
    below = {annotation.labels[i] for i in inside if annotation.heads[i] == top and i != top}
    match annotation.pos[top]:
        case "VERB" | "AUX":
            if below & _SUBJECTS or "mark" in below:
                return "CLAUSE"
            return "ADJP" if annotation.labels[top] == "amod" else "VP"
        case "ADP" | "SCONJ":
            return "PP" if below & _OBJECTS else "X"
        case "ADJ" | "DET" if annotation.labels[top] in _NOMINAL:
            return "NP"  # the dead
        case pos:
            return _BY_POS.get(pos, "X")


def with_heads(document: Document, annotation: Annotation) -> Document:
    """Return the document with a head on every mention; existing heads are kept."""
    if len(annotation) != len(document.tokens):
        raise CorpusError(
            f"document {document.id!r} has {len(document.tokens)} tokens and its annotation {len(annotation)}",
            expected="the document that the annotation belongs to",
        )
    if all(m.head is not None for m in document.mentions):
        return document
    return document.with_mentions(
        replace(m, head=head(annotation, m.start, m.end, m.tokens)) if m.head is None else m
        for m in document.mentions
    )


def token_depths(annotation: Annotation) -> list[int]:
    """Return the distance of each token from the root of its sentence."""
    depths = [-1] * len(annotation)
    for token in range(len(annotation)):
        path = []
        while depths[token] < 0 and annotation.heads[token] != token:
            path.append(token)
            token = annotation.heads[token]
        depth = max(depths[token], 0)
        depths[token] = depth
        for below in reversed(path):
            depth += 1
            depths[below] = depth
    return depths


def highest_token(annotation: Annotation, start: int, end: int, depths: list[int]) -> int:
    """Return the highest token of a span, the leftmost of several, punctuation last.

    This is the grammatical head (*on Thursday*: on), unlike `head`.
    """
    return min(range(start, end), key=lambda i: (annotation.labels[i] == "punct", depths[i], i))


def _inside(annotation: Annotation, start: int, end: int, tokens: Collection[int] | None) -> Collection[int]:
    inside = range(start, end) if tokens is None else frozenset(tokens)
    within = 0 <= start < end <= len(annotation)
    if not within or (tokens is not None and (not inside or min(inside) < start or max(inside) >= end)):
        named = "" if tokens is None else f" with the tokens {sorted(inside)}"
        raise CorpusError(
            f"invalid span {start}-{end}{named}",
            expected=f"0 <= start < end <= {len(annotation)}, and tokens between them",
        )
    return inside


def _tops(annotation: Annotation, inside: Collection[int]) -> list[int]:
    """Return the tokens whose head is outside, the highest first, then from left to right."""
    heads = annotation.heads
    tops = sorted(i for i in inside if heads[i] not in inside or heads[i] == i)
    return tops if len(tops) == 1 else sorted(tops, key=lambda i: _depth(heads, i))


def _depth(heads: tuple[int, ...], token: int) -> int:
    depth = 0
    while heads[token] != token:
        token, depth = heads[token], depth + 1
    return depth


def _content(annotation: Annotation, top: int, inside: Collection[int]) -> int | None:
    """Return `top` or, if it is a function word, the best content word below it through function words."""
    stack = [top]
    while stack:
        token = stack.pop()
        if annotation.pos[token] not in _FUNCTION_WORDS and annotation.lemmas[token] != "be":
            return token
        below = (i for i in inside if annotation.heads[i] == token and i != token)
        stack += reversed(_by_preference(annotation, below))
    return None


def _by_preference(annotation: Annotation, tokens: Iterable[int]) -> list[int]:
    """Sort the dependents of a function word: complements, prepositional phrases, the rest, its subject last."""

    def preference(i: int) -> tuple[bool, bool, bool, int]:
        label = annotation.labels[i]
        return label in _SUBJECTS, label not in _COMPLEMENTS, label != "prep", i

    return sorted(tokens, key=preference)
