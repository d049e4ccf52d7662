"""Random corpora with everything that pair features look at, and random pair models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samevent.corpus import Argument, Document, Kind
from samevent.language.annotation import Annotation
from samevent.language.vectors import WordVectors
from samevent.language.wordnet import Pos
from samevent.similarity.bags import Background
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.code_features import ALL_FEATURES
from samevent.similarity.mentions import Annotated, MentionTable, compile_mentions
from samevent.similarity.model import PairModel
from samevent.similarity.trees import Trees

TAGS = ("NN", "NNS", "VBD", "IN")
WORDS = tuple("bomb bombs raid raids attack attacks kill kills die dies the of".split())
SYNONYMS = {"bomb": ("raid",), "raid": ("bomb", "attack"), "attack": ("raid",), "kill": ("slay",)}
ROLES = ("ARG0", "ARG1", "ARG2", None)


HYPERNYMS = {"bomb": ("strike", "act"), "raid": ("strike", "act"), "attack": ("strike",), "kill": ("act",)}
FRAMES = {"bomb": ("Attack",), "raid": ("Attack", "Invade"), "kill": ("Kill",), "die": ("Kill", "Die")}


class SmallLexicon:
    """Synonyms, hypernyms and frames from dictionaries, nouns and verbs alike; a verb class is a frame's."""

    def base(self, word: str, pos: Pos) -> str | None:
        return word

    def synonyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        return SYNONYMS.get(word, ())

    def synsets(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        return ()

    classes = synsets

    def hypernyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        return HYPERNYMS.get(word, ())

    def frames(self, word: str, pos: Pos) -> tuple[str, ...]:
        return FRAMES.get(word, ())

    def verb_classes(self, word: str, pos: Pos) -> tuple[str, ...]:
        return tuple(frame.lower() for frame in self.frames(word, pos)[:1])

    def verb(self, word: str, pos: Pos) -> str | None:
        return None

    def frame_roles(self, word: str, pos: Pos) -> tuple[str, ...]:
        return ()


LEXICON = SmallLexicon()
_KNOWN = WORDS[:8]
_ROWS = np.random.default_rng(3).normal(size=(len(_KNOWN), 5)).astype(np.float32)
VECTORS = WordVectors(_KNOWN, 5, lambda numbers: _ROWS[numbers])
"""Vectors for some of the words."""


def random_corpus(seed: int, *, documents: int = 4, mentions: int = 8, length: int = 30) -> list[Annotated]:
    """Return documents of random words with up to so many events each, most of them with arguments."""
    draw = np.random.default_rng(seed)
    return [_document(draw, f"d{number}", mentions, length) for number in range(documents)]


def compiled(corpus: Sequence[Annotated]) -> MentionTable:
    """Compile a corpus with the small lexicon and vectors."""
    return compile_mentions(corpus, lexicon=LEXICON, vectors=VECTORS)


def random_model(seed: int, *, spread: float = 2.0, intercept: float = -3.0) -> PairModel:
    """Return a model with weights of both signs, some of them zero."""
    draw = np.random.default_rng(seed)
    names = [feature.name for feature in ALL_FEATURES]
    weights = draw.normal(0, spread, len(names)) * (draw.random(len(names)) < 0.8)
    tags = (*TAGS, "N", "V")
    tag_pairs = [(a, b) for a in tags for b in tags if draw.random() < 0.7]
    return PairModel(
        weights={name: float(weight) for name, weight in zip(names, weights, strict=True)},
        tag_weights={pair: float(draw.normal(0, spread / 2)) for pair in tag_pairs},
        intercept=float(draw.normal(intercept, spread)),
        tag_length=[None, 1][seed % 2],
    )


def constant_model(background: Background) -> BoostedModel:
    """Return one tree with a single leaf, and the document frequencies of a training corpus."""
    leaf = Trees(*(np.array(each) for each in ([0, 1], [0], [0.0], [0], [0], [False], [0.5])))
    return BoostedModel(leaf, ("head_lemma",), 0.0, background=background)


def all_pairs(table: MentionTable) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], ...]:
    """Return every pair of rows, the greater one first."""
    i, j = np.tril_indices(len(table), -1)
    return i.astype(np.int32), j.astype(np.int32)


def _document(draw: np.random.Generator, id: str, mentions: int, length: int) -> Annotated:
    words = [str(word) for word in draw.choice(WORDS, length)]
    half = length // 2
    document = Document.from_tokens(id, [words[:half], words[half:]], topic=str(draw.integers(2)))
    annotation = Annotation(
        tags=tuple(str(tag) for tag in draw.choice(TAGS, length)),
        pos=tuple("PUNCT" if word == "of" else "NOUN" for word in words),
        lemmas=tuple(word.removesuffix("s").title() for word in words),
        heads=tuple(range(length)),
        labels=("ROOT",) * length,
    )
    places = [int(place) for place in draw.permutation(length - 1)]
    kinds: tuple[Kind, ...] = ("participant", "time", "location")
    others = [
        document.mention(kinds[k % 3], place, place + int(draw.integers(1, 3)))
        for k, place in enumerate(places[: length // 4])
    ]
    events = []
    for place in places[-int(draw.integers(0, mentions + 1)) or length :]:
        end = place + int(draw.integers(1, 3))
        chosen = {str(m.id): m for m in others if draw.random() < 0.2}
        arguments = [Argument(id, ROLES[int(draw.integers(4))]) for id in chosen]
        event = f"e{draw.integers(3)}"
        events.append(
            document.mention(
                "action", place, end, head=int(draw.integers(place, end)), arguments=arguments, event=event
            )
        )
    return document.with_mentions([*others, *events]), annotation
