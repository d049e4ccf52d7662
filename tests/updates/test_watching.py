"""A watched folder: files that arrive become part of the run, however they arrive and whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parses import needs_model
from samevent import Corpus, Model, Options, write
from samevent.demo import articles
from samevent.errors import UsageError
from samevent.language.cache import Cache
from samevent.runs import open_run
from samevent.updates.watching import Watcher, keep_watching

pytestmark = needs_model

DOCUMENTS = list(articles())
LIGHT = Options(preset="light")


def watcher(tmp_path: Path, said: list[str] | None = None, *, settle: float = 0.0) -> Watcher:
    (tmp_path / "news").mkdir(exist_ok=True)
    lines = [] if said is None else said
    return Watcher(tmp_path / "news", tmp_path / "out", LIGHT, settle=settle, tell=lines.append)


def arrive(tmp_path: Path, name: str, *numbers: int) -> Path:
    file = tmp_path / "news" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    write(Corpus(DOCUMENTS[number] for number in numbers), file)
    return file


def known(tmp_path: Path) -> set[str]:
    return {document.id for document in open_run(tmp_path / "out").corpus}


def ids(*numbers: int) -> set[str]:
    return {DOCUMENTS[number].id for number in numbers}


def test_files_become_part_of_the_run_when_they_arrive(tmp_path: Path) -> None:
    watching = watcher(tmp_path)
    assert watching.look() is None
    arrive(tmp_path, "a.jsonl", 0, 1, 2, 3, 4)
    first = watching.look()
    assert first is not None
    assert first.exact
    assert watching.look() is None
    arrive(tmp_path, "sub/b.jsonl", 5)
    second = watching.look()
    assert second is not None
    assert second.documents == (f"sub/{DOCUMENTS[5].id}",)
    assert known(tmp_path) == ids(0, 1, 2, 3, 4) | {f"sub/{DOCUMENTS[5].id}"}


def test_the_model_is_loaded_once_for_all_updates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watching = watcher(tmp_path)
    arrive(tmp_path, "a.jsonl", 0, 1, 2, 3, 4)
    watching.look()
    loaded: list[Model] = []
    load = Model.load

    def loading(model: str, *, cache: Cache | None = None) -> Model:
        loaded.append(load(model, cache=cache))
        return loaded[-1]

    monkeypatch.setattr(Model, "load", loading)
    for number in (5, 6):
        arrive(tmp_path, f"{number}.jsonl", number)
        update = watching.look()
        assert update is not None
        assert not update.exact
    assert len(loaded) == 1


def test_a_new_watcher_goes_on_where_the_last_one_was(tmp_path: Path) -> None:
    watcher(tmp_path)
    arrive(tmp_path, "a.jsonl", 0, 1, 2, 3)
    watcher(tmp_path).look()
    arrive(tmp_path, "b.jsonl", 3, 4)
    done = watcher(tmp_path).look()
    assert done is not None
    assert done.documents == (DOCUMENTS[4].id,)
    assert watcher(tmp_path).look() is None


def test_half_written_and_foreign_files_are_waited_for(tmp_path: Path) -> None:
    said: list[str] = []
    watching = watcher(tmp_path, said, settle=60)
    file = arrive(tmp_path, "a.jsonl", 0, 1, 2)
    assert watching.look() is None  # it has just changed
    os.utime(file, (0, time.time() - 100))
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    os.utime(file, (0, time.time() - 90))
    assert watching.look() is None  # it cannot be read
    assert len(said) == 1
    assert said[0].startswith("left out until it changes: ")
    assert watching.look() is None
    assert len(said) == 1  # and is reported once
    for other in ("b.jsonl.part", ".hidden.jsonl", "c.tmp"):
        (tmp_path / "news" / other).write_bytes(whole)
        os.utime(tmp_path / "news" / other, (0, 0))
    file.write_bytes(whole)
    os.utime(file, (0, time.time() - 80))
    done = watching.look()
    assert done is not None
    assert set(done.documents) == ids(0, 1, 2)


def test_a_changed_document_is_left_out(tmp_path: Path) -> None:
    said: list[str] = []
    watching = watcher(tmp_path, said)
    arrive(tmp_path, "a.jsonl", 0, 1, 2, 3)
    watching.look()
    (tmp_path / "news" / "b.jsonl").write_text(
        f'{{"id": "{DOCUMENTS[0].id}", "text": "Another quake hit."}}\n'
    )
    assert watching.look() is None
    assert any("have changed since they were added" in line for line in said)


def test_a_file_that_fails_does_not_keep_others_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    watching = watcher(tmp_path, said)
    usual = Watcher._add

    def fails(self: Watcher, corpora: list[Corpus]) -> object:
        if any(DOCUMENTS[4].id in corpus for corpus in corpora):
            raise ValueError("no such thing")
        return usual(self, corpora)

    monkeypatch.setattr(Watcher, "_add", fails)
    arrive(tmp_path, "a.jsonl", 0, 1, 2)
    arrive(tmp_path, "b.jsonl", 4)
    arrive(tmp_path, "c.jsonl", 5)
    watching.look()
    assert known(tmp_path) == ids(0, 1, 2, 5)
    assert any("b.jsonl: no such thing" in line for line in said)


def test_the_watched_folder_and_the_run_are_apart(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        Watcher(tmp_path / "absent", tmp_path / "out")
    with pytest.raises(UsageError, match="lies in the folder that is watched"):
        Watcher(tmp_path, tmp_path / "out")


def test_it_looks_until_it_is_told_to_stop(tmp_path: Path) -> None:
    watching = watcher(tmp_path)
    done: list[object] = []
    looks = iter(range(4))

    def stop() -> bool:
        look = next(looks)
        if look < 2:
            arrive(tmp_path, f"{look}.jsonl", *range(3 * look, 3 * look + 3))
        return look == 3

    keep_watching(watching, every=0.01, done=done.append, stop=stop)
    assert len(done) == 2


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_watch_may_be_killed_at_any_moment(tmp_path: Path) -> None:
    (tmp_path / "news").mkdir()
    command = [
        sys.executable, "-m", "samevent", "watch", str(tmp_path / "news"), "-o", str(tmp_path / "out"),
        "--preset", "light", "--every", "0.2", "--settle", "0",
    ]  # fmt: skip
    arrive(tmp_path, "0.jsonl", *range(8))
    for number in range(4):
        started = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(2 + 1.7 * number)
        arrive(tmp_path, f"{number + 1}.jsonl", 8 + 2 * number, 9 + 2 * number)
        time.sleep(0.3 + number)
        started.send_signal(signal.SIGKILL)
        started.wait()
        if (tmp_path / "out").exists():
            assert open_run(tmp_path / "out").events  # whole, whenever it was killed
    assert subprocess.run([*command, "--once"], stderr=subprocess.DEVNULL).returncode == 0
    assert known(tmp_path) == ids(*range(16))
