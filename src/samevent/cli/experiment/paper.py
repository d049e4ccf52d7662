"""`samevent experiment paper`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from samevent.cli.common import PATH, emit_table
from samevent.cli.experiment.common import (
    Resumable,
    percent,
    percents,
    resumable,
    runs_option,
    settings_of,
    spread,
    sweeps_option,
    trained_model_option,
)
from samevent.errors import DataError, UsageError

COUNTS = {
    "documents": "documents",
    "sentences": "sentences",
    "mentions": "annotated event mentions",
    "cross_chains": "cross-document chains",
    "within_chains": "within-document chains",
}
UNITS = {"subtopic": "across documents (CD)", "document": "within documents (WD)"}
METRICS = {"muc": "MUC", "bcubed": "B3", "ceafe": "CEAFe"}
MENTIONS = {"predicted": "extracted mentions that match gold ones", "gold": "gold mentions"}


@click.command("paper")
@click.option("--fresh", is_flag=True, help="Measure anew (up to an hour) instead of showing stored figures.")
@click.option("--data", type=PATH, metavar="DIR", help="With --fresh: the folder or zip of ECB+.")
@trained_model_option
@runs_option
@sweeps_option
@resumable
def paper_cli(
    fresh: bool,
    data: Path | None,
    model: str | None,
    runs: int | None,
    sweeps: int | None,
    options: Resumable,
) -> None:
    """Print the paper's Tables 1 to 4 and its extraction recalls, ours beside them.

    Shown are the figures that come with the package, of the presets paper (the paper as printed) and paper-code (as
    its authors programmed it). With --fresh they are measured on ECB+, in a work folder that --resume continues.
    """
    from samevent.experiments.paper_view import measure_paper, stored
    from samevent.formats import read

    if not fresh and (data or model):
        raise UsageError("stored figures need no data and no model", expected="--fresh, to measure anew")
    if fresh and data is None:
        raise UsageError("there is nothing to measure on", expected="--data DIR, the folder or zip of ECB+")
    figures: dict[str, Any] | None
    if fresh and data:
        with options.working() as work:
            changes = settings_of(runs=runs, sweeps=sweeps)
            figures = measure_paper(
                read(data, format="ecbplus"), work, model=model, changes=changes, seed=options.seed
            )
    else:
        figures = stored()
    if figures is None:
        raise DataError("no figures come with this package", hint="measure them: --fresh --data DIR")
    options.emit(figures, _tables)


def _tables(figures: dict[str, Any]) -> None:
    _components(figures["components"])
    _statistics(figures["statistics"])
    _results(figures["results"])
    _weights(figures["weights"])
    _recalls(figures["extraction"])
    if figures["discussion"]:
        _discussion(figures["discussion"])


def _components(figures: dict[str, Any]) -> None:
    rows = [
        [kind, ", ".join(paper), ", ".join(figures["ours"][kind])] for kind, paper in figures["paper"].items()
    ]
    emit_table(f"Table 1: components of an event in “{figures['sentence']}”", ["", "paper", "ours"], rows)


def _statistics(parts: dict[str, Any]) -> None:
    columns = ["", *(cell for part in parts for cell in (part, "ours"))]
    rows = [
        [title, *(f"{each[side][name]:,}" for each in parts.values() for side in ("paper", "ours"))]
        for name, title in COUNTS.items()
    ]
    emit_table("Table 2: statistics of ECB+ (the paper's, then ours)", columns, rows)


def _results(rows: list[dict[str, Any]]) -> None:
    columns = [
        "",
        *(cell for metric in METRICS.values() for cell in (f"{metric} P", "R", "F1")),
        "CoNLL",
        "95 %",
    ]
    for unit, title in UNITS.items():
        own = [row for row in rows if row["unit"] == unit]
        systems = {row["clusterer"]: row["paper"] for row in own if row["paper"]}
        body = [[f"{name}, the paper's", *_scores(paper), ""] for name, paper in systems.items()]
        emit_table(f"Table 3, {title}: the paper", columns, body)
        sets = dict.fromkeys((row["mentions"], row["preset"]) for row in own)
        for mentions, preset in sets:
            chosen = [row for row in own if (row["mentions"], row["preset"]) == (mentions, preset)]
            body = [[row["clusterer"], *_scores(row), spread(row["conll_interval"])] for row in chosen]
            emit_table(f"Table 3, {title}: preset {preset}, {MENTIONS[mentions]}", columns, body)


def _scores(row: dict[str, Any]) -> list[str]:
    figures = [cell for metric in METRICS for cell in percents(row[metric], "precision", "recall", "f1")]
    return [*figures, percent(row["conll"])]


def _weights(figures: dict[str, Any]) -> None:
    paper, ours = figures["paper"], figures["ours"]
    names = list(dict.fromkeys([*paper, *(name for each in ours.values() for name in each)]))
    rows = [
        [name, *("" if name not in each else f"{each[name]:.2f}" for each in (paper, *ours.values()))]
        for name in names
    ]
    emit_table("Table 4: learned weights", ["", "paper", *(f"preset {preset}" for preset in ours)], rows)


def _recalls(parts: dict[str, Any]) -> None:
    rows = [
        [
            f"{part}, {kind}",
            percent(each["paper_roles"]),
            percent(each["paper"]),
            percent(each["ours"]),
            percent(each["encoded"]),
            "" if each["paper_count"] is None else f"{each['paper_count']:,}",
            f"{each['count']:,}",
        ]
        for part, kinds in parts.items()
        for kind, each in kinds.items()
    ]
    columns = ["", "SwiRL", "paper", "ours", "with an encoder", "mentions, paper", "ours"]
    emit_table("Extraction: % of gold mentions found by their head", columns, rows)


def _discussion(figures: dict[str, Any]) -> None:
    rows = [
        [
            f"{each['clusterer']}, preset {each['preset']}",
            "yes" if each["joined"] else "no",
            "; ".join(" = ".join(event) for event in each["events"]),
        ]
        for each in figures["systems"]
    ]
    emit_table("The discussion's example", ["", "unveiled = announced", "events of several mentions"], rows)
