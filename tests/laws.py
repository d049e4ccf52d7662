"""Whether samples come from a known distribution over partitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

from problems import Partition, frequencies
from samevent.seeds import stream


def assert_drawn_from(posterior: dict[Partition, float], samples: NDArray[np.int32]) -> None:
    """Compare by chi-square, and by total variation with what independent draws would have."""
    seen, draws = frequencies(samples), len(samples)
    assert seen.keys() <= posterior.keys()
    common = [z for z, p in posterior.items() if p * draws >= 10]
    rest = draws - sum(seen[z] for z in common)
    observed = np.array([*(seen[z] for z in common), rest], np.float64)
    expected = np.array([*(posterior[z] for z in common), 1 - sum(posterior[z] for z in common)]) * draws
    if expected[-1] < 10:  # too few to be a cell of their own
        observed[0], expected[0] = observed[0] + observed[-1], expected[0] + expected[-1]
        observed, expected = observed[:-1], expected[:-1]
    if len(observed) > 1:
        assert chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > 1e-4
    truth = np.array(list(posterior.values()))
    found = np.array([seen.get(z, 0) for z in posterior]) / draws
    independent = stream(0, "independent").multinomial(draws, truth, size=2000) / draws
    assert np.abs(found - truth).sum() <= np.abs(independent - truth).sum(axis=1).max()
