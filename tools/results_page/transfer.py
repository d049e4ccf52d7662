"""Sections of the page for the results of `samevent experiment transfer`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from tools.results_page.markdown import between, percent, table

from samevent.experiments.diagrams import reliability_diagram

Json = Mapping[str, Any]
Plots = dict[str, str]

UNITS = {"document": "by document", "topic": "by topic", "corpus": "whole corpus"}
FILTERS = {"none": "", "head": ", those with a gold head", "exact": ", those with a gold span"}
SINGLETONS = {"keep": "", "drop": ", singletons dropped"}


def transfer(name: str, result: Json, plots: Plots) -> str:
    """Return the section of one corpus, and add its reliability diagram to `plots`."""
    what = (
        "raw text"
        if result["raw_text"]
        else {"gold": "gold mentions", "predicted": "extracted mentions"}[result["mentions"]]
    )
    title = f"{result['corpus']}, {what}, preset {result['preset']}"
    parts = [
        f"### {title}",
        f"{result['documents']:,} documents, model {result['model']}, seed {result['seed']}, commit "
        f"`{str(result['commit'])[:10]}`. CoNLL F1 with bootstrap intervals:",
        _scores(result),
        "Reliability of P(same event), beside that of the pair model alone:",
        _reliability(result),
        *_events("with several judged mentions", result["events"]),
        *(_events("with a chained mention", result["chained"]["events"]) if "chained" in result else ()),
    ]
    plot = f"{name}.svg"
    others = {other: each["calibration"]["bins"] for other, each in result["others"].items()}
    plots[plot] = reliability_diagram(title, {"P(same event)": result["calibration"]["bins"], **others})
    return "\n\n".join([*parts, f"![Reliability: {title}](results/{plot})"])


def _scores(result: Json) -> str:
    rows = []
    for (filter, singletons), group in groupby(
        result["rows"], key=lambda row: (row["filter"], row["singletons"])
    ):
        by_name: dict[str, list[Json]] = {}
        for row in group:
            by_name.setdefault(row["clusterer"], []).append(row)
        rows += [
            [
                f"{name}{FILTERS[filter]}{SINGLETONS[singletons]}",
                *(f"{percent(row['conll'])} {between(row['conll_interval'])}" for row in own),
            ]
            for name, own in by_name.items()
        ]
    units = list(dict.fromkeys(row["unit"] for row in result["rows"]))
    return table(["", *(UNITS[unit] for unit in units)], rows)


def _reliability(result: Json) -> str:
    tables = {"P > 0": result["calibration"], "inside events": result["inside"]}
    if chained := result.get("chained"):
        tables |= {"P > 0, chained": chained["calibration"], "inside events, chained": chained["inside"]}
    tables |= {name: each["calibration"] for name, each in result["others"].items()}
    rows = [
        [
            name,
            f"{each['pairs']:,}",
            f"{each['ece']:.3f}",
            f"{each['above_95']['pairs']:,}",
            _share(each["above_95"]["true"], each["above_95"]["interval"]),
        ]
        for name, each in tables.items()
    ]
    return table(["", "pairs", "ECE", "above .95", "of these true"], rows)


def _share(true: float | None, interval: Mapping[str, float] | None) -> str:
    if true is None:
        return ""
    spread = f" [{interval['low']:.3f}, {interval['high']:.3f}]" if interval else ""
    return f"{true:.3f}{spread}"


def _events(which: str, events: Json) -> tuple[str, str]:
    rows = [
        [f"{b['low']:.1f} to {b['high']:.1f}", f"{b['events']:,}", f"{b['said']:.3f}", f"{b['pure']:.3f}"]
        for b in events["bins"]
    ]
    return (
        f"Of {events['events']:,} events {which}, {percent(events['pure'])} % are pure (ECE {events['ece']:.3f}):",
        table(["shown probability", "events", "mean", "pure"], rows),
    )
