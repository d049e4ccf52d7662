"""Events keep their ids as far as each can be given once, and the history loses no event."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from samevent.updates.ids import named, successors

partitions = st.lists(st.integers(0, 4), min_size=1, max_size=12)


def groups(labels: list[int]) -> list[list[str]]:
    return [[f"m{i}" for i, label in enumerate(labels) if label == each] for each in sorted(set(labels))]


@given(partitions, partitions)
def test_ids_are_given_once_and_never_used_again(old: list[int], new: list[int]) -> None:
    before = {f"m{i}": f"e{label + 1}" for i, label in enumerate(old)}
    events = groups(new)
    names, following = named(events, before, 6)
    assert len(set(names)) == len(names) == len(events)
    fresh = [name for name in names if name not in before.values()]
    assert fresh == [f"e{number}" for number in range(6, following)]
    for name, event in zip(names, events, strict=True):
        known = {before[m] for m in event if m in before}
        assert (name in known) or name in fresh
        assert name in known or known <= set(names)  # a new id only where others have taken all of them


@given(partitions)
def test_events_that_stay_keep_their_ids(labels: list[int]) -> None:
    events = groups(labels)
    before = {m: f"e{7 * number}" for number, event in enumerate(events) for m in event}
    grown = [[*event, f"new{number}"] for number, event in enumerate(events)]
    names, _ = named(grown, before, 1000)
    assert names == [f"e{7 * number}" for number in range(len(events))]
    after = {m: name for name, event in zip(names, grown, strict=True) for m in event}
    assert successors(before, after) == {}


@given(partitions, partitions)
def test_every_event_that_changed_has_its_successors(old: list[int], new: list[int]) -> None:
    before = {f"m{i}": f"e{label + 1}" for i, label in enumerate(old)}
    events = [event for event in groups(new[: len(old)]) if len(event) > 1]
    names, _ = named(events, before, 6)
    after = {m: name for name, event in zip(names, events, strict=True) for m in event}
    became = successors(before, after)
    for event in set(before.values()):
        found = {after[m] for m, id in before.items() if id == event and m in after}
        assert set(became.get(event, [event])) == found


def test_the_event_with_most_of_the_mentions_keeps_the_id() -> None:
    before = dict.fromkeys("abc", "e2") | dict.fromkeys("de", "e10")
    names, _ = named([["a", "x"], ["b", "c", "d", "e"]], before, 11)
    assert names == ["e11", "e2"]
    after = {"a": "e11", "b": "e2", "c": "e2", "d": "e2", "e": "e2"}
    assert successors(before, after) == {"e2": ["e2", "e11"], "e10": ["e2"]}
    assert successors({"a": "e1", "b": "e1"}, {}) == {"e1": []}
