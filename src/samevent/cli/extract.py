"""`samevent extract INPUT -o FILE`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    choice,
    columns_options,
    encoding_option,
    force_option,
    from_option,
    jobs_option,
    model_option,
    output_option,
    preset_option,
    say,
    stages,
    strict_option,
    to_option,
)
from samevent.names import DEFAULT_POINT, POINTS


@click.command("extract")
@click.argument("source", metavar="INPUT", type=PATH)
@output_option("FILE", "The file to write.")
@from_option("INPUT")
@to_option("FILE")
@click.option(
    "--point",
    type=choice(POINTS),
    default=DEFAULT_POINT,
    show_default=True,
    help="precise: few wrong events; balanced: mentions that are probably right; recall: nearly all possible mentions.",
)
@click.option(
    "--replace", is_flag=True, help="Find all mentions, including kinds that the input already has."
)
@click.option(
    "--fillers/--no-fillers",
    "add_fillers",
    default=True,
    show_default=True,
    help="Whether fillers of semantic roles become mentions too.",
)
@preset_option("standard reads with an encoder; light and paper do without.")
@model_option
@jobs_option
@encoding_option
@columns_options
@strict_option
@force_option
def extract_cli(
    source: Path,
    target: Path,
    read_as: str | None,
    write_as: str | None,
    point: str,
    replace: bool,
    add_fillers: bool,
    preset: str,
    model: str,
    jobs: int,
    encoding: str | None,
    text_column: str | None,
    title_column: str | None,
    date_column: str | None,
    id_column: str | None,
    strict: bool,
    force: bool,
) -> None:
    """Find events in INPUT with their participants, times and locations, and write them to FILE.

    INPUT is a folder or file of text, or any corpus; given tokens and sentences are kept. Mentions that a document
    has are used as they are; only kinds that it lacks are looked for.
    """
    from samevent.corpus import KINDS
    from samevent.errors import check_absent, counted
    from samevent.extraction import Association
    from samevent.formats import check_writable, output_format, read, write
    from samevent.language.cache import Cache
    from samevent.model import Model
    from samevent.preparation import Extraction

    output_format(target, write_as)
    if str(target) != "-":
        check_absent(target, overwrite=force)
    columns = {"text": text_column, "title": title_column, "date": date_column, "id": id_column}
    corpus = read(source, format=read_as, encoding=encoding, columns=columns, strict=strict)
    check_writable(corpus, target.name, format=write_as)
    extraction = Extraction(replace=replace, point=point, association=Association(add_fillers=add_fillers))
    with stages() as watch:
        corpus = Model.load(model, cache=Cache()).extract(
            corpus, extraction=extraction, preset=preset, jobs=jobs, watch=watch
        )
    write(corpus, target, format=write_as, overwrite=force)
    counts = Counter(m.kind for m in corpus.mentions())
    say(
        f"wrote {counted(len(corpus), 'document')} with "
        + ", ".join(counted(counts[kind], kind) for kind in KINDS)
        + f" to {target}"
    )
