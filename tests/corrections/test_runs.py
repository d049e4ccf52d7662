"""Corrections through whole runs: they hold exactly, with the same bytes however the run is done."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from parses import needs_model
from samevent import Corpus, Model, Options, stages
from samevent.corpus import Mention
from samevent.corrections import Corrections, MarkedMention, append, new_decision, read_corrections
from samevent.demo import articles
from samevent.errors import DataError, OutputExistsError
from samevent.locks import FolderLock
from samevent.results import Result
from samevent.runs import cluster, open_run, run
from samevent.updates import apply_corrections, update

pytestmark = needs_model

QUAKES = Corpus([document for document in articles() if "quake" in document.text])
LIGHT = Options(preset="light")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages.reading, "PARTITION", 2)


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("free") / "out"
    run(QUAKES, folder, LIGHT)
    return folder


@pytest.fixture(scope="module")
def decided(free: Path) -> tuple[Corrections, dict[str, list[Mention]]]:
    """Merge the two events with most mentions, split the third, remove a mention of the fourth and rename it."""
    result = open_run(free)
    one, two, three, four = (list(event.mentions) for event in result.events.largest(4))
    alone = next(m for m in result.corpus.mentions("action") if m.event is None)
    named = {"same": [*one, *two], "first": three[:1], "rest": three[1:], "gone": four[:1], "four": four[1:]}

    def marked(*mentions: Mention) -> list[MarkedMention]:
        return [MarkedMention.of(m) for m in mentions]

    decisions = (
        new_decision("same", [marked(*one, *two)]),
        new_decision("same", [marked(one[0], alone)], note="<script>alert(1)</script>"),
        new_decision("different", [marked(three[0]), marked(*three[1:])]),
        new_decision("not-an-event", [marked(four[0])]),
        new_decision("rename", [marked(*four[1:])], label="The <b>fourth</b>"),
        new_decision("same", [[MarkedMention("nowhere", 0, 3, "hit"), *marked(three[0])]]),
    )
    named["same"].append(alone)
    return Corrections(decisions), named


@pytest.fixture(scope="module")
def corrected(
    decided: tuple[Corrections, dict[str, list[Mention]]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("corrected") / "out"
    said: list[str] = []
    run(QUAKES, folder, LIGHT, corrections=decided[0], tell=said.append)
    assert [line for line in said if "which was not found: the document is not in the run" in line]
    return folder


def check(result: Result, named: dict[str, list[Mention]], corrections: Corrections) -> None:
    event = {m.id: m.event for m in result.corpus.mentions("action")}
    same = [m.id for m in named["same"]]
    assert len({event[id] for id in same}) == 1
    assert event[same[0]] is not None
    assert all(result.probability(same[0], id) == 1.0 for id in same)
    for other in named["rest"]:
        assert event[other.id] is None or event[other.id] != event[named["first"][0].id]
        assert result.probability(other.id, named["first"][0].id) == 0.0
    gone = named["gone"][0]
    assert gone.id not in event
    [listed] = result.corpus[gone.document].extra["not_events"]
    assert listed["text"] == gone.text
    labels = {result.events[str(event[m.id])].label for m in named["four"] if event[m.id]}
    assert labels <= {"The <b>fourth</b>"}
    marks = next(m.marks for m in result.events[str(event[same[-1]])].members if m.mention.id == same[-1])
    assert [mark.id for mark in marks] == [corrections.decisions[1].id]


def test_corrections_hold_in_every_file_of_a_run(
    corrected: Path, decided: tuple[Corrections, dict[str, list[Mention]]]
) -> None:
    corrections, named = decided
    check(open_run(corrected), named, corrections)
    about = json.loads((corrected / "run.json").read_text())
    assert about["corrections"] == {"sha256": corrections.digest, "decisions": 6}
    [missing] = about["result"]["corrections"]["missing"]
    assert missing["mention"]["document"] == "nowhere"
    assert read_corrections(corrected / "corrections.jsonl").digest == corrections.digest
    with (corrected / "mentions.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = {row["mention"]: row["corrections"] for row in csv.DictReader(stream)}
    assert f"same {corrections.decisions[0].id}" in rows[named["same"][0].id]
    with (corrected / "events.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert any(corrections.decisions[0].id in row["corrections"] for row in csv.DictReader(stream))
    assert "<b>fourth" not in (corrected / "report.html").read_text("utf-8")


def test_the_same_bytes_come_from_parts_and_from_a_stream(
    corrected: Path, decided: tuple[Corrections, dict[str, list[Mention]]], tmp_path: Path
) -> None:
    run(QUAKES, tmp_path / "parts", LIGHT, corrections=decided[0], skip_bad=True)
    assert files(tmp_path / "parts") == files(corrected)
    run(QUAKES.lazily(), tmp_path / "stream", LIGHT, corrections=decided[0])
    assert files(tmp_path / "stream") == files(corrected)


@pytest.mark.slow
def test_the_same_bytes_come_from_a_cluster(
    corrected: Path, decided: tuple[Corrections, dict[str, list[Mention]]], tmp_path: Path
) -> None:
    pytest.importorskip("distributed")
    run(QUAKES, tmp_path / "out", LIGHT, corrections=decided[0], cluster="local:2")
    assert files(tmp_path / "out") == files(corrected)


def test_applying_decisions_to_a_finished_run_gives_the_bytes_of_a_run_with_them(
    free: Path, corrected: Path, decided: tuple[Corrections, dict[str, list[Mention]]], tmp_path: Path
) -> None:
    out = Path(shutil.copytree(free, tmp_path / "out"))
    append(out / "corrections.jsonl", decided[0].decisions)
    apply_corrections(out)
    applied = files(out)
    assert json.loads(applied.pop("history.jsonl"))["exact"]
    assert applied == files(corrected)
    said: list[str] = []
    apply_corrections(out, tell=said.append)
    assert said == ["all corrections have been applied already"]


def test_an_update_keeps_corrections_and_a_new_one_resolves_everything(
    decided: tuple[Corrections, dict[str, list[Mention]]], corrected: Path, tmp_path: Path
) -> None:
    corrections, named = decided
    out = Path(shutil.copytree(corrected, tmp_path / "out"))
    others = [document for document in articles() if document.id not in QUAKES][:2]
    done = update(Corpus(others[:1]), out, report=True)
    assert not done.exact
    result = open_run(out)
    check(result, named, corrections)
    assert read_corrections(out / "corrections.jsonl").digest == corrections.digest
    assert json.loads((out / "run.json").read_text())["corrections"]["sha256"] == corrections.digest
    append(out / "corrections.jsonl", [new_decision("undo", undoes=corrections.decisions[2].id)])
    assert update(Corpus(others[1:]), out).exact
    about = json.loads((out / "run.json").read_text())
    assert about["corrections"]["decisions"] == 7


def test_a_run_that_is_overwritten_leaves_its_decisions_and_is_not_overwritten_while_somebody_reviews_it(
    free: Path, decided: tuple[Corrections, dict[str, list[Mention]]], tmp_path: Path
) -> None:
    out = Path(shutil.copytree(free, tmp_path / "out"))
    append(out / "corrections.jsonl", decided[0].decisions)
    lock = FolderLock(out)
    with pytest.raises(OutputExistsError, match="somebody is reviewing this run"):
        run(QUAKES, out, LIGHT, overwrite=True)
    lock.release()
    run(QUAKES, out, LIGHT, overwrite=True)
    assert read_corrections(out / "corrections.jsonl").decisions == decided[0].decisions


def test_contradictions_are_an_error_before_any_work(free: Path, tmp_path: Path) -> None:
    one, two, three = (MarkedMention.of(m) for m in list(open_run(free).events[0].mentions * 3)[:3])
    two, three = replace(two, char_start=two.char_start + 1), replace(three, char_start=three.char_start + 2)
    decisions = (
        new_decision("same", [[one, two]]),
        new_decision("same", [[two, three]]),
        new_decision("different", [[one], [three]]),
    )

    def source() -> Corpus:
        raise AssertionError("nothing is read")

    with pytest.raises(DataError, match="decision 3: keeps"):
        run(source, tmp_path / "out", LIGHT, corrections=Corrections(decisions))
    assert not list(tmp_path.iterdir())


def test_given_mentions_are_clustered_under_corrections(
    free: Path, decided: tuple[Corrections, dict[str, list[Mention]]], tmp_path: Path
) -> None:
    corrections, named = decided
    given = open_run(free).corpus
    said: list[str] = []
    clustered = cluster(
        given, tmp_path / "out.jsonl", LIGHT.system, corrections=corrections, tell=said.append
    )
    assert len({clustered.clustering.label_of(m.id) for m in named["same"]}) == 1
    assert named["gone"][0].id not in clustered.ids
    assert len(said) == 1


def test_a_model_takes_a_file_of_corrections(
    decided: tuple[Corrections, dict[str, list[Mention]]], tmp_path: Path
) -> None:
    append(tmp_path / "c.jsonl", decided[0].decisions)
    result = Model.load().resolve(QUAKES, options=LIGHT, corrections=tmp_path / "c.jsonl")
    check(result, decided[1], decided[0])
