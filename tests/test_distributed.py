"""A cluster gives the bytes of one machine, whatever its workers do and whatever happens to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from parses import needs_model
from samevent import Corpus, Options, stages
from samevent.demo import articles
from samevent.distributed import UrlParts, connect
from samevent.errors import ClusterError, UsageError
from samevent.runs import run

needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason='needs Dask (python -m pip install "samevent[cluster]")'
)
pytestmark = [needs_model, needs_dask, pytest.mark.filterwarnings("ignore")]

QUAKES = Corpus([document for document in articles() if "quake" in document.text])
LIGHT = Options(preset="light")
QUIET = {"DASK_LOGGING__DISTRIBUTED": "critical"}


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("plain") / "out"
    run(QUAKES, folder, LIGHT)
    return files(folder)


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    from samevent.results import parts

    monkeypatch.setattr(stages.reading, "PARTITION", 2)
    monkeypatch.setattr(parts, "_LINKS_PER_GROUP", 3)


@contextmanager
def cluster(workers: int = 2, **settings: Any) -> Iterator[Any]:
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50, env=QUIET
        ) as started,
    ):
        yield started


def install(started: Any, fault: Any) -> None:
    from distributed import Client

    with Client(started.scheduler_address, set_as_default=False) as client:
        client.register_plugin(fault)


def test_two_processes_give_the_bytes_of_one(plain: dict[str, bytes], tmp_path: Path) -> None:
    written: list[int] = []

    def watch(stage: str, done: int, total: int, note: str) -> None:
        if stage == "writing" and total > 1:
            written.append(done)

    run(QUAKES, tmp_path / "out", LIGHT, cluster="local:2", watch=watch)
    assert written[-1] == len(QUAKES) > len(written) > 1  # by partitions, and not by the client
    assert files(tmp_path / "out") == plain
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 4])
def test_any_number_of_processes_gives_the_bytes_of_one(
    plain: dict[str, bytes], workers: int, tmp_path: Path
) -> None:
    run(QUAKES, tmp_path / "out", LIGHT, cluster=f"local:{workers}", parts=f"file://{tmp_path / 'parts'}")
    assert files(tmp_path / "out") == plain


@pytest.mark.slow
def test_workers_may_join_and_leave(plain: dict[str, bytes], tmp_path: Path) -> None:
    with cluster(1) as started:
        changes = {"reading": 3, "linking": 1, "sampling": 2}

        def watch(stage: str, done: int, total: int, note: str) -> None:
            if workers := changes.pop(stage, None):
                started.scale(workers)

        run(QUAKES, tmp_path / "out", LIGHT, cluster=started.scheduler_address, watch=watch)
    assert not changes
    assert files(tmp_path / "out") == plain


@pytest.mark.slow
def test_chains_of_large_components_run_on_workers(
    plain: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages.sampling, "BIG", 10)
    run(QUAKES, tmp_path / "out", LIGHT, cluster="local:2")
    assert files(tmp_path / "out") == plain


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["reading", "linking", "sampling", "writing"])
def test_a_worker_may_be_killed_in_any_stage(plain: dict[str, bytes], stage: str, tmp_path: Path) -> None:
    import cluster_faults

    with cluster() as started:
        install(started, cluster_faults.DieOnce(stage, tmp_path / "died"))
        run(QUAKES, tmp_path / "out", LIGHT, cluster=started.scheduler_address)
    assert (tmp_path / "died").exists()
    assert files(tmp_path / "out") == plain


@pytest.mark.slow
@pytest.mark.parametrize("kill", [False, True], ids=["fails", "kills"])
def test_a_document_that_always_fails_is_isolated(kill: bool, tmp_path: Path) -> None:
    import cluster_faults

    bad = list(QUAKES)[3].id
    rest = Corpus(document for document in QUAKES if document.id != bad)
    run(rest, tmp_path / "rest", LIGHT)
    with cluster(**{"distributed.scheduler.allowed-failures": 0}) as started:
        install(started, cluster_faults.FailOn(bad, kill=kill))
        with pytest.raises(Exception, match=rf"document '{bad}' cannot be processed"):
            run(QUAKES, tmp_path / "out", LIGHT, cluster=started.scheduler_address)
        run(QUAKES, tmp_path / "out", LIGHT, cluster=started.scheduler_address, skip_bad=True, resume=True)
    out, expected = files(tmp_path / "out"), files(tmp_path / "rest")
    assert bad.encode() in out.pop("run.json")
    del expected["run.json"]
    assert out == expected


@contextmanager
def own_scheduler(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a scheduler and a worker as an operator does, in processes of their own."""
    environment = {**os.environ, **QUIET}
    file = folder / "scheduler.json"

    def start(program: str, *options: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            f"distributed.cli.dask_{program}",
            "--scheduler-file",
            str(file),
            *options,
        ]
        return subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    scheduler = start("scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")
    worker = start("worker", "--nthreads", "1", "--no-dashboard", "--death-timeout", "60")
    try:
        for _ in range(600):
            if file.exists() and (text := file.read_text()):
                break
            time.sleep(0.1)
        yield text.split('"address": "')[1].split('"')[0], scheduler
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


def when(stage: str, act: Callable[[], None]) -> Callable[[str, int, int, str], None]:
    acted: list[str] = []

    def watch(now: str, done: int, total: int, note: str) -> None:
        if now == stage and not acted:
            acted.append(stage)
            act()

    return watch


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["reading", "linking"])
def test_a_lost_scheduler_is_one_error_and_the_run_is_resumed_on_one_machine(
    plain: dict[str, bytes], stage: str, tmp_path: Path
) -> None:
    with own_scheduler(tmp_path) as (address, scheduler):
        with pytest.raises(ClusterError) as caught:
            run(
                QUAKES, tmp_path / "out", LIGHT, cluster=address,
                watch=when(stage, lambda: os.kill(scheduler.pid, signal.SIGKILL)),
            )  # fmt: skip
        assert str(caught.value).startswith(
            f"{address}: the connection to the cluster was lost. Finished parts"
        )
    assert list((tmp_path / "out.part" / "parts").glob("read-*"))
    run(QUAKES, tmp_path / "out", LIGHT, resume=True)
    assert files(tmp_path / "out") == plain


def interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.slow
def test_a_run_is_resumed_with_another_number_of_workers(plain: dict[str, bytes], tmp_path: Path) -> None:
    for stage in ("linking", "sampling"):
        with pytest.raises(KeyboardInterrupt):
            run(
                QUAKES, tmp_path / "out", LIGHT, cluster="local:2", resume=stage != "linking",
                watch=when(stage, interrupt),
            )  # fmt: skip
    run(QUAKES, tmp_path / "out", LIGHT, cluster="local:1", resume=True)
    assert files(tmp_path / "out") == plain


def test_parts_may_lie_under_any_url(plain: dict[str, bytes], tmp_path: Path) -> None:
    import fsspec

    run(QUAKES, tmp_path / "out", LIGHT, parts="memory://news/parts")
    assert files(tmp_path / "out") == plain
    assert not fsspec.filesystem("memory").find("/news")
    parts = UrlParts("memory://one/place")
    assert parts.read("x") is None
    parts.write("x", b"1")
    parts.write("x", b"2")
    assert parts.read("x") == b"2"
    parts.clear()
    parts.clear()
    assert parts.read("x") is None


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("local:0", "'local:0' is no address of a cluster; expected the address of a Dask scheduler"),
        ("somewhere", "'somewhere' is no address of a cluster"),
        ("tcp://127.0.0.1:1", "tcp://127.0.0.1:1: the cluster cannot be reached"),
        ("odd://127.0.0.1:1", "odd://127.0.0.1:1: the cluster cannot be reached"),
    ],
)
def test_addresses_that_lead_nowhere_are_one_error(
    address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samevent.distributed._CONNECT_SECONDS", 1)
    with pytest.raises((ClusterError, UsageError)) as caught, connect(address):
        pass
    assert str(caught.value).startswith(message)


def test_a_url_that_cannot_be_written_is_one_error() -> None:
    with pytest.raises(UsageError, match="odd://place: cannot be written"):
        UrlParts("odd://place").read("x")


def test_a_time_limit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a time limit cannot be used on a cluster"):
        run(QUAKES, tmp_path / "out", Options(time_limit=5.0), cluster="local:2")
