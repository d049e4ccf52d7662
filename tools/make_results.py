"""Write `docs/results.md`, its plots, the tables of `docs/errors.md` and what `samevent experiment paper` shows.

Everything comes from `docs/results/*.json`.

`--check` writes nothing, and exits with 1 if the page is out of date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tools.results_page.errors import errors_page
from tools.results_page.page import results_page

from samevent.experiments.paper_view import FILE, gather

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "results"
PAGE = ROOT / "docs" / "results.md"
ERRORS = ROOT / "docs" / "errors.md"
PRESETS = ("", "-paper-code", "-light", "-standard", "-best")
FIGURES = ROOT / "src" / "samevent" / "experiments" / "figures" / FILE
PARTS = "paper-parts"
SHOWN = ("components", "statistics", "weights", "extraction", "discussion")
ORDER = [protocol + preset for protocol in ("yang2015", "cybulska", "realistic") for preset in PRESETS]
"""The first tables, in this order; those of the preset paper have no ending."""


def main() -> None:
    """Update the page, or check that it is up to date."""
    names = sorted((path.stem for path in FOLDER.glob("*.json")), key=_rank)
    results = {name: json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in names}
    page, plots = results_page(results)
    wanted = {PAGE: page, ERRORS: errors_page(ERRORS.read_text("utf-8"), results)}
    wanted |= {FOLDER / name: plot for name, plot in plots.items()}
    if PARTS in results:
        wanted[FIGURES] = json.dumps(_paper_view(results), indent=1) + "\n"
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    extra = [path for path in FOLDER.glob("*.svg") if path not in wanted]
    if "--check" not in sys.argv:
        for path in stale:
            path.write_text(wanted[path], "utf-8")
        for path in extra:
            path.unlink()
    for path in [*stale, *extra]:
        print(f"{path.relative_to(ROOT)}: {'out of date' if '--check' in sys.argv else 'updated'}")
    sys.exit(1 if (stale or extra) and "--check" in sys.argv else 0)


def _paper_view(results: dict[str, Any]) -> dict[str, Any]:
    """Return what `samevent experiment paper` shows."""
    parts = {name: results[PARTS].get(name) for name in SHOWN}
    tables = [
        result for result in results.values() if result.get("protocol") == "yang2015" and "rows" in result
    ]
    return gather(coreference=[table for table in tables if "mention_sets" in table], **parts)


def _rank(name: str) -> tuple[int, str]:
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


if __name__ == "__main__":
    main()
