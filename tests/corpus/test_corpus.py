from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise

import pytest
from hypothesis import given

import samevent.corpus.document
from builders import annotated, corpora, document
from samevent.corpus import Clustering, Corpus, Document, Reference, Sentence, When
from samevent.errors import CorpusError


@given(corpora())
def test_offsets_agree_with_the_text(corpus: Corpus) -> None:
    for d in corpus:
        for m in d.mentions:
            assert d.text[m.char_start : m.char_end] == m.text
            assert d.tokens[m.start].start == m.char_start
            assert d.tokens[m.end - 1].end == m.char_end
            assert d.token_span(m.char_start, m.char_end) == m.span
            assert d.sentences[d.sentence_of(m.start)].start <= m.start


def test_values_are_frozen() -> None:
    d = annotated()
    for value in (d, d.tokens[0], d.sentences[0], d.mentions[0]):
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            value.start = 3  # type: ignore[union-attr,misc]


def test_discontinuous_mention_keeps_anchors_and_a_covering_span() -> None:
    m = annotated().mentions[-1]
    assert (m.tokens, m.span, m.text) == ((8, 11), (8, 12), "killed ten people off")


@given(corpora())
def test_runs_are_the_tokens_without_gaps(corpus: Corpus) -> None:
    for m in corpus.mentions():
        assert tuple(token for run in m.runs for token in range(*run)) == m.tokens
        assert all(end < start for (_, end), (start, _) in pairwise(m.runs))


def test_contiguous_tokens_need_no_anchors() -> None:
    assert document().mention("action", 1, 3, tokens=(1, 2)).anchors == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": "Sudan bomb Yida"}, "does not match the text"),
        ({"sentences": (Sentence(0, 3),)}, "do not cover"),
        ({"sentences": (Sentence(0, 5), Sentence(4, 9))}, "do not cover"),
        ({"id": ""}, "empty id"),
        ({"text": "Sudan bombs Yida .\nThe raid killed ten .\ud800"}, "surrogate"),
    ],
)
def test_document_rejects_parts_that_disagree(change: dict[str, object], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        replace(document(), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end": 99}, "spans tokens"),
        ({"char_end": 9}, "has the text"),
        ({"text": "bomb"}, "has the text"),
        ({"head": 3}, "head"),
        ({"kind": "verb"}, "kind"),
        ({"probability": 1.5}, "probability"),
        ({"event_class": "verb"}, "event class 'verb'"),
        ({"kind": "time", "event_class": "state"}, "expected an action"),
        ({"kind": "time", "negated": True}, "expected an action"),
        ({"anchors": (1, 1)}, "each token once"),
        ({"document": "d9"}, "belongs to document"),
    ],
)
def test_document_rejects_a_mention_that_disagrees_with_it(change: dict[str, object], message: str) -> None:
    d = document()
    with pytest.raises(CorpusError, match=message):
        d.with_mentions([replace(d.mention("action", 1, 2), **change)])  # type: ignore[arg-type]


@pytest.mark.parametrize("build", [Document.from_text, lambda id, text: Document.from_tokens(id, [[text]])])
def test_document_over_the_limit_is_rejected_before_it_is_tokenised(
    monkeypatch: pytest.MonkeyPatch, build: Callable[[str, str], Document]
) -> None:
    monkeypatch.setattr(samevent.corpus.document, "MAX_CHARACTERS", 10)
    assert build("a", "x" * 10).tokens
    monkeypatch.delattr(samevent.corpus.document, "Token")
    with pytest.raises(CorpusError, match=r"'a' has 11 characters; expected at most 10"):
        build("a", "x" * 11)


def test_document_rejects_the_same_mention_id_twice() -> None:
    d = document()
    with pytest.raises(CorpusError, match="id"):
        d.with_mentions([d.mention("action", 1, 2), d.mention("action", 1, 2)])


def test_corpus_rejects_the_same_ids_twice() -> None:
    with pytest.raises(CorpusError, match="two documents"):
        Corpus([document(), document()])
    a, b = document("a"), document("b")
    with pytest.raises(CorpusError, match="both have a mention"):
        Corpus(d.with_mentions([d.mention("action", 1, 2, id="m1")]) for d in (a, b))


@pytest.mark.parametrize(("start", "end"), [(7, 10), (0, 3), (3, 3), (5, 6), (-1, 4), (0, 999)])
def test_token_span_rejects_half_tokens_and_empty_spans(start: int, end: int) -> None:
    with pytest.raises(CorpusError):
        document().token_span(start, end)


def test_token_span_ignores_surrounding_white_space() -> None:
    assert document().token_span(5, 12) == (1, 2)


def test_plain_tokens_are_cut_at_mention_borders() -> None:
    d = Document.from_text("a", "an airstrike hit", borders=[6, 12])
    assert [t.text for t in d.tokens] == ["an", "air", "strike", "hit"]
    assert d.token_span(6, 12) == (2, 3)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Mr. Smith left. He ran.", ["Mr. Smith left.", "He ran."]),
        ("The U.S. army left.", ["The U.S. army left."]),
        ("A headline\n\nThe text goes on", ["A headline", "The text goes on"]),
        ('"It fell." Then it rose!', ['"It fell."', "Then it rose!"]),
        ("It cost 3.5 dollars at 10:30.", ["It cost 3.5 dollars at 10:30."]),
        ("First line\r\n\r\nSecond", ["First line", "Second"]),
    ],
)
def test_plain_sentences(text: str, sentences: list[str]) -> None:
    d = Document.from_text("a", text)
    found = [d.text[d.tokens[s.start].start : d.tokens[s.end - 1].end] for s in d.sentences]
    assert found == sentences


def test_sentences_without_words_leave_no_trace_in_the_text() -> None:
    d = Document.from_tokens("a", [["It", "fell"], [], ["Then"]])
    assert d.text == "It fell\nThen"
    assert [s.end - s.start for s in d.sentences] == [2, 0, 1]


def test_empty_words_are_rejected() -> None:
    with pytest.raises(CorpusError, match="token 1"):
        Document.from_tokens("a", [["It", ""]])


def test_corpus_clustering_prefers_event_then_chain_then_singletons() -> None:
    a, b = document("a"), document("b")
    a = a.with_mentions(
        [
            a.mention("action", i, i + 1, event=e, within=w)
            for i, e, w in [(0, "x", None), (1, None, "c"), (2, None, "c"), (4, None, None)]
        ]
    )
    b = b.with_mentions(
        [b.mention("action", i, i + 1, event=e, within=w) for i, e, w in [(0, "x", "c"), (1, None, "c")]]
    )
    clusters = {frozenset(c) for c in Corpus([a, b]).clustering()}
    ids = [m.id for m in (*a.mentions, *b.mentions)]
    assert clusters == {frozenset(ids[i] for i in group) for group in [(0, 4), (1, 2), (3,), (5,)]}


def test_events_are_numbered_by_their_first_mention() -> None:
    corpus = Corpus([annotated("a"), annotated("b")])
    ids = [m.id for m in corpus.mentions("action")]
    numbered = corpus.with_clustering(Clustering([[ids[4], ids[1]], [ids[5], ids[0]]]))
    assert [m.event for m in numbered.mentions("action")] == ["e1", "e2", None, None, "e2", "e1"]


@given(corpora())
def test_with_clustering_gives_the_clustering_back(corpus: Corpus) -> None:
    clustering = corpus.clustering()
    assert corpus.with_clustering(clustering).clustering() == clustering


def test_filtered_corpus_drops_arguments_that_lost_their_mention() -> None:
    actions = Corpus([annotated()]).filtered(lambda m: m.kind == "action")
    assert [m.arguments for m in actions.mentions()] == [(), (), ()]


def test_units_are_named_by_topic_and_subtopic() -> None:
    corpus = Corpus([document("a", topic="1", subtopic="x"), document("b", topic="2", subtopic="x")])
    assert list(corpus.grouped("subtopic")) == ["1/x", "2/x"]
    assert list(corpus.grouped("topic")) == ["1", "2"]
    assert list(corpus.grouped("corpus")) == ["corpus"]
    with pytest.raises(CorpusError, match="no topic"):
        Corpus([document()]).grouped("topic")


def test_references_replace_those_of_their_mentions_alone() -> None:
    d = annotated()
    known = Reference(when=When("2031-03-04", "2031-03-04"))
    first, second, *rest = d.with_references({d.mentions[1].id: known}).mentions
    assert (first, *rest) == (d.mentions[0], *d.mentions[2:])
    assert second == replace(d.mentions[1], refers=known)


def test_mentions_that_a_document_has_are_not_checked_again_but_new_ones_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    d = annotated()
    changed = replace(d.mentions[0], char_end=d.mentions[0].char_end + 1)
    with pytest.raises(CorpusError, match="as its tokens are"):
        d.with_mentions([changed, *d.mentions[1:]])
    checked: list[str] = []
    monkeypatch.setattr(samevent.corpus.document, "check_mention", lambda m: checked.append(m.id))
    d.with_mentions([replace(d.mentions[0]), *d.mentions[1:]])
    assert checked == [d.mentions[0].id]
