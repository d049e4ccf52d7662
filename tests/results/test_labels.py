"""Labels of events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import annotated, corpora, document, needs_data
from real_data import ecbplus_release
from samevent.corpus import Argument, Corpus, Document, Kind, Mention
from samevent.results.labels import LONGEST, event_label

Worded = tuple[Mention, Document]
ROLES: dict[str, tuple[Kind, str | None]] = {
    "who": ("participant", "ARG0"),
    "whom": ("participant", "ARG1"),
    "third": ("participant", "ARG2"),
    "near": ("participant", None),
    "time": ("time", "AM-TMP"),
    "a_time": ("time", None),
    "another_time": ("time", None),
    "place": ("location", "AM-LOC"),
}


def _worded(words: str, event: str, *, id: str = "d", **arguments: str) -> Worded:
    """Build a document of these words, with an event and its arguments found in them."""
    d = document(id, words)

    def span(phrase: str) -> tuple[int, int]:
        wanted, tokens = phrase.split(), words.split()
        at = next(i for i in range(len(tokens)) if tokens[i : i + len(wanted)] == wanted)
        return at, at + len(wanted)

    fillers = {name: d.mention(ROLES[name][0], *span(phrase)) for name, phrase in arguments.items()}
    roles = [Argument(filler.id, ROLES[name][1]) for name, filler in fillers.items()]
    action = d.mention("action", *span(event), arguments=roles)
    return action, d.with_mentions([action, *fillers.values()])


def _label(*tellings: Worded) -> str:
    return event_label(tellings, {m.id: m for _, document in tellings for m in document.mentions})


@pytest.mark.parametrize(
    ("worded", "label"),
    [
        (
            _worded(
                "Sudan bombs Yida refugee camp in South Sudan on Thursday , Nov 10th , 2011 .",
                "bombs",
                who="Sudan",
                whom="Yida refugee camp",
                place="in South Sudan",
                time="on Thursday , Nov 10th , 2011",
            ),
            "Sudan bombs Yida refugee camp · South Sudan · Thursday, Nov 10th, 2011",
        ),
        (
            _worded("A man was arrested in Cairo .", "arrested", whom="A man", place="in Cairo"),
            "man arrested · Cairo",
        ),
        (
            _worded("The Sixers ' coach was fired by the owners .", "fired", whom="coach", who="owners"),
            "coach fired by owners",
        ),
        (
            _worded("Police were looking for the driver .", "looking", who="Police", whom="driver"),
            "Police looking for driver",
        ),
        (
            _worded("They said Sudan did n't bomb Yida .", "bomb", who="Sudan", whom="Yida"),
            "Sudan did not bomb Yida",
        ),
        (
            _worded("Hugh Jackman is to host the show .", "host", who="Hugh Jackman", whom="show"),
            "Hugh Jackman is to host show",
        ),
        (_worded("The raid killed people .", "killed", whom="people"), "people killed"),
        (
            _worded("Thieves had stolen the crown .", "stolen", who="Thieves", whom="crown"),
            "Thieves had stolen crown",
        ),
        (_worded("A man got out of his car .", "got", who="A man", third="car"), "man got out of car"),
        (
            _worded("They charged the mayor of Bran , Tobias Grell .", "charged", whom="Tobias Grell"),
            "Tobias Grell charged",
        ),
        (
            _worded(
                "In 2004 he made a film , a book , a song and a play , and Friday he fell .",
                "fell",
                a_time="In 2004",
                another_time="Friday",
            ),
            "fell · Friday",
        ),
        (_worded("The ratings of NBC plunged .", "plunged", whom="ratings"), "ratings plunged"),
        (_worded("After the Haiti earthquake aid came .", "earthquake", whom="Haiti"), "Haiti earthquake"),
        (
            _worded(
                "The attack on the Yida camp by jets was short .", "attack", whom="Yida camp", who="jets"
            ),
            "attack on Yida camp by jets",
        ),
        (
            _worded("In May Kerrin Media paid for its takeover .", "takeover", who="Kerrin Media"),
            "takeover · Kerrin Media",
        ),
        (
            _worded("Its shares rose after the deal with Northline .", "deal", near="Northline"),
            "deal · Northline",
        ),
        (
            _worded(
                "The climber fell 200 feet on Friday .",
                "fell",
                whom="climber",
                third="200 feet",
                time="on Friday",
            ),
            "climber fell · Friday",
        ),
    ],
)
def test_label_says_who_did_what_as_the_text_does(worded: Worded, label: str) -> None:
    assert _label(worded) == label


def test_label_takes_the_wording_of_most_mentions() -> None:
    tellings = [
        _worded(
            "Kerrin Media acquires Northline .", "acquires", id="a", who="Kerrin Media", whom="Northline"
        ),
        _worded("The deal was big .", "deal", id="b"),
        _worded(
            "Kerrin Media acquired Northline .", "acquired", id="c", who="Kerrin Media", whom="Northline"
        ),
        _worded("Northline was bought .", "bought", id="d", whom="Northline"),
        _worded("Why Kerrin acquires Northline .", "acquires", id="e", who="Kerrin", whom="Northline"),
    ]
    assert _label(*tellings) == "Kerrin Media acquires Northline"


def test_label_prefers_names_to_pronouns_and_full_names_to_short_ones() -> None:
    tellings = [
        _worded("He was charged .", "charged", id="a", whom="He"),
        _worded("he was charged .", "charged", id="b", whom="he"),
        _worded("On Friday Subryan was charged .", "charged", id="c", whom="Subryan"),
        _worded("On Friday Subryan was charged .", "charged", id="d", whom="Subryan"),
        _worded("Police say Vishwanand Subryan was charged .", "charged", id="e", whom="Vishwanand Subryan"),
    ]
    assert _label(*tellings) == "Vishwanand Subryan charged"
    assert _label(*tellings[:2]) == "charged"


def test_label_names_nobody_twice() -> None:
    tellings = [
        _worded("Jackson arrested .", "arrested", id="a", who="Jackson"),
        _worded(
            "Vincent Jackson was arrested by police .",
            "arrested",
            id="b",
            whom="Vincent Jackson",
            who="police",
        ),
        _worded("Vincent Jackson was arrested .", "arrested", id="c", whom="Vincent Jackson"),
    ]
    assert _label(*tellings) == "Vincent Jackson arrested by police"


def test_label_denies_only_what_most_mentions_deny() -> None:
    denial = "Sudan did not bomb Yida ."
    said = [
        _worded(denial, "bomb", id="a", who="Sudan", whom="Yida"),
        _worded(denial, "bomb", id="b", who="Sudan", whom="Yida"),
        _worded("Sudan bombed Yida .", "bombed", id="c", who="Sudan", whom="Yida"),
        _worded("Sudan bombs Yida .", "bombs", id="d", who="Sudan", whom="Yida"),
    ]
    assert _label(*said) == "Sudan bombs Yida"
    assert _label(*said[:3]) == "Sudan did not bomb Yida"


def test_label_writes_headline_words_small_and_names_large() -> None:
    shooting = _worded("Office Shooting Kills One . The shooting was on Monday .", "Shooting")
    oscars = _worded("He will go to the Oscars again .", "Oscars")
    assert _label(shooting) == "shooting"
    assert _label(oscars) == "Oscars"


def test_label_leaves_out_vague_times_and_places() -> None:
    worded = _worded(
        "Police arrived now at the scene .", "arrived", who="Police", time="now", place="at the scene"
    )
    assert _label(worded) == "Police arrived"


def test_label_is_short_and_ends_with_a_whole_word() -> None:
    who, whom = (
        "Very Long Company Name Holdings Incorporated",
        "Hugely Extremely Lengthy Enterprise Title Limited",
    )
    worded = _worded(f"{who} acquires {whom} on Tuesday .", "acquires", who=who, whom=whom, time="on Tuesday")
    label = _label(worded)
    assert label.endswith("…")
    assert len(label) <= LONGEST
    assert f"{who} acquires {whom}".startswith(label[:-1] + " ")


def test_label_of_a_discontinuous_mention_holds_its_own_words() -> None:
    d = annotated()
    kill = next(m for m in d.mentions if m.anchors)
    assert _label((kill, d)) == "killed off"


@given(corpora(), st.randoms(use_true_random=False))
def test_label_is_one_line_whatever_the_text_and_the_order(corpus: Corpus, random: Random) -> None:
    def roles(document: Document) -> list[Argument]:
        others = [m for m in document.mentions if m.kind != "action"]
        return [Argument(m.id, random.choice(["ARG0", "ARG1", "ARG2", "AM-TMP", None])) for m in others]

    filled = corpus.mapped(
        lambda d: d.with_mentions(
            replace(m, arguments=tuple(roles(d))) if m.kind == "action" else m for m in d.mentions
        )
    )
    tellings = [(m, filled[m.document]) for m in filled.mentions("action")]
    if tellings:
        label = _label(*tellings)
        random.shuffle(tellings)
        assert label == _label(*tellings)
        assert label == " ".join(label.split())
        assert 0 < len(label) <= LONGEST


def test_label_of_white_space_is_an_ellipsis() -> None:
    d = Document.from_tokens("d", [["It", " ", "fell"]], text="It   fell")
    assert _label((d.mention("action", 1, 2), d)) == "…"


def _events(corpus: Corpus) -> Sequence[list[Worded]]:
    events: dict[str, list[Worded]] = {}
    for mention in corpus.mentions("action"):
        if mention.event:
            events.setdefault(mention.event, []).append((mention, corpus[mention.document]))
    return list(events.values())


@pytest.mark.slow
@needs_data("ecbplus")
def test_labels_of_ecbplus_do_not_depend_on_the_order_and_say_words_of_the_event() -> None:
    random = Random(7)
    for tellings in _events(ecbplus_release()):
        label = _label(*tellings)
        texts = " ".join(mention.text for mention, _ in tellings).casefold().replace(" - ", "-")
        assert any(word in texts for word in label.casefold().split())
        random.shuffle(tellings)
        assert _label(*tellings) == label
