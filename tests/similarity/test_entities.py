"""Neighbours that are similar by more than the name they share."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from entity_documents import written
from samevent.corpus import Document, Entity, Reference
from samevent.grounding.entity_names import parse_name
from samevent.language.annotation import Annotation
from samevent.similarity import entities as module
from samevent.similarity.documents import topical_similarity, topical_values
from samevent.similarity.entities import related_beside_names
from similarity.tables import compiled

TEXTS = (
    "[Tara/NNP Reid/NNP] entered/VBD the/DT clinic/NN",
    "[Reid/NNP] left/VBD the/DT clinic/NN in/IN Malibu/NNP",
    "[Reid/NNP] scored/VBD a/DT goal/NN",
    "[Tara/NNP Reid/NNP] scored/VBD goal/NN",
    *(["rain/NN fell/VBD"] * 12),
)


def named(number: int, text: str) -> tuple[Document, Annotation]:
    """Return a document whose participants are called by their own words."""
    document, annotation = written(text, f"d{number:02}")
    mentions = [document.mention("participant", *m.span, refers=Reference(entity=Entity.named(m.text)))
                for m in document.mentions]  # fmt: skip
    return document.with_mentions(mentions), annotation


def test_shared_names_are_no_reason_to_be_neighbours() -> None:
    """Against looking every word of every pair up."""
    table = compiled([named(number, text) for number, text in enumerate(TEXTS)])
    names, values = table.entities, topical_values(table)
    pairs = [(i, j) for j, i in combinations(range(len(names)), 2)]
    i, j = (np.array(rows, np.int64) for rows in zip(*pairs, strict=True))
    d, e = names.document[i], names.document[j]
    similarity = topical_similarity(table, d, e)

    def worth(document: int, word: str) -> float:
        rows = range(table.contents.starts[document], table.contents.starts[document + 1])
        return sum(float(values[at]) for at in rows if table.vocabulary[table.contents.words[at]] == word)

    expected = []
    for a, b, first, second, similar in zip(i, j, d, e, similarity, strict=True):
        shared = set.intersection(*(set(parse_name(names.names[names.name[row]]).words) for row in (a, b)))
        rest = similar - sum(worth(first, word) * worth(second, word) for word in shared)
        expected.append(bool(rest >= module._GATE))
    found = related_beside_names(table)(i, j, similarity)
    assert found.tolist() == expected
    by_documents = dict(zip(zip(d.tolist(), e.tolist(), strict=True), found.tolist(), strict=True))
    assert by_documents[1, 0], "both are about a clinic"
    assert not by_documents[2, 0], "one is about a clinic, the other about a goal"
    assert similarity[pairs.index((2, 0))] > module._GATE, "though the name makes them similar"


def test_tables_without_names_are_no_error() -> None:
    table = compiled([named(0, TEXTS[-1])])
    none = np.zeros(0, np.int64)
    assert related_beside_names(table)(none, none, np.zeros(0)).tolist() == []
