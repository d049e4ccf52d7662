"""The section of the page for the results of `samevent experiment extraction`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.results_page.markdown import percent, table

from samevent.corpus import Kind
from samevent.experiments.extraction import PAPER

Json = Mapping[str, Any]

_KINDS: Mapping[Kind, str] = {
    "action": "events",
    "participant": "participants",
    "time": "times",
    "location": "locations",
}


def extraction(result: Json) -> str:
    """Return the section: what extractors find at the paper's counts and at their operating points, and classes."""
    extractors: Mapping[str, Json] = {name: each["test"] for name, each in result["extractors"].items()}
    counts = next(iter(extractors.values()))["recall"]
    recall = [
        [name, f"{counts[kind]['count']:,}", percent(PAPER["test"][kind][0])]
        + [
            f"{percent(each['recall'][kind]['head_recall'])} / {percent(each['recall'][kind]['exact_recall'])}"
            for each in extractors.values()
        ]
        for kind, name in _KINDS.items()
    ]
    balanced = [
        [name, *(_scores(each["points"]["balanced"][kind]) for each in extractors.values())]
        for kind, name in _KINDS.items()
    ]
    precise = [
        ["events, `precise`", *(_scores(each["points"]["precise"]["action"]) for each in extractors.values())]
    ]
    others = [
        ["class of the event right", *(percent(each["classes"]["accuracy"]) for each in extractors.values())],
        ["the commonest class", *(percent(each["classes"]["most_common"]) for each in extractors.values())],
        *(
            [
                f"events that are words of little meaning, `{point}`",
                *(_empty(each, point) for each in extractors.values()),
            ]
            for point in ("precise", "balanced")
        ),
    ]
    return "\n\n".join(
        [
            "## Extraction",
            "`samevent experiment extraction --split yang2015`: mentions that extractors find in the test topics, "
            f"after learning from the others. Seed {result['seed']}, commit `{str(result['commit'])[:10]}`.",
            "With as many mentions as the paper extracted, share of linked gold mentions found, by head / with exact "
            "boundaries; the paper counts heads:",
            table(["", "mentions", "paper", *extractors], recall),
            "At the operating point `balanced`, in validated sentences, precision / recall / F1 by head, and F1 of "
            "exact boundaries; below, events at `precise`, the point of `samevent run`:",
            table(["", *extractors], [*balanced, *precise]),
            table(["", *extractors], others),
        ]
    )


def _scores(point: Json) -> str:
    by_head = " / ".join(percent(point[name]) for name in ("precision", "recall", "f1"))
    return f"{by_head}; {percent(point['exact']['f1'])}"


def _empty(each: Json, point: str) -> str:
    return percent(each["empty_words"][point]["share"])
