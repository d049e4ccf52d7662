"""Exports hold what the result says, escape everything, and have the same bytes for the same result."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

import samevent
from builders import annotated
from samevent.cli.main import cli
from samevent.corpus import Corpus, Entity, Mention, Quantity, Reference, When, Where
from samevent.errors import OutputExistsError, UsageError
from samevent.exports import EXPORTS, result_name
from samevent.exports.tables import TABLES
from samevent.names import EXPORTS as NAMES
from samevent.results import Result

STATED = Reference(
    When("2011-11-10", "2011-11-11"),
    Where("Yida", 7701354, ("Unity", "South Sudan")),
    (Quantity(12, 12, "person"), Quantity(30, None, "person")),
)
HOSTILE = "<script>alert('1')</script> & \"=1+1\" \x0b"


def _result() -> Result:
    def known(m: Mention) -> Mention:
        if m.kind == "participant":
            return replace(m, refers=Reference(entity=Entity.named(f"Sudan {HOSTILE}")))
        return replace(m, refers=STATED, extra={"event_probability": 0.75})

    def document(id: str, **fields: Any) -> samevent.Document:
        d = annotated(id, **fields)
        return d.with_mentions(map(known, d.mentions))

    return Result.from_corpus(
        Corpus([document("d1", date="2011-11-10", title=HOSTILE), document("d'2", title="Raid")])
    )


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    samevent.write(_result(), tmp_path / "result.db")
    with closing(sqlite3.connect(tmp_path / "result.db")) as connection:
        yield connection


def test_database_holds_the_tables_of_the_result(database: sqlite3.Connection) -> None:
    result = _result()
    for table in TABLES:
        rows = database.execute(f"select * from {table.name}").fetchall()
        assert rows == list(table.rows(result))
        assert rows
    events = database.execute("select id, label, mentions from events").fetchall()
    assert events == [(event.id, event.label, len(event)) for event in result.events]
    counted = "select count(*) from mentions where event is not null and probability = 0.75"
    assert database.execute(counted).fetchone() == (sum(map(len, result.events)),)


def test_database_keys_lead_to_rows(database: sqlite3.Connection) -> None:
    assert database.execute("pragma foreign_key_check").fetchall() == []
    keys = {
        (table.name, row[3], row[2])
        for table in TABLES
        for row in database.execute(f"pragma foreign_key_list({table.name})")
    }
    assert {("mentions", "event", "events"), ("mentions", "document", "documents")} <= keys
    assert ("arguments", "argument", "mentions") in keys
    assert database.execute("pragma integrity_check").fetchone() == ("ok",)


def test_database_says_when_where_and_how_many(database: sqlite3.Connection) -> None:
    event = _result().events[0]
    [stated] = database.execute("select time, place from events where id = ?", [event.id]).fetchall()
    assert stated == ("2011-11-10/2011-11-11", str(STATED.where))
    asked = "select low, high, unit from quantities where mention = ? order by low"
    first = event.members[0].mention.id
    assert database.execute(asked, [first]).fetchall() == [(12, 12, "person"), (30, None, "person")]
    asked = "select time, place from mentions where id = ?"
    assert database.execute(asked, [first]).fetchall() == [stated]


def test_database_finds_words(database: sqlite3.Connection) -> None:
    found = database.execute(
        "select documents.id from documents_fts join documents on documents.rowid = documents_fts.rowid "
        "where documents_fts match 'title: raids'"
    ).fetchall()
    assert found == [("d'2",)]


def test_database_says_which_tables_are_searched_as_datasette_expects(database: sqlite3.Connection) -> None:
    # Datasette offers a search where a virtual table names its content in double quotes or brackets.
    for table in TABLES:
        pattern = f'%virtual table%using fts%content="{table.name}"%'
        names = database.execute("select name from sqlite_master where sql like ?", (pattern,)).fetchall()
        assert names == ([(f"{table.name}_fts",)] if table.searched else [])


def test_graph_joins_events_with_documents_and_entities() -> None:
    result = _result()
    graph = cast(Any, result.to_networkx())
    for event in result.events:
        near = {graph.nodes[other]["kind"]: other for other in graph[f"event:{event.id}"]}
        assert {id for id in graph[f"event:{event.id}"] if id.startswith("document:")} == {
            f"document:{id}" for id in event.documents
        }
        assert set(near) <= {"document", "entity"}
    mentions = [data["mentions"] for a, b, data in graph.edges(data=True) if "document:" in a + b]
    assert sum(mentions) == sum(map(len, result.events))
    entity = f"entity:{Entity.named(f'Sudan {HOSTILE}').id}"
    assert graph.nodes[entity] == {"kind": "entity", "label": f"Sudan {HOSTILE}"}
    event = graph.nodes[f"event:{result.events[0].id}"]
    assert (event["when"], event["where"]) == ("2011-11-10/2011-11-11", str(STATED.where))
    assert all(data["roles"] for data in graph[entity].values())


@pytest.mark.parametrize("name", ["result.graphml", "result.graphml.gz", "result.graph.json"])
def test_graph_files_are_read_by_networkx(tmp_path: Path, name: str) -> None:
    networkx = pytest.importorskip("networkx")
    result = _result()
    samevent.write(result, tmp_path / name)
    if name.endswith("json"):
        data = json.loads((tmp_path / name).read_text("utf-8"))
        read = networkx.node_link_graph(data, edges="edges")
        expected = result.to_networkx()
    else:
        read = networkx.read_graphml(tmp_path / name)
        plain = {node: node.replace("\x0b", "\ufffd") for node in cast(Any, result.to_networkx())}
        expected = networkx.relabel_nodes(result.to_networkx(), plain)
        for values in dict(expected.nodes(data=True)).values():
            values["label"] = values["label"].replace("\x0b", "\ufffd")
    assert dict(read.nodes(data=True)) == dict(expected.nodes(data=True))
    assert networkx.utils.edges_equal(read.edges(data=True), expected.edges(data=True))


def test_parquet_holds_the_tables_of_the_result(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    result = _result()
    samevent.write(result, tmp_path / "result.parquet")
    for table in TABLES:
        rows = parquet.read_table(tmp_path / "result.parquet" / f"{table.name}.parquet").to_pylist()
        assert rows == [dict(zip(table.names, row, strict=True)) for row in table.rows(result)]


def test_parquet_without_its_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'samevent\[tables\]'"):
        samevent.write(_result(), tmp_path / "result.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_have_the_same_bytes_and_replace_nothing(tmp_path: Path, name: str) -> None:
    def written(folder: str) -> list[bytes]:
        target = tmp_path / folder / result_name(name)
        target.parent.mkdir(exist_ok=True)
        samevent.write(_result(), target, overwrite=target.exists())
        return [file.read_bytes() for file in sorted(target.parent.rglob("*")) if file.is_file()]

    assert written("one") == written("two") == written("one")
    with pytest.raises(OutputExistsError):
        samevent.write(_result(), tmp_path / "one" / result_name(name))
    assert len(list((tmp_path / "one").iterdir())) == 1


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    broken = replace(_result().corpus["d1"], title="\ud800")
    with pytest.raises(samevent.SameventError, match="surrogate"):
        samevent.write(Corpus([broken]), tmp_path / "result.db")
    assert not list(tmp_path.iterdir())


def test_convert_writes_exports(tmp_path: Path) -> None:
    samevent.write(_result(), tmp_path / "result.jsonl")
    samevent.write(_result(), tmp_path / "expected.db")
    done = CliRunner().invoke(cli, ["convert", f"{tmp_path}/result.jsonl", f"{tmp_path}/result.db"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "result.db").read_bytes() == (tmp_path / "expected.db").read_bytes()
    shown = CliRunner().invoke(cli, ["convert", "--help"]).output
    assert all(name in shown for name in NAMES)
    refused = CliRunner().invoke(cli, ["convert", f"{tmp_path}/result.jsonl", "-", "--to", "sqlite"])
    assert isinstance(refused.exception, UsageError)
    assert "standard output" in str(refused.exception)


def test_write_refuses_what_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a list cannot be written"):
        samevent.write(cast(Any, ["text"]), tmp_path / "a.db")
