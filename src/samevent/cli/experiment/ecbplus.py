"""`samevent experiment ecbplus`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from samevent.cli.common import choice, emit_table, say
from samevent.cli.experiment.common import (
    Resumable,
    data_option,
    part_option,
    percent,
    percents,
    resumable,
    runs_option,
    settings_of,
    spread,
    sweeps_option,
    trained_model_option,
)
from samevent.errors import UsageError
from samevent.formats import read
from samevent.names import CLUSTERERS, FILTERS, PRESETS, PROTOCOLS
from samevent.settings import check_known

UNITS = {
    "document": "WD, by document",
    "subtopic": "CD, by sub-topic",
    "topic": "by topic",
    "corpus": "whole corpus",
}
METRICS = {"muc": "MUC", "bcubed": "B3", "ceafe": "CEAFe"}

_FIGURES = [name for metric in METRICS.values() for name in (f"{metric} P", "R", "F1")]
_COLUMNS = ["", *_FIGURES, "CoNLL", "95 %", "LEA", "– lemma", "p", "– agglom.", "p", "paper"]


@click.command("ecbplus")
@data_option
@click.option(
    "--protocol", type=choice(PROTOCOLS), default="yang2015", show_default=True, help="What counts, and how."
)
@part_option
@click.option(
    "--mentions",
    multiple=True,
    metavar="gold|predicted|FILE",
    help="What systems are given (repeatable). Default: all that the protocol asks for.",
)
@click.option(
    "--filter",
    "filters",
    type=choice(FILTERS),
    multiple=True,
    help="Score only mentions that match gold ones (repeatable). Default: all that the protocol asks for.",
)
@click.option(
    "--clusterers",
    default="all",
    show_default=True,
    metavar="NAME,...|all",
    help="Which systems. all: the paper's six and, in short runs, the variants of hdp-lex.",
)
@click.option(
    "--preset",
    type=choice(PRESETS),
    default="paper",
    show_default=True,
    help="paper: scores of the last samples of five runs of 500 sweeps, averaged.",
)
@runs_option
@sweeps_option
@trained_model_option
@resumable
def ecbplus_cli(
    data: Path,
    protocol: str,
    part: Any,
    mentions: tuple[str, ...],
    filters: tuple[Any, ...],
    clusterers: str,
    preset: str,
    runs: int | None,
    sweeps: int | None,
    model: str | None,
    options: Resumable,
) -> None:
    """Run the paper's systems on the very same mentions of ECB+ and score them, the paper's figures beside ours.

    yang2015 is the paper's protocol, cybulska that of later work (gold mentions, topics unknown), realistic goes from
    raw text to clusters. No system knows the topics. Intervals are over topics; differences use the same draws.
    """
    from samevent.experiments.ecbplus import Plan, measure_ecbplus
    from samevent.experiments.protocols import TASKS

    plan = Plan(
        task=TASKS[protocol],
        part=part,
        mentions=_checked(mentions),
        filters=filters,
        clusterers=() if clusterers == "all" else named(clusterers),
        preset=preset,
        model=model,
        changes=settings_of(runs=runs, sweeps=sweeps),
        seed=options.seed,
    )
    with options.working() as work:
        figures = measure_ecbplus(read(data, format="ecbplus"), plan, work)
    options.emit(figures, _tables)
    for note in figures["notes"]:
        say(note)


def named(clusterers: str) -> tuple[str, ...]:
    """Return the clusterers of a list with commas between them.

    >>> named("lemma, hddcrp")
    ('lemma', 'hddcrp')
    """
    names = tuple(name.strip() for name in clusterers.split(","))
    for name in names:
        check_known("clusterer", name, CLUSTERERS)
    return names


def _checked(mentions: tuple[str, ...]) -> tuple[str, ...]:
    for name in mentions:
        if name not in ("gold", "predicted") and not Path(name).exists():
            raise UsageError(
                f"there are no mentions {name!r}", expected="gold, predicted, or a file with mentions"
            )
    return mentions


def _tables(figures: dict[str, Any]) -> None:
    described = {(each["mentions"], each["filter"]): each for each in figures["mention_sets"]}
    levels = groupby(figures["rows"], key=lambda r: (r["mentions"], r["filter"], r["unit"], r["singletons"]))
    for (mentions, filter, unit, singletons), rows in levels:
        about = described[mentions, filter]
        title = (
            f"{figures['protocol']} {figures['part']}, preset {figures['preset']}, {UNITS[unit]}"
            f"{', singletons dropped' if singletons == 'drop' else ''}: {mentions} mentions, filter {filter} "
            f"({about['given']:,} given, {about['kept']:,} kept, {about['exact']:,} of them exact, "
            f"{about['gold']:,} gold; gold clusters on them {percent(about['ceiling'][f'{unit} {singletons}'])})"
        )
        emit_table(title, _COLUMNS, [_row(row) for row in rows])


def _row(row: dict[str, Any]) -> list[str]:
    figures = [x for name in METRICS for x in percents(row[name], "precision", "recall", "f1")]
    paper = percent(row["paper"]["conll"]) if row["paper"] else ""
    tests = [x for other in ("lemma", "agglomerative") for x in _test(row["differences"].get(other))]
    spreads = spread(row["conll_interval"])
    return [
        row["clusterer"],
        *figures,
        percent(row["conll"]),
        spreads,
        percent(row["lea"]["f1"]),
        *tests,
        paper,
    ]


def _test(difference: dict[str, Any] | None) -> tuple[str, str]:
    if difference is None:
        return "", ""
    interval = spread(difference["interval"], signed=True)
    return f"{100 * difference['conll']:+.1f} ({interval})", f"{difference['p_value']:.3f}"
