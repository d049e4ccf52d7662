"""`samevent run INPUT... -o OUT`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from samevent.cli.common import (
    PATH,
    choice,
    encoding_option,
    force_option,
    from_option,
    model_option,
    output_option,
    preset_option,
    resume_option,
    say,
    seed_option,
    set_option,
    stages,
)
from samevent.names import FORMATS

if TYPE_CHECKING:
    from samevent.results import Result


@click.command("run")
@click.argument("sources", metavar="INPUT...", nargs=-1, required=True, type=PATH)
@output_option("OUT", "The folder to write.")
@preset_option("Settings to start from.")
@click.option("--keep-singletons", is_flag=True, help="Also report events with a single mention.")
@click.option(
    "--min-probability",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="P",
    help="Remove mentions from their event if they belong to it with less than this.",
)
@click.option("--within-only", is_flag=True, help="Link no mentions of different documents.")
@seed_option
@click.option("--jobs", type=click.IntRange(1), help="Processes that share the work. Default: all cores.")
@click.option(
    "--time-limit", type=click.FloatRange(1), metavar="SECONDS", help="Stop sampling after this time."
)
@set_option
@click.option(
    "--format",
    "formats",
    type=choice(name for name in FORMATS if name != "text"),  # which has no events
    multiple=True,
    help="Write this format too (repeatable).",
)
@from_option("the inputs")
@resume_option
@model_option
@encoding_option
@force_option
def run_cli(
    sources: tuple[Path, ...],
    target: Path,
    preset: str,
    keep_singletons: bool,
    min_probability: float,
    within_only: bool,
    seed: int,
    jobs: int | None,
    time_limit: float | None,
    assignments: tuple[str, ...],
    formats: tuple[str, ...],
    read_as: str | None,
    resume: bool,
    model: str,
    encoding: str | None,
    force: bool,
) -> None:
    """Find the events in documents, and which mentions refer to the same event.

    INPUT is a text file, a folder of them, JSON Lines (- for standard input) or any other corpus. Mentions that it
    has are used, missing ones are extracted. OUT gets report.html to look at, events.csv and mentions.csv to open in a
    spreadsheet, result.jsonl for programs, and run.json, which records how the result was made.
    """
    from samevent.inputs import read_inputs
    from samevent.model import Options
    from samevent.runs import run
    from samevent.settings import assignment

    options = Options(
        preset=preset,
        settings=dict(map(assignment, assignments)),
        seed=seed,
        keep_singletons=keep_singletons,
        min_probability=min_probability,
        within_only=within_only,
        time_limit=time_limit,
    )
    with stages() as watch:
        result = run(
            lambda: read_inputs(sources, format=read_as, encoding=encoding),
            target,
            options,
            model=model,
            jobs=jobs,
            formats=formats,
            resume=resume,
            overwrite=force,
            watch=watch,
            tell=say,
        )
    print_summary(result, target)


def print_summary(result: Result, target: Path) -> None:
    """Print how many events there are, how far to trust them, and where the report is."""
    events, across = len(result.events), sum(len(event.documents) > 1 for event in result.events)
    mentions = sum(len(event) for event in result.events)
    if result.diagnostics.verdict:
        say(result.diagnostics.verdict)
    say(f"{events:,} events with {mentions:,} mentions, {across:,} of them in several documents")
    say(f"look at {target / 'report.html'}")
