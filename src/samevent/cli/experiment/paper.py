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
WITHOUT_PAIRS = frozenset(("hdp-lex",))
"""What `--fresh` measures under the preset paper alone."""
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
    _sets(figures["measured"], figures["sets"])
    _results(figures["results"])
    _chains(figures["results"])
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


def _sets(results: list[dict[str, Any]], sets: list[dict[str, Any]]) -> None:
    made = {each["preset"]: f"{each['date']} {(each['commit'] or '')[:10]}" for each in results}
    rows = [
        [
            f"{each['preset']}, {each['mentions']}",
            *(f"{each[name]:,}" for name in ("given", "kept", "exact", "gold")),
            made[each["preset"]],
        ]
        for each in sets
    ]
    columns = ["preset, mentions", "clustered", "scored", "exact boundaries", "gold", "first measured"]
    emit_table("Table 3: mentions of the test topics", columns, rows)


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
            if mentions == "gold":  # equal mentions: what looks at no pairs is the same under both readings
                names = {row["clusterer"] for row in chosen}
                chosen += [
                    row
                    for row in own
                    if row["mentions"] == "gold" and row["clusterer"] in WITHOUT_PAIRS.difference(names)
                ]
            chosen.sort(key=lambda row: list(systems).index(row["clusterer"]))
            body = [[row["clusterer"], *_scores(row), spread(row["conll_interval"])] for row in chosen]
            emit_table(f"Table 3, {title}: preset {preset}, {MENTIONS[mentions]}", columns, body)


def _chains(rows: list[dict[str, Any]]) -> None:
    """Show whether the runs of each sampler agree, without which its score is not that of its model."""
    verdicts = {
        (row["mentions"], row["preset"], row["clusterer"]): row["verdict"].partition("; ")[2] for row in rows
    }
    body = [[name, preset, mentions, text] for (mentions, preset, name), text in verdicts.items() if text]
    title = "Table 3: do the runs of a sampler agree? Above an R-hat of 1.1 they have not settled"
    emit_table(title, ["", "preset", "mentions", "runs"], body)


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
    title = "The discussion's example: the paper says that AGGLOMERATIVE and HDP-LEX do not join unveiled and announced"
    emit_table(title, ["", "unveiled = announced", "events of several mentions"], rows)
    for name, text in figures["texts"].items():
        click.echo(f"{name}: {text}")
