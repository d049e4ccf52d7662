"""Regenerate the parts of the documentation that come from the code.

These are fenced `console` blocks that start with `$ samevent ...`, which show the real output of the command, and the
table of settings. Blocks with `$SAMEVENT_DATA` are left unchanged where there is no data folder, and with
`--without-data`. `--check` changes nothing, and exits with 1 if something is out of date.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SAMEVENT_DATA") or ROOT.parent / "shared" / "data")
BLOCK = re.compile(r"```console\n\$ samevent(?P<words>[^\n]*)\n.*?```\n", re.DOTALL)

SETTINGS = re.compile(r"(?<=<!-- settings -->\n).*?(?=<!-- end -->)", re.DOTALL)
MEANINGS = {
    "pair_model": "the pair model",
    "minimum_similarity": "pairs below it are not linked",
    "document_gate": "minimum topical similarity of linked documents; 0: no gate",
    "within": "threshold within documents",
    "across": "threshold across documents",
    "answer": "the kind of answer, see above",
    "runs": "number of runs (chains)",
    "sweeps": "sweeps per run; with the answer `consensus`, the maximum",
    "alpha": "α: weight of not linking",
    "alpha_within": "α_d: weight of not linking within the document",
    "alpha_across": "α_0: weight of not linking across documents (`hddcrp`), or of a new event",
    "prior_within": "shape and rate of the gamma prior from which α_d is drawn; empty: α_d is fixed",
    "prior_across": "shape and rate of the gamma prior from which α_0 is drawn; empty: α_0 is fixed",
    "start": "runs start with one event for each mention (`alone`), or for each head lemma (`lemma`)",
    "merges": "how often, per 1,000 mentions, a sweep tries to split a whole event or to merge two",
    "dirichlet": "λ of the Dirichlet prior over words",
    "document_weight": "γ of w(d, d') = exp(γ sim)",
    "observe": "what events generate: `words`, the `head_lemma`, or `two_lemmas` (the head's and its verb's)",
    "sampler": "`collapsed`, or `paper` with two kinds of links: the same posterior",
    "identical_words": "link mentions with the same words with f = 1 where they have no link",
    "within_only": "never link mentions of different documents",
    "likelihood_weight": "exponent of the likelihood of the words; 0 leaves the words to the pair model",
    "uncertain": "integrate over what the pair model does not know; otherwise f is taken as it is",
    "draws": "shifts of the similarities, if they are uncertain; each has `runs` chains",
    "cut": "least mean P(same event) between groups that are joined, if similarities are uncertain",
    "time_limit": "seconds after which sampling stops, 0: no limit; results then depend on the machine",
    "features": "observed features",
    "structured": "whether some features depend on others",
}
"""What each setting of the clusterers means."""


def documents() -> list[Path]:
    """Return the pages that may hold generated blocks."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def regenerated(page: str) -> str:
    """Return a page with its current generated parts."""
    return SETTINGS.sub(lambda _: settings_table(), BLOCK.sub(_block, page))


def settings_table() -> str:
    """Return the table of all settings of the clusterers, with their values by preset."""
    from samevent.clusterers import CLUSTERERS, PRESETS, clusterer

    users: dict[tuple[str, ...], list[str]] = {}
    for name in CLUSTERERS:
        systems = [clusterer(name, preset=preset) for preset in PRESETS]
        for field in fields(systems[0]):
            key = (field.name, *(_value(getattr(system, field.name)) for system in systems))
            users.setdefault(key, []).append(name)
    rows = sorted(users.items(), key=lambda row: list(MEANINGS).index(row[0][0]))
    lines = [f"| setting | clusterers | meaning | {' | '.join(f'`{preset}`' for preset in PRESETS)} |"]
    lines.append("|---" * (3 + len(PRESETS)) + "|")
    for (setting, *values), names in rows:
        shown = ", ".join([*(f"`{name}`" for name in names if not name.startswith("hdp-")), *_hdps(names)])
        lines.append(f"| `{setting}` | {shown} | {MEANINGS[setting]} | {' | '.join(values)} |")
    return "\n".join(lines) + "\n"


def _hdps(names: Sequence[str]) -> list[str]:
    """Return how a row calls its HDPs: by name if there are one or two."""
    from samevent.clusterers import CLUSTERERS

    own, every = ([name for name in group if name.startswith("hdp-")] for group in (names, CLUSTERERS))
    if len(own) <= 2:
        return [f"`{name}`" for name in own]
    return ["HDPs" if own == every else "other HDPs"]


def _value(value: object) -> str:
    """Format the value of a setting as in TOML; features are those of the table of clusterers."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "by name" if value and isinstance(value[0], str) else f"[{', '.join(f'{v:g}' for v in value)}]"
    return f"`{value}`" if isinstance(value, str) else f"{value:g}"


def _block(match: re.Match[str]) -> str:
    words = match["words"]
    if "$SAMEVENT_DATA" in words and ("--without-data" in sys.argv or not DATA.is_dir()):
        return match[0]
    return f"```console\n$ samevent{words}\n{_output(words)}\n```\n"


@cache
def _output(words: str) -> str:
    arguments = shlex.split(words.replace("$SAMEVENT_DATA", str(DATA)))
    with tempfile.TemporaryDirectory() as nothing_installed:
        done = subprocess.run(
            [sys.executable, "-m", "samevent", *arguments],
            cwd=ROOT,
            env=os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "SAMEVENT_HOME": nothing_installed},
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
