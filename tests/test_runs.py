"""A run's folder: whole or absent, read as it was written, resumed only by the same run."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from builders import annotated
from samevent import Corpus, read
from samevent.clusterers import Clustered, clusterer
from samevent.errors import FormatError, OutputExistsError, UsageError
from samevent.formats import WRITABLE
from samevent.inputs import fingerprint
from samevent.model import Model
from samevent.partitions.posterior import Posterior
from samevent.results import Diagnostics, Reason, Result, Why
from samevent.runs import begin, check_output_free, cluster, open_run, run

ABOUT = {"options": {"seed": 7}, "documents": {"a": "123"}}


def result() -> Result:
    """Return two documents of which a mention knows why it is where it is."""
    corpus = Corpus([annotated("a"), annotated("b")])
    raid = [m for m in corpus.mentions("action") if m.event == "raid"]
    why = Why(raid[1].id, 0.75, 0.9, (Reason("same head lemma", 0.5),))

    ids = tuple(m.id for m in corpus.mentions("action"))
    posterior = Posterior(samples=np.zeros((2, len(ids)), np.int32))
    return Result(
        corpus,
        {"preset": "light"},
        Diagnostics("all settled", {"events": [[1.0, 2.0]]}),
        member_probability={raid[0].id: 0.95},
        whys={raid[0].id: why},
        clustered=Clustered(ids, np.zeros(len(ids), np.int32), posterior),
    )


def finished(folder: Path, **options: Any) -> Path:
    begin(folder, ABOUT, **options).finish(result(), ABOUT)
    return folder


def test_a_finished_run_reads_as_it_was_written(tmp_path: Path) -> None:
    found, given = open_run(finished(tmp_path / "out")), result()
    assert found.corpus == given.corpus
    assert (found.whys, found.member_probability) == (given.whys, given.member_probability)
    assert found.about == given.about
    assert found.diagnostics == given.diagnostics
    assert [event.members for event in found.events] == [event.members for event in given.events]
    ids = [m.id for m in given.corpus.mentions("action")]
    assert found.probability(ids[0], ids[1]) == given.probability(ids[0], ids[1])


def test_a_finished_run_has_all_files_and_nothing_else(tmp_path: Path) -> None:
    begin(tmp_path / "out", ABOUT).finish(result(), ABOUT, formats=["conll2012", "brat"])
    names = {path.name for path in (tmp_path / "out").iterdir()}
    plain = {
        "events.csv",
        "mentions.csv",
        "result.jsonl",
        "report.html",
        "run.json",
        "probabilities.npz",
        "stories.csv",
    }
    assert names - plain == {"result.conll", "result.brat"}
    assert plain <= names
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    for name, count in (("events.csv", 3), ("mentions.csv", 6)):
        with (tmp_path / "out" / name).open(encoding="utf-8-sig", newline="") as stream:
            assert len(list(csv.DictReader(stream))) == count
    assert read(tmp_path / "out" / "result.conll").clustering() is not None
    about = json.loads((tmp_path / "out" / "run.json").read_text())
    assert about["options"] == {"seed": 7}
    assert about["diagnostics"]["verdict"] == "all settled"


def test_a_format_that_cannot_be_written_is_found_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Model, "load")
    odd = Corpus([annotated("two\nlines")])
    with pytest.raises(FormatError, match="line end") as caught:
        run(odd, tmp_path / "out", formats=["corefi", "conll2012"])
    assert caught.value.where == "result.conll"
    with pytest.raises(FormatError, match="line end"):
        cluster(odd, tmp_path / "out.conll", clusterer("lemma"))
    with pytest.raises(UsageError, match="2 documents do not go into one text file"):
        run(result().corpus, tmp_path / "out", formats=["text"])
    with pytest.raises(AttributeError):  # all can be written
        run(result().corpus, tmp_path / "out", formats=[name for name in WRITABLE if name != "text"])
    assert not list(tmp_path.iterdir())


def test_the_same_result_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = finished(tmp_path / "one"), finished(tmp_path / "other")
    for path in one.iterdir():
        assert path.read_bytes() == (other / path.name).read_bytes(), path.name


def test_begin_refuses_what_is_in_the_way(tmp_path: Path) -> None:
    finished(tmp_path / "out")
    with pytest.raises(OutputExistsError, match="already exists"):
        begin(tmp_path / "out", ABOUT)
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputExistsError, match="is a file"):
        check_output_free(tmp_path / "file", overwrite=True)
    with pytest.raises(UsageError, match="does not exist"):
        begin(tmp_path / "no" / "out", ABOUT)


def test_finish_puts_a_run_in_the_place_of_an_old_one(tmp_path: Path) -> None:
    (finished(tmp_path / "out") / "old.txt").write_text("old")
    finished(tmp_path / "out", overwrite=True)
    assert not (tmp_path / "out" / "old.txt").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    (tmp_path / "empty").mkdir()
    assert (finished(tmp_path / "empty") / "report.html").exists()


def test_an_interrupted_run_goes_on_only_if_asked_and_if_it_is_the_same(tmp_path: Path) -> None:
    begin(tmp_path / "out", ABOUT).checkpoint.write_bytes(b"half")
    with pytest.raises(OutputExistsError, match="--resume"):
        begin(tmp_path / "out", ABOUT)
    with pytest.raises(UsageError, match="other options"):
        begin(tmp_path / "out", {**ABOUT, "options": {"seed": 8}}, resume=True)
    again = begin(tmp_path / "out", {**ABOUT, "options": {"seed": 7, "time_limit": 60}}, resume=True)
    assert again.checkpoint.read_bytes() == b"half"
    with pytest.raises(OutputExistsError, match="another run is writing here"):
        begin(tmp_path / "out", ABOUT, overwrite=True)
    again.lock.release()
    assert not begin(tmp_path / "out", ABOUT, overwrite=True).checkpoint.exists()


def test_nothing_but_an_earlier_run_is_ever_replaced(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputExistsError, match="not an earlier run"):
        begin(tmp_path / "home", ABOUT, overwrite=True)
    (tmp_path / "out.old").mkdir()
    (tmp_path / "out.old" / "kept.txt").write_text("kept")
    finished(tmp_path / "out")
    finished(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out.old" / "kept.txt").exists()
    assert (tmp_path / "home" / "thesis.txt").exists()


def test_finish_can_be_repeated_after_an_interruption(tmp_path: Path) -> None:
    from samevent.runs import write_files

    under_way = begin(tmp_path / "out", ABOUT)
    write_files(under_way.part, result(), ABOUT)
    under_way.lock.release()
    begin(tmp_path / "out", ABOUT, resume=True).finish(result(), ABOUT)
    assert (tmp_path / "out" / "report.html").exists()


def test_drop_leaves_nothing_but_work_that_can_go_on(tmp_path: Path) -> None:
    begin(tmp_path / "out", ABOUT).drop()
    assert not any(tmp_path.iterdir())
    half = begin(tmp_path / "out", ABOUT)
    half.checkpoint.write_bytes(b"half")
    half.drop()
    assert half.checkpoint.exists()


def test_open_run_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no run\.json"):
        open_run(tmp_path)
    folder = finished(tmp_path / "out")
    for text, what in (
        ("{", "cannot be read"),
        ('{"schema": 0}', "another version"),
        ('{"schema": 1}', "lacks"),
    ):
        (folder / "run.json").write_text(text)
        with pytest.raises(FormatError, match=what):
            open_run(folder)


def test_fingerprints_change_with_text_and_mentions() -> None:
    given = annotated("a")
    bare = given.with_mentions([])
    assert fingerprint(given) != fingerprint(bare)
    assert fingerprint(given) == fingerprint(annotated("a"))
