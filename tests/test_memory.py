from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from numpy.typing import DTypeLike, NDArray

from parses import needs_model
from samevent import Corpus, Options, memory, scratch
from samevent.demo import articles
from samevent.errors import UsageError
from samevent.memory import Watchdog, needed, parsed_size, plan_within, resident, trim
from samevent.results import parts
from samevent.results.parts import PartAnswer
from samevent.runs import open_run, run
from samevent.scratch import Scratch
from samevent.stages import sampling

QUAKES = Corpus([document for document in articles() if "quake" in document.text])


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GB", 4e9), ("4 gb", 4e9), ("512MiB", 2**29), ("2e", None), ("GB", None), ("-1GB", None)],
)
def test_sizes_have_units(text: str, size: float | None) -> None:
    if size is not None:
        assert parsed_size(text) == size
    else:
        with pytest.raises(UsageError, match="no amount of memory"):
            parsed_size(text)


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("words", [50_000, 1_000_000])
def test_a_run_has_as_many_jobs_as_fit_and_spills_only_if_one_job_does_not(words: int, encoded: bool) -> None:
    for limit in (3e9, 4e9):
        plan = plan_within(limit, words, 8, encoded=encoded)
        assert needed(words, plan.jobs, encoded=encoded, spilled=plan.spilled) <= limit
        assert plan.jobs == 8 or needed(words, plan.jobs + 1, encoded=encoded, spilled=plan.spilled) > limit
        assert plan.spilled == (needed(words, 1, encoded=encoded) > limit)


def test_what_cannot_be_kept_is_said_at_once() -> None:
    with pytest.raises(UsageError, match=r"100,000,000 words need about .* GB, and the limit is 4.0 GB"):
        plan_within(4e9, 100_000_000, 8, encoded=False)
    words = 10**6
    limit = needed(words, 1, encoded=False) - 1
    assert plan_within(limit, words, 1, encoded=False).spilled
    with pytest.raises(UsageError, match=r"1,000,000 words need about"):
        plan_within(limit, words, 1, encoded=False, can_spill=False)
    assert needed(10**6, 1, encoded=True) > needed(10**6, 1, encoded=False) > needed(10**5, 1, encoded=False)


def test_resident_memory_is_that_of_all_processes() -> None:
    before = resident()
    code = "held = bytearray(10**8); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        assert child.stdin
        child.stdout.readline()
        assert resident() > before + 10**8
        child.stdin.close()


def test_free_memory_is_given_back_where_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Library:
        def malloc_trim(self, pad: int) -> None:
            asked.append(pad)

    monkeypatch.setattr("ctypes.CDLL", lambda _: Library())
    trim()
    assert asked == [0]
    monkeypatch.setattr("ctypes.CDLL", lambda _: object())  # a library without it
    trim()


def test_a_watchdog_releases_memory_only_close_to_the_limit() -> None:
    held, released = [50.0], Event()

    def release() -> None:
        held[0] = 50.0
        released.set()

    watchdog = Watchdog(100, release, held=lambda: held[0])
    watchdog.start()
    assert not released.wait(0.3)
    held[0] = 95.0
    assert released.wait(10)
    watchdog.stop()
    assert watchdog.peak == 95
    assert not watchdog.exceeded


@needs_model
def test_a_run_says_that_it_took_more_memory_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_PROGRAM", "_PER_WORD"):
        monkeypatch.setattr(memory, name, 0)
    told: list[str] = []
    run(QUAKES, tmp_path / "out", Options(preset="light"), memory=1e6, tell=told.append)
    assert [line for line in told if "GB of memory, which is more than the limit" in line]


@needs_model
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("preset", ["light", pytest.param("standard", marks=pytest.mark.slow)])
def test_a_run_that_spills_has_the_bytes_of_one_in_memory(
    tmp_path: Path, preset: str, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    spilled: list[int] = []
    empty = Scratch.empty

    def counted(scratch: Scratch, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        spilled.append(1)
        return empty(scratch, shape, dtype)

    options = Options(preset=preset)
    run(QUAKES, tmp_path / "plain", options)
    monkeypatch.setattr(scratch, "LEAST", 1)
    monkeypatch.setattr(Scratch, "empty", counted)
    monkeypatch.setattr(parts, "_LINKS_PER_GROUP", 3)
    monkeypatch.setattr(memory, "_PER_WORD", 1e9)
    result = run(QUAKES, tmp_path / "out", options, jobs=jobs, memory=8e9)
    assert len(spilled) > 20
    assert files(tmp_path / "out") == files(tmp_path / "plain")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "plain"]
    read = open_run(tmp_path / "plain")
    assert [[m.why for m in event.members] for event in result.events] == [
        [m.why for m in event.members] for event in read.events
    ]


@needs_model
def test_a_run_that_spills_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_PER_WORD", 1e9)
    monkeypatch.setattr(parts, "_LINKS_PER_GROUP", 3)
    options = Options(preset="light")

    def stop(stage: str, done: int, total: int, note: str) -> None:
        if stage == "sampling" and 0 < done < total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(QUAKES, tmp_path / "out", options, memory=8e9, watch=stop)
    solved = len(list((tmp_path / "out.part" / "parts").glob("answer-*")))
    assert solved == 1
    again: list[int] = []
    solve = sampling._solved

    def counted(*arguments: Any, **options: Any) -> PartAnswer:
        again.append(1)
        return solve(*arguments, **options)

    monkeypatch.setattr(sampling, "_solved", counted)
    run(QUAKES, tmp_path / "out", options, memory=8e9, resume=True)
    assert again
    monkeypatch.undo()
    run(QUAKES, tmp_path / "plain", options)
    assert files(tmp_path / "out") == files(tmp_path / "plain")
