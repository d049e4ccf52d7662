from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samevent.similarity.bags import NO_BACKGROUND, Bags
from samevent.similarity.explanation import explain, explanations
from samevent.similarity.model import PairModel
from similarity.tables import compiled, random_corpus, random_model

TABLE = compiled(random_corpus(12, documents=6))


@pytest.mark.parametrize(("first", "second"), [(0, 1), (2, 20), (20, 2)])
def test_contributions_and_intercept_add_up_to_the_score(first: int, second: int) -> None:
    model = random_model(5)
    found = explain(TABLE, model, first, second)
    score = found.intercept + sum(c.added for c in found.contributions)
    assert found.probability == pytest.approx(1 / (1 + np.exp(-score)))
    row, other = np.array([first], np.int32), np.array([second], np.int32)
    assert found.probability == model.probability(TABLE, row, other)[0]
    sizes = [abs(c.added) for c in found.contributions]
    assert sizes == sorted(sizes, reverse=True)


def test_explanation_is_readable() -> None:
    model = PairModel({"head_lemma": 2.0, "words": 1.0, "arg0": 3.0}, {}, -1.5)
    lemma = TABLE.heads.lemma[TABLE.head]
    first, second = next(
        (i, j)
        for i in range(len(TABLE))
        for j in range(i)
        if lemma[i] == lemma[j] and not TABLE.fields["arg0"].present[[i, j]].any()
    )
    text = str(explain(TABLE, model, first, second))
    assert f"{TABLE.ids[first]} and {TABLE.ids[second]}: same event with probability 0." in text
    assert "+2.00  same head lemma" in text
    assert "-1.50  any pair (intercept)" in text
    assert "ARG0" not in text


def test_explanations_agree_with_explain() -> None:
    model = random_model(5)
    i, j = np.array([1, 20, 9], np.int32), np.array([0, 2, 8], np.int32)
    one_by_one = [explain(TABLE, model, a, b) for a, b in zip(i.tolist(), j.tolist(), strict=True)]
    assert explanations(TABLE, model, i, j) == one_by_one
    for short, whole in zip(explanations(TABLE, model, i, j, limit=3), one_by_one, strict=True):
        assert short.contributions == whole.contributions[:3]


def test_explanation_names_the_most_informative_shared_words() -> None:
    model = PairModel({"context": 1.0, "both_participants": 0.5}, {}, 0.0)
    number = {word: place for place, word in enumerate(TABLE.vocabulary)}
    # Word n is a content word of n documents: the first one, of none, tells nothing, and then the fewer the more.
    contents = [[word for word in number if number[word] > document] for document in range(6)]
    table = replace(TABLE, contents=Bags.pack(contents, number)).with_background(NO_BACKGROUND)
    lengths = set()
    for row in range(len(table)):
        (alone,) = explain(table, model, row, row).contributions[:1]
        most = sorted(table.fields["context"].row(row).tolist(), key=lambda word: word or len(number))
        named = [table.vocabulary[word] for word in most[:4]] + ["…"] * (len(most) > 4)
        assert alone.about == f"surrounding words 1.00 similar ({', '.join(named)})"
        lengths.add(len(most))
    assert {4, 5} <= lengths
