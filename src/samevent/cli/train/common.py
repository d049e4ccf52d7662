"""What the commands that train have in common."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import PATH
from samevent.corpus import Corpus, Document
from samevent.formats import read

output_option = click.option(
    "-o", "--output", metavar="MODEL", type=PATH, required=True, help="The model's folder."
)


def events_of(corpus: Corpus) -> Corpus:
    """Return a corpus without the chain of whatever is no event."""
    from samevent.experiments.given import catch_all

    chains = catch_all(corpus)
    return corpus.filtered(lambda mention: mention.event not in chains) if chains else corpus


def plain_text(path: Path) -> list[Document]:
    """Read the documents of a corpus, or of PropBank data."""
    from samevent.language.roles.propbank import FILE, read_propbank

    if path.name == FILE or (path / FILE).is_file():
        return [gold.document for gold in read_propbank(path)]
    return list(read(path))
