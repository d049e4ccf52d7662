"""`samevent demo [-o OUT]`."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from samevent.cli.common import PATH, emit_table, force_option, say
from samevent.cli.run import conclude, run

if TYPE_CHECKING:
    from samevent.results import Result

SHOWN = 12
"""How many events the table has."""


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
@click.option("--open", "look", is_flag=True, help="Open the report in a browser.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same events.")
@force_option
def demo_cli(target: Path, look: bool, seed: int, force: bool) -> None:
    """Resolve the short articles that come with the package, in seconds.

    They were written for this purpose, with gold events beside them: the score against these is printed in the end.
    """
    from samevent.demo import articles, gold
    from samevent.model import Options
    from samevent.scoring import score

    result = run(articles, target, Options(seed=seed), model="en-news", force=force)
    show_events(result)
    conclude(result, target)
    found = score(gold(), result.corpus, unit="corpus", singletons="drop")
    say(f"against the gold events: CoNLL {found.conll:.1%}" if found else "")
    if look:
        webbrowser.open((target / "report.html").absolute().as_uri())


def show_events(result: Result, count: int = SHOWN) -> None:
    """Print the largest events as a table."""
    emit_table(
        "Largest events",
        ["event", "mentions", "documents", "P(same event)"],
        [
            (event.label, str(len(event)), str(len(event.documents)), f"{event.probability or 1:.2f}")
            for event in result.events.largest(count)
        ],
    )
