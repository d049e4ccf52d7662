"""Run the commands shown in the documentation and write their real output below them.

A fenced `console` block whose first line is `$ samevent ...` is generated; everything else is left alone. Blocks
that name `$SAMEVENT_DATA` are left unchanged where there is no data folder, and with `--without-data`. `--check`
changes nothing and exits with 1 if a block is out of date.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SAMEVENT_DATA") or ROOT.parent / "shared" / "data")
BLOCK = re.compile(r"```console\n\$ samevent(?P<words>[^\n]*)\n.*?```\n", re.DOTALL)


def documents() -> list[Path]:
    """Return the pages that may hold generated blocks."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def regenerated(page: str) -> str:
    """Return a page with the current output of its commands."""
    return BLOCK.sub(_block, page)


def _block(match: re.Match[str]) -> str:
    words = match["words"]
    if "$SAMEVENT_DATA" in words and ("--without-data" in sys.argv or not DATA.is_dir()):
        return match[0]
    return f"```console\n$ samevent{words}\n{_output(words)}\n```\n"


@cache
def _output(words: str) -> str:
    arguments = shlex.split(words.replace("$SAMEVENT_DATA", str(DATA)))
    done = subprocess.run(
        [sys.executable, "-m", "samevent", *arguments],
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "100", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


def main() -> None:
    """Update every page, or check that it is up to date."""
    stale = []
    for path in documents():
        page = path.read_text(encoding="utf-8")
        if (new := regenerated(page)) != page:
            stale.append(str(path.relative_to(ROOT)))
            if "--check" not in sys.argv:
                path.write_text(new, encoding="utf-8")
    for name in stale:
        print(f"{name}: {'is out of date, run make docs' if '--check' in sys.argv else 'updated'}")
    sys.exit(1 if stale and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
