"""`samevent run INPUT... -o OUT`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from samevent import __version__
from samevent.cli.common import (
    PATH,
    choice,
    encoding_option,
    force_option,
    model_option,
    say,
    stages,
)
from samevent.corpus import Corpus
from samevent.names import FORMATS, PRESETS
from samevent.settings import assignment

if TYPE_CHECKING:
    from samevent.model import Options
    from samevent.results import Result

WORTH_SHARING = 20_000
"""Words that are worth starting several processes for, each of which has to load the parser."""
WORDS_A_SECOND = 1_250
"""What one core does of documents that it has never seen, all in all, found by benchmarks/pipeline.py."""


@click.command("run")
@click.argument("sources", metavar="INPUT...", nargs=-1, required=True, type=PATH)
@click.option(
    "-o", "--output", "target", metavar="OUT", type=PATH, required=True, help="The folder to write."
)
@click.option(
    "--preset", type=choice(PRESETS), default="light", show_default=True, help="Settings to start from."
)
@click.option("--keep-singletons", is_flag=True, help="Also report events that only one mention tells of.")
@click.option(
    "--min-probability",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="P",
    help="Take mentions out of events that they belong to with less than this.",
)
@click.option("--within-only", is_flag=True, help="Look for no event across documents.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same events.")
@click.option("--jobs", type=click.IntRange(1), help="Processes that share the work. Default: all cores.")
@click.option(
    "--time-limit", type=click.FloatRange(1), metavar="SECONDS", help="Stop sampling after this time."
)
@click.option(
    "--set",
    "assignments",
    metavar="KEY=VALUE",
    multiple=True,
    help="A setting of the clusterer (repeatable).",
)
@click.option(
    "--format", "formats", type=choice(FORMATS), multiple=True, help="Write this format too (repeatable)."
)
@click.option("--from", "read_as", type=choice(FORMATS), help="Format of the inputs, if names do not tell.")
@click.option("--resume", is_flag=True, help="Go on with an interrupted run.")
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
    """Read documents, find events in them, and say which mentions tell of the same one.

    INPUT is a text file, a folder of them, JSON Lines (- for standard input) or any other corpus. Mentions that it
    has are used, missing ones are found. OUT gets report.html to look at, events.csv and mentions.csv to open in a
    spreadsheet, result.jsonl for programs, and run.json, which says how it came about.
    """
    from samevent.inputs import read_inputs
    from samevent.model import Options

    options = Options(
        preset=preset,
        settings=dict(map(assignment, assignments)),
        seed=seed,
        keep_singletons=keep_singletons,
        min_probability=min_probability,
        within_only=within_only,
        time_limit=time_limit,
    )
    result = run(
        lambda: read_inputs(sources, format=read_as, encoding=encoding),
        target,
        options,
        model=model,
        jobs=jobs,
        formats=formats,
        resume=resume,
        force=force,
    )
    conclude(result, target)


def run(
    read: Callable[[], Corpus],
    target: Path,
    options: Options,
    *,
    model: str,
    jobs: int | None = None,
    formats: Sequence[str] = (),
    resume: bool = False,
    force: bool = False,
) -> Result:
    """Resolve a corpus into a run's folder, which is whole in the end or absent; an interrupted run can go on."""
    from samevent.inputs import check_has_events, check_readable, in_order
    from samevent.language.cache import Cache
    from samevent.model import Model
    from samevent.runs import begin, check_output_free, fingerprints

    check_output_free(target, resume=resume, overwrite=force)
    corpus = in_order(read())
    strange = check_readable(corpus)
    if strange:
        say(
            f"{len(strange):,} documents do not look like English, such as {strange[0]!r}: expect little of them"
        )
    words = sum(len(document.tokens) for document in corpus)
    jobs = jobs or (1 if words < WORTH_SHARING else os.cpu_count() or 1)
    say(f"read {described(corpus, words)}; about {duration(words / WORDS_A_SECOND / jobs + 3)} if all is new")
    loaded = Model.load(model, cache=Cache())
    about = {
        "samevent": __version__,
        "model": loaded.name,
        "options": asdict(options),
        "documents": fingerprints(corpus),
    }
    under_way = begin(target, about, resume=resume, overwrite=force)
    try:
        with stages() as watch:
            result = loaded.resolve(
                corpus, options=options, jobs=jobs, checkpoint=under_way.checkpoint, watch=watch
            )
            check_has_events(result.corpus)
            watch("writing", 0, 1, "")
            under_way.finish(result, about, formats=formats)
    except KeyboardInterrupt:
        say(f"what is done is kept: the same command with --resume goes on from {under_way.part}")
        raise
    except BaseException:
        under_way.drop()
        raise
    return result


def conclude(result: Result, target: Path) -> None:
    """Say what was found, and where it lies."""
    events, across = len(result.events), sum(len(event.documents) > 1 for event in result.events)
    mentions = sum(len(event) for event in result.events)
    if result.diagnostics.verdict:
        say(result.diagnostics.verdict)
    say(f"{events:,} events with {mentions:,} mentions, {across:,} of them told in several documents")
    say(f"look at {target / 'report.html'}")


def described(corpus: Corpus, words: int) -> str:
    """Say in one line what was read."""
    dates = sorted(document.date for document in corpus if document.date)
    given = sum(1 for _ in corpus.mentions("action"))
    parts = [f"{len(corpus):,} document{'s' * (len(corpus) != 1)}", f"{words:,} words"]
    if dates:
        parts.append(f"{dates[0]} to {dates[-1]}" if dates[0] != dates[-1] else dates[0])
    if given:
        parts.append(f"{given:,} given event mentions")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """Say how long something takes, roughly.

    >>> duration(12.3), duration(250), duration(8000)
    ('12 s', '4 min', '2.2 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
