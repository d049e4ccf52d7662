"""`samevent check INPUT`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    columns_options,
    emit_json,
    emit_table,
    encoding_option,
    force_option,
    from_option,
    json_option,
    say,
    sentences_option,
)
from samevent.errors import counted, printable
from samevent.formats.doctor import examine


@click.command("check")
@click.argument("source", metavar="INPUT", type=PATH)
@from_option("INPUT")
@encoding_option
@columns_options
@sentences_option
@json_option
@force_option
@click.pass_context
def check_cli(
    context: click.Context,
    source: Path,
    read_as: str | None,
    encoding: str | None,
    text_column: str | None,
    title_column: str | None,
    date_column: str | None,
    id_column: str | None,
    sentences: Path | None,
    json_file: Path | None,
    force: bool,
) -> None:
    """Examine the corpus INPUT: counts, offsets, duplicates, encodings, empty documents.

    Prints counts and everything that looks wrong. The exit status is 1 if a document cannot be read, otherwise 0,
    with or without warnings.
    """
    columns = {"text": text_column, "title": title_column, "date": date_column, "id": id_column}
    diagnosis = examine(source, format=read_as, encoding=encoding, sentences=sentences, columns=columns)
    if json_file is not None:
        emit_json(asdict(diagnosis) | {"healthy": diagnosis.healthy}, json_file, force=force)
    else:
        rows = [[name, f"{count:,}"] for name, count in diagnosis.counts.items() if count]
        emit_table(f"{source} ({diagnosis.format})", ["", "count"], rows)
        for problem in diagnosis.problems:
            click.echo(printable(f"{problem.severity}: {problem.where}: {problem.message}"))
    errors = sum(p.severity == "error" for p in diagnosis.problems)
    say(f"{counted(errors, 'error')}, {counted(len(diagnosis.problems) - errors, 'warning')}")
    context.exit(0 if diagnosis.healthy else 1)
