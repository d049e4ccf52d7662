"""Mentions that extractors find in annotated documents, with the events that are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samevent.corpus import Document
from samevent.extraction.training import HeldOut
from samevent.language.resources import resources
from samevent.model import Model
from samevent.preparation import parse
from samevent.similarity.pairs import UNKNOWN, LabelledMentions
from samevent.training.data import extracted_mentions

TEXT = "A bomb killed two people in Baghdad. Police arrested a man. The army attacked the town. Rebels fled."
ANNOTATED = (True, True, None, False)


def annotated(*actions: tuple[str, str, str | None]) -> Document:
    """Return the document with actions: their words, their first word, and their event."""
    document = Document.from_text("d", TEXT, topic="1")
    sentences = tuple(
        replace(sentence, annotated=known)
        for sentence, known in zip(document.sentences, ANNOTATED, strict=True)
    )
    document = replace(document, sentences=sentences, tokens_given=True)
    words = [token.text for token in document.tokens]
    mentions = []
    for span, first, event in actions:
        start = words.index(first)
        mentions.append(document.mention("action", start, start + len(span.split()), event=event))
    return document.with_mentions(mentions)


@pytest.fixture(scope="module")
def labelled() -> dict[str, int]:
    """Return the events of what the shipped extractor finds, by first word."""
    document = annotated(("killed two people", "killed", "k"), ("attacked", "attacked", "k"))
    data = _extracted(document)
    tokens = [token.text for token in document.tokens]
    words = [tokens[int(id.split(":")[1].split("-")[0])] for id in data.table.ids]
    return dict(zip(words, data.event.tolist(), strict=True))


def _extracted(document: Document) -> LabelledMentions:
    model = Model.load()
    texts = parse([document], resources().roles)
    return extracted_mentions([HeldOut(text, model.extractor_of("light")) for text in texts], resources())


def test_extracted_mentions_have_the_event_of_the_annotated_one_with_their_head(
    labelled: dict[str, int],
) -> None:
    assert labelled["killed"] == labelled["attacked"] != UNKNOWN


def test_what_nobody_annotated_is_an_event_of_its_own_where_all_was_annotated(
    labelled: dict[str, int],
) -> None:
    assert labelled["arrested"] not in (UNKNOWN, labelled["killed"])


def test_elsewhere_nobody_knows(labelled: dict[str, int]) -> None:
    assert labelled["fled"] == UNKNOWN
