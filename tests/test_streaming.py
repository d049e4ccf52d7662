"""Documents that are too many to hold are read by partitions, with the bytes of a run that holds them all."""

from __future__ import annotations

import errno
import gc
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from builders import annotated
from parses import needs_model
from samevent import Corpus, Document, Model, Options, Result, inputs, read, scratch, stages, write
from samevent.clusterers import Evidence
from samevent.corpus.stored import RECENT, StoredDocuments
from samevent.demo import articles
from samevent.errors import CorpusError, FormatError, UsageError
from samevent.formats import tables
from samevent.formats.store import DocumentFile, Shelf
from samevent.inputs import read_inputs
from samevent.runs import open_run, run
from samevent.similarity.mentions import MentionTable

QUAKES = Corpus([document for document in articles() if "quake" in document.text])
LIGHT = Options(preset="light")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def texts(path: Path, count: int, words: int = 40) -> Path:
    """Write JSON Lines of raw text."""
    with path.open("w") as file:
        for number in range(count):
            text = f"Report {number} said that the river rose and the bridge fell. " * (words // 11 + 1)
            file.write(json.dumps({"id": f"d{number}", "text": text}) + "\n")
    return path


def alive() -> int:
    return sum(isinstance(thing, Document) for thing in gc.get_objects())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write(QUAKES, tmp_path / "news.jsonl")
    return tmp_path / "news.jsonl"


@needs_model
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("preset", ["light", pytest.param("standard", marks=pytest.mark.slow)])
def test_a_streamed_run_has_the_bytes_of_a_plain_one(
    source: Path, tmp_path: Path, jobs: int, preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages.reading, "PARTITION", 2)
    options = Options(preset=preset)
    plain = run(lambda: read_inputs([source]), tmp_path / "plain", options, formats=["conll2012"])
    streamed = run(
        lambda: read_inputs([source], scratch=tmp_path, held=0),
        tmp_path / "out",
        options,
        jobs=jobs,
        formats=["conll2012"],
    )
    assert files(tmp_path / "out") == files(tmp_path / "plain")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["news.jsonl", "out", "plain"]
    assert isinstance(streamed.corpus.documents, StoredDocuments)
    assert list(streamed.corpus) == list(plain.corpus)  # parts are gone, and documents are not
    assert list(streamed.events) == list(plain.events)


@needs_model
def test_the_table_and_the_links_of_a_streamed_run_lie_in_files(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "LEAST", 1)
    known: list[Evidence] = []
    resolve = Model.resolve_evidence

    def resolved(model: Model, corpus: Corpus, evidence: Evidence, *rest: Any, **options: Any) -> Result:
        known.append(evidence)
        return resolve(model, corpus, evidence, *rest, **options)

    monkeypatch.setattr(Model, "resolve_evidence", resolved)
    run(lambda: read_inputs([source], scratch=tmp_path, held=0), tmp_path / "out", LIGHT)
    table, [links] = known[0].table, known[0]._links.values()
    mapped = (table.document, table.contents.words, links.pairs.i, links.similarity)
    assert [scratch._is_mapped(array) for array in mapped] == [True] * len(mapped)


@needs_model
@pytest.mark.parametrize("stage", ["reading", "linking", "sampling", "explaining", "writing"])
def test_a_streamed_run_is_resumed(
    source: Path, tmp_path: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages.reading, "PARTITION", 2)

    def stop(now: str, done: int, total: int, note: str) -> None:
        if now == stage:
            raise KeyboardInterrupt

    def streamed() -> Corpus:
        return read_inputs([source], scratch=tmp_path, held=0)

    with pytest.raises(KeyboardInterrupt):
        run(streamed, tmp_path / "out", LIGHT, watch=stop)
    assert list((tmp_path / "out.part" / "parts").glob("read-*"))
    again: list[str] = []
    usual = stages.reading._prepared

    def counted(job: stages.Job, documents: Sequence[Document]) -> tuple[Corpus, MentionTable]:
        again.append(documents[0].id)
        return usual(job, documents)

    monkeypatch.setattr(stages.reading, "_prepared", counted)
    run(streamed, tmp_path / "out", LIGHT, resume=True)
    assert len(again) == (len(QUAKES) - 1) // 2 if stage == "reading" else not again
    run(lambda: read_inputs([source]), tmp_path / "plain", LIGHT)
    assert files(tmp_path / "out") == files(tmp_path / "plain")


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz", "news.tables"])
def test_no_more_documents_are_alive_than_are_held(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = texts(tmp_path / "plain.jsonl", 120)
    write(read_inputs([many]), tmp_path / name, format="tables" if name.endswith("tables") else None)
    one = len(next(iter(read_inputs([many]))).text)
    gc.collect()
    before, most = alive(), 0
    usual = Shelf.add

    def add(shelf: Shelf, document: Document) -> None:
        nonlocal most
        usual(shelf, document)
        if len(shelf.ids) % 10 == 9:
            most = max(most, alive() - before)

    monkeypatch.setattr(Shelf, "add", add)
    corpus = read_inputs([tmp_path / name], scratch=tmp_path, held=10 * one)
    assert 5 <= most <= 12
    assert [d.id for d in corpus] == [f"d{number}" for number in range(120)]
    survey = inputs.Survey.of(corpus)
    assert survey == inputs.Survey.of(read_inputs([many]))
    for place in range(120):
        corpus[f"d{place}"]
    assert alive() - before <= RECENT + 5
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["plain.jsonl", name])


def test_tables_are_read_side_by_side_or_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Corpus([annotated("a"), annotated("bare").with_mentions([]), annotated("b"), annotated("c")])
    write(held, tmp_path / "t", format="tables")
    expected = list(read(tmp_path / "t"))
    assert [len(document.mentions) for document in expected] == [len(document.mentions) for document in held]
    head, *rows = (tmp_path / "t" / "mentions.csv").read_bytes().splitlines(keepends=True)
    (tmp_path / "t" / "mentions.csv").write_bytes(b"".join([head, *reversed(rows)]))
    assert list(read(tmp_path / "t")) == expected
    # In the order of the documents, no more than two documents' rows are needed at once.
    (tmp_path / "t" / "mentions.csv").write_bytes(b"".join([head, *rows]))
    monkeypatch.delattr(tables, "_gathered")
    assert list(read(tmp_path / "t")) == expected


def test_stored_documents_are_those_that_were_read(source: Path, tmp_path: Path) -> None:
    held = Corpus([annotated("a"), annotated("b"), *QUAKES])
    write(held, tmp_path / "all.jsonl")
    stored = read_inputs([tmp_path / "all.jsonl"], scratch=tmp_path, held=0)
    assert list(stored) == list(held)
    assert [stored[document.id] for document in held] == list(held)
    assert stored.documents[1:3] == held.documents[1:3]
    changed = stored.mapped(lambda document: document.with_mentions([]))
    assert list(changed) == [document.with_mentions([]) for document in held]
    assert list(inputs.in_order(stored)) == list(inputs.in_order(held))


def test_errors_name_file_and_line_while_documents_are_streamed(tmp_path: Path) -> None:
    path = texts(tmp_path / "news.jsonl.gz", 0)
    lines = [json.dumps({"id": f"d{n}", "text": "It fell."}) for n in range(50)] + ['{"id": "x"}']
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    with pytest.raises(FormatError, match=r"news\.jsonl\.gz:51: document 'x' has neither text nor tokens"):
        read_inputs([path], scratch=tmp_path, held=10)


def test_ids_are_compared_across_all_that_was_streamed(tmp_path: Path) -> None:
    path = texts(tmp_path / "news.jsonl", 100)
    with path.open("a") as file:
        file.write(json.dumps({"id": "d3", "text": "It fell."}) + "\n")
    with pytest.raises(CorpusError, match=r"news\.jsonl: two documents have the id 'd3'"):
        read_inputs([path], scratch=tmp_path, held=0)

    first = annotated("a")
    clash = {"id": first.mentions[0].id, "start": 0, "end": 1}
    write(Corpus([first]), tmp_path / "one.jsonl")
    (tmp_path / "two.jsonl").write_text(
        json.dumps({"id": "b", "tokens": ["It", "fell"], "mentions": [clash]})
    )
    for held in (0, 10_000):
        with pytest.raises(CorpusError, match="documents 'a' and 'b' both have a mention"):
            read_inputs([tmp_path / "one.jsonl", tmp_path / "two.jsonl"], scratch=tmp_path, held=held)


def test_inputs_whose_ids_clash_are_named_however_they_are_held(source: Path, tmp_path: Path) -> None:
    for name in ("monday", "tuesday"):
        (tmp_path / name).mkdir()
        write(QUAKES, tmp_path / name / "news.jsonl")
    paths = [tmp_path / name / "news.jsonl" for name in ("monday", "tuesday")]
    assert list(read_inputs(paths, scratch=tmp_path, held=0)) == list(read_inputs(paths))


def test_a_full_disk_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf(tmp_path, held=0)
    shelf.add(annotated("a"))

    def full(data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert shelf._file
    monkeypatch.setattr(shelf._file._file, "write", full)
    with pytest.raises(UsageError, match=r"too many to hold: cannot be written \(No space left on device\)"):
        shelf.add(annotated("b"))


def test_a_document_file_finds_each_line(tmp_path: Path) -> None:
    write(QUAKES, tmp_path / "a.jsonl")
    opened = DocumentFile.open(tmp_path / "a.jsonl")
    assert len(opened) == len(QUAKES)
    assert [opened.load(place) for place in reversed(range(len(opened)))] == list(reversed(QUAKES.documents))


@needs_model
def test_a_streamed_run_can_be_opened_and_updated(source: Path, tmp_path: Path) -> None:
    from samevent.updates import update

    new = Document.from_text("new", "The quake in Tarnvale killed ten people on Monday, officials said.")
    for name, held in (("plain", 10_000_000), ("out", 0)):
        run(read_inputs([source], scratch=tmp_path, held=held), tmp_path / name, LIGHT)
        update(Corpus([new]), tmp_path / name)
    assert files(tmp_path / "out") == files(tmp_path / "plain")
    assert len(open_run(tmp_path / "out").corpus) == len(QUAKES) + 1
