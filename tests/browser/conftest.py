"""Visits to reports in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from browser.visits import Open, Visit
from report.small import small_result
from samevent.report import write_report
from samevent.results import Result

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open a report, and make sure at the end that it was quiet."""
    visits = []

    def opened(
        result: Result | None = None,
        *,
        at: str = "#events",
        limit: int = 20_000_000,
        width: int = 1280,
        **context: Any,
    ) -> Visit:
        files = write_report(result or small_result(), tmp_path / "report.html", overwrite=True, limit=limit)
        page = browser.new_context(viewport={"width": width, "height": 800}, **context).new_page()
        page.set_default_timeout(30_000)
        found = Visit(page, [file.as_uri() for file in files])
        found.watch()
        visits.append(found)
        page.goto(found.files[0] + at)
        if context.get("java_script_enabled", True):
            page.wait_for_selector(".view.on")  # the script starts when its data is unpacked
        return found

    yield opened
    for found in visits:
        found.page.context.close()
        assert not found.wrongs
