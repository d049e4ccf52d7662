from __future__ import annotations

import warnings

import numpy as np
import pytest

from samevent.hddcrp.answers import consensus_of_runs, last_of_runs
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.seeds import stream


def test_last_sample_of_the_run_that_ends_highest_is_reported() -> None:
    log_joint = np.array([[-1.0, -9.0], [-8.0, -2.0], [-3.0, -3.0]])
    samples = np.array([[0, 0], [0, 1], [0, 0]], np.int32)
    labels, posterior = last_of_runs(samples, {"log joint": log_joint}, seed=4)
    assert labels.tolist() == [0, 1]
    assert posterior.samples.tolist() == samples.tolist()
    assert posterior.probability(0, 1) == pytest.approx(2 / 3)
    assert posterior.verdict.startswith("the last sample of run 2 of 3, which ended highest")
    assert posterior.seed == 4


def test_consensus_is_made_of_the_samples_of_all_runs() -> None:
    samples = np.array([[[0, 0, 1], [0, 0, 1]], [[0, 0, 1], [0, 1, 2]]], np.int32)
    traces = {"log joint": stream(0, "traces").normal(size=(2, 40))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels, posterior = consensus_of_runs(samples, traces)
    assert labels.tolist() == [0, 0, 1]
    assert posterior.probability(0, 1) == 0.75
    assert posterior.traces is traces


def test_consensus_keeps_constraints() -> None:
    samples = np.array([[[0, 0, 1, 1]] * 3, [[0, 1, 0, 1]] * 3], np.int32)
    must_link, cannot_link = np.array([[0, 3]], np.int32), np.array([[0, 1]], np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels, _ = consensus_of_runs(samples, {"log joint": np.zeros((2, 8))}, cannot_link=cannot_link)
    assert labels[0] != labels[1]
    apart = np.array([[[0, 1, 1, 0]] * 3, [[0, 1, 2, 0]] * 3], np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels, _ = consensus_of_runs(apart, {"log joint": np.zeros((2, 8))}, must_link=must_link)
    assert labels[0] == labels[3]


def test_unsettled_runs_are_warned_of() -> None:
    samples = np.array([[[0, 0]] * 4, [[0, 1]] * 4], np.int32)
    traces = {"log joint": np.stack([np.arange(16.0), np.arange(16.0) - 100])}
    with pytest.warns(ConvergenceWarning, match="Try more sweeps"):
        _, posterior = consensus_of_runs(samples, traces)
    assert not posterior.settled
