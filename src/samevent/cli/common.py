"""What the commands share: options that mean the same everywhere, tables, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from samevent.formats.files import write_text

PATH = click.Path(path_type=Path)

json_option = click.option(
    "--json",
    "json_file",
    type=PATH,
    is_flag=False,
    flag_value=Path("-"),
    metavar="[FILE]",
    help="Print JSON instead of a table, or write it to FILE.",
)
force_option = click.option("--force", is_flag=True, help="Overwrite what is there.")
encoding_option = click.option("--encoding", metavar="NAME", help="Of text that is not UTF-8, e.g. cp1252.")
jobs_option = click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes that share the work."
)
model_option = click.option(
    "--model", default="en-news", show_default=True, help="A shipped model, or a model's folder."
)
without_option = click.option(
    "--without",
    "left_out",
    multiple=True,
    metavar="GROUP",
    help="A group of features to leave out (repeatable).",
)
sentences_option = click.option(
    "--sentences",
    type=PATH,
    metavar="CSV",
    help="ECB+'s list of validated sentences, where it lies elsewhere.",
)


def choice(values: Iterable[str]) -> click.Choice[str]:
    """Return an option type that takes one of these words."""
    return click.Choice(list(values))


def say(message: str) -> None:
    """Talk to the person: on stderr, so that data on stdout stays clean."""
    click.echo(f"samevent: {message}", err=True)


@contextmanager
def progress(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show how far work is, on stderr and only in a terminal; what it gives is told how much is done.

    `total` is None where nobody knows it beforehand.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int, str], None]]:
    """Show work of several stages, on stderr and only in a terminal.

    What it gives is told the stage, how much of it is done, how much there is, and what was found so far.
    """
    from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:10}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )  # fmt: skip
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        known: dict[str, TaskID] = {}

        def show(stage: str, done: int, total: int, note: str) -> None:
            if stage not in known:
                for task in known.values():
                    bar.update(task, completed=bar.tasks[task].total or 1)
                known[stage] = bar.add_task(stage, total=total, note=note)
            bar.update(known[stage], completed=done, total=total, note=note)

        yield show


def emit_json(data: Any, target: Path, *, force: bool) -> None:
    """Print JSON, or write it to a file."""
    write_text(target, [json.dumps(data, indent=2, ensure_ascii=False) + "\n"], overwrite=force)


def emit_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout: the first column left, numbers right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False)
    # A figure is never cut to fit a narrow window: the line wraps instead.
    console.width = max(console.width, Console(width=1000).measure(table).maximum)
    console.print(title, style="bold", markup=False)
    console.print(table)
