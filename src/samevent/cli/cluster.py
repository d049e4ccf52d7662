"""`samevent cluster FILE -o OUT`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samevent.cli.common import (
    PATH,
    choice,
    encoding_option,
    force_option,
    jobs_option,
    model_option,
    progress,
    say,
    stages,
)
from samevent.corpus import Corpus
from samevent.errors import OutputExistsError, UsageError, located, place
from samevent.formats import output_format, read, write
from samevent.formats.files import check_absent
from samevent.names import CLUSTERERS, FORMATS, PRESETS
from samevent.settings import assignment, read_tables

if TYPE_CHECKING:
    from samevent.clusterers import Clustered, Clusterer


@click.command("cluster")
@click.argument("source", metavar="FILE", type=PATH)
@click.option(
    "-o", "--output", "target", metavar="OUT", type=PATH, required=True, help="Where the events are written."
)
@click.option("--from", "read_as", type=choice(FORMATS), help="Format of FILE, if its name does not tell.")
@click.option("--to", "write_as", type=choice(FORMATS), help="Format of OUT, if its name does not tell.")
@click.option(
    "--clusterer",
    "name",
    type=choice(CLUSTERERS),
    metavar="NAME",
    default="hddcrp",
    show_default=True,
    help=f"One of {', '.join(CLUSTERERS)}.",
)
@click.option(
    "--preset",
    type=choice(PRESETS),
    default="light",
    show_default=True,
    help="paper: five runs of 500 sweeps, and the last sample of one.",
)
@click.option("--runs", type=click.IntRange(1), metavar="N", help="Runs of a sampler.")
@click.option("--sweeps", type=click.IntRange(1), metavar="N", help="Sweeps of each run, at most.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same events.")
@click.option("--settings", type=PATH, metavar="TOML", help="A file with a table for each clusterer.")
@click.option("--set", "assignments", metavar="KEY=VALUE", multiple=True, help="One setting (repeatable).")
@click.option("--resume", is_flag=True, help="Go on with an interrupted run.")
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
    settings: Path | None,
    assignments: tuple[str, ...],
    resume: bool,
    model: str,
    jobs: int,
    encoding: str | None,
    force: bool,
) -> None:
    """Say which event mentions of FILE tell of the same event, and write the corpus with its events to OUT.

    FILE is any corpus with event mentions (samevent extract finds them); events that it has are not looked at. An
    interrupted run leaves a checkpoint beside OUT. docs/clusterers.md explains clusterers, presets and settings.
    """
    changes = dict(map(assignment, assignments))
    changes |= {key: value for key, value in (("runs", runs), ("sweeps", sweeps)) if value is not None}
    system = configured(name, preset=preset, file=settings, changes=changes)
    output_format(target, write_as)
    checkpoint = _checkpoint(target, resume=resume, force=force)
    corpus = read(source, format=read_as, encoding=encoding)
    if not any(corpus.mentions("action")):
        raise UsageError(
            "there are no event mentions in it", where=place(source), hint="find them: samevent extract"
        )
    from samevent.results.assembly import with_events

    try:
        found = clustered(corpus, system, model=model, seed=seed, jobs=jobs, checkpoint=checkpoint)
    except KeyboardInterrupt:
        if checkpoint and checkpoint.exists():
            say(f"--resume goes on from {checkpoint}")
        raise
    write(with_events(corpus, found.clustering), target, format=write_as, overwrite=force)
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
    if found.posterior.verdict:
        say(found.posterior.verdict)
    say(f"wrote {len(found.ids):,} mentions of {len(found.clustering):,} events to {target}")


def configured(
    name: str, *, preset: str = "light", file: Path | None = None, changes: Mapping[str, Any] | None = None
) -> Clusterer:
    """Return a clusterer with the settings of a preset, then of its table in a file, then of `changes`."""
    from samevent.clusterers import clusterer

    tables: dict[str, dict[str, object]] = {}
    if file is not None:
        tables = read_tables(file)
        with located(file):
            for other, table in tables.items():
                clusterer(other, table, preset=preset)
    return clusterer(name, {**tables.get(name, {}), **(changes or {})}, preset=preset)


def clustered(
    corpus: Corpus, system: Clusterer, *, model: str, seed: int, jobs: int, checkpoint: Path | None = None
) -> Clustered:
    """Cluster the event mentions of a corpus, from a parse that is kept in the user's cache."""
    from samevent.language.cache import Cache
    from samevent.model import Model
    from samevent.partitions.diagnostics import ConvergenceWarning
    from samevent.preparation import MISSING_ARGUMENTS, WORDS_ONLY

    extraction = MISSING_ARGUMENTS if "arguments" in system.needs else WORDS_ONLY
    with stages() as watch:
        prepared = Model.load(model, cache=Cache()).prepare(
            corpus, extraction=extraction, jobs=jobs, watch=watch
        )
        evidence = prepared.evidence
    sweeps = system.total_sweeps
    with progress("sweeps", sweeps) as swept, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the verdict says it
        return system.cluster(
            evidence,
            seed=seed,
            jobs=jobs,
            progress=lambda part, whole: swept(sweeps * part // max(1, whole)),
            checkpoint=checkpoint,
        )


def _checkpoint(target: Path, *, resume: bool, force: bool) -> Path | None:
    """Return where a checkpoint goes, after making sure that nothing is in the way."""
    if str(target) == "-":
        if resume:
            raise UsageError("there is no checkpoint beside standard output", hint="name a file with -o")
        return None
    check_absent(target, overwrite=force)
    path = target.with_name(f"{target.name}.checkpoint.npz")
    if path.exists() and not resume:
        if not force:
            raise OutputExistsError(
                "an interrupted run left a checkpoint",
                where=place(path),
                hint="use --resume to go on with it, or --force to start anew",
            )
        path.unlink()
    if resume and not path.exists():
        say(f"there is no {path} to go on from: starting anew")
    return path
