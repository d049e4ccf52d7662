"""The table that opens the page: what each preset scores in each protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tools.results_page.markdown import between, percent, table

Json = Mapping[str, Any]

SYSTEMS = {
    "LEMMA": (None, "lemma"),
    "`paper`": ("paper", "hddcrp"),
    "`light`": ("light", "hddcrp"),
    "`standard`": ("standard", "hddcrp"),
    "`best`": ("best", "hddcrp"),
}
"""The columns: a preset (None: any, as LEMMA has no settings) and its clusterer."""


class _Line(NamedTuple):
    title: str
    protocol: str
    mentions: str
    filter: str
    unit: str
    singletons: str


_LINES = (
    _Line("ECB+, all events, gold mentions, whole corpus", "cybulska", "gold", "none", "corpus", "keep"),
    _Line("ECB+ as in the paper, gold mentions, WD", "yang2015", "gold", "none", "document", "keep"),
    _Line("ECB+ as in the paper, gold mentions, CD", "yang2015", "gold", "none", "subtopic", "keep"),
    _Line("ECB+ as in the paper, extracted, WD", "yang2015", "predicted", "head", "document", "keep"),
    _Line("ECB+ as in the paper, extracted, CD", "yang2015", "predicted", "head", "subtopic", "keep"),
    _Line("ECB+ from raw text, singletons dropped", "realistic", "predicted", "none", "corpus", "drop"),
)
_TRANSFER = {
    ("gold", False): "gold mentions, whole corpus",
    ("predicted", True): "from raw text, whole corpus",
}


def headline(results: Iterable[Json]) -> str:
    """Return CoNLL F1 of the HDDCRP by protocol and preset, with intervals; cells that were not measured stay empty.

    The test topics of ECB+, by models that have not learned from them, then every other gold corpus.
    """
    results = list(results)
    tables = [result for result in results if "mention_sets" in result]
    lines = [[line.title, *_cells(_rows(tables, line))] for line in _LINES]
    moved = [result for result in results if "raw_text" in result and "ecbplus" not in result["corpus"]]
    for corpus in dict.fromkeys(result["corpus"] for result in moved):
        for (mentions, raw_text), title in _TRANSFER.items():
            wanted = (corpus, mentions, raw_text)
            kind = [each for each in moved if (each["corpus"], each["mentions"], each["raw_text"]) == wanted]
            lines.append([f"{corpus}, {title}", *_cells(_transferred(kind))])
    return table(["", *SYSTEMS], (line for line in lines if any(line[1:])))


def _rows(tables: Iterable[Json], line: _Line) -> list[Json]:
    return [
        row
        for result in tables
        for row in result["rows"]
        if result["protocol"] == line.protocol
        and (row["mentions"], row["filter"], row["unit"], row["singletons"]) == line[2:]
    ]


def _transferred(results: Iterable[Json]) -> list[Json]:
    wanted = ("none", "corpus", "keep")
    return [
        row
        for result in results
        for row in result["rows"]
        if (row["filter"], row["unit"], row["singletons"]) == wanted
    ]


def _cells(rows: list[Json]) -> list[str]:
    return [_cell(rows, preset, clusterer) for preset, clusterer in SYSTEMS.values()]


def _cell(rows: list[Json], preset: str | None, clusterer: str) -> str:
    for row in rows:
        if row["clusterer"] == clusterer and preset in (None, row["preset"]):
            return f"{percent(row['conll'])} {between(row['conll_interval'])}"
    return ""
