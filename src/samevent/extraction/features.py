"""Features of tokens and segments, in groups that can be switched off, and the text as the model reads it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document
from samevent.extraction.segments import ATOMS as SEGMENT_ATOMS
from samevent.extraction.segments import segment_atoms
from samevent.extraction.tokens import ATOMS as TOKEN_ATOMS
from samevent.extraction.tokens import token_atoms
from samevent.language.annotation import Annotation
from samevent.language.hashing import (
    Indices,
    Keys,
    KeyTable,
    Templates,
    codes,
    hash_templates,
    look_up,
    parse_templates,
)
from samevent.language.lexicon import Lexicon, pos_of_tag
from samevent.language.roles.base import Predicate
from samevent.language.vectors import WordVectors

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
Places = NDArray[np.int64]

GROUPS = ("words", "tags", "shapes", "parse", "names", "roles", "chunks", "phrases", "lexicon", "hypernyms",
          "synonyms", "frames", "vectors", "phrase_vectors")  # fmt: skip


class Raw(NamedTuple):
    """A text as the keys of its features, before it is known which of them have weights."""

    borders: NDArray[np.int64]
    """Where each sentence starts, and the end of the last."""
    token_starts: NDArray[np.int64]
    """Where each token's features start; one more for the end."""
    token_keys: Keys
    segment_keys: Keys
    """A row for each segment, see `segments`; 0 where it reaches beyond its sentence."""
    segment_heads: NDArray[np.int8]
    """How far the head of each segment is from its start."""
    vectors: Vectors


class Features(NamedTuple):
    """A text as the model reads it: features are rows of weights, -1 an unknown one."""

    borders: NDArray[np.int64]
    token_starts: NDArray[np.int64]
    token_features: Indices
    segment_features: Indices
    segment_heads: NDArray[np.int8]
    vectors: Vectors


class Encoder:
    """Turns parsed documents into features."""

    def __init__(
        self, lexicon: Lexicon, vectors: WordVectors, *, groups: Collection[str] = GROUPS, longest: int
    ) -> None:
        self.vectors = vectors
        self.groups = frozenset(groups)
        self.longest = longest
        self._lexicon = lexicon
        self._entries: dict[tuple[str, str], tuple[str, Keys]] = {}
        self._token = _chosen(TOKEN_ATOMS, TOKEN_TEMPLATES, self.groups)
        self._segment = _chosen(SEGMENT_ATOMS, SEGMENT_TEMPLATES, self.groups)

    def raw(self, document: Document, annotation: Annotation, predicates: Iterable[Predicate]) -> Raw:
        """Return the keys of all features of a document."""
        predicates = tuple(predicates)
        words = [token.text for token in document.tokens]
        entries = [self._entry(*pair) for pair in zip(annotation.lemmas, annotation.tags, strict=True)]
        atoms, e = token_atoms(document, annotation, predicates, [name for name, _ in entries])
        fixed = hash_templates(atoms, self._token)
        own = [keys for _, keys in entries]
        sizes = np.array([fixed.shape[1] + len(keys) for keys in own], np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # Each token's keys behind each other: the fixed number that all have, then its own.
        keys = np.concatenate([np.empty(0, np.uint32), *chain.from_iterable(zip(fixed, own, strict=True))])
        segments, heads = segment_atoms(annotation, predicates, atoms, TOKEN_ATOMS, e, self.longest)
        segment_keys = hash_templates(segments, self._segment, segments[:, 0] > 0)
        borders = np.array([0, *(s.end for s in document.sentences)], np.int64)
        return Raw(borders, starts, keys, segment_keys, heads, self.vectors.matrix(words))

    def _entry(self, lemma: str, tag: str) -> tuple[str, Keys]:
        """Return the WordNet class of a word, and the keys of what its dictionary entries say."""
        entry = self._entries.get((lemma, tag))
        if entry is None:
            if len(self._entries) > 200_000:
                self._entries.clear()
            entry = self._entries[lemma, tag] = self._looked_up(lemma, tag)
        return entry

    def _looked_up(self, lemma: str, tag: str) -> tuple[str, Keys]:
        pos = pos_of_tag(tag)
        if pos is None:
            return tag[:2], np.empty(0, np.uint32)
        lexicon = self._lexicon
        base = lexicon.base(lemma, pos)
        classes = lexicon.classes(base, pos) if base else ()
        said = [f"class {name}" for name in classes] if "lexicon" in self.groups else []
        if base and "hypernyms" in self.groups:
            said += [f"is {name}" for name in lexicon.hypernyms(base, pos, senses=3)]
        if base and "synonyms" in self.groups:
            said += [f"as {name}" for name in lexicon.synonyms(base, pos, senses=3)]
        if "frames" in self.groups:
            said += [f"in {name}" for name in lexicon.frames(base or lemma, pos)]
            said += [f"has {name}" for name in lexicon.frame_roles(base or lemma, pos)]
        return (classes[0] if classes else tag[:2]), codes(said).astype(np.uint32)


def joined(texts: Sequence[Raw]) -> Raw:
    """Return several texts as one."""
    return Raw(
        _end_to_end([text.borders for text in texts]),
        _end_to_end([text.token_starts for text in texts]),
        np.concatenate([text.token_keys for text in texts]),
        np.concatenate([text.segment_keys for text in texts]),
        np.concatenate([text.segment_heads for text in texts]),
        np.concatenate([text.vectors for text in texts]),
    )


def selected(text: Raw, sentences: Sequence[int]) -> Raw:
    """Return some sentences of a text, one after the other, as a text."""
    tokens, rows, features, borders, starts = _places(text, sentences)
    return Raw(
        borders,
        starts,
        text.token_keys[features],
        text.segment_keys[rows],
        text.segment_heads[rows],
        text.vectors[tokens],
    )


def chosen_sentences(text: Features, sentences: Sequence[int]) -> Features:
    """Do the same for a text whose features have numbers."""
    tokens, rows, features, borders, starts = _places(text, sentences)
    return Features(
        borders,
        starts,
        text.token_features[features],
        text.segment_features[rows],
        text.segment_heads[rows],
        text.vectors[tokens],
    )


def _places(text: Raw | Features, sentences: Sequence[int]) -> tuple[Places, Places, Places, Places, Places]:
    """Return where the tokens, segments and token features of some sentences are, and their borders and starts."""
    spans = [np.arange(text.borders[s], text.borders[s + 1]) for s in sentences]
    tokens = np.concatenate([np.empty(0, np.int64), *spans])
    longest = len(text.segment_heads) // max(1, len(text.token_starts) - 1)
    rows = (tokens[:, None] * longest + np.arange(longest)).ravel()
    own = [np.arange(text.token_starts[t], text.token_starts[t + 1]) for t in tokens]
    features = np.concatenate([np.empty(0, np.int64), *own])
    borders, starts = (np.cumsum([0, *map(len, each)], dtype=np.int64) for each in (spans, own))
    return tokens, rows, features, borders, starts


def looked_up(text: Raw, tokens: KeyTable, segments: KeyTable) -> Features:
    """Replace the keys of features by their rows in the tables."""
    return Features(
        text.borders,
        text.token_starts,
        look_up(text.token_keys[:, None], tokens)[:, 0],
        look_up(text.segment_keys, segments),
        text.segment_heads,
        text.vectors,
    )


def _chosen(atoms: Sequence[str], by_group: Mapping[str, str], groups: Collection[str]) -> Templates:
    """Return the templates of some groups, and one that is always present."""
    return parse_templates(
        atoms, ";".join(["", *(text for name, text in by_group.items() if name in groups)])
    )


def _end_to_end(edges: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return borders that start at 0 each as one sequence of borders."""
    shifts = np.concatenate([[0], np.cumsum([each[-1] for each in edges])])
    return np.concatenate([[0], *(each[1:] + by for each, by in zip(edges, shifts, strict=False))]).astype(
        np.int64
    )
