"""The path from documents to mentions: what is extracted, what stays, and that every entrance takes the same path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clusterers.small import MODEL
from encoders import write_base
from extraction_builders import news, tiny_resources
from parses import needs_model
from samevent.corpus import Argument, Corpus, Document
from samevent.errors import DataError, UsageError
from samevent.extraction import Parsed
from samevent.language.encoder import Encoder, mention_vectors
from samevent.language.encoder.graph import write_graph
from samevent.language.encoder.runtime import ENCODER_FILE
from samevent.language.encoder.tagging import WEIGHT, with_tagger
from samevent.language.encoder.units import Unit
from samevent.language.encoder.weights import read_weights
from samevent.language.resources import Resources, resources
from samevent.model import Model
from samevent.names import PRESETS
from samevent.preparation import (
    EVERYTHING,
    GIVEN_MENTIONS,
    MISSING_ARGUMENTS,
    PREDICTED_ARGUMENTS,
    WORDS_ONLY,
    Extraction,
    encode_with,
    load_pair_models,
    prepare,
    read_with,
)
from samevent.similarity.bags import Background
from samevent.similarity.model import LIGHT_FILE, SIMILARITY_FILE
from similarity.tables import constant_model

pytestmark = needs_model


@pytest.fixture(scope="module")
def words() -> dict[str, Any]:
    """Return the shipped lexicon, vectors and roles, loaded once."""
    shipped = resources()
    return {"lexicon": shipped.lexicon, "vectors": shipped.vectors, "roles": shipped.roles}


@pytest.fixture
def model(tmp_path: Path, words: dict[str, Any]) -> Model:
    """Return a model with the shipped words, one pair model and no extractor."""
    MODEL.save(tmp_path / SIMILARITY_FILE)
    folder = Resources(tmp_path)
    vars(folder).update(words)
    return Model(folder)


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


def words_of(document: Document, model: Model, field: str, extraction: Extraction) -> list[str]:
    table = model.prepare([document], extraction=extraction).table
    return [table.vocabulary[word] for word in table.fields[field].row(0)]


def test_given_mentions_become_arguments_by_their_roles(model: Model) -> None:
    document = bombing("participant", "location", "time")
    assert words_of(document, model, "arg0", MISSING_ARGUMENTS) == ["sudan"]
    assert words_of(document, model, "times", MISSING_ARGUMENTS) == ["thursday"]
    assert words_of(bombing(), model, "participants", GIVEN_MENTIONS) == []


def test_given_arguments_stay_as_they_are(model: Model) -> None:
    assert words_of(bombing("participant", role="ARG2"), model, "arg2", GIVEN_MENTIONS) == ["sudan"]


def test_words_only_labels_no_roles_and_needs_no_extractor(model: Model) -> None:
    vars(model.resources)["roles"] = None
    prepared = model.prepare([bombing("participant")], extraction=WORDS_ONLY)
    assert not prepared.table.fields["participants"].present.any()
    assert [m.head for m in prepared.corpus.mentions("action")] == [1]


def test_model_without_extractor_is_an_error_only_where_mentions_are_missing(model: Model) -> None:
    with pytest.raises(DataError, match=r"has no extractor\.npz"):
        model.prepare([bombing()], extraction=MISSING_ARGUMENTS)
    whole = bombing("participant", "location", "time")
    assert len(model.prepare([whole], extraction=EVERYTHING).table) == 1


@pytest.mark.parametrize(
    ("extraction", "asked"),
    [
        (EVERYTHING, ["time", "location"]),
        (MISSING_ARGUMENTS, ["time", "location"]),
        (PREDICTED_ARGUMENTS, ["participant", "time", "location"]),
        (Extraction(replace=True), ["action", "participant", "time", "location"]),
    ],
)
def test_extractor_is_asked_for_the_kinds_that_a_document_lacks(
    model: Model, extraction: Extraction, asked: list[str]
) -> None:
    kinds_asked: list[list[str]] = []

    class Finder:
        """Finds Thursday, and remembers which kinds it was asked for."""

        contextual = False
        tagger = None

        def extract(self, text: Parsed, *, kinds: list[str], **_: Any) -> Document:
            kinds_asked.append(kinds)
            time = text.document.mention("time", 4, 5)
            [event] = [m for m in text.document.mentions if m.kind == "action"]
            linked = text.document.mention("action", event.start, event.end, arguments=[Argument(time.id)])
            return text.document.with_mentions([time, linked])

    vars(model)["extractor"] = Finder()
    assert words_of(bombing("participant"), model, "times", extraction) == ["thursday"]
    assert kinds_asked == [asked]


def test_pair_models_are_those_of_the_folder_and_weigh_words_by_their_background(model: Model) -> None:
    assert model.pair_models == {"paper": MODEL}
    light = constant_model(Background(30, {"bomb": 3}))
    light.save(model.resources.folder / LIGHT_FILE)
    assert load_pair_models(model.resources.folder) == {"paper": MODEL, "light": light}
    evidence = Model(model.resources).prepare([bombing()], extraction=GIVEN_MENTIONS).evidence
    weight = evidence.table.weights[evidence.table.vocabulary.index("bomb")]
    assert weight == pytest.approx(np.log((2 + 31) / (1 + 4)))


def test_missing_pair_model_is_an_error_where_it_is_used(model: Model) -> None:
    evidence = model.prepare([bombing()], extraction=GIVEN_MENTIONS).evidence
    assert evidence.pair_model("paper") == MODEL
    with pytest.raises(UsageError, match="no pair model 'light'") as raised:
        evidence.links(0.5, pair_model="light")
    assert "samevent train similarity --preset light" in str(raised.value)


def test_selected_documents_have_the_rows_that_they_would_have_alone(model: Model) -> None:
    raid = Document.from_text("b", "They raided it.")
    corpus = Corpus(
        [bombing("participant", "location", "time"), raid.with_mentions([raid.mention("action", 1, 2)])]
    )
    prepared = model.prepare(corpus, extraction=GIVEN_MENTIONS)
    alone = model.prepare(list(corpus)[:1], extraction=GIVEN_MENTIONS)
    assert prepared.select(list(prepared.corpus)[:1]).table.ids == alone.table.ids
    assert prepared.select(prepared.corpus, {}).pair_models == {}


class Follower:
    """Finds the mentions of `extraction_builders.news`, and remembers the tags that it was given."""

    contextual = True
    tagger = None

    def __init__(self) -> None:
        self.tags: list[Any] = []

    def extract(self, text: Parsed, **_: Any) -> Document:
        self.tags.append(text.tags)
        return text.document


@pytest.mark.parametrize("jobs", [1, 3])
def test_documents_are_encoded_once_for_tags_and_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    weights = with_tagger(read_weights(write_base(tmp_path)))
    weights.arrays[WEIGHT][:] = np.arange(weights.arrays[WEIGHT].size).reshape(-1, 2 * weights.size) % 7
    write_graph(weights, tmp_path / ENCODER_FILE, quantized=False)
    encoder = Encoder(tmp_path)
    texts, follower = news(), Follower()
    expected = [encoder.read(text.document).tags() for text in texts]
    documents = Corpus(text.document for text in texts)
    mentions = list(documents.mentions("action"))
    vectors = mention_vectors(encoder, documents, mentions)
    units: list[Unit] = []
    encode = encoder.encode

    def counted(unit: Unit) -> dict[str, Any]:
        units.append(unit)
        return encode(unit)

    monkeypatch.setattr(encoder, "encode", counted)
    prepared = prepare(
        texts,
        tiny_resources(),
        follower,  # type: ignore[arg-type]
        extraction=Extraction(replace=True),
        encode=encode_with(encoder),
        read=read_with(encoder),
        keep_vectors=True,
        jobs=jobs,
    )
    assert len(units) == sum(len(text.document.sentences) for text in texts)
    for given, tags in zip(follower.tags, expected, strict=True):
        np.testing.assert_array_equal(given, tags)
    assert prepared.encode
    kept = prepared.encode(prepared.corpus, mentions)
    assert kept.keys() == vectors.keys()
    for name in kept:
        np.testing.assert_array_equal(kept[name], vectors[name])
    assert len(units) == sum(len(text.document.sentences) for text in texts)
    other = replace(mentions[0], id="new", start=0, end=1, head=0)
    assert len(prepared.encode(prepared.corpus, [other])["last"]) == 1, "encoded when it is asked for"


def test_light_and_paper_open_no_encoder(model: Model) -> None:
    vars(model.resources)["encoder"] = None
    vars(model)["extractor"] = Follower()
    vars(model)["extractor"].contextual = False
    for preset in ("light", "paper"):
        model.prepare([bombing()], preset=preset)
    assert all(tags is None for tags in vars(model)["extractor"].tags)


def test_presets_choose_the_extractor(model: Model) -> None:
    vars(model).update(extractor="plain", contextual_extractor="contextual")
    chosen: dict[str, Any] = {preset: model.extractor_of(preset) for preset in PRESETS}
    assert chosen == {
        "standard": "contextual", "best": "contextual", "light": "plain", "paper": "plain", "paper-code": "plain"
    }  # fmt: skip
