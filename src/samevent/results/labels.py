"""A readable label for an event: who did what to whom, where and when.

Every mention words its event in its own way. The label takes the wording that most mentions share, verbs before nouns,
and fills it with the participants that most of them name. They stand where the text puts them: *Sudan bombs Yida*,
*Cheeks fired by 76ers*, *attack on Yida*. What has no place there follows: *· South Sudan · Thursday*.

Mentions vote for each part. Votes are sums of halves and quarters, which are exact, and ties are settled by the words,
so the order of the mentions does not matter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from samevent.corpus import Document, Mention
from samevent.results.phrases import stems_of, words_of
from samevent.results.wording import Filler, MentionWording, Slot, Wording, describe

LONGEST = 80
"""The length of a label in characters, at most."""
_BETWEEN = " · "
_OWN_WORD = 3.0
"""How much more a role counts in a mention with the label's own word: elsewhere it may mean another thing."""
_NAME = 2.0
"""How much more a name counts than a description."""
_GUESS = 0.5
"""How much an argument counts that is only in the same sentence; far away it counts half of that."""
_FAR = 8
"""How many words away that is."""
_QUORUM = 0.05
"""The share of the mentions that must name a participant, time or place."""
_BYSTANDERS = 0.3
"""The share that must name a participant whose role is unknown."""
_CANDIDATES = 50
"""How many texts are candidates: those with most votes of their own."""

_CAST: tuple[Slot, ...] = ("who", "whom", "third")
_NOUN_LINKS: Mapping[Slot, str] = {"who": "by", "whom": "of", "third": "to"}
"""How nouns are joined to participants that only verbs are seen with."""
_Words = tuple[str, ...]


def event_label(mentions: Sequence[tuple[Mention, Document]], arguments: Mapping[str, Mention]) -> str:
    """Return who did what, where and when, from the mentions of an event; `arguments` are mentions by their ids."""
    return label_of([describe(mention, document, arguments) for mention, document in mentions])


def label_of(worded: Sequence[MentionWording]) -> str:
    """Return the label of an event from how its mentions word it."""
    first, *rest = _parts(Poll(worded, chosen_wording(worded)))
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
    """Yield the parts of a label, the most important first; a part may be empty."""
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
    """Return whether the verb follows, as in *ratings plunged*; and *people killed* is said of who *killed people*."""
    if who:
        return whom.before and not who.own
    return whom.before or (wording.words.endswith("ed") and not whom.link)


def _noun_clause(wording: Wording, who: Part | None, whom: Part | None) -> Iterator[str]:
    """Yield a noun together with what stands beside it, then the names that do not."""
    known = [part for part in (whom, who) if part]
    front = next((part for part in known if part.adjoins and part.before), None)
    back = [part for part in known if part.adjoins and not part.before]
    yield " ".join([*([front.text] if front else []), wording.text, *(part.linked for part in back)])
    yield from (part.text for part in known if part.name and part is not front and part not in back)


@dataclass(frozen=True, slots=True)
class Part:
    """A participant of the label: where it stands and with what preposition.

    `own` says whether the label's own word is seen with it, `adjoins` whether a noun can have it there.
    """

    text: str
    name: bool
    before: bool
    link: str
    own: bool
    adjoins: bool

    @property
    def linked(self) -> str:
        """Its preposition and text."""
        return f"{self.link} {self.text}".strip()


def chosen_wording(worded: Sequence[MentionWording]) -> Wording:
    """Return the wording of most mentions, in the form that most of these have.

    It is a denial only if most of them deny it.
    """
    stems: dict[str, float] = defaultdict(float)
    wordings: dict[Wording, float] = defaultdict(float)
    for mention in worded:
        stems[mention.wording.stem] += mention.weight
        wordings[mention.wording] += mention.weight
    chosen = min(stems, key=lambda stem: (-stems[stem], stem))
    same = [wording for wording in wordings if wording.stem == chosen]
    denied = sum(wordings[wording] for wording in same if wording.negated) * 2 > stems[chosen]
    agreed = [wording for wording in same if wording.negated == denied] or same
    return min(agreed, key=lambda wording: (-wordings[wording], len(wording.text), wording))


class Poll:
    """The votes of the mentions for who, what, where and when goes with a wording."""

    def __init__(self, worded: Sequence[MentionWording], wording: Wording) -> None:
        self.wording = wording
        self._mentions = len(worded)
        self._fillers: dict[Slot, list[tuple[MentionWording, Filler]]] = defaultdict(list)
        for mention in worded:
            for filler in mention.fillers:
                if self._counts(mention, filler):
                    self._fillers[filler.slot].append((mention, filler))
        self._places = Counter(words_of(filler.text) for _, filler in self._fillers["place"])

    def cast(self) -> tuple[Part | None, Part | None, Part | None]:
        """Return who did it, to whom, and who else; nobody twice, the clearest case first."""
        taken = set(stems_of(self.wording.words))
        parts: dict[Slot, Part | None] = {}
        free = {slot: self._elected(slot, _is_ending, taken) for slot in _CAST}
        for slot in sorted(_CAST, key=lambda slot: (slot == "third", -free[slot][1])):
            text = free[slot][0]
            if not taken.isdisjoint(stems_of(text)):
                text, _ = self._elected(slot, _is_ending, taken)
            parts[slot] = self._placed(slot, text) if text else None
            taken |= stems_of(text)
        return parts["who"], parts["whom"], parts["third"]

    def name(self) -> str:
        """Return a participant with a name, whatever its role."""
        return self._elected("other", _is_ending)[0]

    def place(self) -> str:
        """Return where it was: what many places are in rather than the details of one."""
        return self._elected("place", _is_around)[0]

    def time(self) -> str:
        """Return when it was, as exactly as any mention says."""
        return self._elected("time", _is_within)[0]

    def _counts(self, mention: MentionWording, filler: Filler) -> bool:
        if filler.slot == "other":
            return filler.name
        # The labeller often takes the subject of a headline (*Jackson arrested*) for the one who acts.
        return filler.slot != "who" or not self.wording.passive or filler.link == "by" or mention.has("whom")

    def _elected(
        self, slot: Slot, backs: Callable[[_Words, _Words], bool], taken: Collection[str] = ()
    ) -> tuple[str, float]:
        """Return the text with most votes, its own and those of texts that back it, and how many they are."""
        if not self._fillers[slot]:
            return "", 0.0
        votes: dict[_Words, float] = defaultdict(float)
        forms: dict[_Words, Counter[str]] = defaultdict(Counter)
        for mention, filler in self._fillers[slot]:
            if stems_of(filler.text).isdisjoint(taken):
                votes[words_of(filler.text)] += self._vote(mention, filler)
                forms[words_of(filler.text)][filler.text] += 1
        if slot in _CAST:
            # What is known rather as a place is hardly anybody who acts.
            votes = {
                words: vote for words, vote in votes.items() if self._places[words] <= forms[words].total()
            }
        if not votes:
            return "", 0.0
        stand = sorted(votes, key=lambda words: (-votes[words], words))[:_CANDIDATES]
        backers = {key: [other for other in stand if other == key or backs(other, key)] for key in stand}
        support = {key: sum(votes[other] for other in backers[key]) for key in stand}
        best = min(stand, key=lambda key: (-support[key], len(key), key))
        quorum = (_BYSTANDERS if slot == "other" else _QUORUM) * self._mentions
        if sum(forms[other].total() for other in backers[best]) < quorum:
            return "", 0.0
        written = forms[best]
        return min(written, key=lambda text: (not text.islower(), -written[text], text)), support[best]

    def _vote(self, mention: MentionWording, filler: Filler) -> float:
        own = _OWN_WORD if filler.slot in _CAST and mention.wording.stem == self.wording.stem else 1.0
        guess = _GUESS if filler.gap <= _FAR else _GUESS / 2
        return own * (_NAME if filler.name else 1.0) * (1.0 if filler.sure else guess)

    def _placed(self, slot: Slot, text: str) -> Part:
        """Put a participant where mentions with this word put it, or else those with any verb or any noun."""
        same = [(t.wording, f) for t, f in self._fillers[slot] if words_of(f.text) == words_of(text)]
        name = any(filler.name for _, filler in same)
        alike = [(wording, filler) for wording, filler in same if wording.verb == self.wording.verb]
        own = [(wording, filler) for wording, filler in alike if wording.stem == self.wording.stem]
        seen = [filler for _, filler in own or alike]
        if not seen:
            link = "" if self.wording.verb else _NOUN_LINKS[slot]
            return Part(text, name, before=False, link=link, own=False, adjoins=True)
        beside = [filler for filler in seen if filler.adjoins]
        places = Counter((f.before, f.link) for f in (seen if self.wording.verb else beside or seen))
        before, link = min(places, key=lambda place: (-places[place], place))
        return Part(text, name, before, link, own=bool(own), adjoins=bool(beside))


def _is_ending(words: _Words, of: _Words) -> bool:
    """*Subryan* may be short for *Vishwanand Subryan*."""
    return of[-len(words) :] == words


def _is_within(words: _Words, other: _Words) -> bool:
    """*Thursday* goes with *Thursday, Nov 10th, 2011*."""
    return set(words) < set(other)


def _is_around(words: _Words, other: _Words) -> bool:
    """*Yida camp in South Sudan* goes with *South Sudan*."""
    return set(words) > set(other)
