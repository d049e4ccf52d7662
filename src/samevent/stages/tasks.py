"""What tasks are: the places where they leave parts, who calls them, and what every one of them knows."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, overload

from samevent.clusterers import Clusterer
from samevent.corrections import Corrections
from samevent.errors import SameventError
from samevent.language.cache import Cache, default_folder
from samevent.model import Model, Options
from samevent.packing import unpack
from samevent.parallel import Starmap, WorkerPool
from samevent.similarity.links import MentionLinks
from samevent.similarity.mentions import MentionTable
from samevent.similarity.pairs import Pairs
from samevent.similarity.tables import unpack_table


class Parts(Protocol):
    """Where parts lie: small files by name, each whole or absent. Tasks elsewhere see the same files."""

    def read(self, name: str) -> bytes | None:
        """Return a part, or None if there is none."""

    def write(self, name: str, data: bytes) -> None:
        """Store a part."""

    def clear(self) -> None:
        """Remove all parts."""

    def __hash__(self) -> int:
        """Equal places have equal hashes."""


@dataclass(frozen=True, slots=True)
class FolderParts:
    """Parts in a folder that everybody sees under the same path."""

    folder: Path

    def read(self, name: str) -> bytes | None:
        """Return a part, or None if there is none."""
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Store a part under a temporary name, and rename it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / f".{name}.{secrets.token_hex(4)}.tmp"
        temporary.write_bytes(data)
        temporary.replace(self.folder / name)

    def clear(self) -> None:
        """Remove all parts."""
        if self.folder.is_dir():
            for file in self.folder.iterdir():
                file.unlink()
            self.folder.rmdir()


@dataclass(frozen=True, slots=True)
class Lost:
    """The outcome of a task whose processes died again and again."""

    reason: str


class Executor(Protocol):
    """Calls tasks, here or elsewhere."""

    starmap: Starmap | None
    """Advances chains of large components elsewhere; None if all work is done here."""

    def map(
        self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], *, large: bool = False
    ) -> Iterator[tuple[int, Any]]:
        """Begin the calls, the first first; yield the number and the result of each as it ends, or `Lost`.

        Calls with `large` arguments are not all handed out at once.
        """


class Here:
    """Calls tasks one after the other in this process."""

    starmap: Starmap | None = None

    def map(
        self,
        function: Callable[..., Any],
        calls: Sequence[tuple[Any, ...]],
        *,
        large: bool = False,  # noqa: ARG002 -- one call at a time
    ) -> Iterator[tuple[int, Any]]:
        """Yield the number and the result of each call."""
        return ((number, function(*arguments)) for number, arguments in enumerate(calls))


class Processes:
    """Calls tasks in processes of this machine, which end with this one."""

    starmap: Starmap | None = None

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def map(
        self,
        function: Callable[..., Any],
        calls: Sequence[tuple[Any, ...]],
        *,
        large: bool = False,  # noqa: ARG002 -- never more calls than processes and one
    ) -> Iterator[tuple[int, Any]]:
        """Yield the number and the result of each call as it ends."""
        pool = WorkerPool(self._jobs)
        numbers: dict[Future[Any], int] = {}
        waiting = iter(range(len(calls)))
        try:
            for number in islice(waiting, self._jobs + 1):
                numbers[pool.submit(function, *calls[number])] = number
            while numbers:
                for future in wait(numbers, return_when=FIRST_COMPLETED).done:
                    yield numbers.pop(future), future.result()
                    for number in islice(waiting, 1):
                        numbers[pool.submit(function, *calls[number])] = number
        except BrokenProcessPool as error:
            raise SameventError(
                "a process that did a part of the run died",
                hint="memory may have run out: use --resume with fewer --jobs",
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


class LazyCalls(Sequence[tuple[Any, ...]]):
    """Arguments of calls that are made when they are begun, so that not all documents are needed at once."""

    def __init__(self, count: int, make: Callable[[int], tuple[Any, ...]]) -> None:
        self._numbers, self._make = range(count), make

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, number: int) -> tuple[Any, ...]: ...

    @overload
    def __getitem__(self, number: slice) -> list[tuple[Any, ...]]: ...

    def __getitem__(self, number: int | slice) -> tuple[Any, ...] | list[tuple[Any, ...]]:
        if isinstance(number, slice):
            return list(map(self._make, self._numbers[number]))
        return self._make(self._numbers[number])


@dataclass(frozen=True, slots=True)
class Job:
    """What every task knows: model, options, where parts lie, and what a person decided."""

    model: str
    options: Options
    parts: Parts
    corrections: Corrections | None = None

    @property
    def system(self) -> Clusterer:
        """The clusterer."""
        return self.options.system


def outcomes(
    executor: Executor, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], *, large: bool = False
) -> Iterator[tuple[int, Any]]:
    """Begin calls and return their outcomes; what seems to kill workers is tried once more, with nothing beside it.

    A worker that dies takes all its tasks along, and one of several may have been the reason.
    """
    begun = executor.map(function, calls, large=large)

    def ends() -> Iterator[tuple[int, Any]]:
        suspects = []
        for number, outcome in begun:
            if isinstance(outcome, Lost):
                suspects.append(number)
            else:
                yield number, outcome
        for number in sorted(suspects):
            [(_, outcome)] = executor.map(function, [calls[number]])
            yield number, outcome

    return ends()


def check_found(outcome: object, name: str) -> None:
    """Raise if the workers that did a part died."""
    if isinstance(outcome, Lost):
        raise SameventError(
            f"the workers that did the part {name!r} of the run died ({outcome.reason})",
            hint="give workers more memory, then use --resume",
        )


def model_of(name: str) -> Model:
    """Return a model; each process loads it once."""
    return _model_with_cache(name, default_folder())


@lru_cache(maxsize=1)
def _model_with_cache(name: str, folder: Path) -> Model:
    return Model.load(name, cache=Cache(folder))


def write_named(job: Job, kind: str, data: bytes) -> str:
    """Write a part under a name that tells its content, and return the name."""
    name = f"{kind}-{blake2b(data, digest_size=8).hexdigest()}"
    if job.parts.read(name) is None:
        job.parts.write(name, data)
    return name


@lru_cache(maxsize=2)
def _loaded(parts: Parts, name: str) -> Any:
    """Keep the table and the links of a run in each process that needs them."""
    data = parts.read(name) or b""
    return unpack_table(data) if name.startswith("table") else unpack(data, (MentionLinks, Pairs))


def table_of(job: Job, name: str) -> MentionTable:
    """Return the mention table of a run by the name of its part."""
    table: MentionTable = _loaded(job.parts, name)
    return table


def links_of(job: Job, name: str) -> MentionLinks:
    """Return the links of a run by the name of their part."""
    links: MentionLinks = _loaded(job.parts, name)
    return links
