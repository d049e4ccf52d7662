"""`samevent experiment extraction`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from samevent.cli.common import (
    emit_json,
    emit_table,
    force_option,
    jobs_option,
    json_option,
    progress,
    say,
)
from samevent.cli.experiment.common import (
    data_option,
    percent,
    percents,
    split_option,
    trained_model_option,
)
from samevent.experiments.protocols import load_split
from samevent.formats import read

_BALANCE = ("precision", "recall", "f1")


@click.command("extraction")
@data_option
@trained_model_option
@split_option
@jobs_option
@json_option
@force_option
def extraction_cli(
    data: Path, model: str | None, split: str, jobs: int, json_file: Path | None, force: bool
) -> None:
    """Measure the extractor: gold mentions found at both operating points and at other numbers of mentions."""
    from samevent.experiments.extraction import PARTS, measure_extraction, trained
    from samevent.experiments.work import provenance
    from samevent.extraction import load_extractor
    from samevent.language.resources import resources

    corpus, topics = read(data, format="ecbplus"), load_split(split)
    extractor = (
        load_extractor(model) if model else trained(corpus, topics, resources(), jobs=jobs, progress=say)
    )
    size = sum(len(topics.select(corpus, part)) for part in PARTS)
    with progress("extracting", size) as done:
        figures = measure_extraction(corpus, topics, extractor, jobs=jobs, progress=done)
    if json_file is not None:
        about = {"split": split, "model": model or "trained"}
        emit_json(figures | provenance(0, about), json_file, force=force)
    else:
        _recall_table(figures, split)
        _curve_table(figures)
        _balance_table(figures)


def _recall_table(figures: dict[str, Any], split: str) -> None:
    from samevent.experiments.extraction import PAPER, PARTS, SWIRL

    rows = []
    for part in PARTS:
        for kind, ours in figures["recall"][part].items():
            head, count = PAPER[part][kind] if split == "yang2015" else (None, None)
            point, alone = ours["at_threshold"], figures["roles"][part][kind]
            rows.append(
                [
                    f"{part} {kind}",
                    *percents(ours, "head_recall", "exact_recall"),
                    f"{ours['count']:,}",
                    percent(point["head_recall"]),
                    f"{point['count']:,}",
                    percent(head),
                    "" if count is None else f"{count:,}",
                    percent(alone["head_recall"]),
                    f"{alone['count']:,}",
                    percent(SWIRL[kind]) if part == "dev" and head else "",
                ]
            )
    columns = ["head", "exact", "mentions", "at the point", "mentions", "paper", "mentions", "roles alone"]
    title = f"ECB+, split {split}: % of linked mentions found among as many as the paper has, and at the point recall"
    emit_table(title, ["", *columns, "mentions", "SwiRL"], rows)


def _curve_table(figures: dict[str, Any]) -> None:
    rows = [
        [
            part,
            *(f"{at['count']:,}: {percent(at['head_recall'])} / {percent(at['exact_recall'])}" for at in curve),
        ]
        for part, curve in figures["curve"].items()
    ]  # fmt: skip
    emit_table("Events found (head / exact) among the most probable mentions", [""] * len(rows[0]), rows)


def _balance_table(figures: dict[str, Any]) -> None:
    rows = [
        [f"{part} {kind}", *percents(ours, *_BALANCE), *percents(ours["exact"], *_BALANCE)]
        for part, kinds in figures["balanced"].items()
        for kind, ours in kinds.items()
    ]
    emit_table(
        "Point balanced: all mentions of validated sentences, by head and by exact span",
        ["", "precision", "recall", "F1", "exact: precision", "recall", "F1"],
        rows,
    )
