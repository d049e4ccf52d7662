"""`samevent report OUT`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import PATH, say


@click.command("report")
@click.argument("folder", metavar="OUT", type=PATH)
def report_cli(folder: Path) -> None:
    """Write the report of a run again, from its result.jsonl and run.json."""
    from samevent.runs import REPORT_FILE, open_run

    for page in open_run(folder).to_html(folder / REPORT_FILE, overwrite=True):
        say(f"wrote {page}")
