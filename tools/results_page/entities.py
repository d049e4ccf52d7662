"""The section of the page for the results of `samevent experiment entities`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from tools.results_page.markdown import between, percent, table

_UNITS = {"document": "WD", "subtopic": "CD", "corpus": "whole corpus"}
_MENTIONS = {
    "gold": "gold mentions",
    "predicted": "mentions of the parser",
}


def entities(results: Iterable[Mapping[str, Any]]) -> str:
    """Return the section: who is who, beside equal heads and what others published."""
    parts = [
        "## Entities",
        "`samevent experiment entities`: participants, places and times of ECB+, grouped by the same engine as events. "
        "`hddcrp` is the posterior over all documents, `best links` are those within documents. A `run` starts with "
        "these and joins entities with names across similar documents, which leaves descriptions in their document; "
        "`equal names` joins what has the same full name instead, `same head` is the baseline. Mentions of the parser "
        "are its noun phrases and names in annotated sentences; one with the head of a gold mention has that mention's "
        "boundaries. Annotators left out most of what a parser finds, which costs precision unless singletons are "
        "dropped.",
    ]
    for result in results:
        where = "test topics" if result["part"] == "test" else "train and dev topics by folds"
        parts.append(
            f"### ECB+, entities, {where}\n\nProtocol {result['protocol']}, seed {result['seed']}, commit "
            f"`{str(result['commit'])[:10]}`. CoNLL F1."
        )
        for (mentions, singletons), group in groupby(
            result["rows"], key=lambda row: (row["mentions"], row["singletons"])
        ):
            parts.append(
                f"{result['counts'][mentions]:,} {_MENTIONS[mentions]}"
                + (", singletons dropped:" if singletons == "drop" else ":")
            )
            parts.append(table(["", *_UNITS.values()], _lines(list(group), _published(result, mentions))))
    return "\n\n".join(parts)


def _lines(rows: list[Mapping[str, Any]], published: list[list[str]]) -> list[list[str]]:
    cells = {
        (row["clusterer"], row["unit"]): f"{percent(row['conll'])} {between(row['conll_interval'])}"
        for row in rows
    }
    systems = dict.fromkeys(row["clusterer"] for row in rows)
    return [[name, *(cells.get((name, unit), "") for unit in _UNITS)] for name in systems] + published


def _published(result: Mapping[str, Any], mentions: str) -> list[list[str]]:
    """Return a row for each published figure on the same mentions of the test topics."""
    return [
        [name, *(f"about {100 * known['conll']:.0f}" if unit == known["unit"] else "" for unit in _UNITS)]
        for name, known in result["published"].items()
        if result["part"] == "test" and known["mentions"] == mentions
    ]
