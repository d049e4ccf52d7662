"""The posterior of a result's mentions, through a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samevent.clusterers import Clustered
from samevent.corpus import Clustering
from samevent.errors import CorpusError, FormatError
from samevent.partitions.posterior import Line, Posterior
from samevent.results.probabilities import load_probabilities, save_probabilities
from samevent.seeds import stream


def random_answer(seed: int, mentions: int = 9, samples: int = 6) -> Clustered:
    rng = stream(seed, "probabilities")
    ids = tuple(f"d:{i}" for i in range(mentions))
    drawn = rng.integers(0, 4, (samples, mentions)).astype(np.int32)
    pairs = [(i, j) for i in range(mentions) for j in range(i + 1, mentions) if rng.random() < 0.3]
    left, right = np.array(pairs, np.int32).reshape(-1, 2).T
    posterior = Posterior(
        samples=drawn, left=left, right=right, together=rng.random(len(pairs)), counted=Line(-0.5, 0.8)
    )
    return Clustered(ids, np.arange(mentions, dtype=np.int32) % 3, posterior)


def test_probability_is_that_of_the_posterior() -> None:
    answer = random_answer(2)
    assert answer.probability("d:3", "d:1") == answer.posterior.probability(1, 3)
    assert answer.probability("d:1", "d:1") == 1


def test_probability_names_an_unknown_mention() -> None:
    with pytest.raises(CorpusError, match="'x'"):
        random_answer(0).probability("d:0", "x")


def test_probabilities_survive_a_file(tmp_path: Path) -> None:
    answer = random_answer(3)
    save_probabilities(answer, tmp_path / "p.npz")
    again = load_probabilities(tmp_path / "p.npz", answer.clustering)
    assert (again.ids, again.labels.tolist()) == (answer.ids, answer.labels.tolist())
    pairs = [(a, b) for a in answer.ids for b in answer.ids]
    assert [again.probability(*pair) for pair in pairs] == [answer.probability(*pair) for pair in pairs]
    assert (
        again.posterior.mean_with(answer.labels).tolist()
        == answer.posterior.mean_with(answer.labels).tolist()
    )


def test_mentions_without_event_are_alone_when_probabilities_are_read(tmp_path: Path) -> None:
    save_probabilities(random_answer(3, mentions=4), tmp_path / "p.npz")
    again = load_probabilities(tmp_path / "p.npz", Clustering([["d:1", "d:3"]]))
    assert again.labels.tolist() == [0, 1, 2, 1]


def test_damaged_probabilities_are_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "p.npz").write_bytes(b"PK nothing")
    with pytest.raises(FormatError, match=r"p\.npz"):
        load_probabilities(tmp_path / "p.npz", Clustering([]))
