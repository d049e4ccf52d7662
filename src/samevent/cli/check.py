"""`samevent check INPUT`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

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
    sentences_option,
)
from samevent.formats.doctor import examine
from samevent.names import FORMATS


@click.command("check")
@click.argument("source", metavar="INPUT", type=PATH)
@click.option("--from", "format", type=choice(FORMATS), help="The format, if the name does not tell.")
@encoding_option
@sentences_option
@json_option
@force_option
@click.pass_context
def check_cli(
    context: click.Context,
    source: Path,
    format: str | None,
    encoding: str | None,
    sentences: Path | None,
    json_file: Path | None,
    force: bool,
) -> None:
    """Examine the corpus INPUT: counts, offsets, duplicates, encodings, empty documents.

    Prints what is in it and everything that looks wrong. Exit status 1 if a document cannot be read,
    0 otherwise, warnings or not.
    """
    diagnosis = examine(source, format=format, encoding=encoding, sentences=sentences)
    if json_file is not None:
        emit_json(asdict(diagnosis) | {"healthy": diagnosis.healthy}, json_file, force=force)
    else:
        rows = [[name, f"{count:,}"] for name, count in diagnosis.counts.items() if count]
        emit_table(f"{source} ({diagnosis.format})", ["", "count"], rows)
        for problem in diagnosis.problems:
            click.echo(f"{problem.severity}: {problem.where}: {problem.message}")
    errors = sum(p.severity == "error" for p in diagnosis.problems)
    say(f"{errors} errors, {len(diagnosis.problems) - errors} warnings")
    context.exit(0 if diagnosis.healthy else 1)
