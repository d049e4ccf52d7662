"""Average-link clustering of pair scores: what a pair model is worth without a model of partitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from samevent.clusterers.base import Evidence, Need, PairModelName
from samevent.clusterers.rules import Rule
from samevent.experiments.reliability import clusters_of
from samevent.similarity.links import MentionLinks


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageLink(Rule):
    """Join the two groups with the highest mean f between them until it falls below `cut`.

    Pairs below `minimum_similarity` count as 0, as do pairs of documents that `document_gate` keeps apart.
    """

    cut: float = 0.4
    minimum_similarity: float = 0.05
    pair_model: PairModelName = "standard"
    document_gate: float = 0.0

    @property
    def needs(self) -> frozenset[Need]:
        """Similarities, and the arguments that these compare."""
        return frozenset(("arguments", "similarity"))

    def links(self, evidence: Evidence, *, jobs: int = 1) -> MentionLinks:
        """Return the pairs whose f counts."""
        return evidence.links(
            self.minimum_similarity, pair_model=self.pair_model, document_gate=self.document_gate, jobs=jobs
        )

    def labels(self, evidence: Evidence) -> NDArray[np.integer]:
        """Return the groups."""
        return average_link(len(evidence), self.links(evidence), self.cut)


def average_link(n: int, links: MentionLinks, cut: float) -> NDArray[np.integer]:
    """Cluster `n` mentions by the f of their links; groups never cross connected components."""
    i, j = links.pairs.i, links.pairs.j
    similarity = coo_array((links.similarity, (i, j)), shape=(n, n)).tocsr()
    labels = np.arange(n)
    for members in clusters_of(connected_components(similarity, directed=False)[1]):
        block = similarity[members][:, members].toarray()
        tree = linkage(squareform(1 - np.maximum(block, block.T), checks=False), "average")
        labels[members] = n + members[0] + n * fcluster(tree, 1 - cut, "distance")
    return labels
