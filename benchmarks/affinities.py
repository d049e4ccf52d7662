"""Time to find all affinities, compared with scoring every pair with the same model in the same run.

Every noun and verb of the ECB+ test documents is an event mention; the model is trained on the train topics first.
Prints one JSON object per size: `n` mentions, `seconds` for all affinities of the compiled table, `peak_mb` of the
process so far, `pairs_scored` out of `all_pairs`, the number of `links`, and `brute_ratio`: the time to score every
pair divided by ours, null where that would take minutes. `compile_seconds` is the time to compile the table.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from samevent.corpus import Corpus, Document
from samevent.experiments.protocols import load_split
from samevent.formats import read
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache
from samevent.language.resources import Resources, resources
from samevent.preparation import GIVEN_MENTIONS, parse, prepare
from samevent.similarity.links import Affinities, LinkSettings, find_links, score_pairs, to_affinities
from samevent.similarity.mentions import Annotated, MentionTable, compile_mentions
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import Pairs
from samevent.similarity.training import PairTrainingSettings, train
from samevent.training import labelled_mentions

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "ecbplus"
SIZES = (1_000, 4_000, 53_429)
BRUTE_LIMIT = 4_000
CONTENT = ("NOUN", "VERB")


def every_word(document: Document, annotation: Annotation) -> Document:
    """Make every noun and verb an event mention."""
    events = [
        document.mention("action", i, i + 1, id=f"{document.id}:{i}", head=i)
        for i, pos in enumerate(annotation.pos)
        if pos in CONTENT
    ]
    return document.with_mentions([*(m for m in document.mentions if m.kind != "action"), *events])


def first_mentions(annotated: list[Annotated], n: int) -> Iterator[Annotated]:
    """Yield documents with `n` events in total, dropping further events."""
    for document, annotation in annotated:
        kept = set(islice((m.id for m in document.mentions if m.kind == "action"), n))
        n -= len(kept)
        yield (
            document.with_mentions(m for m in document.mentions if m.kind != "action" or m.id in kept),
            annotation,
        )


def trained(corpus: Corpus, model: Resources) -> PairModel:
    """Train on the train topics, with the usual penalty."""
    data = labelled_mentions(parse(corpus, model.roles, cache=Cache()), model, None)
    return train(data, settings=PairTrainingSettings(penalties=(0.01,), folds=2)).model


def brute_force(table: MentionTable, model: PairModel) -> int:
    """Score every pair and return the number of links."""
    i, j = np.tril_indices(len(table), -1)
    pairs = Pairs(i.astype(np.int32), j.astype(np.int32))
    return len(score_pairs(table, model, [pairs], LinkSettings()).pairs)


def affinities(table: MentionTable, model: PairModel) -> Affinities:
    """Find all links, and turn them into affinities."""
    settings = LinkSettings()
    return to_affinities(table, find_links(table, model, settings=settings), settings)


def measure(data: Path, sizes: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """Measure every size."""
    corpus, split, model = read(data, format="ecbplus"), load_split("yang2015"), resources()
    pairs = trained(split.select(corpus, "train"), model)
    texts = (
        text._replace(document=every_word(text.document, text.annotation))
        for text in parse(split.select(corpus, "test"), model.roles, cache=Cache())
    )
    prepared = prepare(texts, model, extraction=GIVEN_MENTIONS)
    annotated = [(document, prepared.annotations[document.id]) for document in prepared.corpus]
    affinities(
        compile_mentions(annotated[:2], lexicon=model.lexicon, vectors=model.vectors), pairs
    )  # compiles
    for n in sizes:
        start = time.perf_counter()
        table = compile_mentions(first_mentions(annotated, n), lexicon=model.lexicon, vectors=model.vectors)
        ready = time.perf_counter()
        found = affinities(table, pairs)
        seconds = time.perf_counter() - ready
        result: dict[str, Any] = {
            "n": len(table),
            "documents": len(table.documents),
            "heads": len(table.heads),
            "compile_seconds": ready - start,
            "seconds": seconds,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "pairs_scored": found.scored,
            "all_pairs": len(table) * (len(table) - 1) // 2,
            "links": len(found.within.columns) + len(found.across.columns) // 2,
            "brute_ratio": None,
        }
        if n <= BRUTE_LIMIT:
            start = time.perf_counter()
            links = brute_force(table, pairs)
            result["brute_ratio"] = (time.perf_counter() - start) / seconds
            result["complete"] = links == result["links"]
        yield result


def main() -> None:
    """Print one JSON object per size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="(the only output format)")
    parser.add_argument("--data", type=Path, default=DATA, help="the ECB+ folder")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of mentions")
    options = parser.parse_args()
    for result in measure(options.data, tuple(options.sizes)):
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
