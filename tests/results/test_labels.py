"""Labels of events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from builders import corpora, document
from samevent.corpus import Argument, Corpus, Document, Mention, Reference, When, Where
from samevent.results.labels import LONGEST, event_label

Worded = tuple[Mention, Document]


def _worded(
    words: str, event: str, clause: str | None = None, *who: str, id: str = "d", negated: bool = False
) -> Worded:
    """Build a document of these words, with an event, its clause and its participants."""
    base = document(id, words)

    def span(phrase: str) -> tuple[int, int]:
        wanted, tokens = phrase.split(), words.split()
        at = next(i for i in range(len(tokens)) if tokens[i : i + len(wanted)] == wanted)
        return at, at + len(wanted)

    fillers = [base.mention("participant", *span(phrase)) for phrase in who]
    arguments = [Argument(filler.id) for filler in fillers]
    action = base.mention("action", *span(event), arguments=arguments, clause=clause, negated=negated)
    return action, base.with_mentions([action, *fillers])


def _label(*worded: Worded) -> str:
    return event_label(worded, {m.id: m for _, document in worded for m in document.mentions})


def test_label_is_the_clause_that_names_most_participants() -> None:
    bare = _worded("The raid shocked the world .", "raid", "The raid")
    whole = _worded("On Monday jets raided Yida .", "raided", "jets raided Yida", "jets", "Yida")
    assert _label(bare, whole) == _label(whole, bare) == "Jets raided Yida"


def test_label_takes_the_word_of_most_mentions() -> None:
    raids = [_worded(f"Jets raided Yida {n} .", "raided", "Jets raided Yida", "Jets", "Yida") for n in "ab"]
    other = _worded("Jets hit Yida .", "hit", "Jets hit Yida", "Jets", "Yida")
    assert _label(other, *raids) == "Jets raided Yida"


def test_label_prefers_names_to_pronouns() -> None:
    unnamed = _worded("They raided Yida .", "raided", "They raided Yida", "They", "Yida")
    named = _worded("Later jets raided it .", "raided", "jets raided it", "jets")
    assert _label(unnamed, named) == "Jets raided it"


def _referring(worded: Worded, day: str, place: Where | None = None) -> Worded:
    mention, base = worded
    changed = replace(mention, refers=Reference(When(day, day, source="argument"), place))
    return changed, base.with_mentions(changed if m == mention else m for m in base.mentions)


def test_label_has_the_place_and_date_that_its_mentions_agree_on() -> None:
    tarn, kestry = (Where(name, id, ("Oakland",), "argument") for name, id in (("Tarn", 1), ("Kestry", 2)))
    told = _worded("Jets raided Yida .", "raided", "jets raided Yida", "Jets", "Yida")
    others = [
        _referring(_worded("The raid ended .", "raid", "The raid", id=id), "2031-03-04", kestry)
        for id in "ab"
    ]
    assert _label(_referring(told, "2031-03-04"), *others) == "Jets raided Yida · 4 Mar 2031"
    assert _label(_referring(told, "2030-01-01", tarn), *others) == "Jets raided Yida"
    assert _label(_referring(told, "2030-01-01", tarn)) == "Jets raided Yida · Tarn · 1 Jan 2030"


def test_label_denies_only_what_most_mentions_deny() -> None:
    denied = _worded(
        "Sudan did not raid Yida .", "raid", "Sudan did not raid Yida", "Sudan", "Yida", negated=True
    )
    said = _worded("Jets raided Yida .", "raided", "Jets raided Yida", "Jets", "Yida")
    assert _label(denied, said, said) == "Jets raided Yida"
    assert _label(denied, denied, said) == "Sudan did not raid Yida"


def test_label_prefers_what_happened_to_what_is_asked_or_wanted() -> None:
    asked = _worded("Did Sudan raid Yida ?", "raid", "Did Sudan raid Yida", "Sudan", "Yida")
    wanted = _worded("They came to raid Yida .", "raid", "to raid Yida", "Yida")
    said = _worded("Jets raided Yida .", "raided", "Jets raided Yida", "Jets", "Yida")
    assert _label(asked, wanted, said) == "Jets raided Yida"


def test_label_says_who_did_it_rather_than_what_a_noun_phrase_is_about() -> None:
    noun = _worded(
        "The approval of shareholders came late .", "approval", "The approval of shareholders", "shareholders"
    )
    verb = _worded(
        "Shareholders approved the deal .", "approved", "Shareholders approved the deal", "Shareholders"
    )
    assert _label(noun, verb) == _label(verb, noun) == "Shareholders approved the deal"


def test_label_does_not_take_a_subject_from_before_a_participle() -> None:
    loose = _worded(
        "A quake hit , buildings injuring 50 people .",
        "injuring",
        "buildings injuring 50 people",
        "buildings",
    )
    whole = _worded("Later 50 people were injured .", "injured", "50 people were injured", "50 people")
    assert _label(loose, whole) == "50 people were injured"


def test_label_without_clauses_is_the_words_of_a_mention() -> None:
    assert _label(_worded("Jets carried out a raid .", "carried out")) == "Carried out"
    base = document("d", "They took the house over .")
    apart = base.mention("action", 1, 5, tokens=(1, 4))
    assert _label((apart, base.with_mentions([apart]))) == "Took over"


def test_label_is_short_and_ends_with_a_whole_word() -> None:
    clause = " ".join(["word"] * 40)
    label = _label(_worded("Jets raided Yida .", "raided", clause))
    assert len(label) <= LONGEST
    assert label.removesuffix("…").endswith("word")


@given(corpora(), st.randoms())
def test_label_is_one_line_whatever_the_text_and_the_order(corpus: Corpus, random: Random) -> None:
    known = {m.id: m for document in corpus for m in document.mentions}
    worded: list[Worded] = [
        (m, document) for document in corpus for m in document.mentions if m.kind == "action"
    ]
    if not worded:
        return
    label = event_label(worded, known)
    assert label
    assert len(label.splitlines()) == 1
    assert len(label) <= LONGEST
    shuffled: Sequence[Worded] = random.sample(worded, len(worded))
    assert event_label(shuffled, known) == label


def test_label_of_white_space_is_an_ellipsis() -> None:
    base = Document.from_tokens("d", [["\u2003"]], text="\u2003")
    blank = base.mention("action", 0, 1)
    assert event_label([(blank, base.with_mentions([blank]))], {}) == "…"
