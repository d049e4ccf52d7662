"""What tests of extraction share: random problems, all paths written out, texts and resources in miniature."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path as FilePath
from typing import ClassVar

import numpy as np

from parses import parsed
from samevent.corpus import Document, Kind
from samevent.extraction import Parsed
from samevent.extraction.features import Features
from samevent.extraction.semicrf import OTHER, Floats, Indices, Potentials
from samevent.extraction.weights import Weights
from samevent.language.annotation import Annotation
from samevent.language.hashing import Indices as Tokens
from samevent.language.resources import Resources
from samevent.language.roles import Predicate, rules
from samevent.language.roles.encoding import VERB, Encoded
from samevent.language.vectors import WordVectors
from samevent.language.wordnet import Pos
from samevent.seeds import stream

Path = tuple[tuple[int, int, int], ...]
"""All segments of a sentence, *other* among them, as start, end and kind."""
EMPTY = Annotation(tags=(), pos=(), lemmas=(), heads=(), labels=())
Rows = tuple[int, int, int, int, int]
"""How many features tokens and segments have, how many dimensions word and phrase vectors, and columns of context."""


def random_potentials(seed: int, n: int, limits: tuple[int, ...], *, scale: float = 1.0) -> Potentials:
    random = stream(seed, "potentials")
    kinds = len(limits)
    return Potentials(
        random.normal(size=(n, max(limits), kinds)) * scale,
        random.normal(size=n) * scale,
        random.normal(size=(kinds + 2, kinds + 2)) * scale,
        np.array(limits, np.int64),
    )


def random_features(seed: int, sizes: list[int], longest: int, rows: Rows) -> Features:
    """Build features of sentences of these sizes."""
    random = stream(seed, "features")
    n = sum(sizes)
    tokens, segments, *dimensions, context = rows
    starts = np.cumsum([0, *random.integers(0, 5, n)])
    heads = np.array([random.integers(length) for _ in range(n) for length in range(1, longest + 1)], np.int8)
    return Features(
        borders_of(sizes),
        starts.astype(np.int64),
        random.integers(-1, tokens, starts[-1]).astype(np.int32),
        random.integers(-1, segments, (n * longest, 3)).astype(np.int32),
        heads,
        random.normal(size=(n, max(dimensions))).astype(np.float32),
        random.normal(size=(n, context)).astype(np.float32),
    )


def random_weights(seed: int, rows: Rows, kinds: int) -> Weights:
    zeros = Weights.zeros(*rows, kinds)
    return zeros.shaped(stream(seed, "weights").normal(size=zeros.flat().size))


def borders_of(sizes: list[int]) -> Indices:
    return np.cumsum([0, *sizes]).astype(np.int64)


def paths(start: int, end: int, limits: Indices) -> Iterator[Path]:
    """Yield all ways to cut the tokens from `start` to `end` into segments."""
    if start == end:
        yield ()
        return
    for kind, limit in enumerate((1, *limits.tolist())):
        for length in range(1, min(limit, end - start) + 1):
            for rest in paths(start + length, end, limits):
                yield ((start, start + length, kind), *rest)


def score(p: Potentials, path: Path) -> float:
    """Add up a path as its definition says."""
    if not path:
        return 0.0
    border = len(p.transitions) - 1
    kinds = [border, *(kind for _, _, kind in path), border]
    own = sum(p.other[a] if kind == OTHER else p.segments[a, b - a - 1, kind - 1] for a, b, kind in path)
    return float(own + sum(p.transitions[pair] for pair in pairwise(kinds)))


def filled(segments: Iterable[tuple[int, int, int]], start: int, end: int) -> Path:
    """Return the path from `start` to `end` with these segments and *other* everywhere else."""
    inside = {t for a, b, _ in segments for t in range(a, b)}
    return tuple(sorted([*segments, *((t, t + 1, OTHER) for t in range(start, end) if t not in inside)]))


def best_segments(p: Potentials, borders: Indices) -> list[tuple[int, int, int]]:
    """Return the segments except *other* of the best path of each sentence, by enumeration."""
    best = [max(sentence, key=lambda pair: pair[1])[0] for sentence in weighed(p, borders)]
    return [segment for path in best for segment in path if segment[2] != OTHER]


def weighed(p: Potentials, borders: Indices) -> list[list[tuple[Path, float]]]:
    """Return all paths of each sentence with their scores."""
    return [[(path, score(p, path)) for path in paths(a, b, p.limits)] for a, b in pairwise(borders.tolist())]


def log_sum(scores: list[float]) -> float:
    return float(np.logaddexp.reduce(scores))


def slopes(f: Callable[[Floats], float], at: Floats, *, step: float = 1e-5) -> Floats:
    """Return the gradient of a function by central differences."""
    found = np.zeros_like(at)
    for i in range(at.size):
        moved = np.zeros_like(at)
        moved.flat[i] = step
        found.flat[i] = (f(at + moved) - f(at - moved)) / (2 * step)
    return found


def text_of(*sentences: str, id: str = "d1", **fields: str) -> Parsed:
    """Build a document from sentences in the form of `parses.parsed`; its verbs are its predicates."""
    parts = [
        parsed(rows) if rows.strip() else (Document.from_tokens("empty", [[]]), EMPTY) for rows in sentences
    ]
    document = Document.from_tokens(id, [[t.text for t in d.tokens] for d, _ in parts], **fields)
    starts = accumulate((len(a) for _, a in parts), initial=0)
    heads = [[at + head for head in a.heads] for at, (_, a) in zip(starts, parts, strict=False)]
    annotation = Annotation(
        heads=tuple(head for own in heads for head in own),
        **{
            name: tuple(value for _, a in parts for value in getattr(a, name))
            for name in ("tags", "pos", "lemmas", "labels")
        },
    )
    return Parsed(document, annotation, TinyRoles().label(document, annotation))


class TinyLexicon:
    """A lexicon of two words."""

    CLASSES: ClassVar = {"bomb": "verb.contact", "raid": "noun.act"}

    def base(self, word: str, pos: Pos) -> str | None:
        return word if word in self.CLASSES else None

    def synsets(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        return self._said(word, f"{word}.{pos}.01")

    def synonyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        return self._said(word, "attack")

    def hypernyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        return self._said(word, f"harm.{pos}.01", f"do.{pos}.01")

    def classes(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        return self._said(word, self.CLASSES.get(word, ""))

    def frames(self, word: str, pos: Pos) -> tuple[str, ...]:
        return self._said(word, "Attack")

    def frame_roles(self, word: str, pos: Pos) -> tuple[str, ...]:
        return self._said(word, "Attack.assailant", "Attack.victim")

    def verb(self, word: str, pos: Pos) -> str | None:
        return None

    def verb_classes(self, word: str, pos: Pos) -> tuple[str, ...]:
        return self._said(word, "attack-60.1")

    def _said(self, word: str, *names: str) -> tuple[str, ...]:
        return names if word in self.CLASSES else ()


class TinyRoles:
    """A labeller whose predicates are the verbs, with the roles that rules give them."""

    def find(self, bare: Encoded) -> Tokens:
        return np.flatnonzero(bare.flags & VERB).astype(np.int32)

    def label(
        self, document: Document, annotation: Annotation, predicates: Collection[int] | None = None
    ) -> tuple[Predicate, ...]:
        if predicates is None:
            predicates = [i for i, tag in enumerate(annotation.tags) if tag.startswith("V")]
        return rules.label(annotation, sorted(predicates))


def tiny_resources(dimension: int = 3) -> Resources:
    """Return resources that need no file."""
    words = ["bombed", "raid", "Thursday", "Sudan"]
    rows = stream(0, "vectors").normal(size=(len(words), dimension)).astype(np.float32)
    found = Resources(FilePath("tiny"))
    vars(found).update(
        lexicon=TinyLexicon(), vectors=WordVectors(words, dimension, lambda i: rows[i]), roles=TinyRoles()
    )
    return found


def news(*more: str) -> list[Parsed]:
    """Return six short documents of three topics with gold mentions of all kinds, in front of `more` sentences."""
    found = []
    for i, (who, did, lemma, whom, where, when) in enumerate(_NEWS):
        text = text_of(
            f"""
            {who} NNP nsubj {did}
            {did} VBD ROOT {did} {lemma}
            the DT det {whom}
            {whom} NN dobj {did}
            in IN prep {did}
            {where} NNP pobj in
            last JJ amod {when}
            {when} NN npadvmod {did}
            . . punct {did}
            """,
            *more,
            id=f"d{i}",
            topic=str(i % 3),
        )
        d = text.document
        spans: list[tuple[Kind, int, int]] = [
            ("participant", 0, 1), ("action", 1, 2), ("participant", 2, 4), ("location", 5, 6), ("time", 6, 8)
        ]  # fmt: skip
        mentions = [d.mention(kind, start, end, event=f"{kind} {i}") for kind, start, end in spans]
        mentions[1] = replace(mentions[1], event_class="causative" if i % 2 else "state")
        found.append(text._replace(document=d.with_mentions(mentions)))
    return found


_NEWS = (
    ("Sudan", "bombed", "bomb", "camp", "Yida", "week"),
    ("Chad", "shelled", "shell", "town", "Abeche", "month"),
    ("Police", "raided", "raid", "office", "Oslo", "night"),
    ("Troops", "stormed", "storm", "palace", "Juba", "year"),
    ("Rebels", "attacked", "attack", "convoy", "Goma", "spring"),
    ("Pirates", "seized", "seize", "tanker", "Aden", "summer"),
)
