"""`samevent experiment ablations`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from samevent.cli.common import emit_table, model_option
from samevent.cli.experiment.common import (
    Resumable,
    data_option,
    percent,
    resumable,
    spread,
)
from samevent.formats import read


@click.command("ablations")
@data_option
@model_option
@resumable
def ablations_cli(
    data: Path,
    model: str,
    options: Resumable,
) -> None:
    """Change one thing of the HDDCRP at a time: features of the pair model, hyper-parameters, sampling.

    Gold mentions of the train and dev topics of yang2015, out of fold: pair models have not seen the topics that they
    are measured on. Arguments are found by the extractor of --model.
    """
    from samevent.experiments.ablations import measure_ablations

    with options.working() as work:
        figures = measure_ablations(read(data, format="ecbplus"), work, model=model, seed=options.seed)
    options.emit(figures, _tables)


def _tables(figures: dict[str, Any]) -> None:
    for what, rows in groupby(figures["rows"], key=lambda row: row["what"]):
        emit_table(what, ["", "WD", "– paper's", "CD", "– paper's"], [_row(row) for row in rows])


def _row(row: dict[str, Any]) -> list[str]:
    cells = [str(row["value"])]
    for unit in ("document", "subtopic"):
        difference = row[unit]["difference"]
        change = f"{100 * difference['conll']:+.1f} ({spread(difference['interval'], signed=True)})"
        cells += [percent(row[unit]["conll"]), change]
    return cells
