"""Which entity mentions are compared, and by what."""

from __future__ import annotations

import numpy as np
import pytest

from entity_documents import table_of, written
from samevent.grounding.entity_pairs import columns, pairs_across, pairs_within
from samevent.grounding.entity_tables import EntityTable

GRELL = "[Tobias/NNP Grell/NNP] fled/VBD\n[Grell/NNP] met/VBD [Ann/NNP Lee/NNP]\n[He/PRP] fell/VBD"


def texts(table: EntityTable, *, across: bool = False) -> set[tuple[str, str]]:
    pairs = (pairs_across if across else pairs_within)(table)
    return {
        (table.mentions[j].text, table.mentions[i].text)
        for i, j in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True)
    }


def test_names_without_a_common_word_are_not_compared() -> None:
    pairs = texts(table_of(written(GRELL)))
    assert ("Tobias Grell", "Grell") in pairs
    assert ("Tobias Grell", "Ann Lee") not in pairs


def test_pronouns_are_compared_with_what_is_before_them() -> None:
    pairs = texts(table_of(written(GRELL)))
    assert {("Tobias Grell", "He"), ("Grell", "He"), ("Ann Lee", "He")} <= pairs
    far = "\n".join(["[Ann/NNP] fled/VBD", *["It/PRP rained/VBD"] * 7, "[She/PRP] fell/VBD"])
    assert texts(table_of(written(far))) == set()


def test_acronyms_meet_the_names_that_they_stand_for() -> None:
    who = "[World/NNP Health/NNP Organization/NNP] met/VBD\n[WHO/NNP] left/VBD"
    table = table_of(written(who))
    pairs = pairs_within(table)
    names, values = columns(table, pairs, within=True)
    assert len(pairs) == 1
    assert values[0, names.index("acronym")] == 1


def test_pairs_across_share_a_word_and_are_no_pronouns() -> None:
    table = table_of(written(GRELL), written("[Grell/NNP] ran/VBD\n[He/PRP] sat/VBD", id="d2"))
    assert texts(table, across=True) == {("Tobias Grell", "Grell"), ("Grell", "Grell")}


def test_unknown_values_are_neither_same_nor_other() -> None:
    table = table_of(written("[Ann/NNP] fled/VBD\n[They/PRP] met/VBD"))
    names, values = columns(table, pairs_within(table), within=True)
    assert values[0, names.index("same gender")] == values[0, names.index("other gender")] == 0
    assert values[0, names.index("other number")] == 1


def test_columns_are_finite_for_mentions_without_content() -> None:
    table = table_of(written("[the/DT] fled/VBD\n[the/DT] met/VBD"), written("[a/DT] fled/VBD", id="d2"))
    for pairs, within in ((pairs_within(table), True), (pairs_across(table), False)):
        assert np.isfinite(columns(table, pairs, within=within)[1]).all()


def test_cosines_of_a_document_are_those_of_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One product of matrices gives what each pair gives by itself."""
    table = table_of(written(f"{GRELL}\n[the/DT man/NN] met/VBD [an/DT officer/NN]"))
    pairs = pairs_within(table)
    names, together = columns(table, pairs, within=True)
    monkeypatch.setattr("samevent.grounding.entity_pairs._SMALL_TABLE", 0)
    assert columns(table, pairs, within=True)[0] == names
    np.testing.assert_allclose(columns(table, pairs, within=True)[1], together, atol=1e-6)
    assert together[:, names.index("heads")].max() > 0.5
