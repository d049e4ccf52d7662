"""How one mention words its event: its words, verb or noun, and what stands around them.

Nothing is parsed. Whether a word is a verb, or in the passive, is judged by the words around it and from where its
arguments stand; a wrong guess costs a label some grace, no truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from samevent.corpus import Document, Mention
from samevent.results import phrases
from samevent.results.phrases import DETERMINERS, PREPOSITIONS, PRONOUNS, SUBJECTS

Slot = Literal["who", "whom", "third", "other", "time", "place"]
"""The part that an argument plays; `other` is a participant whose role is unknown."""

_SLOTS: Mapping[str | None, Slot] = {"ARG0": "who", "ARG1": "whom", "ARG2": "third"}
_BE = frozenset("be been being is are was were am gets got get".split())
_HAVE = frozenset("has have had having".split())
_TELLING = {"n't": "not", "n’t": "not", "ca": "can", "wo": "will"} | {
    word: word for word in "to will would can could may might must shall should not never cannot".split()
}
"""Helpers that change the meaning, and how they are written out."""
_HELPERS = _BE | _HAVE | _TELLING.keys() | frozenset("do does did".split())
_ADVERBS = frozenset("also already just now still then once ever soon later".split())
_POSSESSIVES = frozenset(("'s", "’s", "'", "’"))
_NOUN_ENDINGS = tuple("tion tions sion sions ment ments quake quakes ness ance ence ity".split())
_PASTS = frozenset(
    "began bought broke came caught fell flew found fought gave got grew held led left lost made met paid ran rose "
    "said sank sent shot sold stole struck told took went won".split()
)
"""Past tenses that do not end in *-ed* and are no nouns."""
_PARTICIPLE_ENDINGS = ("d", "n", "t", "k", "g", "me", "ne", "de")
_NEAR = 4
"""How many words are looked at on either side."""


@dataclass(frozen=True, slots=True)
class Filler:
    """An argument as one mention has it: before or after its event, how many words away, with what preposition.

    `name` says whether a participant is called by a name, `sure` whether it has a role.
    """

    slot: Slot
    text: str
    name: bool
    sure: bool
    before: bool
    gap: int
    link: str

    @property
    def adjoins(self) -> bool:
        """Return whether it stands beside its event as beside a noun: *Haiti earthquake*, *attack on Yida*."""
        return self.gap == 0 if self.before else bool(self.link) and self.gap <= 2 * _NEAR


@dataclass(frozen=True, slots=True, order=True)
class Wording:
    """The words of a mention; `helpers` are verbs in front that change the meaning (*did not*, *to be*)."""

    words: str
    verb: bool = False
    passive: bool = False
    helpers: str = ""

    @property
    def text(self) -> str:
        """All its words."""
        return f"{self.helpers} {self.words}".strip()

    @property
    def stem(self) -> str:
        """What *bombed*, *bombs* and *the bombing* have in common."""
        words = self.words.split()
        return phrases.stem(words[0] if self.verb else words[-1])

    @property
    def negated(self) -> bool:
        """Whether it denies that the event happened."""
        return not {"not", "never", "cannot"}.isdisjoint(self.helpers.split())


@dataclass(frozen=True, slots=True)
class MentionWording:
    """A mention as a label sees it: its own words and its arguments."""

    wording: Wording
    fillers: tuple[Filler, ...]

    @property
    def weight(self) -> float:
        """Its weight in a vote: highest for verbs with participants, 0 for *it* and *that*."""
        if self.wording.words.casefold() in PRONOUNS:
            return 0.0
        return 1.5 if self.wording.verb and (self.has("who") or self.has("whom")) else 1.0

    def has(self, slot: Slot) -> bool:
        """Return whether a slot is filled."""
        return any(filler.slot == slot for filler in self.fillers)


def describe(mention: Mention, document: Document, arguments: Mapping[str, Mention]) -> MentionWording:
    """Return how a mention words its event; `arguments` are mentions by their ids."""
    fillers = tuple(
        filler
        for argument in mention.arguments
        if (filler := _filler(mention, document, arguments[argument.mention], argument.role))
    )
    return MentionWording(_wording(mention, document, fillers), fillers)


def _filler(event: Mention, document: Document, argument: Mention, role: str | None) -> Filler | None:
    slot: Slot
    match argument.kind:
        case "time":
            slot, text = "time", phrases.time(argument.text)
        case "location":
            slot, text = "place", phrases.place(argument.text)
        case _:
            slot, text = _SLOTS.get(role, "other"), phrases.participant(argument.text)
    if not text or (argument.start < event.end and event.start < argument.end):
        return None
    before = argument.start < event.start
    start, end = (argument.end, event.start) if before else (event.end, argument.start)
    if before and document.tokens[start].text in _POSSESSIVES:
        start += 1
    nearest = [*_words(document, max(start, end - _NEAR), end), argument.text.partition(" ")[0].lower()]
    return Filler(
        slot=slot,
        text=text,
        name=slot not in ("time", "place") and _is_name(argument, document),
        sure=role is not None,
        before=before,
        gap=end - start,
        link="" if before else _link(nearest),
    )


def _link(words: Sequence[str]) -> str:
    """Return the preposition of what follows, or those that belong together (*out of*); it may stand a bit before."""
    links: list[str] = []
    for distance, word in enumerate(reversed(words)):
        if word in PREPOSITIONS:
            links.insert(0, word)
        elif links or distance >= _NEAR or not any(map(str.isalnum, word)):
            break
    return " ".join(links)


def _wording(mention: Mention, document: Document, fillers: Sequence[Filler]) -> Wording:
    written = " ".join(document.tokens[i].text for i in mention.tokens)
    words = phrases.cleaned(written) or " ".join(written.split()) or "…"
    small = words.lower()
    before, after = _around(mention, document)
    helpers = _helpers([word.lower() for word in before], small)
    if not _is_verb(small, before, after, helpers, fillers):
        return Wording(phrases.trimmed(words if _is_name(mention, document) else small))
    passive = _is_passive(small, helpers, fillers)
    # *They taken it* would be wrong without *have*, *they fired him* is not.
    needed = not passive and small.partition(" ")[0].endswith("n")
    telling = helpers if needed or any(helper in _TELLING for helper in helpers) else []
    written_out = " ".join(_TELLING.get(helper, helper) for helper in telling)
    return Wording(small, verb=True, passive=passive, helpers=written_out)


def _words(document: Document, start: int, end: int) -> list[str]:
    return [token.text.lower() for token in document.tokens[start:end]]


def _around(mention: Mention, document: Document) -> tuple[list[str], list[str]]:
    """Return the words of its sentence that are near a mention, on either side."""
    sentence = document.sentences[document.sentence_of(mention.start)]
    before = document.tokens[max(sentence.start, mention.start - _NEAR) : mention.start]
    after = document.tokens[mention.end : min(sentence.end, mention.end + _NEAR)]
    return [token.text for token in before], [token.text for token in after]


def _is_name(mention: Mention, document: Document) -> bool:
    """Return whether capitals mean a name: inside a sentence they do, in front or in a headline perhaps not.

    There a word is a name if the document never writes it small.
    """
    last = document.tokens[mention.tokens[-1]].text
    if not last[:1].isupper():
        return False
    before, after = _around(mention, document)
    prose = any(len(word) >= _NEAR and word.islower() for word in (*before, *after))
    return (bool(before) and prose) or not phrases.has_word(document.text, mention.text.lower())


def _helpers(before: Sequence[str], words: str) -> list[str]:
    """Return the helping verbs right in front of a word, without adverbs."""
    helpers: list[str] = []
    for word in reversed(before):
        if word in _HELPERS:
            helpers.insert(0, word)
        elif not word.endswith("ly") and word not in _ADVERBS:
            break
    return [] if helpers[-1:] == ["to"] and words.endswith("ing") else helpers


def _is_verb(
    words: str, before: Sequence[str], after: Sequence[str], helpers: Sequence[str], fillers: Sequence[Filler]
) -> bool:
    first, last = words.partition(" ")[0], words.rpartition(" ")[2]
    previous = before[-1].lower() if before else ""
    if words in PRONOUNS or last.endswith(_NOUN_ENDINGS):
        return False
    if helpers:
        return helpers[-1] not in _HAVE or first.endswith(_PARTICIPLE_ENDINGS)
    if first.endswith("ed") or first in _PASTS or previous in SUBJECTS:
        return True
    if previous in DETERMINERS or previous in _POSSESSIVES or (after and after[0] == "of"):
        return False
    return any(_beside_verb(filler, gerund=last.endswith("ing")) for filler in fillers)


def _beside_verb(filler: Filler, *, gerund: bool) -> bool:
    """Return whether an argument stands where those of verbs do."""
    if filler.before:
        return filler.gap <= 1 and (filler.slot == "who" or (filler.slot == "whom" and not gerund))
    return filler.slot == "whom" and filler.gap < _NEAR and not filler.link


def _is_passive(words: str, helpers: Sequence[str], fillers: Sequence[Filler]) -> bool:
    if words.partition(" ")[0].endswith("ing"):
        return False
    if helpers:
        return helpers[-1] in _BE
    agents = [filler for filler in fillers if filler.slot == "who"]
    if agents:
        return any(agent.link == "by" for agent in agents)
    participle = words.partition(" ")[0].endswith(("ed", "en", "wn"))
    return participle and any(filler.slot == "whom" and filler.before for filler in fillers)
