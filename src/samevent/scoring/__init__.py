"""Scoring clusterings: MUC, B-cubed, CEAF, BLANC, LEA, mention detection and the CoNLL average.

One sparse contingency table serves all metrics and all units. Most callers only need
`score(gold, system)`; `pair` returns what the bootstrap works on.
"""

from samevent.scoring.bootstrap import Difference, Interval, differences, intervals
from samevent.scoring.pairing import FILTERS, SINGLETONS, Filter, Pairing, Singletons, pair
from samevent.scoring.scores import METRICS, Score, Scores, score, scores_of

__all__ = [
    "FILTERS",
    "METRICS",
    "SINGLETONS",
    "Difference",
    "Filter",
    "Interval",
    "Pairing",
    "Score",
    "Scores",
    "Singletons",
    "differences",
    "intervals",
    "pair",
    "score",
    "scores_of",
]
