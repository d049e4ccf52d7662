"""However a run ends, its folder is complete or absent, and the exit status and one line on stderr explain it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from parses import needs_model
from samevent import Result
from samevent.demo import articles
from samevent.runs import begin, open_run

pytestmark = [needs_model, pytest.mark.skipif(os.name != "posix", reason="needs fork and signals")]

FILES = {
    "events.csv",
    "mentions.csv",
    "probabilities.npz",
    "report.html",
    "result.jsonl",
    "run.json",
    "state.npz",
    "stories.csv",
}


class Ended(NamedTuple):
    """The exit status of a command, and its stderr."""

    status: int
    said: str


Command = Callable[..., Ended]


@pytest.fixture(scope="module")
def samevent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """Yield a function that runs the command line in a forked process, with a fault at some moment (see `forked`)."""
    command = [
        sys.executable,
        str(Path(__file__).with_name("forked.py")),
        str(tmp_path_factory.mktemp("home")),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout

        def call(*words: object, **how: Any) -> Ended:
            print(json.dumps({"words": list(map(str, words)), **how}), file=process.stdin, flush=True)
            return Ended(**json.loads(process.stdout.readline()))  # type: ignore[union-attr]

        yield call
        process.stdin.close()


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("news")
    for document in [document for document in articles() if "quake" in document.text][:3]:
        (folder / f"{document.date}-{document.id}.txt").write_text(document.text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def whole(samevent: Command, news: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Return the result of an undisturbed run."""
    out = tmp_path_factory.mktemp("whole") / "out"
    assert samevent("run", news, "-o", out, "--jobs", 1).status == 0
    return open_run(out)


def lines(ended: Ended) -> list[str]:
    """Return the messages besides those of every run; raise if a line is not a message, such as a traceback."""
    said = [line for line in ended.said.splitlines() if line]  # click ends a line that ^C may stand on
    assert all(line.startswith("samevent: ") for line in said), ended.said
    return [line for line in said if not line.startswith("samevent: read ")]


def is_whole(out: Path, whole: Result) -> bool:
    """Return whether a folder is a finished run like the undisturbed one; raise if it is incomplete."""
    if not out.exists():
        return False
    assert {path.name for path in out.iterdir()} == FILES
    assert open_run(out).corpus == whole.corpus
    return True


@pytest.mark.parametrize(
    "at",
    [
        "reading",
        "explaining",
        "mentions.csv",
        "report.html",
        "rename",
    ],
)
def test_an_interrupted_run_says_so_and_resumes(
    samevent: Command, news: Path, whole: Result, tmp_path: Path, at: str
) -> None:
    out = tmp_path / "out"
    ended = samevent("run", news, "-o", out, "--jobs", 1, at=at, do="SIGINT")
    assert ended.status == 130
    assert ["--resume" in line or line == "samevent: interrupted" for line in lines(ended)] == [True, True]
    assert not is_whole(out, whole)
    assert "an interrupted run is here" in samevent("run", news, "-o", out, "--jobs", 1).said
    resumed = samevent("run", news, "-o", out, "--jobs", 1, "--resume")
    assert resumed.status == 0, resumed.said
    assert is_whole(out, whole)
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("at", ["reading", "report.html"])
def test_another_interrupt_ends_the_run_without_a_traceback(
    samevent: Command, news: Path, tmp_path: Path, at: str
) -> None:
    ended = samevent("run", news, "-o", tmp_path / "out", "--jobs", 1, at=at, do="SIGINT again and again")
    assert ended.status in (130, -2)
    assert "Traceback" not in ended.said
    assert lines(ended)


def test_full_memory_is_one_line(samevent: Command, news: Path, tmp_path: Path) -> None:
    ended = samevent("run", news, "-o", tmp_path / "out", "--jobs", 1, at="explaining", do="memory")
    assert ended.status == 1
    assert lines(ended) == ["samevent: the memory is full. Use fewer --jobs, or fewer or shorter documents"]


@pytest.mark.parametrize("again", [[], ["--force"], ["--resume"]])
def test_a_second_run_keeps_out_of_the_folder_of_the_first(
    samevent: Command, news: Path, tmp_path: Path, again: list[str]
) -> None:
    first = begin(tmp_path / "out", {})
    part = first.part
    before = (part / "run.json").read_bytes()
    ended = samevent("run", news, "-o", tmp_path / "out", "--jobs", 1, *again)
    assert ended.status == 1
    assert lines(ended) == [
        f"samevent: {part}: another run is writing here. Wait until it ends, or choose another folder (-o)"
    ]
    assert (part / "run.json").read_bytes() == before
    first.lock.release()


@pytest.mark.parametrize(
    ("at", "do", "again"),
    [
        ("reading", "SIGTERM", "--resume"),
        ("explaining", "SIGKILL", "--force"),
        ("mentions.csv", "SIGTERM", "--force"),
        ("report.html", "SIGKILL", "--resume"),
        ("rename", "SIGKILL", "--resume"),
    ],
)
def test_a_killed_run_leaves_no_half_folder(
    samevent: Command, news: Path, whole: Result, tmp_path: Path, at: str, do: str, again: str
) -> None:
    out = tmp_path / "out"
    ended = samevent("run", news, "-o", out, "--jobs", 1, at=at, do=do)
    assert ended.status != 0
    assert not lines(ended)
    assert not is_whole(out, whole)
    ended = samevent("run", news, "-o", out, "--jobs", 1, again)
    assert ended.status == 0, ended.said
    assert is_whole(out, whole)
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("at", ["result.jsonl", "mentions.csv", "report.html", "rename"])
def test_a_full_disk_is_one_line_and_the_run_resumes(
    samevent: Command, news: Path, whole: Result, tmp_path: Path, at: str
) -> None:
    out = tmp_path / "out"
    ended = samevent("run", news, "-o", out, "--jobs", 1, at=at, do="full")
    assert ended.status in (1, 2)
    (said,) = lines(ended)
    assert "No space left on device" in said
    assert not is_whole(out, whole)
    ended = samevent("run", news, "-o", out, "--jobs", 1, "--resume")
    assert ended.status == 0, ended.said
    assert is_whole(out, whole)
    assert list(tmp_path.iterdir()) == [out]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Yield a function that mounts a disk; skip where that is not allowed."""
    mounted = tmp_path / "disk"
    mounted.mkdir()

    def mount(options: str) -> Path:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", mounted], capture_output=True)
        if done.returncode:
            pytest.skip(f"cannot mount a disk here: {done.stderr.decode().strip()}")
        return mounted

    yield mount
    subprocess.run(["umount", mounted], capture_output=True)


@pytest.mark.slow
@pytest.mark.parametrize("size", ["4k", "16k", "64k"])
def test_a_disk_that_is_really_full_has_no_half_folder(
    samevent: Command, news: Path, disk: Callable[[str], Path], size: str
) -> None:
    folder = disk(f"size={size}")
    ended = samevent("run", news, "-o", folder / "out", "--jobs", 1)
    assert ended.status in (1, 2)
    assert len(lines(ended)) == 1
    assert "No space left on device" in ended.said
    assert {path.name for path in folder.iterdir()} <= {"out.part"}


def test_a_disk_that_cannot_be_written_is_rejected(
    samevent: Command, news: Path, disk: Callable[[str], Path]
) -> None:
    ended = samevent("run", news, "-o", disk("ro") / "out", "--jobs", 1)
    assert ended.status == 2
    assert len(lines(ended)) == 1
    assert "Read-only file system" in ended.said


@pytest.mark.parametrize("out", ["file", "file/out", "no/out", "news"])
def test_existing_output_is_rejected(samevent: Command, news: Path, tmp_path: Path, out: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "news").symlink_to(news)
    before = sorted(tmp_path.rglob("*"))
    ended = samevent("run", news, "-o", tmp_path / out, "--jobs", 1)
    assert ended.status in (1, 2)
    assert len(lines(ended)) == 1
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file").read_text() == "mine"


def test_a_bad_document_in_a_folder_is_named(samevent: Command, news: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    for path in news.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "2031-03-04-bad.txt").write_bytes(b"The quake shook Kestry.\nIt \xff fell.")
    strictly = ("--encoding", "utf-8", "--strict")
    ended = samevent("run", folder, "-o", tmp_path / "out", "--jobs", 1, *strictly)
    assert ended.status == 1
    (said,) = lines(ended)
    assert "2031-03-04-bad.txt:2" in said
    assert [path.name for path in tmp_path.iterdir()] == ["mixed"]


@pytest.mark.parametrize(
    "stdout",
    [
        "closed pipe",
        "/dev/full",
    ],
)
def test_a_reader_that_goes_away_changes_nothing_on_disk(
    samevent: Command, tmp_path: Path, stdout: str
) -> None:
    ended = samevent("demo", "-o", tmp_path / "out", stdout=stdout)
    assert ended.status == 1
    assert "Traceback" not in ended.said
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
@pytest.mark.parametrize("force", [False, True])
def test_folders_beside_are_left_alone(
    samevent: Command, news: Path, whole: Result, tmp_path: Path, force: bool
) -> None:
    (tmp_path / "out.old").mkdir()
    (tmp_path / "out.old" / "mine").write_text("mine")
    if force:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "run.json").write_text("{}")  # the mark of an earlier run
    ended = samevent("run", news, "-o", tmp_path / "out", "--jobs", 1, *["--force"] * force)
    assert ended.status == 0, ended.said
    assert is_whole(tmp_path / "out", whole)
    assert (tmp_path / "out.old" / "mine").read_text() == "mine"
