"""The sections of the page on what grounding adds to events, and events and entities to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tools.results_page.markdown import percent, points, table

Json = Mapping[str, Any]


def grounding(results: Iterable[Json]) -> str:
    """Return the section of `tools/ablate_grounding.py`: average precision without parts of grounding."""
    parts = [
        "## What when, where, how many and who add",
        "`python -m tools.ablate_grounding PRESET`: average precision over pairs (first look, times 100) of trees "
        "that look at all columns of a preset, at none of [grounding](grounding.md), or at all but one part of it. "
        "ECB+ is out of fold over the train and dev topics of `cybulska`; GVC dev is scored by trees of all of these. "
        "Mentions are gold.",
    ]
    for result in results:
        whole = next(row for row in result["rows"] if row["columns"] == "all")
        parts.append(_heading(result))
        parts.append(
            table(
                ["columns of grounding", "ECB+", "– all", "GVC dev", "– all"],
                [[row["columns"], *_cells(row, whole)] for row in result["rows"]],
            )
        )
        parts.append(_spread(result["rows"]))
    return "\n\n".join(parts)


def times(now: Json, blind: Json | None) -> str:
    """Return the section of `benchmarks/grounding.py --times`: time expressions that rules and a library resolve."""
    rows = [_resolved("new when measured", each, blind) for each in _sets(blind)[1:]]
    rows = [_resolved("the rules were made for them", each, now) for each in _sets(now)[:1]] + rows
    rows += [_resolved("the same, rules mended since", each, now) for each in _sets(now)[1:]]
    return "\n\n".join(
        [
            "## Time expressions",
            "`python benchmarks/grounding.py --times`: expressions of ECB+ and GVC dev with "
            "intervals written for this test (`tests/grounding/times*.tsv`), and how many the rules of "
            f"[grounding](grounding.md) and the library dateparser {now['dateparser']} resolve to just these. "
            "The library gets the same dates and tenses, and the interval of its period counts. What has no certain "
            "time counts as right if the answer is none.",
            table(["expressions", "number", "rules", "dateparser", "commit"], rows),
        ]
    )


def _sets(result: Json | None) -> Sequence[Json]:
    sets: Sequence[Json] = result["sets"] if result else ()
    return sets


def _resolved(name: str, each: Json, result: Json | None) -> list[str]:
    count = each["expressions"]
    commit = f"`{result['commit'][:10]}`" if result and result["commit"] else "not recorded"
    return [name, str(count), percent(each["rules"] / count), percent(each["dateparser"] / count), commit]


def joint(results: Iterable[Json]) -> str:
    """Return the section of `tools/measure_joint.py`: events and entities in alternation, against one pass."""
    parts = [
        "## Events and entities together",
        "`python -m tools.measure_joint PRESET`: pass 1 compares participants by the names in their documents, as a "
        "run does, and groups entities without events. Later passes also compare participants by their entity across "
        "documents, and entities by the events that they take part in. Everything is out of fold as above, one run per "
        "row. Of events: average precision over pairs (first look, times 100) and CoNLL F1; of entities: CoNLL F1 on "
        "ECB+'s annotated mentions, each fold of topics grouped at once.",
    ]
    for result in results:
        rows = [
            [
                str(row["pass"]),
                *(
                    percent(row[corpus][name])
                    for corpus in ("ecb", "other")
                    for name in ("precision", "conll")
                ),
                percent(row["entities"]),
            ]
            for row in result["rows"]
        ]
        names = ["pass", "ECB+ pairs", "ECB+ CoNLL", "GVC dev pairs", "GVC dev CoNLL", "entities of ECB+"]
        parts += [
            _heading(result),
            table(names, rows),
            _verdict(result["rows"]),
        ]
    return "\n\n".join(parts)


def _heading(result: Json) -> str:
    """Name the preset, and the commit where the run recorded it."""
    known = f"commit `{result['commit'][:10]}`" if result["commit"] else "commit not recorded"
    return (
        f"### Preset `{result['preset']}`\n\n"
        + "; ".join(filter(None, [known.capitalize(), result.get("note")]))
        + "."
    )


def _cells(row: Json, whole: Json) -> list[str]:
    return [
        cell
        for name in ("ecb", "other")
        for cell in (percent(row[name]), "" if row is whole else points(row[name] - whole[name]))
    ]


def _spread(rows: Sequence[Json]) -> str:
    """Return what all columns change together, and the range of single parts."""
    none, whole = (next(row for row in rows if row["columns"] == name) for name in ("none", "all"))
    gained, lowest, highest = [], [], []
    for name in ("ecb", "other"):
        without = [row[name] - whole[name] for row in rows if row["columns"] not in ("none", "all")]
        gained.append(points(whole[name] - none[name]))
        lowest.append(points(min(without)))
        highest.append(points(max(without)))
    return (
        f"All columns together change average precision by {gained[0]} on ECB+ and {gained[1]} on GVC dev. Leaving "
        f"out one part changes it by {lowest[0]} to {highest[0]} and {lowest[1]} to {highest[1]}. Each row is one "
        "training run; how much runs with other seeds differ was not measured, so these differences are no evidence "
        "for or against a single part."
    )


def _verdict(rows: Sequence[Json]) -> str:
    """Return whether a later pass is better than one pass in everything that is measured of events."""
    first = rows[0]
    keys = [(corpus, name) for corpus in ("ecb", "other") for name in ("precision", "conll")]
    better = [
        row["pass"]
        for row in rows[1:]
        if all(row[corpus][name] > first[corpus][name] for corpus, name in keys)
    ]
    if better:
        return f"Better than one pass on both corpora by both measures: pass {', '.join(map(str, better))}."
    return "No later pass is better than one pass on both corpora by both measures, so a run does one."
