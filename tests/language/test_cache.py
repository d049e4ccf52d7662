from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samevent.language.cache import Cache, CacheWarning, Plain, default_folder

DATA = b"Sudan bombs Yida. " * 20


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def files(cache: Cache) -> list[Path]:
    return [path for path in cache.folder.rglob("*") if path.is_file()]


@given(st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_cache_gives_back_what_was_put(cache: Cache, data: bytes) -> None:
    key = cache.key(data.hex())
    cache.put(key, data)
    assert cache.get(key) == data
    assert Cache(cache.folder).get(key) == data


def test_cache_returns_none_for_unknown_keys(cache: Cache) -> None:
    assert cache.get(cache.key("x")) is None
    cache.put(cache.key("x"), DATA)
    assert cache.get(cache.key("y")) is None


def test_keys_of_different_values_differ() -> None:
    values: list[tuple[Plain, ...]] = [
        (),
        ("a",),
        ("a", "b"),
        ("ab",),
        (["a", "b"],),
        (1,),
        ("1",),
        (True,),
        (None,),
    ]
    assert len({Cache.key(*value) for value in values}) == len(values)
    assert Cache.key({"a": 1, "b": 2}) == Cache.key({"b": 2, "a": 1})


def test_entries_are_compressed_and_leave_nothing_else_behind(cache: Cache) -> None:
    for i in range(20):
        cache.put(cache.key(i), DATA)
    assert len(files(cache)) == 20
    assert all(path.stat().st_size < len(DATA) / 2 for path in files(cache))


def damaged(data: bytes) -> Iterator[bytes]:
    yield from (data[:n] for n in range(len(data)))
    yield from (data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :] for i in range(len(data)))
    yield data + b"\0"
    yield b"\0" * len(data)


def test_damage_is_noticed_and_repaired(cache: Cache) -> None:
    key = cache.key("x")
    cache.put(key, DATA)
    (path,) = files(cache)
    whole = path.read_bytes()
    for data in damaged(whole):
        path.write_bytes(data)
        assert cache.get(key) is None
    cache.put(key, DATA)
    assert path.read_bytes() == whole
    assert cache.get(key) == DATA


def test_entry_under_the_name_of_another_is_not_trusted(cache: Cache) -> None:
    cache.put(cache.key("x"), DATA)
    (x,) = files(cache)
    cache.put(cache.key("y"), b"other")
    (y,) = set(files(cache)) - {x}
    y.write_bytes(x.read_bytes())
    assert cache.get(cache.key("y")) is None


def test_entry_that_cannot_be_read_counts_as_absent(cache: Cache) -> None:
    cache.put(cache.key("x"), DATA)
    (path,) = files(cache)
    path.unlink()
    path.mkdir()
    assert cache.get(cache.key("x")) is None


def test_crash_in_the_middle_of_writing_leaves_the_old_entry(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = cache.key("x")
    cache.put(key, b"old")

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        cache.put(key, b"new")
    assert cache.get(key) == b"old"
    assert len(files(cache)) == 1


def test_many_writers_of_one_entry_do_not_disturb_readers(cache: Cache) -> None:
    key = cache.key("x")
    cache.put(key, DATA)
    seen = []

    def work() -> None:
        for _ in range(50):
            Cache(cache.folder).put(key, DATA)
            seen.append(cache.get(key))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [DATA] * 200


def test_full_disk_warns_once_and_goes_on(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put(cache.key("x"), DATA)

    def full(path: Path, data: bytes) -> int:
        with path.open("wb") as stream:
            stream.write(data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.warns(CacheWarning, match="No space left on device"):
        cache.put(cache.key(0), DATA)
    cache.put(cache.key(1), DATA)  # a second warning would be an error
    assert cache.get(cache.key("x")) == DATA
    assert len(files(cache)) == 1


def test_folder_that_cannot_be_made_warns_once_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "cache")
    with pytest.warns(CacheWarning, match="cannot be cached here"):
        cache.put(cache.key("x"), DATA)
    cache.put(cache.key("x"), DATA)  # a second warning would be an error
    assert cache.get(cache.key("x")) is None


@pytest.mark.parametrize(
    ("xdg", "expected"),
    [
        ("/big/cache", "/big/cache/samevent"),
        ("", "/home/me/.cache/samevent"),
        ("here", "/home/me/.cache/samevent"),
    ],
)
def test_default_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, xdg: str, expected: str) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    assert default_folder() == Path(expected)
    assert Cache().folder == Path(expected)
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_folder().is_absolute()
