"""What a person's decisions say about a pair model: how far its log-odds are off on texts like those reviewed.

A few dozen decisions cannot grow trees. They can answer the one question that a model leaves open on texts that it has
not seen: whether it joins mentions too readily there, or not readily enough. How far its log-odds are off on all pairs
together is a normal variable (`Uncertainty`); decisions make it known. With none the model stays as it is, with many
their answer counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from samevent.partitions.constraints import PairConstraints, must_link_groups
from samevent.similarity.bags import Booleans, Floats
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.links import MentionLinks, log_odds
from samevent.similarity.pairs import Pairs

_STEPS = 100
"""Newton's method takes fewer than ten."""
_DIGITS = 3


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """Pairs that decisions are about, the log-odds that a model gives them, and whether they are the same event.

    A decision that joins m mentions says as much as m - 1 pairs, and one that keeps two events apart as much as one,
    however many pairs these have: so much is their `weight` together.
    """

    pairs: Pairs
    log_odds: Floats
    same: Booleans
    weight: Floats

    def __len__(self) -> int:
        return len(self.same)

    @classmethod
    def of(cls, links: MentionLinks, constraints: PairConstraints, mentions: int) -> JudgedPairs:
        """Return the links of a corpus that constraints decide, directly or through others; no other pair counts."""
        group = must_link_groups(constraints.must_link, mentions)
        first, second = group[links.pairs.i], group[links.pairs.j]
        apart = np.sort(group[constraints.cannot_link], axis=1)
        low, high = np.minimum(first, second), np.maximum(first, second)
        code, size = low * mentions + high, np.bincount(group, minlength=mentions)
        same = first == second
        decided = same | np.isin(code, apart[:, 0] * mentions + apart[:, 1])
        _, kind, count = np.unique(code[decided], return_inverse=True, return_counts=True)
        said = np.where(same[decided], size[low[decided]] - 1, 1)
        weight = np.minimum(1.0, said / count[kind])
        return cls(links.pairs[decided], log_odds(links.similarity[decided]), same[decided], weight)

    @classmethod
    def concatenate(cls, parts: list[JudgedPairs]) -> JudgedPairs:
        """Concatenate the judged pairs of several runs; their `pairs` are rows of different tables."""
        return cls(
            Pairs.concatenate(part.pairs for part in parts),
            np.concatenate([part.log_odds for part in parts]),
            np.concatenate([part.same for part in parts]),
            np.concatenate([part.weight for part in parts]),
        )

    def offset(self, spread: float) -> float:
        """Return the most probable amount that the log-odds are off by, if it is 0 with a deviation of `spread` before.

        >>> nothing, many = np.empty(0), np.zeros(1000)
        >>> none = Pairs(np.empty(0, np.int32), np.empty(0, np.int32))
        >>> JudgedPairs(none, nothing, nothing > 0, nothing).offset(1.5)
        0.0
        >>> JudgedPairs(none, many, np.arange(1000) < 731, many + 1).offset(1.5)
        0.997
        """
        offset = 0.0
        for _ in range(_STEPS):
            probability = expit(self.log_odds + offset)
            slope = self.weight @ (self.same - probability) - offset / spread**2
            curvature = self.weight @ (probability * (1 - probability)) + 1 / spread**2
            step = float(np.clip(slope / curvature, -1.0, 1.0))
            offset += step
            if abs(step) < 10.0 ** -(_DIGITS + 3):
                break
        return round(offset, _DIGITS) + 0.0


def corrected(model: BoostedModel, judged: JudgedPairs, sources: Sequence[str] = ()) -> BoostedModel:
    """Return a model whose log-odds of all pairs are off by nothing any more, as far as decisions tell.

    It says what it has learned from, in the order of learning; `sources` are the hashes of the decisions. Where there
    is a second look, the mean of both looks counts, so it moves by twice as much; the graph that it sees stays.
    """
    offset = judged.offset(model.uncertainty.spread)
    learned = {
        "sha256": list(sources), "pairs": len(judged), "same": int(judged.same.sum()), "offset": offset
    }  # fmt: skip
    moved = replace(
        model, about={**model.about, "corrections": [*model.about.get("corrections", []), learned]}
    )
    if model.second is None:
        return replace(moved, intercept=model.intercept + offset)
    return replace(moved, second=replace(model.second, intercept=model.second.intercept + 2 * offset))
