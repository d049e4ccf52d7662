from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samevent.corpus import Document
from samevent.language.annotation import Annotation
from samevent.similarity import neighbours
from samevent.similarity.documents import all_topical_documents, topical_similarity
from samevent.similarity.mentions import MentionTable
from samevent.similarity.neighbours import DocumentIndex, most_documents, most_neighbours, topical_documents
from similarity.tables import compiled


def of_nouns(texts: Sequence[Sequence[str]]) -> MentionTable:
    """Return documents of nouns."""
    corpus = []
    for number, nouns in enumerate(texts):
        size = len(nouns)
        annotation = Annotation(
            tags=("NN",) * size, pos=("NOUN",) * size, lemmas=tuple(nouns), heads=tuple(range(size)),
            labels=("ROOT",) * size,
        )  # fmt: skip
        corpus.append((Document.from_tokens(f"d{number:03}", [nouns]), annotation))
    return compiled(corpus)


def zipfian(documents: int, *, seed: int = 0, words: int = 400, length: int = 25) -> MentionTable:
    """Return documents of nouns, some of them in most documents and most of them rare."""
    draw = np.random.default_rng(seed)
    return of_nouns(
        [[f"w{int(words ** draw.random())}" for _ in range(int(draw.integers(0, length)))] for _ in range(documents)]
    )  # fmt: skip


def brute_force(table: MentionTable, least: float, rare: int, nearest: int) -> dict[tuple[int, int], float]:
    """Look at all pairs of documents."""
    bags, count = table.contents, len(table.documents)
    frequency = np.bincount(bags.words, minlength=len(table.vocabulary))
    d, e = (numbers.astype(np.int32) for numbers in np.tril_indices(count, -1))
    similarity = {
        (first, second): value
        for first, second, value in zip(
            d.tolist(), e.tolist(), topical_similarity(table, d, e).tolist(), strict=True
        )
        if value >= least
        and any(
            frequency[word] <= rare for word in np.intersect1d(bags.row(first), bags.row(second)).tolist()
        )
    }
    kept = set()
    for document in range(count):
        own = [(-value, sum(pair) - document, pair) for pair, value in similarity.items() if document in pair]
        kept |= {pair for *_, pair in sorted(own)[:nearest]}
    return {pair: similarity[pair] for pair in kept}


def found_in(index: DocumentIndex, least: float, block: int) -> dict[tuple[int, int], float]:
    cuts = [*range(0, len(index), block), len(index)]
    blocks = [index.block(start, stop, least) for start, stop in pairwise(cuts)]
    d, e, similarity = index.join(blocks[::-1])
    pairs = list(zip(d.tolist(), e.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    return dict(zip(pairs, similarity.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("least", [0.05, 0.2, 0.5])
@pytest.mark.parametrize(
    ("rare", "nearest"), [(10**6, 10**6), (12, 10**6), (10**6, 3), (8, 5), (60, 1), (2, 4), (3, 10**6)]
)
def test_neighbours_are_those_of_brute_force(seed: int, least: float, rare: int, nearest: int) -> None:
    table = zipfian(60, seed=seed)
    wanted = brute_force(table, least, rare, nearest)
    index = DocumentIndex.of(table, rare=rare, nearest=nearest)
    assert found_in(index, least, 7) == found_in(index, least, 60) == wanted
    assert wanted or least == 0.5


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([f"w{k}" for k in range(130)]), max_size=90), min_size=1, max_size=9),
    st.sampled_from([0.01, 0.08, 0.3, 0.9]),
    st.integers(0, 5),
    st.integers(1, 5),
)
def test_neighbours_are_those_of_brute_force_whatever_the_words(
    texts: list[list[str]], least: float, rare: int, nearest: int
) -> None:
    table = of_nouns(texts)
    index = DocumentIndex.of(table, rare=rare, nearest=nearest)
    assert found_in(index, least, 2) == brute_force(table, least, rare, nearest)


def test_equally_near_documents_count_in_order() -> None:
    table = of_nouns([["quake"]] * 6)
    index = DocumentIndex.of(table, nearest=2)
    assert set(found_in(index, 0.5, 2)) == set(brute_force(table, 0.5, 10, 2))


@pytest.mark.parametrize("jobs", [1, 3])
def test_small_corpora_have_all_neighbours_for_any_number_of_jobs(jobs: int) -> None:
    table = zipfian(300, seed=9)
    d, e, similarity = topical_documents(table, 0.1, jobs=jobs)
    i, j = (numbers.astype(np.int32) for numbers in np.tril_indices(300, -1))
    wanted = topical_similarity(table, i, j)
    near = wanted >= 0.1
    assert (d.tobytes(), e.tobytes()) == (i[near].tobytes(), j[near].tobytes())
    assert similarity.tobytes() == wanted[near].tobytes()


@pytest.mark.parametrize("jobs", [1, 3])
def test_large_corpora_have_the_same_neighbours_for_any_number_of_jobs(
    jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = zipfian(60, seed=4)
    wanted = brute_force(table, 0.1, 8, 3)
    for name, value in (("PAIRS", 0), ("RARE", 8), ("NEAREST", 3), ("_BLOCK", 7)):
        monkeypatch.setattr(neighbours, name, value)
    d, e, similarity = topical_documents(table, 0.1, jobs=jobs)
    found = dict(zip(zip(d.tolist(), e.tolist(), strict=True), similarity.tolist(), strict=True))
    assert wanted
    assert list(found.items()) == sorted(wanted.items())


def test_the_rules_bound_only_large_corpora() -> None:
    for rule in (most_neighbours, most_documents):
        assert all(rule(count) >= count for count in (0, 1, 10, 1000))
        assert rule(10**7) * 10**7 <= 10**9


@pytest.mark.parametrize("documents", [0, 1, 2, 60])
@pytest.mark.parametrize("least", [0.01, 0.08, 0.25])
def test_comparing_all_documents_finds_the_same_neighbours(documents: int, least: float) -> None:
    table = zipfian(documents)
    d, e, similarity = topical_documents(table, least)
    assert documents < 60 or 0 < len(d) < documents * (documents - 1) // 2
    all_d, all_e, all_similarity = all_topical_documents(table, least)
    assert (all_d.dtype, all_e.dtype) == (d.dtype, e.dtype)
    assert all_d.tolist() == d.tolist()
    assert all_e.tolist() == e.tolist()
    assert all_similarity.tolist() == similarity.tolist()
