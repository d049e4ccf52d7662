"""Sections of the page for the tables of `samevent experiment ecbplus`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from tools.results_page.markdown import between, change, percent, points, prf, table
from tools.results_page.plots import Bar, bars, columns, lines

Json = Mapping[str, Any]
Plots = dict[str, str]

UNITS = {"document": "WD", "subtopic": "CD", "topic": "by topic", "corpus": "whole corpus"}
MENTIONS = {"gold": "gold mentions", "predicted": "extracted mentions"}
PROTOCOLS = {
    "yang2015": "The paper: mentions of cross-document chains, scored by document (WD) and by sub-topic (CD).",
    "cybulska": "Later work: all event mentions of validated sentences, scored as one unit, topics unknown.",
    "realistic": "What users with raw text get: extracted mentions against all gold mentions of validated sentences.",
}
_TRACED = ("hddcrp", "ddcrp", "hddcrp-star", "hdp-lex")


def coreference(name: str, result: Json, plots: Plots) -> str:
    """Return the section of one table, and add its plots to `plots`."""
    run = (
        f"Protocol `{result['protocol']}`, {result['part']} topics, preset `{result['preset']}`, "
        f"seed {result['seed']}, model: {result['model']}. {result['seconds'] / 60:.1f} minutes of clustering"
        + (f", commit `{result['commit'][:10]}`." if result["commit"] else ".")
    )
    parts = [f"## {result['protocol']}, preset {result['preset']}", PROTOCOLS[result["protocol"]], run]
    for key, rows in groupby(result["rows"], key=_level):
        mentions, filter, unit, singletons = key
        about = next(s for s in result["mention_sets"] if (s["mentions"], s["filter"]) == (mentions, filter))
        title = f"{_title(mentions, filter)}, {UNITS[unit]}" + (
            ", singletons dropped" if singletons == "drop" else ""
        )
        level = list(rows)
        plot = f"{name}-{mentions}-{filter}-{unit}-{singletons}.svg"
        plots[plot] = _bars(f"CoNLL F1: {result['protocol']} {result['part']}, {title}", level)
        parts += [
            f"### {title}",
            f"{about['given']:,} system mentions, {about['gold']:,} gold mentions; {about['kept']:,} scored, "
            f"{about['exact']:,} of them with exact boundaries. CoNLL F1 of gold clusters on these mentions: "
            f"{percent(about['ceiling'][f'{unit} {singletons}'])}.",
            _scores(level),
            f"![CoNLL F1 with bootstrap intervals](results/{plot})",
        ]
    parts += _chains(result)
    parts += [f"- {note}" for note in result["notes"]]
    return "\n\n".join([*parts, *_diagnostics(name, result, plots)])


def compare_with_paper(result: Json) -> str:
    """Return our scores beside the paper's, and the margin of HDDCRP over LEMMA."""
    lines = []
    for mentions, filter in (("predicted", "head"), ("gold", "none")):
        rows = [
            r for r in result["rows"] if (r["mentions"], r["filter"]) == (mentions, filter) and r["paper"]
        ]
        if not rows:
            continue
        body = []
        for row in rows:
            paper, gap = row["paper"]["conll"], row["conll"] - row["paper"]["conll"]
            body.append(
                [
                    f"{row['clusterer']} {UNITS[row['unit']]}",
                    percent(row["conll"]),
                    percent(paper),
                    points(gap),
                ]
            )
        lines += [f"{_title(mentions, filter).capitalize()}:", table(["", "ours", "paper", ""], body)]
        lines += [_margin(rows, unit) for unit in ("document", "subtopic")]
        below = [row for row in body if row[-1].startswith("-")]
        names = ", ".join(f"{row[0]} ({row[-1]})" for row in below)
        lines.append(f"Below the paper: {names}." if below else "No system scores below the paper.")
    return "\n\n".join(lines)


def margin_reproduced(result: Json) -> bool:
    """Return whether HDDCRP is as far above LEMMA as in the paper, for both units, on the paper's kind of mentions."""
    rows = [r for r in result["rows"] if (r["mentions"], r["filter"]) == ("predicted", "head")]
    by_name = {(row["clusterer"], row["unit"]): row for row in rows}
    return bool(by_name) and all(
        row["differences"]["lemma"]["conll"]
        >= row["paper"]["conll"] - by_name["lemma", unit]["paper"]["conll"]
        for (name, unit), row in by_name.items()
        if name == "hddcrp"
    )


def below_paper(result: Json, clusterer: str) -> bool:
    """Return whether a system scores below the paper for some unit, on the paper's kind of mentions."""
    rows = [r for r in result["rows"] if (r["mentions"], r["filter"]) == ("predicted", "head")]
    return any(r["conll"] < r["paper"]["conll"] for r in rows if r["clusterer"] == clusterer and r["paper"])


def _margin(rows: Sequence[Json], unit: str) -> str:
    by_name = {row["clusterer"]: row for row in rows if row["unit"] == unit}
    if not {"hddcrp", "lemma"} <= set(by_name):
        return ""
    ours = by_name["hddcrp"]["differences"]["lemma"]
    paper = by_name["hddcrp"]["paper"]["conll"] - by_name["lemma"]["paper"]["conll"]
    return (
        f"HDDCRP minus LEMMA, {UNITS[unit]}: {change(ours)}, p = {ours['p_value']:.3f}, on identical mentions; "
        f"in the paper {points(paper)}."
    )


def _level(row: Json) -> tuple[str, str, str, str]:
    return row["mentions"], row["filter"], row["unit"], row["singletons"]


def _title(mentions: str, filter: str) -> str:
    name = MENTIONS.get(mentions, f"mentions of {mentions}")
    return name if mentions == "gold" else f"{name}, filter {filter}"


def _scores(rows: Sequence[Json]) -> str:
    names = [
        "",
        "MUC P/R/F1",
        "B3 P/R/F1",
        "CEAFe P/R/F1",
        "LEA F1",
        "CoNLL",
        "95 %",
        "– LEMMA",
        "– AGGLOMERATIVE",
    ]
    with_paper = any(row["paper"] for row in rows)
    return table([*names, "paper"] if with_paper else names, [_cells(row, with_paper) for row in rows])


def _cells(row: Json, with_paper: bool) -> list[str]:
    tests = [
        f"{change(d)} p={d['p_value']:.3f}" if (d := row["differences"].get(other)) else ""
        for other in ("lemma", "agglomerative")
    ]
    paper = [percent(row["paper"]["conll"]) if row["paper"] else ""] if with_paper else []
    metrics = [prf(row[name]) for name in ("muc", "bcubed", "ceafe")]
    conll = [f"**{percent(row['conll'])}**", between(row["conll_interval"])]
    return [f"`{row['clusterer']}`", *metrics, percent(row["lea"]["f1"]), *conll, *tests, *paper]


def _chains(result: Json) -> Iterator[str]:
    """Yield, for each set of mentions, how long chains ran and whether they agree."""
    for mentions, traces in result["traces"].items():
        verdicts = {r["clusterer"]: r["verdict"] for r in result["rows"] if r["mentions"] == mentions}
        body = [
            [f"`{name}`", f"{len(each['events'])} x {each['sweeps'][-1]}", _reasons(verdicts[name])]
            for name, each in traces.items()
            if name in verdicts
        ]
        if body:
            yield (
                f"Chains on {MENTIONS.get(mentions, mentions)}, by the second halves of their traces. R-hat is at "
                "most 1.01 if it is not named. Where it is above 1.1, chains have not settled, and the row above is "
                "where they were when they stopped."
            )
            yield table(["", "runs x sweeps", "do they agree?"], body)


def _reasons(verdict: str) -> str:
    """Return the part of a verdict that is about agreement."""
    return verdict.split("which ended highest; ")[-1]


def _bars(title: str, rows: Sequence[Json]) -> str:
    values = [
        Bar(
            row["clusterer"],
            100 * row["conll"],
            100 * row["conll_interval"]["low"],
            100 * row["conll_interval"]["high"],
            100 * row["paper"]["conll"] if row["paper"] else None,
        )
        for row in rows
    ]
    return bars(f"{title} (diamonds: paper)" if any(row["paper"] for row in rows) else title, values)


def _diagnostics(name: str, result: Json, plots: Plots) -> Iterator[str]:
    """Yield plots of the traces of samplers and of component sizes, for each set of mentions."""
    for mentions, traces in result["traces"].items():
        known = {system: traces[system] for system in _TRACED if system in traces}
        for trace in ("log joint", "events"):
            series = {
                system: [list(zip(each["sweeps"], run, strict=True)) for run in each[trace]]
                for system, each in known.items()
            }
            if series:
                plot = f"{name}-{mentions}-{trace.replace(' ', '-')}.svg"
                title = f"{trace.capitalize()} by sweep: {MENTIONS.get(mentions, mentions)}, all runs"
                plots[plot] = lines(title, series, x_name="sweep", y_name=trace, logarithmic=True)
                yield f"![{title}](results/{plot})"
    for about in result["mention_sets"]:
        if about["components"] and about["filter"] != "head":
            plot = f"{name}-{about['mentions']}-components.svg"
            name_of_set = MENTIONS.get(about["mentions"], about["mentions"])
            title = f"Connected components of the links by size: {name_of_set}"
            sizes = {f"{size}+": count for size, count in about["components"].items()}
            plots[plot] = columns(title, sizes, x_name="mentions in a component")
            yield f"![{title}](results/{plot})"
