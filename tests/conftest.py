"""Settings of the whole suite: machines may be busy, so nothing fails because it was slow.

The browser is shared by all tests of a process, because playwright starts only once there: `SAMEVENT_CHROMIUM` names
it, or it is found as chromium.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

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
