"""Time and memory of every stage after reading, from ten thousand to a million mentions.

    python benchmarks/growth.py [--json [FILE]] [--sizes 10000 100000 1000000] [--preset light] [--jobs N]

Corpora come from `benchmarks/corpus.py` as documents that have been read. Each size runs in a process of its own, which
goes through the stages of `samevent run` on a corpus that is too large to be held: compile mention tables, whose
documents stay in parts, find neighbouring documents, score pairs, sample, join named entities, judge, write the
files, write the report.
`cpu_s` are CPU seconds of all threads and processes, `peak_mb` the most memory that the process held during the stage
(all that earlier stages left included), and `exponent` is the slope between this size and the one before it in double
logarithmic scale.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from samevent import runs
from samevent.clusterers import Evidence
from samevent.corpus import Corpus
from samevent.language.resources import DEFAULT
from samevent.model import Model, Options, batch_runtime
from samevent.report import write_report
from samevent.results.assembly import assemble
from samevent.scratch import Scratch
from samevent.similarity.mentions import compile_mentions
from samevent.similarity.neighbours import topical_documents
from samevent.stages import FolderParts, Here, Job, evidence_of
from samevent.stages.linking import spilled_search
from samevent.stages.reading import PARTITION, part_name, put_together, store_part
from samevent.stages.tasks import model_of

documents = runpy.run_path(str(Path(__file__).with_name("corpus.py")))["documents"]
SIZES = (10_000, 100_000, 1_000_000)
_PEAK = "VmHWM:"


class Stages:
    """What each stage took."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, float]] = {}

    @contextmanager
    def stage(self, name: str, *, earlier: float = 0.0) -> Iterator[None]:
        """Measure what happens inside; `earlier` are CPU seconds that the stage had before."""
        _forget_peak()
        began, wall = _cpu(), time.perf_counter()
        yield
        self.known[name] = {
            "cpu_s": round(_cpu() - began + earlier, 2),
            "wall_s": round(time.perf_counter() - wall, 2),
            "peak_mb": round(_peak_mb()),
        }
        print(name, self.known[name], file=sys.stderr, flush=True)


def _cpu() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _forget_peak() -> None:
    """Let Linux measure the peak from now on; elsewhere it is that of the whole process."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak_mb() -> float:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(_PEAK))


@batch_runtime()
def measure(mentions: int, preset: str, jobs: int, keep: Path | None) -> dict[str, Any]:
    """Run all stages on a corpus of so many mentions, and leave the files in the folder `keep`."""
    stages = Stages()
    with stages.stage("compiling"):  # loads models and compiled code, which has nothing to do with growth
        _through(600, preset, Stages(), jobs, None)
    return _through(mentions, preset, stages, jobs, keep)


def _read(job: Job, mentions: int) -> tuple[list[str], float]:
    """Leave parts as reading does; return their names, and the CPU seconds that their tables took."""
    names: list[str] = []
    took, generated = 0.0, iter(documents(mentions))
    resources = model_of(job.model).resources
    while part := list(islice(generated, PARTITION)):
        began = _cpu()
        table = compile_mentions(part, lexicon=resources.lexicon, vectors=resources.vectors)
        took += _cpu() - began
        names.append(part_name(len(names)))
        store_part(job.parts, names[-1], Corpus(document for document, _ in part), table, {})
    return names, took


def _through(mentions: int, preset: str, stages: Stages, jobs: int, keep: Path | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as temporary:
        folder, options = keep or Path(temporary), Options(preset=preset)
        job = Job(DEFAULT, options, FolderParts(Path(temporary, "parts")))
        model = model_of(job.model)
        with stages.stage("documents"):
            names, compiled = _read(job, mentions)
        with stages.stage("table", earlier=compiled):
            reading = put_together(job, names, {}, model)
            corpus = reading.documents
            scratch = Scratch(Path(temporary))
            evidence = evidence_of(
                job,
                corpus,
                reading.table,
                Here(),
                _unwatched,
                search=spilled_search(scratch),
                scratch=scratch,
            )
            del reading
        measured = _stages(model, options, corpus, evidence, scratch, stages, jobs, folder)
    return measured | {"stages": stages.known}


def _unwatched(stage: str, done: int, total: int, about: str) -> None:
    """Show no progress."""


def _stages(
    model: Model,
    options: Options,
    corpus: Corpus,
    evidence: Evidence,
    scratch: Scratch,
    stages: Stages,
    jobs: int,
    folder: Path,
) -> dict[str, Any]:
    system = options.system
    with stages.stage("gate"):
        pairs = len(topical_documents(evidence.table, 0.08, jobs=jobs)[0])
    with stages.stage("links"):
        links = system.links(evidence, jobs=jobs)
        count = len(links.pairs) if links else 0
    with stages.stage("sampling"):
        clustered = system.cluster(evidence, jobs=jobs)
    with stages.stage("entities"):
        entities = model.join_entities(evidence.table, options, jobs=jobs)
    with stages.stage("judging"):
        result = assemble(corpus, evidence, system, clustered, entities=entities, jobs=jobs, scratch=scratch)
        events = len(result.events)
    with stages.stage("files"):
        runs.write_tables(folder, result)
    with stages.stage("report"):
        pages = write_report(result, folder / runs.REPORT_FILE)
    return {
        "mentions": len(evidence),
        "documents": len(corpus),
        "neighbours": pairs,
        "links": count,
        "events": events,
        "index_mb": round(pages[0].stat().st_size / 1e6, 2),
        "report_pages": len(pages),
    }


def with_exponents(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add to every stage the exponent of its growth since the size before, and the sums after reading."""
    for before, row in zip([None, *rows], rows, strict=False):
        after = {name: stage for name, stage in row["stages"].items() if name not in BEFORE}
        row["total"] = {
            "cpu_s": round(sum(stage["cpu_s"] for stage in after.values()), 1),
            "peak_mb": max(stage["peak_mb"] for stage in after.values()),
        }
        if before is None:
            continue
        step = math.log(row["mentions"] / before["mentions"])
        for name, stage in [*after.items(), ("total", row["total"])]:
            earlier = before["total"] if name == "total" else before["stages"][name]
            ratio = max(stage["cpu_s"], 0.01) / max(earlier["cpu_s"], 0.01)
            stage["exponent"] = round(math.log(ratio) / step, 2)
    return rows


BEFORE = ("compiling", "documents")
"""Stages that are not part of the total: what happens before and while documents are read."""


def table(rows: list[dict[str, Any]]) -> str:
    """Return measured rows as a table in Markdown: CPU seconds, megabytes and exponents of each stage."""
    heads = "".join(f" {row['mentions']:,} mentions | MB | n^ |" for row in rows)
    lines = [f"| stage |{heads}", f"|---|{'---:|' * (3 * len(rows))}"]
    names = dict.fromkeys(name for row in rows for name in row["stages"] if name not in BEFORE)
    for name in (*names, "total"):
        cells = []
        for row in rows:
            stage = row["total"] if name == "total" else row["stages"].get(name)
            cells += (
                [f"{stage['cpu_s']:,.1f} s", f"{stage['peak_mb']:,}", f"{stage.get('exponent', '')}"]
                if stage
                else ["", "", ""]
            )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    facts = {
        "documents": "documents", "neighbours": "pairs of documents", "links": "links", "events": "events",
        "report_pages": "pages of the report",
    }  # fmt: skip
    for key, words in facts.items():
        lines.append(f"| {words} |{''.join(f' {row[key]:,} | | |' for row in rows)}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="one JSON object per line")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--preset", default="light")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the files here, with --one")
    parser.add_argument("--one", type=int, metavar="N", help="measure one size in this process")
    parser.add_argument("--page", type=Path, metavar="FILE", help="print a table of what --json stored")
    options = parser.parse_args()
    if options.page:
        print(table([json.loads(line) for line in options.page.read_text("utf-8").splitlines()]), end="")
        return
    if options.one:
        print(json.dumps(measure(options.one, options.preset, options.jobs, options.keep)))
        return
    rows: list[dict[str, Any]] = []
    for size in options.sizes:
        command = [sys.executable, __file__, "--one", str(size), "--preset", options.preset]
        done = subprocess.run(
            [*command, "--jobs", str(options.jobs)], check=True, stdout=subprocess.PIPE, env=os.environ
        )
        rows = with_exponents([*rows, json.loads(done.stdout)])
        lines = [json.dumps(row) for row in rows]
        if options.json and options.json != "-":  # a million takes long: what is known is kept
            Path(options.json).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    if options.json == "-":
        print("\n".join(lines))
    elif not options.json:
        for row in rows:
            print(f"{row['mentions']:,} mentions in {row['documents']:,} documents, {row['links']:,} links")
            for name, stage in [*row["stages"].items(), ("total", row["total"])]:
                print(
                    f"  {name:10} {stage['cpu_s']:10,.1f} s {stage['peak_mb']:8,} MB  n^{stage.get('exponent', '')}"
                )


if __name__ == "__main__":
    main()
