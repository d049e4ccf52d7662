"""The generated parts of `docs/errors.md`: tables of `samevent experiment errors`, between hand-written paragraphs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tools.results_page.markdown import table

from samevent.experiments.errors import KINDS, SIDES

Json = Mapping[str, Any]

PART = re.compile(
    r"(?<=<!-- errors: )(?P<name>[\w-]+)(?P<what>(?: sentences)?) -->\n.*?(?=<!-- end -->)", re.DOTALL
)


def errors_page(page: str, results: Mapping[str, Json]) -> str:
    """Return the page with the tables of the stored results; a part without a result stays as it is."""

    def part(match: re.Match[str]) -> str:
        if match["name"] not in results:
            return match[0]
        written = sentences if match["what"] else counts
        return f"{match['name']}{match['what']} -->\n{written(results[match['name']])}\n"

    return PART.sub(part, page)


def counts(result: Json) -> str:
    """Return how many links are missed and wrong, by kind and answer."""
    answers = result["answers"]
    about = (
        f"{result['corpus']}, {result['documents']:,} documents, {result['given']:,} {result['mentions']} mentions; "
        "missed and wrong links (pairs of mentions) within + across documents:"
    )
    rows = []
    for kind in KINDS:
        found = [answer[side].get(kind) for side in SIDES for answer in answers.values()]
        if any(found):
            rows.append([kind, *map(_pairs, found), _words(list(answers.values())[-1], kind)])
    totals = [_total(answer[side]) for side in SIDES for answer in answers.values()]
    rows.append(["all", *totals, ""])
    columns = ["", *(f"{side}, {name}" for side in SIDES for name in answers), "frequent head lemmas"]
    right = ", ".join(f"{name} {answer['right']:,}" for name, answer in answers.items())
    return f"{about}\n\n{table(columns, rows)}\n\nLinks that are right: {right}.\n"


def sentences(result: Json) -> str:
    """Return one example per kind of error of the last answer that has one."""
    lines = []
    for side in SIDES:
        for kind in KINDS:
            shown = [answer["sentences"][side].get(kind) for answer in result["answers"].values()]
            if shown[-1]:
                lines.append(f"- {side}, {kind}: “{shown[-1][0]}” / “{shown[-1][1]}”")
    return "\n".join(lines) + "\n"


def _pairs(found: Json | None) -> str:
    return "0" if found is None else f"{found['within']:,} + {found['across']:,}"


def _total(kinds: Mapping[str, Json]) -> str:
    within, across = (sum(each[where] for each in kinds.values()) for where in ("within", "across"))
    return f"{within:,} + {across:,}"


def _words(answer: Json, kind: str) -> str:
    sides = [(side, answer[side].get(kind, {"words": []})["words"]) for side in SIDES]
    parts = [
        f"{side}: {', '.join(' / '.join(pair[:-1]) for pair in words[:3])}" for side, words in sides if words
    ]
    return "; ".join(parts)
