"""P(same event) of mentions, through a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samevent.errors import CorpusError, FormatError
from samevent.partitions.posterior import Posterior
from samevent.results.probabilities import Probabilities
from samevent.seeds import stream


def random_probabilities(seed: int, mentions: int = 9, samples: int = 6) -> Probabilities:
    rng = stream(seed, "probabilities")
    ids = tuple(f"d:{i}" for i in range(mentions))
    drawn = rng.integers(0, 4, (samples, mentions)).astype(np.int32)
    pairs = [(i, j) for i in range(mentions) for j in range(i + 1, mentions) if rng.random() < 0.3]
    left, right = np.array(pairs, np.int32).reshape(-1, 2).T
    posterior = Posterior(samples=drawn, left=left, right=right, together=rng.random(len(pairs)))
    return Probabilities(ids, posterior)


def test_between_is_the_probability_of_the_posterior() -> None:
    known = random_probabilities(2)
    assert known.between("d:3", "d:1") == known.posterior.probability(1, 3)
    assert known.between("d:1", "d:1") == 1


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
    assert again.posterior.mean_with(labels).tolist() == known.posterior.mean_with(labels).tolist()
    (tmp_path / "p.npz").write_bytes(b"PK nothing")
    with pytest.raises(FormatError, match=r"p\.npz"):
        Probabilities.load(tmp_path / "p.npz")
