"""What annotated documents teach, on documents written by hand."""

from __future__ import annotations

from dataclasses import replace

from builders import document
from parses import parsed
from samevent.corpus import Document, Kind, Sentence
from samevent.extraction.gold import gold_path, length_limits, marked_sentences
from samevent.language.annotation import Annotation

ROOMY = (9, 9, 9, 9)
ACTION, PARTICIPANT, TIME, LOCATION = range(1, 5)

CHECKED = """
    Lohan PROPN nsubj checked
    checked VERB ROOT checked check
    herself PRON dobj checked
    quietly ADV advmod checked
    out ADV prt checked
    of ADP prep checked
    the DET det clinic
    Oslo PROPN compound clinic
    clinic NOUN pobj of
"""


def flat(document: Document) -> Annotation:
    """Return a parse in which every word hangs on the first of its sentence."""
    n = len(document.tokens)
    tops = [document.sentences[document.sentence_of(i)].start for i in range(n)]
    return Annotation(
        tags=("NN",) * n, pos=("NOUN",) * n, lemmas=("x",) * n, heads=tuple(tops), labels=("dep",) * n
    )


def marked(*spans: tuple[Kind, int, int], words: str = "a b c d . e f g . h i .") -> Document:
    d = document(words=words)
    return d.with_mentions(d.mention(*span) for span in spans)


def test_only_sentences_with_mentions_are_used() -> None:
    assert marked_sentences(marked(("time", 9, 10), ("action", 0, 2), ("action", 1, 2))) == [0, 2]
    assert marked_sentences(marked()) == []


def test_addresses_are_never_used() -> None:
    d = marked(("action", 0, 1), ("action", 5, 6))
    sentences = (replace(d.sentences[0], is_url=True), *d.sentences[1:])
    assert marked_sentences(replace(d, sentences=sentences)) == [1]


def test_mentions_are_segments_in_the_order_of_the_text() -> None:
    d = marked(("time", 6, 8), ("location", 2, 3), ("participant", 0, 2), ("action", 3, 4))
    assert gold_path(d, flat(d), ROOMY) == [
        (0, 2, PARTICIPANT),
        (2, 3, LOCATION),
        (3, 4, ACTION),
        (6, 8, TIME),
    ]


def test_events_win_over_overlapping_mentions() -> None:
    everything: list[tuple[Kind, int, int]] = [
        ("participant", 0, 2),
        ("location", 1, 3),
        ("time", 2, 4),
        ("action", 3, 4),
    ]
    d = marked(*everything)
    assert gold_path(d, flat(d), ROOMY) == [(1, 3, LOCATION), (3, 4, ACTION)]
    d = marked(*everything[:3])
    assert gold_path(d, flat(d), ROOMY) == [(0, 2, PARTICIPANT), (2, 4, TIME)]
    d = marked(*everything[:2])
    assert gold_path(d, flat(d), ROOMY) == [(1, 3, LOCATION)]


def test_first_then_shorter_of_overlapping_mentions_of_a_kind_wins() -> None:
    d = marked(("action", 1, 3), ("action", 0, 2))
    assert gold_path(d, flat(d), ROOMY) == [(0, 2, ACTION)]
    d = marked(("action", 0, 3), ("action", 0, 2))
    assert gold_path(d, flat(d), ROOMY) == [(0, 2, ACTION)]


def test_a_mention_left_out_blocks_no_other() -> None:
    d = marked(("action", 0, 3), ("participant", 1, 2))
    assert gold_path(d, flat(d), (2, 9, 9, 9)) == [(1, 2, PARTICIPANT)]


def test_a_mention_over_a_sentence_border_is_left_out() -> None:
    d = marked(("action", 3, 7), ("time", 9, 11))
    assert gold_path(d, flat(d), ROOMY) == [(9, 11, TIME)]


def test_discontinuous_mention_is_represented_by_the_part_with_its_head() -> None:
    d, annotation = parsed(CHECKED)
    out = d.mention("action", 1, 5, tokens=(1, 4))
    place = d.mention("location", 6, 9, tokens=(6, 8))
    assert gold_path(d.with_mentions([out, place]), annotation, ROOMY) == [(1, 2, ACTION), (8, 9, LOCATION)]


def test_part_of_a_discontinuous_mention_may_be_any_but_must_fit() -> None:
    d, annotation = parsed(CHECKED)
    place = d.with_mentions([d.mention("location", 5, 9, tokens=(5, 7, 8))])
    assert gold_path(place, annotation, ROOMY) == [(7, 9, LOCATION)]
    assert gold_path(place, annotation, (9, 9, 9, 1)) == []


def test_limits_leave_one_token_beyond_nearly_all_mentions() -> None:
    words = " ".join("abcdefghij" * 40)
    short: list[tuple[Kind, int, int]] = [("action", i, i + 2) for i in range(0, 398, 2)]
    assert length_limits([marked(*short, words=words)]) == (3, 2, 2, 2)
    few = marked(("time", 0, 4), ("time", 10, 17), words=words)
    assert length_limits([few]) == (2, 2, 8, 2)
    # One of 301 is within the half per cent that may be too long; sizes 1 come from one that stands for none.
    many = marked(*((("participant", i, i + 1)) for i in range(300)), ("participant", 0, 30), words=words)
    assert length_limits([many])[PARTICIPANT - 1] == 2
    assert length_limits([]) == (2, 2, 2, 2)


def test_sentence_without_tokens_is_skipped() -> None:
    d = replace(marked(("action", 0, 1)), sentences=(Sentence(0, 5), Sentence(5, 5), Sentence(5, 12)))
    assert marked_sentences(d) == [0]
    assert gold_path(d, flat(marked()), ROOMY) == [(0, 1, ACTION)]
