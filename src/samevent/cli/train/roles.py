"""`samevent train roles DATA -o MODEL`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    force_option,
    say,
)
from samevent.cli.train.common import output_option


@click.command("roles")
@click.argument("data", type=PATH)
@output_option
@click.option(
    "--examples",
    type=PATH,
    metavar="ZIP",
    help="PropBank frame files with more training examples. Default: those of the data folder, if any.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Same seed, same bytes.")
@force_option
def roles_cli(data: Path, output: Path, examples: Path | None, seed: int, force: bool) -> None:
    """Train the role labeller on PropBank data (the folder or file DATA) and write it into MODEL."""
    from samevent.language.cache import Cache
    from samevent.language.resources import ROLES_FILE
    from samevent.language.roles.training import RoleSettings, train_file
    from samevent.training import Source, enter_files

    output.mkdir(parents=True, exist_ok=True)
    train_file(
        data,
        output / ROLES_FILE,
        examples=examples,
        settings=RoleSettings(seed=seed),
        cache=Cache(),
        overwrite=force,
        progress=say,
    )
    enter_files(output, {ROLES_FILE: Source(data.name)})
    say(f"wrote {output / ROLES_FILE}")
