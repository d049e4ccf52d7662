"""The figures of docs/operations.md are those of the stored measurement."""

from __future__ import annotations

import json

from tools.operations_page import MEASURED, PAGE, written


def test_the_page_shows_the_stored_measurement() -> None:
    page = PAGE.read_text("utf-8")
    assert written(page, json.loads(MEASURED.read_text("utf-8"))) == page
