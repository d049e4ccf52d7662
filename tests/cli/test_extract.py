"""`samevent extract` as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from builders import document
from parses import needs_model
from samevent import Corpus, read, write

ARTICLE = "Sudan bombed the Yida refugee camp on Thursday. Twelve people were killed in the attack, officials said.\n"


def extract(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "samevent", "extract", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True)


@needs_model
def test_extract_finds_events_and_who_took_part_in_a_folder_of_text(tmp_path: Path) -> None:
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "a.txt").write_text(ARTICLE)
    (tmp_path / "news" / "empty.txt").write_text("")
    done = extract(tmp_path / "news", "-o", tmp_path / "out.jsonl")
    assert (done.returncode, done.stdout) == (0, "")
    assert "wrote 2 documents with" in done.stderr
    found = next(d for d in read(tmp_path / "out.jsonl") if d.mentions)
    by_id = {m.id: m for m in found.mentions}
    bombed = next(m for m in found.mentions if m.text == "bombed")
    arguments = {(by_id[a.mention].kind, by_id[a.mention].text, a.role) for a in bombed.arguments}
    assert bombed.kind == "action"
    assert ("participant", "Sudan", "ARG0") in arguments
    assert {text for kind, text, _ in arguments if kind == "time"} == {"on Thursday"}
    assert all(0 < (m.probability or 0) <= 1 for m in found.mentions if m.kind == "action")


@needs_model
def test_extract_gives_the_papers_first_table_however_its_sentence_ends(tmp_path: Path) -> None:
    sentence = "Sudan bombs Yida refugee camp in South Sudan on Thursday, Nov 10th, 2011"
    endings = {
        "bare": "",
        "line": "\n",
        "stop": ".",
        "both": ".\n\n",
        "more": ". The UN condemned the raid.\n",
        "indented": "\n",
    }
    (tmp_path / "news").mkdir()
    for name, ending in endings.items():
        before = "\n  " if name == "indented" else ""
        (tmp_path / "news" / f"{name}.txt").write_text(before + sentence + ending)
    for point in ("balanced", "recall"):
        done = extract(tmp_path / "news", "-o", tmp_path / f"{point}.jsonl", "--point", point)
        assert done.returncode == 0, done.stderr
        for found in read(tmp_path / f"{point}.jsonl"):
            by_id = {m.id: m for m in found.mentions}
            bombs = next(m for m in found.mentions if m.kind == "action" and m.text == "bombs")
            arguments = {(by_id[a.mention].text, a.role) for a in bombs.arguments}
            # Annotators of ECB+, whom the extractor learned from, count the preposition in.
            assert arguments == {
                ("Sudan", "ARG0"),
                ("Yida refugee camp", "ARG1"),
                ("in South Sudan", "AM-LOC"),
                ("on Thursday, Nov 10th, 2011", "AM-TMP"),
            }, (point, found.id)


@pytest.mark.slow
@needs_model
def test_extract_at_the_point_of_recall_finds_more(tmp_path: Path) -> None:
    unclear = "The use of force has been a matter of concern for the growing number of workers.\n"
    (tmp_path / "a.txt").write_text(ARTICLE + unclear)
    for point in ("balanced", "recall"):
        extract(tmp_path / "a.txt", "-o", tmp_path / f"{point}.jsonl", "--point", point)
    balanced, recall = (
        {(m.kind, m.head) for m in read(tmp_path / f"{point}.jsonl").mentions()}
        for point in ("balanced", "recall")
    )
    assert balanced < recall


@needs_model
def test_extract_keeps_given_mentions_and_tokens_unless_replaced(tmp_path: Path) -> None:
    given = document("a", "Sudan bombed the camp . It was on fire .")
    odd = given.mention("action", 3, 4)
    write(Corpus([given.with_mentions([odd])]), tmp_path / "in.jsonl")
    extract(tmp_path / "in.jsonl", "-o", tmp_path / "kept.jsonl")
    extract(tmp_path / "in.jsonl", "-o", tmp_path / "anew.jsonl", "--replace")
    kept, anew = (next(iter(read(tmp_path / name))) for name in ("kept.jsonl", "anew.jsonl"))
    assert [m.text for m in kept.mentions if m.kind == "action"] == ["camp"]
    assert any(m.kind == "participant" for m in kept.mentions)
    assert "bombed" in [m.text for m in anew.mentions if m.kind == "action"]
    assert kept.tokens == anew.tokens == given.tokens


def test_extract_does_not_overwrite(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ARTICLE)
    (tmp_path / "out.jsonl").write_text("precious\n")
    done = extract(tmp_path / "a.txt", "-o", tmp_path / "out.jsonl")
    assert done.returncode != 0
    assert "--force" in done.stderr
    assert (tmp_path / "out.jsonl").read_text() == "precious\n"


def test_extract_with_a_model_that_has_no_extractor_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ARTICLE)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "manifest.json").write_text(json.dumps({"name": "mine", "files": {}}))
    done = extract(tmp_path / "a.txt", "-o", tmp_path / "out.jsonl", "--model", tmp_path / "model")
    assert done.returncode == 1
    assert "extractor.npz" in done.stderr
    assert "Traceback" not in done.stderr


def test_extract_refuses_an_unknown_suffix_before_any_work(tmp_path: Path) -> None:
    done = extract(tmp_path / "nowhere.txt", "-o", tmp_path / "out.xyz")
    assert done.returncode == 2
    assert "--to" in done.stderr
