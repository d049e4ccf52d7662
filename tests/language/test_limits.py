from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import pytest

from parses import needs_model
from samevent.corpus import Document
from samevent.language import limits
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation
from samevent.language.limits import LONGEST_RUN, PIECE, PiecewiseTokenizer, with_short_sentences
from samevent.language.retokenize import Layout

QUOTES = '"'


class Pieces(list[str]):
    """A stand-in for spaCy's document: the texts that a tokeniser got."""

    @classmethod
    def from_docs(cls, documents: list[Pieces], **_: Any) -> Pieces:
        return cls(piece for document in documents for piece in document)


@pytest.mark.parametrize("text", ["", "a bomb  killed\nten", "x" * LONGEST_RUN, "x\u00a0" * LONGEST_RUN])
def test_ordinary_text_is_tokenised_at_once(text: str) -> None:
    assert PiecewiseTokenizer(lambda text: Pieces([text]))(text) == [text]


def test_long_runs_are_tokenised_in_pieces_of_bounded_length() -> None:
    text = f"He said {QUOTES * 10 * LONGEST_RUN} and {'-' * 3 * LONGEST_RUN}"
    pieces = PiecewiseTokenizer(lambda text: Pieces([text]))(text)
    assert "".join(pieces) == text
    assert max(len(run) for piece in pieces for run in piece.split()) == PIECE
    assert not any(piece[:1].isspace() for piece in pieces)


def annotation(heads: list[int], **spans: Any) -> Annotation:
    size = len(heads)
    words: dict[str, Any] = dict.fromkeys(("tags", "pos", "lemmas"), ("x",) * size)
    return Annotation(heads=tuple(heads), labels=("nsubj",) * size, **words, **spans)


def document(*mentions: tuple[int, int]) -> Document:
    text = Document.from_text("d", "a b c d e f g h")
    return text.with_mentions(text.mention("action", start, end) for start, end in mentions)


@pytest.mark.parametrize(
    ("mentions", "sizes"),
    [([], [3, 3, 2]), ([(2, 4)], [4, 3, 1]), ([(3, 5)], [3, 3, 2]), ([(0, 8)], [8])],
)
def test_long_sentences_are_cut_outside_mentions_into_trees(
    monkeypatch: pytest.MonkeyPatch, mentions: list[tuple[int, int]], sizes: list[int]
) -> None:
    monkeypatch.setattr(limits, "LONGEST_SENTENCE", 3)
    layout = Layout(tuple((i, i + 1) for i in range(0, 16, 2)), (8,))
    parse = annotation(
        [1, 1, 1, 2, 5, 1, 7, 4], chunks=((0, 2), (2, 5)), entities=((3, 4, "GPE"), (2, 8, "GPE"))
    )
    layout, parse = with_short_sentences(document(*mentions), layout, parse)
    assert list(layout.sentences) == sizes
    edges = [0, *accumulate(sizes)]
    for start, end in pairwise(edges):
        assert [parse.labels[i] for i in range(start, end) if parse.heads[i] == i] == ["ROOT"]
        assert all(start <= head < end for head in parse.heads[start:end])
    for start, end in (*parse.chunks, *(entity[:2] for entity in parse.entities)):
        assert any(a <= start < end <= b for a, b in pairwise(edges))
    assert (0, 2) in parse.chunks
    assert (3, 4, "GPE") in parse.entities


def test_sentences_of_usual_length_stay_as_they_are() -> None:
    layout, parse = Layout(((0, 1), (2, 3)), (2,)), annotation([0, 0])
    assert with_short_sentences(document(), layout, parse) == (layout, parse)


@needs_model
def test_absurd_text_is_annotated_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LONGEST_SENTENCE", 100)
    text = f"A bomb killed ten people. {QUOTES * (LONGEST_RUN + 1)} {'rebels bombed the camp and ' * 80}"
    annotator = Annotator()
    found, parse = annotator(Document.from_text("d", text))
    assert [t.text for t in found.tokens[:6]] == ["A", "bomb", "killed", "ten", "people", "."]
    assert "".join(t.text for t in found.tokens) == "".join(text.split())
    assert max(s.end - s.start for s in found.sentences) <= 100
    assert len(parse) == len(found.tokens)
    # The tokeniser is wrapped once, and says the same about ordinary text.
    usual, _ = annotator(Document.from_text("d", "Sudan's jets didn't bomb Yida. Officials said so."))
    assert [t.text for t in usual.tokens][:5] == ["Sudan", "'s", "jets", "did", "n't"]
    assert [s.end - s.start for s in usual.sentences] == [8, 4]
