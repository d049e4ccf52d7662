"""Corpora become evidence: with the real parser and the shipped words, and an extractor only if there is one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clusterers.small import MODEL
from parses import needs_model
from samevent.clusterers.reading import pair_models, read_evidence
from samevent.corpus import Argument, Document
from samevent.errors import FormatError, UsageError
from samevent.extraction import EXTRACTOR_FILE, Extractor, Parsed
from samevent.language.resources import Resources, resources
from samevent.similarity.bags import Background
from samevent.similarity.model import LIGHT_FILE, SIMILARITY_FILE

pytestmark = needs_model


@pytest.fixture(scope="module")
def words() -> dict[str, Any]:
    """Return what the shipped model knows of words, loaded once."""
    shipped = resources()
    return {"lexicon": shipped.lexicon, "vectors": shipped.vectors, "roles": shipped.roles}


@pytest.fixture
def model(tmp_path: Path, words: dict[str, Any]) -> Resources:
    """Return the shipped words in a folder with a pair model and without an extractor."""
    MODEL.save(tmp_path / SIMILARITY_FILE)
    found = Resources(tmp_path)
    vars(found).update(words)
    return found


def bombing(*kinds: str, role: str | None = None) -> Document:
    """Return a document with an event and some of the mentions around it."""
    document = Document.from_text("a", "Sudan bombed Yida on Thursday.")
    mentions = [
        document.mention("participant", 0, 1),
        document.mention("location", 2, 3),
        document.mention("time", 4, 5),
    ]
    kept = [m for m in mentions if m.kind in kinds]
    arguments = [Argument(m.id, role) for m in kept if role]
    return document.with_mentions([*kept, document.mention("action", 1, 2, arguments=arguments)])


def words_of(document: Document, model: Resources, field: str) -> list[str]:
    table = read_evidence([document], model).table
    return [table.vocabulary[word] for word in table.fields[field].row(0)]


def test_events_get_arguments_among_the_mentions_that_are_there(model: Resources) -> None:
    document = bombing("participant", "location", "time")
    assert words_of(document, model, "arg0") == ["sudan"]
    assert words_of(document, model, "times") == ["thursday"]
    assert words_of(bombing(), model, "participants") == []


def test_given_arguments_stay_as_they_are(model: Resources) -> None:
    assert words_of(bombing("participant", role="ARG2"), model, "arg2") == ["sudan"]


def test_arguments_are_left_alone_where_nobody_needs_them(model: Resources) -> None:
    told: list[str] = []
    evidence = read_evidence([bombing("participant")], model, needs=(), tell=told.append)
    assert not evidence.table.fields["participants"].present.any()
    assert evidence.models == {}
    assert told == []


def test_a_model_without_extractor_is_told_of(model: Resources) -> None:
    told: list[str] = []
    read_evidence([bombing()], model, tell=told.append)
    assert told == [
        "the model has no extractor.npz: events have only those arguments that the input has mentions of"
    ]


def test_an_extractor_finds_kinds_that_a_document_lacks(
    model: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    class Finder:
        """Finds Thursday, and remembers what it was asked for."""

        def extract(self, text: Parsed, *, kinds: list[str]) -> Document:
            asked.append(kinds)
            time = text.document.mention("time", 4, 5)
            [event] = [m for m in text.document.mentions if m.kind == "action"]
            linked = text.document.mention("action", event.start, event.end, arguments=[Argument(time.id)])
            return text.document.with_mentions([time, linked])

    (model.folder / EXTRACTOR_FILE).touch()
    monkeypatch.setattr(Extractor, "load", lambda file, resources: Finder())
    assert words_of(bombing("participant"), model, "times") == ["thursday"]
    assert asked == [["time", "location"]]


def test_pair_models_have_names_and_none_stands_for_another(model: Resources) -> None:
    assert pair_models(model.folder) == {"paper": MODEL}
    with pytest.raises(UsageError, match=r"has no pair model 'light'.*train similarity --preset light"):
        read_evidence([bombing()], model).links(0.5, pair_model="light")
    light = replace(MODEL, background=Background(30, {"bomb": 3}))
    light.save(model.folder / LIGHT_FILE)
    evidence = read_evidence([bombing()], model)
    assert evidence.models == {"paper": MODEL, "light": light}
    weight = evidence.table.weights[evidence.table.vocabulary.index("bomb")]
    assert weight == pytest.approx(np.log((2 + 31) / (1 + 4)))


def test_a_missing_pair_model_is_one_clear_error(model: Resources) -> None:
    (model.folder / SIMILARITY_FILE).unlink()
    with pytest.raises((FormatError, UsageError), match=r"similarity\.npz"):
        read_evidence([bombing()], model)
    assert read_evidence([bombing()], model, needs=["arguments"]).models == {}
