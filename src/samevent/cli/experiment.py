"""`samevent experiment NAME`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from samevent.cli.common import PATH, choice, emit_json, emit_table, force_option, json_option, progress
from samevent.experiments.protocols import SPLITS, load_split
from samevent.experiments.statistics import PAPER, Statistics, statistics
from samevent.formats import read

ROWS = {
    "documents": "documents",
    "sentences": "sentences",
    "mentions": "annotated event mentions",
    "cross_chains": "cross-document chains",
    "within_chains": "within-document chains",
}


@click.group("experiment")
def experiment_cli() -> None:
    """Measure quality on annotated data and print the paper's tables beside ours."""


@experiment_cli.command("statistics")
@click.option("--data", type=PATH, required=True, metavar="DIR", help="The folder or zip of ECB+.")
@click.option(
    "--split", type=choice(SPLITS), default="yang2015", show_default=True, help="How topics are divided."
)
@json_option
@force_option
def statistics_cli(data: Path, split: str, json_file: Path | None, force: bool) -> None:
    """Count what ECB+ holds, as the paper's Table 2 does."""
    found = statistics(read(data, format="ecbplus"), load_split(split))
    if json_file is not None:
        emit_json({part: asdict(counts) for part, counts in found.items()}, json_file, force=force)
    else:
        paper = PAPER if split == "yang2015" else {}
        columns = ["", *(name for part in found for name in (part, "paper")[: 2 if paper else 1])]
        rows = [[title, *_cells(name, found, dict(paper))] for name, title in ROWS.items()]
        emit_table(f"ECB+, split {split}", columns, rows)


@experiment_cli.command("roles")
@click.option("--data", type=PATH, required=True, metavar="DIR", help="The folder with PropBank on EWT.")
@click.option("--model", default="en-news", show_default=True, help="A shipped model, or a model's folder.")
@click.option(
    "--part", type=choice(("dev", "test")), default="test", show_default=True, help="What to measure on."
)
@json_option
@force_option
def roles_cli(data: Path, model: str, part: str, json_file: Path | None, force: bool) -> None:
    """Measure the role labeller: F1 by role, an argument being found when its role and head word are right."""
    from samevent.experiments.roles import measure_roles
    from samevent.language.resources import resources

    labeller = resources(model).roles
    with progress("parsing", None) as done:
        found = measure_roles(data, labeller, part=part, progress=done)
    if json_file is not None:
        emit_json(found, json_file, force=force)
        return
    rules, whole = found["rules"], found["end_to_end"]
    systems = {
        "verbal": found["verbal"],
        "verbal, rules": rules,
        "verbal, end to end": whole["verbal"],
        "nominal": found["nominal"],
        "nominal, rules": rules["nominal"],
        "nominal, end to end": whole["nominal"],
    }
    names = list(found["nominal"])
    rows = [[name, *(f"{100 * scores[column]:.1f}" for column in names)] for name, scores in systems.items()]
    emit_table(f"EWT {part}: F1 of roles, head match", ["predicates", "all", *names[1:]], rows)
    rows = [
        [kind, *(f"{100 * x:.1f}" for x in scores.values())] for kind, scores in whole["predicates"].items()
    ]
    emit_table("Finding predicates", ["", "precision", "recall", "F1"], rows)


def _cells(name: str, found: dict[str, Statistics], paper: dict[str, Statistics]) -> list[str]:
    sides = [(found[part], paper.get(part)) for part in found]
    return [f"{getattr(counts, name):,}" for pair in sides for counts in pair if counts is not None]
