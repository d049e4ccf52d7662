"""What people pass by mistake is named for what it is, with a way on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samevent.errors import FormatError
from samevent.formats import FORMATS, read

WORDS = b"A bomb killed ten people in the city on Monday."


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.doc", b"%PDF-1.7\n\0", r"a\.doc: is a PDF document; expected one of .*ends in \.pdf"),
        ("a.odt", b"PK\3\4rest", r"zip archive, as Office documents are.*Save it as plain text"),
        ("a.exe", b"No page, but\0\1\2\3", "is a binary file"),
        ("a.php", b"\n<HTML lang=en><p>", r"is an HTML page; .*ends in \.html"),
        ("a.xlsx", b"PK\3\4rest", "is a spreadsheet; .*Save it as CSV"),
        ("notes", WORDS, r"is in an unknown format; .*--from\), or end the names of text files in \.txt"),
    ],
)
def test_a_file_that_no_format_reads_is_described(
    tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=says):
        read(tmp_path / name)
    with pytest.raises(FormatError, match=f"none of the 1 files can be read; '{name}' is ") as caught:
        read(tmp_path)
    assert caught.value.where == str(tmp_path)


def test_an_empty_folder_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    with pytest.raises(FormatError, match="the folder has no files; expected a folder of documents"):
        read(tmp_path)


def test_a_single_table_is_described_even_if_it_is_read_as_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n")
    with pytest.raises(FormatError, match="is a single table"):
        read(tmp_path / "a.csv", format="tables")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<!DOCTYPE html>\n<title>x</title>", "is an HTML page; expected plain text"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x -->\n<html>', "is an HTML page"),
        (b"%PDF-1.4\n", "is a PDF document"),
        (bytes(range(256)) * 4, "It looks like a binary file"),
        (
            b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0\xd0\x5b\0\0\0\0\0\0@" * 9,
            "It looks like a binary file",
        ),
    ],
)
def test_text_files_with_other_content_are_rejected(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(FormatError, match=says):
        read(tmp_path)


@pytest.mark.parametrize("text", ["Use <html> tags, he said.", "PK is short.", "%PDF is a format", "GIFs"])
def test_text_about_formats_is_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert read(tmp_path)["a"].text == text


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_a_pipe_among_the_files_does_not_hang(tmp_path: Path) -> None:
    """In a process of its own, which can be ended if it waits for a pipe."""
    names = "a.txt a.jsonl a.conll a.conllu a.ann a.json 1_1ecb.xml a.zip mentions.csv a".split()
    for name in names:
        (tmp_path / f"in {name}").mkdir()
        os.mkfifo(tmp_path / f"in {name}" / name)
    code = f"""
from pathlib import Path
from samevent.formats import FORMATS, read
from samevent.errors import FormatError
for path in sorted(Path({str(tmp_path)!r}).rglob("*")):
    for name in [None, *FORMATS]:
        try:
            read(path, format=name)
        except FormatError as error:
            print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    said = done.stdout.splitlines()
    assert len(said) == 2 * len(names) * (len(FORMATS) + 1)
    for name in ("a.txt", "a.jsonl", "1_1ecb.xml", "a"):
        path = tmp_path / f"in {name}" / name
        assert any(line.startswith(f"{path}: is a pipe, socket or device") for line in said), name


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_the_output_of_a_command_is_read() -> None:
    code = "import sys, samevent; print(len(samevent.read(sys.argv[1], format='jsonl')))"
    line = '{"id": "a", "text": "It fell."}'
    shell = f"""{sys.executable} -c "{code}" <(echo '{line}')"""
    assert subprocess.run(["bash", "-c", shell], capture_output=True, text=True).stdout == "1\n"
