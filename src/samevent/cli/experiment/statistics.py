"""`samevent experiment statistics`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from samevent.cli.common import emit_json, emit_table, force_option, json_option
from samevent.cli.experiment.common import data_option, split_option
from samevent.experiments.protocols import PAPER_STATISTICS, Statistics, load_split, statistics
from samevent.formats import read

ROWS = {
    "documents": "documents",
    "sentences": "sentences",
    "mentions": "annotated event mentions",
    "cross_chains": "cross-document chains",
    "within_chains": "within-document chains",
}


@click.command("statistics")
@data_option
@split_option
@json_option
@force_option
def statistics_cli(data: Path, split: str, json_file: Path | None, force: bool) -> None:
    """Count documents, mentions and chains of ECB+, as in the paper's Table 2."""
    figures = statistics(read(data, format="ecbplus"), load_split(split))
    if json_file is not None:
        emit_json({part: asdict(counts) for part, counts in figures.items()}, json_file, force=force)
    else:
        paper = PAPER_STATISTICS if split == "yang2015" else {}
        columns = ["", *(name for part in figures for name in (part, "paper")[: 2 if paper else 1])]
        rows = [[title, *_cells(name, figures, dict(paper))] for name, title in ROWS.items()]
        emit_table(f"ECB+, split {split}", columns, rows)


def _cells(name: str, figures: dict[str, Statistics], paper: dict[str, Statistics]) -> list[str]:
    sides = [(figures[part], paper.get(part)) for part in figures]
    return [f"{getattr(counts, name):,}" for pair in sides for counts in pair if counts is not None]
