"""How much memory it takes to read documents as a stream, and to hold them all, as they grow tenfold.

    python benchmarks/reading.py [--json] [--documents N]

The documents are texts of `benchmarks/corpus.py` in one JSON Lines file. Each row reads them in a process of its own,
as `samevent run` does before any work (`read_inputs` and `Survey`); `peak_mb` is its peak of memory, `base_mb` what it
held before, which is the program itself.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.corpus import endless

from samevent.formats.store import HELD
from samevent.inputs import Survey, read_inputs

_WAYS = {"streamed": HELD, "held": 10**12}


def measure(path: Path, way: str) -> dict[str, Any]:
    """Read a file in one way; return memory and CPU seconds."""
    base, began = _peak(), time.process_time()
    survey = Survey.of(read_inputs([path], scratch=path.parent, held=_WAYS[way]))
    return {
        "documents": len(survey),
        "words": survey.words,
        "way": way,
        "base_mb": base,
        "peak_mb": _peak(),
        "cpu_s": round(time.process_time() - began, 2),
    }


def _peak() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def main() -> None:
    """Print one row per size and way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    parser.add_argument("--documents", type=int, default=2000, help="of the smaller file")
    options = parser.parse_args()
    # A forked process would begin with the peak of this one.
    processes = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        for count in (options.documents, 10 * options.documents):
            path = Path(folder, f"{count}.jsonl")
            with path.open("w", encoding="utf-8") as file:
                for document, _ in islice(endless(0), count):
                    file.write(json.dumps({"id": document.id, "text": document.text}) + "\n")
            for way in _WAYS:
                with processes.Pool(1) as pool:
                    row = pool.apply(measure, (path, way))
                print(json.dumps(row) if options.json else row, flush=True)


if __name__ == "__main__":
    main()
