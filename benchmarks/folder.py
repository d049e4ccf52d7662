"""Time and memory of `samevent run` on a folder of thousands of news texts, in a separate process.

    python benchmarks/folder.py [--json] [--documents N] [--jobs N] [--keep FOLDER]

Texts consist of sentences of `samevent.demo`, with different names, places, numbers and dates in every story; six
documents on consecutive days report each story. Because there are few distinct sentences, a large folder repeats words
more often than real news do. `peak_mb` is the memory of the largest process. Caches are empty.
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

DOCUMENTS_PER_STORY = 6
SENTENCES = 22
"""Number of sentences about a story."""
_FIRST_DAY = date(2031, 1, 1)
_SYLLABLES = "ba den kes lo mar nor oak rin sel tar ul ven wick yor zan".split()
_KEPT = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August "
    "September October November December I A An The".split()
)
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_DIGITS = re.compile(r"\d+")


def articles() -> list[list[str]]:
    """Return the demo articles as lists of sentences."""
    return [_sentences(document) for document in gold()]


def text(number: int, known: Sequence[Sequence[str]]) -> tuple[str, str]:
    """Return the name and the contents of a file; the same number gives the same text.

    A story is one article with sentences of other articles; each document has some of them in its own order.
    """
    story, outlet = divmod(number, DOCUMENTS_PER_STORY)
    core = known[story % len(known)]
    everything = [sentence for article in known for sentence in article]
    added = stream(story, "story").choice(len(everything), SENTENCES - len(core), replace=False).tolist()
    pool = [*core, *(everything[i] for i in added)]
    draw = stream(number, "text")
    chosen = draw.permutation(len(pool))[: int(draw.integers(8, len(pool) + 1))].tolist()
    day = _FIRST_DAY + timedelta(days=story % 300 + outlet)
    return f"{day.isoformat()}-{number:05}.txt", _renamed(" ".join(pool[i] for i in chosen), story)


def _sentences(document: Document) -> list[str]:
    spans = [(document.tokens[s.start].start, document.tokens[s.end - 1].end) for s in document.sentences]
    return [document.text[start:end] for start, end in spans]


def _renamed(body: str, story: int) -> str:
    """Replace names and numbers by those of a story."""
    names = {name: _new_name(story, name) for name in sorted(set(_NAME.findall(body)) - _KEPT)}
    for name, other in names.items():
        body = re.sub(rf"\b{name}\b", other, body)
    return _DIGITS.sub(lambda match: str(1 + (int(match[0]) + 7 * story) % 10 ** len(match[0])), body)


def _new_name(story: int, name: str) -> str:
    drawn: list[str] = stream(story, name).choice(np.array(_SYLLABLES), 3).tolist()
    return "".join(drawn).capitalize()


def measure(folder: Path, out: Path, jobs: int, options: Sequence[str]) -> tuple[float, float]:
    """Run samevent, and return its seconds and the megabytes of its largest process."""
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
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep texts and results here")
    parser.add_argument("options", nargs="*", help="further options of samevent run, after --")
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
        seconds, peak = measure(folder, out, options.jobs, options.options)
        with (out / "events.csv").open(encoding="utf-8-sig", newline="") as stream_:
            sizes = [int(row["mentions"]) for row in csv.DictReader(stream_)]
        result = {
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
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:12} {value:>12,}")


if __name__ == "__main__":
    main()
