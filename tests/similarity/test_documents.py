from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samevent.corpus import Document
from samevent.language.annotation import Annotation
from samevent.similarity.bags import Background
from samevent.similarity.documents import topical_similarity
from samevent.similarity.mentions import Annotated, MentionTable
from similarity.tables import compiled, random_corpus

QUAKE = "quake hit indonesia aceh magnitude damage official say people kill"
TRIAL = "court judge sentence murder trial jury guilty lawyer say people"
COMMON = "say people year official kill"
NEWS = Background(500, dict.fromkeys(COMMON.split(), 250))


def text(id: str, words: str, pos: str = "NOUN") -> Annotated:
    """Return a document of words of one sort, without any mention."""
    tokens = words.split()
    size = len(tokens)
    annotation = Annotation(
        tags=("NN",) * size,
        pos=(pos,) * size,
        lemmas=tuple(tokens),
        heads=tuple(range(size)),
        labels=("ROOT",) * size,
    )
    return Document.from_tokens(id, [tokens]), annotation


def news(count: int) -> MentionTable:
    """Return documents that are by turns about a quake and about a trial, each with a word of its own."""
    return compiled([text(f"d{k:02}", f"{(QUAKE, TRIAL)[k % 2]} own{k}") for k in range(count)])


@pytest.mark.parametrize("count", [2, 5, 20])
def test_documents_on_one_topic_are_similar_in_corpora_of_any_size(count: int) -> None:
    table = news(count).with_background(NEWS)
    d, e = (numbers.astype(np.int32) for numbers in np.tril_indices(count, -1))
    about = topical_similarity(table, d, e)
    same = d % 2 == e % 2
    assert (about[~same] < 0.15).all()
    assert (about[same] > 0.5).all()


@pytest.mark.parametrize("count", [2, 5, 20])
def test_words_have_weights_without_a_background(count: int) -> None:
    table = news(count)
    d, e = (numbers.astype(np.int32) for numbers in np.tril_indices(count, -1))
    about, same = topical_similarity(table, d, e), d % 2 == e % 2
    assert (about > 0).all()
    assert about[same].min(initial=1) > about[~same].max()


def test_topical_similarity_agrees_with_a_dense_matrix() -> None:
    table = compiled(random_corpus(4, documents=9)).with_background(Background(7, {"bomb": 6, "raid": 1}))
    dense = np.zeros((len(table.documents), len(table.vocabulary)))
    for row in range(len(dense)):
        inside = slice(table.contents.starts[row], table.contents.starts[row + 1])
        dense[row, table.contents.words[inside]] = 1 + np.log(table.contents.counts[inside])
    dense *= table.weights
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    d, e = (numbers.astype(np.int32) for numbers in np.tril_indices(len(dense)))
    assert topical_similarity(table, d, e) == pytest.approx((dense @ dense.T)[d, e])
    assert topical_similarity(table, d, e).tobytes() == topical_similarity(table, e, d).tobytes()


def test_documents_without_words_are_similar_to_nothing() -> None:
    table = compiled(
        [text("a", "quake"), text("b", "quake"), text("c", ",", "PUNCT"), text("d", ",", "PUNCT")]
    )
    d, e = np.array([1, 2, 3, 2], np.int32), np.array([0, 0, 2, 2], np.int32)
    assert topical_similarity(table, d, e).tolist() == pytest.approx([1, 0, 0, 0])


def test_topical_similarity_ignores_addresses() -> None:
    document, annotation = text("a", "quake hit")
    page = replace(document, sentences=tuple(replace(s, is_url=True) for s in document.sentences))
    assert compiled([(page, annotation)]).contents.counts.tolist() == []


def test_weights_combine_background_and_corpus() -> None:
    table = compiled([text("a", "quake say say"), text("b", "say")]).with_background(
        Background(8, {"say": 7, "hit": 3})
    )
    expected = {"quake": np.log(12 / 2), "say": np.log(12 / 10)}
    assert dict(zip(table.vocabulary, table.weights.tolist(), strict=True)) == pytest.approx(expected)


def test_document_frequencies_count_selected_documents_and_drop_rare_words() -> None:
    table = compiled([text("a", "quake say"), text("b", "say hit"), text("c", "say")])
    found = table.document_frequencies(np.array([True, False, True]))
    assert (found.documents, found.counts) == (2, {"quake": 1, "say": 2})
    assert found.without_rare(2).counts == {"say": 2}
