"""The list of events, and one article an event: its mentions in their sentences and why they are here."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from samevent.report.chips import chips
from samevent.report.index import Index, Links, name
from samevent.report.markup import Safe, html
from samevent.report.members import Members
from samevent.report.parts import bar
from samevent.report.words import DOUBTFUL, brief, extent
from samevent.results import Event, Member


def row(event: Event, index: Index, links: Links) -> Safe:
    """Return an event as a line of the list."""
    return html(
        "li",
        html(
            "a",
            html("b", event.label),
            html("small", extent(event, brief) if len(event) > 1 else _whereabouts(event, index)),
            bar(event.probability),
            href=links.to(index.lead(event)),
        ),
        class_=index.colour(event),
    )


def row_keys(event: Event, index: Index) -> list[Any]:
    """Return what the script sorts and filters by: size, documents, first date, confidence, reading order."""
    sure = event.probability
    return [
        len(event),
        len(event.documents),
        event.dates[0] if event.dates else "",
        round(sure, 3) if sure is not None else None,
        index.number(event),
    ]


def article(event: Event, index: Index, links: Links, *, quoted: int) -> Safe:
    """Return all that is known of an event; `quoted` of its mentions are shown in their sentences, the others named."""
    doubtful = [member for member in event.doubtful if _doubts(member)]
    sure = [member for member in event.members if not _doubts(member)]
    left = max(0, quoted - len(doubtful))
    write = Members(index, links)
    return html(
        "article",
        html(
            "header",
            html("p", event.id, " · ", extent(event), " ", bar(event.probability), class_="eyebrow"),
            html("h3", event.label),
            chips(event, index),
        ),
        write.doubtful(doubtful[:quoted]) if doubtful else None,
        (
            write.group(index.result.corpus[document], list(group))
            for document, group in groupby(sure[:left], key=lambda member: member.mention.document)
        ),
        write.named([*doubtful[quoted:], *sure[left:]]),
        id=index.event(event),
        class_=index.colour(event),
        tabindex=-1,
    )


def _doubts(member: Member) -> bool:
    return member.probability is not None and member.probability < DOUBTFUL


def _whereabouts(event: Event, index: Index) -> str:
    documents = ", ".join(name(index.result.corpus[document]) for document in event.documents)
    return " · ".join(part for part in (documents, brief(event.dates)) if part)
