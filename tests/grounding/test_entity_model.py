"""The pair model of entity mentions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from entity_documents import SIMPLE, table_of, written
from samevent.errors import FormatError
from samevent.grounding.entity_model import IMPOSSIBLE, EntityModel, train_entities
from samevent.grounding.entity_pairs import pairs_within

NAMES = [f"{first}/NNP {last}/NNP" for first in ("Ann", "Bo", "Cy", "Di") for last in ("Lee", "Moss", "Nash")]


def test_training_learns_that_parts_of_names_are_the_same() -> None:
    texts = [
        f"[{name}] fled/VBD\n[{name.split()[1]}] ran/VBD\n[Zed/NNP {name.split()[1]}] sat/VBD"
        for name in NAMES * 3
    ]
    table = table_of(*(written(text, id=f"d{at}") for at, text in enumerate(texts)))
    entity = np.array([2 * (at // 3) + (at % 3 == 2) for at in range(len(table))])
    model = train_entities([(table, entity)])
    pairs = pairs_within(table)
    same = entity[pairs.i] == entity[pairs.j]
    scores = model.scores(table, pairs, within=True)
    assert scores[same].min() > scores[~same].max()


def test_kinds_of_pairs_that_were_never_seen_are_impossible() -> None:
    table = table_of(*(written(f"[{name}] fled/VBD\n[{name}] ran/VBD", id=name[:9]) for name in NAMES[:1]))
    model = train_entities([(table, np.zeros(len(table), np.int64))])
    assert model.scores(table, pairs_within(table), within=True).tolist() == [IMPOSSIBLE]


def test_saved_model_scores_the_same(tmp_path: Path) -> None:
    SIMPLE.save(tmp_path / "entities.npz")
    loaded = EntityModel.load(tmp_path / "entities.npz")
    table = table_of(written("[Ann/NNP Lee/NNP] fled/VBD\n[Lee/NNP] ran/VBD"))
    pairs = pairs_within(table)
    assert (loaded.scores(table, pairs, within=True) == SIMPLE.scores(table, pairs, within=True)).all()


def test_damaged_file_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "entities.npz"
    file.write_bytes(b"no table")
    with pytest.raises(FormatError, match="cannot be read"):
        EntityModel.load(file)
