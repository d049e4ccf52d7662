"""Rows of events and mentions."""

from __future__ import annotations

from dataclasses import replace

from builders import annotated
from samevent.corpus import (
    Argument,
    Corpus,
    Document,
    Entity,
    EventClass,
    Mention,
    Quantity,
    Reference,
    When,
)
from samevent.results import Result
from samevent.results.rows import EVENT_COLUMNS, MENTION_COLUMNS, event_rows, mention_rows


def _result() -> Result:
    first = annotated("d1", title="A raid", date="2011-11-10")
    second = annotated("d2", date="2011-11-12")
    closest = {
        "mention": "d2:1-2:action",
        "similarity": 0.987654321,
        "probability": 0.9,
        "reasons": [["same word", 2.0]],
    }

    def explained(mention: Mention) -> Mention:
        if mention.id != "d1:1-2:action":
            return mention
        return replace(
            mention, extra={"event_probability": 0.9, "event_belief": {"probability": 2 / 3}, "why": closest}
        )

    return Result.from_corpus(Corpus([first.with_mentions(map(explained, first.mentions)), second]))


def test_event_rows_sum_up_each_event_in_order_of_its_first_mention() -> None:
    rows = list(event_rows(_result()))
    assert [row["event"] for row in rows] == ["raid", "kill d1", "kill d2"]
    assert all(list(row) == EVENT_COLUMNS for row in rows)
    raid = rows[0]
    assert raid["label"]
    assert (raid["mentions"], raid["documents"]) == (4, 2)
    assert (raid["first_date"], raid["last_date"]) == ("2011-11-10", "2011-11-12")
    assert raid["document_ids"] == "d1;d2"
    assert raid["probability"] == 0.6667
    assert rows[1]["probability"] is None


def test_rows_say_the_class_and_whether_a_mention_is_negated() -> None:
    result = _result()
    assert [row["event_class"] for row in event_rows(result)] == ["occurrence"] * 3
    kills = [row for row in mention_rows(result) if str(row["event"]).startswith("kill")]
    assert [(row["event_class"], row["negated"]) for row in kills] == [("occurrence", "yes")] * 2
    assert {row["negated"] for row in mention_rows(result) if row["event"] == "raid"} == {None}


def test_class_of_an_event_is_that_of_most_mentions() -> None:
    d = Document.from_tokens("d", [list("abcdef")])

    def common(*classes: EventClass | None) -> EventClass | None:
        mentions = (
            d.mention("action", i, i + 1, event="e", event_class=name) for i, name in enumerate(classes)
        )
        [row] = event_rows(Result(Corpus([d.with_mentions(mentions)])))
        return row["event_class"]  # type: ignore[return-value]

    assert common("state", "reporting", "reporting") == "reporting"
    assert common("reporting", "state") == "state"
    assert common(None, None, "generic") == "generic"
    assert common(None, None) is None


def test_mention_rows_hold_every_mention_once_and_say_where_it_stands() -> None:
    result = _result()
    rows = list(mention_rows(result))
    assert all(list(row) == MENTION_COLUMNS for row in rows)
    assert sorted(str(row["mention"]) for row in rows) == sorted(
        m.id for m in result.corpus.mentions("action")
    )
    for row in rows:
        text = result.corpus[str(row["document"])].text
        assert text[int(row["char_start"] or 0) : int(row["char_end"] or 0)] == row["text"]
        assert str(row["text"]) in str(row["sentence"])


def test_mention_rows_name_arguments_by_kind_and_the_closest_mention() -> None:
    bombs, raid, *_ = mention_rows(_result())
    assert (bombs["participants"], bombs["times"], bombs["locations"]) == ("Sudan", None, "Yida")
    assert (bombs["title"], bombs["date"]) == ("A raid", "2011-11-10")
    assert (bombs["closest"], bombs["similarity"]) == ("d2:1-2:action", 0.9877)
    assert bombs["probability"] == 0.9
    assert (raid["participants"], raid["times"], raid["locations"]) == (None, "Thursday", None)
    assert (raid["closest"], raid["similarity"], raid["probability"]) == (None, None, None)


def test_rows_say_how_many() -> None:
    d = Document.from_tokens("d", [["shot", "died"]])
    quantities = Quantity(4, 4, "person"), Quantity(30, None, "round")
    shot = d.mention("action", 0, 1, event="e1", refers=Reference(quantities=quantities))
    died = d.mention("action", 1, 2, event="e1", refers=Reference(when=When("2011-11-10", "2011-11-10")))
    rows = mention_rows(Result(Corpus([d.with_mentions([shot, died])])))
    assert [row["how_many"] for row in rows] == ["4 person; >=30 round", None]


def test_rows_name_who_takes_part() -> None:
    """In a quarter of the mentions that name somebody or more, the most frequent first; descriptions are no names."""
    d = Document.from_tokens("d", [["Lee", "Reid", "him", *"abcde"]])
    lee, reid, he = (
        d.mention("participant", at, at + 1, refers=Reference(entity=entity))
        for at, entity in enumerate((Entity.named("Ann Lee"), Entity.named("Reid"), Entity("m1", "him")))
    )
    taking_part = ([lee, reid], [reid], [reid, he], [reid], [reid])
    events = [
        d.mention("action", at, at + 1, event="e1", arguments=[Argument(each.id, "ARG0") for each in fillers])
        for at, fillers in enumerate(taking_part, 3)
    ]
    result = Result(Corpus([d.with_mentions([lee, reid, he, *events])]))
    [event] = event_rows(result)
    assert event["who"] == "Reid (name:reid)"
    whos = [row["who"] for row in mention_rows(result)]
    assert whos[0] == "Ann Lee (name:ann lee); Reid (name:reid)"
    assert whos[1:] == ["Reid (name:reid)"] * 4
    assert [entity.name for entity in result.events[0].who] == ["Reid"]


def test_mention_rows_put_text_on_one_line() -> None:
    d = Document.from_tokens("d", [["It", "blew", "up", "."]], text="It blew\n  up .")
    rows = list(mention_rows(Result(Corpus([d.with_mentions([d.mention("action", 1, 3, event="e1")])]))))
    assert (rows[0]["text"], rows[0]["sentence"]) == ("blew up", "It blew up .")


def test_documents_count_copies_of_one_text_once() -> None:
    text = "Sudan bombs Yida . The raid killed ten people in the camp on Thursday , as the governor of the state said ."

    def reported(id: str, words: str) -> Document:
        d = Document.from_tokens(id, [words.split()])
        return d.with_mentions([d.mention("action", 1, 2, event="raid")])

    other = "Planes bombs " + " ".join(f"word{n}" for n in range(30))
    result = Result.from_corpus(
        Corpus([reported("a", text), reported("b", f"{text} (AP)"), reported("c", other)])
    )
    (row,) = event_rows(result)
    assert (row["documents"], row["copies"], row["document_ids"]) == (2, 1, "a;b;c")
    assert result.copies == {"b": "a"}
    assert result.events["raid"].distinct_documents == 2
