"""Grounding: what it costs beside the parse of the same texts, and how many time expressions it resolves.

    python benchmarks/grounding.py [--json] [--documents N] [--times]

The texts are the raw ECB+ test topics with the mentions that the extractor finds; times are CPU seconds. `entities` are
the part of grounding that says who is who. The time expressions are those of `tests/grounding/times*.tsv`; dateparser,
a library, gets the same dates and tenses, and its answer counts as the interval of its period. `--times` measures only
these:

    python benchmarks/grounding.py --times --json > docs/results/times.json
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path

from samevent import Corpus, Document, read
from samevent.experiments.protocols import load_split
from samevent.experiments.work import commit
from samevent.grounding import ground
from samevent.grounding.entities import entity_reader
from samevent.grounding.tense import Tense
from samevent.grounding.times import resolve_time
from samevent.language.annotate import Annotator
from samevent.model import Model, batch_runtime

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
CASES = {
    name: Path(__file__).parents[1] / "tests" / "grounding" / f"{name}.tsv"
    for name in ("times", "times-later")
}
Resolve = Callable[[str, date | None, Tense], str | None]


def times() -> dict[str, object]:
    """Return how many time expressions of each set the rules and the library resolve."""
    sets = []
    for name, path in CASES.items():
        lines = path.read_text("utf-8").splitlines()
        cases = [line.split("\t") for line in lines if not line.startswith("#")][1:]
        sets.append(
            {
                "set": name,
                "expressions": len(cases),
                "rules": right(by_rules, cases),
                "dateparser": right(by_dateparser, cases),
            }
        )
    return {"commit": commit(), "dateparser": version("dateparser"), "sets": sets}


def right(resolve: Resolve, cases: Sequence[Sequence[str]]) -> int:
    """Return how many time expressions a function resolves."""
    return sum(
        (resolve(text, None if written == "-" else date.fromisoformat(written), tense) or "-") == meaning  # type: ignore[arg-type]
        for text, written, tense, meaning in cases
    )


def by_rules(text: str, written: date | None, tense: Tense) -> str | None:
    """Resolve an expression by our rules."""
    found = resolve_time(text, written, tense)
    return str(found) if found else None


def by_dateparser(text: str, written: date | None, tense: Tense) -> str | None:
    """Resolve an expression by dateparser."""
    from dateparser.date import DateDataParser

    settings: dict[str, object] = {"PREFER_DATES_FROM": "current_period" if tense == "unknown" else tense}
    if written:
        settings["RELATIVE_BASE"] = datetime.combine(written, datetime.min.time())
    else:
        settings["STRICT_PARSING"] = True
    found = DateDataParser(languages=["en"], settings=settings).get_date_data(text)
    if found is None or found.date_obj is None:
        return None
    day = found.date_obj.date()
    if found.period == "year":
        return f"{day.year}-01-01/{day.year}-12-31"
    return by_rules(day.strftime("%B %Y"), None, "unknown") if found.period == "month" else f"{day}/{day}"


def cost(count: int | None) -> dict[str, float]:
    """Return CPU seconds of the parse and of each part of grounding, and their ratio."""
    gold = list(load_split("yang2015").select(read(DATA / "ecbplus"), "test"))[:count]
    texts = [replace(Document.from_text(d.id, d.text), date=d.date) for d in gold]
    model = Model.load()
    reader = entity_reader(model.resources)
    extracted = model.prepare(Corpus(texts))  # loads everything, too
    annotator = Annotator()
    for _ in annotator.annotate(texts[:2]):
        pass
    parse = time.process_time()
    for _ in annotator.annotate(texts):
        pass
    parse = time.process_time() - parse
    seconds = {"whole": 0.0, "entities": 0.0}
    for document in extracted.corpus:
        annotation = extracted.annotations[document.id]
        bare = document.with_mentions(replace(mention, refers=None) for mention in document.mentions)
        began = time.process_time()
        ground(bare, annotation, model.resources.gazetteer, reader)
        seconds["whole"] += time.process_time() - began
        began = time.process_time()
        if reader:
            reader.entities(bare, annotation)
        seconds["entities"] += time.process_time() - began
    return {
        "documents": len(texts),
        "mentions": sum(len(document.mentions) for document in extracted.corpus),
        "parse_cpu": round(parse, 2),
        "grounding_cpu": round(seconds["whole"], 2),
        "entities_cpu": round(seconds["entities"], 2),
        "ratio_to_parse": round(seconds["whole"] / parse, 3),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--documents", type=int, help="maximum number of documents")
    parser.add_argument("--times", action="store_true", help="only time expressions")
    options = parser.parse_args()
    if options.times:
        result = times()
    else:
        with batch_runtime():  # as in a run
            result = {**cost(options.documents), **times()}
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:20} {value}")


if __name__ == "__main__":
    main()
