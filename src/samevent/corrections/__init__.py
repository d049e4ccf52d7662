"""Corrections: what people decide about events, as data, and as constraints that a run holds exactly.

    corrections = read_corrections(Path("out/corrections.jsonl"))
    result = Model.load().resolve(documents, corrections=corrections)

`decisions` are the values, `file` reads and appends them, `agreement` finds what they say together, and `matching`
finds their mentions in a run.
"""

from samevent.corrections.agreement import Agreement, agreed
from samevent.corrections.decisions import Decision, DecisionKind, MarkedMention, new_decision
from samevent.corrections.file import (
    CORRECTIONS_FILE,
    Corrections,
    append,
    parse_corrections,
    read_corrections,
)
from samevent.corrections.matching import (
    UNCORRECTED,
    Mark,
    Matched,
    Missing,
    NotEvents,
    Renaming,
    match,
)

__all__ = [
    "CORRECTIONS_FILE",
    "UNCORRECTED",
    "Agreement",
    "Corrections",
    "Decision",
    "DecisionKind",
    "Mark",
    "MarkedMention",
    "Matched",
    "Missing",
    "NotEvents",
    "Renaming",
    "agreed",
    "append",
    "match",
    "new_decision",
    "parse_corrections",
    "read_corrections",
]
