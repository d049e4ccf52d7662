"""Standard streams that are closed, and names that would control a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from builders import annotated
from samevent import Corpus, write
from samevent.errors import printable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a shell")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write(Corpus([annotated("a"), annotated("b")]), tmp_path / "a.jsonl")
    return tmp_path / "a.jsonl"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a shell command in which `samevent` is the command line."""
    script = f'samevent() {{ "{sys.executable}" -m samevent "$@"; }}; {command}'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)


def test_closed_output_is_an_error_only_if_there_is_output(corpus: Path) -> None:
    done = shell(f"samevent check {corpus} --json >&-")
    assert (done.returncode, done.stderr) == (1, "samevent: standard output is closed\n")
    done = shell(f"samevent convert {corpus} {corpus}.conll >&-")
    assert done.returncode == 0
    assert done.stderr.startswith("samevent: wrote 2 documents")


def test_closed_messages_change_neither_output_nor_status(corpus: Path) -> None:
    assert shell(f"samevent convert {corpus} - 2>&-").stdout == corpus.read_text()
    assert shell(f"samevent convert {corpus}.no - 2>&-").returncode == 1


def test_all_streams_can_be_closed(corpus: Path) -> None:
    assert shell(f"samevent convert {corpus} {corpus}.conll <&- >&- 2>&-").returncode == 0
    assert Path(f"{corpus}.conll").read_text().startswith("#begin")
    done = shell("samevent convert - x.jsonl <&-")
    assert done.returncode == 1
    assert done.stderr.startswith("samevent: <stdin>: contains no documents")


def test_a_reader_of_messages_that_goes_away_changes_nothing(corpus: Path) -> None:
    # The message comes after the file: the reader has gone by then.
    done = shell(f"(samevent convert {corpus} {corpus}.conll; echo $? > {corpus}.status) 2> >(exec true)")
    assert done.stderr == ""
    assert Path(f"{corpus}.status").read_text() == "0\n"


def test_control_characters_of_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    name = tmp_path / "red\x1b[31m\x07\n\u202e[bold].jsonl"
    name.write_text("no JSON")
    for command in ("check", "convert"):
        words = [command, name] if command == "check" else [command, name, "-"]
        done = subprocess.run([sys.executable, "-m", "samevent", *words], capture_output=True, text=True)
        assert done.returncode == 1
        assert rf"{tmp_path}/red\x1b[31m\x07\n\u202e[bold].jsonl" in done.stdout + done.stderr
        assert not set("\x1b\x07\u202e") & set(done.stdout + done.stderr)


def test_printable_keeps_text_in_any_script() -> None:
    text = "naïve – “Καλημέρα” 日本 💥"
    assert printable(text) == text
    assert printable("a\tb\x85\udcff") == r"a\tb\x85\udcff"
