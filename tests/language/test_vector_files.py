from __future__ import annotations

import gzip
import pickle
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

from samevent.errors import FormatError, UsageError
from samevent.language.vector_files import detect, load_file
from samevent.language.vectors import WordVectors

WORDS = ["the", "Iraq", "café", "raid"]
ROWS = np.array([[0.5, -1, 2], [1e-3, 3, 0], [-7.25, 0, 1], [0, 0, 0.125]], np.float32)


def text(*, header: bool = False, end: str = "\n", pad: str = "") -> str:
    lines = [f"{word} {' '.join(map(str, row))}{pad}" for word, row in zip(WORDS, ROWS.tolist(), strict=True)]
    return "".join(line + end for line in (["4 3"] if header else []) + lines)


def binary(*, newline: bytes = b"") -> bytes:
    records = (
        word.encode() + b" " + struct.pack("<3f", *row) + newline
        for word, row in zip(WORDS, ROWS, strict=True)
    )
    return b"4 3\n" + b"".join(records)


FILES = {
    "glove.txt": text().encode(),
    "glove-windows.txt": text(end="\r\n").encode(),
    "word2vec.txt": text(header=True).encode(),
    "fasttext.vec": text(header=True, pad=" ").encode(),
    "word2vec.bin": binary(),
    "word2vec-newlines.bin": binary(newline=b"\n"),
}


def check(vectors: WordVectors) -> None:
    assert (len(vectors), vectors.dimension) == (4, 3)
    np.testing.assert_array_equal(vectors.matrix(WORDS), ROWS)
    assert vectors.vector("RAID").tolist() == [0, 0, 0.125]
    assert vectors.vector("quux").tolist() == [0, 0, 0]


def caches(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.cache"))


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("name", FILES)
def test_every_format_is_recognised_and_read(tmp_path: Path, name: str, packed: bool) -> None:
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(FILES[name]) if packed else FILES[name])
    check(load_file(path))
    check(load_file(path))
    assert len(caches(tmp_path)) == 1


def test_format_is_detected_by_name_and_first_line(tmp_path: Path) -> None:
    found = {}
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
        found[name] = detect(tmp_path / name)
    assert found == {
        "glove.txt": "glove",
        "glove-windows.txt": "glove",
        "word2vec.txt": "word2vec-text",
        "fasttext.vec": "word2vec-text",
        "word2vec.bin": "word2vec-binary",
        "word2vec-newlines.bin": "word2vec-binary",
    }


def test_format_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "vectors.model"
    path.write_bytes(binary())
    check(load_file(path, format="word2vec-binary"))


def test_plain_binary_file_is_mapped_in_place(tmp_path: Path) -> None:
    path = tmp_path / "word2vec.bin"
    path.write_bytes(binary())
    check(load_file(path))
    assert not list(caches(tmp_path)[0].glob("*.f32"))


def test_text_is_converted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "glove.txt"
    path.write_text(text())
    load_file(path)

    def never(*args: object) -> None:
        raise AssertionError

    monkeypatch.setattr("samevent.language.vector_files._build", never)
    check(load_file(path))


def test_cache_can_be_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    path = tmp_path / "glove.txt"
    path.write_text(text())
    check(load_file(path, cache=tmp_path / "cache"))
    assert caches(tmp_path) == []
    assert len(caches(tmp_path / "cache")) == 1


def test_cache_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text(text())
    with pytest.raises(UsageError, match="Pass an existing, writable folder"):
        load_file(path, cache=tmp_path / "absent")


def test_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text(text())
    load_file(path)
    path.write_text("raid 1 2\n")
    assert load_file(path).vector("raid").tolist() == [1, 2]


@pytest.mark.parametrize("name", ["manifest.json", "words.npy", "starts.npy", "numbers.f32"])
@pytest.mark.parametrize("damage", ["gone", "empty", "cut"])
def test_damaged_cache_is_rebuilt(tmp_path: Path, name: str, damage: str) -> None:
    path = tmp_path / "glove.txt"
    path.write_text(text())
    load_file(path)
    victim = caches(tmp_path)[0] / name
    content = victim.read_bytes()
    victim.unlink()
    if damage != "gone":
        victim.write_bytes(b"" if damage == "empty" else content[: len(content) - 1])
    check(load_file(path))


def test_inconsistent_cache_is_rebuilt(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text(text())
    load_file(path)
    np.save(caches(tmp_path)[0] / "words.npy", np.frombuffer(b"the\nIraq\n", np.uint8))
    check(load_file(path))


def test_crash_leaves_no_cache_behind(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text(text() + "broken\n")
    with pytest.raises(FormatError):
        load_file(path)
    assert [p.name for p in tmp_path.iterdir()] == ["glove.txt"]


def test_limit_reads_the_first_words_only(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
        vectors = load_file(tmp_path / name, limit=2)
        assert (len(vectors), "raid" in vectors, vectors.vector("Iraq")[1]) == (2, False, 3)
        check(load_file(tmp_path / name, limit=10))
        check(load_file(tmp_path / name))
    with pytest.raises(UsageError, match="at least 1"):
        load_file(tmp_path / "glove.txt", limit=0)


def test_glove_word_may_contain_spaces_and_odd_white_space(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text("a 1 2\n. . . 3 4\nb\u00a0c 5 6\nx\x85y 7 8\n", newline="")
    vectors = load_file(path)
    assert vectors.matrix(["a", ". . .", "b\u00a0c", "x\x85y"]).tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_repeated_word_keeps_its_first_vector(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text("a 1\nb 2\na 3\n")
    assert load_file(path).matrix(["a", "b"]).tolist() == [[1], [2]]


def test_invalid_utf8_in_a_word_does_not_break_a_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "w.bin"
    path.write_bytes(b"2 1\n\xff\xfe " + struct.pack("<f", 1) + b"raid " + struct.pack("<f", 2))
    assert load_file(path).matrix(["raid", "\ufffd\ufffd"]).tolist() == [[2], [1]]


@pytest.mark.parametrize(
    ("content", "says", "line"),
    [
        ("a 1 2\nb 3\n", "cannot parse 'b 3'; expected a word and 2 numbers", 2),
        ("a 1 2\nb 3 x\n", "cannot parse 'b 3 x'", 2),
        ("a 1 2\nb 3 nan\n", "cannot parse", 2),
        ("a 1 2\nb 3 1e99\n", "cannot parse", 2),
        ("a 1 2\n\nb 3 4\n", "cannot parse ''", 2),
        ("a 1 2\n 3 4\n", "cannot parse ' 3 4'", 2),
        ("a\n", "cannot parse 'a'", 1),
        ("a\t1\t2\n", "cannot parse", 1),
        ("2 2\na 1 2\nb 3 4 5 6\nc 1 2\n", "has 3 words, but its first line announces 2", 4),
        ("3 2\na 1 2\nb 3 4\n", "has 2 words, but its first line announces 3", 3),
        ("2 3\na 1 2\n", "cannot parse 'a 1 2'; expected a word and 3 numbers", 2),
        (b"a 1 2\n\xff 3 4\n", "not valid UTF-8", 2),
    ],
)
def test_malformed_text_names_the_line(tmp_path: Path, content: str | bytes, says: str, line: int) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError, match=says) as caught:
        load_file(path)
    assert caught.value.where == f"{path}:{line}"
    assert caches(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "starts with ''"),
        (b"raid 1 2 3\n", "starts with 'raid 1 2 3'"),
        (b"4 3", "ends at word 1 of 4"),
        (b"4 0\n", "starts with '4 0'"),
        (binary()[:-1], "ends at word 4 of 4"),
        (binary().replace(b"4 3", b"5 3", 1), "ends at word 5 of 5"),
        (binary().replace(b"4 3", b"3 3", 1), "has more than the 3 words"),
        (b"2 1\n" + b"x" * 5000, "ends at word 1 of 2"),
    ],
)
def test_malformed_binary_error_names_the_byte(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "vectors.bin"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=says) as caught:
        load_file(path)
    assert str(caught.value.where).startswith(str(path))


def test_empty_text_and_missing_file_are_errors(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    with pytest.raises(FormatError, match="contains no vectors"):
        load_file(tmp_path / "empty.txt")
    for name in ("absent.txt", "absent.bin"):
        with pytest.raises(FormatError, match="cannot be read"):
            load_file(tmp_path / name)


def test_broken_gzip_is_an_error(tmp_path: Path) -> None:
    for name in ("glove.txt", "word2vec.bin"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(FILES[name])[:-9])
        with pytest.raises(FormatError, match="gzip stream is broken"):
            load_file(tmp_path / f"{name}.gz")
    assert caches(tmp_path) == []


def test_mapped_vectors_are_mapped_again_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "word2vec.bin"
    path.write_bytes(binary())
    sent = pickle.dumps(load_file(path))
    path.write_bytes(binary().replace(struct.pack("<f", 0.125), struct.pack("<f", 8)))
    assert pickle.loads(sent).vector("raid").tolist() == [0, 0, 8]


def test_cache_written_concurrently_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = tmp_path / "glove.txt", tmp_path / "other"
    path.write_text(text())
    load_file(path)
    caches(tmp_path)[0].rename(other)
    rename = Path.rename

    def late(self: Path, target: Path) -> Path:
        shutil.copytree(other, target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", late)
    check(load_file(path))
    assert not [p for p in tmp_path.iterdir() if p.suffix == ".tmp"]
