from __future__ import annotations

from pathlib import Path

from samevent.corpus import Document
from samevent.formats.files import write_text
from samevent.formats.sheets import written
from samevent.results.rows import EVENT_COLUMNS, STORY_COLUMNS
from samevent.updates.stories import Retelling


def _events(path: Path, **documents: str) -> Path:
    rows = [
        {"event": id, "label": id, "mentions": 2, "document_ids": ids, "part": "main", "weight": 1.0}
        for id, ids in documents.items()
    ]
    write_text(path, written(EVENT_COLUMNS, ([row.get(name) for name in EVENT_COLUMNS] for row in rows)))  # type: ignore[misc]
    return path


def _document(id: str) -> Document:
    return Document.from_text(id, f"Title of {id}\n\nProse.", date="2011-11-12")


def test_stories_keep_ids_headlines_and_dates_unless_their_documents_change(tmp_path: Path) -> None:
    stories = tmp_path / "stories.csv"
    rows = [
        ("s4", "Old and the same", 2, "2011-11-10", "2011-11-11", "e1", "a;b"),
        ("s2", "Old and other", 2, None, None, "e2", "c;d"),
    ]
    write_text(stories, written(STORY_COLUMNS, rows))
    events = _events(tmp_path / "events.csv", e1="a;b", e2="c;d;n", e3="o;p;q")
    ids = list("abcdnopq")
    told = Retelling.of(stories, events, ids)
    assert told.after == {
        **dict.fromkeys("ab", "s4"),
        **dict.fromkeys("cdn", "s2"),
        **dict.fromkeys("opq", "s5"),
    }
    assert told.changed(ids) == list("nopq")
    asked: list[str] = []

    def read(id: str) -> Document:
        asked.append(id)
        return _document(id)

    found = {str(row["story"]): row for row in told.stories(ids, read)}
    assert asked == list("cdnopq")
    assert found["s4"] == dict(zip(STORY_COLUMNS, rows[0], strict=True))
    assert found["s2"]["headline"] == "Title of c"
    assert found["s5"]["document_ids"] == "o;p;q"
    assert found["s5"]["last_date"] == "2011-11-12"


def test_a_run_without_stories_gets_some(tmp_path: Path) -> None:
    told = Retelling.of(tmp_path / "stories.csv", _events(tmp_path / "events.csv", e1="a;b"), ["a", "b"])
    assert told.after == {"a": "s1", "b": "s1"}
