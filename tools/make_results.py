"""Write `docs/results.md` and its plots from the results in `docs/results/*.json`.

`--check` changes nothing and exits with 1 if the page is out of date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from samevent.experiments.page import results_page

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "results"
PAGE = ROOT / "docs" / "results.md"
ORDER = ("yang2015", "yang2015-light", "cybulska", "cybulska-light", "realistic", "realistic-light")
"""Tables that come first, in this order."""


def main() -> None:
    """Bring the page up to date, or check that it is."""
    names = sorted((path.stem for path in FOLDER.glob("*.json")), key=_place)
    results = {name: json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in names}
    page, plots = results_page(results)
    wanted = {PAGE: page} | {FOLDER / name: plot for name, plot in plots.items()}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    extra = [path for path in FOLDER.glob("*.svg") if path not in wanted]
    if "--check" not in sys.argv:
        for path in stale:
            path.write_text(wanted[path], "utf-8")
        for path in extra:
            path.unlink()
    for path in [*stale, *extra]:
        print(f"{path.relative_to(ROOT)}: {'out of date' if '--check' in sys.argv else 'brought up to date'}")
    sys.exit(1 if (stale or extra) and "--check" in sys.argv else 0)


def _place(name: str) -> tuple[int, str]:
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


if __name__ == "__main__":
    main()
