"""`samevent cluster FILE -o OUT`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    choice,
    corrections_option,
    encoding_option,
    force_option,
    from_option,
    jobs_option,
    model_option,
    output_option,
    preset_option,
    resume_option,
    say,
    seed_option,
    set_option,
    stages,
    to_option,
)
from samevent.errors import counted
from samevent.names import CLUSTERERS


@click.command("cluster")
@click.argument("source", metavar="FILE", type=PATH)
@output_option("OUT", "The file to write.")
@from_option("FILE")
@to_option("OUT")
@click.option(
    "--clusterer",
    "name",
    type=choice(CLUSTERERS),
    metavar="NAME",
    default="hddcrp",
    show_default=True,
    help=f"One of {', '.join(CLUSTERERS)}.",
)
@preset_option("paper: five runs of 500 sweeps, and the last sample of one.")
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    help="Runs of a sampler: 2 or more; 1 under the preset paper.",
)
@click.option("--sweeps", type=click.IntRange(1), metavar="N", help="Sweeps of each run, at most.")
@seed_option
@corrections_option
@click.option("--settings", type=PATH, metavar="TOML", help="A file with one table per clusterer.")
@set_option
@resume_option
@model_option
@jobs_option
@encoding_option
@force_option
def cluster_cli(
    source: Path,
    target: Path,
    read_as: str | None,
    write_as: str | None,
    name: str,
    preset: str,
    runs: int | None,
    sweeps: int | None,
    seed: int,
    corrections: Path | None,
    settings: Path | None,
    assignments: tuple[str, ...],
    resume: bool,
    model: str,
    jobs: int,
    encoding: str | None,
    force: bool,
) -> None:
    """Find which event mentions of FILE refer to the same event, and write the corpus with its events to OUT.

    FILE is any corpus with event mentions (samevent extract finds them); events that it already has are ignored. An
    interrupted run leaves a checkpoint beside OUT. docs/clusterers.md explains clusterers, presets and settings.
    """
    from samevent.clusterers import clusterer
    from samevent.corrections import read_corrections
    from samevent.inputs import read_mentions
    from samevent.runs import cluster
    from samevent.settings import assignment

    changes = dict(map(assignment, assignments))
    changes |= {key: value for key, value in (("runs", runs), ("sweeps", sweeps)) if value is not None}
    system = clusterer(name, changes, preset=preset, file=settings)
    with stages() as watch:
        clustered = cluster(
            lambda: read_mentions(source, format=read_as, encoding=encoding),
            target,
            system,
            corrections=read_corrections(corrections) if corrections else None,
            model=model,
            seed=seed,
            jobs=jobs,
            format=write_as,
            resume=resume,
            overwrite=force,
            watch=watch,
            tell=say,
        )
    if clustered.posterior.verdict:
        say(clustered.posterior.verdict)
    mentions, events = counted(len(clustered.ids), "mention"), counted(len(clustered.clustering), "event")
    say(f"wrote {mentions} of {events} to {target}")
