"""What an update costs, compared with a full run in the same process, and how both divide into stages.

    python -m benchmarks.update [--json] [--documents N] [--new SHARE] [--preset NAME] [--folder FOLDER]

The documents are texts of `benchmarks/corpus.py`. All but the last are run without cached parses; the last 1 % are
added, without cached parses and once more with them; and all are run from scratch with cached parses. Seconds are
CPU seconds of one process, after a warm-up. `ratio_uncached` compares with the run of the documents that were there
before, so it is a little too low. `update_watched` is an uncached update whose model is loaded already, as `samevent
watch` has it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from pathlib import Path

from benchmarks.corpus import endless

from samevent import Corpus, Document
from samevent.model import Model, Options
from samevent.runs import run
from samevent.updates import Update, update


@dataclass(frozen=True)
class Measured:
    """CPU seconds of the whole, and by stage."""

    seconds: float
    stages: dict[str, float]


def texts(count: int) -> list[Document]:
    """Return so many documents as plain text."""
    made = (document for document, _ in islice(endless(0), count))
    return [Document.from_text(d.id, d.text, title=d.title, date=d.date) for d in made]


def measured(work: Callable[[Callable[[str, int, int, str], None]], object]) -> Measured:
    """Call a function with a watch; what comes before its first stage counts as `starting`."""
    began = time.process_time()
    marks = [("starting", began)]

    def watch(stage: str, *_: object) -> None:
        if marks[-1][0] != stage:
            marks.append((stage, time.process_time()))

    work(watch)
    marks.append(("end", time.process_time()))
    stages: dict[str, float] = {}
    for (stage, start), (_, end) in pairwise(marks):
        stages[stage] = round(stages.get(stage, 0.0) + end - start, 3)
    return Measured(round(marks[-1][1] - began, 3), stages)


def compare(documents: int, share: float, preset: str, folder: Path) -> dict[str, object]:
    """Measure all four."""
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    corpus, options = texts(documents), Options(preset=preset)
    new = max(1, round(share * documents))
    old, added = Corpus(corpus[:-new]), Corpus(corpus[-new:])
    warm = [replaced(document) for document in corpus[:13]]
    run(Corpus(warm[:10]), folder / "warm", options)
    update(Corpus(warm[10:12]), folder / "warm")
    done: list[Update] = []
    before = measured(lambda watch: run(old, folder / "out", options, jobs=1, watch=watch))
    sizes = {path.name: path.stat().st_size for path in (folder / "out").iterdir()}
    for name in ("again", "watched"):
        shutil.copytree(folder / "out", folder / name)
    uncached = measured(lambda watch: done.append(update(added, folder / "out", watch=watch)))
    loaded = Model.load()
    update(Corpus(warm[12:]), folder / "warm", loaded=loaded)
    watched = measured(
        lambda watch: done.append(update(added, folder / "watched", loaded=loaded, watch=watch))
    )
    full = measured(lambda watch: run(Corpus(corpus), folder / "full", options, jobs=1, watch=watch))
    cached = measured(lambda watch: done.append(update(added, folder / "again", watch=watch)))
    return {
        "benchmark": "update",
        "preset": preset,
        "documents": documents,
        "new_documents": new,
        "words": sum(len(document.tokens) for document in corpus),
        "mentions": done[0].mentions,
        "touched": done[0].touched,
        "bytes": sizes,
        "full_uncached": asdict(before),
        "update_uncached": asdict(uncached),
        "ratio_uncached": round(before.seconds / uncached.seconds, 1),
        "update_watched": asdict(watched),
        "ratio_watched": round(before.seconds / watched.seconds, 1),
        "full_cached": asdict(full),
        "update_cached": asdict(cached),
        "ratio_cached": round(full.seconds / cached.seconds, 1),
    }


def replaced(document: Document) -> Document:
    """Return a document under another id, so that the warm-up takes no parse from those that are measured."""
    text = document.text.replace(".", " indeed.")
    return Document.from_text(f"warm-{document.id}", text, date=document.date)


def main() -> None:
    """Print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--new", type=float, default=0.01)
    parser.add_argument("--preset", default="light")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        result = compare(options.documents, options.new, options.preset, Path(folder))
    print(json.dumps(result) if options.json else json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
