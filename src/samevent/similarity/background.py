"""What is known about words from documents that were read: in how many of them each occurs.

A word of few documents tells much about those it is in. A corpus of two documents cannot say which words these are, so
documents that a model has learned from are counted with those at hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from samevent.similarity.bags import Floats


@dataclass(frozen=True, slots=True)
class Background:
    """How many documents were read, and in how many of them each word was."""

    documents: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Background) -> Background:
        return Background(self.documents + other.documents, Counter(self.counts) + Counter(other.counts))

    def without_rare(self, least: int) -> Background:
        """Forget words of fewer documents than `least`: they are about as telling as those never seen."""
        kept = {word: count for word, count in sorted(self.counts.items()) if count >= least}
        return Background(self.documents, kept)

    def weights(self, words: Iterable[str]) -> Floats:
        """Return the inverse document frequency of words, above 0 even for those of every document.

        >>> Background(3, {"say": 3, "quake": 1}).weights(["say", "quake"]).round(2).tolist()
        [0.22, 0.92]
        """
        counts = np.array([self.counts.get(word, 0) for word in words], np.float64)
        weights: Floats = np.log((2 + self.documents) / (1 + counts))
        return weights


NOTHING_READ = Background()
