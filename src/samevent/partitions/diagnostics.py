"""Whether chains have converged: by traces of numbers, and by whether chains agree on which pairs belong together.

Split R-hat and bulk effective sample size are those of Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021). A flat
trace of the log joint does not show mixing: chains may sit in different modes of equal height. Agreement on
candidate pairs shows it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from samevent.errors import DataError
from samevent.partitions.labels import Floats, integers

FEWEST_DRAWS = 4
"""Two halves of a chain with fewer draws have no variance to compare."""


class ConvergenceWarning(UserWarning):
    """Chains have not converged, so probabilities and the consensus may depend on where they started."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Chains within these limits count as settled. R-hat and draws per chain are those that Vehtari et al. advise."""

    rhat: float = 1.01
    draws_per_chain: float = 100.0
    pairs_in_different_modes: float = 0.001


@dataclass(frozen=True, slots=True)
class Mixing:
    """R-hat and effective number of draws of one trace; NaN where there are too few draws."""

    rhat: float
    effective_draws: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far chains differ on P(same cluster) of candidate pairs, over all pairs of chains.

    A pair is in different modes if its probabilities in two chains differ by half or more.
    """

    mean_difference: float
    largest_difference: float
    in_different_modes: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of `diagnose`; `reasons` is empty if the chains have settled."""

    chains: int
    draws: int
    traces: dict[str, Mixing]
    agreement: Agreement | None
    reasons: tuple[str, ...]

    @property
    def settled(self) -> bool:
        """Whether nothing speaks against convergence."""
        return not self.reasons

    @property
    def verdict(self) -> str:
        """The diagnosis in words."""
        kind = f"{self.chains} {'chain' if self.chains == 1 else 'chains'} of {self.draws} draws"
        if self.reasons:
            return f"{kind} have not settled: {'; '.join(self.reasons)}"
        return f"{kind} have settled: their traces mix and they agree on which pairs belong together"

    def warn(self) -> None:
        """Issue a `ConvergenceWarning` unless the chains have settled."""
        if self.reasons:
            warnings.warn(
                f"{self.verdict}. Try more sweeps; more chains, to average over what they disagree on; "
                "or a higher minimum similarity, which breaks large components into small ones.",
                ConvergenceWarning,
                stacklevel=2,
            )


def diagnose(
    traces: Mapping[str, ArrayLike], together: ArrayLike | None = None, *, limits: Limits | None = None
) -> Diagnosis:
    """Judge chains by their traces (chains x draws each) and by P(same cluster) in each chain (chains x pairs).

    >>> diagnose({"clusters": [[3, 4, 3, 4], [9, 8, 9, 8]]}, limits=Limits(draws_per_chain=1)).verdict
    '2 chains of 4 draws have not settled: R-hat of clusters is 1.62'
    """
    limits = limits or Limits()
    shapes = {_trace(values, name).shape for name, values in traces.items()}
    if len(shapes) != 1:
        raise DataError(
            f"traces have the shapes {sorted(shapes)}", expected="chains x draws, the same for all"
        )
    chains, draws = shapes.pop()
    mixing = {name: Mixing(split_rhat(values), effective_draws(values)) for name, values in traces.items()}
    agreement = None if together is None or chains < 2 else agreement_of_chains(together)
    reasons = []
    for name, trace in mixing.items():
        if np.isnan(trace.rhat):
            reasons.append(f"{draws} draws are too few to judge {name}")
        elif trace.rhat > limits.rhat:
            reasons.append(f"R-hat of {name} is {trace.rhat:.3g}")
        elif trace.effective_draws < limits.draws_per_chain * chains:
            reasons.append(f"{name} has {trace.effective_draws:.0f} effective draws")
    if agreement and agreement.in_different_modes > limits.pairs_in_different_modes:
        reasons.append(
            f"chains disagree on {agreement.in_different_modes:.2%} of the candidate pairs by half or more"
        )
    if chains < 2:
        reasons.append("one chain cannot show whether another start would end elsewhere")
    return Diagnosis(chains, draws, mixing, agreement, tuple(reasons))


def agreement_of_chains(together: ArrayLike) -> Agreement:
    """Compare P(same cluster) of candidate pairs (columns) between chains (rows).

    >>> agreement_of_chains([[1.0, 0.5], [0.0, 0.5]])
    Agreement(mean_difference=0.5, largest_difference=1.0, in_different_modes=0.5)
    """
    rows = np.asarray(together, dtype=np.float64)
    if rows.ndim != 2 or not ((rows >= 0) & (rows <= 1)).all():
        raise DataError(f"together has the shape {rows.shape}", expected="chains x pairs, probabilities")
    chains, pairs = rows.shape
    if chains < 2 or not pairs:
        return Agreement(0.0, 0.0, 0.0)
    # Sorting columns of two takes ten times as long as comparing them.
    ordered = np.stack([rows.min(axis=0), rows.max(axis=0)]) if chains == 2 else np.sort(rows, axis=0)
    # In sorted order, chain r is subtracted from the chains above it and has those below subtracted from it.
    signs = 2 * np.arange(chains) - (chains - 1)
    mean = (signs @ ordered).sum() / (chains * (chains - 1) / 2 * pairs)
    spread = ordered[-1] - ordered[0]
    return Agreement(float(mean), float(spread.max()), float((spread >= 0.5).mean()))


def neighbours_together(labels: ArrayLike, samples: ArrayLike) -> Floats:
    """Return P(same cluster) of neighbours in a partition: one row per chain, one column per pair of neighbours.

    Neighbours are members of one cluster with no other member between them: few enough to count for any partition,
    and enough to see every cluster that a chain splits. `samples` are labels, chains x samples x customers.

    >>> neighbours_together([0, 1, 0, 0], [[[0, 1, 0, 1], [0, 1, 0, 0]], [[0, 0, 1, 1], [0, 0, 1, 1]]]).tolist()
    [[1.0, 0.5], [0.0, 1.0]]
    """
    own, drawn = integers(labels, "labels"), np.asarray(samples)
    if drawn.ndim != 3 or drawn.shape[2:] != own.shape:
        raise DataError(
            f"samples have the shape {drawn.shape}", expected=f"chains x samples x {len(own)} customers"
        )
    order = np.argsort(own, kind="stable")
    left, right = order[:-1], order[1:]
    same = own[left] == own[right]
    left, right = left[same], right[same]
    first = np.argsort(left)
    left, right = left[first], right[first]
    return np.stack([sum(row[left] == row[right] for row in chain) / len(chain) for chain in drawn])


def split_rhat(trace: ArrayLike) -> float:
    """Return the larger R-hat of ranks and of folded ranks (chains x draws, one chain or more).

    Equal constants have settled (1), different constants never will (infinite); fewer than four draws give NaN.
    """
    halves = _halves(_trace(trace))
    if halves is None:
        return float("nan")
    folded = np.abs(halves - np.median(halves))
    return max(_rhat(_normal_scores(halves)), _rhat(_normal_scores(folded)))


def effective_draws(trace: ArrayLike) -> float:
    """Return the bulk effective sample size of ranks (chains x draws).

    Equal constants count every draw; fewer than four draws give NaN.
    """
    halves = _halves(_trace(trace))
    if halves is None:
        return float("nan")
    scores = _normal_scores(halves)
    draws = scores.shape[1]
    if np.ptp(scores) == 0:
        return float(scores.size)
    within, pooled = _variances(scores)
    # rho_t of Eq. 10: the lag covariance of all chains against the pooled variance.
    rho = 1 - (within - _autocovariances(scores).mean(axis=0) * draws / (draws - 1)) / pooled
    rho[0] = 1.0
    even = draws // 2 * 2
    pairs = rho[:even].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    initial = np.minimum.accumulate(pairs[: negative[0]] if len(negative) else pairs)
    # Antithetic chains may have a time below one; beyond this bound the estimate is noise.
    time = max(-1 + 2 * float(initial.sum()), 1 / np.log10(scores.size))
    return float(scores.size / time)


def _trace(values: ArrayLike, name: str = "a trace") -> Floats:
    trace = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if trace.ndim != 2 or not np.isfinite(trace).all():
        raise DataError(
            f"{name} has the shape {trace.shape} or holds infinite values",
            expected="chains x draws, finite numbers",
        )
    return trace


def _halves(trace: Floats) -> Floats | None:
    """Split every chain in two, the middle draw of an odd number left out, or return None if it is too short."""
    draws = trace.shape[1]
    if draws < FEWEST_DRAWS:
        return None
    return np.concatenate([trace[:, : draws // 2], trace[:, (draws + 1) // 2 :]])


def _normal_scores(trace: Floats) -> Floats:
    from scipy.stats import rankdata  # takes a second to import, and most problems need no diagnosis

    ranks = rankdata(trace).reshape(trace.shape)
    scores: Floats = ndtri((ranks - 3 / 8) / (trace.size + 1 / 4))
    return scores


def _variances(scores: Floats) -> tuple[float, float]:
    """Return the variance within chains and the pooled estimate (Eqs. 1 to 3)."""
    draws = scores.shape[1]
    within = float(scores.var(axis=1, ddof=1).mean())
    between = float(scores.mean(axis=1).var(ddof=1))
    return within, within * (draws - 1) / draws + between


def _rhat(scores: Floats) -> float:
    if np.ptp(scores) == 0:
        return 1.0
    if not np.ptp(scores, axis=1).any():
        return float("inf")
    within, pooled = _variances(scores)
    return float(np.sqrt(pooled / within))


def _autocovariances(scores: Floats) -> Floats:
    """Return the covariance at every lag of each chain, divided by the number of draws."""
    draws = scores.shape[1]
    centred = scores - scores.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centred, 2 * draws, axis=1)) ** 2
    covariances: Floats = np.fft.irfft(spectrum, axis=1)[:, :draws] / draws
    return covariances
