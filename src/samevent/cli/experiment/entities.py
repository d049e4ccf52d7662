"""`samevent experiment entities`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from samevent.cli.common import (
    choice,
    emit_json,
    emit_table,
    force_option,
    jobs_option,
    json_option,
    model_option,
    say,
)
from samevent.cli.experiment.common import data_option, percent, seed_option, spread, working

UNITS = {"document": "WD", "subtopic": "CD", "corpus": "whole corpus"}


@click.command("entities")
@data_option
@click.option(
    "--part",
    type=choice(("test", "folds")),
    default="test",
    show_default=True,
    help="The test topics, or the others by folds (out of which settings were chosen).",
)
@model_option
@seed_option
@jobs_option
@json_option
@force_option
def entities_cli(
    data: Path,
    part: Any,
    model: str,
    seed: int,
    jobs: int,
    json_file: Path | None,
    force: bool,
) -> None:
    """Measure entity coreference on ECB+: participants, places and times, on gold mentions and on the parser's.

    The protocol is cybulska's; the pair model of entities is trained on other topics than those it is measured on. WD
    scores each document by itself, CD each sub-topic. Word vectors are those of --model.
    """
    from samevent.experiments.entities import measure_entities
    from samevent.experiments.protocols import TASKS
    from samevent.formats import read
    from samevent.formats.files import check_absent
    from samevent.language.resources import resources

    if json_file is not None and str(json_file) != "-":
        check_absent(json_file, overwrite=force)
    with working(None, json_file, resume=False, jobs=jobs) as work:
        vectors = resources(model).vectors
        figures = measure_entities(read(data), TASKS["cybulska"], part, vectors, work, seed=seed)
    if json_file is not None:
        emit_json(figures, json_file, force=force)
        return
    for (mentions, singletons), group in groupby(
        figures["rows"], key=lambda row: (row["mentions"], row["singletons"])
    ):
        rows = list(group)
        dropped = ", singletons dropped" if singletons == "drop" else ""
        title = f"Entities, CoNLL F1, {figures['counts'][mentions]:,} {mentions} mentions{dropped}"
        emit_table(title, ["", *(x for unit in UNITS.values() for x in (unit, "95 %"))], _lines(rows))
    for name, published in figures["published"].items():
        say(
            f"{name}, as published: about {100 * published['conll']:.0f} ({UNITS[published['unit']]}, gold mentions)"
        )


def _lines(rows: list[dict[str, Any]]) -> list[list[str]]:
    by_name: dict[str, dict[str, Any]] = {}
    for row in rows:
        by_name.setdefault(row["clusterer"], {})[row["unit"]] = row
    return [
        [name, *(cell for unit in UNITS for cell in _cells(units.get(unit)))]
        for name, units in by_name.items()
    ]


def _cells(row: dict[str, Any] | None) -> tuple[str, str]:
    return (percent(row["conll"]), spread(row["conll_interval"])) if row else ("", "")
