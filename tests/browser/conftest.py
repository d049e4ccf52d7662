"""A real browser, if there is one: `SAMEVENT_CHROMIUM` names it, or it is found as chromium."""

from __future__ import annotations

import os
import shutil
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

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the playwright package")
    path = os.environ.get("SAMEVENT_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
    if not Path(path).exists():
        pytest.skip(f"needs a browser at {path} (set SAMEVENT_CHROMIUM)")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=list(QUIET))
        yield running
        running.close()


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
