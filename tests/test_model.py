"""From documents to events with the shipped model, and with one that was trained here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import samevent
from builders import document
from parses import needs_model
from samevent import Corpus, Document, Model, Options
from samevent.demo import articles, gold
from samevent.errors import CorpusError, DataError, OutputExistsError, UsageError

pytestmark = needs_model

QUAKES = Corpus([document for document in articles() if "quake" in document.text])


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.load()


@pytest.fixture(scope="module")
def result(model: Model) -> samevent.Result:
    return model.resolve(QUAKES, seed=7)


def test_resolve_finds_mentions_arguments_and_events(result: samevent.Result) -> None:
    assert [d.id for d in result.corpus] == [d.id for d in QUAKES]
    assert all(one.text == other.text for one, other in zip(result.corpus, QUAKES, strict=True))
    assert any(m.arguments for m in result.corpus.mentions("action"))
    largest = result.events.largest(1)[0]
    assert len(largest.documents) > 1
    assert largest.label
    assert largest.probability is not None
    assert set(largest.dates) == {QUAKES[id].date for id in largest.documents}


def test_resolve_depends_on_documents_and_seed_alone(model: Model, result: samevent.Result) -> None:
    turned = model.resolve(Corpus(reversed(list(QUAKES))), seed=7, jobs=2)
    assert turned.clustering == result.clustering
    one = {m.id: m.extra for m in result.corpus.mentions("action")}
    assert {m.id: m.extra for m in turned.corpus.mentions("action")} == one


def test_result_answers_about_pairs(result: samevent.Result) -> None:
    event = result.events.largest(1)[0]
    member = next(member for member in event.members if member.why)
    assert member.why is not None
    a, b = member.mention.id, member.why.mention
    assert result.probability(a, b) == pytest.approx(member.why.probability, abs=1e-4)
    explanation = result.explain(a, b)
    assert explanation.probability == pytest.approx(member.why.similarity, abs=1e-4)
    assert explanation.contributions[0].added == pytest.approx(member.why.reasons[0].added, abs=0.01)
    with pytest.raises(CorpusError, match="'x'"):
        result.explain(a, "x")


def test_write_and_to_html_take_a_result(result: samevent.Result, tmp_path: Path) -> None:
    samevent.write(result, tmp_path / "out.jsonl")
    assert samevent.read(tmp_path / "out.jsonl").clustering() == result.clustering
    result.to_html(tmp_path / "out.html")
    assert "Kestry" in (tmp_path / "out.html").read_text("utf-8")


def test_resolve_uses_given_mentions(model: Model) -> None:
    given = Corpus([d for d in gold() if d.id in QUAKES])
    found = model.resolve(given, options=Options(keep_singletons=True))
    assert {m.id for e in found.events for m in e.mentions} == {m.id for m in found.corpus.mentions("action")}
    spans = {(m.document, m.char_start, m.char_end) for m in found.corpus.mentions("action")}
    assert spans == {(m.document, m.char_start, m.char_end) for m in given.mentions("action")}


def test_resolve_reports_its_stages(model: Model) -> None:
    stages: list[tuple[str, int, int, str]] = []
    model.resolve(QUAKES, watch=lambda *report: stages.append(report))
    names = list(dict.fromkeys(stage for stage, *_ in stages))
    assert names == ["reading", "linking", "sampling", "explaining"]
    reading = [(done, total, note) for stage, done, total, note in stages if stage == "reading"]
    assert [done for done, *_ in reading] == list(range(1, len(QUAKES) + 1))
    assert reading[-1][2].endswith("mentions")


def test_resolve_of_one_document_and_of_none(model: Model) -> None:
    (only,) = list(QUAKES)[:1]
    assert model.resolve(Corpus([only])).corpus[only.id].mentions
    quiet = model.resolve(Corpus([Document.from_text("quiet", "A red house and a green tree.")]))
    assert len(quiet.events) == 0
    assert [d.id for d in quiet.corpus] == ["quiet"]
    with pytest.raises(UsageError, match="preset"):
        model.resolve(QUAKES, options=Options(preset="heavy"))


def test_train_writes_a_whole_model(tmp_path: Path) -> None:
    messages: list[str] = []
    trained = Model.train(gold(), tmp_path / "mine", source="the demo", progress=messages.append)
    assert any("extractor stays" in line for line in messages)  # gold() marks events only
    manifest = json.loads((tmp_path / "mine" / "manifest.json").read_text("utf-8"))
    assert manifest["name"] == "mine"
    assert manifest["files"]["similarity.npz"]["source"] == "the demo"
    assert manifest["files"]["extractor.npz"]["source"] != "the demo"
    assert trained.pair_models["light"] != Model.load().pair_models["light"]
    assert len(trained.resolve(QUAKES).events) > 0
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    with pytest.raises(OutputExistsError):
        Model.train(gold(), tmp_path / "mine")
    trained.save(tmp_path / "copy")
    for path in (tmp_path / "mine").iterdir():
        assert (tmp_path / "copy" / path.name).read_bytes() == path.read_bytes()


def test_train_refuses_a_corpus_without_events(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no two mentions"):
        Model.train(Corpus([document()]), tmp_path / "mine")
    assert not any(tmp_path.iterdir())
