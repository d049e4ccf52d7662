from __future__ import annotations

import re
from pathlib import Path

import pytest

import samevent.experiments.work
from builders import annotated
from samevent.corpus import Corpus
from samevent.experiments.work import Work, commit, corpus_digest, files_digest, folder_digest


def test_parts_are_reused_only_with_resume(tmp_path: Path) -> None:
    path = Work(folder=tmp_path).path_for("cell", "settings")
    path.write_text("done")
    assert not Work(folder=tmp_path).is_done(path)
    again = Work(folder=tmp_path, resume=True)
    assert again.is_done(again.path_for("cell", "settings"))
    assert not again.is_done(again.path_for("cell", "other settings"))


def test_corpus_digest_covers_mentions_but_not_topics() -> None:
    one = corpus_digest(Corpus([annotated("a", topic="1")]))
    assert one == corpus_digest(Corpus([annotated("a", topic="2")]))
    fewer = Corpus([annotated("a")]).filtered(lambda m: m.start > 1)
    assert one != corpus_digest(fewer)


def test_files_digest_covers_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "b").write_text("2")
    before = files_digest(tmp_path.iterdir())
    assert before == files_digest(sorted(tmp_path.iterdir(), reverse=True))
    (tmp_path / "b").rename(tmp_path / "c")
    assert before != files_digest(tmp_path.iterdir())


def test_folder_digest_covers_folders_inside(tmp_path: Path) -> None:
    (tmp_path / "large").mkdir()
    (tmp_path / "large" / "encoder").write_text("1")
    before = folder_digest(tmp_path)
    (tmp_path / "large" / "encoder").write_text("2")
    assert before != folder_digest(tmp_path)


def test_commit_is_a_hash_or_unknown() -> None:
    name = commit()
    assert name is None or re.fullmatch("[0-9a-f]{40}", name)


def test_parts_of_other_code_are_not_reused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work(folder=tmp_path, resume=True)
    path = work.path_for("a", "b")
    path.touch()
    assert work.path_for("a", "b") == path
    monkeypatch.setattr(samevent.experiments.work, "code_digest", lambda: "changed")
    assert not work.is_done(work.path_for("a", "b"))
