"""Named entities across documents."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from entity_documents import VECTORS, weighing, written
from samevent.corpus import Entity
from samevent.grounding import ground
from samevent.grounding.entities import EntityReader
from samevent.grounding.entity_joining import JOINING, Neighbours, _candidates, _compatible, join_entities
from samevent.grounding.entity_names import parse_name
from samevent.grounding.identities import Identities, JoinedEntities
from samevent.grounding.named_entities import NamedEntities, NamedEntity, named_entities
from samevent.hddcrp import Problem, fit_uncertain
from samevent.hddcrp.problem import Rows

READER = EntityReader(
    weighing({}, {"part of the name": 2.0, "documents": 8.0, "other gender": -9.0}), VECTORS
)


def person(name: str, gender: Any = "") -> NamedEntity:
    return NamedEntity(name, "PERSON", gender)


def place(name: str) -> NamedEntity:
    return NamedEntity(name, "GPE", "")


def neighbours(*pairs: tuple[int, int, float]) -> Neighbours:
    d, e, similarity = zip(*pairs, strict=True) if pairs else ((), (), ())
    return np.array(d, np.int32), np.array(e, np.int32), np.array(similarity, np.float64)


def ids(documents: list[list[NamedEntity]], near: Neighbours, **options: Any) -> list[str]:
    entities = NamedEntities.of(documents)
    found = join_entities(entities, [f"d{n}" for n in range(len(documents))], near, READER, **options)
    return [found.entity(row).id for row in range(len(found))]


def test_names_of_neighbours_are_joined_under_the_fullest() -> None:
    story = [[person("Barack Obama")], [person("Obama")], [person("Obama"), person("Tara Reid")]]
    assert ids(story, neighbours((1, 0, 0.5), (2, 0, 0.5), (2, 1, 0.5))) == [
        "name:barack obama", "name:barack obama", "name:barack obama", "name:tara reid",
    ]  # fmt: skip


def test_surnames_in_unrelated_documents_are_two_people() -> None:
    assert ids([[person("Reid")], [person("Reid")]], neighbours()) == ["name:reid@d0", "name:reid@d1"]
    assert ids([[person("Reid")], [person("Reid")]], neighbours((1, 0, 0.5))) == ["name:reid@d0"] * 2


def test_full_names_and_places_are_the_same_everywhere() -> None:
    documents = [[place("Kestry"), person("Tara Reid")], [place("Kestry"), person("Tara Reid")]]
    assert ids(documents, neighbours()) == ["name:kestry", "name:tara reid"] * 2


def test_names_that_exclude_each_other_are_never_compared() -> None:
    documents = [
        [person("Tara Reid")],
        [person("Paul Reid")],
        [person("Reid", "female")],
        [person("Reid", "male")],
    ]
    near = neighbours(*((d, e, 0.9) for e, d in combinations(range(4), 2)))
    tara, paul, she, he = ids(documents, near)
    assert tara != paul
    assert she != he


def test_the_most_used_full_name_counts() -> None:
    """What the parser takes for part of a name in one document only is no reason to call somebody so in all."""
    documents = [
        [person("Interior Dirk Kempthorne")],
        [person("Dirk Kempthorne")],
        [person("Dirk Kempthorne")],
    ]
    near = neighbours((1, 0, 0.9), (2, 0, 0.9), (2, 1, 0.9))
    assert set(ids(documents, near)) == {"name:dirk kempthorne"}


def test_candidates_are_all_compatible_rows_of_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast search against comparing every row with every other."""
    random = np.random.default_rng(3)
    pool = [
        "Obama",
        "Barack Obama",
        "IMF",
        "International Monetary Fund",
        "Bank of Kestry",
        "Kestry",
        "Tara Reid",
        "Reid",
    ]
    documents = [[person(pool[at]) for at in sorted(random.choice(8, 4, replace=False))] for _ in range(12)]
    entities = NamedEntities.of(documents)
    near = [(d, e) for e, d in combinations(range(12), 2) if random.random() < 0.4]
    pairs = neighbours(*((d, e, 0.1 + d / 100) for d, e in near))
    expected = {
        (i, j, 0.1 + entities.document[i] / 100)
        for j, i in combinations(range(len(entities)), 2)
        if (entities.document[i], entities.document[j]) in set(near)
        and _compatible(entities, np.array([i]), np.array([j])).all()
        and parse_name(entities.names[entities.name[i]]).keys
        & parse_name(entities.names[entities.name[j]]).keys
    }
    for block in (1 << 16, 5):
        monkeypatch.setattr("samevent.grounding.entity_joining._BLOCK", block)
        found = [
            zip(i.tolist(), j.tolist(), s.tolist(), strict=True) for i, j, s in _candidates(entities, pairs)
        ]
        assert sorted(each for part in found for each in part) == sorted(expected)


def test_two_names_are_joined_as_probably_as_the_engine_says() -> None:
    """One link either way: P(same) follows from the engine alone, and the cut decides."""
    entities = NamedEntities.of([[person("Tara Reid")], [person("Reid")]])
    for similarity in np.linspace(0, 1, 9).tolist():
        score = -3.0 + 2.0 + 8.0 * similarity
        problem = Problem(
            document=[0, 1], words=Rows.empty(2), within=Rows.empty(2), vocabulary=1, likelihood_weight=0.0,
            across=Rows.from_triples(2, [0, 1], [1, 0], [1.0, 1.0]), alpha_across=JOINING.alpha_across,
        )  # fmt: skip
        posterior = fit_uncertain(
            problem, JOINING.uncertainty, within=[], across=[score, score], draws=JOINING.draws,
            truncation=JOINING.least_log_odds,
        )  # fmt: skip
        found = join_entities(entities, ["d0", "d1"], neighbours((1, 0, similarity)), READER)
        assert (found.number[0] == found.number[1]) is np.bool_(posterior.probability(0, 1) >= JOINING.cut)


def test_entities_are_the_same_however_many_links_are_sampled_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ["Tara Reid", "Reid", "Paul Moss", "Moss", "Dana Wolf", "Wolf", "Lee", "Lee"]
    documents = [[person(name) for name in (names[d % 8], names[(3 * d + 2) % 8])] for d in range(24)]
    near = neighbours(*((d, e, 0.1 + (d + e) % 7 / 10) for e, d in combinations(range(24), 2) if d - e < 9))
    whole = ids(documents, near)
    assert 3 < len(set(whole)) < len(whole)
    for most in (1, 40):
        monkeypatch.setattr("samevent.grounding.entity_joining._LINKS", most)
        assert ids(documents, near) == whole


def test_known_entities_stay_and_new_ones_join_them() -> None:
    first = [[person("Reid")], [place("Kestry")]]
    entities = NamedEntities.of(first)
    known = join_entities(entities, ["d0", "d1"], neighbours(), READER)
    grown = [*first, [person("Tara Reid")], [person("Lee")]]
    near = neighbours((2, 0, 0.9), (3, 0, 0.9))
    assert ids(grown, near, known=known) == ["name:reid@d0", "name:kestry", "name:reid@d0", "name:lee@d3"]


def test_documents_refer_to_the_joined_entities() -> None:
    within = weighing(
        {"part of the name": 9.0, "same animacy": 9.0}, {"part of the name": 9.0}, intercept=-1.0
    )
    reader = EntityReader(within, VECTORS)
    parses = [
        written("[Tobias/NNP Grell/NNP] fled/VBD", "d1", {"Tobias Grell": "PERSON"}),
        written("[Grell/NNP] fell/VBD\n[he/PRP] met/VBD [the/DT woman/NN]", "d2", {"Grell": "PERSON"}),
    ]
    documents = [ground(*parse, None, reader) for parse in parses]
    entities = NamedEntities.of(
        [named_entities(d, annotation) for d, (_, annotation) in zip(documents, parses, strict=True)]
    )
    joined = JoinedEntities(
        ["d1", "d2"], entities, join_entities(entities, ["d1", "d2"], neighbours((1, 0, 0.9)), reader)
    )
    called = [
        mention.refers.entity
        for document in map(joined.renamed, documents)
        for mention in document.mentions
        if mention.refers
    ]
    grell = Entity("name:tobias grell", "Tobias Grell")
    woman = documents[1].mentions[-1].refers
    assert woman is not None
    assert called[:3] == [grell] * 3
    assert called[3] == woman.entity


def test_tables_of_parts_are_put_together_whatever_the_parts() -> None:
    documents = [[person("Tara Reid")], [], [person("Obama", "male"), place("Kestry")], [place("Kestry")]]
    whole = NamedEntities.of(documents)
    for cut in range(5):
        parts = [NamedEntities.of(documents[:cut]), NamedEntities.of(documents[cut:])]
        places = [np.arange(cut), np.arange(cut, 4)]
        merged = NamedEntities.merged(parts, places)
        for name in NamedEntities.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name))


def test_without_a_reader_names_alone_count() -> None:
    entities = NamedEntities.of([[person("Tara Reid")], [person("Reid")]])
    found = join_entities(entities, ["d0", "d1"], neighbours((1, 0, 1.0)), None)
    assert isinstance(found, Identities)
    assert found.ids == ("name:tara reid", "name:reid@d1")
