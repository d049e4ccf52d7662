"""`samevent train PART DATA -o MODEL`: one file per part."""

from __future__ import annotations

import click

from samevent.cli.train.encoder import encoder_cli
from samevent.cli.train.extractor import extractor_cli
from samevent.cli.train.roles import roles_cli
from samevent.cli.train.similarity import similarity_cli
from samevent.cli.train.whole import all_cli


@click.group("train")
def train_cli() -> None:
    """Train a part of a model on annotated data."""


for _command in (roles_cli, extractor_cli, similarity_cli, encoder_cli, all_cli):
    train_cli.add_command(_command)
