"""`samevent experiment rules`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from samevent.cli.common import emit_table
from samevent.cli.experiment.common import (
    Resumable,
    data_option,
    percent,
    resumable,
    spread,
)
from samevent.formats import read


@click.command("rules")
@data_option
@click.option(
    "--mentions",
    type=click.Choice(("gold", "predicted")),
    multiple=True,
    default=("gold", "predicted"),
    show_default=True,
    help="What systems are given (repeatable).",
)
@click.option("--model", required=True, metavar="FOLDER", help="A model of the train topics of yang2015.")
@resumable
def rules_cli(
    data: Path,
    mentions: tuple[str, ...],
    model: str,
    options: Resumable,
) -> None:
    """Add each rule of the authors' program to the preset paper, and take each from paper-code.

    The HDDCRP on the test topics of yang2015, on identical mentions (only the rule that every verb is an event adds
    some). Pair models are trained on the train topics; lexicon, vectors, roles and extractor are those of --model.
    """
    from samevent.experiments.rules import measure_rules

    with options.working() as work:
        figures = measure_rules(
            read(data, format="ecbplus"), work, model=model, mentions=tuple(mentions), seed=options.seed
        )
    options.emit(figures, _tables)


def _tables(figures: dict[str, Any]) -> None:
    for name, group in groupby(figures["rules"], key=lambda row: row["mentions"]):
        rows = list(group)
        variants = list(dict.fromkeys((row["variant"], row["base"]) for row in rows))
        body = [_cells(rows, variant, base) for variant, base in variants]
        emit_table(f"HDDCRP, {name} mentions, CoNLL F1", ["", "WD", "", "CD", "", "compared with"], body)


def _cells(rows: list[dict[str, Any]], variant: str, base: str) -> list[str]:
    own = {row["unit"]: row for row in rows if row["variant"] == variant}
    cells = [variant]
    for unit in ("document", "subtopic"):
        difference = own[unit]["difference"]
        shown = f"{100 * difference['conll']:+.1f} ({spread(difference['interval'], signed=True)})"
        cells += [percent(own[unit]["conll"]), shown if variant != base else ""]
    return [*cells, base if variant != base else ""]
