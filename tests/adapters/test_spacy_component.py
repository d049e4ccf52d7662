"""Events as spans of spaCy's Docs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from samevent.adapters.spacy_component import EventComponent, resolve_docs
from samevent.corpus import Corpus, Document
from samevent.errors import CorpusError
from samevent.model import Model, Options
from samevent.results import Result


@dataclass
class WordsAreEvents:
    """Takes every word with one of some beginnings for an event, and equal beginnings for the same event."""

    beginnings: dict[str, str] = field(default_factory=lambda: {"bomb": "e1", "raid": "e2"})
    seen: list[Document] = field(default_factory=list)
    options: Options | None = None

    def resolve(self, corpus: Iterable[Document], *, options: Options) -> Result:
        self.seen, self.options = list(corpus), options
        return Result(Corpus(map(self._resolved, self.seen)))

    def _resolved(self, document: Document) -> Document:
        return document.with_mentions(
            document.mention("action", i, i + 1, event=event)
            for i, token in enumerate(document.tokens)
            for beginning, event in self.beginnings.items()
            if token.text.startswith(beginning)
        )


@dataclass
class Failing:
    """Finds nothing but trouble."""

    error: Exception

    def resolve(self, corpus: Iterable[Document], *, options: Options) -> Result:
        raise self.error


def _nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    return nlp


NLP = _nlp()


def _labelled(doc: Doc) -> list[tuple[str, str]]:
    return [(span.text, span.label_) for span in doc.spans["events"]]


def test_resolved_docs_have_one_label_for_an_event_everywhere() -> None:
    docs = list(NLP.pipe(["Sudan bombs Yida.", "A raid came. They bombed it."]))
    assert resolve_docs(docs, model=WordsAreEvents()) == docs
    assert [_labelled(doc) for doc in docs] == [[("bombs", "e1")], [("raid", "e2"), ("bombed", "e1")]]
    assert docs[1].spans["events"].attrs["labels"] == {"e1": "Bombs", "e2": "Raid"}
    assert [span.id_ for span in docs[1].spans["events"]] == ["doc-2:1-2:action", "doc-2:5-6:action"]


def test_documents_have_the_tokens_and_sentences_of_the_doc_without_white_space() -> None:
    model = WordsAreEvents()
    doc = NLP("\n\n Sudan  bombs\tYida . \n\n\tThey bombed   it again. ")
    resolve_docs([doc], model=model)
    [document] = model.seen
    assert document.tokens_given
    assert document.text == doc.text
    assert [document.words(s) for s in document.sentences] == [
        "Sudan bombs Yida .".split(),
        "They bombed it again .".split(),
    ]
    assert _labelled(doc) == [("bombs", "e1"), ("bombed", "e1")]


def test_doc_without_sentences_gets_plain_ones_that_are_not_kept() -> None:
    model = WordsAreEvents()
    [doc] = resolve_docs([spacy.blank("en")("Sudan bombs Yida. They raid it.")], model=model)
    assert [len(model.seen[0].words(s)) for s in model.seen[0].sentences] == [4, 4]
    assert not doc.has_annotation("SENT_START")


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_spans_cover_exactly_the_words_of_any_text(text: str) -> None:
    [doc] = resolve_docs([NLP(text)], model=WordsAreEvents({"": "e1"}))
    assert [(span.start, span.end) for span in doc.spans["events"]] == [
        (token.i, token.i + 1) for token in doc if not token.is_space
    ]


def test_docs_without_words_or_events_have_no_spans() -> None:
    nothing = WordsAreEvents({})
    docs = resolve_docs([NLP(""), NLP(" \n "), NLP("So it goes.")], model=nothing)
    assert [len(doc.spans["events"]) for doc in docs] == [0, 0, 0]
    assert resolve_docs([], model=nothing) == []


def test_errors_are_not_hidden() -> None:
    with pytest.raises(CorpusError, match="broken"):
        resolve_docs([NLP("So it goes.")], model=Failing(CorpusError("broken")))


def test_spans_survive_being_stored() -> None:
    [doc] = resolve_docs([NLP("Sudan bombs Yida.")], model=WordsAreEvents(), key="news")
    again = Doc(NLP.vocab).from_bytes(doc.to_bytes())
    [span] = again.spans["news"]
    assert (span.text, span.label_, span.id_) == ("bombs", "e1", "doc-1:1-2:action")
    assert again.spans["news"].attrs["labels"] == {"e1": "Bombs"}


def test_component_finds_events_of_each_doc_with_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    model, loaded = WordsAreEvents(), []

    def load(name: str) -> WordsAreEvents:
        loaded.append(name)
        return model

    monkeypatch.setattr(Model, "load", load)
    nlp = _nlp()
    nlp.add_pipe("samevent", config={"model": "mine", "seed": 7, "keep_singletons": False, "key": "news"})
    assert loaded == []
    docs = list(nlp.pipe(["Sudan bombs Yida.", "Nothing."]))
    assert [[span.label_ for span in doc.spans["news"]] for doc in docs] == [["e1"], []]
    assert loaded == ["mine"]
    assert model.options == Options(seed=7, keep_singletons=False)


def test_component_is_rebuilt_from_the_configuration_of_its_pipeline() -> None:
    nlp = _nlp()
    nlp.add_pipe("samevent", config={"seed": 7})
    again = spacy.blank("en").from_config(nlp.config).get_pipe("samevent")
    assert isinstance(again, EventComponent)
    assert (again.model, again.options.seed) == ("en-news", 7)


def test_shipped_model_gives_the_same_event_of_two_docs_one_label() -> None:
    texts = [
        "Sudan bombed the Yida refugee camp on Thursday. The bombing killed ten people.",
        "Ten people were killed when Sudan bombed the Yida refugee camp in South Sudan on Thursday.",
    ]
    docs = resolve_docs(NLP.pipe(texts))
    first, second = ({span.text: span.label_ for span in doc.spans["events"]} for doc in docs)
    assert first["bombed"] == second["bombed"] != first["killed"]
    assert docs[0].spans["events"].attrs["labels"][first["bombed"]].startswith("Sudan bombed")


def test_shipped_model_finds_nothing_where_nothing_happens() -> None:
    [doc] = resolve_docs([NLP("Hello!")])
    assert len(doc.spans["events"]) == 0
