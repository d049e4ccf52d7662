from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.pages import Page
from samevent.report.markup import Safe, data_block, escape, html, together

PLAIN = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cn")) | st.sampled_from("<>&\"'`=\n\t")
)
"""Text that is shown as it is: without controls, which are shown as symbols."""


@given(PLAIN)
def test_text_is_read_back_as_it_was(text: str) -> None:
    page = Page(html("p", text))
    assert page.text == text
    assert page.tags() == {"p"}


@given(PLAIN)
def test_attributes_are_read_back_as_they_were(text: str) -> None:
    page = Page(html("p", "x", title=text, class_="after"))
    assert page.elements == [("p", {"title": text, "class": "after"})]


@given(st.text())
def test_no_text_makes_an_element_or_a_control(text: str) -> None:
    shown = html("p", text, title=text)
    assert Page(shown).tags() == {"p"}
    assert all(character in "\t\n\r" or character >= " " for character in shown)
    shown.encode()


@pytest.mark.parametrize("text", ["\0", "\x1b", "\x7f", "\u202e", "\u2066", "\ud800", "\ufffe"])
def test_characters_that_hide_or_turn_text_are_shown(text: str) -> None:
    shown = escape(f"a{text}b")
    assert text not in shown
    assert len(shown) > 2


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "https://example.org/#a",
        "//host/#x",
        "#a b",
        "x.html",
        "data:text/html,x",
        "../a.html#b",
    ],
)
def test_links_lead_only_to_the_report(href: str) -> None:
    with pytest.raises(ValueError, match="no link"):
        html("a", "x", href=href)


@pytest.mark.parametrize("name", ["onclick", "style", "src", "srcdoc", "action", "x y", "data-x=1 onclick"])
def test_attributes_that_run_or_load_cannot_be_written(name: str) -> None:
    with pytest.raises(ValueError, match="no attribute"):
        html("p", "x", **{name: "1"})


def test_children_are_flattened_and_markup_is_kept() -> None:
    inner = html("b", "<")
    assert together(["&", None, [inner, 3], (c for c in "<>")]) == "&amp;<b>&lt;</b>3&lt;&gt;"
    assert isinstance(escape(inner), Safe)
    assert escape(inner) == inner


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | PLAIN,
    lambda inner: st.lists(inner) | st.dictionaries(PLAIN, inner),
)


@settings(max_examples=30)
@given(JSON)
def test_data_is_read_back_as_it_was(data: object) -> None:
    assert Page(data_block("data", data)).data == data


@given(st.text())
def test_data_cannot_close_its_element(text: str) -> None:
    block = data_block("data", [text, "</script><!--<script>"])
    assert block.count("<") == 2
    block.encode()


def test_data_shows_characters_that_hide_or_turn_text() -> None:
    found = Page(data_block("data", {"\0": ["a\u202eb", 1]}))
    assert found.data == {"␀": ["a[U+202E]b", 1]}
