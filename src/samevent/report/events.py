"""The list of events, and one article per event: arguments, mentions in their sentences, and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from samevent.corpus import Document, Mention
from samevent.events import Event, Member
from samevent.report.comparison import Spans, compare
from samevent.report.index import Index, name
from samevent.report.markup import Child, Safe, html, together
from samevent.report.parts import (
    DOUBTFUL,
    Mark,
    bar,
    brief,
    counted,
    extent,
    judged,
    marked,
    probability,
    spelled,
    stretches,
)

QUESTIONS = ("who", "whom or what", "when", "where", "also named")
"""What the arguments of an event answer, in the order of the report."""

MAX_ANSWERS = 5
"""How many answers to one question are shown."""

CONTEXT = 320
"""How many characters of a sentence are shown on each side of a mention."""


def row(event: Event, index: Index) -> Safe:
    """Return an event as a line of the list."""
    return html(
        "li",
        html(
            "a",
            html("b", event.label),
            html("small", extent(event, brief) if len(event) > 1 else _documents_and_dates(event, index)),
            judged(event),
            href=f"#{index.lead(event)}",
        ),
        class_=index.colour(event),
    )


def row_keys(event: Event, index: Index) -> list[Any]:
    """Return what the script sorts and filters by: size, documents, first date, confidence, order, weight, part."""
    confidence = event.probability
    return [
        len(event),
        event.distinct_documents,
        event.dates[0] if event.dates else "",
        round(confidence, 3) if confidence is not None else None,
        index.number(event),
        round(event.weight, 3),
        int(event.background),
    ]


def article(event: Event, index: Index, *, quoted: int) -> Safe:
    """Return the article of an event; `quoted` of its mentions stand in their sentences, the others are named."""
    doubtful = [member for member in event.doubtful if _is_doubtful(member)]
    confident = [member for member in event.members if not _is_doubtful(member)]
    left = max(0, quoted - len(doubtful))
    return html(
        "article",
        html(
            "header",
            html("p", event.id, " · ", extent(event), " ", judged(event), class_="eyebrow"),
            html("h3", event.label),
            _arguments(event, index),
        ),
        _alternative(event, index),
        _doubtful(doubtful[:quoted], index) if doubtful else None,
        (
            _group(index.result.corpus[document], group, index)
            for document, group in groupby(confident[:left], key=lambda member: member.mention.document)
        ),
        _named([*doubtful[quoted:], *confident[left:]], index),
        id=index.event(event),
        class_=index.colour(event),
        tabindex=-1,
    )


def _is_doubtful(member: Member) -> bool:
    return member.probability is not None and member.probability < DOUBTFUL


def _documents_and_dates(event: Event, index: Index) -> str:
    documents = ", ".join(map(index.name, event.documents))
    return " · ".join(part for part in (documents, brief(event.dates)) if part)


def _arguments(event: Event, index: Index) -> Safe | None:
    """Return the questions that the arguments of an event answer, with the most frequent answers."""
    answers = _answers(event, index)
    if "who" in answers or "whom or what" in answers:
        answers.pop("also named", None)
    if not answers:
        return None
    return html("dl", (_answer(asked, answers[asked]) for asked in QUESTIONS if asked in answers))


def _answer(asked: str, answers: Counter[str]) -> list[Safe]:
    shown = [
        html("b", text, html("i", count) if count > 1 else None)
        for text, count in answers.most_common(MAX_ANSWERS)
    ]
    more = len(answers) - len(shown)
    return [
        html("dt", asked),
        html("dd", shown, html("small", f"and {counted(more, 'other')}") if more else None),
    ]


def _answers(event: Event, index: Index) -> dict[str, Counter[str]]:
    """Count the arguments by question, under their first spelling."""
    answers: dict[str, Counter[str]] = {}
    spelling: dict[str, str] = {}
    for mention in event.mentions:
        for argument in mention.arguments:
            filler = index.fillers(mention.document).get(argument.mention)
            if filler is None:
                continue
            text = spelling.setdefault(filler.text.casefold(), " ".join(filler.text.split()))
            answers.setdefault(_question(filler, argument.role), Counter())[text] += 1
    return answers


def _question(filler: Mention, role: str | None) -> str:
    """Return the question that an argument answers, from its kind and, among participants, its role."""
    match filler.kind:
        case "time":
            return "when"
        case "location":
            return "where"
        case _:
            return "also named" if role is None else "who" if role in ("ARG0", "A0") else "whom or what"


def _alternative(event: Event, index: Index) -> Safe | None:
    """Return the mentions that may be another event, by their words."""
    other = event.belief.alternative if event.belief else None
    if other is None:
        return None
    words: list[Child] = []
    for id in other.mentions:
        if id in index.mentions:
            words += [_link(index.mentions[id], index), " "]
    several = len(other.mentions) > 1
    which = f"these {len(other.mentions)} mentions are" if several else "this mention is"
    return html(
        "p", f"{probability(other.probability)} that {which} another event: ", words, class_="perhaps"
    )


def _doubtful(members: Iterable[Member], index: Index) -> Safe:
    """Return the members that probably do not belong here."""
    return html(
        "section",
        html("h4", "Doubtful", html("small", "less likely than not to be the same event as the others")),
        html("ol", (_item(member, index, with_document=True) for member in members)),
        class_="doubtful",
    )


def _group(document: Document, members: Iterable[Member], index: Index) -> Safe:
    """Return the members in one document."""
    date = index.result.dates[document.id]
    title = html("a", name(document), href=f"#{index.document(document.id)}")
    return html(
        "section",
        html("h4", title, html("small", spelled(date)) if date else None),
        html("ol", (_item(member, index) for member in members)),
    )


def _named(members: Sequence[Member], index: Index) -> Safe | None:
    """Return members by their words only, linked to their places; the script expands them to items."""
    if not members:
        return None
    words: list[Child] = []
    for member in members:
        confidence = "" if member.probability is None else f" {probability(member.probability)}"
        words += [_link(member.mention, index), confidence, " "]
    return html("p", words, class_="more")


def _item(member: Member, index: Index, *, with_document: bool = False) -> Safe:
    """Return a member: its probability, its sentence, and the mention it is closest to."""
    mention = member.mention
    document = index.result.corpus[mention.document]
    notes = [html("cite", name(document))] if with_document else []
    notes += _why(member, index)
    return html(
        "li",
        html("a", bar(member.probability) or "read", href=f"#{index.mention(mention.id)}"),
        html("q", sentence(document, mention, index)),
        html("small", notes) if notes else None,
    )


def _why(member: Member, index: Index) -> list[Safe]:
    why = member.why
    if why is None or why.mention not in index.mentions:
        return []
    closest = index.mentions[why.mention]
    agreed = "; ".join(point.words for point in compare(member.mention, closest, index) if point.agrees)
    return [html("span", "closest to ", _link(closest, index), f": {agreed}" if agreed else None)]


def _link(mention: Mention, index: Index) -> Safe:
    return html("a", mention.text, href=f"#{index.mention(mention.id)}")


def sentence(
    document: Document, mention: Mention, index: Index, agreeing: Spans = (), contradicting: Spans = ()
) -> Safe:
    """Return the sentence of a mention, with the mention and its arguments marked, and what agrees or contradicts."""
    tokens = document.tokens
    whole = document.sentences[document.sentence_of(mention.start)]
    first, last = tokens[whole.start].start, max(tokens[whole.end - 1].end, mention.char_end)
    start, end = first, last
    if mention.char_start - start > CONTEXT:
        start = next(t.start for t in tokens[whole.start :] if t.start >= mention.char_start - CONTEXT)
    if end - mention.char_end > CONTEXT:
        end = max(t.end for t in tokens[mention.end - 1 : whole.end] if t.end <= mention.char_end + CONTEXT)
    fillers = index.fillers(document.id)
    marks = [
        Mark(stretches(document, fillers[argument.mention]), lambda piece: html("i", piece))
        for argument in mention.arguments
        if argument.mention in fillers
    ]
    for spans, kind in ((agreeing, "agree"), (contradicting, "against")):
        marks += [Mark((span,), partial(html, "ins", class_=kind)) for span in spans]
    # Listed last, because among marks of the same length the last one is visible.
    marks.append(Mark(stretches(document, mention), lambda piece: html("mark", piece)))
    shown = marked(document.text, start, end, marks)
    return together(["… " if start > first else None, shown, " …" if end < last else None])
