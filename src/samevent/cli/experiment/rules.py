"""`samevent experiment rules`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from samevent.cli.common import emit_json, emit_table, force_option, jobs_option, json_option
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
@seed_option
@jobs_option
@work_option
@resume_option
@json_option
@force_option
def rules_cli(
    data: Path,
    mentions: tuple[str, ...],
    model: str,
    seed: int,
    jobs: int,
    work_folder: Path | None,
    resume: bool,
    json_file: Path | None,
    force: bool,
) -> None:
    """Add each rule of the authors' program to the preset paper, and take each from paper-code.

    The HDDCRP on the test topics of yang2015, on identical mentions (only the rule that every verb is an event adds
    some). Pair models are trained on the train topics; lexicon, vectors, roles and extractor are those of --model.
    """
    from samevent.experiments.rules import measure_rules

    if json_file is not None and str(json_file) != "-":
        check_absent(json_file, overwrite=force)
    with working(work_folder, json_file, resume=resume, jobs=jobs) as work:
        figures = measure_rules(
            read(data, format="ecbplus"), work, model=model, mentions=tuple(mentions), seed=seed
        )
    if json_file is not None:
        emit_json(figures, json_file, force=force)
        return
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
