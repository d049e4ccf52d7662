from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tools.compile_tables import compile_vectors

from samevent.errors import FormatError, UsageError
from samevent.language.vectors import Matrix, WordVectors, load_table, write_vectors

WORDS = ["raid", "attack", "Iraq", "peace", "us", "US", "raid"]
ROWS = np.array([[3, 4], [4, 3], [0, 5], [-3, -4], [1, 0], [0, 1], [9, 9]], np.float32)


@pytest.fixture
def vectors() -> WordVectors:
    return WordVectors(WORDS, 2, ROWS.__getitem__)


def test_vector_is_not_scaled_to_unit_length(vectors: WordVectors) -> None:
    assert vectors.vector("attack").tolist() == [4, 3]
    assert vectors.vector("attack").dtype == np.float32


def test_words_are_looked_up_as_written_then_in_lower_case(vectors: WordVectors) -> None:
    assert vectors.vector("Raid").tolist() == vectors.vector("RAID").tolist() == [3, 4]
    assert vectors.vector("US").tolist() == [0, 1]
    assert vectors.vector("Us").tolist() == [1, 0]
    assert "ATTACK" in vectors
    assert "iraq" not in vectors


def test_repeated_word_keeps_its_first_vector(vectors: WordVectors) -> None:
    assert vectors.vector("raid").tolist() == [3, 4]


def test_unknown_word_has_the_zero_vector_and_similarity_zero(vectors: WordVectors) -> None:
    assert "quux" not in vectors
    assert 7 not in vectors
    assert vectors.vector("quux").tolist() == [0, 0]
    assert vectors.similarity("quux", "raid") == vectors.similarity("quux", "quux") == 0


def test_matrix_has_one_row_per_word(vectors: WordVectors) -> None:
    assert vectors.matrix(["peace", "quux", "Raid"]).tolist() == [[-3, -4], [0, 0], [3, 4]]
    assert vectors.matrix([]).shape == (0, 2)


def test_similarity_is_the_cosine(vectors: WordVectors) -> None:
    assert vectors.similarity("raid", "attack") == pytest.approx(24 / 25)
    assert vectors.similarity("raid", "peace") == pytest.approx(-1)
    assert vectors.similarity("us", "US") == 0


matrices = hnp.arrays(
    np.float32, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.floats(-8, 8, width=32)
)


@settings(max_examples=50, deadline=None)
@given(matrices)
def test_table_keeps_vectors_to_half_a_level(tmp_path_factory: pytest.TempPathFactory, rows: Matrix) -> None:
    path = tmp_path_factory.mktemp("table") / "vectors.npz"
    words = [f"w{i}" for i in range(len(rows))]
    write_vectors(path, words, rows, {})
    vectors = load_table(path)
    level = np.abs(rows).max(axis=1, keepdims=True) / 127
    found = vectors.matrix(words)
    assert found.dtype == np.float32
    assert (np.abs(found - rows) <= level * 0.501 + 1e-30).all()
    assert (len(vectors), vectors.dimension) == rows.shape


def wink(path: Path, **changes: Any) -> Path:
    content = {
        "dimensions": 2,
        "words": ["the", "raid", "attack"],
        "vectors": {"attack": [4, 3, 5, 2], "the": [0.5, 0, 0.5, 0], "raid": [-1.27, 0.01, 1.27, 1]},
    }
    path.write_text(json.dumps({**content, **changes}))
    return path


def test_compiling_keeps_the_most_frequent_words(tmp_path: Path) -> None:
    compile_vectors(wink(tmp_path / "wink.json"), tmp_path / "vectors.npz", words=2)
    vectors = load_table(tmp_path / "vectors.npz")
    assert (len(vectors), vectors.dimension, "attack" in vectors) == (2, 2, False)
    assert vectors.vector("raid").tolist() == pytest.approx([-1.27, 0.01])


def test_compiling_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.npz", "two.npz"):
        compile_vectors(wink(tmp_path / f"{name}.json"), tmp_path / name)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


@pytest.mark.parametrize(
    "changes",
    [
        {"dimensions": 5},
        {"words": ["the", "absent"]},
        {"words": []},
        {"words": None},
        {"vectors": {"the": [1, "x"], "raid": [1, 2], "attack": [1, 2]}},
        {"vectors": {"the": [1, float("nan")], "raid": [1, 2], "attack": [1, 2]}},
    ],
)
def test_other_json_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match="is not a wink embeddings file") as caught:
        compile_vectors(wink(tmp_path / "wink.json", **changes), tmp_path / "vectors.npz")
    assert caught.value.where == str(tmp_path / "wink.json")
    assert not (tmp_path / "vectors.npz").exists()


def test_compiling_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        compile_vectors(wink(tmp_path / "wink.json"), tmp_path / "vectors.npz", words=0)


def test_table_can_be_sent_to_another_process(tmp_path: Path) -> None:
    write_vectors(tmp_path / "vectors.npz", WORDS[:3], ROWS[:3], {})
    copied: WordVectors = pickle.loads(pickle.dumps(load_table(tmp_path / "vectors.npz")))
    assert copied.similarity("raid", "attack") == pytest.approx(24 / 25, abs=0.01)
