"""`samevent review OUT`."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from samevent.cli.common import PATH, jobs_option, model_option, say, stages


@click.command("review")
@click.argument("folder", metavar="OUT", type=PATH)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port to listen on. Default: any free one."
)
@click.option("--no-open", is_flag=True, help="Open no browser; only print the address.")
@click.option("--apply", "applied", is_flag=True, help="Resolve OUT again with its decisions, then exit.")
@model_option
@jobs_option
def review_cli(folder: Path, port: int, no_open: bool, applied: bool, model: str, jobs: int) -> None:
    """Look at a finished run in the browser, and correct it.

    OUT is the folder that samevent run wrote. Its report is served to this machine alone, under a secret address.
    Every decision (same event, not the same, split, not an event, rename) is added to OUT/corrections.jsonl at once.
    Ctrl-C ends the review; --apply, or samevent run --corrections, then holds the decisions exactly.
    """
    given = click.get_current_context().get_parameter_source("model") is not ParameterSource.DEFAULT
    if applied:
        from samevent.cli.run import print_summary
        from samevent.runs import open_run
        from samevent.updates import apply_corrections

        with stages() as watch:
            done = apply_corrections(folder, model=model if given else None, jobs=jobs, watch=watch, tell=say)
        if done.mentions:
            print_summary(open_run(folder), folder)
        return
    from samevent.review import ReviewServer, Session

    with (
        Session(folder, model=model if given else None) as session,
        ReviewServer(session, port=port) as server,
    ):
        if session.torn:
            say(f"{session.file}: the last line was cut short by a crash and is left out")
        say(f"review at {server.address}")
        say("every decision is saved at once; Ctrl-C ends the review")
        if not no_open:
            click.launch(server.address)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            say(session.summary)
            if session.decisions:
                say(f"apply them: samevent review {folder} --apply")
