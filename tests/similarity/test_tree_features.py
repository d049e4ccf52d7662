from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samevent.corpus import Argument, Document
from samevent.errors import UsageError
from samevent.language.annotation import Annotation
from samevent.similarity.bags import Bags
from samevent.similarity.mentions import MentionTable
from samevent.similarity.tree_features import TREE_FEATURES, columns, compared_words, weighted_cosine
from similarity.tables import all_pairs, compiled, random_corpus

BY_NAME = {feature.name: feature for feature in TREE_FEATURES}
ZERO, ONE, TWO = (np.array([row], np.int32) for row in range(3))


def document(
    id: str, text: str, *events: int, entities: tuple[tuple[int, int, str], ...] = ()
) -> tuple[Document, Annotation]:
    """Return a document of sentences that end in a full stop; capitalised words are names, digits numbers."""
    sentences = [[*part.split(), "."] for part in text.split(" .") if part.strip()]
    words = [word for sentence in sentences for word in sentence]

    def pos(word: str) -> str:
        if word == ".":
            return "PUNCT"
        return "NUM" if word[0].isdigit() else "PROPN" if word[0].isupper() else "NOUN"

    annotation = Annotation(
        tags=tuple("VBD" if word.endswith("ed") else "NN" for word in words),
        pos=tuple(map(pos, words)),
        lemmas=tuple(words),
        heads=tuple(range(len(words))),
        labels=("ROOT",) * len(words),
        entities=entities,
    )
    empty = Document.from_tokens(id, sentences)
    return empty.with_mentions(empty.mention("action", at, at + 1) for at in events), annotation


def value(table: MentionTable, name: str, i: np.ndarray = ONE, j: np.ndarray = ZERO) -> float:
    return float(BY_NAME[name].compare(table, i, j)[0])


def test_every_feature_is_symmetric() -> None:
    table = compiled(random_corpus(6, documents=6))
    i, j = all_pairs(table)
    for feature in TREE_FEATURES:
        np.testing.assert_array_equal(
            feature.compare(table, i, j), feature.compare(table, j, i), feature.name
        )


def test_features_have_different_names_and_describe_every_value() -> None:
    assert len(BY_NAME) == len(TREE_FEATURES)
    for feature in TREE_FEATURES:
        for number in (0.0, 0.5, 1.0, np.nan):
            text = feature.describe(number)
            assert text
            assert not {"{", "nan"} & set(text.split()), feature.name
    assert BY_NAME["same_document"].describe(0.0) == "in different documents"
    assert BY_NAME["sentence_people"].describe(np.nan) == "no people in one of the sentences"


def test_weighted_cosine_agrees_with_vectors() -> None:
    draw = np.random.default_rng(2)
    counts = draw.poisson(0.7, (8, 5))
    counts[3] = 0
    weights = draw.random(5) + 0.1
    words = [[str(w) for w, n in enumerate(row) for _ in range(n)] for row in counts]
    bags = Bags.pack(words, {str(w): w for w in range(5)})
    i, j = (part.astype(np.int32) for part in np.tril_indices(8))
    rows = counts * weights
    lengths = np.linalg.norm(rows, axis=1)
    with np.errstate(invalid="ignore"):
        expected = (rows[i] * rows[j]).sum(axis=1) / (lengths[i] * lengths[j])
    assert np.isnan(expected).any()
    np.testing.assert_allclose(weighted_cosine(bags, weights, i, j), expected, atol=1e-12)


def test_entities_are_compared_by_kind_and_unknown_if_missing() -> None:
    table = compiled(
        [
            document(
                "a",
                "Smith shot Jones in Yida .",
                1,
                entities=((0, 1, "PERSON"), (2, 3, "PERSON"), (4, 5, "GPE")),
            ),
            document(
                "b",
                "Smith killed 2 in Juba .",
                1,
                entities=((0, 1, "PERSON"), (4, 5, "GPE"), (2, 3, "CARDINAL")),
            ),
        ]
    )
    assert 0 < value(table, "sentence_people") < 1
    assert value(table, "sentence_people") == value(table, "document_people")
    assert value(table, "sentence_places") == 0.0
    assert np.isnan(value(table, "sentence_numbers"))
    assert np.isnan(value(table, "sentence_dates"))
    assert 0 < value(table, "sentence_names") < 1
    shared = set(compared_words(table, "sentence_people", 0)) & set(
        compared_words(table, "document_people", 1)
    )
    assert [table.vocabulary[word] for word in shared] == ["smith"]


def test_lead_is_the_first_sentence_with_three_content_words() -> None:
    table = compiled(
        [
            document("a", "2014 . quake hits Juba . nobody saw it .", 3),
            document("b", "quake hits Juba . all slept at home .", 0),
        ]
    )
    assert value(table, "leads") == pytest.approx(1.0)
    assert value(table, "lead_names") == pytest.approx(1.0)


def test_positions_and_tags_are_counted() -> None:
    table = compiled([document("a", "raid ended . raid began . calm came . raid stopped .", 0, 1, 9)])
    assert value(table, "same_document") == 1.0
    assert value(table, "sentences_between", TWO, ZERO) == 3.0
    assert value(table, "earlier_position", TWO, ZERO) == 1.0
    assert value(table, "later_position", TWO, ZERO) == 4.0
    assert value(table, "verbs") == 1.0
    assert value(table, "nouns") == 1.0
    other = compiled([document("a", "raid .", 0), document("b", "raid .", 0)])
    assert value(other, "same_document") == 0.0
    assert np.isnan(value(other, "sentences_between"))


def test_rivals_are_other_mentions_of_the_word_in_the_other_document() -> None:
    table = compiled([document("a", "raid bomb raid .", 0, 1, 2), document("b", "raid bomb bomb .", 0, 1, 2)])
    lemma = [table.heads.lemmas[k] for k in table.heads.lemma[table.head]]
    i, j = all_pairs(table)
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        counts = []
        for one, other in ((a, b), (b, a)):
            rows = [r for r in range(6) if table.document[r] == table.document[other] and r not in (a, b)]
            counts.append(sum(lemma[r] == lemma[one] for r in rows))
        pair = np.array([a], np.int32), np.array([b], np.int32)
        assert value(table, "fewer_rivals", *pair) == min(counts)
        assert value(table, "more_rivals", *pair) == max(counts)


def test_contextual_vectors_are_compared_by_cosine_and_unknown_without_an_encoder() -> None:
    table = compiled([document("a", "raid bomb kill .", 0, 1, 2)])
    assert np.isnan(value(table, "contextual_last"))
    rows = np.array([[3, 0], [3, 4], [0, 0]], np.float32)
    table = table.with_contextual({"last": rows})
    assert value(table, "contextual_last") == pytest.approx(0.6)
    assert value(table, "contextual_last", TWO, ONE) == 0.0
    with pytest.raises(UsageError, match="2 contextual vectors 'last' for 3 mentions"):
        table.with_contextual({"last": rows[:2]})


def test_documents_are_compared_by_their_dates() -> None:
    words = "raid ended ."
    dated = [
        (replace(document(id, words, 0)[0], date=date), document(id, words, 0)[1])
        for id, date in (("a", "2031-03-01"), ("b", "2031-02-27"), ("c", None))
    ]
    table = compiled(dated)
    assert value(table, "days_between") == 2.0
    assert np.isnan(value(table, "days_between", TWO, ONE))
    assert BY_NAME["days_between"].describe(0.0) == "documents of the same day"


def test_names_among_arguments_are_unknown_if_there_are_none() -> None:
    def accused(id: str, *names: int) -> tuple[Document, Annotation]:
        text, annotation = document(id, "Smith accused Jones of 2 thefts .", 1)
        (event,) = text.mentions
        others = [text.mention("participant", at, at + 1) for at in names]
        event = replace(event, arguments=tuple(Argument(other.id) for other in others))
        return text.with_mentions([event, *others]), annotation

    table = compiled([accused("a", 0, 5), accused("b", 0), accused("c", 2), accused("d", 5)])
    assert value(table, "informative_argument_names") == pytest.approx(1.0)
    assert value(table, "informative_argument_names", TWO, ONE) == 0.0
    assert np.isnan(value(table, "informative_argument_names", np.array([3], np.int32), ONE))


def test_sorts_of_events_are_compared() -> None:
    table = compiled(
        [document("a", "police stated . guards hinted . men toppled . ice glorped", 1, 4, 7, 10)]
    )
    sort = {"stated": 0, "hinted": 0, "toppled": 1, "glorped": -1}
    kind = np.array([sort[table.heads.lemmas[lemma]] for lemma in table.heads.lemma], np.int32)
    table = replace(table, heads=replace(table.heads, kind=kind, kinds=("communication", "motion")))
    pairs = (ONE, ZERO), (TWO, ONE), (TWO, np.array([3], np.int32))
    assert [value(table, "reporting_heads", *rows) for rows in pairs] == [2.0, 1.0, 0.0]
    assert [value(table, "same_kind", *rows) for rows in pairs[:2]] == [1.0, 0.0]
    assert np.isnan(value(table, "same_kind", *pairs[2]))


def test_light_heads_are_counted() -> None:
    table = compiled([document("a", "raid it thing .", 0, 1, 2)])
    assert [value(table, "light_heads", *rows) for rows in ((ONE, ZERO), (TWO, ONE))] == [1.0, 2.0]


def test_columns_are_the_features_in_order() -> None:
    table = compiled(random_corpus(6, documents=4))
    i, j = all_pairs(table)
    matrix = columns(table, i, j)
    assert matrix.dtype == np.float32
    for number, feature in enumerate(TREE_FEATURES):
        np.testing.assert_array_equal(matrix[:, number], feature.compare(table, i, j).astype(np.float32))
