from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from report.pages import Page
from report.small import SPLIT_BYTES, annotated, small_result, with_reasons
from samevent.corpus import Corpus, Document, Mention, stored
from samevent.errors import OutputExistsError, UsageError
from samevent.events import Event
from samevent.report import book as book_module
from samevent.report import comparison, page, pages, write_report
from samevent.report.book import Block, Book
from samevent.report.index import Index
from samevent.report.plots import MAX_DOCUMENTS
from samevent.results import Result


def many(count: int = 60) -> Result:
    words = "The <raid|raid> <killed|kill> [ten people|p] in [Yida|l] ; <anger|{0}> <followed|follow {1}> ."
    return Result.from_corpus(
        with_reasons([annotated(f"d-{i}", words.format(f"a{i % 9}", i % 20)) for i in range(count)])
    )


def test_report_is_one_file(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    assert write_report(small_result(), target) == [target]
    assert target.read_text("utf-8") == page(small_result())


def test_report_is_not_overwritten_by_default(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("mine")
    with pytest.raises(OutputExistsError):
        write_report(small_result(), target)
    assert target.read_text() == "mine"
    write_report(small_result(), str(target), overwrite=True)
    assert "samevent" in target.read_text("utf-8")


def test_report_wants_a_name_of_html(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.html"):
        write_report(small_result(), tmp_path / "report.pdf")


def test_large_report_is_split_into_pages_that_find_each_other() -> None:
    result = many()
    whole = Page(page(result))
    files = dict(pages(result, name="my report:1.html", limit=SPLIT_BYTES))
    assert len(files) > 2
    assert next(iter(files)) == "my report:1-2.html"
    assert list(files)[-1] == "my report:1.html"
    *further, index = (len(text.encode()) for text in files.values())
    assert max(further) <= SPLIT_BYTES
    assert index <= SPLIT_BYTES + 20_000  # it has all views, with a link for each dot and cell
    found = {name: Page(text) for name, text in files.items()}
    places = {(name, id) for name, each in found.items() for id in each.values("id")}
    anchors = [id for _, id in places if id[1:].isdigit()]
    assert sorted(anchors) == sorted(id for id in whole.values("id") if id[1:].isdigit())
    for name, each in found.items():
        for href in each.values("href"):
            if not href.startswith("data:"):
                file, _, id = href.partition("#")
                assert ":" not in file
                assert not id or (unquote(file) or name, id) in places


def test_split_report_keeps_the_reasons_beside_the_members() -> None:
    files = dict(pages(many(), limit=SPLIT_BYTES))
    for text in files.values():
        each = Page(text)
        events = [id for id in each.values("id") if id[0] == "e" and id[1:].isdigit()]
        assert bool(each.data["whys"]) == bool(events)


def test_split_report_is_not_written_if_one_page_exists(tmp_path: Path) -> None:
    (tmp_path / "report-2.html").write_text("mine")
    with pytest.raises(OutputExistsError):
        write_report(many(), tmp_path / "report.html", limit=SPLIT_BYTES)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report-2.html"]
    written = write_report(many(), tmp_path / "report.html", limit=SPLIT_BYTES, overwrite=True)
    assert [path.name for path in written[:2]] == ["report.html", "report-2.html"]
    assert set(written) == set(tmp_path.iterdir())


def test_part_larger_than_a_page_gets_one_of_its_own() -> None:
    files = dict(pages(small_result(), limit=10))
    assert len(files) == 1 + 8 + 4


def stories(count: int, outlets: int = 3) -> Result:
    """Return stories that share no event, each in several documents."""
    words = "The <raid|raid {0}> <killed|kill {0}> [ten people|p] in [Yida|l] ; <anger|{0} {1}> ."
    return Result.from_corpus(
        with_reasons(
            [
                annotated(f"d-{outlet}-{story}", words.format(story, outlet))
                for outlet in range(outlets)
                for story in range(count)
            ]
        )
    )


def test_documents_that_share_events_are_on_one_page_with_them() -> None:
    result = stories(30)
    files = dict(pages(result, name="report.html", limit=SPLIT_BYTES + 20_000))
    assert len(files) > 3
    for name, text in files.items():
        if name != "report.html":
            far = [href for href in Page(text).values("href") if "#" in href and not href.startswith("#")]
            assert all(href.endswith("#") for href in far)  # only the pager leaves the page
    assert sum(text.count("<article") for text in files.values()) == 90 + len(result.events) + len(
        result.stories
    )


def test_every_event_and_document_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[str] = []
    event_block, document_block = Book.event_block, Book.document_block

    def event(book: Book, event: Event, quoted: int) -> Block:
        rendered.append(event.id)
        return event_block(book, event, quoted)

    def document(book: Book, document: Document) -> Block:
        rendered.append(document.id)
        return document_block(book, document)

    monkeypatch.setattr(Book, "event_block", event)
    monkeypatch.setattr(Book, "document_block", document)
    result = stories(12)
    text = sum(len(document.text) for document in result.corpus)
    assert len(dict(pages(result, limit=4 * text - 1))) > 1
    assert len(rendered) == len(set(rendered)) == len(result.events) + len(result.corpus)


def test_mentions_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: Counter[tuple[str, str]] = Counter()
    points = comparison._points

    def counted(first: Mention, second: Mention, index: Index) -> list[comparison.Point]:
        compared[first.id, second.id] += 1
        return points(first, second, index)

    monkeypatch.setattr(comparison, "_points", counted)
    result = stories(4)
    page(result)
    explained = sum(member.why is not None for event in result.events for member in event.members)
    assert len(compared) == compared.total() == explained > 0


@pytest.mark.parametrize("split", [False, True])
def test_stored_documents_are_built_a_few_times(split: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Building documents from files takes longer than rendering them: once to list them, and once to show them."""
    monkeypatch.setattr(stored, "RECENT", 8)
    held = Corpus(sorted(stories(40).to_corpus(), key=lambda document: document.id.split("-")[2]))
    built: Counter[int] = Counter()

    def build(place: int) -> Document:
        built[place] += 1
        return held.documents[place]

    result = Result.from_corpus(Corpus(stored.StoredDocuments(held.ids, build)))
    assert len(result.stories) == 40  # found in a pass of its own
    built.clear()
    limit = 4 * sum(len(document.text) for document in held) - 1 if split else 20_000_000
    files = dict(pages(result, limit=limit))
    assert files == dict(pages(Result.from_corpus(held), limit=limit))
    drawn = (4 if split else 2) * MAX_DOCUMENTS  # heads and cells of the matrix; pages need their links first
    assert sum(built.values()) <= 2 * len(held) + drawn


def test_index_of_a_large_report_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "MAX_INDEXED", 5)
    files = dict(pages(stories(40), limit=SPLIT_BYTES))
    index = Page(files["report.html"])
    assert len(index.data["rows"]) == 5 + 5
    assert not index.data["whys"]
    assert "115 more documents" in files["report.html"]
    listed = [href for href in index.values("href") if href.startswith("report-") and href.endswith("#")]
    assert {href.rstrip("#") for href in listed} == set(files) - {"report.html"}


def test_index_grows_by_one_line_per_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond what it lists, documents and events leave only the lines of their pages, however many there are."""
    monkeypatch.setattr(book_module, "MAX_INDEXED", 5)
    sizes = []
    for count in (40, 80):
        files = dict(pages(stories(count), limit=SPLIT_BYTES))
        sizes.append((len(files), len(files["report.html"].encode())))
    (few, small), (many, large) = sizes
    assert many >= few + 4
    assert large - small <= 100 * (many - few)


@pytest.mark.parametrize(
    ("whole", "most", "events", "documents"), [(True, 1, 2, 3), (False, 80, 2, 2), (False, 79, 1, 1)]
)
def test_stories_of_an_index_share_what_it_may_list(
    monkeypatch: pytest.MonkeyPatch, whole: bool, most: int, events: int, documents: int
) -> None:
    book = Book(stories(40))
    book.whole = whole
    monkeypatch.setattr(book_module, "MAX_TOLD", most)
    articles = [block.markup for block in book.story_blocks()]
    assert [article.count("<li") for article in articles] == 40 * [events + documents]
    assert all(("more document" in article) == (documents < 3) for article in articles)


@pytest.mark.slow
def test_index_of_a_report_that_lists_all_it_may_is_below_5_mb() -> None:
    result = stories(book_module.MAX_INDEXED + 100, outlets=2)
    assert len(result.corpus) > book_module.MAX_INDEXED
    for kind in (1, 2):
        assert sum((len(event) > 1) == (kind > 1) for event in result.events) > book_module.MAX_INDEXED
    first, *_, (name, index) = pages(result, limit=1_000_000)
    assert (first[0], name) == ("report-2.html", "report.html")
    assert len(index.encode()) < 5_000_000 - 100 * 1000  # of room for a thousand pages


def test_pages_of_an_earlier_report_are_removed(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    assert len(write_report(many(), target, limit=SPLIT_BYTES)) > 3
    assert len(write_report(small_result(), target, overwrite=True)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
