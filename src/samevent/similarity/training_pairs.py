"""The pairs that a log-linear model learns from.

The paper takes all pairs within a document and all pairs across similar documents. The authors' program took pairs of
mentions that are at most three sentences apart, and across documents the pairs of one event alone: pairs across
documents then speak only for coreference.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from samevent.similarity.code_features import NEAR
from samevent.similarity.pairs import LabelledMentions, Pairs, training_pairs, within_documents

TrainingPairs = Literal["similar", "near"]


def choose_pairs(data: LabelledMentions, which: TrainingPairs, *, document_threshold: float) -> Pairs:
    """Return the pairs to learn from: those of the paper, or those of the authors' program."""
    if which == "similar":
        return training_pairs(data.table, document_threshold=document_threshold)
    within = within_documents(data.table)
    first, second = within.look_up(data.table.position)
    return Pairs.concatenate([within[np.abs(first - second) <= NEAR], coreferent_across_documents(data)])


def coreferent_across_documents(data: LabelledMentions) -> Pairs:
    """Return all pairs of mentions of one event in different documents."""
    n = len(data.event)
    member = sparse.csr_array((np.ones(n, np.int32), (np.arange(n), data.event)))
    same = sparse.tril(member @ member.T, k=-1, format="coo")
    pairs = Pairs(same.row.astype(np.int32), same.col.astype(np.int32))
    return pairs[~pairs.equal(data.table.document)]
