"""`samevent score GOLD SYSTEM`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
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
    json_option,
    say,
)
from samevent.formats import read
from samevent.names import FILTERS, FORMATS, KINDS, SINGLETONS, UNITS

if TYPE_CHECKING:
    from samevent.scoring import Interval, Pairing

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
    "--unit", type=choice(UNITS), default="document", show_default=True, help="Cut clusters into these."
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
    help="drop: each side its own; drop-gold: gold's from both sides.",
)
@click.option(
    "--kind", type=choice(KINDS), default="action", show_default=True, help="Which mentions to score."
)
@click.option(
    "--bootstrap", type=click.IntRange(1), metavar="N", help="Intervals from N draws of topics (or units)."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draws.")
@click.option(
    "--from", "format", type=choice(FORMATS), help="Format of all files, if their names do not tell."
)
@encoding_option
@json_option
@force_option
def score_cli(
    gold: Path,
    system: Path,
    versus: Path | None,
    bootstrap: int | None,
    seed: int,
    format: str | None,
    encoding: str | None,
    json_file: Path | None,
    force: bool,
    **how: Any,
) -> None:
    """Compare SYSTEM's events with GOLD's: MUC, B3, CEAFe, CEAFm, BLANC, LEA, mentions and the CoNLL average.

    Files may be of any readable format. Mentions are the same when their spans are; sums of all units are
    added up (micro average).
    """
    from samevent.scoring import pair

    key = read(gold, format=format, encoding=encoding)
    answers = [
        read(path, format=format, encoding=encoding, repeats=True) for path in (system, versus) if path
    ]
    pairings = [pair(key, answer, **how) for answer in answers]
    for path, pairing in zip((system, versus), pairings, strict=False):
        for note in pairing.notes:
            say(f"{path}: {note}")
    if versus and bootstrap is None:
        bootstrap = 1000
    report = evaluate(pairings, samples=bootstrap, seed=seed)
    if json_file is not None:
        emit_json(
            report.to_json() | {"settings": how | {"seed": seed, "samples": bootstrap}},
            json_file,
            force=force,
        )
    else:
        report.print(str(how["unit"]))


@dataclass(frozen=True, slots=True)
class Report:
    """Scores of a system, with what was asked beside them."""

    scores: dict[str, Any]
    counts: dict[str, int]
    intervals: dict[str, Interval]
    versus: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the scores with everything else as further fields."""
        data: dict[str, Any] = self.scores | {"counts": self.counts}
        if self.intervals:
            data["intervals"] = {name: asdict(interval) for name, interval in self.intervals.items()}
        return data | ({"versus": self.versus} if self.versus else {})

    def print(self, unit: str) -> None:
        """Print the table that people read: percentages."""
        columns = ["", "recall", "precision", "F1"]
        rows = [[NAMES[name], *(_percent(value) for value in self.scores[name].values())] for name in NAMES]
        rows.append(["CoNLL", "", "", _percent(self.scores["conll"])])
        keys = [*NAMES, "conll"]
        if self.intervals:
            columns.append("95 % interval")
            for key, row in zip(keys, rows, strict=True):
                row.append(f"{_percent(self.intervals[key].low)} – {_percent(self.intervals[key].high)}")
        if self.versus:
            columns += ["other F1", "difference", "95 % interval", "p"]
            for key, row in zip(keys, rows, strict=True):
                row += _versus(self.versus, key)
        c = self.counts
        emit_table(
            f"{c['gold_mentions']:,} gold and {c['system_mentions']:,} system mentions in "
            f"{c['gold_clusters']:,} and {c['system_clusters']:,} clusters, by {unit} ({c['units']:,})",
            columns,
            rows,
        )


def evaluate(pairings: list[Pairing], *, samples: int | None, seed: int) -> Report:
    """Score the first pairing, with intervals if asked, against the second if there is one."""
    from samevent.scoring import differences, intervals, scores_of
    from samevent.scoring.table import ABSENT

    first = pairings[0]
    scores = scores_of(first)
    table = first.table()
    counts = {
        "units": len(first.units),
        "gold_mentions": int((first.gold != ABSENT).sum()),
        "system_mentions": int((first.system != ABSENT).sum()),
        "gold_clusters": len(table.gold_sizes),
        "system_clusters": len(table.system_sizes),
    }
    versus: dict[str, Any] = {}
    if len(pairings) == 2:
        versus = {
            "scores": scores_of(pairings[1]).to_json(),
            "differences": {
                name: asdict(found)
                for name, found in differences(first, pairings[1], samples=samples or 1000, seed=seed).items()
            },
        }
    spread = intervals(first, samples=samples, seed=seed) if samples else {}
    return Report(scores=dict(scores.to_json()), counts=counts, intervals=spread, versus=versus)


def _versus(versus: dict[str, Any], key: str) -> list[str]:
    other, found = versus["scores"][key], versus["differences"][key]
    low, high = found["interval"]["low"], found["interval"]["high"]
    return [
        _percent(other["f1"] if isinstance(other, dict) else other),
        f"{100 * found['difference']:+.2f}",
        f"{100 * low:+.2f} – {100 * high:+.2f}",
        f"{found['p_value']:.3f}",
    ]


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2f}"
