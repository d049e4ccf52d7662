"""The mentions of an event: each in its sentence, how sure it is, and what it is most like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from samevent.corpus import Document, Mention
from samevent.report.index import Index, Links, name
from samevent.report.marks import Mark, marked, stretches
from samevent.report.markup import Child, Safe, html, together
from samevent.report.parts import bar
from samevent.report.words import probability, spelled
from samevent.results import Member

WIDTH = 320
"""How many characters of a sentence are shown on each side of a mention."""


class Members:
    """Writes members of events."""

    def __init__(self, index: Index, links: Links) -> None:
        self._index, self._links = index, links

    def doubtful(self, members: Iterable[Member]) -> Safe:
        """Return the members that are probably wrong here."""
        return html(
            "section",
            html("h4", "Doubtful", html("small", "less likely than not to be the same event as the others")),
            html("ol", (self._item(member, named=True) for member in members)),
            class_="doubtful",
        )

    def group(self, document: Document, members: Iterable[Member]) -> Safe:
        """Return the members in one document."""
        date = self._index.result.dates[document.id]
        title = html("a", name(document), href=self._links.to(self._index.document(document.id)))
        return html(
            "section",
            html("h4", title, html("small", spelled(date)) if date else None),
            html("ol", map(self._item, members)),
        )

    def named(self, members: Sequence[Member]) -> Safe | None:
        """Return members by their words only, which lead to their places; the script makes items of them."""
        if not members:
            return None
        words: list[Child] = []
        for member in members:
            sure = "" if member.probability is None else f" {probability(member.probability)}"
            words += [self._link(member.mention), sure, " "]
        return html("p", words, class_="more")

    def _item(self, member: Member, *, named: bool = False) -> Safe:
        """Return a member: how sure it is, where it is, and what it is most like."""
        mention = member.mention
        document = self._index.result.corpus[mention.document]
        told = [html("cite", name(document))] if named else []
        told += self._why(member)
        return html(
            "li",
            html(
                "a", bar(member.probability) or "read", href=self._links.to(self._index.mention(mention.id))
            ),
            html("q", sentence(document, mention, self._index)),
            html("small", told) if told else None,
        )

    def _why(self, member: Member) -> list[Safe]:
        why = member.why
        if why is None or why.mention not in self._index.mentions:
            return []
        best = next((f": {reason.about}" for reason in why.reasons if reason.added > 0), "")
        return [html("span", "closest to ", self._link(self._index.mentions[why.mention]), best)]

    def _link(self, mention: Mention) -> Safe:
        return html("a", mention.text, href=self._links.to(self._index.mention(mention.id)))


def sentence(document: Document, mention: Mention, index: Index) -> Safe:
    """Return the sentence of a mention, with the mention and its arguments marked."""
    tokens = document.tokens
    whole = document.sentences[document.sentence_of(mention.start)]
    first, last = tokens[whole.start].start, max(tokens[whole.end - 1].end, mention.char_end)
    start, end = first, last
    if mention.char_start - start > WIDTH:
        start = next(t.start for t in tokens[whole.start :] if t.start >= mention.char_start - WIDTH)
    if end - mention.char_end > WIDTH:
        end = max(t.end for t in tokens[mention.end - 1 : whole.end] if t.end <= mention.char_end + WIDTH)
    marks = [
        Mark(stretches(document, index.fillers[argument.mention]), lambda piece: html("i", piece))
        for argument in mention.arguments
        if argument.mention in index.fillers
    ]
    # Listed last, because the last of marks of the same length is seen.
    marks.append(Mark(stretches(document, mention), lambda piece: html("mark", piece)))
    shown = marked(document.text, start, end, marks)
    return together(["… " if start > first else None, shown, " …" if end < last else None])
