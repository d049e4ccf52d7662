"""Features of tokens and segments in groups that can be switched off, and documents as the model sees them.

The atoms of a token are its word and tag, its neighbours, its position in the parse and its roles; `segments` has those
of segments. Templates combine atoms into features.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document
from samevent.extraction.contextual import context_columns
from samevent.extraction.segments import SEGMENT_ATOMS, segment_atoms
from samevent.language.annotation import Annotation
from samevent.language.hashing import (
    Codes,
    Indices,
    Keys,
    KeyTable,
    Templates,
    code,
    codes,
    hash_templates,
    look_up,
    parse_templates,
)
from samevent.language.lexicon import Lexicon, pos_of_tag
from samevent.language.roles.base import Predicate
from samevent.language.roles.encoding import Encoded, encode
from samevent.language.vectors import WordVectors

_OWN = "w l t p d sh s3 s2 p3 e pr rl ri k hl ht sg c cap gl".split()
"""Word, lemma, tag, universal tag, label, shape, suffixes, prefix, entity type, kind of predicate, role as the head
of a filler, role of the smallest filler around, position in the noun chunk, lemma and tag of the governor, core labels
of the children, WordNet class, whether it is capitalized, lemma of the governor's governor."""
_SHIFTED = {"w": (-2, -1, 1, 2), "l": (-1, 1), "t": (-2, -1, 1, 2), "d": (-1, 1), "e": (-1, 1), "pr": (-1, 1),
           "c": (-1, 1), "rl": (-1, 1), "k": (-1, 1)}  # fmt: skip
TOKEN_ATOMS = (*_OWN, *(f"{name}{by:+d}" for name, places in _SHIFTED.items() for by in places))

TOKEN_TEMPLATES = {
    "words": "w; l; w-1; w+1; w-2; w+2; w-1 w; w w+1; l-1 l; l l+1; w-1 w+1",
    "tags": "t; p; t-1; t+1; t-2; t+2; t-1 t; t t+1; t-1 t t+1; l t; t-2 t-1; t+1 t+2",
    "shapes": "sh; s3; s2; p3; cap t",
    "parse": "d; d t; hl; hl d; ht d; sg; sg t; d-1 d; d d+1; l d; hl l; gl ht; gl hl; hl gl d",
    "names": "e; e t; e-1 e; e e+1; e w; hl e; gl e; ri e",
    "roles": "pr; pr t; pr l; rl; rl t; ri; ri t; rl l; pr d; pr-1; pr+1; ri d; ri w",
    "chunks": "k; k t; k k-1 t; k k+1 t",
    "lexicon": "c; c t; c d; c-1 c; c c+1; c pr; hl c; gl c; ri c",
}
SEGMENT_TEMPLATES = {
    "words": "len; words; head.l len; before.w first.w; last.w after.w; before.w; after.w",
    "tags": "tags; head.t len; first.t last.t len; before.t tags; tags after.t; before.t after.t head.t",
    "phrases": "top.t tops len; tops left right; top.t left right; head.d len; head.d left right; head.at len;"
    "before.d after.d head.t; before.d before.w; after.d after.w; before.d head.l; after.d head.l; commas tops",
    "chunks": "chunk len; chunk head.t; chunk head.d",
    "names": "entity; entity len",
    "roles": "role; role len; head.pr before.d; head.pr after.d",
    "lexicon": "head.c len; head.c before.d; head.c after.d",
}
Vectors = NDArray[np.float32]

GROUPS = ("words", "tags", "shapes", "parse", "names", "roles", "chunks", "phrases", "lexicon", "hypernyms",
          "synonyms", "frames", "vectors", "phrase_vectors", "contextual")  # fmt: skip


class FeatureKeys(NamedTuple):
    """A text as the keys of its features, before they are looked up in tables."""

    borders: NDArray[np.int64]
    """The start of each sentence, and the end of the last."""
    token_starts: NDArray[np.int64]
    """The start of the features of each token, and the end of the last."""
    token_keys: Keys
    segment_keys: Keys
    """One row per segment, see `segments`; 0 where it reaches beyond its sentence."""
    segment_heads: NDArray[np.int8]
    """The distance of the head of each segment from its start."""
    vectors: Vectors
    context: Vectors
    """What the tagger of an encoder says, see `contextual`; without one, no columns."""


class Features(NamedTuple):
    """A text as the model sees it: features are rows of weights, -1 if unknown."""

    borders: NDArray[np.int64]
    token_starts: NDArray[np.int64]
    token_features: Indices
    segment_features: Indices
    segment_heads: NDArray[np.int8]
    vectors: Vectors
    context: Vectors


_Text = TypeVar("_Text", FeatureKeys, Features)
_EDGE = code("^")


class Encoder:
    """Converts parsed documents to feature keys."""

    def __init__(
        self, lexicon: Lexicon, vectors: WordVectors, *, groups: Collection[str] = GROUPS, longest: int
    ) -> None:
        self.vectors = vectors
        self.groups = frozenset(groups)
        self.longest = longest
        self._lexicon = lexicon
        self._entries: dict[tuple[str, str], tuple[str, Keys]] = {}
        self._token = _group_templates(TOKEN_ATOMS, TOKEN_TEMPLATES, self.groups)
        self._segment = _group_templates(SEGMENT_ATOMS, SEGMENT_TEMPLATES, self.groups)

    def encode(
        self,
        document: Document,
        annotation: Annotation,
        predicates: Iterable[Predicate],
        tags: Vectors | None = None,
    ) -> FeatureKeys:
        """Return the keys of all features of a document; `tags` are the scores of an encoder's tagger."""
        predicates = tuple(predicates)
        words = [token.text for token in document.tokens]
        entries = [self._entry(*pair) for pair in zip(annotation.lemmas, annotation.tags, strict=True)]
        atoms, e = token_atoms(document, annotation, predicates, [name for name, _ in entries])
        fixed = hash_templates(atoms, self._token)
        own = [keys for _, keys in entries]
        sizes = np.array([fixed.shape[1] + len(keys) for keys in own], np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # The keys of each token: the fixed number that all have, then its own.
        keys = np.concatenate([np.empty(0, np.uint32), *chain.from_iterable(zip(fixed, own, strict=True))])
        segments, heads = segment_atoms(annotation, predicates, atoms, TOKEN_ATOMS, e, self.longest)
        segment_keys = hash_templates(segments, self._segment, segments[:, 0] > 0)
        borders = sentence_borders(document)
        if tags is None or "contextual" not in self.groups:
            context = np.zeros((len(words), 0), np.float32)
        else:
            context = context_columns(tags, borders)
        return FeatureKeys(borders, starts, keys, segment_keys, heads, self.vectors.matrix(words), context)

    def _entry(self, lemma: str, tag: str) -> tuple[str, Keys]:
        """Return the WordNet class of a word, and the keys of its lexicon features.

        Lexicons know parts of speech, so the forms of one lemma (VB, VBD, VBZ) share them.
        """
        key = lemma, tag[:2]
        entry = self._entries.get(key)
        if entry is None:
            if len(self._entries) > 200_000:
                self._entries.clear()
            entry = self._entries[key] = self._lexicon_features(*key)
        return entry

    def _lexicon_features(self, lemma: str, tag: str) -> tuple[str, Keys]:
        pos = pos_of_tag(tag)
        if pos is None:
            return tag[:2], np.empty(0, np.uint32)
        lexicon = self._lexicon
        base = lexicon.base(lemma, pos)
        classes = lexicon.classes(base, pos) if base else ()
        features = [f"class {name}" for name in classes] if "lexicon" in self.groups else []
        if base and "hypernyms" in self.groups:
            features += [f"is {name}" for name in lexicon.hypernyms(base, pos, senses=3)]
        if base and "synonyms" in self.groups:
            features += [f"as {name}" for name in lexicon.synonyms(base, pos, senses=3)]
        if "frames" in self.groups:
            features += [f"in {name}" for name in lexicon.frames(base or lemma, pos)]
            features += [f"has {name}" for name in lexicon.frame_roles(base or lemma, pos)]
        return (classes[0] if classes else tag[:2]), codes(features).astype(np.uint32)


def sentence_borders(document: Document) -> NDArray[np.int64]:
    """Return the start of each sentence, and the end of the last."""
    return np.array([0, *(s.end for s in document.sentences)], np.int64)


def concatenate(texts: Sequence[FeatureKeys]) -> FeatureKeys:
    """Return several texts as one."""
    return FeatureKeys(
        _concatenate_borders([text.borders for text in texts]),
        _concatenate_borders([text.token_starts for text in texts]),
        *(np.concatenate(parts) for parts in zip(*(text[2:] for text in texts), strict=True)),
    )


def select_sentences(text: _Text, sentences: Sequence[int]) -> _Text:
    """Return some sentences of a text, in this order, as a text."""
    spans: list[NDArray[np.int64]] = [np.arange(text.borders[s], text.borders[s + 1]) for s in sentences]
    tokens = np.concatenate([np.empty(0, np.int64), *spans])
    longest = len(text.segment_heads) // max(1, len(text.token_starts) - 1)
    rows = (tokens[:, None] * longest + np.arange(longest)).ravel()
    own: list[NDArray[np.int64]] = [np.arange(text.token_starts[t], text.token_starts[t + 1]) for t in tokens]
    features = np.concatenate([np.empty(0, np.int64), *own])
    borders = np.cumsum([0, *map(len, spans)], dtype=np.int64)
    starts = np.cumsum([0, *map(len, own)], dtype=np.int64)
    return type(text)(
        borders,
        starts,
        text[2][features],
        text[3][rows],
        text.segment_heads[rows],
        text.vectors[tokens],
        text.context[tokens],
    )


def look_up_features(text: FeatureKeys, tokens: KeyTable, segments: KeyTable) -> Features:
    """Replace the keys of features by their rows in the tables."""
    return Features(
        text.borders,
        text.token_starts,
        look_up(text.token_keys[:, None], tokens)[:, 0],
        look_up(text.segment_keys, segments),
        text.segment_heads,
        text.vectors,
        text.context,
    )


def token_atoms(
    document: Document, annotation: Annotation, predicates: Iterable[Predicate], classes: Sequence[str]
) -> tuple[Codes, Encoded]:
    """Return the atoms of all tokens, one row per token, and the encoded document.

    `classes` has the WordNet class of each token.
    """
    predicates = tuple(predicates)
    e = encode(document, annotation, [p.token for p in predicates])
    words = [token.text for token in document.tokens]
    lower = [word.lower() for word in words]
    own, around = _role_codes(len(words), predicates)
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
        "k": _chunk_positions(len(words), annotation),
        "hl": e.lemma[e.head],
        "ht": e.tag[e.head],
        "sg": signature,
        "c": codes(classes),
        "cap": np.array([word[:1].isupper() for word in words], np.uint64),
        "gl": e.lemma[e.head[e.head]],
    }
    for name, places in _SHIFTED.items():
        for by in places:
            columns[f"{name}{by:+d}"] = _shift(columns[name], by, e)
    return np.stack([columns[name] for name in TOKEN_ATOMS], axis=1), e


def _shift(column: Codes, by: int, e: Encoded) -> Codes:
    """Return the values `by` tokens further on; those beyond the sentence have their own code."""
    places = np.arange(len(column)) + by
    inside = (places >= e.first) & (places < e.last)
    out = np.full(len(column), _EDGE, np.uint64)
    out[inside] = column[places[inside]]
    return out


@lru_cache(maxsize=100_000)
def shape(word: str) -> str:
    """Return the shape of a word, runs of one kind shortened.

    >>> [shape(word) for word in ("Yida", "10th", "U.S.", "2011", "$400m")]
    ['Xx', 'dx', 'X.X.', 'd', '$dx']
    """
    out = ""
    for c in word[:12]:
        mark = "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c
        if out[-1:] != mark:
            out += mark
    return out


def _role_codes(n: int, predicates: Iterable[Predicate]) -> tuple[Codes, Codes]:
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


def _chunk_positions(n: int, annotation: Annotation) -> Codes:
    """Return the position in the noun chunk: 0 outside, else bits for inside, first and last token."""
    place = np.zeros(n, np.uint64)
    for start, end in annotation.chunks:
        place[start:end] = 1
        place[start] |= np.uint64(2)
        place[end - 1] |= np.uint64(4)
    return place


def _group_templates(atoms: Sequence[str], by_group: Mapping[str, str], groups: Collection[str]) -> Templates:
    """Return the templates of some groups, and one that is always present."""
    return parse_templates(
        atoms, ";".join(["", *(text for name, text in by_group.items() if name in groups)])
    )


def _concatenate_borders(edges: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return several sequences of borders, each starting at 0, as one."""
    shifts = np.concatenate([[0], np.cumsum([each[-1] for each in edges])])
    return np.concatenate([[0], *(each[1:] + by for each, by in zip(edges, shifts, strict=False))]).astype(
        np.int64
    )
