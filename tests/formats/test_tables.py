from __future__ import annotations

import csv
import io
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import WORDS, annotated, corpora, document, event_fields, references
from samevent.corpus import Argument, Corpus, Document, Mention
from samevent.errors import FormatError, OutputExistsError, SameventError, UsageError
from samevent.formats.base import ReadOptions, WriteOptions
from samevent.formats.tables import FORMAT

NASTY = st.sampled_from(
    ["=1+1", "-", "+x", "@a", "＝x", "'", "'=", "''-1", ";=1", '"', ",", "a;", "1", "007"]
)
BLANKS = st.sampled_from([" ", "\t", "\r\n", "\n=1", " a", "a b", "\u2028", "\ufeff"])


def read(path: Path, **options: Any) -> Corpus:
    return Corpus(FORMAT.read(path, ReadOptions(**options)))


def read_back(corpus: Corpus) -> Corpus:
    with tempfile.TemporaryDirectory() as folder:
        FORMAT.write(corpus, Path(folder) / "out", WriteOptions())
        return read(Path(folder) / "out")


def table(path: Path) -> list[dict[str, str]]:
    """Read a file as the csv module does, without our reader."""
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


@st.composite
def filled(draw: st.DrawFn) -> Corpus:
    """Draw a corpus whose fields are full of what could go wrong in a spreadsheet."""
    names = NASTY | WORDS
    labels = st.none() | names
    extra = st.dictionaries(names.map(lambda name: f"{name}!"), names | BLANKS, max_size=2)

    def changed(d: Document) -> Document:
        ids = [m.id for m in d.mentions]
        fields: dict[str, Any] = {name: draw(labels) for name in ("title", "date", "topic", "subtopic")}
        return replace(d, extra=draw(extra), **fields).with_mentions(
            replace(
                m,
                head=draw(st.none() | st.sampled_from(m.tokens)),
                event=draw(labels),
                within=draw(labels),
                tag=draw(labels),
                **draw(event_fields(m)),
                probability=draw(st.none() | st.floats(0, 1)),
                refers=draw(references(m)),
                arguments=tuple(
                    Argument(id, draw(labels)) for id in draw(st.lists(st.sampled_from(ids), max_size=2))
                ),
                extra=draw(extra),
            )
            for m in d.mentions
        )

    return draw(corpora(words=names)).mapped(changed)


def ink(d: Document, m: Mention) -> set[int]:
    """Return the characters of a mention's own tokens that are not white space."""
    own = (d.tokens[i] for i in m.tokens)
    return {at for token in own for at in range(token.start, token.end) if not d.text[at].isspace()}


def kept(d: Document) -> list[object]:
    """Return all of a document that the tables keep."""
    mentions = [
        (
            *(m.id, m.kind, m.char_start, m.char_end, m.text, m.event, m.within, m.tag, m.probability),
            *(
                m.event_class,
                m.negated,
                m.refers,
                m.arguments,
                m.extra,
                ink(d, m),
                None if m.head is None else d.tokens[m.head].start,
            ),
        )
        for m in sorted(d.mentions, key=lambda m: m.id)
    ]
    return [d.id, d.title, d.date, d.topic, d.subtopic, d.text, d.extra, mentions]


# Round trips


@settings(max_examples=30)
@given(corpora() | filled())
def test_round_trip_keeps_the_columns(corpus: Corpus) -> None:
    back = read_back(corpus)
    assert [kept(d) for d in back] == [kept(d) for d in corpus]
    assert back.clustering() == corpus.clustering()
    assert not any(d.tokens_given for d in back)


@settings(max_examples=20)
@given(corpora(words=BLANKS | NASTY))
def test_white_space_is_lost_only_at_the_edges_of_mentions(corpus: Corpus) -> None:
    corpus = corpus.filtered(lambda m: bool(ink(corpus[m.document], m)))

    def inked(c: Corpus) -> list[object]:
        return [
            (d.text, [(m.id, m.event, ink(d, m)) for m in sorted(d.mentions, key=lambda m: m.id)]) for d in c
        ]

    assert inked(read_back(corpus)) == inked(corpus)


@settings(max_examples=15)
@given(filled())
def test_tables_are_written_again_as_they_were(corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, two = Path(folder) / "one", Path(folder) / "two"
        FORMAT.write(corpus, one, WriteOptions())
        FORMAT.write(read(one), two, WriteOptions())
        assert (one / "documents.csv").read_bytes() == (two / "documents.csv").read_bytes()
        columns = "event mention char_start char_end probability arguments id".split()
        assert [[row[c] for c in columns] for row in table(one / "mentions.csv")] == [
            [row[c] for c in columns] for row in table(two / "mentions.csv")
        ]


def test_head_inside_a_word_of_the_plain_tokeniser_stays_where_it_was() -> None:
    d = Document.from_tokens("a", [["an", "air", "strike"]], text="an airstrike")
    d = d.with_mentions([d.mention("action", 1, 3, head=2)])
    (back,) = read_back(Corpus([d]))
    (m,) = back.mentions
    assert m.head is not None
    assert (m.text, back.tokens[m.head].text) == ("airstrike", "strike")


def test_head_of_white_space_is_left_out() -> None:
    d = Document.from_tokens("a", [["so", " ", "it", "goes"]])
    d = d.with_mentions([d.mention("action", 1, 3, head=1)])
    (m,) = read_back(Corpus([d])).mentions()
    assert (m.text, m.head) == ("it", None)


def test_fields_that_are_not_strings_come_back_as_json() -> None:
    d = document(extra={"source": {"url": "x"}, "n": 3, "none": None})
    (back,) = read_back(Corpus([d]))
    assert back.extra == {"source": '{"url": "x"}', "n": "3"}


# What people see


def test_mention_row_starts_with_the_readable_columns(tmp_path: Path) -> None:
    FORMAT.write(Corpus([annotated("a", title="Raid")]), tmp_path / "out", WriteOptions())
    rows = {row["mention"]: row for row in table(tmp_path / "out" / "mentions.csv")}
    seen = "event kind document sentence probability participants times locations head tag".split()
    assert [rows["bombs"][column] for column in seen] == [
        *("raid", "action", "a", "Sudan bombs Yida .", "0.75"),
        *("Sudan", "", "Yida", "bombs", "ACTION_OCCURRENCE"),
    ]
    assert rows["raid"]["times"] == "Thursday"
    assert rows["killed ten people off"]["pieces"] == "40-46 58-61"
    assert rows["bombs"]["pieces"] == ""


def test_event_rows_sum_up_the_events(tmp_path: Path) -> None:
    lone = document("c", "They fled .")
    lone = lone.with_mentions([lone.mention("action", 1, 2), lone.mention("participant", 0, 1, event="they")])
    corpus = Corpus([annotated("a", date="2012"), annotated("b", date="2013"), lone])
    FORMAT.write(corpus, tmp_path / "out", WriteOptions())
    rows = [list(row.values()) for row in table(tmp_path / "out" / "events.csv")]
    assert rows == [
        ["raid", "bombs", "occurrence", "4", "2", "a", "2012; 2013", "Sudan", "Thursday", "Yida"],
        ["kill a", "killed ten people off", "occurrence", "1", "1", "a", "2012", "", "", ""],
        ["kill b", "killed ten people off", "occurrence", "1", "1", "b", "2013", "", "", ""],
        ["c:1-2:action", "fled", "", "1", "1", "c", "", "", "", ""],
    ]


def test_event_is_called_by_its_most_frequent_words(tmp_path: Path) -> None:
    d = document(words="raid strike strike raid attack .")
    d = d.with_mentions([d.mention("action", i, i + 1, event="e") for i in (0, 1, 2, 4)])
    FORMAT.write(Corpus([d]), tmp_path / "out", WriteOptions())
    assert [row["label"] for row in table(tmp_path / "out" / "events.csv")] == ["strike"]


@settings(max_examples=15)
@given(filled())
def test_no_cell_of_any_table_is_a_formula(corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        FORMAT.write(corpus, Path(folder) / "out", WriteOptions())
        files = {path.name: path.read_bytes() for path in (Path(folder) / "out").iterdir()}
    assert files.keys() == {"mentions.csv", "documents.csv", "events.csv"}
    for content in files.values():
        assert content.startswith(b"\xef\xbb\xbf")
        for row in csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True):
            assert not [cell for cell in row if cell.startswith(tuple("=+-@＝＋－＠\t\r\n\0"))]


# Files


def test_folder_and_its_mentions_are_recognised(tmp_path: Path) -> None:
    out = tmp_path / "out"
    FORMAT.write(Corpus([annotated()]), out, WriteOptions())
    assert FORMAT.recognises(out)
    assert FORMAT.recognises(out / "mentions.csv")
    assert not FORMAT.recognises(tmp_path)
    assert not FORMAT.recognises(out / "events.csv")
    (out / "events.csv").unlink()
    assert read(out / "mentions.csv") == read(out)
    (out / "documents.csv").unlink()
    assert not FORMAT.recognises(out)
    with pytest.raises(FormatError, match=r"documents.csv: cannot be read"):
        read(out)


def test_single_csv_file_is_rejected_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"three files in a folder.*--to tables"):
        FORMAT.write(Corpus([document()]), tmp_path / "out.csv", WriteOptions())


def test_existing_tables_are_kept_and_nothing_half_written_is_left(tmp_path: Path) -> None:
    out = tmp_path / "out"
    FORMAT.write(Corpus([annotated()]), out, WriteOptions())
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    blank = Document.from_tokens("a", [["it", " "]])
    blank = blank.with_mentions([blank.mention("action", 1, 2)])
    with pytest.raises(OutputExistsError):
        FORMAT.write(Corpus([document()]), out, WriteOptions())
    with pytest.raises(FormatError, match="mention 'a:1-2:action' is only white space") as caught:
        FORMAT.write(Corpus([blank]), out, WriteOptions(overwrite=True))
    assert caught.value.where == str(out)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


# Tables by hand

DOCUMENTS = 'id,text\nd,"Sudan bombs Yida.\nIt fled."\n'


def by_hand(folder: Path, mentions: str, documents: str = DOCUMENTS) -> Path:
    (folder / "documents.csv").write_bytes(documents.encode())
    (folder / "mentions.csv").write_bytes(mentions.encode())
    return folder


def test_tables_made_by_hand_need_few_columns(tmp_path: Path) -> None:
    corpus = read(by_hand(tmp_path, "document,char_start,char_end,event,note\nd,6,11,1,sure?\nd,21,25,,\n"))
    bombs, fled = corpus.mentions()
    assert (bombs.text, bombs.kind, bombs.event, bombs.extra) == ("bombs", "action", "1", {"note": "sure?"})
    assert (fled.text, fled.event, fled.extra, fled.id) == ("fled", None, {}, "d:5-6:action")


def test_tables_saved_by_a_spreadsheet_of_another_country_are_read(tmp_path: Path) -> None:
    mentions = "document;char_start;char_end;mention;probability\r\nd;6;11;bombs;0,5\r\n"
    (m,) = read(by_hand(tmp_path, mentions)).mentions()
    assert m.probability == 0.5


def test_bad_document_does_not_hide_the_others_from_the_doctor(tmp_path: Path) -> None:
    documents = "id,text\na,bomb\nb,bomb\n"
    folder = by_hand(tmp_path, "document,char_start,char_end\na,0,9\nb,0,4\n", documents)
    failures: list[SameventError] = []
    assert [d.id for d in read(folder, failures=failures)] == ["b"]
    assert [error.where for error in failures] == [f"{folder / 'mentions.csv'}:2"]


@pytest.mark.parametrize(
    ("cell", "negated"), [("yes", True), ("TRUE", True), ("1", True), ("no", False), ("", False)]
)
def test_negation_is_read_as_spreadsheets_write_it(tmp_path: Path, cell: str, negated: bool) -> None:
    mentions = f"document,char_start,char_end,event_class,negated\r\nd,6,11,state,{cell}\r\n"
    [m] = read(by_hand(tmp_path, mentions)).mentions()
    assert (m.event_class, m.negated) == ("state", negated)


HEADER = "document,char_start,char_end,mention,kind,pieces,head_start,probability,arguments,id"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("x,6,11,,,,,,,", "unknown document 'x'; expected an id from documents.csv"),
        (",6,11,,,,,,,", "the cell 'document' is empty"),
        ("d,,11,,,,,,,", "the cell 'char_start' is empty"),
        ("d,six,11,,,,,,,", "the cell 'char_start' is 'six'; expected a whole number"),
        ("d,6,11.0,,,,,,,", "the cell 'char_end' is '11.0'; expected a whole number"),
        ("d,6,99,,,,,,,", "spans characters 6-99"),
        ("d,11,12,,,,,,,", "' ', are not whole tokens"),
        ("d,6,11,bombed,,,,,,", "the mention is 'bombed' where the document has 'bombs'. Correct char_start"),
        ("d,6,11,,verb,,,,,", "has the kind 'verb'"),
        ("d,0,16,,,0-5 12-15,,,,", "the pieces are '0-5 12-15'; expected the characters of each, such as"),
        ("d,0,16,,,0-5 x-16,,,,", "the pieces are '0-5 x-16'"),
        ("d,0,16,,,0-12 6-16,,,,", "expected each token once, in order"),
        ("d,0,16,,, ,,,,", "the pieces are ' '"),
        ("d,6,11,,,,0,,,", "has its head at token 0"),
        ("d,6,11,,,,99,,,", "has its head at token"),
        ("d,6,11,,,,x,,,", "the cell 'head_start' is 'x'"),
        ("d,6,11,,,,,1.5,,", "has the probability 1.5; expected a number from 0 to 1"),
        ("d,6,11,,,,,nan,,", "has the probability nan"),
        ("d,6,11,,,,,high,,", "the cell 'probability' is 'high'; expected a number"),
        ("d,6,11,,,,,,Sudan,", "the arguments are 'Sudan'; expected JSON such as"),
        ("d,6,11,,,,,,{},", "the field 'arguments' is not a list of objects"),
        ('d,6,11,,,,,,"[{""role"": ""ARG0""}]",', "the field 'mention' is missing"),
        (f"d,6,11,,,,,,{'[' * 99_999},", "the arguments are '[[["),
        ("d,6,11", "the row has 3 cells; expected 10"),
    ],
)  # fmt: skip
def test_bad_mention_is_one_error_with_its_line(row: str, says: str, tmp_path: Path) -> None:
    folder = by_hand(tmp_path, f"{HEADER}\nd,0,5,Sudan,,,,,,s\n{row}\n")
    with pytest.raises(SameventError) as caught:
        read(folder)
    assert says in str(caught.value)
    assert caught.value.where == f"{folder / 'mentions.csv'}:3"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("d,6,11,,,,,,,s", "two mentions of document 'd' have the id 's'"),
        ('d,6,11,,,,,,"[{""mention"": ""m9""}]",', "has the argument 'm9'"),
    ],
)
def test_mentions_that_do_not_fit_together_are_an_error(row: str, says: str, tmp_path: Path) -> None:
    folder = by_hand(tmp_path, f"{HEADER}\nd,0,5,Sudan,,,,,,s\n{row}\n")
    with pytest.raises(SameventError) as caught:
        read(folder)
    assert says in str(caught.value)
    assert caught.value.where == str(folder / "mentions.csv")


@pytest.mark.parametrize(
    ("documents", "line", "says"),
    [
        ("id,title\na,b\n", 1, "the column 'text' is missing; expected a first row that names id, text"),
        ('id,text\na,"x\ny"\n,z\n', 4, "the cell 'id' is empty"),
        ("id,text\na,x\na,y\n", 3, "document 'a' is already on line 2"),
        ('id,text\na,x\nb,"y\n', 3, "is not CSV"),
    ],
)
def test_bad_documents_are_one_error_with_its_line(
    documents: str, line: int, says: str, tmp_path: Path
) -> None:
    folder = by_hand(tmp_path, HEADER + "\n", documents)
    with pytest.raises(FormatError) as caught:
        read(folder)
    assert says in str(caught.value)
    assert caught.value.where == f"{folder / 'documents.csv'}:{line}"
