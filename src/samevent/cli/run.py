"""`samevent run INPUT... -o OUT`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from samevent.cli.common import (
    PATH,
    choice,
    columns_options,
    corrections_option,
    emit_table,
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
    strict_option,
)
from samevent.errors import counted
from samevent.names import EXPORTS, WRITABLE

if TYPE_CHECKING:
    from samevent.events import Event
    from samevent.inputs import Inputs
    from samevent.model import Watch
    from samevent.results import Result
    from samevent.updates import Update

SHOWN_STORIES, SHOWN_EVENTS = 8, 12
"""How many stories and events are printed."""


@click.command("run")
@click.argument("sources", metavar="INPUT...", nargs=-1, required=True, type=PATH)
@output_option("OUT", "The folder to write.", required=False)
@click.option(
    "--update",
    "grown",
    metavar="OUT",
    type=PATH,
    help="Add the inputs to this finished run, with its own options.",
)
@click.option(
    "--exact", is_flag=True, help="With --update: resolve everything anew, with the bytes of a full run."
)
@click.option(
    "--report", is_flag=True, help="With --update: write the whole report anew, not only changes.html."
)
@preset_option("Settings to start from.")
@click.option("--keep-singletons", is_flag=True, help="Also report events with a single mention.")
@click.option(
    "--min-probability",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="P",
    help="Remove mentions from their event if they belong to it with less than this.",
)
@corrections_option
@click.option("--within-only", is_flag=True, help="Link no mentions of different documents.")
@seed_option
@click.option("--jobs", type=click.IntRange(1), help="Processes that share the work. Default: all cores.")
@click.option(
    "--time-limit",
    type=click.FloatRange(1),
    metavar="SECONDS",
    help="Finish within this time: sampling gets what reading and writing leave.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    help="Take at most this much memory, such as 4GB: with fewer jobs, then with files, else refuse at once.",
)
@set_option
@click.option(
    "--format",
    "formats",
    type=choice(name for name in (*WRITABLE, *EXPORTS) if name != "text"),  # which has no events
    multiple=True,
    help="Write this format too (repeatable).",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let a Dask cluster do the work: the address of its scheduler, or local:N for N processes here.",
)
@click.option(
    "--parts", metavar="URL", help="Where workers leave their parts, if they do not see OUT: a folder or URL."
)
@click.option("--final", is_flag=True, help="Keep nothing for later updates, which saves space.")
@click.option("--skip-bad", is_flag=True, help="Leave out documents that cannot be processed, and list them.")
@from_option("the inputs")
@columns_options
@strict_option
@resume_option
@model_option
@encoding_option
@force_option
def run_cli(
    sources: tuple[Path, ...],
    target: Path | None,
    grown: Path | None,
    exact: bool,
    report: bool,
    preset: str,
    keep_singletons: bool,
    min_probability: float,
    corrections: Path | None,
    within_only: bool,
    seed: int,
    jobs: int | None,
    time_limit: float | None,
    memory: str | None,
    assignments: tuple[str, ...],
    formats: tuple[str, ...],
    cluster: str | None,
    parts: str | None,
    final: bool,
    skip_bad: bool,
    read_as: str | None,
    text_column: str | None,
    title_column: str | None,
    date_column: str | None,
    id_column: str | None,
    strict: bool,
    resume: bool,
    model: str,
    encoding: str | None,
    force: bool,
) -> None:
    """Find the events in documents, and which mentions refer to the same event.

    INPUT is a document (text, web page, PDF, Word, mail), a table or feed of documents, a folder of all these, JSON
    Lines (- for standard input) or any other corpus. Files that cannot be read are left out and listed at the end.
    Mentions that a corpus has are used, missing ones are extracted. OUT gets report.html to look at, events.csv and
    mentions.csv to open in a spreadsheet, result.jsonl for programs, and run.json, which records how the result was
    made.

    With --update, documents that OUT does not have are added to it. Only mentions that they may be linked to are
    resolved anew, and events keep their ids; history.jsonl says what became of events that were merged or split.
    """
    began = monotonic()  # before imports, which take seconds on a busy machine
    from samevent.inputs import Inputs

    columns = {"text": text_column, "title": title_column, "date": date_column, "id": id_column}
    inputs = Inputs(sources, format=read_as, encoding=encoding, columns=columns, strict=strict)
    if grown is not None:
        _check_own_options()
        with stages() as watch:
            done = _updated(inputs, grown, exact, report, model, jobs, watch)
        print_unread(inputs)
        print_update(done, grown)
        return
    if target is None:
        raise click.MissingParameter(param_type="option", param_hint="'-o' / '--output'")
    if exact or report:
        raise click.UsageError(f"{'--exact' if exact else '--report'} is for --update")
    from samevent.corrections import read_corrections
    from samevent.memory import parsed_size
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
            lambda: inputs.read(scratch=target.absolute().parent),
            target,
            options,
            corrections=read_corrections(corrections) if corrections else None,
            model=model,
            jobs=jobs,
            formats=formats,
            resume=resume,
            overwrite=force,
            cluster=cluster,
            parts=parts,
            skip_bad=skip_bad,
            final=final,
            memory=parsed_size(memory) if memory else None,
            unread=inputs.unread,
            began=began,
            watch=watch,
            tell=say,
        )
    print_unread(inputs)
    print_tables(result)
    print_summary(result, target)


def print_unread(inputs: Inputs) -> None:
    """Print what could not be read, each reason once."""
    for line in inputs.unread.lines() if inputs.unread else ():
        say(line)


def print_tables(result: Result) -> None:
    """Print the largest stories and the events that matter most."""
    from samevent.report.parts import brief

    if result.stories:
        emit_table(
            "Stories",
            ["story", "documents", "dates"],
            [
                (story.headline, str(len(story)), brief(story.dates))
                for story in islice(result.stories, SHOWN_STORIES)
            ],
        )
    emit_table(
        "Main events",
        ["event", "mentions", "documents", "P(same event)"],
        [
            (event.label, str(len(event)), str(event.distinct_documents), _shown(event))
            for event in result.events.ranked(SHOWN_EVENTS)
        ],
    )


def _shown(event: Event) -> str:
    return "" if event.probability is None else f"{event.probability:.2f}, {event.in_words}"


def print_summary(result: Result, target: Path) -> None:
    """Print how many events there are, how far to trust them, and where the report is."""
    events, across = len(result.events), sum(len(event.documents) > 1 for event in result.events)
    mentions = sum(len(event) for event in result.events)
    if result.diagnostics.verdict:
        say(result.diagnostics.verdict)
    if copies := result.copies:
        first = next(iter(copies))
        number = (
            f"{len(copies):,} document{'s are copies' if len(copies) > 1 else ' is a copy'} of another text"
        )
        say(f"{number}, such as {first!r} of {copies[first]!r}: events count a text once")
    say(
        f"{counted(len(result.stories), 'story')}; {counted(events, 'event')} with {counted(mentions, 'mention')}, "
        f"{across:,} of them in several documents"
    )
    say(f"look at {target / 'report.html'}")


_WITH_UPDATE = frozenset(
    "sources grown exact report model jobs read_as encoding strict text_column title_column date_column "
    "id_column".split()
)
"""Parameters that --update takes; a run keeps all others."""


def _check_own_options() -> None:
    """Raise if an option is given that the run to update was made with."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is not ParameterSource.DEFAULT
        if given and name not in _WITH_UPDATE:
            raise click.UsageError(
                f"{parameter.opts[-1]} cannot be used with --update: a run keeps the options that it was made with"
            )


def _updated(
    inputs: Inputs, folder: Path, exact: bool, report: bool, model: str, jobs: int | None, watch: Watch
) -> Update:
    from samevent.updates import update

    given = click.get_current_context().get_parameter_source("model") is not ParameterSource.DEFAULT
    return update(
        lambda: inputs.read(scratch=folder.absolute().parent),
        folder,
        exact=exact,
        report=report,
        model=model if given else None,
        jobs=jobs or 1,
        unread=inputs.unread,
        watch=watch,
        tell=say,
    )


def print_update(done: Update, folder: Path) -> None:
    """Print what an update did."""
    if not done.documents:
        return
    changed = sum(1 for names in done.successors.values() if names)
    say(
        f"{counted(len(done.documents), 'document')} added; {done.touched:,} of {counted(done.mentions, 'mention')} "
        f"resolved anew, {counted(changed, 'event')} merged or split (history.jsonl)"
    )
    page = "report.html" if done.exact else "changes.html"
    say(f"look at {folder / page}")
