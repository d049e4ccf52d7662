from __future__ import annotations

import numpy as np
import pytest

from samevent.similarity.cases import CASES
from samevent.similarity.features import ALL
from similarity.tables import all_pairs, compiled, random_corpus, random_model

TABLE = compiled(random_corpus(12, documents=6))
FIRST, SECOND = all_pairs(TABLE)


def test_every_pair_is_of_one_case_and_every_case_has_pairs() -> None:
    holds = np.array([case.holds(TABLE, FIRST, SECOND) for case in CASES])
    assert (holds.sum(axis=0) == 1).all()
    assert holds.any(axis=1).all()


def test_score_adds_the_weights_of_all_pairs_and_of_the_case() -> None:
    model = random_model(3, by_case=True)
    lemma = [TABLE.heads.lemmas[TABLE.heads.lemma[head]] for head in TABLE.head]
    values = {feature.name: feature.compare(TABLE, FIRST, SECOND) for feature in ALL}
    tags = model.tag_score(TABLE, FIRST, SECOND)
    expected = []
    for k, (a, b) in enumerate(zip(FIRST.tolist(), SECOND.tolist(), strict=True)):
        place = "within" if TABLE.document[a] == TABLE.document[b] else "across"
        case = f"{place}_{'same' if lemma[a] == lemma[b] else 'other'}"
        weights = {name: model.weights[name] + model.weights[f"{case}:{name}"] for name in values}
        score = (
            model.intercept + model.weights[case] + sum(weights[name] * values[name][k] for name in values)
        )
        expected.append(score + tags[k])
    assert model.score(TABLE, FIRST, SECOND) == pytest.approx(expected)


def test_part_of_a_case_has_no_cases_and_the_same_scores() -> None:
    model = random_model(4, by_case=True)
    assert model.cases == CASES
    for case in CASES:
        its = case.holds(TABLE, FIRST, SECOND)
        part = model.part(case)
        assert part.cases == ()
        assert (
            part.score(TABLE, FIRST[its], SECOND[its]).tobytes()
            == model.score(TABLE, FIRST, SECOND)[its].tobytes()
        )


def test_model_of_the_paper_has_no_cases() -> None:
    assert random_model(4).cases == ()
