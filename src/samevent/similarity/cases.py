"""Four kinds of pairs, which are told apart by different signs: within or across documents, with the same lemma or not.

For two mentions with one lemma in two documents, the question is whether the documents tell of the same thing; for two
different words of one document, whether they could mean the same at all. One weight cannot serve both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samevent.similarity.bags import Booleans, Indices
from samevent.similarity.mentions import MentionTable


@dataclass(frozen=True, slots=True)
class Case:
    """Pairs within a document or across documents, whose heads have the same lemma or others."""

    name: str
    within: bool
    same_lemma: bool

    def holds(self, table: MentionTable, i: Indices, j: Indices) -> Booleans:
        """Say which pairs of rows are of this kind."""
        lemma = table.heads.lemma[table.head]
        near, alike = table.document[i] == table.document[j], lemma[i] == lemma[j]
        found: Booleans = np.equal(near, self.within) & np.equal(alike, self.same_lemma)
        return found

    def weight(self, feature: str) -> str:
        """Return the name of the weight that a feature has in this case."""
        return f"{self.name}:{feature}"


CASES = (
    Case("within_same", within=True, same_lemma=True),
    Case("within_other", within=True, same_lemma=False),
    Case("across_same", within=False, same_lemma=True),
    Case("across_other", within=False, same_lemma=False),
)
"""Every pair is of one kind. A weight under the name of a case alone is for all its pairs."""
