"""Updates of whole folders: everything fits together, ids persist, nothing is half done."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from parses import needs_model
from samevent import Corpus, Document, Model, Options
from samevent.demo import articles
from samevent.errors import UsageError
from samevent.runs import open_run, recover, run
from samevent.updates import HISTORY_FILE, MOST_GROWTH, update

pytestmark = needs_model

DOCUMENTS = list(articles())
LIGHT = Options(preset="light")
FIRST, SECOND = Corpus(DOCUMENTS[:18]), Corpus(DOCUMENTS[18:])


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first") / "out"
    run(FIRST, folder, LIGHT)
    return folder


@pytest.fixture
def out(first: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(first, tmp_path / "out"))


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_an_update_in_several_steps_leaves_a_run_whose_files_agree(out: Path) -> None:
    before = {m.id: m.event for m in open_run(out).corpus.mentions("action") if m.event}
    done = update(Corpus(DOCUMENTS[17:20]), out)
    assert done.documents == tuple(d.id for d in DOCUMENTS[18:20])
    assert 0 < done.touched <= done.mentions
    assert not done.exact
    assert not (out / "report.html").exists()  # it would be out of date
    update(Corpus(DOCUMENTS[20:]), out, report=True)
    result = open_run(out)
    assert {d.id for d in result.corpus} == {d.id for d in DOCUMENTS}
    events = {event.id: event for event in result.events}
    assert {row["event"] for row in rows(out, "events.csv")} == events.keys()
    assert {(row["event"], row["mention"]) for row in rows(out, "mentions.csv")} == {
        (id, m.id) for id, event in events.items() for m in event.mentions
    }
    for row in rows(out, "events.csv"):
        event = events[row["event"]]
        assert (row["label"], int(row["mentions"])) == (event.label, len(event))
        assert float(row["probability"]) == pytest.approx(event.probability, abs=1e-4)
        assert len(event) > 1
    for event in result.events:
        member = event.members[0]
        assert member.why is not None
        stated = result.probability(member.mention.id, member.why.mention)
        assert stated == pytest.approx(member.why.probability, abs=1e-4)
    about = json.loads((out / "run.json").read_text())
    assert about["updates"] == 2
    for name in ("report.html", "changes.html"):
        assert about["diagnostics"]["verdict"] in (out / name).read_text("utf-8")
    # Every event of the first run is there, or the history says what became of it.
    after = {m.id: m.event for m in result.corpus.mentions("action") if m.event}
    history = [json.loads(line) for line in (out / HISTORY_FILE).read_text("utf-8").splitlines()]
    assert [line["update"] for line in history] == [1, 2]
    for mention, old in before.items():
        names = [str(old)]
        for line in history:
            names = [new for name in names for new in line["events"].get(name, [name])]
        assert after.get(mention) in [*names, None]


def test_copies_that_arrive_later_are_counted_once(out: Path, tmp_path: Path) -> None:
    original = DOCUMENTS[0]
    copy = Document.from_text("agency", f"{original.text} (Agency)", title=original.title, date=original.date)
    update(Corpus([copy]), out)
    result = open_run(out)
    assert result.copies == {copy.id: original.id}
    shared = [e for e in result.events if {copy.id, original.id} <= set(e.documents)]
    assert shared
    counts = {row["event"]: (int(row["documents"]), int(row["copies"])) for row in rows(out, "events.csv")}
    for event in shared:
        assert counts[event.id] == (len(event.documents) - 1, 1)
        assert event.distinct_documents == len(event.documents) - 1
    run(Corpus([*FIRST, copy]), tmp_path / "whole", LIGHT)
    [group] = open_run(tmp_path / "whole").copies.items()
    assert set(group) == {copy.id, original.id}


def test_untouched_lines_are_copied(out: Path, first: Path) -> None:
    strange = Document.from_text(
        "zebra", "Zebras grazed. A zoologist counted them for a census of the savannah."
    )
    done = update(Corpus([strange]), out)
    old, new = ((folder / "result.jsonl").read_bytes().splitlines() for folder in (first, out))
    assert new[: len(old)] == old
    assert done.touched == sum(1 for m in open_run(out).corpus["zebra"].mentions if m.kind == "action")
    before, after = files(first), files(out)
    assert before["events.csv"] == after["events.csv"]
    assert before["mentions.csv"] == after["mentions.csv"]


def test_an_exact_update_has_the_bytes_of_a_full_run(out: Path, tmp_path: Path) -> None:
    done = update(SECOND, out, exact=True)
    run(Corpus(DOCUMENTS), tmp_path / "full", LIGHT)
    updated = files(out)
    history = json.loads(updated.pop(HISTORY_FILE))
    assert history["exact"]
    assert history["events"] == done.successors
    assert updated == files(tmp_path / "full")


def test_after_much_growth_everything_is_resolved_anew(first: Path, tmp_path: Path) -> None:
    run(Corpus(DOCUMENTS[:6]), tmp_path / "out", LIGHT)
    said: list[str] = []
    assert not update(Corpus(DOCUMENTS[6 : int(6 * MOST_GROWTH)]), tmp_path / "out").exact
    assert update(Corpus(DOCUMENTS[9:10]), tmp_path / "out", tell=said.append).exact
    assert "everything is resolved anew this time" in said


@pytest.mark.parametrize("options", [Options(preset="light", clusterer="lemma"), Options(preset="paper")])
def test_answers_without_components_are_found_anew(options: Options, tmp_path: Path) -> None:
    few = Corpus(DOCUMENTS[:4])
    run(few, tmp_path / "out", options, formats=["conll2012"])
    assert update(Corpus(DOCUMENTS[4:5]), tmp_path / "out").exact
    run(Corpus(DOCUMENTS[:5]), tmp_path / "full", options, formats=["conll2012"])
    updated = files(tmp_path / "out")
    del updated[HISTORY_FILE]
    assert updated == files(tmp_path / "full")


def test_the_encoder_has_to_read_new_documents_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(FIRST, tmp_path / "out", Options(keep_singletons=True))
    read: list[str] = []
    usual = Model.prepare

    def counted(self: Any, corpus: Corpus, **options: Any) -> Any:
        read.extend(document.id for document in corpus)
        return usual(self, corpus, **options)

    monkeypatch.setattr(Model, "prepare", counted)
    update(SECOND, tmp_path / "out")
    assert read == [document.id for document in SECOND]
    result = open_run(tmp_path / "out")
    mentions = {m.id for m in result.corpus.mentions("action")}
    assert {m.id for event in result.events for m in event.mentions} == mentions


def test_documents_that_are_there_are_left_out_and_changed_ones_refused(out: Path) -> None:
    before = files(out)
    said: list[str] = []
    assert update(FIRST, out, tell=said.append).documents == ()
    assert said == ["there are no new documents"]
    other = Document.from_text(DOCUMENTS[0].id, "Another text about an earthquake.")
    with pytest.raises(UsageError, match=f"the document '{other.id}' is in the run with another text"):
        update(Corpus([other]), out)
    assert update(Corpus([other]), out, skip_changed=True, tell=said.append).documents == ()
    assert files(out) == before


def test_a_run_that_kept_nothing_cannot_be_updated(tmp_path: Path) -> None:
    run(Corpus(DOCUMENTS[:4]), tmp_path / "out", LIGHT, final=True)
    with pytest.raises(UsageError, match=r"has no state\.npz, so nothing can be added to it"):
        update(SECOND, tmp_path / "out")


class StopError(Exception):
    """Ends an update."""


@pytest.mark.parametrize("stage", ["reading", "linking", "writing"])
def test_an_interrupted_update_leaves_the_run_as_it_was(out: Path, stage: str) -> None:
    before = files(out)

    def watch(now: str, done: int, total: int, note: str) -> None:
        if now == stage:
            raise StopError

    with pytest.raises(StopError):
        update(SECOND, out, watch=watch)
    assert files(out) == before
    assert update(SECOND, out).documents


def test_a_run_that_lost_its_name_for_a_moment_is_found_again(out: Path) -> None:
    before = files(out)
    out.rename(out.with_name(".out.0123abcd.old"))
    recover(out)
    assert files(out) == before
