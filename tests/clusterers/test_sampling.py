"""Interrupted runs continue, and end with the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterers.small import cluster, evidence_of, in_a_hurry
from samevent.clusterers import CLUSTERERS
from samevent.errors import UsageError
from similarity.tables import random_corpus

samplers = pytest.mark.parametrize("name", [name for name, system in CLUSTERERS.items() if system.sampled])


@samplers
@pytest.mark.parametrize("preset", ["light", "paper"])
def test_interrupted_run_continues_and_ends_with_the_same_bytes(
    name: str, preset: str, tmp_path: Path
) -> None:
    system, evidence = in_a_hurry(name, preset=preset, runs=3), evidence_of(random_corpus(5))
    whole = cluster(system, evidence, seed=4)
    path = tmp_path / "run.npz"

    def interrupt(done: int, _: int) -> None:
        if done:
            raise KeyboardInterrupt

    try:
        cluster(system, evidence, seed=4, checkpoint=path, progress=interrupt)
    except KeyboardInterrupt:
        assert path.exists()
    resumed = cluster(system, evidence, seed=4, checkpoint=path)
    assert resumed.labels.tobytes() == whole.labels.tobytes()
    assert resumed.posterior.samples.tobytes() == whole.posterior.samples.tobytes()
    assert {n: t.tobytes() for n, t in resumed.posterior.traces.items()} == {
        n: t.tobytes() for n, t in whole.posterior.traces.items()
    }


@samplers
def test_checkpoints_of_other_runs_are_refused(name: str, tmp_path: Path) -> None:
    path, corpus = tmp_path / "run.npz", random_corpus(5)
    system = in_a_hurry(name)
    cluster(system, evidence_of(corpus), checkpoint=path)
    for other, texts, seed in (
        (system, corpus, 1),
        (in_a_hurry(name, sweeps=13), corpus, 0),
        (system, random_corpus(6), 0),
    ):
        with pytest.raises(UsageError, match="another problem or other settings"):
            cluster(other, evidence_of(texts), seed=seed, checkpoint=path)
