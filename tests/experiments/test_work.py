from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import samevent.experiments.work
from builders import annotated
from samevent.corpus import Corpus
from samevent.experiments.work import Work, commit, commit_of, corpus_digest, files_digest, folder_digest


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


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("packed", [False, True])
def test_commit_is_what_git_says_in_a_repository_and_in_its_worktrees(tmp_path: Path, packed: bool) -> None:
    def git(folder: Path, *arguments: str) -> str:
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        command = ["git", "-C", str(folder), *author, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    main, tree, detached = tmp_path / "main", tmp_path / "tree", tmp_path / "detached"
    main.mkdir()
    git(main, "init")
    git(main, "commit", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-b", "other", str(tree))
    git(main, "worktree", "add", "--detach", str(detached))
    git(tree, "commit", "--allow-empty", "-m", "second")
    if packed:
        git(main, "pack-refs", "--all")
    found = [commit_of(folder) for folder in (main, tree, detached)]
    assert found == [git(folder, "rev-parse", "HEAD") for folder in (main, tree, detached)]
    assert found[0] != found[1]


def test_commit_is_unknown_outside_of_repositories(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere/at/all\n")
    assert commit_of(tmp_path) is None


def test_parts_of_other_code_are_not_reused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work(folder=tmp_path, resume=True)
    path = work.path_for("a", "b")
    path.touch()
    assert work.path_for("a", "b") == path
    monkeypatch.setattr(samevent.experiments.work, "code_digest", lambda: "changed")
    assert not work.is_done(work.path_for("a", "b"))
