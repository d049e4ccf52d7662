"""`samevent experiment pairs`."""

from __future__ import annotations

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
    without_option,
)
from samevent.cli.experiment.common import data_option, percent, percents, split_option
from samevent.experiments.protocols import load_split
from samevent.formats import read


@click.command("pairs")
@data_option
@split_option
@click.option(
    "--arguments",
    type=choice(("predicted", "gold")),
    default="predicted",
    show_default=True,
    help="Participants, times and locations: found by the extractor, or gold.",
)
@without_option
@model_option
@jobs_option
@json_option
@force_option
def pairs_cli(
    data: Path,
    split: str,
    arguments: str,
    left_out: tuple[str, ...],
    model: str,
    jobs: int,
    json_file: Path | None,
    force: bool,
) -> None:
    """Train the pair model on the split's train topics and measure how well it separates same from different events.

    Mentions are gold. Lexicon, vectors, roles and extractor are those of --model.
    """
    from samevent.experiments.pairs import measure_pairs
    from samevent.experiments.work import provenance
    from samevent.extraction import load_extractor
    from samevent.language.cache import Cache
    from samevent.language.resources import resources
    from samevent.similarity.training import PairTrainingSettings

    extractor = load_extractor(model) if arguments == "predicted" else None
    settings = PairTrainingSettings(without=left_out)
    figures = measure_pairs(
        read(data, format="ecbplus"),
        resources(model),
        extractor,
        split=load_split(split),
        settings=settings,
        cache=Cache(),
        jobs=jobs,
        progress=say,
    )
    if json_file is not None:
        about = {"split": split, "arguments": arguments, "model": model, "training": repr(settings)}
        emit_json(figures | provenance(0, about), json_file, force=force)
    else:
        _pair_table(figures, split)
        _weight_table(figures)
        _calibration_table(figures["calibration"])
        say(f"C = {figures['C']:g}, {figures['links_per_mention']:.1f} candidate links per mention")


def _pair_table(figures: dict[str, Any], split: str) -> None:
    rows = [
        [
            f"{part} {kind.replace('_', ' ')}",
            f"{ours['pairs']:,}",
            f"{ours['same']:,}",
            *percents(ours, "precision", "recall", "f1", "auc"),
        ]
        for part in ("dev", "test")
        for kind, ours in figures[part].items()
    ]
    columns = ["", "pairs", "same event", "precision", "recall", "F1", "ROC AUC"]
    emit_table(f"ECB+, split {split}: pairs of mentions at f of at least 0.5", columns, rows)


def _weight_table(figures: dict[str, Any]) -> None:
    weights, paper = figures["weights"], figures["paper_weights"]
    rows = [
        [name, f"{weight:.2f}", f"{paper[name]:.2f}" if name in paper else ""]
        for name, weight in sorted(weights.items(), key=lambda item: (-paper.get(item[0], 0), -item[1]))
    ]
    emit_table("Weights", ["", "ours", "paper"], [*rows, ["intercept", f"{figures['intercept']:.2f}", ""]])


def _calibration_table(calibration: dict[str, Any]) -> None:
    rows = [
        [f"{b['low']:.1f} – {b['high']:.1f}", f"{b['pairs']:,}", percent(b["said"]), percent(b["true"])]
        for b in calibration["bins"]
    ]
    emit_table(
        f"Calibration out of fold, Brier score {calibration['brier']:.4f}",
        ["f", "pairs", "mean f", "same event"],
        rows,
    )
