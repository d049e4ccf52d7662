"""Take the screenshot of the demo report that the README shows, in Debian's chromium."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from samevent import Model
from samevent.demo import articles
from samevent.inputs import in_order

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "report.png"
SIZE = {"width": 1280, "height": 800}


def main() -> None:
    """Resolve the articles, open the report, and take a screenshot."""
    browser = os.environ.get("SAMEVENT_CHROMIUM") or shutil.which("chromium")
    if browser is None:
        sys.exit("photograph: chromium not found; install it with `make browser`")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        (page_file,) = Model.load().resolve(in_order(articles())).to_html(Path(folder) / "report.html")
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.goto(page_file.as_uri())
        PICTURE.parent.mkdir(exist_ok=True)
        page.screenshot(path=PICTURE)
        chromium.close()
    print(f"wrote {PICTURE.name}")


if __name__ == "__main__":
    main()
