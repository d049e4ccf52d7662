"""`samevent score GOLD SYSTEM`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samevent.cli.common import (
    PATH,
    choice,
    emit_json,
    emit_table,
    encoding_option,
    force_option,
    from_option,
    json_option,
    say,
)
from samevent.formats import read
from samevent.names import FILTERS, KINDS, SINGLETONS, UNITS

if TYPE_CHECKING:
    from samevent.scoring import Score
    from samevent.scoring.evaluation import Evaluation

NAMES = {
    "muc": "MUC",
    "bcubed": "B3",
    "ceafe": "CEAFe",
    "ceafm": "CEAFm",
    "blanc": "BLANC",
    "lea": "LEA",
    "mentions": "mentions",
}


@click.command("score")
@click.argument("gold", type=PATH)
@click.argument("system", type=PATH)
@click.option("--versus", type=PATH, metavar="OTHER", help="A second system: test whether SYSTEM is better.")
@click.option(
    "--unit", type=choice(UNITS), default="document", show_default=True, help="Split clusters into these."
)
@click.option(
    "--filter",
    type=choice(FILTERS),
    default="none",
    show_default=True,
    help="Keep system mentions that match gold.",
)
@click.option(
    "--singletons",
    type=choice(SINGLETONS),
    default="keep",
    show_default=True,
    help="drop: each side's own; drop-gold: the gold ones from both sides.",
)
@click.option(
    "--kind", type=choice(KINDS), default="action", show_default=True, help="Which mentions to score."
)
@click.option(
    "--bootstrap",
    type=click.IntRange(1),
    metavar="N",
    help="Confidence intervals from N draws of topics (or units).",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the draws.")
@from_option("all files")
@encoding_option
@json_option
@force_option
def score_cli(
    gold: Path,
    system: Path,
    versus: Path | None,
    bootstrap: int | None,
    seed: int,
    read_as: str | None,
    encoding: str | None,
    json_file: Path | None,
    force: bool,
    **how: Any,
) -> None:
    """Compare SYSTEM's events with GOLD's: MUC, B3, CEAFe, CEAFm, BLANC, LEA, mentions and the CoNLL average.

    Files may have any readable format. Mentions are the same if their spans are; the sums of all units are
    added up (micro average).
    """
    from samevent.scoring import pair
    from samevent.scoring.evaluation import SAMPLES, evaluate

    gold_corpus = read(gold, format=read_as, encoding=encoding)
    paths = [path for path in (system, versus) if path]
    pairings = []
    for path in paths:
        pairing = pair(gold_corpus, read(path, format=read_as, encoding=encoding, repeats=True), **how)
        pairings.append(pairing)
        for note in pairing.notes:
            say(f"{path}: {note}")
    if versus and bootstrap is None:
        bootstrap = SAMPLES
    evaluation = evaluate(*pairings, samples=bootstrap, seed=seed)
    if json_file is not None:
        settings = how | {"seed": seed, "samples": bootstrap}
        emit_json(evaluation.to_json() | {"settings": settings}, json_file, force=force)
    else:
        print_scores(evaluation, str(how["unit"]))


def print_scores(evaluation: Evaluation, unit: str) -> None:
    """Print scores as a table of percentages."""
    columns = ["", "recall", "precision", "F1"]
    rows: dict[str, list[str]] = {}
    for key, name in NAMES.items():
        score: Score = getattr(evaluation.scores, key)
        rows[key] = [name, _percent(score.recall), _percent(score.precision), _percent(score.f1)]
    rows["conll"] = ["CoNLL", "", "", _percent(evaluation.scores.conll)]
    if evaluation.intervals:
        columns.append("95 % interval")
        for key, row in rows.items():
            interval = evaluation.intervals[key]
            row.append(f"{_percent(interval.low)} – {_percent(interval.high)}")
    if evaluation.other is not None:
        columns += ["other F1", "difference", "95 % interval", "p"]
        for key, row in rows.items():
            other, difference = getattr(evaluation.other, key), evaluation.differences[key]
            row += [
                _percent(other if key == "conll" else other.f1),
                f"{100 * difference.difference:+.2f}",
                f"{100 * difference.interval.low:+.2f} – {100 * difference.interval.high:+.2f}",
                f"{difference.p_value:.3f}",
            ]
    counts = evaluation.counts
    emit_table(
        f"{counts['gold_mentions']:,} gold and {counts['system_mentions']:,} system mentions in "
        f"{counts['gold_clusters']:,} and {counts['system_clusters']:,} clusters, by {unit} ({counts['units']:,})",
        columns,
        list(rows.values()),
    )


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2f}"
