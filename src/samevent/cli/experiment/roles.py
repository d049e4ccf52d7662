"""`samevent experiment roles`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    emit_json,
    emit_table,
    force_option,
    json_option,
    model_option,
    progress,
)
from samevent.cli.experiment.common import part_option, percents


@click.command("roles")
@click.option("--data", type=PATH, required=True, metavar="DIR", help="The folder with PropBank on EWT.")
@model_option
@part_option
@json_option
@force_option
def roles_cli(data: Path, model: str, part: str, json_file: Path | None, force: bool) -> None:
    """Measure the role labeller: F1 by role, counting an argument if its role and head word are right."""
    from samevent.experiments.roles import measure_roles
    from samevent.language.resources import resources

    labeller = resources(model).roles
    with progress("parsing", None) as done:
        figures = measure_roles(data, labeller, part=part, progress=done)
    if json_file is not None:
        emit_json(figures, json_file, force=force)
        return
    rules, whole = figures["rules"], figures["end_to_end"]
    systems = {
        "verbal": figures["verbal"],
        "verbal, rules": rules,
        "verbal, end to end": whole["verbal"],
        "nominal": figures["nominal"],
        "nominal, rules": rules["nominal"],
        "nominal, end to end": whole["nominal"],
    }
    names = list(figures["nominal"])
    rows = [[name, *percents(scores, *names)] for name, scores in systems.items()]
    emit_table(f"EWT {part}: F1 of roles, head match", ["predicates", "all", *names[1:]], rows)
    rows = [[kind, *percents(scores, *scores)] for kind, scores in whole["predicates"].items()]
    emit_table("Finding predicates", ["", "precision", "recall", "F1"], rows)
