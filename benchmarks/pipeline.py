"""The whole pipeline on raw text, stage by stage, beside spaCy's parse of the same texts in the same run.

    python benchmarks/pipeline.py [--json] [--documents N] [--jobs N]

The texts are those of ECB+'s test topics (447 documents). `parse` is spaCy alone, as its own `nlp.pipe` does it on
so many processes, model loading left out; `ratio_to_parse` is all of `samevent run`, from documents in memory to the
files of a run's folder, divided by that. Nothing comes from a cache.

Processes that parse begin by importing this file. So what they do not need is imported in functions, as the command
line does it too.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from samevent import Corpus, Document, read
from samevent.language.annotate import DEFAULT_MODEL
from samevent.language.cache import Cache

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def texts(count: int | None) -> list[Document]:
    """Return the test topics of ECB+ as raw text."""
    from samevent.experiments.protocols import load_split

    corpus = load_split("yang2015").select(read(DATA / "ecbplus"), "test")
    return [Document.from_text(document.id, document.text) for document in corpus][:count]


def parse(documents: list[Document], jobs: int) -> float:
    """Return the seconds that spaCy takes by itself."""
    import spacy

    nlp = spacy.load(DEFAULT_MODEL)
    began = time.perf_counter()
    for _ in nlp.pipe((document.text for document in documents), n_process=jobs):
        pass
    return time.perf_counter() - began


def run(documents: list[Document], jobs: int, cache: Cache | None) -> dict[str, float]:
    """Return the seconds of each stage, first to last."""
    from samevent.model import Model, Options
    from samevent.runs import begin

    seconds: dict[str, float] = {}
    stage, began = "reading", time.perf_counter()

    def watch(name: str, *_: object) -> None:
        nonlocal stage, began
        now = time.perf_counter()
        seconds[stage] = seconds.get(stage, 0) + now - began
        stage, began = name, now

    with tempfile.TemporaryDirectory() as folder:
        under_way = begin(Path(folder) / "out", {})
        result = Model.load(cache=cache).resolve(
            Corpus(documents), options=Options(), jobs=jobs, checkpoint=under_way.checkpoint, watch=watch
        )
        watch("writing")
        under_way.finish(result, {})
        watch("")
    return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--documents", type=int, help="only the first so many")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    documents = texts(options.documents)
    run(documents[:3], 1, None)  # compiled code is loaded once, from numba's cache
    alone = parse(documents, options.jobs)
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        whole = run(documents, options.jobs, cache)
        again = run(documents, options.jobs, cache)
    total = sum(whole.values())
    found = {
        "documents": len(documents),
        "words": sum(len(document.tokens) for document in documents),
        "jobs": options.jobs,
        "parse": round(alone, 2),
        "stages": {name: round(value, 2) for name, value in whole.items()},
        "share": {name: round(value / total, 3) for name, value in whole.items()},
        "reading_without_parsing": round(again["reading"], 2),
        "seconds": round(total, 2),
        "ratio_to_parse": round(total / alone, 3),
    }
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
