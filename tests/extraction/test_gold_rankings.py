"""Rankings on documents small enough to count by hand, thresholds against trying all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import document
from samevent.corpus import Document, Kind, Mention
from samevent.extraction.gold import Balance, Ranking, ranking
from samevent.language.annotation import Annotation

WORDS = "a b c d . e f g h . i j k l ."


def right_headed(document: Document) -> Annotation:
    """Return a parse in which every word depends on the next of its sentence: spans are headed by their last."""
    ends = {s.end - 1 for s in document.sentences}
    n = len(document.tokens)
    return Annotation(
        tags=("NN",) * n,
        pos=("NOUN",) * n,
        lemmas=("x",) * n,
        heads=tuple(i if i in ends else i + 1 for i in range(n)),
        labels=("dep",) * n,
    )


def gold(*mentions: tuple[Kind, int, int, str | None], checked: Sequence[int] | None = None) -> Document:
    d = document(words=WORDS)
    if checked is not None:
        sentences = tuple(replace(s, annotated=i in checked) for i, s in enumerate(d.sentences))
        d = replace(d, sentences=sentences)
    return d.with_mentions(d.mention(kind, a, b, event=event) for kind, a, b, event in mentions)


def guesses(d: Document, *found: tuple[Kind, int, int, float]) -> list[Mention]:
    return [d.mention(kind, a, b, probability=p) for kind, a, b, p in found]


def ranked(d: Document, *found: tuple[Kind, int, int, float], kind: Kind = "action") -> Ranking:
    return ranking(kind, [(d, right_headed(d), guesses(d, *found))])


def test_recall_counts_linked_mentions_by_head_and_by_span() -> None:
    d = gold(
        ("action", 0, 2, "x"), ("action", 3, 4, "x"), ("action", 6, 8, "y"), ("action", 11, 12, None),
        ("time", 2, 3, "t"),
    )  # fmt: skip
    found = ranked(
        d, ("action", 3, 4, 0.5), ("action", 1, 2, 0.9), ("action", 11, 12, 0.8), ("time", 2, 3, 0.99)
    )
    assert found.probability.tolist() == [0.9, 0.8, 0.5]
    assert [found.recall(count) for count in range(4)] == [
        pytest.approx(pair) for pair in ((0, 0), (1 / 3, 0), (1 / 3, 0), (2 / 3, 1 / 3))
    ]
    assert found.recall(99) == found.recall(3)


def test_balance_counts_all_mentions_of_checked_sentences() -> None:
    d = gold(("action", 0, 2, "x"), ("action", 3, 4, None), ("action", 6, 7, "y"), checked=[0, 2])
    found = ranked(
        d, ("action", 1, 2, 0.9), ("action", 3, 4, 0.7), ("action", 6, 7, 0.8), ("action", 11, 12, 0.6)
    )
    assert found.gold_checked == 2
    head, exact = found.balance(0.5)
    assert astuple(head) == pytest.approx((2 / 3, 1, 0.8))
    assert astuple(exact) == pytest.approx((1 / 3, 1 / 2, 0.4))
    assert astuple(found.balance(0.7)[1]) == pytest.approx((1 / 2, 1 / 2, 1 / 2))
    assert found.balance(0.95) == (Balance(0, 0, 0), Balance(0, 0, 0))


def test_one_prediction_may_find_two_gold_mentions_but_is_correct_once() -> None:
    found = ranked(gold(("action", 0, 2, "x"), ("action", 1, 2, "x")), ("action", 1, 2, 0.9))
    head, exact = found.balance(0.5)
    assert astuple(head) == pytest.approx((1, 1, 1))
    assert astuple(exact) == pytest.approx((1, 1 / 2, 2 / 3))


def test_sentences_with_mentions_count_as_checked_by_default() -> None:
    d = gold(("action", 0, 1, None), ("time", 6, 7, None))
    found = ranked(d, ("action", 0, 1, 0.9), ("action", 5, 6, 0.8), ("action", 11, 12, 0.7))
    assert found.checked.tolist() == [True, True, False]


def test_addresses_do_not_count() -> None:
    d = gold(("action", 0, 1, "x"), ("action", 5, 6, "x"), checked=[0, 1])
    d = replace(d, sentences=(replace(d.sentences[0], is_url=True), *d.sentences[1:]))
    found = ranked(d, ("action", 5, 6, 0.9))
    assert (found.gold_linked, found.gold_checked, found.tokens) == (1, 1, 10)
    assert found.recall(1) == (1, 1)


def test_an_existing_head_is_used() -> None:
    d = gold(("action", 0, 2, "x"))
    d = d.with_mentions([replace(d.mentions[0], head=0)])
    assert ranked(d, ("action", 1, 2, 0.9)).recall(1) == (0, 0)
    assert ranked(d, ("action", 0, 1, 0.9)).recall(1) == (1, 0)


def test_documents_are_ranked_together_and_equals_stay_in_order() -> None:
    d = gold(("action", 0, 1, "x"))
    texts = [
        (d, right_headed(d), guesses(d, ("action", 5, 6, 0.5), ("action", 0, 1, 0.9))),
        (d, right_headed(d), guesses(d, ("action", 0, 1, 0.5), ("action", 5, 6, 0.7))),
    ]
    found = ranking("action", texts)
    assert found.probability.tolist() == [0.9, 0.7, 0.5, 0.5]
    assert found.linked[:, 0].tolist() == [1, 0, 0, 1]
    assert (found.gold_linked, found.tokens) == (2, 30)


def test_empty_predictions_and_gold_are_not_an_error() -> None:
    for found in (ranked(gold()), ranking("time", []), ranked(gold(("action", 0, 1, "x")))):
        assert found.recall(5) == (0, 0)
        assert found.balance(0.5)[0] == Balance(0, 0, 0)
        assert 0 <= found.best_threshold() <= 1
        assert found.threshold_for(0.3) > 0


@st.composite
def rankings(draw: st.DrawFn) -> Ranking:
    """Draw rankings in which probabilities may be equal; a prediction finds at most one gold mention."""
    n = draw(st.integers(1, 12))
    probability = sorted(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), reverse=True)
    by_head = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    by_span = [
        a and b for a, b in zip(by_head, draw(st.lists(st.booleans(), min_size=n, max_size=n)), strict=True)
    ]
    checked = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    found = np.array([by_head, by_span], np.int64).T * checked[:, None]
    missed = draw(st.integers(0, 4))
    total = int(found[:, 0].sum()) + missed
    return Ranking(np.array(probability) / 10, found, checked, found, total, total, draw(st.integers(n, 40)))


def mean_f1(found: Ranking, threshold: float) -> float:
    head, exact = found.balance(threshold)
    return (head.f1 + exact.f1) / 2


@given(rankings())
def test_best_threshold_is_the_best_of_all(found: Ranking) -> None:
    best = max(mean_f1(found, threshold) for threshold in found.probability)
    assert mean_f1(found, found.best_threshold()) == pytest.approx(best)


@given(found=rankings(), share=st.floats(0, 1))
def test_threshold_for_passes_at_most_the_share(found: Ranking, share: float) -> None:
    asked = int(share * found.tokens)
    threshold = found.threshold_for(share)
    taken = int((found.probability >= threshold).sum())
    assert taken <= asked
    lower = found.probability[found.probability < threshold]
    assert not len(lower) or (found.probability >= lower.max()).sum() > asked
