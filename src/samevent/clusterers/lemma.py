"""LEMMA: mentions whose head words have the same lemma tell of the same event, wherever they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers.base import Evidence, Need, Rule


@dataclass(frozen=True, slots=True)
class Lemma(Rule):
    """Group all mentions of the corpus by the lemma of their head, in lower case. There is nothing to set."""

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing but words."""
        return frozenset()

    @property
    def pair_model(self) -> None:
        """No pairs are compared."""

    @property
    def minimum_similarity(self) -> None:
        """No pairs are compared."""

    def links(self, evidence: Evidence, *, jobs: int = 1) -> None:
        """No pairs are compared."""

    def labels(self, evidence: Evidence) -> NDArray[np.integer]:
        """Return the number of each mention's head lemma."""
        table = evidence.table
        return table.heads.lemma[table.head]
