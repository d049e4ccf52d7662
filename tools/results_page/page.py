"""The whole page, from whichever results exist."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from tools.results_page.chains import chain_starts, speed
from tools.results_page.claims import claims, discussion, rules
from tools.results_page.coreference import (
    Json,
    Plots,
    below_paper,
    compare_with_paper,
    coreference,
    margin_reproduced,
)
from tools.results_page.decisions import decisions
from tools.results_page.entities import entities
from tools.results_page.extraction import extraction
from tools.results_page.grounding import grounding, joint, times
from tools.results_page.headline import headline
from tools.results_page.markdown import change, percent, table
from tools.results_page.plots import lines, reliability
from tools.results_page.stories import stories
from tools.results_page.transfer import transfer

_NAMES = {
    "dirichlet": "λ (`dirichlet`)",
    "alpha_within": "α_d (`alpha_within`)",
    "alpha_across": "α_0 (`alpha_across`)",
    "minimum_similarity": "truncation (`minimum_similarity`)",
    "document_weight": "γ (`document_weight`)",
    "identical_words": "mentions with the same words always linked (`identical_words`)",
    "observe": "observed words (`observe`)",
}


def results_page(results: Mapping[str, Json]) -> tuple[str, Plots]:
    """Return the page and its plots by file name, from results by file name."""
    plots: Plots = {}
    tables = {name: result for name, result in results.items() if "mention_sets" in result}
    parts = ["# Results", _prose("headline"), headline(results.values()), _prose("introduction")]
    for result in tables.values():
        if result["protocol"] == "yang2015" and result["preset"] == "paper":
            parts += [f"## Comparison with the paper ({result['part']} topics)", compare_with_paper(result)]
            parts += [] if margin_reproduced(result) else [_prose("margin")]
            parts += [_prose("hdp-lex")] if below_paper(result, "hdp-lex") else []
    parts.append(claims(list(tables.values())))
    parts += [rules(result) for result in results.values() if "rules" in result]
    parts += [discussion(result["discussion"]) for result in results.values() if "discussion" in result]
    if "extraction" in results:
        parts.append(extraction(results["extraction"]))
    parts += [coreference(name, result, plots) for name, result in tables.items()]
    parts += [chain_starts(result) for result in results.values() if "chain_starts" in result]
    if "crp" in results:
        parts.append(speed(results["crp"]))
    if "ablations" in results:
        parts.append(_ablations(results["ablations"], plots))
    if "analysis" in results:
        parts.append(_analysis(results["analysis"]))
    if "pairs" in results:
        parts.append(_calibration(results["pairs"], plots))
    transfers = {name: result for name, result in results.items() if name.startswith("transfer")}
    if transfers:
        parts += ["## Transfer and calibration", _prose("transfer")]
        parts += [transfer(name, result, plots) for name, result in transfers.items()]
    if told := [result for name, result in results.items() if name.startswith("stories")]:
        parts.append(stories(told))
    if "decisions" in results:
        parts.append(decisions(results["decisions"]))
    if known := [result for name, result in results.items() if name.startswith("entities")]:
        parts.append(entities(known))
    if "times" in results:
        parts.append(times(results["times"], results.get("times-blind")))
    if ablated := [result for name, result in results.items() if name.startswith("grounding")]:
        parts.append(grounding(ablated))
    if passes := [result for name, result in results.items() if name.startswith("joint")]:
        parts.append(joint(passes))
    return "\n\n".join(part for part in parts if part) + "\n", plots


def _prose(name: str) -> str:
    """Return a piece of prose."""
    return (Path(__file__).parent / f"{name}.md").read_text("utf-8").strip()


def _ablations(result: Json, plots: Plots) -> str:
    parts = [
        "## Ablations",
        f"HDDCRP with one change to the preset `paper`, on gold mentions of the {result['part']}. "
        "Intervals are those of the difference.",
    ]
    for what, group in groupby(result["rows"], key=lambda row: row["what"]):
        rows = list(group)
        body = [[f"`{row['value']}`" if row["value"] != "" else "unchanged", *_ablated(row)] for row in rows]
        parts += [f"**{_NAMES.get(what, what)}**", table(["", "WD", "– preset", "CD", "– preset"], body)]
        if what in ("dirichlet", "minimum_similarity"):
            plot = f"ablations-{what}.svg"
            series = {
                name: [[(row["value"], 100 * row[unit]["conll"]) for row in rows]]
                for name, unit in (("WD", "document"), ("CD", "subtopic"))
            }
            title = f"HDDCRP by {what}, cross-validated"
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


def _analysis(result: Json) -> str:
    parts = [
        "## What HDDCRP gets right and wrong",
        f"Pairs of mentions within a sub-topic, {result['part']} topics, preset `{result['preset']}`. "
        "`samevent experiment analysis` prints the sentences.",
    ]
    for other, kinds in result["comparisons"].items():
        body = [
            [words, f"{kinds[kind]['pairs']:,}", _examples(kinds[kind]["examples"])]
            for kind, words in _COMPARISONS.items()
        ]
        parts.append(
            table([f"HDDCRP and {other}, gold mentions", "pairs", "head lemmas, most frequent first"], body)
        )
    words, (first, second) = result["words"], result["words"]["lemmas"]
    linked = ", ".join(f"{name} {each['same']}" for name, each in words["linked"].items())
    highest = "" if words["highest_f"] is None else f" The highest f among them is {words['highest_f']:.2f}."
    parts.append(
        f"*{first}* and *{second}*, the paper's example: {words['same']} pairs refer to the same event; "
        f"linked by {linked}.{highest}"
    )
    causes = result["causes"]
    names = sorted(set(causes["missed"]) | set(causes["spurious"]))
    body = [[name, *(_pairs(causes[side], name) for side in ("missed", "spurious"))] for name in names]
    right = (
        f"On extracted mentions without a filter, {causes['right']:,} pairs of the same event are linked. "
        "Errors by their first cause:"
    )
    return "\n\n".join([*parts, right, table(["", "missed pairs", "spurious pairs"], body)])


_COMPARISONS = {
    "hddcrp links": "linked by HDDCRP only, correctly",
    "hddcrp parts": "separated by HDDCRP only, correctly",
    "other links": "linked by the other only, correctly",
    "other parts": "separated by the other only, correctly",
}


def _pairs(side: Mapping[str, Any], name: str) -> str:
    return f"{side.get(name, {'pairs': 0})['pairs']:,}"


def _examples(examples: list[Json]) -> str:
    return ", ".join(f"{' / '.join(each['lemmas'])} ({each['pairs']})" for each in examples[:5])


def _calibration(result: Json, plots: Plots) -> str:
    calibration = result["calibration"]
    title = "Reliability of the pair model, cross-validated"
    plots["calibration.svg"] = reliability(title, calibration["bins"])
    return (
        "## Calibration of the pair model\n\n"
        f"Cross-validated over train and dev topics; Brier score {calibration['brier']:.4f}.\n\n"
        f"![{title}](results/calibration.svg)"
    )
