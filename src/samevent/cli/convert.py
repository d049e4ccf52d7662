"""`samevent convert IN OUT`."""

from __future__ import annotations

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
    progress,
    say,
    sentences_option,
    strict_option,
    to_option,
)
from samevent.corpus import Corpus, Unit
from samevent.errors import counted
from samevent.formats import FORMATS, read
from samevent.names import EXPORTS, KINDS, UNITS

_FORMATS = "\n".join(
    f"  {format.name:<10}{format.summary}{'' if format.writable else ' (read only)'}"
    for format in FORMATS.values()
)
_EXPORTS = "\n".join(f"  {name:<10}{summary} (write only)" for name, summary in EXPORTS.items())


@click.command("convert", epilog=f"\b\nFormats:\n{_FORMATS}\n{_EXPORTS}")
@click.argument("source", metavar="IN", type=PATH)
@click.argument("target", metavar="OUT", type=PATH)
@from_option("IN")
@to_option("OUT", exports=True)
@click.option(
    "--unit",
    type=choice(UNITS),
    default="document",
    show_default=True,
    help="Merge documents into meta-documents (conll, corefud).",
)
@click.option(
    "--kind", "kinds", type=choice(KINDS), multiple=True, help="Keep only mentions of this kind (repeatable)."
)
@click.option("--heads", is_flag=True, help="Parse the text and give every mention a head word.")
@jobs_option
@encoding_option
@columns_options
@strict_option
@sentences_option
@force_option
def convert_cli(
    source: Path,
    target: Path,
    read_as: str | None,
    write_as: str | None,
    unit: Unit,
    kinds: tuple[str, ...],
    heads: bool,
    jobs: int,
    encoding: str | None,
    text_column: str | None,
    title_column: str | None,
    date_column: str | None,
    id_column: str | None,
    strict: bool,
    sentences: Path | None,
    force: bool,
) -> None:
    """Read the corpus IN and write it as OUT; `-` is standard input or output.

    JSON Lines keeps everything. docs/formats.md lists what the other formats keep.
    """
    from samevent.exports import write

    columns = {"text": text_column, "title": title_column, "date": date_column, "id": id_column}
    corpus = read(
        source, format=read_as, encoding=encoding, sentences=sentences, columns=columns, strict=strict
    )
    if kinds:
        corpus = corpus.filtered(lambda m: m.kind in kinds)
    if heads:
        corpus = add_heads(corpus, jobs=jobs)
    write(corpus, target, format=write_as, unit=unit, overwrite=force)
    mentions = counted(sum(1 for _ in corpus.mentions()), "mention")
    say(f"wrote {counted(len(corpus), 'document')} with {mentions} to {target}")


def add_heads(corpus: Corpus, *, jobs: int) -> Corpus:
    """Return the corpus with a head on every mention, from a parse that the user's cache keeps."""
    from samevent.language.annotate import annotate
    from samevent.language.cache import Cache
    from samevent.language.heads import with_heads

    with progress("parsing", len(corpus)) as done:
        annotated = annotate(corpus, entities=False, jobs=jobs, cache=Cache(), progress=done)
        return Corpus(with_heads(document, annotation) for document, annotation in annotated)
