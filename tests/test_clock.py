"""A time limit counts the whole run: sampling gets what the other stages leave. No test here waits for time to pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from parses import needs_model
from samevent import Corpus, Options, clock, stages, write
from samevent.clock import AFTER, ENDING, Clock
from samevent.demo import articles
from samevent.errors import UsageError
from samevent.inputs import read_inputs
from samevent.runs import run

QUAKES = Corpus([document for document in articles() if "quake" in document.text])


class Time:
    """A clock that only moves when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds, self.cpu = 1000.0, 10.0
        monkeypatch.setattr(clock, "monotonic", lambda: self.seconds)
        monkeypatch.setattr(clock, "process_time", lambda: self.cpu)

    def __call__(self, seconds: float, busy: float = 1.0) -> None:
        self.seconds += seconds
        self.cpu += seconds / busy


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


@pytest.mark.parametrize("busy", [1.0, 3.0])
def test_sampling_gets_what_other_stages_leave(passes: Time, busy: float) -> None:
    limited = Clock(100)
    passes(5)
    passes(20)  # reading
    limited.begin_linking()
    passes(10, busy)  # linking
    seconds = limited.sampling(10_000)
    assert seconds == pytest.approx(100 - 5 - 20 - 10 - (ENDING + 10_000 * AFTER) * busy)
    passes(seconds or 0)
    passes((ENDING + 10_000 * AFTER) * busy)  # judging and writing
    assert passes.seconds == pytest.approx(1000 + 100)


def test_what_came_before_the_clock_counts(passes: Time) -> None:
    began = passes.seconds
    passes(7)  # imports
    limited = Clock(100, began)
    limited.begin_linking()
    passes(10)
    assert limited.sampling(1000) == pytest.approx(100 - 7 - 10 - ENDING - 1000 * AFTER)


def test_threads_do_not_shorten_what_comes_after(passes: Time) -> None:
    limited = Clock(100)
    limited.begin_linking()
    passes(10, busy=0.25)
    assert limited.sampling(1000) == pytest.approx(90 - ENDING - 1000 * AFTER)


def test_without_time_left_sampling_gets_next_to_none(passes: Time) -> None:
    limited = Clock(10)
    passes(9)
    limited.begin_linking()
    passes(5)
    assert 0 < (limited.sampling(10) or 0) < 0.01


def test_no_limit_is_none(passes: Time) -> None:
    unlimited = Clock(None)
    passes(1e6)
    unlimited.read(1, 1000)
    assert unlimited.sampling(10) is None


def test_reading_ends_early_if_it_alone_exceeds_the_limit(passes: Time) -> None:
    limited, other = Clock(60), Clock(90)
    passes(20)  # models are loaded
    for each in (limited, other):
        each.read(1, 100)
    passes(2)
    limited.read(11, 100)  # too early to tell
    passes(4)
    limited.read(2, 100)  # too few to tell
    other.read(11, 100)
    with pytest.raises(
        UsageError, match=r"limit of 60 s cannot be kept: reading 100 documents takes about 79 s.*limit 132"
    ):
        limited.read(11, 100)


def test_reading_ends_when_the_limit_is_over(passes: Time) -> None:
    limited = Clock(60)
    limited.read(1, 1000)
    passes(61)
    with pytest.raises(UsageError, match=r"limit of 60 s cannot be kept"):
        limited.read(2, 1000)
    limited.read(1000, 1000)  # too late to save anything


@needs_model
@pytest.mark.parametrize("held", [0, 10_000_000])
def test_a_run_reads_by_the_clock(
    tmp_path: Path, held: int, passes: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages.reading, "PARTITION", 2)
    write(QUAKES, tmp_path / "news.jsonl")

    def read() -> Corpus:
        return read_inputs([tmp_path / "news.jsonl"], scratch=tmp_path, held=held)

    def slow(stage: str, done: int, total: int, note: str) -> None:
        if stage == "reading":
            passes(30)

    options = Options(preset="light", time_limit=60)
    with pytest.raises(UsageError, match="the time limit of 60 s cannot be kept"):
        run(read, tmp_path / "out", options, watch=slow)


@needs_model
@pytest.mark.parametrize("skip_bad", [False, True], ids=["whole", "by parts"])
def test_only_sampling_is_cut_short(tmp_path: Path, passes: Time, skip_bad: bool) -> None:
    """Links that take longer than the limit leave sampling nothing, and all files are written all the same."""
    spent: list[str] = []

    def slow(stage: str, done: int, total: int, note: str) -> None:
        if stage == "linking" and not spent:
            spent.append(stage)
            passes(1e6)

    whole = run(QUAKES, tmp_path / "whole", Options(preset="light"))
    ample = run(QUAKES, tmp_path / "ample", Options(preset="light", time_limit=1e5), skip_bad=skip_bad)
    limited = Options(preset="light", time_limit=60)
    cut = run(QUAKES, tmp_path / "cut", limited, watch=slow, skip_bad=skip_bad)
    assert [event.mentions for event in ample.events] == [event.mentions for event in whole.events]
    assert {path.name for path in (tmp_path / "cut").iterdir()} == {
        path.name for path in (tmp_path / "whole").iterdir()
    }
    assert "time" in cut.diagnostics.verdict
    assert "time" not in ample.diagnostics.verdict
    assert len(cut.events)
