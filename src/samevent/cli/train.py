"""`samevent train PART DATA -o MODEL`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import PATH, force_option, say


@click.group("train")
def train_cli() -> None:
    """Learn a part of a model from annotated data."""


@train_cli.command("roles")
@click.argument("data", type=PATH)
@click.option("-o", "--output", metavar="MODEL", type=PATH, required=True, help="The model's folder.")
@click.option(
    "--examples",
    type=PATH,
    metavar="ZIP",
    help="PropBank frame files, whose examples are learned from too. Default: those of the data folder, if there.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Same seed, same bytes.")
@force_option
def roles_cli(data: Path, output: Path, examples: Path | None, seed: int, force: bool) -> None:
    """Train the role labeller on PropBank data (the folder or file DATA) and write it into MODEL."""
    from samevent.language.cache import Cache
    from samevent.language.resources import ROLES_FILE
    from samevent.language.roles.training import Settings, train_file

    output.mkdir(parents=True, exist_ok=True)
    train_file(
        data,
        output / ROLES_FILE,
        examples=examples,
        settings=Settings(seed=seed),
        cache=Cache(),
        overwrite=force,
        progress=say,
    )
    say(f"wrote {output / ROLES_FILE}")
