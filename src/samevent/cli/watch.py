"""`samevent watch FOLDER -o OUT`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    encoding_option,
    from_option,
    jobs_option,
    model_option,
    output_option,
    preset_option,
    say,
    seed_option,
    set_option,
    stages,
)
from samevent.cli.run import print_update


@click.command("watch")
@click.argument("folder", metavar="FOLDER", type=PATH)
@output_option("OUT", "The run to write, or to add to.")
@preset_option("Settings of the first run.")
@seed_option
@set_option
@click.option(
    "--every", type=click.FloatRange(0.1), default=10.0, show_default=True, metavar="SECONDS",
    help="How often to look for files.",
)  # fmt: skip
@click.option(
    "--settle", type=click.FloatRange(0), default=5.0, show_default=True, metavar="SECONDS",
    help="Read files that have not changed for this long.",
)  # fmt: skip
@click.option("--once", is_flag=True, help="Look once, then exit.")
@from_option("the files")
@jobs_option
@model_option
@encoding_option
def watch_cli(
    folder: Path,
    target: Path,
    preset: str,
    seed: int,
    assignments: tuple[str, ...],
    every: float,
    settle: float,
    once: bool,
    read_as: str | None,
    jobs: int,
    model: str,
    encoding: str | None,
) -> None:
    """Add documents to a run whenever files arrive in a folder.

    The first files make the run; its preset, seed and settings hold from then on. Later ones are added as by
    `samevent run --update`. OUT is whole at any time, and a watch that was killed goes on when it is started again.
    """
    from samevent.model import Options
    from samevent.settings import assignment
    from samevent.updates.watching import Watcher, keep_watching

    options = Options(preset=preset, settings=dict(map(assignment, assignments)), seed=seed)
    with stages() as show:
        watcher = Watcher(
            folder, target, options, model=model, settle=settle, format=read_as, encoding=encoding, jobs=jobs,
            tell=say, watch=show,
        )  # fmt: skip
        looks = iter([False, True]) if once else iter(lambda: False, None)
        keep_watching(
            watcher, every=0 if once else every, done=lambda done: print_update(done, target),
            stop=lambda: next(looks),
        )  # fmt: skip
