"""The memory that all processes of a run hold together, with and without a limit, and whether the results are the same.

    python -m benchmarks.memory [--json] [--mentions N] [--limits 0 1.5GB] [--preset light] [--jobs N] [--folder FOLDER]

The documents are those of `benchmarks/corpus.py`, with the parses that they were made from, so that nothing is parsed.
Each limit (0 is none) is a run in a process of its own, whose processes are asked for their resident memory twenty
times a second; `peak_mb` is the greatest sum, and `stages` has it by stage. `digest` is that of all files of the run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.corpus import documents

from samevent.formats.jsonl import document_to_json
from samevent.inputs import read_inputs
from samevent.language.annotate import Annotator, _content
from samevent.language.cache import Cache, default_folder
from samevent.memory import parsed_size
from samevent.model import Options
from samevent.runs import run

_EVERY = 0.05
"""Seconds between two looks at the processes."""


def write_inputs(mentions: int, path: Path) -> None:
    """Write documents to a file, and their parses to the cache."""
    cache, identity = Cache(default_folder()), Annotator().identity()
    with path.open("w", encoding="utf-8") as file:
        for document, annotation in documents(mentions):
            file.write(json.dumps(document_to_json(document)) + "\n")
            key = cache.key(*identity, *_content(document))
            cache.put(key, b"\n" + annotation.to_bytes())


def one(path: Path, folder: Path, preset: str, jobs: int, limit: str) -> None:
    """Run, and print each stage as it begins."""
    stage = ""

    def watch(now: str, *_: object) -> None:
        nonlocal stage
        if now != stage:
            print(stage := now, flush=True)

    memory = parsed_size(limit) or None
    run(
        lambda: read_inputs([path], scratch=folder.parent),
        folder,
        Options(preset=preset),
        jobs=jobs,
        memory=memory,
        watch=watch,
    )


def measure(path: Path, folder: Path, preset: str, jobs: int, limit: str) -> dict[str, Any]:
    """Run in a process of its own; return what it took."""
    command = [
        sys.executable, "-m", "benchmarks.memory", "--one", str(path), "--folder", str(folder), "--preset", preset,
        "--jobs", str(jobs), "--limits", limit,
    ]  # fmt: skip
    began = os.times()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    stages, now = {"starting": 0.0}, "starting"

    def listen() -> None:
        nonlocal now
        for line in child.stdout or ():
            now = line.strip()

    threading.Thread(target=listen, daemon=True).start()
    while child.poll() is None:
        held = sum(map(_resident, _family(child.pid)))
        stages[now] = max(stages.get(now, 0.0), held)
        time.sleep(_EVERY)
    if child.returncode:
        raise SystemExit(child.returncode)
    ended = os.times()
    used = ended.children_user + ended.children_system - began.children_user - began.children_system
    return {
        "limit_mb": round(parsed_size(limit) / 1e6),
        "peak_mb": round(max(stages.values()) / 1e6),
        "cpu_s": round(used, 1),
        "stages": {stage: round(held / 1e6) for stage, held in stages.items()},
        "digest": _digest(folder),
    }


def _family(pid: int) -> list[int]:
    """Return a process and all that it started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(other for child in children for other in _family(int(child)))]


def _resident(pid: int) -> float:
    """Return the resident bytes of a process."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0.0


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def main() -> None:
    """Print one row per limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mentions", type=int, default=100_000)
    parser.add_argument("--limits", nargs="+", default=["0", "1.5GB"], metavar="SIZE", help="0: none")
    parser.add_argument("--preset", default="light")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--one", type=Path, metavar="FILE", help="run this file with one limit")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.one:
        one(options.one, options.folder, options.preset, options.jobs, options.limits[0])
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        write_inputs(options.mentions, Path(folder, "news.jsonl"))
        for number, limit in enumerate(options.limits):
            row = measure(
                Path(folder, "news.jsonl"), Path(folder, f"out{number}"), options.preset, options.jobs, limit
            )
            row = {"benchmark": "memory", "mentions": options.mentions, **row}
            print(json.dumps(row) if options.json else row, flush=True)


if __name__ == "__main__":
    main()
