from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parses import parsed
from samevent.corpus import Argument, Document
from samevent.corpus.tokenize import cut
from samevent.language.retokenize import Layout, mention_pieces, retokenized

SPANS = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), max_size=8)


def spans_of(gaps_and_sizes: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    spans, at = [], 0
    for gap, size in gaps_and_sizes:
        spans.append((at + gap, at + gap + size))
        at += gap + size
    return tuple(spans)


@given(SPANS, st.lists(st.integers(1, 4)))
def test_layout_survives_as_bytes(gaps_and_sizes: list[tuple[int, int]], sizes: list[int]) -> None:
    layout = Layout(spans_of(gaps_and_sizes), tuple(sizes))
    assert Layout.from_bytes(layout.to_bytes()) == layout
    assert b"\n" not in layout.to_bytes()


@given(SPANS, st.sets(st.integers(0, 40)))
def test_cut_keeps_the_characters_and_crosses_no_border(
    gaps_and_sizes: list[tuple[int, int]], borders: set[int]
) -> None:
    spans = spans_of(gaps_and_sizes)
    parts = list(cut(spans, borders))
    assert [c for a, b in parts for c in range(a, b)] == [c for a, b in spans for c in range(a, b)]
    assert not any(a < border < b for a, b in parts for border in borders)
    inner = {border for a, b in spans for border in borders if a < border < b}
    assert len(parts) == len(spans) + len(inner)


TEXT = "Anti-war crowds shut it down."
#       0    5   9      16   21 24
WORDS = """
Anti NOUN amod war
- PUNCT punct war
war NOUN compound crowds
crowds NOUN nsubj shut
shut VERB ROOT shut
it PRON dobj shut
down ADP prt shut
. PUNCT punct shut
"""


@pytest.mark.parametrize(("old_head", "new_head"), [(0, 2), (1, 3), (None, None)])
def test_mentions_keep_their_characters_under_other_tokens(
    old_head: int | None, new_head: int | None
) -> None:
    d = Document.from_text("a", TEXT, title="news")
    assert [t.text for t in d.tokens] == ["Anti-war", "crowds", "shut", "it", "down", "."]
    crowds = d.mention("participant", 0, 2, head=old_head, event="crowd")
    shut = d.mention(
        "action", 2, 5, tokens=(2, 4), id="shut", arguments=[Argument(crowds.id, "ARG0")], tag="T"
    )
    d = d.with_mentions([shut, crowds])
    assert mention_pieces(d) == [[(0, 15)], [(16, 20), (24, 28)]]
    tokens = ((0, 4), (4, 5), (5, 8), (9, 15), (16, 20), (21, 23), (24, 28), (28, 29))
    _, annotation = parsed(WORDS)
    new = retokenized(d, Layout(tokens, (8,)), annotation)
    assert (new.text, new.title, new.tokens_given) == (d.text, "news", True)
    assert [t.text for t in new.tokens] == WORDS.split()[::4]
    first, second = new.mentions
    assert (first.id, first.text, first.span, first.head, first.event) == (
        crowds.id,
        "Anti-war crowds",
        (0, 4),
        new_head,
        "crowd",
    )
    assert (second.id, second.text, second.tokens, second.arguments, second.tag) == (
        "shut",
        "shut it down",
        (4, 6),
        shut.arguments,
        "T",
    )
