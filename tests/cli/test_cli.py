"""The commands as a person types them: a real process, its output and exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from builders import annotated
from samevent import Corpus, write
from samevent.cli.main import COMMANDS

EXAMPLES = Path(__file__).parents[2] / "examples"
GOLD, SYSTEM = str(EXAMPLES / "gold.jsonl"), str(EXAMPLES / "system.jsonl")


def samevent(*words: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "samevent", *map(str, words)]
    done = subprocess.run(command, input=stdin, capture_output=True)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    write(Corpus([annotated("a", topic="1", subtopic="x"), annotated("b", topic="2", subtopic="x")]), path)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    done = samevent(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: samevent {command}")


def test_version_is_printed() -> None:
    assert samevent("--version").stdout.startswith("samevent, version ")


@pytest.mark.parametrize(
    "words", [["nonsense"], ["score", GOLD], ["score", GOLD, SYSTEM, "--unit", "planet"]]
)
def test_bad_usage_exits_with_2(words: list[str]) -> None:
    done = samevent(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Usage:" in done.stderr


def test_score_prints_fractions_as_json() -> None:
    done = samevent("score", GOLD, GOLD, "--json")
    scores = json.loads(done.stdout)
    assert done.returncode == 0
    names = ["muc", "bcubed", "ceafe", "ceafm", "blanc", "lea", "mentions"]
    assert [scores[name] for name in names] == [{"recall": 1.0, "precision": 1.0, "f1": 1.0}] * 7
    assert scores["conll"] == 1.0


def test_score_writes_json_to_a_file_and_does_not_overwrite_it(tmp_path: Path) -> None:
    target = tmp_path / "scores.json"
    assert samevent("score", GOLD, SYSTEM, "--json", target).returncode == 0
    before = target.read_bytes()
    again = samevent("score", GOLD, GOLD, "--json", target)
    assert (again.returncode, target.read_bytes()) == (1, before)
    assert "--force" in again.stderr
    assert samevent("score", GOLD, GOLD, "--json", target, "--force").returncode == 0
    assert json.loads(target.read_text())["conll"] == 1.0


def test_score_tests_two_systems_against_each_other() -> None:
    done = samevent("score", GOLD, GOLD, "--versus", SYSTEM, "--bootstrap", "50", "--json")
    versus = json.loads(done.stdout)["versus"]
    assert versus["differences"]["conll"]["difference"] == pytest.approx(1 - versus["scores"]["conll"])
    assert (
        samevent("score", GOLD, GOLD, "--versus", SYSTEM, "--bootstrap", "50", "--json").stdout == done.stdout
    )


def test_score_says_what_it_left_out(tmp_path: Path) -> None:
    part = tmp_path / "part.jsonl"
    part.write_text("\n".join(Path(SYSTEM).read_text().splitlines()[:2]))
    done = samevent("score", GOLD, part)
    assert done.returncode == 0
    assert "3 gold documents are missing from the system" in done.stderr


def test_convert_goes_through_standard_input_and_output() -> None:
    done = samevent("convert", "-", "-", stdin=Path(GOLD).read_bytes())
    assert done.returncode == 0
    assert done.stdout == Path(GOLD).read_text()
    assert "wrote 5 documents" in done.stderr


def test_convert_keeps_kinds_that_are_asked_for(corpus: Path) -> None:
    done = samevent("convert", corpus, "-", "--kind", "time", "--kind", "location")
    kinds = [m["kind"] for line in done.stdout.splitlines() for m in json.loads(line)["mentions"]]
    assert kinds == ["location", "time"] * 2


def test_convert_does_not_overwrite(corpus: Path) -> None:
    before = corpus.read_bytes()
    done = samevent("convert", GOLD, corpus)
    assert (done.returncode, corpus.read_bytes()) == (1, before)
    assert done.stderr == f"samevent: {corpus}: already exists. Use --force to overwrite it\n"


def test_check_counts_and_finds_nothing_wrong(corpus: Path) -> None:
    done = samevent("check", corpus, "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert report["healthy"]
    assert report["counts"]["documents"] == 2
    assert report["counts"]["discontinuous mentions"] == 2
    assert report["counts"]["events across documents"] == 1


def test_check_lists_every_broken_document_and_exits_with_1(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    good = json.dumps({"id": "good", "text": "It fell."})
    path.write_text(f'{good}\n{{"id": "a"}}\nnot json\n{good}\n', encoding="utf-8")
    done = samevent("check", path, "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["counts"]["documents"] == 1
    assert [p["where"] for p in report["problems"][:2]] == [f"{path}:2", f"{path}:3"]
    assert "two documents have the id 'good'" in report["problems"][2]["message"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "contains no documents"),
        (b'{"id": "a", "text": "x"}\n{"id": ', "bad.jsonl:2: is not valid JSON"),
        (b'{"id": "a", "text": "\xff"}', "bad.jsonl:1: byte 21 (0xff) is not valid UTF-8"),
        (b'{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', "two documents have the id 'a'"),
        (
            b'{"id": "a", "text": "x", "mentions": [{"id": "1", "start": 0, "end": 1, "event": "p"}, '
            + b'{"id": "2", "start": 0, "end": 1, "event": "q"}]}',
            "is in two clusters",
        ),
        (
            b'{"id": "a", "text": "x", "mentions": [{"char_start": 0, "char_end": 9}]}',
            "bad.jsonl:1: a mention",
        ),
    ],
)
def test_bad_data_gives_one_error_and_writes_nothing(tmp_path: Path, content: bytes, says: str) -> None:
    source = tmp_path / "bad.jsonl"
    source.write_bytes(content)
    done = samevent("convert", source, tmp_path / "out.jsonl")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert says in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["bad.jsonl"]


def test_a_reader_that_stops_listening_is_no_error(corpus: Path) -> None:
    command = f"{sys.executable} -m samevent convert {corpus} - | head -c 5"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True)
    assert done.stdout == '{"id"'
    assert "Traceback" not in done.stderr


def test_convert_adds_heads_that_scoring_can_match(tmp_path: Path) -> None:
    for name in (GOLD, SYSTEM):
        done = samevent("convert", name, tmp_path / Path(name).name, "--heads")
        assert done.returncode == 0, done.stderr
    headed = samevent(
        "score", tmp_path / "gold.jsonl", tmp_path / "system.jsonl", "--filter", "head", "--json"
    )
    # The one system mention whose head is no gold head, "hull", is gone.
    assert json.loads(headed.stdout)["mentions"]["precision"] == 1.0
    bare = samevent("score", GOLD, SYSTEM, "--filter", "head")
    assert bare.returncode == 1
    assert "samevent convert FILE OUT --heads" in bare.stderr
