"""A readable label for an event: the clause of one of its mentions.

The label says what one sentence says and is never put together from several. The mention is chosen that words the event
as most others do, names the participants that most others name, says who did or underwent it, and stands in a headline
or a lead; a denial only if most mentions deny the event. Names are written in their fullest form, and the place and the
date that the mention's own arguments refer to follow: *Jets bombed Yida · South Sudan · 10 Nov 2011*; not if the
mentions together say that it was elsewhere or on another day. Of equal clauses that with the place and date of most
mentions counts, then the longer one, then the words, so the order of the mentions does not matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from samevent.corpus import Document, Entity, Mention
from samevent.corpus.mention import named_participants
from samevent.corpus.reference import Reference, common_when, common_where
from samevent.similarity.stemming import stem

LONGEST = 90
"""The length of a label in characters, at most."""
LEAD = 4
"""How many sentences count as headline and first paragraph."""
_PRONOUNS = frozenset(
    "i we you he she it they who his her its their our my your this that these those there what which him them "
    "one some someone everyone anyone all".split()
)
_UNNAMED = frozenset("he she it they him them me us this that these those".split())
"""Pronouns that stand for somebody or something inside a clause."""
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_OPEN = frozenset(
    "if whether unless to without was were is are did do does has have had will would could".split()
)
"""First words of clauses that ask, or do not say that something happened."""
_BEING = frozenset("is are was were be been being am 's 're".split())
_PREPOSITIONS = frozenset("at by for from in into of on outside over to with".split())
_ARTICLES = frozenset("a an the his her its their our".split())
_LONGER = 3
"""A fuller name adds at most so many words: more are a headline that was taken for a name."""
_SMALL = frozenset("of the and for in de la van von bin al".split())
"""Words inside names that are not written with a capital."""


class Candidate(NamedTuple):
    """What one mention offers as a label of its event.

    `word` is the stem of its head, `named` are its arguments by their last words, `place` its sentence. `refers` is
    what it refers to, `who` are the named entities among its arguments. It is `told` if it says who did or underwent
    what happened.
    """

    text: str
    word: str
    named: frozenset[str]
    place: int
    negated: bool = False
    refers: Reference | None = None
    told: bool = False
    who: tuple[Entity, ...] = ()


def candidate(mention: Mention, document: Document, known: Mapping[str, Mention]) -> Candidate:
    """Return what a mention offers; `known` are the mentions of its document by id."""
    head = document.tokens[mention.end - 1 if mention.head is None else mention.head].text
    fillers = [known[argument.mention] for argument in mention.arguments]
    named = frozenset(
        last
        for filler in fillers
        if filler.kind == "participant" and (last := _last_word(filler.text)) not in _PRONOUNS
    )
    words = (document.tokens[token].text for token in mention.tokens)
    text = " ".join((mention.clause or " ".join(words)).split()) or "…"
    told = mention.clause is not None and _is_told(text, head, named)
    for filler in fillers:
        if filler.refers and filler.refers.entity:
            text = _named_fully(text, " ".join(filler.text.split()), filler.refers.entity.name)
    place = document.sentence_of(mention.start)
    who = named_participants(mention, known)
    return Candidate(text, stem(head.casefold()), named, place, mention.negated, mention.refers, told, who)


def label_of(candidates: Sequence[Candidate]) -> str:
    """Return the label of an event from what its mentions offer."""
    words = Counter(each.word for each in candidates)
    named = Counter(name for each in candidates for name in each.named)
    denied = 2 * sum(each.negated for each in candidates) > len(candidates)

    about = Counter(part for each in candidates for part in _about(each.refers))

    def order(each: Candidate) -> tuple[bool, float, int, int, str]:
        fitness = _fitness(each, words, named, len(candidates))
        usual = sum(about[part] for part in _about(each.refers))
        return each.negated != denied, -fitness, -usual, -len(each.text), each.text

    best = min(candidates, key=order)
    label = shortened(_capitalised(best.text))
    for part in _about(_agreed(best.refers, [each.refers for each in candidates])):
        longer = f"{label} · {part}"
        if len(longer) <= LONGEST and part not in label:
            label = longer
    return label


def _fitness(each: Candidate, words: Counter[str], named: Counter[str], count: int) -> float:
    """Return how well a candidate stands for all."""
    lower = each.text.casefold()
    tokens = lower.split()
    head = next((at for at, token in enumerate(tokens) if stem(token) == each.word), 0)
    inside = sorted((named[name] / count for name in each.named if name in lower), reverse=True)[:2]
    fitness = 2.0 * words[each.word] / count + sum(0.5 + share for share in inside)
    if each.place < LEAD:
        fitness += 0.75 if each.place == 0 else 0.25
    if tokens and (tokens[0] in _PRONOUNS or tokens[0].partition("'")[0] in _PRONOUNS):
        fitness -= 1.0
    if tokens and tokens[0] in _OPEN:
        fitness -= 1.0
    if each.told:
        fitness += 0.75
    if _is_participle(tokens, head):
        fitness -= 0.5 if head == 0 else 1.0  # *injuring twelve people*: who or what did is not said
    if not _UNNAMED.isdisjoint(tokens[1:]):
        fitness -= 0.25
    if len(tokens) < 3:
        fitness -= 0.5
    if len(each.text) > LONGEST - 10 or each.text.endswith("…"):
        fitness -= 0.5
    return round(fitness, 6)


def _is_told(text: str, head: str, named: Iterable[str]) -> bool:
    """Return whether a clause names somebody or something before its head, which is no noun, as far as words tell.

    >>> _is_told("Thieves stole a crown", "stole", ["thieves"]), _is_told("Grell resigned", "resigned", ["grell"])
    (True, True)
    >>> _is_told("the Tarnvale quake", "quake", ["tarnvale"]), _is_told("Grell's arrest", "arrest", ["grell"])
    (False, False)
    """
    tokens = text.casefold().split()
    if (head := head.casefold()) not in tokens:
        return False
    at = tokens.index(head)
    before, last = tokens[:at], at == len(tokens) - 1
    if not before or before[-1].endswith(("'s", "’s", "s'", "s’")) or _is_participle(tokens, at):
        return False
    noun = last or (tokens[0] in _ARTICLES and tokens[at + 1] in _PREPOSITIONS)  # *the landing in the desert*
    verbal = not noun or head.endswith("ed") or not _BEING.isdisjoint(before)
    return verbal and any(name in before for name in named)


def _is_participle(tokens: Sequence[str], at: int) -> bool:
    """Return whether a word takes an object without saying who did it: *injuring twelve people*."""
    if not tokens[at].endswith("ing") or at + 1 == len(tokens) or tokens[at + 1] in _PREPOSITIONS:
        return False
    return at == 0 or tokens[at - 1] not in _BEING


def _named_fully(text: str, short: str, name: str) -> str:
    """Return text with a name in its fullest form, where it has only a part of it.

    >>> _named_fully("Grell resigned", "Grell", "Tobias Grell")
    'Tobias Grell resigned'
    >>> _named_fully("Oakmoor's shareholders voted", "Oakmoor", "Oakmoor Dairies")
    "Oakmoor Dairies' shareholders voted"
    >>> _named_fully("the mayor resigned", "mayor", "Tobias Grell")
    'the mayor resigned'
    >>> _named_fully("Apple Unveils Pro", "Pro", "Apple Unveils Macbook Pro")
    'Apple Unveils Pro'
    >>> _named_fully("many people were injured", "people", "five people")
    'many people were injured'
    """
    words, added = short.split(), [word for word in name.split() if word not in short.split()]
    if name in text or not set(words) < set(name.split()) or len(added) > _LONGER:
        return text
    if not all(word[0].isupper() or word in _SMALL for word in name.split()):
        return text  # no name: *five people* are not who the next sentence calls *people*
    if not set(added).isdisjoint(text.split()):
        return text  # no name either: the sentence has some of its words elsewhere
    own = r"(?P<own>['’]s\b)?"
    plural = name.endswith("s") and not short.endswith("s")

    def full(match: re.Match[str]) -> str:
        possessive = match["own"] or ""
        return name + (possessive[:1] if plural else possessive)

    return re.sub(rf"(?<!\w){re.escape(short)}(?!\w){own}", full, text, count=1)


def _about(refers: Reference | None) -> tuple[str, ...]:
    """Return the place and the date that a mention's own arguments state."""
    where, when = (refers.where, refers.when) if refers else (None, None)
    parts = []
    if where and where.source == "argument":
        parts.append(where.name)
    if when and when.source == "argument" and when.start and when.start == when.end:
        parts.append(_spelled(date.fromisoformat(when.start)))
    return tuple(parts)


def _agreed(refers: Reference | None, event: Sequence[Reference | None]) -> Reference | None:
    """Return the place and date of a mention as far as they do not contradict those of the event."""
    if refers is None:
        return None
    when, where = common_when(event), common_where(event)
    if when and refers.when and refers.when.start and not refers.when.duration:
        inside = (when.start or "") <= refers.when.start <= (when.end or "9999")
        refers = refers if inside else replace(refers, when=None)
    if where and refers.where and where.id and refers.where.id:
        inner, outer = sorted((where.path, refers.where.path), key=len, reverse=True)
        refers = refers if inner[-len(outer) :] == outer else replace(refers, where=None)
    return refers


def _spelled(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _last_word(text: str) -> str:
    return text.casefold().rpartition(" ")[2].strip()


def _capitalised(text: str) -> str:
    """Return text that begins with a capital, unless its first word has one elsewhere (*iPhone*).

    >>> _capitalised("jets bombed Yida"), _capitalised("eBay was sued")
    ('Jets bombed Yida', 'eBay was sued')
    """
    return text if not text.split(" ", 1)[0].islower() else text[0].upper() + text[1:]


def shortened(text: str, width: int = LONGEST) -> str:
    """Cut text that is too long, at the end of a word.

    >>> shortened("Sudan bombs the Yida refugee camp", 20)
    'Sudan bombs the…'
    """
    if len(text) <= width:
        return text
    return (text[:width].rpartition(" ")[0] or text[: width - 1]).rstrip(" ,") + "…"


def event_label(mentions: Iterable[tuple[Mention, Document]], arguments: Mapping[str, Mention]) -> str:
    """Return the label of an event from its mentions and their documents; `arguments` are mentions by their ids."""
    return label_of([candidate(mention, document, arguments) for mention, document in mentions])
