"""News-like corpora of any size, as documents that have been read: tokens, parses, mentions and arguments.

    python benchmarks/corpus.py --mentions 10000 [--seed N] -o news.jsonl

Stories happen day after day, about a hundred documents' worth a day, so a larger corpus covers more days, not more news
a day; a smaller corpus is the beginning of a larger one. The number of documents on a story follows Zipf's law, up to
the number of outlets. Each document describes some of the events of its story in its own words (synonyms, verbs and
nouns), quotes somebody in verbs that occur everywhere, and names people, places and organisations of which some are
famous and most are new. Some documents are copies of another outlet's with a few sentences less. Other words follow
Zipf's law over a vocabulary that keeps growing.

Parsing is not part of this: mentions, heads, roles and who is named are those that the sentences were made from.
`benchmarks/growth.py` takes the documents from here on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import accumulate, count, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from samevent.corpus import Argument, Corpus, Document, Entity, Kind, Mention, Reference
from samevent.formats import write
from samevent.language.annotation import Annotation

OUTLETS = 60
"""The most documents on one story."""
DOCUMENTS_PER_DAY = 100
MENTIONS_PER_DOCUMENT = 12
"""About how many event mentions a document has."""
COPIED = 0.2
"""The share of documents on a story, after the first, that are copies of an earlier one."""
VOCABULARY = 300_000
FIRST_DAY = date(2031, 1, 1)

KINDS = {
    "earthquake": "strike/hit/shake collapse/crumble trap/bury rescue/save evacuate/flee tremor/quake death/fatality",
    "trial": "charge/indict/accuse plead testify convict/sentence/jail appeal verdict/ruling hearing",
    "takeover": "buy/acquire/purchase merge bid/offer approve/clear reject/refuse deal/acquisition investigation/probe",
    "election": "vote elect/win campaign/rally concede/lose recount/count debate victory/triumph",
    "storm": "flood/inundate destroy/devastate evacuate/leave land/strike damage/wreck landfall outage",
    "strike": "strike/protest demand negotiate/talk resume/return close/shut walkout/stoppage agreement/settlement",
    "shooting": "shoot/kill/gun wound/injure arrest/detain flee/escape search/hunt attack/shooting funeral",
    "match": "beat/defeat score lead/dominate injure/hurt sign/transfer victory/win defeat/loss",
    "epidemic": "infect/sicken die/succumb vaccinate/inoculate quarantine/isolate spread outbreak/epidemic test",
    "summit": "meet/gather sign/agree promise/pledge criticise/condemn negotiate/discuss summit/meeting treaty/accord",
    "fire": "burn/blaze extinguish/contain evacuate/flee ignite/spark destroy/gut blaze/inferno explosion/blast",
    "theft": "steal/rob/loot arrest/catch recover/return smash/break escape/flee robbery/heist chase/pursuit",
    "launch": "launch/release unveil/present delay/postpone crash/fail orbit/fly launch/debut test/trial",
    "resignation": "resign/quit appoint/name apologise deny/dispute replace/succeed scandal resignation/departure",
    "festival": "open/begin perform/sing/play cancel/postpone award/honour attend/visit concert/show ceremony",
    "accident": "crash/collide derail/overturn kill/crush injure/hurt rescue/free crash/collision inspection/inquiry",
}  # fmt: skip
"""What stories are about, and their events: words between which outlets choose; the last two are nouns."""
SAYING = "say say say tell report announce add confirm".split()
COMMON = "make take come see expect give find ask".split()
_IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "strike:struck hit:hit shake:shook flee:fled leave:left buy:bought win:won lose:lost shut:shut shoot:shot "
        "beat:beat lead:led hurt:hurt spread:spread meet:met burn:burnt catch:caught break:broke steal:stole fly:flew "
        "quit:quit begin:began sing:sang say:said tell:told make:made take:took come:came see:saw give:gave find:found"
    ).split()
)
_MONTHS = "January February March April May June July August September October November December".split()
_SYLLABLES = "ba den kes lo mar nor oak rin sel tar ul ven wick yor zan bri dol fen gal hup jin kov".split()
_ENDINGS = {"PERSON": "son", "GPE": "ton", "ORG": "corp"}
_TITLES = "minister officer official judge manager witness doctor player".split()


class Word(NamedTuple):
    """A token and what a parser says about it."""

    text: str
    lemma: str
    tag: str
    pos: str
    entity: str = ""


class Phrase(NamedTuple):
    """Words that are a mention of a kind; of participants, in a role."""

    kind: Kind
    words: tuple[Word, ...]
    role: str | None = None


@dataclass(frozen=True)
class StoryEvent:
    """An event of a story: the words that may name it, and its arguments."""

    id: str
    verbs: tuple[str, ...]
    noun: bool
    agent: Phrase
    patient: Phrase
    place: Phrase
    time: Phrase


@dataclass(frozen=True)
class Story:
    """A story: its events, and further words of its own."""

    number: int
    kind: str
    day: date
    events: tuple[StoryEvent, ...]
    details: tuple[str, ...]
    speakers: tuple[Phrase, ...]


Sentence = tuple["list[Word]", "list[tuple[int, int, Kind, str | None, str | None]]"]
"""Words, and mentions: start, end, kind, role and event."""


def documents(mentions: int, *, seed: int = 0) -> Iterator[tuple[Document, Annotation]]:
    """Yield documents with about so many event mentions in all, with their parses."""
    return islice(endless(seed), mentions // MENTIONS_PER_DOCUMENT)


def endless(seed: int) -> Iterator[tuple[Document, Annotation]]:
    """Yield documents without end; the first ones are the same, however many are taken."""
    written = 0
    sizes = tuple(accumulate(rank**-2.0 for rank in range(1, OUTLETS + 1)))
    for number in count():
        random = Random(f"{seed}/story/{number}")
        story = _story(random, number, FIRST_DAY + timedelta(days=written // DOCUMENTS_PER_DAY))
        (size,) = random.choices(range(1, OUTLETS + 1), cum_weights=sizes)
        told: list[list[Sentence]] = []
        for outlet in range(size):
            if told and random.random() < COPIED:
                copied = random.choice(told)
                sentences = [copied[0], *(s for s in copied[1:] if random.random() < 0.85)]
            else:
                sentences = _tell(story, random)
            told.append(sentences)
            day = story.day + timedelta(days=random.randrange(3))
            yield _document(f"{day.isoformat()}-{number:06}-{outlet:03}", story, day, sentences)
        written += size


def _zipf(random: Random, most: int) -> int:
    """Draw a rank from 0 with a probability that falls as 1 / rank."""
    return int(most ** random.random()) - 1


@cache
def _name(number: int) -> str:
    """Return the invented word of a number."""
    parts = []
    number += len(_SYLLABLES)
    while number:
        number, part = divmod(number, len(_SYLLABLES))
        parts.append(_SYLLABLES[part])
    return "".join(parts)


def _proper(random: Random, famous: int, share: float, entity: str) -> Word:
    """Return one of the famous names, or a new one."""
    number = _zipf(random, famous) if random.random() < share else famous + random.randrange(10**7)
    text = f"{_name(number).capitalize()}{_ENDINGS[entity]}"
    return Word(text, text, "NNP", "PROPN", entity)


def _story(random: Random, number: int, day: date) -> Story:
    kind = random.choice(tuple(KINDS))
    places = [_proper(random, 3000, 0.6, "GPE") for _ in range(3)]
    people = [_proper(random, 2000, 0.2, "PERSON") for _ in range(6)]
    organisations = [_proper(random, 2000, 0.4, "ORG") for _ in range(4)]
    details = tuple(_name(_zipf(random, VOCABULARY)) for _ in range(24))
    events = []
    groups = KINDS[kind].split()
    for place, group in enumerate(groups):
        when = day + timedelta(days=-random.randrange(3))
        events.append(
            StoryEvent(
                f"story{number}/{place}",
                tuple(group.split("/")),
                place >= len(groups) - 2,
                Phrase("participant", (random.choice(organisations + people),), "ARG0"),
                Phrase("participant", (_noun(random.choice(details)), random.choice(people)), "ARG1"),
                Phrase("location", (random.choice(places),)),
                Phrase("time", _date_words(when)),
            )
        )
    speakers = tuple(
        Phrase("participant", (_noun(random.choice(_TITLES)), person), "ARG0") for person in people[:3]
    )
    return Story(number, kind, day, tuple(events), details, speakers)


def _noun(word: str) -> Word:
    return Word(word, word, "NN", "NOUN")


def _date_words(day: date) -> tuple[Word, ...]:
    month = _MONTHS[day.month - 1]
    number = str(day.day)
    return Word(month, month, "NNP", "PROPN", "DATE"), Word(number, number, "CD", "NUM", "DATE")


def _past(verb: str) -> Word:
    regular = f"{verb}d" if verb.endswith("e") else f"{verb}ed"
    return Word(_IRREGULAR.get(verb, regular), verb, "VBD", "VERB")


_OF = {text: Word(text, text, tag, pos) for text, tag, pos in (
    ("the", "DT", "DET"), ("in", "IN", "ADP"), ("on", "IN", "ADP"), ("of", "IN", "ADP"), (",", ",", "PUNCT"),
    (".", ".", "PUNCT"), ("after", "IN", "SCONJ"), ("that", "IN", "SCONJ"),
)}  # fmt: skip


def _tell(story: Story, random: Random) -> list[Sentence]:
    """Return sentences about most events of a story, some twice, and what people say about them."""
    chosen = [event for event in story.events if random.random() < 0.75] or [story.events[0]]
    chosen += random.choices(story.events, k=random.randrange(1, 4))
    return [_sentence(story, event, random) for event in chosen]


def _sentence(story: Story, event: StoryEvent, random: Random) -> Sentence:
    words: list[Word] = []
    mentions: list[tuple[int, int, Kind, str | None, str | None]] = []

    def add(phrase: Phrase) -> None:
        mentions.append((len(words), len(words) + len(phrase.words), phrase.kind, phrase.role, None))
        words.extend(phrase.words)

    def happen(word: Word, id: str) -> None:
        mentions.append((len(words), len(words) + 1, "action", None, id))
        words.append(word)

    add(event.agent)
    lemma = random.choice(event.verbs)
    if event.noun:
        happen(_past(random.choice(COMMON)), f"{event.id}/light")
        words.append(_OF["the"])
        happen(_noun(lemma), event.id)
        words.append(_OF["of"])
    else:
        happen(_past(lemma), event.id)
        words.append(_OF["the"])
    add(event.patient)
    if random.random() < 0.7:
        words.append(_OF["in"])
        add(event.place)
    if random.random() < 0.5:
        words.append(_OF["on"])
        add(event.time)
    for detail in random.choices(story.details, k=random.randrange(3)):
        words += [_OF["of"], _noun(detail)]
    words += [_OF["of"], _noun(_name(_zipf(random, VOCABULARY)))]
    if random.random() < 0.45:
        words.append(_OF[","])
        add(random.choice(story.speakers))
        happen(_past(random.choice(SAYING)), f"{event.id}/said/{random.randrange(10**9)}")
    words.append(_OF["."])
    return words, mentions


def _document(id: str, story: Story, day: date, sentences: list[Sentence]) -> tuple[Document, Annotation]:
    words = [word for sentence, _ in sentences for word in sentence]
    bare = Document.from_tokens(
        id, [[w.text for w in sentence] for sentence, _ in sentences],
        title=f"{story.kind.capitalize()}: {id}", date=day.isoformat(), topic=f"{story.number}",
    )  # fmt: skip
    mentions: list[Mention] = []
    heads: list[int] = []
    offset = 0
    for sentence, spans in sentences:
        spans = [(start + offset, end + offset, *about) for start, end, *about in spans]  # type: ignore[misc]
        first_event = next(start for start, _, kind, *_ in spans if kind == "action")
        ids = {}
        for start, end, kind, _role, _event in spans:
            if kind != "action":
                name = words[end - 1].text if kind == "participant" and words[end - 1].entity else None
                filler = bare.mention(
                    kind, start, end, head=end - 1,
                    refers=Reference(entity=Entity.named(name)) if name else None,
                )  # fmt: skip
                ids[start] = filler.id
                mentions.append(filler)
        for start, end, kind, _role, event in spans:
            if kind == "action":
                arguments = [
                    Argument(ids[s], role or {"time": "AM-TMP", "location": "AM-LOC"}.get(other))
                    for s, _e, other, role, _ in spans
                    if other != "action" and (abs(s - start) <= 3 or start == first_event)
                ]
                mentions.append(
                    bare.mention(
                        "action", start, end, head=start, arguments=arguments, event_class="occurrence", event=event
                    )
                )  # fmt: skip
        heads += [first_event] * len(sentence)
        offset += len(sentence)
    annotation = Annotation(
        tags=tuple(w.tag for w in words),
        pos=tuple(w.pos for w in words),
        lemmas=tuple(w.lemma for w in words),
        heads=tuple(heads),
        labels=tuple("ROOT" if head == i else "dep" for i, head in enumerate(heads)),
        entities=tuple((i, i + 1, w.entity) for i, w in enumerate(words) if w.entity),
    )
    return bare.with_mentions(mentions), annotation


def main() -> None:
    """Write a corpus."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mentions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    corpus = Corpus(document for document, _ in documents(options.mentions, seed=options.seed))
    write(corpus, options.output)


if __name__ == "__main__":
    main()
