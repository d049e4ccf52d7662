from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import DATA, WORDS, annotated, corpora, document, needs_data
from real_data import ecbplus_release
from samevent.corpus import EVENT_CLASSES, Corpus, Document, EventClass, Mention
from samevent.errors import FormatError, OutputExistsError, SameventError, UsageError
from samevent.formats.base import ReadOptions, WriteOptions
from samevent.formats.ecbplus import FORMAT, SENTENCES

XML = """\
<Document doc_name="{name}">
<token t_id="1" sentence="0" number="0">Sudan</token>
<token t_id="2" sentence="0" number="1">bombs</token>
<token t_id="3" sentence="1" number="0">Yida</token>
<Markables>
<ACTION_OCCURRENCE m_id="1"><token_anchor t_id="2"/></ACTION_OCCURRENCE>
<ACTION_OCCURRENCE m_id="2" RELATED_TO="" TAG_DESCRIPTOR="raid" instance_id="ACT1" />
</Markables>
<Relations>
<CROSS_DOC_COREF r_id="5" note="ACT1"><source m_id="1"/><target m_id="2"/></CROSS_DOC_COREF>
</Relations>
</Document>
"""
NAMES = ["1_2ecb", "1_10ecb", "1_1ecbplus", "10_1ecb", "2_1ecb"]
HEADER = "Topic,File,Sentence Number\n"


def read(path: Path, sentences: Path | None = None) -> Corpus:
    return Corpus(FORMAT.read(path, ReadOptions(sentences=sentences)))


def write(corpus: Corpus, path: Path, *, overwrite: bool = False) -> Path:
    FORMAT.write(corpus, path, WriteOptions(overwrite=overwrite))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A release as it is unpacked: the documents in `ECB+`, the list of sentences beside it."""
    for name in NAMES:
        file = tmp_path / "release" / "ECB+" / name.partition("_")[0] / f"{name}.xml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(XML.format(name=f"{name}.xml"))
    (tmp_path / "release" / SENTENCES).write_text(HEADER + "1,2ecb,1\n1,2ecb,0\n99,1ecb,5\n2,1ecb,1\n")
    return tmp_path / "release"


@pytest.fixture
def archive(folder: Path) -> Path:
    """The same release as it is fetched: zipped."""
    path = folder.parent / "fetched" / "ECB+.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as zipped:
        for file in folder.rglob("*.xml"):
            zipped.write(file, file.relative_to(folder))
        zipped.writestr("__MACOSX/ECB+/1/._1_2ecb.xml", b"\x00\x05\x16\x07")
    shutil.copy(folder / SENTENCES, path.parent)
    return path


def test_documents_are_in_the_order_of_topics_and_names(folder: Path) -> None:
    assert [d.id for d in read(folder)] == ["1_1ecbplus", "1_2ecb", "1_10ecb", "2_1ecb", "10_1ecb"]


def test_same_event_in_two_documents_is_one(folder: Path) -> None:
    assert len(read(folder).clustering()) == 1


@pytest.mark.parametrize(
    "given",
    [
        lambda folder, archive: folder / "ECB+",
        lambda folder, archive: archive,
        lambda folder, archive: archive.parent,
    ],
)
def test_zip_and_folder_read_the_same(
    folder: Path, archive: Path, given: Callable[[Path, Path], Path]
) -> None:
    assert read(given(folder, archive)) == read(folder)


@pytest.mark.parametrize("part", ["", "ECB+", "ECB+/1", "ECB+/1/1_2ecb.xml"])
def test_list_of_sentences_is_found_from_every_level(folder: Path, part: str) -> None:
    assert [s.annotated for s in read(folder / part)["1_2ecb"].sentences] == [True, True]


def test_sentences_that_are_not_listed_are_not_annotated(folder: Path) -> None:
    corpus = read(folder)
    assert [s.annotated for s in corpus["2_1ecb"].sentences] == [False, True]
    assert [s.annotated for s in corpus["10_1ecb"].sentences] == [False, False]


def test_without_a_list_nobody_said_which_sentences_are_annotated(folder: Path) -> None:
    (folder / SENTENCES).unlink()
    assert {s.annotated for d in read(folder) for s in d.sentences} == {None}


def test_named_list_of_sentences_overrides_the_one_nearby(folder: Path) -> None:
    other = folder / "mine.csv"
    other.write_text('\ufeffSentence Number,File,Topic\r\n0,"10ecb",1\r\n\r\n')
    corpus = read(folder, other)
    assert [(d.id, i) for d in corpus for i, s in enumerate(d.sentences) if s.annotated] == [("1_10ecb", 0)]


@pytest.mark.parametrize(
    ("rows", "line", "says"),
    [
        ("", 1, "no column 'Topic'"),
        ("Topic,File\n", 1, "no column 'Sentence Number'; expected Topic,File,Sentence Number"),
        (HEADER + "1,2ecb,0\n1,2ecb,two\n", 3, "sentence 'two'"),
        (HEADER + "1,2ecb,-1\n", 2, "sentence '-1'"),
        (HEADER + f"1,2ecb,{'9' * 5000}\n", 2, "sentence '9"),
        (HEADER + "\n1,2ecb\n", 3, "sentence ''"),
        (HEADER + "1,,0\n", 2, "file ''"),
        (HEADER + "1,10ecb,0\n1,2ecb,2\n", 3, "'1_2ecb' has no sentence 2; expected a number under 2"),
        (HEADER + '1,"2ecb"x,0\n', 2, "is not CSV"),
    ],
)
def test_bad_list_of_sentences_is_rejected_with_its_line(
    folder: Path, rows: str, line: int, says: str
) -> None:
    path = folder / SENTENCES
    path.write_text(rows)
    with pytest.raises(FormatError) as caught:
        read(folder)
    assert says in str(caught.value)
    assert caught.value.where == f"{path}:{line}"


def test_list_of_sentences_that_is_missing_or_not_utf8_is_rejected(folder: Path) -> None:
    (folder / SENTENCES).write_bytes(HEADER.encode() + b"1,\xe9,0\n")
    with pytest.raises(FormatError, match=f"{SENTENCES}:2: .*is not valid UTF-8"):
        read(folder)
    with pytest.raises(FormatError, match=r"none\.csv: cannot be read"):
        read(folder, folder / "none.csv")


def test_document_in_two_files_is_rejected(folder: Path) -> None:
    second = folder / "ECB+" / "2" / "copy.xml"
    second.write_text(XML.format(name="1_2ecb.xml"))
    with pytest.raises(FormatError, match=r"'1_2ecb' was already read from .*1_2ecb\.xml") as caught:
        read(folder)
    assert caught.value.where == str(second)


def test_an_archive_of_other_files_is_to_be_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "news.zip", "w") as zipped:
        zipped.writestr("a.txt", "A quake struck Kestry.")
    with pytest.raises(FormatError, match=r"news\.zip: the archive has no XML files.*Unpack it"):
        read(tmp_path / "news.zip")


def test_bad_document_in_a_zip_is_rejected_with_its_place(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a") as zipped:
        zipped.writestr("ECB+/1/1_3ecb.xml", XML.format(name="1_3ecb.xml").partition("<Markables>")[0])
    with pytest.raises(FormatError, match="not well-formed XML") as caught:
        read(archive)
    assert caught.value.where == f"{archive}/ECB+/1/1_3ecb.xml:5"


def test_document_of_another_encoding_is_read_when_named(tmp_path: Path) -> None:
    file = tmp_path / "1_1ecb.xml"
    file.write_bytes(XML.format(name="1_1ecb.xml").replace("Yida", "Yidé").encode("cp1252"))
    with pytest.raises(FormatError, match=r"1_1ecb\.xml:4: byte .* is not valid UTF-8"):
        read(file)
    corpus = Corpus(FORMAT.read(file, ReadOptions(encoding="cp1252")))
    assert corpus["1_1ecb"].tokens[2].text == "Yidé"


def test_files_and_folders_of_the_corpus_are_recognised(folder: Path, archive: Path, tmp_path: Path) -> None:
    inside = folder / "ECB+" / "1"
    for path in (folder, folder / "ECB+", inside, inside / "1_2ecb.xml", archive, archive.parent):
        assert FORMAT.recognises(path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "feed.xml").touch()
    (other / "a.txt").touch()
    assert not FORMAT.recognises(other)
    assert not FORMAT.recognises(other / "a.txt")


def test_release_layout_is_written(folder: Path, tmp_path: Path) -> None:
    out = write(read(folder), tmp_path / "out")
    assert sorted(f.relative_to(out).as_posix() for f in out.rglob("*") if f.is_file()) == sorted(
        [SENTENCES, *(f.relative_to(folder / "ECB+").as_posix() for f in folder.rglob("*.xml"))]
    )
    assert (out / SENTENCES).read_text() == HEADER + "1,2ecb,0\n1,2ecb,1\n2,1ecb,1\n"


def test_list_of_sentences_is_written_only_if_known(tmp_path: Path) -> None:
    out = write(Corpus([document()]), tmp_path / "out")
    assert [f.name for f in out.iterdir()] == ["d1.xml"]


@pytest.mark.parametrize(
    "id", ["bc/cctv/00/cctv_0000", "..", ".", "._x", "a b", "é", "_x", "x_", "C:\\x", "a,b"]
)
def test_any_document_id_makes_a_safe_file_name(tmp_path: Path, id: str) -> None:
    d = document(id, topic=id)
    corpus = Corpus([replace(d, sentences=tuple(replace(s, annotated=True) for s in d.sentences))])
    out = write(corpus, tmp_path / "out")
    assert read(out) == corpus
    assert [f for f in tmp_path.rglob("*.xml") if f.parent.parent != out] == []


def test_nothing_is_overwritten_or_left_half_written(tmp_path: Path) -> None:
    corpus = Corpus([annotated("a"), Document.from_tokens("b", [["\x00"]])])
    with pytest.raises(FormatError, match="document 'b' contains the character U\\+0000") as caught:
        write(corpus, tmp_path / "out")
    assert caught.value.where == str(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    out = write(Corpus([annotated("a")]), tmp_path / "out")
    with pytest.raises(OutputExistsError):
        write(Corpus([annotated("b")]), out)
    assert [f.name for f in out.rglob("*.xml")] == ["a.xml"]
    with pytest.raises(UsageError, match="folder"):
        write(corpus, Path("-"))


def test_same_corpus_gives_the_same_bytes(tmp_path: Path) -> None:
    a, b = (write(Corpus([annotated("a"), annotated("b")]), tmp_path / name) for name in ("x", "y"))
    assert [f.read_bytes() for f in sorted(a.rglob("*.xml"))] == [
        f.read_bytes() for f in sorted(b.rglob("*.xml"))
    ]


XML_WORDS = WORDS | st.sampled_from(
    ["\t", "\u2009", "a\t", "\r", "a\nb", "<", "&amp;", "]]>", "'", "\x85", "𝄞"]
)
TAGS = {
    "action": [f"{sign}ACTION_{name.upper()}" for sign in ("", "NEG_") for name in EVENT_CLASSES],
    "participant": ["HUMAN_PART_PER", "NON_HUMAN_PART"],
    "time": ["TIME_DATE"],
    "location": ["LOC_GEO"],
}


@st.composite
def ecbplus_corpora(draw: st.DrawFn) -> Corpus:
    """Draw corpora that use all that the format keeps."""
    corpus = draw(corpora(words=XML_WORDS))
    known, named = draw(st.booleans()), draw(st.booleans())

    def marked(m: Mention, number: int) -> Mention:
        within = draw(st.sampled_from([None, "1", "chain <&>"])) if m.event is None else None
        extra = {"m_id": str(90 - number), "note": draw(st.sampled_from(["", "by\tme"]))}
        extra["descriptor"] = f"{m.event or within}\n" if named and (m.event or within) else ""
        tag = draw(st.none() | st.sampled_from(TAGS[m.kind]))
        said = tag and m.kind == "action"
        return replace(
            m,
            within=within,
            tag=tag,
            event_class=tag.rpartition("_")[2].lower() if said else None,  # type: ignore[arg-type, union-attr]
            negated=bool(said) and tag.startswith("NEG"),  # type: ignore[union-attr]
            extra={name: value for name, value in extra.items() if value},
        )

    def filled(d: Document) -> Document:
        sentences = tuple(replace(s, annotated=draw(st.booleans()) if known else None) for s in d.sentences)
        texts = st.none() | WORDS
        extra = draw(st.sampled_from([{}, {"doc_id": "DOC1"}]))
        d = replace(
            d, sentences=sentences, title=draw(texts), date=draw(texts), topic=draw(texts), extra=extra
        )
        return d.with_mentions(marked(m, number) for number, m in enumerate(d.mentions))

    return corpus.mapped(filled)


@pytest.mark.parametrize(
    ("tag", "event_class", "negated", "written"),
    [
        (None, "reporting", False, "ACTION_REPORTING"),
        (None, None, True, "NEG_ACTION"),
        ("Attack", "state", True, "NEG_ACTION_STATE"),
        ("ACTION_OCCURRENCE", "reporting", False, "ACTION_REPORTING"),
        ("ACTION_OCCURRENCE", None, False, "ACTION_OCCURRENCE"),
        ("NEG_ACTION_STATE", "state", False, "ACTION_STATE"),
    ],
)
def test_class_is_written_as_the_tag(
    tmp_path: Path, tag: str | None, event_class: EventClass | None, negated: bool, written: str
) -> None:
    d = document("1_1ecb", "Sudan bombs Yida .")
    m = d.mention("action", 1, 2, tag=tag, event_class=event_class, negated=negated)
    [again] = read(write(Corpus([d.with_mentions([m])]), tmp_path / "out")).mentions()
    assert again.tag == written
    assert event_class in (None, again.event_class)
    assert again.negated == written.startswith("NEG")


@settings(max_examples=30, deadline=None)
@given(ecbplus_corpora())
def test_round_trip_is_equal(corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        again = read(write(corpus, Path(folder) / "out"))
    # Documents come back in the order of their files.
    assert {d.id: d for d in again} == {d.id: d for d in corpus}


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_damaged_document_gives_a_document_or_one_clear_error(data: st.DataObject) -> None:
    whole = XML.format(name="1_1ecb.xml").encode()
    at = data.draw(st.integers(0, len(whole)))
    cut = data.draw(st.integers(0, 30))
    damaged = whole[:at] + data.draw(st.binary(max_size=5)) + whole[at + cut :]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "1_1ecb.xml"
        file.write_bytes(damaged)
        where = str(file)
        try:
            read(file)
        except SameventError as error:
            where = error.where or ""
        assert where.startswith(str(file))


@needs_data("ecbplus", "ECB+.zip")
class TestRelease:
    def test_counts_match_its_readme(self) -> None:
        corpus = ecbplus_release()
        human = sum((m.tag or "").startswith("HUMAN") for m in corpus.mentions("participant"))
        assert Counter(m.kind for m in corpus.mentions()) == {
            "action": 15_003,
            "participant": 12_677,
            "time": 2_412,
            "location": 2_205,
        }
        assert human == 9_621
        assert (len(corpus), len(corpus.grouped("topic"))) == (982, 43)
        pairs = [(d, m) for d in corpus for m in d.mentions]
        assert len({(d.id, m.within) for d, m in pairs if m.within}) == 185
        assert len({(d.topic, m.event) for d, m in pairs if m.event}) == 2_319

    def test_peculiarities_are_kept(self) -> None:
        corpus = ecbplus_release()
        linked = [m for m in corpus.mentions("action") if m.event]
        assert sum(bool(m.anchors) for m in linked) == 49
        blank = [t.text for d in corpus for t in d.tokens if not t.text.strip()]
        assert sorted(blank) == ["\t", "\t", "\u2009"]
        urls = {d.id for d in corpus if d.sentences[0].is_url}
        assert urls == {d.id for d in corpus if d.subtopic == "ecbplus"}
        assert all(d.extra["url"].startswith("http") for d in corpus if d.id in urls)
        assert sum(bool(s.annotated) for d in corpus for s in d.sentences) == 1_840

    def test_no_event_crosses_topics_and_some_cross_subtopics(self) -> None:
        places: dict[str, set[tuple[str | None, str | None]]] = {}
        for d in ecbplus_release():
            for m in d.mentions:
                if m.kind == "action" and m.event:
                    places.setdefault(m.event, set()).add((d.topic, d.subtopic))
        assert max(len({topic for topic, _ in found}) for found in places.values()) == 1
        assert sum(len(found) > 1 for found in places.values()) == 13

    def test_unpacked_topic_reads_like_the_zip_and_like_elementtree(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(DATA / "ecbplus" / "ECB+.zip") as zipped:
            zipped.extractall(tmp_path, [n for n in zipped.namelist() if n.startswith("ECB+/18/")])
        corpus = read(tmp_path, DATA / "ecbplus" / SENTENCES)
        assert corpus.documents == tuple(d for d in ecbplus_release() if d.topic == "18")
        for file in tmp_path.rglob("*.xml"):
            root = ElementTree.parse(file).getroot()
            d = corpus[file.stem]
            assert [t.text for t in d.tokens] == [t.text for t in root.iter("token")]
            notes = {
                source.get("m_id"): relation.get("note")
                for relation in root.iter("CROSS_DOC_COREF")
                for source in relation.iter("source")
            }
            anchored = {
                m.get("m_id"): (m.tag, {int(a.get("t_id", 0)) - 1 for a in m}, notes.get(m.get("m_id")))
                for m in root.iterfind("Markables/*")
                if len(m)
            }
            assert anchored == {m.extra["m_id"]: (m.tag, set(m.tokens), m.event) for m in d.mentions}

    @pytest.mark.parametrize(
        "topics", [("1", "18", "35"), pytest.param((), id="all", marks=pytest.mark.slow)]
    )
    def test_written_release_is_read_back_equal(self, tmp_path: Path, topics: tuple[str, ...]) -> None:
        corpus = Corpus(d for d in ecbplus_release() if not topics or d.topic in topics)
        assert read(write(corpus, tmp_path / "out")) == corpus
