"""Parquet as a container of the native format (extra `tables`): one row per document, one row group at a time.

Columns are the fields of a document in JSON Lines, lists and structures among them; empty cells are absent fields. A
folder of `.parquet` files, as programs that write in parts leave it, is one corpus in the order of their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any

from samevent.errors import FormatError, located, place
from samevent.formats.extras import missing
from samevent.formats.fields import Json
from samevent.formats.files import check_regular

_SUFFIX = ".parquet"
_ROWS = 64
"""Rows of a group that are Python values at a time."""


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files at a path: itself, or those of a folder that has nothing else."""
    if path.is_dir():
        parts = sorted(part for part in path.iterdir() if not part.name.startswith((".", "_")))
        return parts if all(part.suffix.lower() == _SUFFIX and part.is_file() for part in parts) else []
    return [path] if path.suffix.lower() == _SUFFIX and path.is_file() else []


def column_names(path: Path) -> dict[str, None]:
    """Return the names of the columns of a file, in order."""
    with _opened(path) as file:
        return dict.fromkeys(file.schema_arrow.names)


def rows(path: Path) -> Iterator[tuple[int, Json]]:
    """Yield the rows of a file with their numbers, from 1 on."""
    number = 0
    with _opened(path) as file:
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(_ROWS, row_groups=[group]):
                for row in batch.to_pylist():
                    number += 1
                    yield number, _plain(row)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file; errors name it."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        with located(path):
            raise missing("Parquet", "pyarrow", "tables") from error
    check_regular(path)
    try:
        with ParquetFile(path) as file:
            yield file
    except (ArrowException, OSError) as error:
        raise FormatError(
            f"cannot be read as Parquet ({error})", where=place(path), hint="download or export it again"
        ) from error


def _plain(value: Any) -> Any:
    """Return a cell as JSON has it: fields without a value are absent, and dates are text."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else value
