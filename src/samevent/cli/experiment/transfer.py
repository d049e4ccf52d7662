"""`samevent experiment transfer`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from samevent.cli.common import (
    PATH,
    emit_json,
    emit_table,
    force_option,
    jobs_option,
    json_option,
    model_option,
    preset_option,
    say,
    set_option,
)
from samevent.cli.experiment.common import (
    gold_options,
    percent,
    seed_option,
    select_topics,
    spread,
    working,
)

UNITS = {"document": "by document", "topic": "by topic", "corpus": "whole corpus"}
FILTERS = {"none": "all mentions", "head": "mentions with a gold head", "exact": "mentions with a gold span"}


@click.command("transfer")
@gold_options
@click.option("--raw-text", is_flag=True, help="Extract mentions from running text, without GOLD's tokens.")
@click.option(
    "--ignore",
    multiple=True,
    metavar="NAME",
    help="A gold chain that is no event (repeatable). A chain 0 that alone crosses topics is always ignored.",
)
@preset_option("The clusterer's settings and its pair model.")
@set_option
@model_option
@seed_option
@jobs_option
@click.option("--plot", type=PATH, metavar="SVG", help="Draw the reliability diagram.")
@json_option
@force_option
def transfer_cli(
    data: Path,
    read_as: str | None,
    split: str | None,
    part: Any,
    topics: str | None,
    mentions: str,
    raw_text: bool,
    ignore: tuple[str, ...],
    preset: str,
    assignments: tuple[str, ...],
    model: str,
    seed: int,
    jobs: int,
    plot: Path | None,
    json_file: Path | None,
    force: bool,
) -> None:
    """Measure a model on a gold corpus that it has not learned from: scores, and whether its probabilities are true.

    Scores are by document, topic and over the whole corpus, beside LEMMA, average-link clustering of the same pairs
    and one posterior that takes their probabilities as known. Pairs are grouped by P(same event): of those shown with
    .9, nine in ten should be the same event. Rows called chained leave out what has no mention in a gold chain of
    several: events that annotators did not look for recur unchained. Intervals are over topics, or documents where
    there are none.
    """
    from samevent.experiments.diagrams import reliability_diagram
    from samevent.experiments.transfer import Transfer, measure_transfer
    from samevent.formats import read
    from samevent.formats.files import check_absent, write_text
    from samevent.settings import assignment

    for target in (json_file, plot):
        if target is not None and str(target) != "-":
            check_absent(target, overwrite=force)
    plan = Transfer(
        mentions="predicted" if mentions == "extracted" or raw_text else "gold",
        raw_text=raw_text,
        preset=preset,
        model=model,
        changes=dict(map(assignment, assignments)),
        ignore=frozenset(ignore),
        seed=seed,
    )
    corpus = select_topics(read(data, format=read_as), split, part, topics)
    with working(None, json_file, resume=False, jobs=jobs) as work:
        figures = {"corpus": "/".join(data.resolve().parts[-2:]), **measure_transfer(corpus, plan, work)}
    if plot is not None:
        title = f"{figures['corpus']}, preset {preset}, {mentions} mentions"
        write_text(plot, [reliability_diagram(title, _series(figures))], overwrite=force)
    if json_file is not None:
        emit_json(figures, json_file, force=force)
    else:
        _tables(figures)
    for name in figures["ignored"]:
        say(f"mentions of the chain {name!r} are not scored: it is no event")


def _series(figures: dict[str, Any]) -> dict[str, Any]:
    others = {name: each["calibration"]["bins"] for name, each in figures["others"].items()}
    return {"P(same event)": figures["calibration"]["bins"], **others}


def _tables(figures: dict[str, Any]) -> None:
    sets = {each["filter"]: each for each in figures["sets"]}
    for (filter, singletons), group in groupby(
        figures["rows"], key=lambda row: (row["filter"], row["singletons"])
    ):
        about, rows = sets[filter], list(group)
        units = list(dict.fromkeys(row["unit"] for row in rows))
        ceiling = [percent(about["ceiling"][f"{unit} {singletons}"]) for unit in units]
        title = (
            f"{figures['corpus']}, preset {figures['preset']}, CoNLL F1, {FILTERS[filter]}"
            f"{', singletons dropped' if singletons == 'drop' else ''} "
            f"({about['kept']:,} of {about['given']:,}, {about['exact']:,} with a gold span; {about['gold']:,} gold)"
        )
        columns = ["", *(cell for unit in units for cell in (UNITS[unit], "95 %"))]
        body = [_row(name, rows, units) for name in dict.fromkeys(row["clusterer"] for row in rows)]
        body.append(["gold events", *(cell for each in ceiling for cell in (each, ""))])
        emit_table(title, columns, body)
    _reliability(figures)
    _events("Events", figures["events"])
    _events("Events with a chained mention", figures["chained"]["events"])


def _row(name: str, rows: list[dict[str, Any]], units: list[str]) -> list[str]:
    own = {row["unit"]: row for row in rows if row["clusterer"] == name}
    cells = [(percent(own[unit]["conll"]), spread(own[unit]["conll_interval"])) for unit in units]
    return [name, *(cell for pair in cells for cell in pair)]


def _reliability(figures: dict[str, Any]) -> None:
    chained = figures["chained"]
    tables = {
        "P(same event)": figures["calibration"],
        "  chained": chained["calibration"],
        "inside events": figures["inside"],
        "  inside, chained": chained["inside"],
    }
    tables |= {name: each["calibration"] for name, each in figures["others"].items()}
    rows = []
    for name, each in tables.items():
        sure = each["above_95"]
        rows.append(
            [
                name,
                f"{each['pairs']:,}",
                f"{each['ece']:.3f}",
                _interval(each["ece_interval"]),
                f"{sure['pairs']:,}",
                _share(sure["true"]),
                _interval(sure["interval"]),
            ]
        )
    emit_table(
        "Reliability of pairs with a probability above 0 (f: from .05)",
        ["", "pairs", "ECE", "95 %", "P > .95", "true", "95 %"],
        rows,
    )
    bins = {name: {each["low"]: each for each in table["bins"]} for name, table in tables.items()}
    lows = sorted({low for each in bins.values() for low in each})
    body = [
        [f"{low:.1f} – {low + 0.1:.1f}", *(cell for each in bins.values() for cell in _cells(each.get(low)))]
        for low in lows
    ]
    emit_table("By interval", ["", *(x for name in bins for x in (name, "said", "true"))], body)


def _cells(row: dict[str, Any] | None) -> tuple[str, str, str]:
    if row is None:
        return "", "", ""
    return f"{row['pairs']:,}", _share(row["said"]), _share(row["true"])


def _events(which: str, events: dict[str, Any]) -> None:
    rows = [
        [f"{b['low']:.1f} – {b['high']:.1f}", f"{b['events']:,}", _share(b["said"]), _share(b["pure"])]
        for b in events["bins"]
    ]
    rows.append(["all", f"{events['events']:,}", "", _share(events["pure"])])
    title = f"{which} by their probability (ECE {events['ece']:.3f})"
    emit_table(title, ["", "events", "said", "pure"], rows)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _interval(interval: dict[str, float] | None) -> str:
    return "" if interval is None else f"{interval['low']:.3f} – {interval['high']:.3f}"
