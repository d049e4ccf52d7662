"""Small documents with parses and entity mentions, written by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from samevent.corpus import Document
from samevent.grounding.entity_mentions import entity_mentions
from samevent.grounding.entity_model import EntityModel, Weights
from samevent.grounding.entity_pairs import PAIR_KINDS
from samevent.grounding.entity_tables import EntityDocument, EntityTable, compile_entities
from samevent.language.annotation import Annotation
from samevent.language.vectors import WordVectors

_ROWS = np.array([[1, 0], [0, 1], [3, 4], [3, 4.1]], np.float32)
VECTORS = WordVectors(["the", "man", "officer", "policeman"], 2, lambda rows: _ROWS[rows])

Parse = tuple[Document, Annotation]


def written(text: str, id: str = "d1", labels: Mapping[str, str] | None = None) -> Parse:
    """Build a document from sentences of word/TAG, one per line; participants are in square brackets.

    `[Tobias/NNP Grell/NNP] fled/VBD` has one participant. The last token of a participant is its head and the subject
    of its sentence if it opens one. `labels` are named entities by their words.
    """
    sentences: list[list[str]] = []
    tags: list[str] = []
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.strip().splitlines():
        words = []
        for cell in line.split():
            if cell.startswith("["):
                start = len(tags)
            word, tag = cell.strip("[]").rsplit("/", 1)
            words.append(word)
            tags.append(tag)
            if cell.endswith("]"):
                spans.append((start, len(tags)))
        sentences.append(words)
    words = [word for sentence in sentences for word in sentence]
    heads, dependencies, at = list(range(len(tags))), ["dep"] * len(tags), 0
    for sentence in sentences:
        verb = next((i for i in range(at, at + len(sentence)) if tags[i].startswith("V")), at)
        for i in range(at, at + len(sentence)):
            heads[i] = verb
        at += len(sentence)
    for first, end in spans:
        for i in range(first, end - 1):
            heads[i] = end - 1
        dependencies[end - 1] = "nsubj" if end - 1 < heads[end - 1] else "dobj"
    pos = {"NNP": "PROPN", "NN": "NOUN", "NNS": "NOUN", "PRP": "PRON", "DT": "DET", "VBD": "VERB"}
    entities = []
    for name, label in (labels or {}).items():
        parts = name.split()
        entities += [
            (i, i + len(parts), label) for i in range(len(words)) if words[i : i + len(parts)] == parts
        ]
    annotation = Annotation(
        tags=tuple(tags),
        pos=tuple(pos.get(tag, "X") for tag in tags),
        lemmas=tuple(word.lower() for word in words),
        heads=tuple(heads),
        labels=tuple(dependencies),
        entities=tuple(sorted(entities)),
    )
    document = Document.from_tokens(id, sentences)
    mentions = [document.mention("participant", a, b, head=b - 1) for a, b in spans]
    return document.with_mentions(mentions), annotation


def table_of(*parses: Parse) -> EntityTable:
    """Compile the entity mentions of documents."""
    documents = [EntityDocument.of(d, a, entity_mentions(d, a)) for d, a in parses]
    return compile_entities(documents, VECTORS)


def weighing(
    within: Mapping[str, float], across: Mapping[str, float], intercept: float = -3.0
) -> EntityModel:
    """Return a model with these weights for every kind of pair."""
    parts = [
        Weights(
            tuple(each),
            np.tile(list(each.values()), (len(PAIR_KINDS), 1)),
            np.full(len(PAIR_KINDS), intercept),
        )
        for each in (within, across)
    ]
    return EntityModel(parts[0], parts[1])


SIMPLE = weighing(
    {"part of the name": 5.0, "acronym": 5.0, "other gender": -9.0, "same gender": 4.0, "antecedent is subject": 1.0,
     "tokens": -0.1, "same lemma": 4.0, "other animacy": -5.0, "same animacy": 1.0},
    {"same name": 5.0, "part of the name": 1.0, "same lemma": 1.0},
)  # fmt: skip
"""A model whose weights follow from what each column means."""
