"""`samevent explain OUT A B`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samevent.cli.common import PATH, emit_json, force_option, json_option
from samevent.errors import printable

if TYPE_CHECKING:
    from samevent.corpus import Corpus, Mention
    from samevent.results import Result
    from samevent.similarity.explanation import Explanation


SHOWN = 14
"""How many reasons are printed, the strongest first."""


@click.command("explain")
@click.argument("folder", metavar="OUT", type=PATH)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--model", help="The folder of the run's model, if it was not a shipped one.")
@json_option
@force_option
def explain_cli(
    folder: Path, first: str, second: str, model: str | None, json_file: Path | None, force: bool
) -> None:
    """Explain why two mentions of a run refer to the same event, or to different ones.

    OUT is the folder of a run; A and B are ids of mentions, as in mentions.csv.
    """
    from samevent.runs import open_run

    explanation = explain_pair(open_run(folder, model=model), first, second)
    if json_file:
        emit_json(explanation, json_file, force=force)
    else:
        click.echo("\n".join(map(printable, explanation["text"].split("\n"))))


def explain_pair(result: Result, first: str, second: str) -> dict[str, Any]:
    """Return what is known about a pair: P(same event), what the pair model says, and what each feature adds."""
    probability, explanation = result.probability(first, second), result.explain(first, second)
    known = {m.id: m for m in result.corpus.mentions("action")}
    events = known[first].event, known[second].event
    return {
        "first": first,
        "second": second,
        "same_event": events[0] is not None and events[0] == events[1],
        "events": events,
        "probability": round(probability, 4),
        "similarity": round(explanation.probability, 4),
        "contributions": [
            {"feature": c.feature, "about": c.about, "added": round(c.added, 4)}
            for c in explanation.contributions
        ],
        "intercept": round(explanation.intercept, 4),
        "text": _text(result.corpus, known[first], known[second], probability, explanation),
    }


def _text(corpus: Corpus, a: Mention, b: Mention, probability: float, explanation: Explanation) -> str:
    together = a.event is not None and a.event == b.event
    verdict = f"both refer to event {a.event}" if together else "they are in different events"
    shown, others = explanation.contributions[:SHOWN], explanation.contributions[SHOWN:]
    rest = (
        f"  {sum(c.added for c in others):+.2f}  {len(others)} smaller reasons, together (--json lists them)"
    )
    return "\n".join(
        [
            _quoted(corpus, a),
            _quoted(corpus, b),
            "",
            f"The pair alone: {explanation.probability:.2f}. With all the evidence: {probability:.2f}; {verdict}.",
            "What speaks for and against the pair alone being the same event:",
            *(f"  {c.added:+.2f}  {c.about}" for c in shown),
            *([rest] if others else []),
            f"  {explanation.intercept:+.2f}  to begin with: most pairs are different events",
        ]
    )


def _quoted(corpus: Corpus, mention: Mention) -> str:
    from samevent.results.result import sentence_of

    document = corpus[mention.document]
    start, end = sentence_of(document, mention)
    before, after = document.text[start : mention.char_start], document.text[mention.char_end : end]
    sentence = " ".join(f"{before}[{mention.text}]{after}".split())
    return f"{mention.id}\n  {sentence}"
