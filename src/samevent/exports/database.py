"""SQLite: the tables of a result with foreign keys, indexes and full-text search, in one file.

Datasette, DB Browser and every SQL library open it. Words are searched in the tables `*_fts` (FTS5):

    select documents.* from documents_fts join documents on documents.rowid = documents_fts.rowid
    where documents_fts match 'earthquake'
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from samevent.errors import UsageError, place
from samevent.exports.tables import TABLES, Table
from samevent.formats.files import replacing
from samevent.results import Result

SCHEMA = 1
"""The version of the tables, which is the `user_version` of a database."""


def write(result: Result, path: Path, *, overwrite: bool = False) -> None:
    """Write a result as a database, whole or not at all."""
    with replacing(path, overwrite=overwrite) as temporary:
        try:
            with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
                _fill(connection, result)
        except sqlite3.Error as error:
            raise UsageError(f"cannot be written as a database ({error})", where=place(path)) from error


def _fill(connection: sqlite3.Connection, result: Result) -> None:
    # The file gets its name only when it is complete, so that nothing has to be rolled back.
    for pragma in ("page_size = 4096", "journal_mode = off", "synchronous = off", f"user_version = {SCHEMA}"):
        connection.execute(f"pragma {pragma}")
    connection.execute("begin")
    for table in TABLES:
        connection.execute(_definition(table))
        marks = ", ".join("?" * len(table.columns))
        connection.executemany(f"insert into {table.name} values ({marks})", table.rows(result))  # noqa: S608
    for table in TABLES:
        for column in table.columns:
            if column.references:
                name = f"{table.name}_{column.name}"
                connection.execute(f"create index {name} on {table.name} ({column.name})")
        if table.searched:
            _index_words(connection, table)
    connection.execute("commit")


def _definition(table: Table) -> str:
    """Return the statement that creates a table; all names in it are our own."""
    columns = []
    for column in table.columns:
        key = " primary key not null" if column.name == "id" else ""
        target = f" references {column.references} (id)" if column.references else ""
        columns.append(f"  {column.name} {column.kind}{key}{target}")
    return f"create table {table.name} (\n" + ",\n".join(columns) + "\n)"


def _index_words(connection: sqlite3.Connection, table: Table) -> None:
    name = f"{table.name}_fts"
    columns = ", ".join(table.searched)
    content = f'content="{table.name}"'  # in these quotes, Datasette recognises which table is searched
    connection.execute(
        f"create virtual table {name} using fts5 ({columns}, {content}, tokenize='porter unicode61')"
    )
    connection.execute(f"insert into {name} ({name}) values ('rebuild')")  # noqa: S608
