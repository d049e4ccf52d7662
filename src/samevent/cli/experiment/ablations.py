"""`samevent experiment ablations`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from samevent.cli.common import emit_json, emit_table, force_option, jobs_option, json_option, model_option
from samevent.cli.experiment.common import (
    data_option,
    percent,
    resume_option,
    seed_option,
    spread,
    work_option,
    working,
)
from samevent.formats import read
from samevent.formats.files import check_absent


@click.command("ablations")
@data_option
@model_option
@seed_option
@jobs_option
@work_option
@resume_option
@json_option
@force_option
def ablations_cli(
    data: Path,
    model: str,
    seed: int,
    jobs: int,
    work_folder: Path | None,
    resume: bool,
    json_file: Path | None,
    force: bool,
) -> None:
    """Change one thing of the HDDCRP at a time: features of the pair model, hyper-parameters, sampling.

    Gold mentions of the train and dev topics of yang2015, out of fold: pair models have not seen the topics that they
    are measured on. Arguments are found by the extractor of --model.
    """
    from samevent.experiments.ablations import measure_ablations

    if json_file is not None and str(json_file) != "-":
        check_absent(json_file, overwrite=force)
    with working(work_folder, json_file, resume=resume, jobs=jobs) as work:
        figures = measure_ablations(read(data, format="ecbplus"), work, model=model, seed=seed)
    if json_file is not None:
        emit_json(figures, json_file, force=force)
        return
    for what, rows in groupby(figures["rows"], key=lambda row: row["what"]):
        emit_table(what, ["", "WD", "– paper's", "CD", "– paper's"], [_row(row) for row in rows])


def _row(row: dict[str, Any]) -> list[str]:
    cells = [str(row["value"])]
    for unit in ("document", "subtopic"):
        difference = row[unit]["difference"]
        change = f"{100 * difference['conll']:+.1f} ({spread(difference['interval'], signed=True)})"
        cells += [percent(row[unit]["conll"]), change]
    return cells
