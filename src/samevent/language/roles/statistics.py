"""Role statistics: how often each role occurred with a combination of words and structure in the training data.

For sixteen combinations (such as verb, voice and path) the model sees the smoothed distribution over roles and the
amount of evidence. In training the counts of a sentence's own fold are excluded, so that the model learns how far to
trust statistics on new text. Where evidence is scarce, a coarser combination backs it up. Even one observation helps if
it had a role; combinations that never had a role are kept only if frequent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.language.hashing import Codes, Keys, KeyTable, hash_templates, look_up
from samevent.language.roles.features import templates

Floats = NDArray[np.float32]

CLASSES = 7
"""No role, the five that events need, and all others."""
FREQUENT = 8
"""The minimal count of a combination that never had a role."""
FOLDS = 8
_FINE_STRENGTH, _COARSE_STRENGTH = np.float32(2), np.float32(5)

FINE = templates(
    "pl pv path side; plp cl path; cl xl cd; xl cd pk; pl xl; plp psig pv path; pl opr pv path; gl pd path pv;"
    "path prel ownsubj pv; cmk pl path; cw ct cd; pf path pv; pf cl path; hdl cl xl; xw pl path; tl tsig path pv"
)
COARSE = templates(
    "path pv; path cl; cl cd; cd pk; cd pk; path psig pv; path opr pv; path pd pv;"
    "path pv; cmk path; ct cd; path pv; cl path; hdl cl; pl cd; tsig path pv"
)
WIDTH = len(FINE.seeds) * (CLASSES + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Counts of roles: `counts[i]` belongs to the combination with key `table.keys[i]`; `prior` is over all."""

    table: KeyTable
    counts: NDArray[np.uint16]
    prior: Floats

    def features(self, atoms: Codes) -> Floats:
        """Return the statistics of each candidate."""
        features: Floats = _features(
            look_up(hash_templates(atoms, FINE), self.table),
            look_up(hash_templates(atoms, COARSE), self.table),
            self.counts,
            self.prior,
        )
        return features


def collect(atoms: Codes, classes: NDArray[np.int64], folds: NDArray[np.int64]) -> tuple[Statistics, Floats]:
    """Count the training data; return the statistics, and for each row those of the other folds."""
    prior = (np.bincount(classes, minlength=CLASSES) / len(classes)).astype(np.float32)
    features = np.empty((len(atoms), WIDTH), np.float32)
    kept: list[tuple[Keys, NDArray[np.float64]]] = []
    fine, coarse = hash_templates(atoms, FINE), hash_templates(atoms, COARSE)
    for column in range(len(FINE.seeds)):
        others = []
        for keys in (fine[:, column], coarse[:, column]):
            distinct, index = np.unique(keys, return_inverse=True)
            total = _count(index, classes, len(distinct))
            outside = np.empty((len(keys), CLASSES), np.float32)
            for fold in range(FOLDS):
                own_fold = folds == fold
                outside[own_fold] = (total - _count(index[own_fold], classes[own_fold], len(distinct)))[
                    index[own_fold]
                ]
            others.append(outside)
            enough = _worth_keeping(total)
            kept.append((distinct[enough], total[enough]))
        features[:, column * (CLASSES + 1) : (column + 1) * (CLASSES + 1)] = distribution(
            others[0], others[1], prior
        )
    keys, first = np.unique(np.concatenate([distinct for distinct, _ in kept]), return_index=True)
    counts = np.concatenate([total for _, total in kept])
    return Statistics(KeyTable.of(keys), np.minimum(counts[first], 65535).astype(np.uint16), prior), features


def _count(index: NDArray[np.intp], classes: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    return (
        np.bincount(index * CLASSES + classes, minlength=size * CLASSES)
        .reshape(-1, CLASSES)
        .astype(np.float64)
    )


@njit(cache=True)
def _features(fine, coarse, counts, prior):  # type: ignore[no-untyped-def]
    """Compute `distribution` row by row from counts in the table."""
    out = np.empty((len(fine), fine.shape[1] * (CLASSES + 1)), np.float32)
    backing = np.empty(CLASSES, np.float32)
    for i in range(len(fine)):
        for k in range(fine.shape[1]):
            near, far, at = fine[i, k], coarse[i, k], k * (CLASSES + 1)
            total = np.float32(counts[far].sum()) if far >= 0 else np.float32(0)
            for c in range(CLASSES):
                seen = np.float32(counts[far, c]) if far >= 0 else np.float32(0)
                backing[c] = (seen + _COARSE_STRENGTH * prior[c]) / (total + _COARSE_STRENGTH)
            much = np.float32(counts[near].sum()) if near >= 0 else np.float32(0)
            for c in range(CLASSES):
                seen = np.float32(counts[near, c]) if near >= 0 else np.float32(0)
                out[i, at + c] = 2 * (seen + _FINE_STRENGTH * backing[c]) / (much + _FINE_STRENGTH)
            out[i, at + CLASSES] = np.log1p(much) / 3
    return out


def _worth_keeping(counts: NDArray[Any]) -> NDArray[np.bool_]:
    worth: NDArray[np.bool_] = (counts[:, 1:].sum(axis=1) > 0) | (counts[:, 0] >= FREQUENT)
    return worth


def distribution(fine: Floats, coarse: Floats, prior: Floats) -> Floats:
    """Return the distribution over classes, smoothed by the coarser counts, and the amount of evidence."""
    fine, coarse = (np.where(_worth_keeping(c)[:, np.newaxis], c, np.float32(0)) for c in (fine, coarse))
    backing = (coarse + _COARSE_STRENGTH * prior) / (coarse.sum(axis=1, keepdims=True) + _COARSE_STRENGTH)
    much = fine.sum(axis=1, keepdims=True)
    smoothed = (fine + _FINE_STRENGTH * backing) / (much + _FINE_STRENGTH)
    return np.hstack([2 * smoothed, np.log1p(much) / 3])
