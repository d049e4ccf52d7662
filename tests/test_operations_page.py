"""The figures of docs/operations.md are those of the stored measurement."""

from __future__ import annotations

from tools.operations_page import PAGE, stored, written


def test_the_page_shows_the_stored_measurement() -> None:
    page = PAGE.read_text("utf-8")
    assert written(page, *stored()) == page
    update, reading, memory = stored()
    assert written(page, update, [{**row, "words": 1} for row in reading], memory) != page
    assert written(page, update, reading, [{**row, "peak_mb": 1} for row in memory]) != page
