"""Training through the path that everybody takes: what it parses, what it writes, what it refuses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.reports import reports
from extraction_builders import tiny_resources
from parses import needs_model
from samevent.cli.train import train_cli
from samevent.corpus import Corpus, Document, Mention
from samevent.errors import DataError, FormatError, OutputExistsError, UsageError
from samevent.extraction import load_extractor
from samevent.language.encoder import Encoder
from samevent.language.encoder.training import topic_halves
from samevent.language.resources import read_manifest, resources
from samevent.language.roles import Roles
from samevent.preparation import Encode
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.boosting import BoostingSettings
from samevent.similarity.features import FEATURES
from samevent.similarity.mentions import CONTEXTUAL
from samevent.similarity.pairs import LabelledMentions
from samevent.similarity.training import PairTrainingSettings
from samevent.training import (
    Encoders,
    Source,
    annotated_events,
    check_linked,
    cross_fitted,
    encoders,
    enter_files,
    folder,
    linked_events,
    pair_models,
    train_extractor,
    train_model,
    train_pair_model,
    write_manifest,
)

SOURCE = Source("reports", "none")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose no penalties."""
    linear = PairTrainingSettings(penalties=(0.1,), folds=2)
    trees = BoostingSettings(rounds=3, leaf_pairs=1, easy_share=1.0, without=("contextual",))
    monkeypatch.setattr(
        folder,
        "PAIR_MODEL_SETTINGS",
        {"paper": linear, "paper-code": linear, "light": trees, "standard": trees, "best": trees},
    )


def test_existing_file_is_refused_before_any_work(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    path.write_text("precious")
    with pytest.raises(OutputExistsError):
        train_extractor([], path, tiny_resources(), source=SOURCE)
    with pytest.raises(OutputExistsError):
        train_pair_model([], path, load_extractor())
    assert path.read_text() == "precious"


def test_linked_events_leaves_out_actions_without_an_event() -> None:
    document = next(iter(reports()))
    kept = linked_events(document).mentions
    assert {m.span for m in document.mentions} - {m.span for m in kept} == {(11, 12)}
    assert any(m.kind == "participant" for m in kept)


def test_corpus_without_two_mentions_of_an_event_is_refused() -> None:
    check_linked(reports())
    with pytest.raises(DataError, match="no two mentions refer to the same event"):
        check_linked(document.with_mentions(document.mentions[:1]) for document in list(reports())[:1])


@needs_model
@pytest.mark.usefixtures("quick")
def test_whole_model_labels_the_roles_of_each_document_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labelled: Counter[str] = Counter()
    label = Roles.label

    def counted(self: Roles, document: Document, annotation: Any, predicates: Any = None) -> Any:
        labelled[document.id] += predicates is None
        return label(self, document, annotation, predicates)

    monkeypatch.setattr(Roles, "label", counted)
    train_model(reports(), tmp_path / "models" / "mine", resources(), source=SOURCE)  # both folders are new
    assert labelled == Counter(document.id for document in reports())


def test_a_replaced_file_is_entered_into_the_manifest(tmp_path: Path) -> None:
    enter_files(tmp_path, {"extractor.npz": SOURCE})  # there is no manifest to enter it into
    assert not any(tmp_path.iterdir())
    for name in ("extractor.npz", "roles.npz"):
        (tmp_path / name).write_text("old")
    write_manifest(tmp_path, "mine", dict.fromkeys(("extractor.npz", "roles.npz"), Source("other")))
    for name in ("extractor.npz", "roles.npz"):
        (tmp_path / name).write_text("new")
    enter_files(tmp_path, {"extractor.npz": SOURCE})
    assert resources(tmp_path).file("extractor.npz").read_text() == "new"
    assert read_manifest(tmp_path)["files"]["extractor.npz"]["source"] == SOURCE.name
    with pytest.raises(FormatError, match=r"roles\.npz: is not the file"):
        resources(tmp_path).file("roles.npz")


@needs_model
@pytest.mark.usefixtures("quick")
def test_two_trainings_write_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        train_model(reports(), tmp_path / name / "mine", resources(), source=SOURCE)
    one, two = (
        {file.name: file.read_bytes() for file in (tmp_path / name / "mine").iterdir()}
        for name in ("one", "two")
    )
    assert one == two
    shipped = resources().folder
    changed = {name for name, data in one.items() if data != (shipped / name).read_bytes()}
    trained = {
        "similarity.npz",
        "similarity-paper-code.npz",
        "similarity-light.npz",
        "similarity-standard.npz",
    }
    assert changed == {*trained, "manifest.json"}


def test_annotated_events_are_those_of_sentences_not_known_to_be_unannotated() -> None:
    document = next(iter(reports()))
    marks = (True, None, False)
    sentences = [replace(s, annotated=mark) for s, mark in zip(document.sentences, marks, strict=True)]
    kept = annotated_events(replace(document, sentences=tuple(sentences))).mentions
    assert [m.span for m in kept] == [(0, 1), (1, 2), (8, 9), (11, 12)]


def test_topics_are_encoded_by_the_encoder_that_was_not_tuned_on_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def marked(encoder: Encoder, **_: Any) -> Encode:
        value = {"a": 1.0, "b": 2.0}[encoder.folder.name]

        def encode(corpus: Corpus, mentions: Sequence[Mention]) -> dict[str, Any]:
            return {"last": np.full((len(mentions), 3 if mentions else 0), value, np.float16)}

        return encode

    monkeypatch.setattr(encoders, "encode_with", marked)
    corpus = reports()
    fitted = cross_fitted(Path("work"), corpus)
    first, second = topic_halves(corpus)
    assert fitted.half_of == dict.fromkeys(first, 0) | dict.fromkeys(second, 1)
    mentions = list(corpus.mentions("action"))[::-1]
    rows = fitted.encode(corpus, mentions)["last"]
    for mention, row in zip(mentions, rows, strict=True):
        assert set(row.tolist()) == {2.0 if corpus[mention.document].topic in first else 1.0}
    own = [mention for mention in mentions if corpus[mention.document].topic in second]
    assert (fitted.encode(corpus, own)["last"] == 1.0).all()


@needs_model
@pytest.mark.usefixtures("quick")
def test_trees_learn_from_contextual_vectors(tmp_path: Path) -> None:
    def by_word(corpus: Corpus, mentions: Sequence[Mention]) -> dict[str, Any]:
        rows = np.array([[1.0, len(m.text) % 3, m.start % 2] for m in mentions], np.float32)
        return dict.fromkeys(CONTEXTUAL, rows)

    settings = BoostingSettings(
        rounds=3, leaf_pairs=1, easy_share=1.0, without=tuple(sorted({f.group for f in FEATURES}))
    )
    path = tmp_path / "standard.npz"
    train_pair_model(
        reports(),
        path,
        load_extractor(),
        settings=settings,
        encoders=Encoders(by_word, Encoder(tmp_path).read),
    )
    assert BoostedModel.load(path).needs_context


@needs_model
@pytest.mark.usefixtures("quick")
def test_whole_model_has_the_mean_encoder_and_trees_learn_from_more_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work" / "model").mkdir(parents=True)
    (tmp_path / "work" / "large").mkdir()
    for name in ("encoder.onnx", "tokenizer.json"):
        (tmp_path / "work" / "model" / name).write_text(f"mean {name}")
    (tmp_path / "work" / "large" / "model.npz").write_text("mean adapter")
    monkeypatch.setattr(folder, "write_large_encoder", lambda base, adapter, into: into.mkdir())
    read: dict[str, set[str]] = {}
    fit = pair_models.fit_pair_model

    def watched(data: LabelledMentions, settings: Any, **options: Any) -> Any:
        read[type(settings).__name__] = set(data.table.documents)
        return fit(data, settings, **options)

    monkeypatch.setattr(folder, "fit_pair_model", watched)
    first, *rest = reports()
    target = tmp_path / "mine"
    train_model(
        rest,
        target,
        resources(),
        more=[first],
        encoders=tmp_path / "work",
        large=tmp_path / "published",
        pair_models=("paper", "light"),
        source=SOURCE,
    )
    assert read == {
        "PairTrainingSettings": {document.id for document in rest},
        "BoostingSettings": {document.id for document in reports()},
    }
    assert (target / "encoder.onnx").read_text() == "mean encoder.onnx"
    assert (target / "adapter.npz").read_text() == "mean adapter"
    assert (target / "large").is_dir()
    assert (target / "similarity-best.npz").exists()
    assert not (target / "similarity-standard.npz").exists()
    assert "similarity-standard.npz" not in json.loads((target / "manifest.json").read_text())["files"]


def test_pair_model_of_best_is_refused_without_the_large_encoder(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        train_cli, ["similarity", str(tmp_path), "-o", str(tmp_path / "mine"), "--preset", "best"]
    )
    assert isinstance(done.exception, UsageError)
    assert "expected --encoders with its adapters, and --large" in str(done.exception)
