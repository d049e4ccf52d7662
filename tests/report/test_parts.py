from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from report.pages import Page
from samevent.report.markup import Safe, html
from samevent.report.parts import Mark, marked

TEXT = "the <raid> & what came of it"


def mark(name: str, *stretches: tuple[int, int]) -> Mark:
    return Mark(stretches, lambda piece: html("a", piece, class_=name))


def owners(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> list[int | None]:
    """Return the span that each character belongs to: the shortest one, the last among equals."""
    found: list[int | None] = []
    for place in range(start, end):
        over = [(a - b, number) for number, (a, b) in enumerate(spans) if a <= place < b]
        found.append(max(over)[1] if over else None)
    return found


SPANS = st.lists(
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)))
    .map(sorted)
    .map(tuple)
    .filter(lambda s: s[0] < s[1])
)


@given(SPANS, st.integers(0, 10), st.integers(11, len(TEXT)))
def test_marked_text_keeps_every_character_and_shows_the_shortest_mark(
    spans: list[tuple[int, int]], start: int, end: int
) -> None:
    drawn: list[tuple[int | None, str]] = []

    def dress(number: int) -> Mark:
        def note(piece: str) -> Safe:
            drawn.append((number, piece))
            return html("a", piece)

        return Mark((spans[number],), note)

    shown = marked(TEXT, start, end, [dress(number) for number in range(len(spans))])
    assert Page(shown).text == TEXT[start:end]
    expected = owners(TEXT, start, end, spans)
    assert [n for n, piece in drawn for _ in piece] == [n for n in expected if n is not None]


def test_marked_text_leaves_the_gap_of_a_mark_bare() -> None:
    assert (
        marked("call it off", 0, 11, [mark("m", (0, 4), (8, 11))])
        == "<a class=m>call</a> it <a class=m>off</a>"
    )


def test_marked_text_cuts_marks_at_its_ends() -> None:
    assert marked("abcdef", 2, 4, [mark("m", (0, 3))]) == "<a class=m>c</a>d"
