"""Who, whom, when and where: what the mentions of an event name, counted."""

from __future__ import annotations

from collections import Counter

from samevent.report.index import Index
from samevent.report.markup import Safe, html
from samevent.report.words import ASKED, asked, counted
from samevent.results import Event

CHIPS = 5
"""How many answers to one question are shown."""


def chips(event: Event, index: Index) -> Safe | None:
    """Return the questions that the arguments of an event answer, with the answers given most often."""
    answers = _answers(event, index)
    if "who" in answers or "whom or what" in answers:
        answers.pop("also named", None)
    if not answers:
        return None
    return html("dl", (_answer(question, answers[question]) for question in ASKED if question in answers))


def _answer(question: str, found: Counter[str]) -> list[Safe]:
    shown = [
        html("b", text, html("i", count) if count > 1 else None) for text, count in found.most_common(CHIPS)
    ]
    more = len(found) - len(shown)
    return [
        html("dt", question),
        html("dd", shown, html("small", f"and {counted(more, 'other')}") if more else None),
    ]


def _answers(event: Event, index: Index) -> dict[str, Counter[str]]:
    """Count who, whom, when and where its mentions name, under the spelling that comes first."""
    found: dict[str, Counter[str]] = {}
    spelling: dict[str, str] = {}
    for mention in event.mentions:
        for argument in mention.arguments:
            filler = index.fillers.get(argument.mention)
            if filler is None:
                continue
            text = spelling.setdefault(filler.text.casefold(), " ".join(filler.text.split()))
            found.setdefault(asked(filler, argument.role), Counter())[text] += 1
    return found
