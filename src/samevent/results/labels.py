"""A label for an event that people can read: who did what to whom, where and when.

Every mention of an event words it in its own way. The label takes the wording that most mentions share, verbs
before nouns, and fills it with the participants that most of them name. They stand where the text puts them: *Sudan
bombs Yida*, *Cheeks fired by 76ers*, *attack on Yida*. What has no place there follows: *· South Sudan · Thursday*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from samevent.corpus import Document, Mention
from samevent.results.phrases import stems_of
from samevent.results.voting import Part, Poll, chosen_wording
from samevent.results.wording import Wording, told

LONGEST = 80
"""How many characters a label may have."""
_BETWEEN = " · "


def event_label(mentions: Sequence[tuple[Mention, Document]], arguments: Mapping[str, Mention]) -> str:
    """Return who did what, where and when, from the mentions of an event; `arguments` are mentions by their ids."""
    tellings = [told(mention, document, arguments) for mention, document in mentions]
    first, *rest = _parts(Poll(tellings, chosen_wording(tellings)))
    label = shortened(first)
    for part in rest:
        longer = f"{label}{_BETWEEN}{part}"
        if len(longer) <= LONGEST and not stems_of(part) <= stems_of(label):
            label = longer
    return label


def shortened(text: str, width: int = LONGEST) -> str:
    """Cut text that is too long, at the end of a word.

    >>> shortened("Sudan bombs the Yida refugee camp", 20)
    'Sudan bombs the…'
    """
    if len(text) <= width:
        return text
    return (text[:width].rpartition(" ")[0] or text[: width - 1]).rstrip(" ,") + "…"


def _parts(poll: Poll) -> Iterator[str]:
    """Go through what could be said, what matters most first; an empty part says nothing."""
    who, whom, third = poll.cast()
    if poll.wording.verb:
        yield _verb_clause(poll.wording, who, whom, third)
    else:
        yield from _noun_clause(poll.wording, who, whom)
    if not who and not whom:
        yield poll.name()
    yield poll.place()
    yield poll.time()


def _verb_clause(wording: Wording, who: Part | None, whom: Part | None, third: Part | None) -> str:
    front, back = who, whom
    if wording.passive:
        front, back = whom, who and replace(who, link="by")
    elif whom and _is_subject(whom, who, wording):
        front, back = whom, None
    if not back and third and not third.before:
        back = third
    return " ".join([*([front.text] if front else []), wording.text, *([back.linked] if back else [])])


def _is_subject(whom: Part, who: Part | None, wording: Wording) -> bool:
    """Say whether the verb follows, as in *ratings plunged*; and *people killed* is said of who *killed people*."""
    if who:
        return whom.before and not who.own
    return whom.before or (wording.words.endswith("ed") and not whom.link)


def _noun_clause(wording: Wording, who: Part | None, whom: Part | None) -> Iterator[str]:
    """Go through a noun together with what stands beside it, then the names that do not."""
    known = [part for part in (whom, who) if part]
    front = next((part for part in known if part.adjoins and part.before), None)
    back = [part for part in known if part.adjoins and not part.before]
    yield " ".join([*([front.text] if front else []), wording.text, *(part.linked for part in back)])
    yield from (part.text for part in known if part.name and part is not front and part not in back)
