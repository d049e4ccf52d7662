"""`samevent demo [-o OUT]`."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from samevent.cli.common import PATH, force_option, say, seed_option, stages
from samevent.cli.run import print_summary, print_tables


@click.command("demo")
@click.option(
    "-o",
    "--output",
    "target",
    metavar="OUT",
    type=PATH,
    default="samevent-demo",
    show_default=True,
    help="The folder to write.",
)
@click.option("--open", "open_report", is_flag=True, help="Open the report in a browser.")
@seed_option
@force_option
def demo_cli(target: Path, open_report: bool, seed: int, force: bool) -> None:
    """Resolve the short articles that come with the package, in seconds.

    They were written for this purpose, with gold events; the score against these is printed at the end.
    """
    from samevent.demo import articles, gold
    from samevent.model import Options
    from samevent.runs import run
    from samevent.scoring import score

    with stages() as watch:
        result = run(articles, target, Options(seed=seed), overwrite=force, watch=watch, tell=say)
    print_tables(result)
    print_summary(result, target)
    scores = score(gold(), result.corpus, unit="corpus", singletons="drop")
    say(f"against the gold events: CoNLL {scores.conll:.1%}")
    if open_report:
        webbrowser.open((target / "report.html").absolute().as_uri())
