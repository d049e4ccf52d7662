"""New rows in old files: lines and records that did not change are copied as they are."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samevent.errors import FormatError, located
from samevent.formats.sheets import written
from samevent.results.parts import PartAnswer
from samevent.results.probabilities import SavedProbabilities, numbered_by_first_member
from samevent.results.rows import Row
from samevent.similarity.bags import Booleans

_ID = b'{"id": '
_decoder = json.JSONDecoder()


def line_ids(lines: Iterable[bytes]) -> Iterator[str]:
    """Yield the document ids of the lines of a result.

    >>> list(line_ids([b'{"id": "a", "text": "x"}', b'{"id": "b \\\\" c"}']))
    ['a', 'b " c']
    """
    for number, line in enumerate(lines, 1):
        if not line.startswith(_ID):
            raise FormatError(f"line {number} is not one that samevent run wrote")
        # An id is short; decoding the whole line would take longer than all the rest.
        head = line[len(_ID) : len(_ID) + 1000].decode("utf-8", "ignore")
        try:
            id, _ = _decoder.raw_decode(head)
        except ValueError:
            id = json.loads(line)["id"]
        yield id


def spliced_table(
    path: Path, columns: Sequence[str], changed: Mapping[str, Sequence[Row]], gone: Iterable[str]
) -> Iterator[str]:
    """Yield a table whose first column is an event: rows of `changed` events instead of theirs, new ones at the end.

    Rows of events that are `gone` are left out.
    """
    drop, emitted = set(gone), set()
    with located(path), path.open(encoding="utf-8", newline="") as stream:
        records = _records(stream)
        yield next(records)[1]
        for event, group in groupby(records, key=lambda record: record[0]):
            if event in changed and event not in emitted:
                emitted.add(event)
                yield from _rows(columns, changed[event])
            elif event not in changed and event not in drop:
                yield from (text for _, text in group)
    for event, rows in changed.items():
        if event not in emitted:
            yield from _rows(columns, rows)


def _records(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the first cell of each record, and its text as it is."""
    seen: list[str] = []

    def kept() -> Iterator[str]:
        for line in lines:
            seen.append(line)
            yield line

    for record in csv.reader(kept(), strict=True):
        yield record[0] if record else "", "".join(seen)
        seen.clear()


def _rows(columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Yield rows as a table has them, without its head."""
    return islice(written(columns, (tuple(row.values()) for row in rows)), 2, None)


def spliced_probabilities(
    old: SavedProbabilities, ids: Sequence[str], touched: Booleans, answers: Iterable[PartAnswer]
) -> SavedProbabilities:
    """Return probabilities with the answers of touched mentions; `ids` are those of all, old ones first."""
    total, known = len(ids), len(old.ids)
    samples = np.empty((len(old.samples), total), np.min_scalar_type(total))
    samples[:, :known] = old.samples
    alone = np.flatnonzero(touched)
    samples[:, alone] = alone
    kept = ~touched[old.left]
    pairs: list[NDArray[np.int32]] = [np.stack([old.left[kept], old.right[kept]]).astype(np.int32)]
    together = [old.together[kept]]
    for answer in answers:
        samples[:, answer.rows] = answer.rows[numbered_by_first_member(answer.samples)]
        pairs.append(np.stack([answer.rows[answer.left], answer.rows[answer.right]]))
        together.append(answer.together)
    left, right = np.concatenate(pairs, axis=1)
    order = np.lexsort((right, left))
    return SavedProbabilities(
        tuple(ids), samples, left[order], right[order], np.concatenate(together)[order], old.counted
    )
