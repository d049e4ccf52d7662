"""What a mention of an entity says: its form, its name, number and gender, and what it does in its sentence.

Entity mentions of a document are its participants and places, and the names that the parser found beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Literal, NamedTuple

from samevent.corpus import Document, Mention
from samevent.corpus.mention import mention_id
from samevent.grounding.entity_names import PLACE_LABELS, QUOTES, SUFFIXES, bare_words, capitals_of
from samevent.grounding.time_names import full_date
from samevent.grounding.time_words import Context, normalised
from samevent.language.annotation import Annotation, LabelledSpan
from samevent.language.heads import head as head_of

Form = Literal["name", "nominal", "pronoun"]
Number = Literal["one", "many", ""]
Gender = Literal["female", "male", "neuter", ""]
Animacy = Literal["person", "thing", ""]

NAME_LABELS = frozenset("PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART".split())
"""The parser's labels of named entities; dates and quantities are other matters."""

PRONOUNS: dict[str, tuple[Number, Gender]] = {
    **dict.fromkeys(("he", "him", "his", "himself"), ("one", "male")),
    **dict.fromkeys(("she", "her", "hers", "herself"), ("one", "female")),
    **dict.fromkeys(("it", "its", "itself"), ("one", "neuter")),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), ("many", "")),
    **dict.fromkeys(("we", "us", "our", "ours", "ourselves"), ("many", "")),
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), ("one", "")),
    **dict.fromkeys(("you", "your", "yours", "yourself"), ("", "")),
    **dict.fromkeys(("who", "whom", "whose", "which", "that", "this", "these", "those"), ("", "")),
}
"""Number and gender of pronouns."""
_PERSONS = {
    **dict.fromkeys("i me my mine myself we us our ours ourselves".split(), "first"),
    **dict.fromkeys("you your yours yourself".split(), "second"),
    **dict.fromkeys("he him his himself she her hers herself it its itself".split(), "third"),
    **dict.fromkeys("they them their theirs themselves".split(), "third"),
}
TITLES: dict[str, Gender] = {
    **dict.fromkeys(("mr", "mr.", "sir", "lord", "prince", "king"), "male"),
    **dict.fromkeys(("mrs", "mrs.", "ms", "ms.", "miss", "lady", "princess", "queen", "dame"), "female"),
    **dict.fromkeys(
        "dr dr. prof prof. professor president premier minister senator sen sen. governor gov gov. mayor judge justice "
        "chief officer sergeant sgt sgt. lieutenant lt lt. captain capt capt. colonel col col. general gen gen. "
        "detective deputy sheriff trooper constable inspector superintendent commander admiral commissioner chairman "
        "chairwoman director secretary ambassador chancellor coach pope cardinal archbishop bishop pastor "
        "father sister brother rev rev. reverend rep rep. representative congressman congresswoman".split(),
        "",
    ),
}
"""Words before a name that are no part of it, with the gender that they tell."""
GENDERS: dict[str, Gender] = {
    **dict.fromkeys(
        "man boy father son brother husband uncle grandfather actor king prince gentleman boyfriend nephew groom "
        "widower businessman policeman fireman spokesman chairman congressman".split(),
        "male",
    ),
    **dict.fromkeys(
        "woman girl mother daughter sister wife aunt grandmother actress queen princess lady girlfriend niece bride "
        "widow businesswoman policewoman spokeswoman chairwoman congresswoman starlet".split(),
        "female",
    ),
}
"""Words that tell a gender."""
_PEOPLE = frozenset(
    ("who", "whom", "whose", *(word for word, person in _PERSONS.items() if person != "third"))
)
THING_LABELS = frozenset("FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART".split())
"""Labels of what is no person."""
_CONTENT = frozenset("ADJ NOUN NUM PROPN VERB ADV X".split())
_DEFINITE = frozenset("the this that these those his her its their our my your".split())
_ABBREVIATED = frozenset(title for title in TITLES if title.endswith(".") or f"{title}." in TITLES)
"""Titles that the parser takes for the end of the name before."""
_TITLES_ALONE = _ABBREVIATED | frozenset(
    "captain colonel commander commissioner deputy detective director governor inspector lieutenant mayor minister "
    "officer president professor secretary senator sergeant sheriff trooper".split()
)
"""Titles that are nobody's name."""
_ARTICLES = _DEFINITE | frozenset(("a", "an"))
_BEFORE = frozenset(TITLES) | _ARTICLES
_OBJECTS = frozenset("dobj pobj attr oprd dative".split())
_SUBJECTS = frozenset("nsubj nsubjpass csubj".split())


class EntityMention(NamedTuple):
    """One mention of an entity, as plain values.

    `words` are its content words in lower case, `name` its proper nouns without titles, `capitals` the initials of a
    name (or the name itself if it is an acronym), `label` the parser's type of named entity. `called` is the name
    around its head as written, empty if it has none. `verb` is the lemma of what it depends on, `role` how.
    """

    id: str
    start: int
    end: int
    sentence: int
    head: int
    text: str
    form: Form
    lemma: str
    words: tuple[str, ...]
    name: tuple[str, ...]
    capitals: str
    called: str
    label: str
    number: Number
    gender: Gender
    person: str
    animacy: Animacy
    definite: bool
    verb: str
    role: Literal["subject", "object", ""]


def describe(document: Document, annotation: Annotation, mentions: Iterable[Mention]) -> list[EntityMention]:
    """Return what each of these mentions says, in their order."""
    return _Reading(document, annotation).mentions(mentions)


def entity_mentions(document: Document, annotation: Annotation) -> list[EntityMention]:
    """Return the entity mentions of a document in reading order: participants, places, and names beside them."""
    given = [m for m in document.mentions if m.kind in ("participant", "location")]
    reading = _Reading(document, annotation)
    return sorted([*reading.mentions(given), *reading.names({m.head for m in given})], key=_order)


def _order(mention: EntityMention) -> tuple[int, int, str]:
    return mention.start, mention.end, mention.id


class _Reading:
    """One document, its words, and the words that it has in lower case."""

    def __init__(self, document: Document, annotation: Annotation) -> None:
        self._document, self._annotation = document, annotation
        self._words = [token.text for token in document.tokens]
        self._common = frozenset(filter(str.islower, self._words))

    def mentions(self, mentions: Iterable[Mention]) -> list[EntityMention]:
        """Return what mentions say, in their order."""
        annotation = self._annotation
        spans = {at: span for span in annotation.entities for at in range(*span[:2])}
        found = []
        for m in mentions:
            head = m.head
            if head is None:
                head = head_of(annotation, m.start, m.end, m.anchors or None)
            found.append(self._described(m.id, m.start, m.end, m.anchors, head, spans.get(head)))
        return found

    def names(self, heads: AbstractSet[int | None]) -> Iterator[EntityMention]:
        """Yield what the names say that have none of these heads."""
        document = self._document
        for span in self._annotation.entities:
            start, end, label = span
            if label not in NAME_LABELS or document.sentences[document.sentence_of(start)].is_url:
                continue
            head = head_of(self._annotation, start, end)
            if head not in heads:
                id = mention_id(document.id, start, end, "name")
                yield self._described(id, start, end, (), head, span)

    def _described(
        self, id: str, start: int, end: int, anchors: tuple[int, ...], head: int, span: LabelledSpan | None
    ) -> EntityMention:
        annotation, words, pos = self._annotation, self._words, self._annotation.pos
        texts = [words[at] for at in anchors] if anchors else words[start:end]
        lower = [text.lower() for text in texts]
        content = [
            (word, text, kind)
            for word, text, kind in zip(
                lower, texts, [pos[at] for at in anchors] if anchors else pos[start:end], strict=True
            )
            if kind in _CONTENT and word not in SUFFIXES
        ]
        own = [(word, text) for word, text, kind in content if kind == "PROPN"]
        name = [(word, text) for word, text in own if word not in TITLES] or own
        lemma, tag, relation = annotation.lemmas[head].lower(), annotation.tags[head], annotation.labels[head]
        pronoun = PRONOUNS.get(lower[0]) if len(lower) == 1 else None
        governor = annotation.heads[head]
        if relation == "pobj":
            governor = annotation.heads[governor]
        number, gender = pronoun or (_number(tag), _gender(lower, lemma))
        label = span[2] if span else ""
        return EntityMention(
            id=id,
            start=start,
            end=end,
            sentence=self._document.sentence_of(start),
            head=head,
            text=" ".join(texts),
            form="pronoun" if pronoun else "name" if pos[head] == "PROPN" else "nominal",
            lemma=lemma,
            words=tuple([word for word, _, _ in content]),
            name=tuple([word for word, _ in name]),
            capitals=capitals_of([text for _, text in name]) if name else "",
            called=self._called(span, head) if pos[head] == "PROPN" else "",
            label=label,
            number=number,
            gender=gender,
            person=_PERSONS.get(lower[0], "") if pronoun else "",
            animacy=_animacy(lower[0] if pronoun else "", label, gender),
            definite=lower[0] in _DEFINITE,
            verb=annotation.lemmas[governor].lower() if governor != head else "",
            role="subject" if relation in _SUBJECTS else "object" if relation in _OBJECTS else "",
        )

    def _is_noun(self, word: str) -> bool:
        """Return whether the document has a word in lower case, after an article: *the teen*."""
        lower, words, pos = word.lower(), self._words, self._annotation.pos
        if lower == word or lower not in self._common:
            return False
        places = (at for at, each in enumerate(words) if at and each == lower)
        return any(pos[at] == "NOUN" and words[at - 1].lower() in _ARTICLES for at in places)

    def _called(self, span: LabelledSpan | None, head: int) -> str:
        """Return the name around a head: the parser's named entity, or its proper nouns, without titles and endings.

        Proper nouns are a name only if their head is no word that the document has in lower case, too, and a word that
        the parser takes for a name only if it is no noun elsewhere: in headlines, all words are capitalised.
        """
        label = ""
        if span and span[2] in NAME_LABELS:
            start, end, label = span
            word = self._words[start]
            if end == start + 1 and label not in PLACE_LABELS and not word.isupper() and self._is_noun(word):
                return ""
        elif span or _is_common(self._words[head].lower(), self._common):
            return ""  # a day or a number, or a description
        else:
            start, end = head, head + 1
            while (
                start > 0
                and self._annotation.pos[start - 1] == "PROPN"
                and self._annotation.heads[start - 1] == head
            ):
                start -= 1
        return name_of(tuple(self._words[start:end]), label)


def _is_common(word: str, common: AbstractSet[str]) -> bool:
    return word in common or word in GENDERS or word in TITLES


@lru_cache(maxsize=16_384)
def name_of(words: tuple[str, ...], label: str) -> str:
    """Return a name as a writer spells it, without titles and endings; empty if the words are none.

    >>> name_of(("the", "WDIV", "-", "TV", "'s"), "ORG"), name_of(("Sgt",), "PERSON"), name_of(("police",), "ORG")
    ('WDIV-TV', '', '')
    >>> name_of(("Jul", "13", ",", "2009"), "PERSON")
    ''
    """
    parts = trimmed(list(words), label)
    if len(parts) == 1 and (parts[0].lower() in _TITLES_ALONE or parts[0].islower()):
        return ""
    name = spelt(parts)
    return "" if name == name.lower() or full_date(Context(normalised(name), None, "unknown")) else name


def spelt(words: Iterable[str]) -> str:
    """Return words with the spaces that a writer leaves between them.

    >>> spelt(["Queen", "'s", "Park", "-", "St", ".", "James"])
    "Queen's Park-St. James"
    """
    return _SPACED.sub(r"\1", " ".join(words)).replace(" - ", "-")


_SPACED = re.compile(r" (['’]s?(?= |$)|\.)")


def trimmed(words: list[str], label: str = "") -> list[str]:
    """Return a name without articles and endings, and without titles if the parser's label allows a person.

    >>> trimmed(["President", "Ann", "Lee", "'s"], "PERSON"), trimmed(["the", "General", "Fund"], "ORG")
    (['Ann', 'Lee'], ['General', 'Fund'])
    >>> trimmed(["'The", "Long", "Walk'"], "WORK_OF_ART"), trimmed(["Kestry", "State", "Police", "Lt."], "ORG")
    (['Long', 'Walk'], ['Kestry', 'State', 'Police'])
    >>> trimmed(["Men", "'s", "Jail", "'s"], "ORG"), trimmed(["Ann", "Lee", "’", "s"], "PERSON")
    (['Men', "'s", 'Jail'], ['Ann', 'Lee'])
    """
    while len(words) > 1 and not bare_words(words[:1]):
        words = words[1:]
    while len(words) > 1 and not bare_words(words[-1:]):
        words = words[:-1]
    if len(words) > 2 and not bare_words(words[-2:]):  # Reid ’ s
        words = words[:-2]
    words = [*words[:-1], *(bare_words(words[-1:]) or words[-1:])]
    words = [words[0].lstrip(QUOTES) or words[0], *words[1:]]
    before = _BEFORE if label in ("", "PERSON") else _ARTICLES
    while len(words) > 1 and words[0].lower() in before:
        words = words[1:]
    while len(words) > 1 and words[-1].lower() in _ABBREVIATED:
        words = words[:-1]
    return words


def _number(tag: str) -> Number:
    if tag in ("NNS", "NNPS"):
        return "many"
    return "one" if tag in ("NN", "NNP") else ""


def _gender(words: list[str], lemma: str) -> Gender:
    for word in words:
        if TITLES.get(word):
            return TITLES[word]
    return GENDERS.get(lemma, "")


def _animacy(pronoun: str, label: str, gender: Gender) -> Animacy:
    if gender in ("male", "female") or label == "PERSON" or pronoun in _PEOPLE:
        return "person"
    return "thing" if gender == "neuter" or label in THING_LABELS or pronoun == "which" else ""
