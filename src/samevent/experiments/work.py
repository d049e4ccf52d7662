"""Stored parts of experiments, so that an interrupted experiment can resume and end with the same figures.

Every part is stored under a digest of everything that it depends on, including the code, and is reused only with
`resume`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from samevent import __version__
from samevent.corpus import Corpus

Log = Callable[[str], None]
Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Opens a progress bar with a name and a total, and yields its callback (done)."""


@contextmanager
def no_progress(name: str, total: int) -> Iterator[Callable[[int], None]]:  # noqa: ARG001
    """Show no progress."""
    yield lambda _: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The folder with the parts of an experiment, and how to run it and report progress."""

    folder: Path
    resume: bool = False
    jobs: int = 1
    log: Log = lambda _: None
    progress: Progress = no_progress

    def path_for(self, name: str, *depends_on: str) -> Path:
        """Return the path of a part that depends on these values and on the code."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{name}-{digest(code_digest(), *depends_on)}"

    def is_done(self, path: Path) -> bool:
        """Return whether a part exists and may be reused."""
        return self.resume and path.exists()


def digest(*parts: str | bytes) -> str:
    """Return a short digest of some values; their boundaries matter.

    >>> digest("a", "bc") == digest("ab", "c")
    False
    """
    state = blake2b(digest_size=8)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "big") + data)
    return state.hexdigest()


def corpus_digest(corpus: Corpus) -> str:
    """Return a digest of texts and mentions, ignoring topics."""
    return digest(*(repr((d.id, d.text, d.mentions)) for d in corpus))


def files_digest(paths: Iterable[Path]) -> str:
    """Return a digest of the names and contents of files."""
    return digest(*(part for path in sorted(paths) for part in (path.name, path.read_bytes())))


def folder_digest(folder: Path) -> str:
    """Return a digest of all files of a folder, at any depth."""
    return files_digest(path for path in folder.rglob("*") if path.is_file())


@cache
def code_digest() -> str:
    """Return a digest of the code of this package: results of other code may differ."""
    return files_digest(Path(__file__).parents[1].rglob("*.py"))


def provenance(seed: int, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields that make a result reproducible."""
    return {
        "seed": seed,
        "commit": commit(),
        "version": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "settings": dict(settings),
    }


def commit() -> str | None:
    """Return the commit of the code, if it is in a git repository."""
    return next(
        (commit_of(folder) for folder in Path(__file__).resolve().parents if (folder / ".git").exists()), None
    )


def commit_of(folder: Path) -> str | None:
    """Return the commit that is checked out in the top folder of a repository, or of one of its worktrees.

    In a worktree, `.git` is a file that names the folder with its HEAD; branches are in the folder that `commondir`
    names there.
    """
    git = folder / ".git"
    if git.is_file():
        git = folder / git.read_text("utf-8").strip().removeprefix("gitdir: ")
    shared = git / "commondir"
    branches = git / shared.read_text("utf-8").strip() if shared.is_file() else git
    if not (git / "HEAD").is_file():
        return None
    head = (git / "HEAD").read_text("utf-8").strip()
    name = head.removeprefix("ref: ")
    if name == head:
        return head
    if (branches / name).is_file():
        return (branches / name).read_text("utf-8").strip()
    packed = branches / "packed-refs"
    lines = packed.read_text("utf-8").splitlines() if packed.is_file() else []
    return next((line.split()[0] for line in lines if line.endswith(f" {name}")), None)
