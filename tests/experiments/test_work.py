from __future__ import annotations

import re
from pathlib import Path

import pytest

import samevent.experiments.work
from builders import annotated
from samevent.corpus import Corpus
from samevent.experiments.work import Work, commit, digest_of_corpus, digest_of_files


def test_results_are_used_again_only_when_asked_for(tmp_path: Path) -> None:
    place = Work(folder=tmp_path).place("cell", "settings")
    place.write_text("done")
    assert not Work(folder=tmp_path).has(place)
    again = Work(folder=tmp_path, resume=True)
    assert again.has(again.place("cell", "settings"))
    assert not again.has(again.place("cell", "other settings"))


def test_a_digest_sees_mentions_but_no_topics() -> None:
    one = digest_of_corpus(Corpus([annotated("a", topic="1")]))
    assert one == digest_of_corpus(Corpus([annotated("a", topic="2")]))
    fewer = Corpus([annotated("a")]).filtered(lambda m: m.start > 1)
    assert one != digest_of_corpus(fewer)


def test_a_digest_of_files_sees_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "b").write_text("2")
    before = digest_of_files(tmp_path.iterdir())
    assert before == digest_of_files(sorted(tmp_path.iterdir(), reverse=True))
    (tmp_path / "b").rename(tmp_path / "c")
    assert before != digest_of_files(tmp_path.iterdir())


def test_commit_is_a_hash_or_unknown() -> None:
    found = commit()
    assert found is None or re.fullmatch("[0-9a-f]{40}", found)


def test_results_of_other_code_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work(folder=tmp_path, resume=True)
    found = work.place("a", "b")
    found.touch()
    assert work.place("a", "b") == found
    monkeypatch.setattr(samevent.experiments.work, "digest_of_code", lambda: "changed")
    assert not work.has(work.place("a", "b"))
