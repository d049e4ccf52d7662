"""Time of each stage on raw text, compared with spaCy's parse of the same texts in the same run.

    python benchmarks/pipeline.py [--json] [--documents N] [--jobs N] [--preset NAME]

The texts are the ECB+ test topics. `parse` is spaCy's `nlp.pipe` with `--jobs` processes, without loading the model;
`ratio_to_parse` is the time of `samevent run`, from documents in memory to the files of the run folder, divided by
that; `cpu_ratio_to_parse` is the same in CPU seconds, which other work on the machine disturbs less, and
`cpu_ratios` splits it by stage (the time of worker processes counts where they end); `leading` is for stories, ranking
and labels. Caches are empty.

Worker processes import this file, so imports that they do not need are inside functions, as in the command line.
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
from samevent.names import DEFAULT_PRESET

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def texts(count: int | None) -> list[Document]:
    """Return the test topics of ECB+ as raw text."""
    from samevent.experiments.protocols import load_split

    corpus = load_split("yang2015").select(read(DATA / "ecbplus"), "test")
    return [Document.from_text(document.id, document.text) for document in corpus][:count]


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    return sum(os.times()[:4])


def parse(documents: list[Document], jobs: int) -> tuple[float, float]:
    """Return the seconds and the CPU seconds that spaCy alone takes."""
    import spacy

    nlp = spacy.load(DEFAULT_MODEL)
    began, cpu = time.perf_counter(), cpu_seconds()
    for _ in nlp.pipe((document.text for document in documents), n_process=jobs):
        pass
    return time.perf_counter() - began, cpu_seconds() - cpu


def run(
    documents: list[Document], jobs: int, cache: Cache | None, preset: str
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the seconds and the CPU seconds of each stage, in order."""
    from samevent.model import Model, Options
    from samevent.runs import begin

    seconds: dict[str, float] = {}
    cpu: dict[str, float] = {}
    stage, began, began_cpu = "reading", time.perf_counter(), cpu_seconds()

    def watch(name: str, *_: object) -> None:
        nonlocal stage, began, began_cpu
        now, now_cpu = time.perf_counter(), cpu_seconds()
        seconds[stage] = seconds.get(stage, 0) + now - began
        cpu[stage] = cpu.get(stage, 0) + now_cpu - began_cpu
        stage, began, began_cpu = name, now, now_cpu

    with tempfile.TemporaryDirectory() as folder:
        under_way = begin(Path(folder) / "out", {})
        result = Model.load(cache=cache).resolve(
            Corpus(documents),
            options=Options(preset=preset),
            jobs=jobs,
            checkpoint=under_way.checkpoint,
            watch=watch,
        )
        watch("leading")
        result.stories, result.events.ranked()
        watch("writing")
        under_way.finish(result, {})
        watch("")
    return seconds, cpu


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--documents", type=int, help="maximum number of documents")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--preset", default=DEFAULT_PRESET)
    options = parser.parse_args()
    documents = texts(options.documents)
    run(documents[:3], 1, None, options.preset)  # loads compiled code from numba's cache
    alone, alone_cpu = parse(documents, options.jobs)
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        whole, cpu = run(documents, options.jobs, cache, options.preset)
        again, _ = run(documents, options.jobs, cache, options.preset)
    total = sum(whole.values())
    result = {
        "documents": len(documents),
        "words": sum(len(document.tokens) for document in documents),
        "jobs": options.jobs,
        "preset": options.preset,
        "parse": round(alone, 2),
        "parse_cpu": round(alone_cpu, 2),
        "stages": {name: round(value, 2) for name, value in whole.items()},
        "share": {name: round(value / total, 3) for name, value in whole.items()},
        "reading_without_parsing": round(again["reading"], 2),
        "seconds": round(total, 2),
        "ratio_to_parse": round(total / alone, 3),
        "cpu_ratio_to_parse": round(sum(cpu.values()) / alone_cpu, 3),
        "cpu_ratios": {name: round(value / alone_cpu, 2) for name, value in cpu.items()},
    }
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
