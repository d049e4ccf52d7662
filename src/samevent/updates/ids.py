"""Names of events that outlive updates: an event keeps its id as long as it keeps most of its mentions.

Where events are merged or split, one keeps the id, and the history says what has become of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count


def named(
    events: Sequence[Sequence[str]], before: Mapping[str, str], next_event: int, prefix: str = "e"
) -> tuple[list[str], int]:
    """Return an id for each event, given its mentions and the ids of the events that mentions had before.

    Of all events that share mentions, those that share most are matched first; each id is given once. Other events get
    new ids, from `next_event` on. Also return the next number after these. Stories of documents are named in the same
    way, with another prefix.

    >>> named([["a", "b", "c"], ["d"]], {"a": "e7", "b": "e2", "c": "e2", "d": "e2"}, 9)
    (['e2', 'e9'], 10)
    """
    shared = [
        (-size, _order(id), number, id)
        for number, mentions in enumerate(events)
        for id, size in Counter(before[m] for m in mentions if m in before).items()
    ]
    names: dict[int, str] = {}
    taken: set[str] = set()
    for _, _, number, id in sorted(shared):
        if number not in names and id not in taken:
            names[number] = id
            taken.add(id)
    new = count(next_event)
    listed = [names[number] if number in names else f"{prefix}{next(new)}" for number in range(len(events))]
    return listed, next(new)


def successors(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what has become of each event that is not what it was, by the events of mentions before and after.

    An event that was merged has one successor, one that was split several, those with most of its mentions first. An
    event whose mentions are all alone now has none.

    >>> successors({"a": "e1", "b": "e2", "c": "e3", "d": "e3"}, {"a": "e1", "b": "e1", "c": "e3", "d": "e4"})
    {'e2': ['e1'], 'e3': ['e3', 'e4']}
    """
    counts: dict[str, Counter[str]] = {id: Counter() for id in before.values()}
    for mention, id in before.items():
        if mention in after:
            counts[id][after[mention]] += 1
    became = {
        id: sorted(found, key=lambda other, found=found, id=id: (-found[other], other != id, _order(other)))  # type: ignore[misc]
        for id, found in counts.items()
    }
    return {id: became[id] for id in sorted(became, key=_order) if became[id] != [id]}


def _order(id: str) -> tuple[int, str]:
    """Return a key that sorts e2 before e10."""
    return len(id), id
