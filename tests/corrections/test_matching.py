"""Decisions find their mentions by characters, and say which they do not find."""

from __future__ import annotations

from dataclasses import replace

from samevent.corpus import Argument, Corpus, Document
from samevent.corrections import Corrections, Decision, MarkedMention, NotEvents, match, new_decision

TEXT = "The army bombed the camp . Officials denied the bombing raid ."


def document(*spans: tuple[int, int], id: str = "d") -> Document:
    made = Document.from_tokens(id, [TEXT.split()])
    return made.with_mentions(made.mention("action", start, end) for start, end in spans)


def marked(text: str, id: str = "d", start: int | None = None) -> MarkedMention:
    at = TEXT.index(text) if start is None else start
    return MarkedMention(id, at, at + len(text), text)


def matched(corpus: Corpus, *decisions: Decision) -> tuple[list[list[int]], list[list[int]], list[str]]:
    ids = [m.id for m in corpus.mentions("action")]
    found = match(Corrections(decisions), corpus, ids)
    held = found.constraints
    return held.must_link.tolist(), held.cannot_link.tolist(), [each.reason for each in found.missing]


def test_mentions_are_found_by_their_characters_or_the_only_overlap() -> None:
    corpus = Corpus([document((2, 3), (7, 8), (9, 11))])
    assert matched(corpus, new_decision("same", [[marked("bombed"), marked("bombing raid")]])) == (
        [[0, 2]],
        [],
        [],
    )
    assert matched(corpus, new_decision("same", [[marked("bombed"), marked("raid")]])) == ([[0, 2]], [], [])


def test_mentions_that_are_not_found_are_listed_with_reasons() -> None:
    corpus = Corpus([document((2, 3), (7, 8), (9, 10), (10, 11))])
    decision = new_decision(
        "same",
        [[
            marked("bombed"), marked("denied"), marked("bombing raid"), marked("camp"), marked("bombed", "other"),
            marked("bombs", start=4),
        ]],
    )  # fmt: skip
    must, _, reasons = matched(corpus, decision)
    assert must == [[0, 1]]
    assert reasons == [
        "2 event mentions overlap it",
        "there is no event mention",
        "the document is not in the run",
        "the document has another text there",
    ]


def test_two_marked_mentions_that_are_one_now_cannot_be_kept_apart() -> None:
    corpus = Corpus([document((2, 3), (9, 11))])
    bombing, raid = marked("bombing"), marked("raid")
    assert matched(corpus, new_decision("same", [[bombing, raid]])) == ([], [], [])
    must, cannot, reasons = matched(corpus, new_decision("different", [[bombing], [raid]]))
    assert (must, cannot) == ([], [])
    assert reasons == ["it is one mention of the run with another that it is kept apart from"]


def test_mentions_that_are_no_events_leave_the_document_with_their_arguments() -> None:
    made = document((2, 3), (7, 8), (9, 11))
    first, denied, raid = made.mentions
    linked = made.with_mentions([first, replace(denied, arguments=(Argument(raid.id, "ARG1"),)), raid])
    decision = new_decision("not-an-event", [[marked("bombing raid")]])
    corrections = Corrections((decision,))
    kept = NotEvents(corrections).without(linked)
    assert [m.text for m in kept.mentions] == ["bombed", "denied"]
    assert not kept.mentions[1].arguments
    assert kept.extra["not_events"] == [
        {"char_start": 48, "char_end": 60, "text": "bombing raid", "correction": decision.id}
    ]
    assert not match(corrections, Corpus([kept]), [m.id for m in kept.mentions]).missing
    assert match(corrections, Corpus([document((2, 3))]), ["d:2-3:action"]).missing


def test_marks_and_names_are_those_of_the_decisions_that_hold() -> None:
    corpus = Corpus([document((2, 3), (7, 8), (9, 11))])
    ids = [m.id for m in corpus.mentions("action")]
    same = new_decision("same", [[marked("bombed"), marked("bombing raid")]])
    name, other = (
        new_decision("rename", [[marked("bombed")]], label=label) for label in ("Raid", "The raid")
    )
    found = match(Corrections((same, name, other)), corpus, ids)
    assert {id: [(m.decision, m.id) for m in marks] for id, marks in found.marks.items()} == {
        ids[0]: [("same", same.id), ("rename", other.id)],
        ids[2]: [("same", same.id)],
    }
    assert {id: each.label for id, each in found.renamings.items()} == {ids[0]: "The raid"}
    assert found.about["decisions"] == 3
