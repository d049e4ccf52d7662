from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from builders import annotated, corpora, document
from samevent.corpus import Corpus, Document
from samevent.errors import FormatError, OutputExistsError, SameventError, UsageError
from samevent.formats import text
from samevent.formats.base import ReadOptions, WriteOptions

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)


def read(path: Path, encoding: str | None = None) -> list[Document]:
    return list(text.read(path, ReadOptions(encoding=encoding)))


def write(corpus: Corpus, path: Path, *, overwrite: bool = False) -> None:
    text.write(corpus, path, WriteOptions(overwrite=overwrite))


def put(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_folder_is_read_at_any_depth_in_the_order_of_names(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"b.txt": "B", "a/z.TXT": "Z", "a/b/c.text": "C", "a.txt": "A", "note.md": "no", "a/x.xml": "no"},
    )
    found = read(tmp_path)
    assert [(d.id, d.text) for d in found] == [("a", "A"), ("a/b/c", "C"), ("a/z", "Z"), ("b", "B")]
    assert all((d.title, d.topic, d.mentions, d.tokens_given) == (None, None, (), False) for d in found)


def test_file_is_named_by_its_stem(tmp_path: Path) -> None:
    put(tmp_path, {"raid.v2.txt": "A raid."})
    (found,) = read(tmp_path / "raid.v2.txt")
    assert (found.id, [t.text for t in found.tokens]) == ("raid.v2", ["A", "raid", "."])


def test_compressed_file_is_named_without_both_endings(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt.gz": gzip.compress(b"A raid.")})
    assert [(d.id, d.text) for d in read(tmp_path)] == [("a", "A raid.")]


def test_hidden_files_and_folders_are_skipped(tmp_path: Path) -> None:
    put(tmp_path, {".a.txt": "no", ".git/b.txt": "no", "c/._d.txt": "no", "c/d.txt": "yes"})
    assert [d.id for d in read(tmp_path)] == ["c/d"]


def test_linked_files_are_read_and_linked_folders_are_not_followed(tmp_path: Path) -> None:
    put(tmp_path, {"a/x.txt": "X"})
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "y.txt").symlink_to("x.txt")
    assert [(d.id, d.text) for d in read(tmp_path)] == [("a/x", "X"), ("a/y", "X")]


def test_link_to_nothing_is_an_error_and_not_a_lost_document(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("gone.txt")
    with pytest.raises(FormatError, match=r"a\.txt: cannot be read"):
        read(tmp_path)


@pytest.mark.parametrize("content", ["", " \n\t\r\n"])
def test_empty_text_is_a_document_without_tokens(tmp_path: Path, content: str) -> None:
    (found,) = read(put(tmp_path, {"a.txt": content}))
    assert (found.text, found.tokens, found.sentences) == (content, (), ())


def test_line_ends_are_characters_like_others(tmp_path: Path) -> None:
    (found,) = read(put(tmp_path, {"a.txt": "One.\r\nTwo.\rThree.\n"}))
    assert found.text == "One.\r\nTwo.\rThree.\n"
    assert [t.start for t in found.tokens if t.text in ("Two", "Three")] == [6, 11]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_mark_sets_the_encoding_and_is_dropped(tmp_path: Path, encoding: str) -> None:
    (found,) = read(put(tmp_path, {"a.txt": "Čapek fell.\r\n".encode(encoding)}))
    assert found.text == "Čapek fell.\r\n"


def test_named_encoding_is_used(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": "“Fête”".encode("cp1252"), "b.txt": b"plain"})
    assert [d.text for d in read(tmp_path, "cp1252")] == ["“Fête”", "plain"]


@pytest.mark.parametrize(
    ("content", "where", "says"),
    [
        (b"\x01\x02\x03f\xea", "a.txt:1", r"byte 4 \(0xea\) is not valid UTF-8.*a binary file"),
        (b"x\0\n" + b"y" * 99, "a.txt:1", r"character 1 is a NUL; expected a text file"),
        (b"\x89PNG\r\n\x1a\n", "a.txt", "is a picture"),
    ],
)
def test_file_that_is_not_text_is_rejected(tmp_path: Path, content: bytes, where: str, says: str) -> None:
    put(tmp_path, {"a.txt": content})
    with pytest.raises(FormatError, match=says) as caught:
        read(tmp_path)
    assert caught.value.where == str(tmp_path / where)


@pytest.mark.parametrize("encoding", ["cp1252", "mac_roman", "utf-16-le", "utf-16-be", "cp1251"])
def test_other_encodings_are_guessed_and_named(tmp_path: Path, encoding: str) -> None:
    russian = "Мэр города сказал, что пожар унёс жизни десяти человек."
    words = (
        russian
        if encoding == "cp1251"
        else "The mayor’s “café” burnt down on Monday — ten people died there."
    )
    (found,) = read(put(tmp_path, {"a.txt": words.encode(encoding)}))
    assert (found.text, found.extra) == (words, {"encoding": encoding})


def test_few_words_with_an_accent_are_windows_text(tmp_path: Path) -> None:
    (found,) = read(put(tmp_path, {"a.txt": b"fine\nf\xeate\n"}))
    assert (found.text, found.extra) == ("fine\nfête\n", {"encoding": "cp1252"})


def test_two_files_of_one_id_are_rejected(tmp_path: Path) -> None:
    put(tmp_path, {"x/a.txt": "A", "x/a.text": "B"})
    with pytest.raises(FormatError, match=r"'a\.text' are both the document 'x/a'") as caught:
        read(tmp_path)
    assert caught.value.where == str(tmp_path / "x" / "a.txt")


def test_file_name_that_is_not_utf8_is_rejected(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(bytes(tmp_path) + b"/\xff.txt")).write_text("A")
    except OSError:
        pytest.skip("the file system takes only names in UTF-8")
    with pytest.raises(FormatError, match="name is not UTF-8"):
        read(tmp_path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="every folder can be read")
def test_folder_that_cannot_be_read_is_rejected(tmp_path: Path) -> None:
    put(tmp_path, {"a/b.txt": "B"})
    (tmp_path / "a").chmod(0)
    try:
        with pytest.raises(FormatError, match="cannot be read"):
            read(tmp_path)
    finally:
        (tmp_path / "a").chmod(0o700)


@pytest.mark.parametrize(
    ("id", "date"),
    [
        ("2013-05-03", "2013-05-03"),
        ("reuters_2013-05-03_raid", "2013-05-03"),
        ("2013-05-03/raid", "2013-05-03"),
        ("2013-05-03/raid-2013-05-03", "2013-05-03"),
        ("2013-05-03/raid-2013-05-04", None),
        ("2013-02-30", None),
        ("12013-05-031", None),
        ("20130503", None),
        ("raid", None),
    ],
)
def test_date_is_taken_from_the_id_if_there_is_just_one(tmp_path: Path, id: str, date: str | None) -> None:
    (found,) = read(put(tmp_path, {f"{id}.txt": "A raid."}))
    assert (found.id, found.date) == (id, date)


@given(st.text(min_size=1, max_size=12), st.sampled_from(["", "a/", "com1/", "../"]))
@example("https://a.org/x?y=1", "")
@example("/etc/passwd", "")
@example("NUL.news", "")
@example("50%41", "")
@example("a//b/", "")
def test_file_name_is_portable_and_stands_for_one_id(id: str, before: str) -> None:
    id = before + "".join(c for c in id if not "\ud800" <= c <= "\udfff")
    if not id:
        return
    name = text.file_name(id)
    assert text.document_id(PurePosixPath(f"{name}.txt")) == id
    for part in name.split("/"):
        assert part
        assert not set(part) & set('<>:"\\|?*')
        assert min(part) >= " "
        assert not {part[0], part[-1]} & set(". ")
        assert part.split(".")[0].lower() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}


@pytest.mark.parametrize("name", ["50%", "100%20sure", "a%41", "%2e", "%zz", "a.b", "x y"])
def test_foreign_file_names_are_ids_as_they_are(tmp_path: Path, name: str) -> None:
    put(tmp_path, {f"{name}.txt": "A"})
    assert [d.id for d in read(tmp_path)] == [name]


@settings(max_examples=30)
@given(corpora())
def test_ids_and_texts_survive_writing_and_reading(corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(corpus, Path(folder, "out"))
        assert [(d.id, d.text) for d in read(Path(folder, "out"))] == [(d.id, d.text) for d in corpus]


@settings(max_examples=50)
@given(TEXTS)
@example("\ufeffmark")
@example("a\r\nb\rc\n")
def test_any_text_survives_writing_and_reading(content: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Corpus([Document.from_text("a", content)]), Path(folder, "a.txt"))
        assert [d.text for d in read(Path(folder, "a.txt"))] == [content]


def test_writing_puts_ids_with_slashes_into_folders_and_keeps_ids_inside(tmp_path: Path) -> None:
    corpus = Corpus([document("a/b"), document("../up"), document("https://a.org/")])
    write(corpus, tmp_path / "out")
    assert names(tmp_path) == {"out/a/b.txt", "out/%2E%2E/up.txt", "out/https%3A/%2Fa.org%2F.txt"}
    assert {d.id for d in read(tmp_path / "out")} == {"a/b", "../up", "https://a.org/"}


def test_writing_one_document_to_a_file_loses_its_mentions_only(tmp_path: Path) -> None:
    write(Corpus([annotated()]), tmp_path / "a.txt.gz")
    (found,) = read(tmp_path / "a.txt.gz")
    assert (found.text, found.mentions) == (annotated().text, ())


def test_writing_one_document_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    write(Corpus([annotated()]), Path("-"))
    assert capsys.readouterr().out == annotated().text


def test_writing_several_documents_to_a_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"2 documents do not go into one text file.*folder"):
        write(Corpus([document("a"), document("b")]), tmp_path / "out.txt")
    assert names(tmp_path) == set()


def test_writing_overwrites_only_when_asked(tmp_path: Path) -> None:
    put(tmp_path, {"out/d1.txt": "old", "out/other.txt": "kept"})
    with pytest.raises(OutputExistsError):
        write(Corpus([document()]), tmp_path / "out")
    assert (tmp_path / "out/d1.txt").read_text() == "old"
    write(Corpus([document()]), tmp_path / "out", overwrite=True)
    assert [d.text for d in read(tmp_path / "out")] == [document().text, "kept"]


def test_writing_an_id_that_is_too_long_for_a_file_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SameventError, match="cannot be written"):
        write(Corpus([document("fine"), document("x" * 300)]), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("files", "path", "recognised"),
    [
        (["a.txt"], "a.txt", True),
        (["a.TXT"], "a.TXT", True),
        (["a.text.gz"], "a.text.gz", True),
        (["a.ann"], "a.ann", False),
        (["a.jsonl"], "a.jsonl", False),
        (["x/y/a.txt", "b.pdf"], "", False),
        (["x/a.txt", "x/a.ann"], "", False),
        ([".a.txt", ".git/a.txt"], "", False),
        (["a.xml"], "", False),
    ],
)
def test_text_is_recognised(tmp_path: Path, files: list[str], path: str, recognised: bool) -> None:
    put(tmp_path, dict.fromkeys(files, "A"))
    assert text.FORMAT.recognises(tmp_path / path) is recognised
