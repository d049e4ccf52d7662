"""What decisions say together: the later wins about a pair, contradictions name the shortest chain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samevent.corrections import Corrections, Decision, MarkedMention, agreed, new_decision
from samevent.errors import DataError

M = [MarkedMention("d", 10 * at, 10 * at + 3, f"m{at}") for at in range(6)]


def said(*decisions: Decision) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    agreement = agreed(Corrections(decisions))
    names = [mention.text for mention in agreement.mentions]
    must, cannot = (
        {frozenset(names[m] for m in pair) for pair in pairs.tolist()}
        for pairs in (agreement.must_link, agreement.cannot_link)
    )
    return must, cannot


def pairs(*names: str) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in itertools.combinations(names, 2)}


def test_each_kind_of_decision_says_what_it_says() -> None:
    assert said(new_decision("same", [M[:3]])) == (pairs("m0", "m1", "m2"), set())
    apart = {frozenset(("m0", "m2")), frozenset(("m1", "m2"))}
    assert said(new_decision("different", [M[:2], M[2:3]])) == (set(), apart)
    assert said(new_decision("split", [M[:2], M[2:3]])) == (pairs("m0", "m1"), apart)
    agreement = agreed(Corrections((new_decision("rename", [M[:2]], label="The quake"),)))
    assert {agreement.mentions[at].text: label for at, (_, label) in agreement.labels.items()} == {
        "m0": "The quake"
    }


def test_a_later_decision_about_the_same_pair_wins() -> None:
    same, different = new_decision("same", [M[:2]]), new_decision("different", [M[:1], M[1:2]])
    assert said(same, different) == (set(), pairs("m0", "m1"))
    assert said(different, same) == (pairs("m0", "m1"), set())
    assert said(same, different, new_decision("undo", undoes=different.id)) == (pairs("m0", "m1"), set())


def test_a_mention_can_leave_an_event_that_was_confirmed() -> None:
    whole, leaves = new_decision("same", [M[:3]]), new_decision("different", [M[:2], M[2:3]])
    assert said(whole, leaves)[0] == pairs("m0", "m1")


def test_contradictions_name_the_shortest_chain_and_the_lines() -> None:
    with pytest.raises(DataError) as error:
        said(
            new_decision("same", [M[:2]]),
            new_decision("same", [M[1:3]]),
            new_decision("same", [M[2:6]]),
            new_decision("different", [M[:1], M[5:6]]),
            new_decision("different", [M[:1], M[2:3]]),
        )
    text = str(error.value)
    assert "decision 5: keeps 'm0' (d, 0-3) and 'm2' (d, 20-23) apart" in text
    assert "'m0' (d, 0-3) - 'm1' (d, 10-13) - 'm2' (d, 20-23)" in text
    assert "(decision 1, decision 2)" in text


def test_a_mention_that_is_no_event_says_nothing_about_others() -> None:
    gone = new_decision("not-an-event", [[M[1]]])
    same = new_decision("same", [M[:3]])
    assert said(same, gone) == (pairs("m0", "m2"), set())
    assert said(gone, same) == (pairs("m0", "m1", "m2"), set())  # it is one after all


KINDS = st.sampled_from(["same", "different"])


@given(st.lists(st.tuples(KINDS, st.integers(0, 3), st.integers(0, 3)), max_size=8))
def test_pairs_hold_exactly_if_and_only_if_some_partition_does(steps: list[tuple[str, int, int]]) -> None:
    last: dict[tuple[int, int], str] = {}
    decisions = []
    for kind, a, b in steps:
        if a == b:
            continue
        last[min(a, b), max(a, b)] = kind
        groups = [[M[a], M[b]]] if kind == "same" else [[M[a]], [M[b]]]
        decisions.append(new_decision(kind, groups))  # type: ignore[arg-type]
    possible = any(
        all((labels[a] == labels[b]) == (kind == "same") for (a, b), kind in last.items())
        for labels in itertools.product(range(4), repeat=4)
    )
    try:
        agreement = agreed(Corrections(tuple(decisions)))
    except DataError:
        assert not possible
        return
    assert possible
    assert len(agreement.must_link) + len(agreement.cannot_link) == len(last)
    assert np.isin(agreement.must_by, np.arange(len(decisions))).all()
