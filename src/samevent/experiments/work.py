"""What experiments leave on disk as they go, so that an interrupted one goes on and ends with the same figures.

Every result lies under a digest of all that it depends on, the code among it. It is used again only where resuming was
asked for.
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

Tell = Callable[[str], None]
Watch = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Shows how far work is: given its name and its size, it gives what is to be told how much is done."""


@contextmanager
def unwatched(name: str, size: int) -> Iterator[Callable[[int], None]]:  # noqa: ARG001
    """Show nothing."""
    yield lambda _: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A folder of results, and whom to tell how things go."""

    folder: Path
    resume: bool = False
    jobs: int = 1
    tell: Tell = lambda _: None
    watch: Watch = unwatched

    def place(self, name: str, *depends_on: str) -> Path:
        """Return where the result of this name goes that depends on all this."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{name}-{digest(digest_of_code(), *depends_on)}"

    def has(self, path: Path) -> bool:
        """Say whether a result is there and may be used."""
        return self.resume and path.exists()


def digest(*parts: str | bytes) -> str:
    """Return a short name for all these parts.

    >>> digest("a", "bc") == digest("ab", "c")
    False
    """
    found = blake2b(digest_size=8)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()


def digest_of_corpus(corpus: Corpus) -> str:
    """Return a digest of texts and mentions; topics are no part of it."""
    return digest(*(repr((d.id, d.text, d.mentions)) for d in corpus))


def digest_of_files(paths: Iterable[Path]) -> str:
    """Return a digest of what files hold."""
    return digest(*(part for path in sorted(paths) for part in (path.name, path.read_bytes())))


@cache
def digest_of_code() -> str:
    """Return a digest of this package's code: once it changes, what was found before may no longer be true."""
    return digest_of_files(Path(__file__).parents[1].rglob("*.py"))


def provenance(seed: int, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return what a result has to carry so that it can be had again."""
    return {
        "seed": seed,
        "commit": commit(),
        "version": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "settings": dict(settings),
    }


def commit() -> str | None:
    """Return the commit that the code is of, where it lies in a repository."""
    for folder in Path(__file__).resolve().parents:
        git = folder / ".git"
        if (git / "HEAD").is_file():
            head = (git / "HEAD").read_text("utf-8").strip()
            name = head.removeprefix("ref: ")
            if name == head:
                return head
            if (git / name).is_file():
                return (git / name).read_text("utf-8").strip()
            packed = git / "packed-refs"
            lines = packed.read_text("utf-8").splitlines() if packed.is_file() else []
            return next((line.split()[0] for line in lines if line.endswith(f" {name}")), None)
    return None
