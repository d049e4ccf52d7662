"""The HDDCRP as an estimator of scikit-learn. This is the only module of the engine that knows scikit-learn."""

from __future__ import annotations

import os
import reprlib
from types import UnionType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_non_negative, validate_data

from samevent.errors import DataError, UsageError
from samevent.hddcrp.affinity import cosine_affinity, split_affinity
from samevent.hddcrp.fit import fit
from samevent.hddcrp.problem import LEAST, MOST, MOST_WEIGHT, Problem
from samevent.hddcrp.result import ComponentPosterior
from samevent.partitions.consensus import LOSSES

_WHOLE = int | np.integer
_REAL = int | float | np.integer | np.floating
_POSITIVE = _REAL, LEAST, MOST
_RANGES: dict[str, tuple[UnionType, float, float]] = {
    "alpha_within": _POSITIVE,
    "alpha_across": _POSITIVE,
    "alpha_flat": _POSITIVE,
    "dirichlet": _POSITIVE,
    "likelihood_weight": (_REAL, 0, MOST_WEIGHT),
    "min_cosine": (_REAL, 0, 1),
    "chains": (_WHOLE, 2, np.inf),
    "sweeps": (_WHOLE, 8, np.inf),
    "samples": (_WHOLE, 1, np.inf),
    "exact_limit": (_REAL, 0, np.inf),
}
_CHOICES: dict[str, tuple[str, ...]] = {
    "model": ("hddcrp", "ddcrp"),
    "sampler": ("collapsed", "paper"),
    "loss": LOSSES,
}


class InvalidParameterError(UsageError, ValueError):
    """A parameter or an argument of an estimator is invalid."""


class HDDCRP(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Hierarchical distance-dependent Chinese restaurant process (Yang, Cardie & Frazier 2015).

    Clusters rows of counts that come in groups. The number of clusters is inferred, and each pair of rows has a
    probability of sharing one.

    Parameters
    ----------
    model : {"hddcrp", "ddcrp"}, default="hddcrp"
        The flat "ddcrp" ignores groups and links rows both ways.
    sampler : {"collapsed", "paper"}, default="collapsed"
        Both sample the same posterior; "collapsed" is faster.
    alpha_within, alpha_across : float, default=0.5, 0.001
        Affinity of a row to itself within its group, and across groups. Larger values give more clusters.
    alpha_flat : float, default=0.1
        The same for "ddcrp".
    dirichlet : float, default=1e-7
        Parameter of the symmetric Dirichlet prior on the words of a cluster.
    likelihood_weight : float, default=1.0
        Exponent of the likelihood of the counts; 0 clusters by affinities alone.
    min_cosine : float, default=0.5
        Without an `affinity`, rows with at least this cosine similarity may link.
    chains, sweeps : int, default=4, 800
        Chains, and the most sweeps of each, for components that are too large to be solved exactly.
    samples : int, default=100
        Number of partitions to keep in `posterior_`.
    exact_limit : float, default=1e5
        Components with at most this many ways to link are solved exactly.
    loss : {"variation-of-information", "binder"}, default="variation-of-information"
        Loss whose posterior expectation `labels_` minimises.
    n_jobs : int or None, default=None
        Number of threads; None means 1 and -1 one per processor. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of all random numbers; None draws one.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by first member.
    n_clusters_ : int
        Number of clusters in `labels_`.
    probability_ : scipy.sparse.csr_array of shape (n_samples, n_samples)
        P(same cluster) of rows that may link directly, symmetric, with ones on the diagonal.
        `posterior_.probability(i, j)` answers for any two rows.
    posterior_ : ComponentPosterior
        Samples, exact probabilities and diagnostics.
    n_features_in_ : int
        Number of columns of X, the vocabulary.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if they are all strings.

    Examples
    --------
    >>> from samevent.hddcrp import HDDCRP
    >>> counts = [[2, 1, 0, 0], [1, 1, 0, 0], [0, 0, 3, 1], [0, 0, 1, 1]]
    >>> model = HDDCRP(dirichlet=0.1).fit(counts, groups=["a", "b", "a", "b"])
    >>> model.labels_.tolist(), model.n_clusters_
    ([0, 0, 1, 1], 2)
    >>> bool(model.probability_[0, 1] > 0.9)
    True
    """

    def __init__(
        self,
        *,
        model: str = "hddcrp",
        sampler: str = "collapsed",
        alpha_within: float = 0.5,
        alpha_across: float = 0.001,
        alpha_flat: float = 0.1,
        dirichlet: float = 1e-7,
        likelihood_weight: float = 1.0,
        min_cosine: float = 0.5,
        chains: int = 4,
        sweeps: int = 800,
        samples: int = 100,
        exact_limit: float = 1e5,
        loss: str = "variation-of-information",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.model = model
        self.sampler = sampler
        self.alpha_within = alpha_within
        self.alpha_across = alpha_across
        self.alpha_flat = alpha_flat
        self.dirichlet = dirichlet
        self.likelihood_weight = likelihood_weight
        self.min_cosine = min_cosine
        self.chains = chains
        self.sweeps = sweeps
        self.samples = samples
        self.exact_limit = exact_limit
        self.loss = loss
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,  # noqa: N803  scikit-learn's name
        y: None = None,  # noqa: ARG002  scikit-learn's convention
        *,
        groups: ArrayLike | None = None,
        affinity: ArrayLike | sparse.sparray | sparse.spmatrix | None = None,
        must_link: ArrayLike = (),
        cannot_link: ArrayLike = (),
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts: what was observed of each row. Within a group, rows are in order.
        y : None
            Ignored.
        groups : array-like of shape (n_samples,), default=None
            The group (restaurant, document) of each row, any hashable values; None puts all rows into one group.
        affinity : {array-like, sparse matrix} of shape (n_samples, n_samples), default=None
            Entry (i, j) is the affinity of row i to row j; 0 or absent forbids the link. Within a group rows link
            to earlier ones only, so that j < i counts. None takes cosine similarities of at least `min_cosine`.
        must_link, cannot_link : array-like of shape (n_pairs, 2), default=()
            Pairs of rows that share a cluster with certainty, or never.

        Returns
        -------
        self : HDDCRP
            The fitted estimator.
        """
        self._check_parameters()
        try:
            counts = validate_data(self, X, accept_sparse="csr")
            check_non_negative(counts, "HDDCRP.fit (input X)")
        except ValueError as error:
            raise InvalidParameterError(str(error)) from error
        count = counts.shape[0]
        document = _numbered(groups, count)
        if affinity is None:
            affinity = cosine_affinity(counts, minimum=self.min_cosine)
        try:
            within, across = split_affinity(affinity, document)
            problem = Problem(
                document=document,
                words=counts,
                within=within,
                across=across,
                alpha_within=self.alpha_within,
                alpha_across=self.alpha_across,
                alpha_flat=self.alpha_flat,
                dirichlet=self.dirichlet,
                likelihood_weight=self.likelihood_weight,
                must_link=must_link,
                cannot_link=cannot_link,
            )
        except DataError as error:
            raise InvalidParameterError(error.what, expected=error.expected, hint=error.hint) from error
        self.posterior_ = fit(
            problem,
            model=self.model,  # type: ignore[arg-type]
            sampler=self.sampler,  # type: ignore[arg-type]
            chains=self.chains,
            sweeps=self.sweeps,
            keep=self.samples,
            exact_limit=self.exact_limit,
            seed=self._seed(),
            jobs=self._threads(),
        )
        consensus = self.posterior_.consensus(loss=self.loss, jobs=self._threads())  # type: ignore[arg-type]
        self.labels_ = consensus.labels
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.probability_ = _matrix(self.posterior_)
        return self

    def __sklearn_tags__(self) -> Tags:
        """Return the tags: X holds counts, which scikit-learn knows as non-negative, categorical input."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True
        return tags

    def _check_parameters(self) -> None:
        value: Any
        for name, (kind, least, most) in _RANGES.items():
            value = getattr(self, name)
            is_number: bool = isinstance(value, kind)
            if not is_number or not least <= value <= most:
                word = "an int" if kind is _WHOLE else "a float"
                end = "inf)" if most == np.inf else f"{most:g}]"
                self._invalid(name, f"{word} in the range [{least:g}, {end}", value)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                self._invalid(name, "one of " + ", ".join(map(repr, choices)), getattr(self, name))
        if self.model == "ddcrp" and self.sampler != "collapsed":
            self._invalid("sampler", "'collapsed' for the model 'ddcrp'", self.sampler)
        value = self.n_jobs
        if value is not None and not (isinstance(value, _WHOLE) and (value == -1 or value >= 1)):
            self._invalid("n_jobs", "an int of at least 1, -1 or None", value)
        value = self.random_state
        if not (value is None or isinstance(value, np.random.RandomState)) and not (
            isinstance(value, _WHOLE) and value >= 0
        ):
            self._invalid("random_state", "an int of at least 0, a RandomState or None", value)

    def _invalid(self, name: str, expected: str, value: object) -> None:
        raise InvalidParameterError(
            f"The {name!r} parameter of {type(self).__name__} must be {expected}. Got {value!r} instead."
        )

    def _seed(self) -> int:
        if isinstance(self.random_state, _WHOLE):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _threads(self) -> int:
        return (os.cpu_count() or 1) if self.n_jobs == -1 else self.n_jobs or 1


def _numbered(groups: ArrayLike | None, count: int) -> NDArray[np.int64]:
    """Number groups in the order of their first rows."""
    if groups is None:
        return np.zeros(count, np.int64)
    try:
        values = groups.tolist() if isinstance(groups, np.ndarray) else list(groups)  # type: ignore[arg-type]
        hash(tuple(values))
    except TypeError as error:
        raise InvalidParameterError(
            f"'groups' is {reprlib.repr(groups)}",
            expected=f"a list of {count} names or numbers, one per row of X",
        ) from error
    if len(values) != count:
        raise InvalidParameterError(
            f"'groups' has {len(values)} entries", expected=f"{count}, one per row of X"
        )
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)


def _matrix(posterior: ComponentPosterior) -> sparse.csr_array:
    """Return P(same cluster) of the candidate pairs as a symmetric matrix with ones on the diagonal."""
    count, left, right, together = posterior.customers, posterior.left, posterior.right, posterior.together
    diagonal = np.arange(count)
    rows, columns = np.concatenate([left, right, diagonal]), np.concatenate([right, left, diagonal])
    values = np.concatenate([together, together, np.ones(count)])
    return sparse.csr_array((values, (rows, columns)), shape=(count, count))
