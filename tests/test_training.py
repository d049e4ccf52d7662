"""Training through the path that everybody takes: what it parses, what it writes, what it refuses."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from experiments.reports import reports
from extraction_builders import tiny_resources
from parses import needs_model
from samevent import training
from samevent.corpus import Document
from samevent.errors import DataError, OutputExistsError
from samevent.extraction import load_extractor
from samevent.language.resources import resources
from samevent.language.roles import Roles
from samevent.similarity.training import PairTrainingSettings
from samevent.training import (
    Source,
    check_linked,
    linked_events,
    train_extractor,
    train_model,
    train_pair_model,
)

SOURCE = Source("reports", "none")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose no penalties."""
    settings = {name: PairTrainingSettings(penalties=(0.1,), folds=2) for name in ("paper", "light")}
    monkeypatch.setattr(training, "PAIR_MODEL_SETTINGS", settings)


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
    train_model(reports(), tmp_path / "mine", resources(), source=SOURCE)
    assert labelled == Counter(document.id for document in reports())


@needs_model
@pytest.mark.usefixtures("quick")
def test_two_trainings_write_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        train_model(reports(), tmp_path / folder / "mine", resources(), source=SOURCE)
    one, two = (
        {file.name: file.read_bytes() for file in (tmp_path / folder / "mine").iterdir()}
        for folder in ("one", "two")
    )
    assert one == two
    shipped = resources().folder
    changed = {name for name, data in one.items() if data != (shipped / name).read_bytes()}
    assert changed == {"similarity.npz", "similarity-light.npz", "manifest.json"}
