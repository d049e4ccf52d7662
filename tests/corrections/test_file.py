"""The file of corrections: what is written is read, crashes cost at most what was not yet written, errors say where."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samevent.corrections import (
    Decision,
    MarkedMention,
    append,
    new_decision,
    parse_corrections,
    read_corrections,
)
from samevent.errors import DataError

A, B, C = (MarkedMention("<d>.txt", at, at + 4, f"ev{at}\u2028", f"m{at}") for at in (0, 10, 20))

GO = '{"document": "d", "char_start": 0, "char_end": 2, "text": "go"}'


@given(
    st.lists(st.sampled_from(["same", "different", "split", "not-an-event", "rename"]), max_size=5),
    st.text(max_size=20),
)
def test_decisions_survive_a_file(kinds: list[str], note: str) -> None:
    note = note.encode("utf-8", "ignore").decode()
    decisions = []
    for kind in kinds:
        groups = [[A, B], [C]] if kind in ("different", "split") else [[A, B]]
        label = "<b>x</b>" if kind == "rename" else None
        decisions.append(new_decision(kind, groups, label=label, note=note))  # type: ignore[arg-type]
    data = b"".join(json.dumps(d.to_json()).encode() + b"\n" for d in decisions)
    assert parse_corrections(data).decisions == tuple(decisions)


def test_appended_decisions_are_read_in_order(tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    first, second = new_decision("same", [[A, B]]), new_decision("not-an-event", [[C]], note="a\nb")
    append(file, [first])
    append(file, [second])
    read = read_corrections(file)
    assert read.decisions == (first, second)
    assert not read.torn
    assert read.text.encode() == file.read_bytes()


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_reported_and_cut_off_by_the_next_decision(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "corrections.jsonl"
    first, torn, third = (new_decision("same", [[A, B]]) for _ in range(3))
    append(file, [first, torn])
    file.write_bytes(file.read_bytes()[: -1 - cut])
    read = read_corrections(file)
    assert (read.decisions, read.torn) == ((first,), True)
    append(file, [third])
    assert read_corrections(file).decisions == (first, third)


def test_a_last_line_that_only_lacks_its_end_counts(tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    first, second = (new_decision("same", [[A, B]]) for _ in range(2))
    append(file, [first])
    file.write_bytes(file.read_bytes()[:-1])
    assert read_corrections(file).decisions == (first,)
    append(file, [second])
    assert read_corrections(file).decisions == (first, second)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "a decision is"),
        ('{"decision": "maybe"}', "the decision is 'maybe'; expected one of same"),
        ('{"decision": "same", "groups": []}', "0 groups"),
        ('{"decision": "same", "groups": [[1, 2]]}', "a mention is 1"),
        ('{"decision": "same", "who": "me"}', "the field 'who'"),
        (f'{{"decision": "rename", "groups": [[{GO}]]}}', "label"),
        ('{"decision": "undo", "undoes": "x", "id": "y"}', "undoes 'x'"),
        ('{{"decision": "not-an-event", "groups": [[{}]]}}'.format(GO.replace("0", "2")), "2-2"),
    ],
)  # fmt: skip
def test_a_bad_line_is_one_error_with_its_place(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "corrections.jsonl"
    append(file, [new_decision("same", [[A, B]])])
    file.write_text(file.read_text() + line + "\n")
    with pytest.raises(DataError) as error:
        read_corrections(file)
    assert f"{file}:2: " in str(error.value)
    assert words in str(error.value)


def test_undone_decisions_do_not_stand_unless_the_undoing_is_undone() -> None:
    first = new_decision("same", [[A, B]])
    undo = new_decision("undo", undoes=first.id)
    again = new_decision("undo", undoes=undo.id)

    def standing(*decisions: Decision) -> list[Decision]:
        text = b"".join(json.dumps(d.to_json()).encode() + b"\n" for d in decisions)
        return [decision for _, decision in parse_corrections(text).standing]

    assert standing(first, undo) == []
    assert standing(first, undo, again) == [first]


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
def test_a_killed_writer_loses_no_decision_that_it_was_told_about(tmp_path: Path) -> None:
    file, told = tmp_path / "corrections.jsonl", tmp_path / "told"
    code = (
        "import sys, pathlib\n"
        "from samevent.corrections import MarkedMention, append, new_decision\n"
        "a, b = (MarkedMention('d', at, at + 1, 'x') for at in (0, 1))\n"
        "with open(sys.argv[2], 'w') as told:\n"
        "    while True:\n"
        "        one = new_decision('same', [[a, b]])\n"
        "        append(pathlib.Path(sys.argv[1]), [one])\n"
        "        told.write(one.id + '\\n'); told.flush()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(file), str(told)])
    while not (told.exists() and told.stat().st_size > 100) and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    known = [decision.id for decision in read_corrections(file).decisions]
    acknowledged = told.read_text().split()
    assert known[: len(acknowledged)] == acknowledged
    assert len(known) <= len(acknowledged) + 1
