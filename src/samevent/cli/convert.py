"""`samevent convert IN OUT`."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from samevent.cli.common import PATH, choice, encoding_option, force_option, say, sentences_option
from samevent.corpus import KINDS, Unit
from samevent.formats import FORMATS, read, write

_FORMATS = "\n".join(f"  {format.name:<10}{format.summary}" for format in FORMATS.values())


@click.command("convert", epilog=f"\b\nFormats:\n{_FORMATS}")
@click.argument("source", metavar="IN", type=PATH)
@click.argument("target", metavar="OUT", type=PATH)
@click.option("--from", "read_as", type=choice(FORMATS), help="Format of IN, if its name does not tell.")
@click.option("--to", "write_as", type=choice(FORMATS), help="Format of OUT, if its name does not tell.")
@click.option(
    "--unit",
    type=choice(get_args(Unit)),
    default="document",
    show_default=True,
    help="Merge documents into meta-documents (conll, corefud).",
)
@click.option(
    "--kind", "kinds", type=choice(KINDS), multiple=True, help="Keep only mentions of this kind (repeatable)."
)
@encoding_option
@sentences_option
@force_option
def convert_cli(
    source: Path,
    target: Path,
    read_as: str | None,
    write_as: str | None,
    unit: Unit,
    kinds: tuple[str, ...],
    encoding: str | None,
    sentences: Path | None,
    force: bool,
) -> None:
    """Read the corpus IN and write it as OUT; `-` is standard input or output.

    JSON Lines keeps everything. docs/formats.md says what each other format keeps.
    """
    corpus = read(source, format=read_as, encoding=encoding, sentences=sentences)
    if kinds:
        corpus = corpus.filtered(lambda m: m.kind in kinds)
    write(corpus, target, format=write_as, unit=unit, overwrite=force)
    say(f"wrote {len(corpus):,} documents with {sum(1 for _ in corpus.mentions()):,} mentions to {target}")
