"""Coreference measured on ECB+: all systems of the paper, each on the very same mentions, under three protocols.

tasks      what a protocol asks: which split, which mentions count, which units are scored
mentions   what systems are given: the annotators' mentions, ours, or those of a file
models     extractor and pair model of a protocol's own train topics
cells      one system on one set of mentions, kept on disk as it finishes
rows       scores, intervals and paired tests of cells
table      all of it together
"""

from samevent.experiments.ecbplus.plan import Plan
from samevent.experiments.ecbplus.table import measure_ecbplus
from samevent.experiments.ecbplus.tasks import TASKS, Task

__all__ = ["TASKS", "Plan", "Task", "measure_ecbplus"]
