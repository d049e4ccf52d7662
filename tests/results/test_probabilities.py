"""P(same event): against counting pairs by hand, and through a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samevent.errors import CorpusError, FormatError
from samevent.results.probabilities import Probabilities
from samevent.seeds import stream


def random_probabilities(seed: int, mentions: int = 9, samples: int = 6) -> Probabilities:
    rng = stream(seed, "probabilities")
    ids = tuple(f"d:{i}" for i in range(mentions))
    drawn = rng.integers(0, 4, (samples, mentions)).astype(np.int32)
    pairs = [(i, j) for i in range(mentions) for j in range(i + 1, mentions) if rng.random() < 0.3]
    left, right = np.array(pairs, np.int32).reshape(-1, 2).T
    return Probabilities(ids, drawn, left, right, rng.random(len(pairs)))


@pytest.mark.parametrize("seed", range(20))
def test_of_members_is_the_mean_over_the_others(seed: int) -> None:
    known = random_probabilities(seed)
    labels = stream(seed, "labels").integers(0, 4, len(known.ids)).astype(np.int32)
    found = known.of_members(labels)
    for i, one in enumerate(known.ids):
        others = [known.between(one, b) for j, b in enumerate(known.ids) if j != i and labels[i] == labels[j]]
        assert np.isnan(found[i]) if not others else found[i] == pytest.approx(np.mean(others))


def test_between_prefers_what_is_known_better_to_samples() -> None:
    samples = np.array([[0, 0, 1], [0, 1, 1]], np.int32)
    known = Probabilities(
        ("a", "b", "c"), samples, np.array([0], np.int32), np.array([1], np.int32), np.array([0.9])
    )
    assert known.between("a", "b") == known.between("b", "a") == 0.9
    assert known.between("b", "c") == 0.5
    assert known.between("a", "c") == 0
    assert known.between("a", "a") == 1


def test_between_names_a_mention_that_is_not_there() -> None:
    with pytest.raises(CorpusError, match="'x'"):
        random_probabilities(0).between("d:0", "x")


def test_probabilities_survive_a_file(tmp_path: Path) -> None:
    known = random_probabilities(3)
    known.save(tmp_path / "p.npz")
    again = Probabilities.load(tmp_path / "p.npz")
    pairs = [(a, b) for a in known.ids for b in known.ids]
    assert [again.between(*pair) for pair in pairs] == [known.between(*pair) for pair in pairs]
    labels = np.arange(len(known.ids), dtype=np.int32) % 2
    assert again.of_members(labels).tolist() == known.of_members(labels).tolist()
    (tmp_path / "p.npz").write_bytes(b"PK nothing")
    with pytest.raises(FormatError, match=r"p\.npz"):
        Probabilities.load(tmp_path / "p.npz")


def test_nothing_has_probabilities_of_nothing() -> None:
    none = np.empty(0, np.int32)
    empty = Probabilities((), np.empty((1, 0), np.int32), none, none, np.empty(0))
    assert len(empty.of_members(none)) == 0
