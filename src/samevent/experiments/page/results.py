"""The whole page, from whatever results there are."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from itertools import groupby
from typing import Any

from samevent.experiments.page.coreference import (
    Json,
    Plots,
    against_the_paper,
    below_the_paper,
    coreference,
    margin_is_there,
)
from samevent.experiments.page.markdown import change, percent, table
from samevent.experiments.page.plots import lines, reliability

_NAMES = {
    "dirichlet": "λ (`dirichlet`)",
    "alpha_within": "α_d (`alpha_within`)",
    "alpha_across": "α_0 (`alpha_across`)",
    "minimum_similarity": "truncation (`minimum_similarity`)",
    "document_weight": "γ (`document_weight`)",
    "identical_words": "mentions of the same words always linked (`identical_words`)",
    "observe": "what events generate (`observe`)",
}


def results_page(results: Mapping[str, Json]) -> tuple[str, Plots]:
    """Return the page and its plots by file name, from results by the name of their file."""
    plots: Plots = {}
    tables = {name: found for name, found in results.items() if "mention_sets" in found}
    parts = [_words("introduction")]
    for found in tables.values():
        if found["protocol"] == "yang2015" and found["preset"] == "paper":
            parts += [f"## Beside the paper ({found['part']} topics)", against_the_paper(found)]
            parts += [] if margin_is_there(found) else [_words("margin")]
            parts += [_words("hdp-lex")] if below_the_paper(found, "hdp-lex") else []
    parts += [coreference(name, found, plots) for name, found in tables.items()]
    if "ablations" in results:
        parts.append(_ablations(results["ablations"], plots))
    if "analysis" in results:
        parts.append(_analysis(results["analysis"]))
    if "pairs" in results:
        parts.append(_calibration(results["pairs"], plots))
    return "\n\n".join(part for part in parts if part) + "\n", plots


def _words(name: str) -> str:
    """Return words that stand around figures."""
    return (resources.files("samevent.experiments.page") / f"{name}.md").read_text("utf-8").strip()


def _ablations(found: Json, plots: Plots) -> str:
    parts = [
        "## Ablations",
        f"HDDCRP, preset `paper` but for one thing, on gold mentions of the {found['part']}; "
        "intervals are of the difference.",
    ]
    for what, group in groupby(found["rows"], key=lambda row: row["what"]):
        rows = list(group)
        body = [[f"`{row['value']}`" if row["value"] != "" else "as it is", *_ablated(row)] for row in rows]
        parts += [f"**{_NAMES.get(what, what)}**", table(["", "WD", "– paper's", "CD", "– paper's"], body)]
        if what in ("dirichlet", "minimum_similarity"):
            plot = f"ablations-{what}.svg"
            series = {
                name: [[(row["value"], 100 * row[unit]["conll"]) for row in rows]]
                for name, unit in (("WD", "document"), ("CD", "subtopic"))
            }
            title = f"HDDCRP out of fold by {what}"
            plots[plot] = lines(
                title, series, x_name=what, y_name="CoNLL F1", logarithmic=what == "dirichlet"
            )
            parts.append(f"![{title}](results/{plot})")
    return "\n\n".join(parts)


def _ablated(row: Json) -> list[str]:
    cells = [
        (percent(row[unit]["conll"]), change(row[unit]["difference"])) for unit in ("document", "subtopic")
    ]
    return [cell for pair in cells for cell in pair]


def _analysis(found: Json) -> str:
    parts = [
        "## What the HDDCRP gets right, and what not",
        f"Pairs of mentions of a sub-topic, {found['part']} topics, preset `{found['preset']}`. "
        "`samevent experiment analysis` prints the sentences.",
    ]
    for other, kinds in found["comparisons"].items():
        body = [
            [words, f"{kinds[kind]['pairs']:,}", _examples(kinds[kind]["examples"])]
            for kind, words in _WHO.items()
        ]
        parts.append(
            table([f"HDDCRP and {other}, gold mentions", "pairs", "head lemmas, most frequent first"], body)
        )
    words, (first, second) = found["words"], found["words"]["lemmas"]
    linked = ", ".join(f"{name} {each['same']}" for name, each in words["linked"].items())
    highest = "" if words["highest_f"] is None else f" The highest f among them is {words['highest_f']:.2f}."
    parts.append(
        f"*{first}* and *{second}*, the paper's example: {words['same']} pairs of one event; "
        f"linked by {linked}.{highest}"
    )
    causes = found["causes"]
    names = sorted(set(causes["missed"]) | set(causes["spurious"]))
    body = [[name, *(_pairs(causes[side], name) for side in ("missed", "spurious"))] for name in names]
    right = (
        f"On extracted mentions without a filter, {causes['right']:,} pairs of one event are together. "
        "Errors by cause, the first that applies:"
    )
    return "\n\n".join([*parts, right, table(["", "missed pairs", "spurious pairs"], body)])


_WHO = {
    "hddcrp links": "only HDDCRP links them, rightly",
    "hddcrp parts": "only HDDCRP keeps them apart, rightly",
    "other links": "only the other links them, rightly",
    "other parts": "only the other keeps them apart, rightly",
}


def _pairs(side: Mapping[str, Any], name: str) -> str:
    return f"{side.get(name, {'pairs': 0})['pairs']:,}"


def _examples(examples: list[Json]) -> str:
    return ", ".join(f"{' / '.join(each['lemmas'])} ({each['pairs']})" for each in examples[:5])


def _calibration(found: Json, plots: Plots) -> str:
    calibration = found["calibration"]
    title = "Reliability of the pair model, out of fold"
    plots["calibration.svg"] = reliability(title, calibration["bins"])
    return (
        "## Calibration of the pair model\n\n"
        f"Out of fold over train and dev topics; Brier score {calibration['brier']:.4f}.\n\n"
        f"![{title}](results/calibration.svg)"
    )
