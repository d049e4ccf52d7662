"""Comparisons and causes on a sub-topic with hand-written answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clusterers.small import LEXICON
from parses import parsed
from samevent.clusterers import Evidence, clusterer
from samevent.corpus import Corpus, Document
from samevent.experiments.analysis import causes, compare_systems, word_pair
from samevent.experiments.cells import Cell
from samevent.experiments.ecbplus import Answers
from samevent.experiments.mention_sets import MentionSet
from samevent.experiments.protocols import TASKS
from samevent.language.resources import resources
from samevent.preparation import Prepared
from samevent.similarity.mentions import compile_mentions
from samevent.similarity.model import PairModel
from similarity.tables import VECTORS

WORDS = "unveil announce unveil fall loss"
MODEL = PairModel({"head_lemma": 4.0}, {}, -2.0)
"""f is .88 for equal lemmas, else .12."""


def answers(
    events: Sequence[str | None], spans: Sequence[tuple[int, int]], **labels: Sequence[int]
) -> tuple[Answers, Evidence]:
    """Return systems with these labels for mentions with these spans; gold mentions are single words."""
    base, annotation = parsed("\n".join(f"{word} NOUN dep {WORDS.split()[0]}" for word in WORDS.split()))
    base = Document.from_tokens("d", [WORDS.split()], topic="1", subtopic="ecb")
    gold = base.with_mentions(
        base.mention("action", at, at + 1, head=at, event=event) for at, event in enumerate(events) if event
    )
    extracted = base.with_mentions(base.mention("action", a, b, head=a) for a, b in spans)
    known, seen = (
        Evidence(
            compile_mentions([(d, annotation)], lexicon=LEXICON, vectors=VECTORS), {"paper": MODEL}, LEXICON
        )
        for d in (gold, extracted)
    )
    rows = {name.replace("_", "-"): np.array(row, np.int32) for name, row in labels.items()}
    cells = {name: Cell(seen.table.ids, row[np.newaxis], row, {}, "", 0.0) for name, row in rows.items()}
    prepared = Prepared(Corpus([extracted]), {}, resources())
    given = MentionSet("predicted", TASKS["yang2015"], prepared, Corpus([gold]))
    systems = {name: clusterer(name, preset="paper") for name in rows}
    return Answers(given, seen, systems, cells), known


WHOLE = [(at, at + 1) for at in range(5)]


def test_comparison_counts_pairs_by_which_system_is_right() -> None:
    given, _ = answers(
        ["a", "a", "b", "c", "c"],
        WHOLE,
        hddcrp=[0, 0, 1, 2, 3],
        agglomerative=[0, 1, 0, 2, 2],
        hdp_lex=[0, 0, 1, 2, 3],
    )
    result = compare_systems(given)
    counts = {kind: about["pairs"] for kind, about in result["agglomerative"].items()}
    assert counts == {"hddcrp links": 1, "hddcrp parts": 1, "other links": 1, "other parts": 0}
    assert result["agglomerative"]["hddcrp links"]["examples"] == [
        {"lemmas": ["announce", "unveil"], "pairs": 1, "example": ["d:0-1:action", "d:1-2:action"]}
    ]
    assert all(about["pairs"] == 0 for about in result["hdp-lex"].values())


def test_word_pair_reports_every_system() -> None:
    given, _ = answers(
        ["a", "a", "b", "c", "c"], WHOLE, hddcrp=[0, 0, 0, 1, 1], agglomerative=[0, 1, 2, 3, 3]
    )
    result = word_pair(given, ("unveil", "announce"))
    assert (result["pairs"], result["same"]) == (2, 1)
    assert result["linked"] == {
        "hddcrp": {"same": 1, "different": 1},
        "agglomerative": {"same": 0, "different": 0},
    }
    assert result["highest_f"] < 0.2


def test_missed_pairs_have_their_first_cause() -> None:
    # One event of five words: the last is not extracted, the fourth has a wrong span, the second another lemma.
    given, known = answers(["a"] * 5, [(0, 1), (1, 2), (2, 3), (3, 5)], hddcrp=[0, 1, 2, 0])
    missed = {cause: about["pairs"] for cause, about in causes(given, known)["missed"].items()}
    assert missed == {"missed mention": 4, "boundary": 3, "pair model": 2, "sampling": 1}


def test_spurious_pairs_have_their_first_cause() -> None:
    given, known = answers(["a", "b", "c", "d", None], [*WHOLE[:3], (3, 5)], hddcrp=[0, 0, 0, 1])
    result = causes(given, known)
    spurious = {cause: about["pairs"] for cause, about in result["spurious"].items()}
    assert spurious == {"sampling": 2, "pair model": 1}
    assert result["right"] == 0
    given, known = answers(["a", "b", None, "d", None], [(0, 2), *WHOLE[2:4]], hddcrp=[0, 0, 0])
    spurious = {cause: about["pairs"] for cause, about in causes(given, known)["spurious"].items()}
    assert spurious == {"spurious mention": 2, "boundary": 1}


def test_linked_pairs_of_one_event_are_right() -> None:
    given, known = answers(["a"] * 5, WHOLE, hddcrp=[0] * 5)
    result = causes(given, known)
    assert (result["right"], result["missed"], result["spurious"]) == (10, {}, {})
