"""What a run reads: several inputs as one, and what it refuses to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders import annotated, document
from samevent import Corpus, Document, read, write
from samevent.errors import DataError
from samevent.inputs import Survey, read_inputs

ENGLISH = (
    "The mayor of the town said on Monday that the bridge, which was closed after the storm, would open by the "
    "end of the week, but residents who have been waiting for it were not convinced of that."
)
GERMAN = (
    "Der Bürgermeister der Stadt sagte am Montag, dass die Brücke, die nach dem Sturm gesperrt worden war, bis "
    "zum Ende der Woche wieder geöffnet werde, doch die Anwohner, die darauf warten, glauben nicht daran."
)
JAPANESE = (
    "市長は月曜日に、嵐の後に閉鎖された橋が週末までに開通すると述べたが、住民は納得していなかったという。" * 2
)


def test_read_inputs_puts_corpora_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(ENGLISH)
    write(Corpus([annotated("a"), annotated("b")]), tmp_path / "two.jsonl")
    assert [d.id for d in read_inputs([tmp_path / "one.txt", tmp_path / "two.jsonl"])] == ["one", "a", "b"]


def test_read_inputs_names_inputs_where_ids_clash(tmp_path: Path) -> None:
    for name in ("monday", "tuesday"):
        (tmp_path / name).mkdir()
        write(Corpus([annotated("a")]), tmp_path / name / "news.jsonl")
    found = read_inputs([tmp_path / "monday" / "news.jsonl", tmp_path / "tuesday" / "news.jsonl"])
    assert [d.id for d in found] == ["1/a", "2/a"]  # the files' names say nothing: they are numbered
    first, alone = found["1/a"], read(tmp_path / "monday" / "news.jsonl")["a"]
    assert [m.text for m in first.mentions] == [m.text for m in alone.mentions]
    arguments = {a.mention for m in first.mentions for a in m.arguments}
    assert arguments
    assert arguments <= {m.id for m in first.mentions}

    folders = [tmp_path / "monday", tmp_path / "tuesday"]
    for folder in folders:
        (folder / "news.jsonl").unlink()
        (folder / "fire.txt").write_text(ENGLISH)
    assert [d.id for d in read_inputs(folders)] == ["monday/fire", "tuesday/fire"]


def test_foreign_tells_english_from_other_languages() -> None:
    documents = [
        Document.from_text(name, text) for name, text in (("en", ENGLISH), ("de", GERMAN), ("ja", JAPANESE))
    ]
    assert Survey.of(Corpus(documents)).foreign == ("de", "ja")
    assert Survey.of(Corpus([Document.from_text("short", "Sudan bombs Yida camp")])).foreign == ()


def test_check_readable_says_what_was_found() -> None:
    with pytest.raises(DataError, match="no text"):
        Survey.of(Corpus([Document.from_text("a", " \n")])).check_readable()
    german = [Document.from_text(f"de{i}", GERMAN) for i in range(2)]
    with pytest.raises(DataError, match=r"2 of 3 documents do not look like English \(such as 'de0'\)"):
        Survey.of(Corpus([*german, Document.from_text("en", ENGLISH)])).check_readable()
    survey = Survey.of(Corpus([german[0], Document.from_text("en", ENGLISH), document()]))
    assert survey.check_readable() == ("de0",)


def test_a_mention_with_a_gap_is_none_that_begins_and_ends_where_its_tokens_do(tmp_path: Path) -> None:
    base = document()
    gap, whole = base.mention("action", 0, 3, tokens=(0, 2)), base.mention("action", 0, 2)
    write(Corpus([base.with_mentions([gap, whole])]), tmp_path / "a.jsonl")
    assert len(list(read(tmp_path / "a.jsonl").mentions())) == 2


def test_survey_speaks_of_dates_that_are_dates_and_of_one_document_in_the_singular() -> None:
    dates = ("2031-03-04", "yesterday", "2031-03-09T10:00")
    documents = [Document.from_text(f"d{n}", ENGLISH, date=date) for n, date in enumerate(dates)]
    assert str(Survey.of(Corpus(documents))).endswith("words, 2031-03-04 to 2031-03-09")
    (notice,) = Survey.of(Corpus([Document.from_text("de", GERMAN)])).notices()
    assert notice == "1 document does not look like English, such as 'de': expect few events from it"
