"""What mentions of one entity cannot say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from entity_documents import SIMPLE, VECTORS, table_of, weighing, written
from samevent.corpus import Document
from samevent.grounding.entities import EntityReader
from samevent.grounding.entity_clusters import EntitySettings, best_links
from samevent.grounding.entity_conflicts import contradicting
from samevent.grounding.entity_mentions import EntityMention, entity_mentions
from samevent.grounding.entity_pairs import pairs_within
from samevent.partitions.labels import canonical

NAMES = {"Tobias Grell": "PERSON", "Ann Lee": "PERSON", "Grell": "PERSON", "Lee": "PERSON"}


def mentions_of(text: str) -> list[EntityMention]:
    return entity_mentions(*written(text, labels=NAMES))


def test_descriptions_do_not_lead_from_one_name_to_another() -> None:
    """Everything is said to be the same: what contradicts each other stays apart, and the best links are kept."""
    same = weighing({"sentences": -0.5}, {}, intercept=5.0)
    text = "[Ann/NNP Lee/NNP] fled/VBD\n[the/DT officer/NN] met/VBD [Tobias/NNP Grell/NNP]\n[He/PRP] fell/VBD"
    table = table_of(written(text, labels=NAMES))
    labels = best_links(table, same).tolist()
    called = {mention.text: label for mention, label in zip(table.mentions, labels, strict=True)}
    assert called["Ann Lee"] != called["Tobias Grell"] == called["He"]


def test_he_is_not_she() -> None:
    he, she, it = mentions_of("[He/PRP] fled/VBD\n[She/PRP] met/VBD [it/PRP]")
    for pair in ([he, she], [he, it], [she, it]):
        assert contradicting(pair, [0, 0])
        assert not contradicting(pair, [0, 1])


def test_words_that_the_parser_calls_no_name_exclude_nothing() -> None:
    coach, lee = mentions_of("[Head/NNP Coach/NNP] met/VBD [Ann/NNP Lee/NNP]")
    assert not contradicting([coach, lee], [0, 0])


@given(
    st.lists(st.sampled_from("Ann_Lee Tobias_Grell Grell Lee he she it man".split()), max_size=8), st.data()
)
def test_links_are_the_best_or_in_their_order_those_that_contradict_nothing(
    words: list[str], data: st.DataObject
) -> None:
    """The slow reference: the best link of each; if groups contradict themselves, every link in order that may be."""
    tags = {"he": "PRP", "she": "PRP", "it": "PRP", "man": "NN"}
    lines = [
        "[" + " ".join(f"{part}/{tags.get(word, 'NNP')}" for part in word.split("_")) + "] fled/VBD"
        for word in words
    ]
    table = table_of(written("\n".join(lines), labels=NAMES))
    settings = EntitySettings(alpha_within=0.01)
    pairs = pairs_within(table)
    scores = SIMPLE.scores(table, pairs, within=True)
    kept = [at for at in range(len(pairs)) if scores[at] > np.log(settings.alpha_within)]

    def linked(order: list[int], *, free: bool) -> list[int]:
        group, done = list(range(len(table))), set[int]()
        for at in order:
            i, j = int(pairs.i[at]), int(pairs.j[at])
            joined = [group[j] if each == group[i] else each for each in group]
            if i not in done and (free or not contradicting(table.mentions, joined)):
                group = joined
                done.add(i)
        labels: list[int] = canonical(np.array(group, np.int64)).tolist()
        return labels

    expected = linked(sorted(kept, key=lambda at: (-scores[at], -pairs.j[at])), free=True)
    if contradicting(table.mentions, expected):
        names_first = sorted(
            kept, key=lambda at: (pairs.kind[at] != 0, -scores[at], pairs.i[at], -pairs.j[at])
        )
        expected = linked(names_first, free=False)
    assert best_links(table, SIMPLE, settings).tolist() == expected


def test_entities_of_a_document_are_called_by_names_alone() -> None:
    """Capitals make no name: neither of a headline, nor of a day, nor in lower case."""
    text = "[Teen/NNP] fled/VBD [police/NNP]\n[the/DT teen/NN] met/VBD [Sunday/NNP]\n[Tobias/NNP Grell/NNP] ran/VBD"
    document, annotation = written(text, labels={"Tobias Grell": "PERSON", "Sunday": "DATE"})
    entities = EntityReader(SIMPLE, VECTORS).entities(document, annotation)
    assert [entity.name for entity in entities.values() if entity.is_named] == ["Tobias Grell"]
    assert isinstance(document, Document)
