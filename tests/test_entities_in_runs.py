"""Who is who across the documents of a run: the same bytes however the run is done."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

import pytest

from parses import needs_model
from samevent import Corpus, Document, Options, stages, write
from samevent.inputs import read_inputs
from samevent.runs import open_run, run
from samevent.updates import HISTORY_FILE, update

pytestmark = needs_model

LIGHT = Options(preset="light")
TEXTS = {
    "a": "Barack Obama nominated Regina Benjamin as surgeon general in Washington on Monday. "
    "The doctor runs a rural clinic in Alabama. Barack Obama praised Benjamin at the White House.",
    "b": "Obama nominated the Alabama doctor Regina Benjamin as surgeon general. "
    "Obama praised the doctor and her rural clinic at the White House in Washington.",
    "c": "President Obama nominated Benjamin as surgeon general on Monday. Benjamin runs a rural clinic in Alabama, "
    "and President Obama praised the doctor at the White House in Washington.",
    "d": "Benjamin scored two goals for the Harbour Rovers on Saturday. The striker missed a penalty, and Benjamin "
    "was booked after the match against Dunmore.",
}


def corpus(*names: str) -> Corpus:
    return Corpus(Document.from_text(name, TEXTS[name]) for name in names)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != HISTORY_FILE}


def called(folder: Path) -> dict[str, set[str]]:
    """Return the ids of named entities by document."""
    return {
        document.id: {
            mention.refers.entity.id
            for mention in document.mentions
            if mention.refers and mention.refers.entity and mention.refers.entity.is_named
        }
        for document in open_run(folder).corpus
    }


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain") / "out"
    run(corpus("a", "b", "c", "d"), folder, LIGHT)
    return folder


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages.reading, "PARTITION", 2)


def test_documents_on_one_story_agree_and_unrelated_ones_do_not(plain: Path) -> None:
    found = called(plain)
    for name in ("a", "b", "c"):
        assert {"name:barack obama", "name:regina benjamin"} <= found[name], name
    assert "name:benjamin@d" in found["d"]


def test_tables_say_who_takes_part(plain: Path) -> None:
    for name in ("mentions.csv", "events.csv"):
        with (plain / name).open(encoding="utf-8-sig", newline="") as stream:
            who = [row["who"] for row in csv.DictReader(stream)]
        assert any("Barack Obama (name:barack obama)" in cell for cell in who), name


def test_the_order_of_the_input_and_jobs_leave_no_trace(plain: Path, tmp_path: Path) -> None:
    run(corpus("d", "c", "b", "a"), tmp_path / "out", LIGHT, jobs=2)
    assert files(tmp_path / "out") == files(plain)


def test_runs_by_parts_and_streamed_runs_agree(plain: Path, tmp_path: Path) -> None:
    run(corpus("a", "b", "c", "d"), tmp_path / "parts", LIGHT, skip_bad=True)
    write(corpus("a", "b", "c", "d"), tmp_path / "in.jsonl")
    run(lambda: read_inputs([tmp_path / "in.jsonl"], scratch=tmp_path, held=0), tmp_path / "streamed", LIGHT)
    for name in ("parts", "streamed"):
        assert files(tmp_path / name) == files(plain), name


def test_resumed_runs_agree(plain: Path, tmp_path: Path) -> None:
    def stop(now: str, done: int, total: int, note: str) -> None:
        if now == "explaining":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(corpus("a", "b", "c", "d"), tmp_path / "out", LIGHT, parts=str(tmp_path / "parts"), watch=stop)
    run(corpus("a", "b", "c", "d"), tmp_path / "out", LIGHT, parts=str(tmp_path / "parts"), resume=True)
    assert files(tmp_path / "out") == files(plain)


@pytest.mark.skipif(find_spec("distributed") is None, reason="needs Dask")
@pytest.mark.filterwarnings("ignore")
def test_runs_on_a_cluster_agree(plain: Path, tmp_path: Path) -> None:
    run(corpus("a", "b", "c", "d"), tmp_path / "out", LIGHT, cluster="local:2")
    assert files(tmp_path / "out") == files(plain)


def test_exact_updates_agree_and_others_join_what_is_known(plain: Path, tmp_path: Path) -> None:
    for name, exact in (("exact", True), ("update", False)):
        run(corpus("b", "c", "d"), tmp_path / name, LIGHT)
        before = called(tmp_path / name)
        assert update(corpus("a"), tmp_path / name, exact=exact).exact is exact
        found = called(tmp_path / name)
        if exact:
            assert files(tmp_path / name) == files(plain)
        else:
            assert {id: found[id] for id in before} == before  # what is known keeps its ids
            assert found["a"] & found["b"] & found["c"]


def test_within_documents_only_full_names_agree(tmp_path: Path) -> None:
    run(corpus("a", "b"), tmp_path / "out", Options(preset="light", within_only=True))
    found = called(tmp_path / "out")
    assert "name:barack obama" in found["a"]
    assert "name:obama@b" in found["b"]
