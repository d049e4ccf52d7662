"""The tables of `samevent experiment ecbplus` as sections of the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from samevent.experiments.page.markdown import between, change, percent, points, prf, table
from samevent.experiments.page.plots import Bar, bars, columns, lines

Json = Mapping[str, Any]
Plots = dict[str, str]

UNITS = {"document": "WD", "subtopic": "CD", "topic": "by topic", "corpus": "whole corpus"}
MENTIONS = {"gold": "gold mentions", "predicted": "extracted mentions"}
PROTOCOLS = {
    "yang2015": "The paper's: mentions of cross-document chains, scored by document (WD) and by sub-topic (CD).",
    "cybulska": "That of later work: all event mentions of validated sentences, one unit, topics unknown.",
    "realistic": "What a user with raw text gets: found mentions against all gold ones of validated sentences.",
}
_ABOUT_TRACES = ("hddcrp", "ddcrp", "hddcrp-star", "hdp-lex")


def coreference(name: str, found: Json, plots: Plots) -> str:
    """Return the section of one table; its plots are added to `plots`."""
    command = (
        f"Protocol `{found['protocol']}`, {found['part']} topics, preset `{found['preset']}`, seed {found['seed']}, "
        f"model: {found['model']}. {found['seconds'] / 60:.1f} minutes of clustering, "
        f"commit `{str(found['commit'])[:10]}`."
    )
    parts = [f"## {found['protocol']}, preset {found['preset']}", PROTOCOLS[found["protocol"]], command]
    for key, rows in groupby(found["rows"], key=_level):
        mentions, filter, unit, singletons = key
        about = next(s for s in found["mention_sets"] if (s["mentions"], s["filter"]) == (mentions, filter))
        title = f"{_title(mentions, filter)}, {UNITS[unit]}" + (
            ", singletons dropped" if singletons == "drop" else ""
        )
        level = list(rows)
        plot = f"{name}-{mentions}-{filter}-{unit}-{singletons}.svg"
        plots[plot] = _bars(f"CoNLL F1: {found['protocol']} {found['part']}, {title}", level)
        parts += [
            f"### {title}",
            f"{about['given']:,} mentions given, {about['gold']:,} gold; {about['kept']:,} scored, "
            f"{about['exact']:,} of them with exactly a gold span. Gold clusters on these mentions: "
            f"{percent(about['ceiling'][f'{unit} {singletons}'])}.",
            _scores(level),
            f"![CoNLL F1 with intervals over topics](results/{plot})",
        ]
    parts += [f"- {note}" for note in found["notes"]]
    return "\n\n".join([*parts, *_behaviour(name, found, plots)])


def against_the_paper(found: Json) -> str:
    """Say where we are above and below the paper, and what became of its margin over LEMMA."""
    lines = []
    for mentions, filter in (("predicted", "head"), ("gold", "none")):
        rows = [r for r in found["rows"] if (r["mentions"], r["filter"]) == (mentions, filter) and r["paper"]]
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
        lines.append(f"Below the paper: {names}." if below else "No system is below the paper.")
    return "\n\n".join(lines)


def margin_is_there(found: Json) -> bool:
    """Say whether HDDCRP is as far above LEMMA as in the paper, at both levels, on the paper's kind of mentions."""
    rows = [r for r in found["rows"] if (r["mentions"], r["filter"]) == ("predicted", "head")]
    by_name = {(row["clusterer"], row["unit"]): row for row in rows}
    return bool(by_name) and all(
        row["differences"]["lemma"]["conll"]
        >= row["paper"]["conll"] - by_name["lemma", unit]["paper"]["conll"]
        for (name, unit), row in by_name.items()
        if name == "hddcrp"
    )


def below_the_paper(found: Json, clusterer: str) -> bool:
    """Say whether a system is below the paper at some level, on the paper's kind of mentions."""
    rows = [r for r in found["rows"] if (r["mentions"], r["filter"]) == ("predicted", "head")]
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
    return bars(f"{title} (diamonds: the paper)" if any(row["paper"] for row in rows) else title, values)


def _behaviour(name: str, found: Json, plots: Plots) -> Iterator[str]:
    """Show how samplers ran and what they ran on, for each set of mentions."""
    for mentions, traces in found["traces"].items():
        known = {system: traces[system] for system in _ABOUT_TRACES if system in traces}
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
    for about in found["mention_sets"]:
        if about["components"] and about["filter"] != "head":
            plot = f"{name}-{about['mentions']}-components.svg"
            name_of_set = MENTIONS.get(about["mentions"], about["mentions"])
            title = f"Groups of mentions that links connect, by size: {name_of_set}"
            sizes = {f"{size}+": count for size, count in about["components"].items()}
            plots[plot] = columns(title, sizes, x_name="mentions in a group")
            yield f"![{title}](results/{plot})"
