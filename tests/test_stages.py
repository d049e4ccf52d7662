"""A run by parts gives the bytes of a plain run, takes parts that exist, and leaves out documents that fail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parses import needs_model
from samevent import Corpus, Document, Options, stages
from samevent.demo import articles
from samevent.errors import DataError, SameventError
from samevent.parallel import Starmap
from samevent.runs import run, write_tables
from samevent.similarity.mentions import MentionTable
from samevent.stages import FolderParts, Here, Lost

pytestmark = needs_model

QUAKES = Corpus([document for document in articles() if "quake" in document.text])
LIGHT = Options(preset="light")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("plain") / "out"
    run(QUAKES, folder, LIGHT)
    return files(folder)


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages.reading, "PARTITION", 2)


def test_parts_give_the_bytes_of_a_plain_run_and_are_gone_at_the_end(
    plain: dict[str, bytes], tmp_path: Path
) -> None:
    run(QUAKES, tmp_path / "out", LIGHT, parts=str(tmp_path / "parts"))
    assert files(tmp_path / "out") == plain
    assert not list((tmp_path / "parts").iterdir())


@pytest.mark.parametrize("clusterer", ["lemma", "ddcrp"])
def test_clusterers_without_parts_give_the_same_bytes(clusterer: str, tmp_path: Path) -> None:
    options = Options(preset="light", clusterer=clusterer)
    run(QUAKES, tmp_path / "plain", options)
    run(QUAKES, tmp_path / "out", options, skip_bad=True)
    assert files(tmp_path / "out") == files(tmp_path / "plain")


def test_the_encoder_reads_by_partitions_too(tmp_path: Path) -> None:
    run(QUAKES, tmp_path / "plain", Options())
    run(QUAKES, tmp_path / "out", Options(), skip_bad=True)
    assert files(tmp_path / "out") == files(tmp_path / "plain")


def stopping(stage: str) -> Any:
    def watch(now: str, done: int, total: int, note: str) -> None:
        if now == stage:
            raise KeyboardInterrupt

    return watch


@pytest.mark.parametrize("stage", ["reading", "linking", "sampling", "explaining", "writing"])
def test_a_run_by_parts_is_resumed_without_doing_them_again(
    plain: dict[str, bytes], stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(QUAKES, tmp_path / "out", LIGHT, skip_bad=True, watch=stopping(stage))
    read: list[str] = []
    usual = stages.reading._prepared

    def counted(job: stages.Job, documents: Sequence[Document]) -> tuple[Corpus, MentionTable]:
        read.append(documents[0].id)
        return usual(job, documents)

    monkeypatch.setattr(stages.reading, "_prepared", counted)
    run(QUAKES, tmp_path / "out", LIGHT, resume=True)
    assert len(read) == (len(QUAKES) - 1) // 2 if stage == "reading" else not read
    assert files(tmp_path / "out") == plain


def test_a_damaged_part_is_made_again(plain: dict[str, bytes], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(QUAKES, tmp_path / "out", LIGHT, skip_bad=True, watch=stopping("linking"))
    part = tmp_path / "out.part" / "parts" / "read-000000"
    part.write_bytes(part.read_bytes()[:-1])
    run(QUAKES, tmp_path / "out", LIGHT, resume=True)
    assert files(tmp_path / "out") == plain


def failing(bad: str) -> Any:
    usual = stages.reading._prepared

    def prepared(job: stages.Job, documents: Sequence[Document]) -> tuple[Corpus, MentionTable]:
        if any(document.id == bad for document in documents):
            raise ValueError("no such thing")
        return usual(job, documents)

    return prepared


def test_a_document_that_fails_is_named_or_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = list(QUAKES)[1].id
    rest = Corpus(document for document in QUAKES if document.id != bad)
    run(rest, tmp_path / "rest", LIGHT)
    monkeypatch.setattr(stages.reading, "_prepared", failing(bad))
    with pytest.raises(
        DataError, match=rf"the document '{bad}' cannot be processed \(ValueError: no such thing"
    ):
        run(QUAKES, tmp_path / "out", LIGHT, parts=str(tmp_path / "parts"))
    run(QUAKES, tmp_path / "out", LIGHT, parts=str(tmp_path / "parts"), skip_bad=True)
    out, expected = files(tmp_path / "out"), files(tmp_path / "rest")
    assert json.loads(out.pop("run.json"))["skipped"] == {bad: "ValueError: no such thing"}
    del expected["run.json"]
    assert out == expected


class Deadly:
    """An executor whose workers die of some document, and of everything in a stage."""

    starmap: Starmap | None = None

    def __init__(self, bad: str = "", stage: str = "") -> None:
        self._bad, self._stage = bad, stage

    def map(self, function: Any, calls: Any, *, large: bool = False) -> Any:
        for number, arguments in enumerate(calls):
            read = function is stages.read_part and any(d.id == self._bad for d in arguments[2])
            dies = read or function.__name__ == self._stage
            yield number, Lost("4 workers died of it") if dies else function(*arguments)


def test_a_document_that_kills_workers_is_found_by_halving(tmp_path: Path) -> None:
    bad = list(QUAKES)[4].id
    job = stages.Job("en-news", LIGHT, FolderParts(tmp_path / "parts"))
    result, failed = stages.resolve(job, QUAKES, Deadly(bad), skip_bad=True)
    assert failed == {bad: "4 workers died of it"}
    assert [d.id for d in result.corpus] == [d.id for d in QUAKES if d.id != bad]


@pytest.mark.parametrize("task", ["score_part", "answer_part", "write_part"])
def test_tasks_that_kill_all_workers_end_the_run_with_one_error(task: str, tmp_path: Path) -> None:
    job = stages.Job("en-news", LIGHT, FolderParts(tmp_path / "parts"))
    with pytest.raises(SameventError, match=r"the workers that did the part .* died .*use --resume"):
        stages.resolve(job, QUAKES, Deadly(stage=task), by_tasks=True)
    assert stages.resolve(job, QUAKES, Here())[0].events


@pytest.mark.parametrize("keep", [False, True], ids=["events only", "with singletons"])
def test_rows_by_tasks_are_those_of_the_result(keep: bool, tmp_path: Path) -> None:
    first, *others = QUAKES
    clash = first.with_mentions([first.mention("participant", 0, 1, event="e1")])
    options = Options(preset="light", keep_singletons=keep, min_probability=0.4)
    job = stages.Job("en-news", options, FolderParts(tmp_path / "parts"))
    result, _ = stages.resolve(job, Corpus([clash, *others]), Here(), by_tasks=True)
    assert result.rows
    for name, each in (("tasks", result), ("here", replace(result, rows=None))):
        (tmp_path / name).mkdir()
        write_tables(tmp_path / name, each)
    assert files(tmp_path / "tasks") == files(tmp_path / "here")
    assert "participant-e1" in (tmp_path / "tasks" / "result.jsonl").read_text()
