"""A run on a Dask cluster (extra `cluster`): the tasks of `stages` go to workers, and their parts to a folder or URL.

    with connect("local:4") as cluster:
        result, failed = stages.resolve(job, corpus, cluster)

Workers may join and leave at any time: Dask hands the tasks of a lost worker to others, and parts that were written
stay. A task whose workers die again and again comes back as `Lost`. If the scheduler is lost, the run ends with one
error, and can be resumed anywhere.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from samevent.errors import ClusterError, UsageError
from samevent.parallel import Starmap
from samevent.stages import Lost

if TYPE_CHECKING:
    from distributed import Client, Future

_LOCAL = re.compile(r"local:([1-9]\d{0,3})")
_REMOTE = re.compile(r"\w+://.+|(?!local:)[\w.-]+:\d+")
_INSTALL = 'install it with: python -m pip install "samevent[cluster]"'
_CONNECT_SECONDS = 20
_AHEAD = 3
"""Tasks with large arguments that are handed out per thread of the cluster."""
_LOST = (asyncio.CancelledError, OSError, TimeoutError)
"""What waiting for a task raises if the scheduler is gone."""


class Cluster:
    """Hands tasks to the workers of a cluster."""

    def __init__(self, client: Client, address: str) -> None:
        self._client, self._address = client, address
        self.starmap: Starmap | None = self._starmap

    def map(
        self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], *, large: bool = False
    ) -> Iterator[tuple[int, Any]]:
        """Begin the calls, the first first; yield the number and the result of each as it ends, or `Lost`."""
        from distributed import as_completed

        ahead = _AHEAD * max(4, self._threads()) if large else len(calls)
        numbers: dict[str, int] = {}

        def begin(number: int) -> Future:
            future = self._submit(function, calls[number], priority=-number)
            numbers[future.key] = number
            return future

        waiting = as_completed(
            [begin(number) for number in range(min(ahead, len(calls)))], loop=self._client.loop
        )

        def ends() -> Iterator[tuple[int, Any]]:
            begun = min(ahead, len(calls))
            for future in waiting:
                yield numbers[future.key], self._outcome(future)
                if begun < len(calls):
                    waiting.add(begin(begun))
                    begun += 1

        return ends()

    def _starmap(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a function elsewhere before all other tasks; list the results in the order of the calls."""
        results = [self._outcome(f) for f in [self._submit(function, each, priority=1) for each in calls]]
        for result in results:
            if isinstance(result, Lost):
                raise ClusterError(
                    f"the workers that sampled a large component died ({result.reason})",
                    where=self._address,
                    hint="give workers more memory, then use --resume",
                )
        return results

    def _submit(self, function: Callable[..., Any], arguments: tuple[Any, ...], *, priority: int) -> Future:
        name = f"{function.__name__}-{secrets.token_hex(8)}"
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # of large arguments, which there are few of at a time
            try:
                return self._client.submit(function, *arguments, key=name, pure=False, priority=priority)
            except (*_LOST, RuntimeError) as error:
                raise self._lost() from error

    def _outcome(self, future: Future) -> Any:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        try:
            return future.result()
        except KilledWorker as error:
            return Lost(f"{error.allowed_failures + 1} workers died of it")
        except (*_LOST, FutureCancelledError) as error:
            raise self._lost() from error

    def _threads(self) -> int:
        return sum(
            worker["nthreads"] for worker in self._client.scheduler_info(n_workers=-1)["workers"].values()
        )

    def _lost(self) -> ClusterError:
        return ClusterError(
            "the connection to the cluster was lost",
            where=self._address,
            hint="finished parts are kept: the same command with --resume continues, with this cluster, another "
            "one, or none",
        )


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler by its address, or start `local:N` worker processes on this machine."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise UsageError("a cluster needs Dask, which is not installed", hint=_INSTALL) from error
    local = _LOCAL.fullmatch(address)
    if not local and not _REMOTE.fullmatch(address):
        raise UsageError(
            f"{address!r} is no address of a cluster",
            expected="the address of a Dask scheduler, such as tcp://10.0.0.1:8786, or local:N for N processes here",
        )
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are ours to report, once
    with ExitStack() as stack:
        try:
            target: Any = address
            if local:
                target = stack.enter_context(
                    LocalCluster(
                        n_workers=int(local[1]),
                        threads_per_worker=1,
                        dashboard_address=None,
                        silence_logs=logging.CRITICAL,
                        env={"DASK_LOGGING__DISTRIBUTED": "critical"},
                    )
                )
            client = stack.enter_context(
                Client(target, timeout=_CONNECT_SECONDS, set_as_default=False, direct_to_workers=False)
            )
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            raise ClusterError(
                f"the cluster cannot be reached ({str(error) or type(error).__name__})",
                where=address,
                expected="the address of a running Dask scheduler",
                hint="docs/operations.md tells how to start one",
            ) from error
        yield Cluster(client, address)


@dataclass(frozen=True, slots=True)
class UrlParts:
    """Parts under any URL that fsspec knows, such as s3://bucket/folder; workers see the same."""

    url: str

    def read(self, name: str) -> bytes | None:
        """Return a part, or None if there is none."""
        files, folder = self._opened()
        try:
            data: bytes = files.cat_file(f"{folder}/{name}")
        except FileNotFoundError:
            return None
        return data

    def write(self, name: str, data: bytes) -> None:
        """Store a part; objects appear whole, and files are renamed."""
        files, folder = self._opened()
        files.makedirs(folder, exist_ok=True)
        temporary = f"{folder}/{name}.{secrets.token_hex(4)}.tmp"
        files.pipe_file(temporary, data)
        files.mv(temporary, f"{folder}/{name}")

    def clear(self) -> None:
        """Remove all parts."""
        files, folder = self._opened()
        if files.exists(folder):
            files.rm(folder, recursive=True)

    def _opened(self) -> tuple[Any, str]:
        try:
            import fsspec
        except ImportError as error:
            raise UsageError(
                "parts under a URL need fsspec, which is not installed", hint=_INSTALL
            ) from error
        try:
            files, folder = fsspec.core.url_to_fs(self.url)
        except (ImportError, ValueError) as error:
            raise UsageError(
                f"cannot be written ({error})", where=self.url, expected="a URL such as s3://bucket/folder"
            ) from error
        return files, folder.rstrip("/")


def is_url(text: str) -> bool:
    """Return whether text is a URL rather than a path.

    >>> is_url("s3://bucket/parts"), is_url("parts"), is_url("C:/parts")
    (True, False, False)
    """
    return bool(urlsplit(text).scheme) and "://" in text
