from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pytest

from samevent.errors import FormatError, SameventError
from samevent.formats import zips
from samevent.formats.zips import read_zip


def zipped(path: Path, entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def test_entries_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"b/2": b"two", "a/1": b"one", "c": b"three"})
    assert list(read_zip(path)) == [(f"{path}/a/1", b"one"), (f"{path}/b/2", b"two"), (f"{path}/c", b"three")]
    assert [data for _, data in read_zip(path, lambda names: ["c"])] == [b"three"]


@pytest.mark.parametrize("name", ["../evil.xml", "a/../../evil.xml", "/etc/evil.xml", "..\\evil.xml"])
def test_entry_that_leads_out_of_the_zip_is_refused(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", {"good.xml": b"", name: b""})
    with pytest.raises(FormatError, match=r"evil\.xml' leads out") as caught:
        list(read_zip(path, lambda names: []))
    assert caught.value.where == str(path)


def test_entry_over_the_limit_is_refused_whatever_its_header_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zips, "MAX_BYTES", 1000)
    path = zipped(tmp_path / "a.zip", {"fits.xml": b"x" * 1000, "large.xml": b"x" * 1001})
    with pytest.raises(FormatError, match="larger than 1,000 bytes") as caught:
        list(read_zip(path))
    assert caught.value.where == f"{path}/large.xml"
    # The same entry with headers that say ten bytes.
    lying = path.read_bytes().replace((1001).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(lying)
    with pytest.raises(FormatError, match="broken"):
        list(read_zip(path))


def test_encrypted_entry_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.xml": b"<a/>"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x03\x04") + 6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match="is encrypted") as caught:
        list(read_zip(path))
    assert caught.value.where == f"{path}/a.xml"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_entry_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.xml", b"1")
        archive.writestr("a.xml", b"2")
    with pytest.raises(FormatError, match=r"'a.xml' is there twice"):
        list(read_zip(tmp_path / "a.zip"))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"this is no zip"])
def test_file_that_is_no_zip_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="zip file is broken") as caught:
        list(read_zip(path))
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
            contents = [data for _, data in read_zip(path)]
        except SameventError as error:
            where = error.where or ""
        assert str(path) in where
        assert all(content in entries.values() for content in contents)
