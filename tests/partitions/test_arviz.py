"""Traces as a DataTree of ArviZ."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

from problems import random_problem
from samevent.errors import UsageError
from samevent.hddcrp import ComponentPosterior, fit, sample
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.posterior import Posterior


def sampled() -> ComponentPosterior:
    problem = random_problem(4, customers=40, documents=8, density=0.02, vocabulary=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(problem, exact_limit=1, sweeps=400)


def test_traces_of_runs_are_the_posterior_group() -> None:
    pytest.importorskip("arviz_base")
    runs = sample(random_problem(1, customers=20), runs=3, sweeps=7, seed=5)
    tree = runs.to_arviz()
    assert dict(tree["posterior"].sizes) == {"chain": 3, "draw": 7}
    assert set(tree["posterior"].data_vars) == {"log_joint", "clusters"}
    for name in ("log joint", "clusters"):
        assert np.array_equal(tree["posterior"][name.replace(" ", "_")], runs.traces[name])
    assert tree.attrs["seed"] == 5


def test_traces_of_components_have_groups_of_their_own() -> None:
    pytest.importorskip("arviz_base")
    posterior = sampled()
    tree = posterior.to_arviz()
    assert set(tree.children) == {f"component_{k}" for k in posterior.component_traces}
    assert len({traces["clusters"].shape for traces in posterior.component_traces.values()}) > 1
    for k, traces in posterior.component_traces.items():
        group = tree[f"component_{k}/posterior"]
        assert np.array_equal(group["log_joint"], traces["log joint"])
        assert np.array_equal(group["clusters"], traces["clusters"])
    assert tree.attrs["verdict"] == posterior.verdict


def test_posterior_without_traces_has_nothing_to_show() -> None:
    with pytest.raises(UsageError, match=r"no traces .* Components that are solved exactly leave none"):
        Posterior(samples=np.zeros((1, 3), np.int32)).to_arviz()


def test_missing_arviz_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    runs = sample(random_problem(1, customers=4), runs=2, sweeps=3)
    with pytest.raises(UsageError, match=r"pip install 'samevent\[arviz\]'"):
        runs.to_arviz()
