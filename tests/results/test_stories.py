from __future__ import annotations

from dataclasses import replace

from builders import document
from samevent.corpus import Corpus, Document
from samevent.results import Result
from samevent.results.result import without_reasons
from samevent.results.stories import EventLine, Head, group_documents, head_of, name_groups, tell


def _line(id: str, documents: str, sure: float = 0.9, weight: float = 1.0) -> EventLine:
    return EventLine(id, documents.split(), sure, weight)


def test_documents_that_share_events_are_a_story() -> None:
    lines = [_line("e1", "a b"), _line("e2", "a b"), _line("e3", "c d"), _line("e4", "e")]
    assert name_groups(group_documents("abcde", lines)) == {"a": "s1", "b": "s1", "c": "s2", "d": "s2"}


def test_one_of_many_events_makes_no_story() -> None:
    own = [_line(f"{d}{n}", f"{d} {d}'") for d in "ab" for n in range(8)]
    groups = group_documents(["a", "a'", "b", "b'"], [*own, _line("e", "a b", 0.1)])
    assert groups["a"] == groups["a'"] != groups["b"] == groups["b'"]


def test_stories_have_the_shared_title_dates_and_their_own_events_first() -> None:
    heads = {
        "a": Head("Sudan bombs camp in Yida", "2011-11-11"),
        "b": Head("Pressure grows", None),
        "c": Head("Camp in Yida bombed, UN says", "2011-11-10"),
        "d": Head("Alone", None),
    }
    lines = [_line("e1", "a d", weight=3.0), _line("e2", "a b c", weight=2.0), _line("e3", "d", weight=9.0)]
    [story] = tell({"a": "s1", "b": "s1", "c": "s1"}, heads, lines)
    assert (story.headline, story.documents) == ("Sudan bombs camp in Yida", ("a", "b", "c"))
    assert story.dates == ("2011-11-10", "2011-11-11")
    assert story.events == ("e2", "e1")


def test_event_is_told_in_the_story_that_has_most_of_its_documents() -> None:
    heads = {document: Head(document, None) for document in "abcd"}
    lines = [_line("e1", "a b c"), _line("e2", "b c")]
    stories = tell({"a": "s1", "b": "s1", "c": "s2", "d": "s2"}, heads, lines)
    assert {story.id: story.events for story in stories} == {"s1": ("e1", "e2"), "s2": ("e2",)}


def test_title_of_a_document_without_one_is_its_headline_or_first_sentence() -> None:
    assert (
        head_of(Document.from_text("a", "Sudan bombs camp\n\nJets came."), None).title == "Sudan bombs camp"
    )
    assert head_of(Document.from_text("a", "Jets came. They left."), None).title == "Jets came."
    assert head_of(Document.from_text("a", " "), None).title == "a"
    assert head_of(Document.from_text("a", "2011-11-10\n\nJets came. They left."), None).title == "Jets came."


def _result() -> Result:
    def told(id: str, event: str) -> Document:
        base = document(id, "Jets bombed Yida . Then tanks shelled Juba .")
        mentions = [
            base.mention("action", 1, 2, event=event),
            base.mention("action", 6, 7, event=f"{event}'"),
        ]
        return base.with_mentions(mentions)

    return Result(
        Corpus([told("a", "e1"), told("b", "e1"), told("c", "e2"), told("d", "e2"), told("f", "e3")])
    )


def test_result_keeps_stories_in_its_files() -> None:
    result = _result()
    assert [story.documents for story in result.stories] == [("a", "b"), ("c", "d")]
    assert result.stories.of("b") is result.stories["s1"]
    assert result.stories.of("f") is None
    again = Result.from_corpus(result.to_corpus())
    assert list(again.stories) == list(result.stories)
    assert again.corpus == result.corpus
    renamed = replace(again, story_of={"a": "s7", "b": "s7"})
    assert [story.id for story in renamed.stories] == ["s7"]
    assert renamed.to_corpus()["a"].extra == {"story": "s7"}


def test_stories_of_an_earlier_run_are_forgotten() -> None:
    corpus = _result().to_corpus()
    assert corpus["a"].extra["story"] == "s1"
    assert not without_reasons(corpus)["a"].extra
