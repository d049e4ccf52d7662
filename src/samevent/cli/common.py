"""What commands share: options that mean the same everywhere, messages, progress, tables, JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from samevent.errors import printable
from samevent.names import DEFAULT_PRESET, EXPORTS, PRESETS, READABLE, WRITABLE

Command = TypeVar("Command", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)


def choice(values: Iterable[str]) -> click.Choice[str]:
    """Return an option type that takes one of these words."""
    return click.Choice(list(values))


json_option = click.option(
    "--json",
    "json_file",
    type=PATH,
    is_flag=False,
    flag_value=Path("-"),
    metavar="[FILE]",
    help="Print JSON instead of a table, or write it to FILE.",
)
force_option = click.option("--force", is_flag=True, help="Overwrite existing output.")
resume_option = click.option("--resume", is_flag=True, help="Continue an interrupted run.")
encoding_option = click.option(
    "--encoding",
    metavar="NAME",
    help="Encoding of text that is not UTF-8, e.g. cp1252, if it is not to be guessed.",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes that share the work."
)
model_option = click.option(
    "--model", default="en-news", show_default=True, help="A shipped model, or the folder of a model."
)
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same events."
)
set_option = click.option(
    "--set",
    "assignments",
    metavar="KEY=VALUE",
    multiple=True,
    help="A setting of the clusterer (repeatable).",
)
corrections_option = click.option(
    "--corrections",
    type=PATH,
    metavar="FILE",
    help="Decisions of a person to hold exactly (corrections.jsonl of samevent review).",
)
without_option = click.option(
    "--without", "left_out", multiple=True, metavar="GROUP", help="A group of features to omit (repeatable)."
)
sentences_option = click.option(
    "--sentences", type=PATH, metavar="CSV", help="ECB+'s list of validated sentences, if it lies elsewhere."
)


strict_option = click.option(
    "--strict", is_flag=True, help="Stop at the first file or row that cannot be read, instead of listing it."
)


def columns_options(command: Command) -> Command:
    """Add the options that name the columns of a table."""
    for part, what in reversed(
        [("text", "texts"), ("title", "titles"), ("date", "dates"), ("id", "ids of documents")]
    ):
        command = click.option(
            f"--{part}-column",
            metavar="NAME",
            help=f"The column (or JSON field) of a table that has the {what}.",
        )(command)
    return command


def output_option(metavar: str, text: str, *, required: bool = True) -> Callable[[Command], Command]:
    """Return the option `-o`."""
    return click.option("-o", "--output", "target", metavar=metavar, type=PATH, required=required, help=text)


def from_option(what: str) -> Callable[[Command], Command]:
    """Return the option that names the format of an input."""
    return click.option(
        "--from", "read_as", type=choice(READABLE), help=f"Format of {what}, if not recognised."
    )


def to_option(what: str, *, exports: bool = False) -> Callable[[Command], Command]:
    """Return the option that names the format of an output, `exports` among them."""
    names = (*WRITABLE, *EXPORTS) if exports else WRITABLE
    return click.option(
        "--to", "write_as", type=choice(names), help=f"Format of {what}, if not clear from its suffix."
    )


def preset_option(text: str, default: str = DEFAULT_PRESET) -> Callable[[Command], Command]:
    """Return the option that chooses a preset."""
    return click.option("--preset", type=choice(PRESETS), default=default, show_default=True, help=text)


def say(message: str) -> None:
    """Print a message for a person: on stderr, so that data on stdout stays clean."""
    try:
        click.echo(f"samevent: {printable(message)}", err=True)
    except OSError:  # nobody reads messages any more, which is no reason to stop working
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115


@contextmanager
def progress(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show progress on stderr, only in a terminal; yield a callback that takes how much is done.

    `total` is None if it is not known beforehand.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with _bar(*columns) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int, str], None]]:
    """Show work of several stages on stderr, only in a terminal.

    The callback that it yields takes the stage, how much of it is done, its total, and a note.
    """
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:10}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )  # fmt: skip
    with _bar(*columns) as bar:
        tasks: dict[str, TaskID] = {}

        def show(stage: str, done: int, total: int, note: str) -> None:
            if stage not in tasks:
                for task in tasks.values():
                    bar.update(task, completed=bar.tasks[task].total or 1)
                tasks[stage] = bar.add_task(stage, total=total, note=note)
            bar.update(tasks[stage], completed=done, total=total, note=note)

        yield show


def _bar(*columns: Any) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())


def emit_json(data: Any, target: Path, *, force: bool) -> None:
    """Print JSON, or write it to a file."""
    import json

    from samevent.formats.files import write_text

    write_text(target, [json.dumps(data, indent=2, ensure_ascii=False) + "\n"], overwrite=force)


def emit_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout: the first column left, numbers right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(printable, row))
    console = Console(highlight=False, markup=False)
    # A figure is never cut to fit a narrow window: the line wraps instead.
    console.width = max(console.width, Console(width=1000).measure(table).maximum)
    console.print(printable(title), style="bold")
    console.print(table)
