"""Parquet (extra `tables`): the tables of a result as files in a folder, for pandas, Polars, DuckDB or Spark."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from samevent.exports.tables import TABLES
from samevent.formats.extras import missing
from samevent.formats.files import replacing
from samevent.results import Result

_ROWS = 10_000
"""Rows of a group."""


def check_installed() -> Any:
    """Return pyarrow; raise if it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise missing("Parquet", "pyarrow", "tables") from error
    return pyarrow


def write(result: Result, path: Path, *, overwrite: bool = False) -> None:
    """Write a folder with a Parquet file for each table, all of them or none."""
    arrow = check_installed()
    kinds = {"TEXT": arrow.string(), "INTEGER": arrow.int64(), "REAL": arrow.float64()}
    with replacing(path, overwrite=overwrite) as folder:
        folder.mkdir()
        for table in TABLES:
            schema = arrow.schema([(column.name, kinds[column.kind]) for column in table.columns])
            rows = table.rows(result)
            with arrow.parquet.ParquetWriter(folder / f"{table.name}.parquet", schema) as file:
                while group := list(islice(rows, _ROWS)):
                    columns = [
                        arrow.array(cells, field.type)
                        for cells, field in zip(zip(*group, strict=True), schema, strict=True)
                    ]
                    file.write_table(arrow.Table.from_arrays(columns, schema=schema))
