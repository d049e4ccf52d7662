from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("mkdocs", "material", "mkdocstrings")),
    reason="needs mkdocs-material and mkdocstrings-python (the extra dev)",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


def test_site_has_every_page(site: Path) -> None:
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")}
    assert pages <= {page.stem for page in site.glob("*.html")}
    navigation = (site / "index.html").read_text("utf-8")
    assert [page for page in sorted(pages - {"index"}) if f'href="{page}.html"' not in navigation] == []


def test_site_loads_nothing_from_outside(site: Path) -> None:
    loading = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"?(?:https?:)?//[^>]*>")
    found = [tag for page in site.rglob("*.html") for tag in loading.findall(page.read_text("utf-8"))]
    assert found == []
    assert 'rel="preconnect"' not in (site / "index.html").read_text("utf-8")


def test_site_links_lead_to_headings(site: Path) -> None:
    pages = {page.name: page.read_text("utf-8") for page in site.glob("*.html")}
    for name, page in pages.items():
        for target, anchor in re.findall(r'href="([\w.-]*\.html|)#([^"]+)"', page):
            assert re.search(rf'id="?{re.escape(anchor)}[" >]', pages[target or name]), (
                f"{name}: {target}#{anchor}"
            )


def test_site_documents_the_public_surface(site: Path) -> None:
    import samevent

    page = (site / "api.html").read_text("utf-8")
    anchors = {anchor.rpartition(".")[2] for anchor in re.findall(r'id="(samevent\.[\w.]+)"', page)}
    assert sorted(set(samevent.__all__) - anchors) == []


def test_search_works_from_disk(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.wait_for_load_state()
    words = page.get_by_role("textbox", name="Search")
    words.click()
    words.press_sequentially("earthquake")
    page.locator(".md-search-result__link").first.wait_for(state="attached")
    hrefs = page.locator(".md-search-result__link").evaluate_all("links => links.map(link => link.href)")
    assert any("analysts.html" in href for href in hrefs)
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []
    page.close()
