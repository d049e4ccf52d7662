"""A folder as users have them: thousands of news texts through `samevent run`, in a process of its own.

    python benchmarks/folder.py [--json] [--documents N] [--jobs N] [--keep FOLDER]

Texts are made of the sentences of `samevent.demo`, with other names, places, numbers and dates in every story, and a
story is told by six documents on following days. There are only so many sentences: of a word in one of them, a large
folder has many more copies than news have. `peak_mb` is the memory of the largest process. Nothing comes from a cache.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from samevent.corpus import Document
from samevent.demo import gold
from samevent.seeds import stream

TOLD_BY = 6
"""Documents that tell of the same story."""
SENTENCES = 22
"""What can be told of a story."""
_FIRST_DAY = date(2031, 1, 1)
_SYLLABLES = "ba den kes lo mar nor oak rin sel tar ul ven wick yor zan".split()
_KEPT = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August "
    "September October November December I A An The".split()
)
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_DIGITS = re.compile(r"\d+")


def articles() -> list[list[str]]:
    """Return the articles of the demonstration as lists of sentences."""
    return [_sentences(document) for document in gold()]


def text(number: int, known: Sequence[Sequence[str]]) -> tuple[str, str]:
    """Return a file's name and what is in it; the same number gives the same text.

    A story is one article and as many sentences from elsewhere; its documents tell parts of it in their own order.
    """
    story, teller = divmod(number, TOLD_BY)
    core = known[story % len(known)]
    everything = [sentence for article in known for sentence in article]
    added = stream(story, "story").choice(len(everything), SENTENCES - len(core), replace=False).tolist()
    pool = [*core, *(everything[i] for i in added)]
    draw = stream(number, "text")
    told = draw.permutation(len(pool))[: int(draw.integers(8, len(pool) + 1))].tolist()
    day = _FIRST_DAY + timedelta(days=story % 300 + teller)
    return f"{day.isoformat()}-{number:05}.txt", _renamed(" ".join(pool[i] for i in told), story)


def _sentences(document: Document) -> list[str]:
    spans = [(document.tokens[s.start].start, document.tokens[s.end - 1].end) for s in document.sentences]
    return [document.text[start:end] for start, end in spans]


def _renamed(body: str, story: int) -> str:
    """Give names and numbers to a story that are its own."""
    names = {name: _new_name(story, name) for name in sorted(set(_NAME.findall(body)) - _KEPT)}
    for name, other in names.items():
        body = re.sub(rf"\b{name}\b", other, body)
    return _DIGITS.sub(lambda found: str(1 + (int(found[0]) + 7 * story) % 10 ** len(found[0])), body)


def _new_name(story: int, name: str) -> str:
    drawn: list[str] = stream(story, name).choice(np.array(_SYLLABLES), 3).tolist()
    return "".join(drawn).capitalize()


def measured(folder: Path, out: Path, jobs: int, options: Sequence[str]) -> tuple[float, float]:
    """Run, and return the seconds that it took and the megabytes of the largest process."""
    command = [
        sys.executable,
        "-m",
        "samevent",
        "run",
        str(folder),
        "-o",
        str(out),
        "--jobs",
        str(jobs),
        *options,
    ]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as cache:
        process = subprocess.Popen(command, env={**os.environ, "XDG_CACHE_HOME": cache})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"samevent run ended with status {process.returncode}")
    return time.perf_counter() - began, used.ru_maxrss / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave texts and results here")
    parser.add_argument("options", nargs="*", help="more options of samevent run, after --")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        base = options.keep or Path(temporary)
        folder, out = base / "news", base / "out"
        folder.mkdir(parents=True)
        known = articles()
        words = 0
        for number in range(options.documents):
            name, content = text(number, known)
            words += len(content.split())
            (folder / name).write_text(content, "utf-8")
        seconds, peak = measured(folder, out, options.jobs, options.options)
        with (out / "events.csv").open(encoding="utf-8-sig", newline="") as stream_:
            sizes = [int(row["mentions"]) for row in csv.DictReader(stream_)]
        found = {
            "documents": options.documents,
            "words": words,
            "jobs": options.jobs,
            "seconds": round(seconds, 1),
            "peak_mb": round(peak),
            "events": len(sizes),
            "mentions": sum(sizes),
            "report_mb": round(sum(page.stat().st_size for page in out.glob("report*.html")) / 1e6, 1),
        }
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:12} {value:>12,}")


if __name__ == "__main__":
    main()
