from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from builders import document
from samevent.corpus import Clustering, Corpus, Document
from samevent.errors import CorpusError, DataError
from samevent.scoring import Filter, Singletons, pair, score
from samevent.scoring.table import ABSENT


def corpus(*spans: tuple[int, int, str], id: str = "d1", heads: bool = True, **fields: Any) -> Corpus:
    """Build one document of nine tokens whose events are given as (start, end, cluster); the last token is the head."""
    d = document(id, **fields)
    mentions = [d.mention("action", a, b, event=e, head=b - 1 if heads else None) for a, b, e in spans]
    return Corpus([d.with_mentions(mentions)])


def merged(*corpora: Corpus) -> Corpus:
    return Corpus(d for c in corpora for d in c)


def counts(gold: Corpus, system: Corpus | Clustering, **how: Any) -> tuple[int, int, int]:
    """Return how many mentions gold, system and both have."""
    p = pair(gold, system, **how)
    in_gold, in_system = p.gold != ABSENT, p.system != ABSENT
    return int(in_gold.sum()), int(in_system.sum()), int((in_gold & in_system).sum())


GOLD = corpus((0, 2, "a"), (3, 4, "b"), (5, 8, "a"))


@pytest.mark.parametrize(
    ("filter", "kept"),
    [
        ("none", {(0, 1), (0, 2), (1, 2), (4, 5), (6, 9), (7, 8)}),
        ("exact", {(0, 2)}),
        ("head", {(0, 2), (1, 2), (7, 8)}),
        ("overlap", {(0, 1), (0, 2), (1, 2), (6, 9), (7, 8)}),
    ],
)
def test_filter_keeps_matching_mentions_with_their_own_spans(
    filter: Filter, kept: set[tuple[int, int]]
) -> None:
    spans = [(0, 1), (0, 2), (1, 2), (4, 5), (6, 9), (7, 8)]
    system = corpus(*((a, b, f"{a}-{b}") for a, b in spans))
    assert counts(GOLD, system, filter=filter) == (3, len(kept), len(kept & {(0, 2)}))


def test_a_filtered_boundary_error_costs_a_miss_and_a_false_alarm() -> None:
    scores = score(GOLD, corpus((1, 2, "a"), (3, 4, "b"), (5, 8, "a")), filter="head")
    assert (scores.mentions.recall, scores.mentions.precision) == pytest.approx((2 / 3, 2 / 3))


def test_head_filter_without_heads_names_the_remedy() -> None:
    with pytest.raises(CorpusError, match=r"has no head.*overlap"):
        pair(GOLD, corpus((0, 2, "a"), heads=False), filter="head")


def test_overlap_ignores_the_gap_of_a_discontinuous_mention() -> None:
    d = document()
    gold = Corpus([d.with_mentions([d.mention("action", 0, 3, tokens=(0, 2))])])
    assert counts(gold, corpus((1, 2, "x")), filter="overlap") == (1, 0, 0)
    assert counts(gold, corpus((2, 4, "x")), filter="overlap") == (1, 1, 0)


@pytest.mark.parametrize(
    ("singletons", "expected"),
    [("keep", (4, 4, 4)), ("drop", (3, 2, 1)), ("drop-gold", (3, 3, 3))],
)
def test_singletons_can_be_dropped_both_ways(singletons: Singletons, expected: tuple[int, int, int]) -> None:
    gold = corpus((0, 1, "a"), (1, 2, "a"), (2, 3, "a"), (4, 5, "b"))
    system = corpus((0, 1, "x"), (1, 2, "y"), (2, 3, "z"), (4, 5, "x"))
    assert counts(gold, system, singletons=singletons) == expected


def test_singletons_are_counted_inside_the_unit() -> None:
    gold = merged(corpus((0, 1, "a")), corpus((0, 1, "a"), id="d2"))
    assert counts(gold, gold, singletons="drop", unit="document") == (0, 0, 0)
    assert counts(gold, gold, singletons="drop", unit="corpus") == (2, 2, 2)


def test_units_cut_clusters_that_cross_them() -> None:
    gold = merged(*(corpus((0, 1, "a"), (1, 2, "a"), id=f"d{i}", topic=str(i // 2)) for i in range(4)))
    sizes = {
        unit: pair(gold, gold, unit=unit).table().gold_sizes.tolist()
        for unit in ("document", "topic", "corpus")
    }
    assert sizes == {"document": [2, 2, 2, 2], "topic": [4, 4], "corpus": [8]}


def test_bootstrap_draws_topics_if_all_are_known() -> None:
    known = merged(*(corpus((0, 1, "a"), id=f"d{i}", topic=str(i // 2)) for i in range(4)))
    assert pair(known, known).groups == ("0", "1")
    unknown = merged(known, corpus((0, 1, "a"), id="d9"))
    assert pair(unknown, unknown).groups == ("d0", "d1", "d2", "d3", "d9")


def test_only_mentions_of_the_kind_are_scored() -> None:
    d = document()
    both = Corpus(
        [d.with_mentions([d.mention("action", 0, 1), d.mention("time", 1, 2), d.mention("time", 2, 3)])]
    )
    assert counts(both, both) == (1, 1, 1)
    assert counts(both, both, kind="time") == (2, 2, 2)


def test_a_clustering_of_gold_mentions_can_be_scored() -> None:
    ids = [m.id for m in GOLD.mentions()]
    assert score(GOLD, GOLD.clustering()).conll == pytest.approx(1)
    assert counts(GOLD, Clustering([ids[:2]])) == (3, 2, 2)
    with pytest.raises(CorpusError, match="not in the gold corpus"):
        score(GOLD, Clustering([["somewhere:0-1:action"]]))


def test_missing_and_extra_documents_are_noted() -> None:
    gold = merged(GOLD, corpus((0, 1, "a"), id="d2"))
    system = merged(GOLD, corpus((0, 1, "a"), id="d3"))
    result = pair(gold, system)
    assert [note.split(",")[0] for note in result.notes] == [
        "1 gold documents are missing from the system",
        "1 system documents are not in the gold",
    ]
    assert counts(gold, system) == (4, 3, 3)


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(DataError, match="no document in common"):
        pair(GOLD, corpus((0, 1, "a"), id="other"))


def test_mentions_are_compared_by_characters_where_tokens_differ() -> None:
    def cut(*borders: int) -> Document:
        return Document.from_text("d1", "an airstrike hit Yida", borders=borders)

    gold, system = cut(3, 12), cut(3, 6, 12)
    gold = gold.with_mentions([gold.mention("action", 1, 2)])
    system = system.with_mentions([system.mention("action", 1, 3), system.mention("action", 3, 4)])
    assert counts(Corpus([gold]), Corpus([system])) == (1, 2, 1)
    assert counts(Corpus([gold]), Corpus([system]), filter="exact") == (1, 1, 1)
    # "air|strike" with the head "strike", "strike" alone, and "hit", which shares no character with the gold mention
    spans = [(1, 3, 2), (2, 3, 2), (3, 4, 3)]
    system = system.with_mentions([system.mention("action", a, b, head=head) for a, b, head in spans])
    gold = gold.with_mentions([gold.mention("action", 1, 2, head=1)])
    assert counts(Corpus([gold]), Corpus([system]), filter="overlap") == (1, 2, 1)
    assert counts(Corpus([gold]), Corpus([system]), filter="head") == (1, 2, 1)


def test_mentions_are_compared_by_position_where_words_differ() -> None:
    other = corpus((0, 2, "a"), (3, 4, "b"), (5, 8, "a"), words="a b c . d e f g .")
    assert counts(GOLD, other) == (3, 3, 3)
    assert "compared by position" in pair(GOLD, other).notes[0]
    with pytest.raises(CorpusError, match=r"9 tokens in gold and 2 in system"):
        pair(GOLD, corpus((0, 1, "a"), words="a ."))


def test_a_repeated_span_stays_in_its_first_cluster_and_is_noted() -> None:
    d = document()
    first = d.mention("action", 0, 2, event="a")
    repeated = Corpus(
        [d.with_mentions([first, replace(first, id=f"{first.id}#2", event="z"), d.mention("action", 3, 4)])]
    )
    p = pair(GOLD, repeated)
    assert counts(GOLD, repeated) == (3, 2, 2)
    assert p.notes == ("1 system mentions repeat a span that is already in a cluster and were dropped",)
    with pytest.raises(CorpusError, match="two gold clusters"):
        pair(repeated, GOLD)


def test_unlinked_mentions_are_singletons() -> None:
    d = document()
    unlinked = Corpus([d.with_mentions([d.mention("action", i, i + 1) for i in (0, 1, 2)])])
    assert pair(unlinked, unlinked).table().gold_sizes.tolist() == [1, 1, 1]
