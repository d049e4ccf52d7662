from __future__ import annotations

import codecs
import gzip
import io
import os
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from samevent.errors import FormatError, OutputExistsError, SameventError, UsageError
from samevent.formats import files


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def content(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}


def broken(*chunks: str) -> Iterator[str]:
    yield from chunks
    raise FormatError("the corpus is broken")


# --- reading ---


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
@pytest.mark.parametrize("named", [False, True])
def test_text_is_decoded_by_its_mark_and_the_mark_is_dropped(
    tmp_path: Path, mark: bytes, encoding: str, named: bool
) -> None:
    path = put(tmp_path / "a.txt", mark + "Zoë\r\nfell\r".encode(encoding))
    assert files.read_text(path, encoding=encoding if named else None) == "Zoë\r\nfell\r"


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("encoding", [None, "utf-8", "UTF8"])
def test_lines_are_numbered_and_cut_at_line_feeds_only(
    tmp_path: Path, mark: bytes, encoding: str | None
) -> None:
    path = put(tmp_path / "a.jsonl", mark + "ä\r\n\nb\rc\u2028d\x85\n\ufeffe".encode())
    lines = [(1, "ä"), (2, ""), (3, "b\rc\u2028d\x85"), (4, "\ufeffe")]
    assert list(files.read_lines(path, encoding=encoding)) == lines


def test_lines_of_an_empty_file(tmp_path: Path) -> None:
    assert list(files.read_lines(put(tmp_path / "a", b""))) == []


def test_lines_are_decoded_by_the_named_encoding(tmp_path: Path) -> None:
    path = put(tmp_path / "a", "é\n“è”".encode("cp1252"))
    assert list(files.read_lines(path, encoding="cp1252")) == [(1, "é"), (2, "“è”")]


def test_gzip_is_opened(tmp_path: Path) -> None:
    path = put(tmp_path / "a.txt.gz", gzip.compress("Zoë\nfell".encode()))
    assert files.read_text(path) == "Zoë\nfell"
    assert list(files.read_lines(path)) == [(1, "Zoë"), (2, "fell")]


def test_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("é\nb".encode())))
    assert list(files.read_lines(files.STANDARD)) == [(1, "é"), (2, "b")]


@pytest.mark.parametrize(
    ("data", "where", "says"),
    [
        (b"one\ntw\xe9o\n", "a:2", r"byte 6 \(0xe9\) is not valid UTF-8\. .*--encoding cp1252"),
        (codecs.BOM_UTF8 + b"on\xe9", "a:1", r"byte 5 \(0xe9\) is not valid UTF-8"),
        (codecs.BOM_UTF16_LE + b"a", "a:1", r"byte 2 \(0x61\) is not valid UTF-16\. .*file is complete"),
        ("Zoë".encode("utf-16-le"), "a:1", r"UTF-16 without a mark: pass --encoding utf-16-le"),
    ],
)
def test_text_that_is_not_in_its_encoding_is_placed(
    tmp_path: Path, data: bytes, where: str, says: str
) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        files.read_text(put(tmp_path / "a", data))
    assert caught.value.where == str(tmp_path / where)


@pytest.mark.parametrize("bad", [b"tw\xe9o", b"\xff\xfetwo"])
def test_line_that_is_not_utf8_is_placed(tmp_path: Path, bad: bytes) -> None:
    path = put(tmp_path / "a", b"one\n" + bad + b"\nthree\n")
    lines = files.read_lines(path)
    assert next(lines) == (1, "one")
    with pytest.raises(FormatError, match="is not valid UTF-8") as caught:
        next(lines)
    assert caught.value.where == f"{path}:2"


def test_text_that_is_not_in_the_named_encoding_is_placed(tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match=r"a:2: byte 5 \(0xe9\) is not valid ASCII\. Check that this is the file's encoding"
    ):
        files.read_text(put(tmp_path / "a", b"one\nt\xe9"), encoding="ascii")


@pytest.mark.parametrize("encoding", [None, "utf-16", "utf-32-le"])
def test_lines_of_wide_characters_are_rejected(tmp_path: Path, encoding: str | None) -> None:
    path = put(tmp_path / "a", "one\ntwo".encode("utf-16"))
    with pytest.raises(FormatError, match=r"UTF-16 or UTF-32; expected UTF-8\. Convert it"):
        list(files.read_lines(path, encoding=encoding))


def test_utf32_big_endian_lines_are_rejected(tmp_path: Path) -> None:
    path = put(tmp_path / "a", codecs.BOM_UTF32_BE + "one\n".encode("utf-32-be"))
    with pytest.raises(FormatError, match="UTF-16 or UTF-32"):
        list(files.read_lines(path))


@pytest.mark.parametrize("cut", [-1, -6, 12])
def test_truncated_gzip_is_an_error(tmp_path: Path, cut: int) -> None:
    path = put(tmp_path / "a.gz", gzip.compress(os.urandom(1000).hex().encode())[:cut])
    for read in (files.read_bytes, lambda p: list(files.read_lines(p))):
        with pytest.raises(FormatError, match=r"gzip stream is broken .*compress the file again") as caught:
            read(path)
        assert caught.value.where == str(path)


def test_invalid_gzip_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="gzip stream is broken"):
        files.read_bytes(put(tmp_path / "a.gz", b"plain text"))


def test_line_over_the_limit_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    path = put(tmp_path / "a", b"ten bytes\nten bytes\neleven byte\n")
    lines = files.read_lines(path)
    assert [next(lines), next(lines)] == [(1, "ten bytes"), (2, "ten bytes")]
    with pytest.raises(FormatError, match="longer than 10 bytes") as caught:
        next(lines)
    assert caught.value.where == f"{path}:3"


@pytest.mark.parametrize("name", ["a", "a.gz"])
def test_document_over_the_limit_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    pack = gzip.compress if name.endswith(".gz") else bytes
    assert files.read_bytes(put(tmp_path / name, pack(b"x" * 10))) == b"x" * 10
    with pytest.raises(FormatError, match=r"larger than 10 bytes.*JSON Lines"):
        files.read_bytes(put(tmp_path / name, pack(b"x" * 11)))


def test_folder_and_missing_file_cannot_be_read_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="Is a directory") as caught:
        files.read_text(tmp_path)
    assert caught.value.where == str(tmp_path)
    with pytest.raises(FormatError, match="No such file"):
        list(files.read_lines(tmp_path / "gone"))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="every file can be read")
def test_file_without_permission_cannot_be_read_or_written(tmp_path: Path) -> None:
    path = put(tmp_path / "a", b"")
    path.chmod(0)
    with pytest.raises(FormatError, match="Permission denied"):
        files.read_text(path)
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="Permission denied"):
        files.write_text(tmp_path / "b", ["x"])
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("encoding", ["utf-99", "rot13", "base64"])
def test_unknown_encoding_is_rejected(encoding: str) -> None:
    with pytest.raises(UsageError, match=f"unknown encoding '{encoding}'"):
        files.checked_encoding(encoding)


@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-16", "cp1252", "latin-1"])
def test_known_encoding_is_accepted(encoding: str | None) -> None:
    assert files.checked_encoding(encoding) == encoding


# --- writing a file ---


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    files.write_text(tmp_path / "a", ["Zoë\r\n", "fell\n", "\r"])
    assert (tmp_path / "a").read_bytes() == "Zoë\r\nfell\n\r".encode()
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_gzip_holds_neither_time_nor_name(tmp_path: Path) -> None:
    for name in ("a.txt.gz", "b.txt.gz"):
        files.write_text(tmp_path / name, ["Zoë\n" * 100])
    first, second = ((tmp_path / name).read_bytes() for name in ("a.txt.gz", "b.txt.gz"))
    assert first == second
    assert gzip.decompress(first).decode() == "Zoë\n" * 100
    assert first[4:8] == bytes(4)  # the time, where RFC 1952 puts it


def test_dash_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    files.write_text(files.STANDARD, ["a", "b\n"])
    assert capsys.readouterr().out == "ab\n"


@pytest.mark.parametrize("name", ["a", "a.gz"])
@pytest.mark.parametrize("there", [False, True])
def test_failed_writing_leaves_everything_as_it_was(tmp_path: Path, name: str, there: bool) -> None:
    if there:
        put(tmp_path / name, b"old")
    with pytest.raises(FormatError, match="broken"):
        files.write_text(tmp_path / name, broken("new" * 10_000), overwrite=True)
    assert content(tmp_path) == ({name: "old"} if there else {})


def test_file_is_overwritten_only_when_asked(tmp_path: Path) -> None:
    path = put(tmp_path / "a", b"old")
    with pytest.raises(OutputExistsError, match=r"already exists\. Use --force") as caught:
        files.write_text(path, ["new"])
    assert (caught.value.where, content(tmp_path)) == (str(path), {"a": "old"})
    files.write_text(path, ["new"], overwrite=True)
    assert content(tmp_path) == {"a": "new"}


def test_half_a_surrogate_pair_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(SameventError, match=r"'\\ud800' is half a surrogate pair"):
        files.write_text(tmp_path / "a", ["fine", "\ud800"])
    assert content(tmp_path) == {}


@pytest.mark.parametrize("write", [files.write_text, lambda p, _: files.write_folder(p, [])])
def test_folder_to_write_into_must_exist(tmp_path: Path, write: object) -> None:
    assert callable(write)
    with pytest.raises(UsageError, match=r"the folder '.*gone' does not exist"):
        write(tmp_path / "gone" / "a", [])
    assert list(tmp_path.iterdir()) == []


def test_folder_is_not_overwritten_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        files.write_text(tmp_path / "a", ["x"], overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


# --- writing a folder ---


def test_folder_is_written_with_its_sub_folders(tmp_path: Path) -> None:
    files.write_folder(tmp_path / "out", [("a", ["1"]), ("b/c/d", ["2", "3"]), ("b/e", [])])
    assert content(tmp_path) == {"out/a": "1", "out/b/c/d": "23", "out/b/e": ""}


def test_folder_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="broken"):
        files.write_folder(tmp_path / "out", [("a", ["1"]), ("b/c", broken("2"))])
    assert list(tmp_path.iterdir()) == []


def test_failed_writing_leaves_an_existing_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    put(tmp_path / "full" / "a", b"old")
    for name in ("empty", "full"):
        with pytest.raises(FormatError, match="broken"):
            files.write_folder(tmp_path / name, [("a", ["new"]), ("b", broken())], overwrite=True)
    assert {p.name for p in tmp_path.iterdir()} == {"empty", "full"}
    assert content(tmp_path) == {"full/a": "old"}


def test_folder_is_merged_into_an_existing_one_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "out" / "x").mkdir(parents=True)
    put(tmp_path / "out" / "x" / "a", b"old")
    put(tmp_path / "out" / "b", b"kept")
    new = [("x/a", ["new"]), ("y/c", ["new"])]
    with pytest.raises(OutputExistsError):
        files.write_folder(tmp_path / "out", new)
    files.write_folder(tmp_path / "out", new, overwrite=True)
    assert content(tmp_path) == {"out/x/a": "new", "out/y/c": "new", "out/b": "kept"}
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_empty_folder_is_filled_without_asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    files.write_folder(Path(), [("a", ["1"])])
    assert content(tmp_path) == {"out/a": "1"}


def test_file_gives_way_to_a_folder_only_when_asked(tmp_path: Path) -> None:
    put(tmp_path / "out", b"old")
    with pytest.raises(OutputExistsError):
        files.write_folder(tmp_path / "out", [("a", ["1"])])
    files.write_folder(tmp_path / "out", [("a", ["1"])], overwrite=True)
    assert content(tmp_path) == {"out/a": "1"}


@pytest.mark.parametrize(
    ("names", "where", "says"),
    [
        (["a", "a"], "out/a", "two documents have this file name"),
        (["a", "./b/../a"], "out/a", "two documents have this file name"),
        (["a", "a/b"], "out/a/b", "cannot be written"),
        (["x" * 300], "out/" + "x" * 300, "cannot be written"),
        (["a", "../a"], "out", r"'\.\./a' leads out"),
        (["\ud800"], "out/\ud800", "half a surrogate pair"),
    ],
)
def test_impossible_names_are_rejected_and_leave_nothing(
    tmp_path: Path, names: list[str], where: str, says: str
) -> None:
    with pytest.raises(SameventError, match=says) as caught:
        files.write_folder(tmp_path / "out", [(name, ["x"]) for name in names])
    assert caught.value.where == str(tmp_path / where)
    assert list(tmp_path.iterdir()) == []


def test_folder_cannot_go_to_standard_output() -> None:
    with pytest.raises(UsageError, match="name of a folder instead of -"):
        files.write_folder(files.STANDARD, [])


@pytest.mark.parametrize("folder", ["/x", "x", ".", "x/../y"])
@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", ".", "", "..", "a/..", "a\0b"])
def test_inside_rejects_names_that_lead_out(folder: str, name: str) -> None:
    with pytest.raises(FormatError, match="leads out of its folder"):
        files.inside(Path(folder), name)


@pytest.mark.parametrize("folder", ["/x", "x", ".", "x/../y"])
@pytest.mark.parametrize(
    ("name", "relative"), [("a", "a"), ("a/b", "a/b"), ("a/../b/./c", "b/c"), ("..a", "..a")]
)
def test_inside_returns_the_relative_path(folder: str, name: str, relative: str) -> None:
    assert files.inside(Path(folder), name) == Path(relative)


# --- zip files ---


def zipped(path: Path, entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def test_entries_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"b/2": b"two", "a/1": b"one", "c": b"three"})
    assert list(files.read_zip(path)) == [
        (f"{path}/a/1", b"one"),
        (f"{path}/b/2", b"two"),
        (f"{path}/c", b"three"),
    ]
    assert [data for _, data in files.read_zip(path, lambda names: ["c"])] == [b"three"]


@pytest.mark.parametrize("name", ["../evil.xml", "a/../../evil.xml", "/etc/evil.xml", "..\\evil.xml"])
def test_entry_that_leads_out_of_the_zip_is_rejected(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", {"good.xml": b"", name: b""})
    with pytest.raises(FormatError, match=r"evil\.xml' leads out") as caught:
        list(files.read_zip(path, lambda names: []))
    assert caught.value.where == str(path)


def test_entry_over_the_limit_is_rejected_whatever_its_header_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    path = zipped(tmp_path / "a.zip", {"fits.xml": b"x" * 1000, "large.xml": b"x" * 1001})
    with pytest.raises(FormatError, match="larger than 1,000 bytes") as caught:
        list(files.read_zip(path))
    assert caught.value.where == f"{path}/large.xml"
    # The same entry with headers that say ten bytes.
    lying = path.read_bytes().replace((1001).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(lying)
    with pytest.raises(FormatError, match="broken"):
        list(files.read_zip(path))


def test_entries_over_the_limit_together_are_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_ARCHIVE_BYTES", 2000)
    path = zipped(tmp_path / "a.zip", {f"{i}.xml": b"x" * 1000 for i in range(3)})
    entries = files.read_zip(path)
    assert [len(next(entries)[1]), len(next(entries)[1])] == [1000, 1000]
    with pytest.raises(FormatError, match="unpacks to more than 2,000 bytes") as caught:
        next(entries)
    assert caught.value.where == str(path)


def test_encrypted_entry_is_rejected(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.xml": b"<a/>"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x03\x04") + 6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match="is encrypted") as caught:
        list(files.read_zip(path))
    assert caught.value.where == f"{path}/a.xml"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_entry_is_rejected(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.xml", b"1")
        archive.writestr("a.xml", b"2")
    with pytest.raises(FormatError, match=r"'a.xml' occurs twice"):
        list(files.read_zip(tmp_path / "a.zip"))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"this is no zip"])
def test_file_that_is_not_a_zip_is_rejected(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="zip file is broken") as caught:
        list(files.read_zip(path))
    assert caught.value.where == str(path)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_damaged_zip_gives_its_content_or_one_clear_error(tmp_path: Path, method: int) -> None:
    entries = {"a/1.xml": b"<a>hello</a>" * 9, "é.xml": bytes(range(256))}
    whole = zipped(tmp_path / "a.zip", entries, method).read_bytes()
    path = tmp_path / "damaged.zip"
    chance = random.Random(7)
    for _ in range(100):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data[: chance.choice([len(data), chance.randrange(len(data))])])
        where, contents = str(path), []
        try:
            contents = [data for _, data in files.read_zip(path)]
        except SameventError as error:
            where = error.where or ""
        assert str(path) in where
        assert all(content in entries.values() for content in contents)
