"""`samevent explain OUT A B`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samevent.cli.common import PATH, emit_json, force_option, json_option
from samevent.corpus import Corpus, Mention

if TYPE_CHECKING:
    from samevent.similarity.explanation import Explanation


@click.command("explain")
@click.argument("folder", metavar="OUT", type=PATH)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--model", help="The model's folder, if the run's was not a shipped one.")
@json_option
@force_option
def explain_cli(
    folder: Path, first: str, second: str, model: str | None, json_file: Path | None, force: bool
) -> None:
    """Say why two mentions of a run were found to tell of the same event, or of different ones.

    OUT is the folder of a run; A and B are ids of mentions, as in mentions.csv.
    """
    found = explained(folder, first, second, model=model)
    if json_file:
        emit_json(found, json_file, force=force)
        return
    click.echo(found.pop("text"))


def explained(folder: Path, first: str, second: str, *, model: str | None = None) -> dict[str, Any]:
    """Return what is known of a pair: P(same event), what the pair model says, and what each feature adds."""
    from samevent.runs import open_run

    result = open_run(folder, model=model)
    probability, found = result.probability(first, second), result.explain(first, second)
    known = {m.id: m for m in result.corpus.mentions("action")}
    events = known[first].event, known[second].event
    return {
        "first": first,
        "second": second,
        "same_event": events[0] is not None and events[0] == events[1],
        "events": events,
        "probability": round(probability, 4),
        "similarity": round(found.probability, 4),
        "contributions": [
            {"feature": c.feature, "about": c.about, "added": round(c.added, 4)} for c in found.contributions
        ],
        "intercept": round(found.intercept, 4),
        "text": told(result.corpus, known[first], known[second], probability, found),
    }


def told(corpus: Corpus, first: Mention, second: Mention, probability: float, found: Explanation) -> str:
    """Say it to a person."""
    together = first.event is not None and first.event == second.event
    verdict = f"both tell of event {first.event}" if together else "they were put into different events"
    lines = [_quoted(corpus, first), _quoted(corpus, second), ""]
    lines.append(f"P(same event) is {probability:.2f}: {verdict}.")
    lines.append(
        f"The pair alone, other mentions aside, looks the same with {found.probability:.2f}, because of"
    )
    lines += [f"  {c.added:+.2f}  {c.about}" for c in found.contributions]
    lines.append(f"  {found.intercept:+.2f}  to begin with: most pairs tell of different events")
    return "\n".join(lines)


def _quoted(corpus: Corpus, mention: Mention) -> str:
    from samevent.results.result import sentence_of

    document = corpus[mention.document]
    start, end = sentence_of(document, mention)
    before, after = document.text[start : mention.char_start], document.text[mention.char_end : end]
    sentence = " ".join(f"{before}[{mention.text}]{after}".split())
    return f"{mention.id}\n  {sentence}"
