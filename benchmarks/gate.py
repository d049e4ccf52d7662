"""What the rules of large corpora for neighbouring documents leave out, where the true events are known.

    python benchmarks/gate.py [--corpus PATH | --mentions 20000] [--score] [--json]
    python benchmarks/gate.py --page FILE

In corpora of more than 1,000 documents neighbours share a rare word, and only the nearest count
(`similarity/neighbours.py`). Here both rules are forced on ECB+, or on news-like documents of `benchmarks/corpus.py`,
more and more strictly. `rare` is the number of documents that may have a word that makes neighbours, `nearest` the
number of neighbours that count, None no rule. `documents` is the share of pairs of documents with a common event that
are neighbours, `mentions` the share of coreferent pairs of mentions across documents that are compared. With `--score`,
gold mentions are clustered by the preset `light`, and `conll` is CoNLL F1 over the whole corpus.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import clusterer
from samevent.corpus import Corpus
from samevent.formats import read
from samevent.language.cache import Cache
from samevent.model import Model
from samevent.preparation import MISSING_ARGUMENTS, WORDS_ONLY, Prepared
from samevent.scoring import pair, scores_of
from samevent.similarity import neighbours
from samevent.similarity.pairs import LabelledMentions

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).parents[2] / "shared" / "data")
RULES: tuple[tuple[int | None, int | None], ...] = (
    (None, None), (100, None), (50, None), (20, None), (10, None), (None, 32), (None, 16), (None, 8), (None, 4),
    (100, 32), (20, 32), (20, 8),
)  # fmt: skip
"""How many documents may have a rare word, and how many neighbours count."""
LEAST = 0.08
"""The topical similarity of neighbours, as in all presets."""
_ANY = 10**9


@contextmanager
def rules(rare: int | None, nearest: int | None) -> Iterator[None]:
    """Force the rules of a large corpus on any."""
    before = neighbours.PAIRS, neighbours.RARE, neighbours.NEAREST
    neighbours.PAIRS, neighbours.RARE, neighbours.NEAREST = 0, rare or _ANY, nearest or _ANY
    try:
        yield
    finally:
        neighbours.PAIRS, neighbours.RARE, neighbours.NEAREST = before


def coreferent(labelled: LabelledMentions) -> NDArray[np.int64]:
    """Return the documents of all coreferent pairs of mentions across documents, the greater number first."""
    document, found = labelled.table.document.astype(np.int64), [np.empty((0, 2), np.int64)]
    order = np.argsort(labelled.event, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(labelled.event[order])) + 1):
        later, earlier = np.tril_indices(len(members), -1)
        both = np.stack([document[members[later]], document[members[earlier]]], axis=1)
        found.append(np.sort(both[both[:, 0] != both[:, 1]], axis=1)[:, ::-1])
    return np.concatenate(found)


def measure(prepared: Prepared, gold: Corpus | None) -> Iterator[dict[str, Any]]:
    """Yield one row for each pair of rules."""
    table = prepared.evidence.table
    pairs, width = coreferent(prepared.labelled), len(table.documents)
    codes = pairs[:, 0] * width + pairs[:, 1]
    for rare, nearest in RULES:
        with rules(rare, nearest):
            d, e, _ = neighbours.topical_documents(table, LEAST)
            conll = {"conll": round(100 * score(prepared, gold), 2)} if gold else {}
        kept = np.isin(codes, d.astype(np.int64) * width + e)
        whole, first = np.unique(codes, return_index=True)
        yield {
            "rare": rare,
            "nearest": nearest,
            "neighbours": len(d),
            "documents": round(float(kept[first].mean()), 4) if len(whole) else None,
            "mentions": round(float(kept.mean()), 4) if len(codes) else None,
            **conll,
        }


def score(prepared: Prepared, gold: Corpus) -> float:
    """Return the CoNLL F1 of the preset `light` over the whole corpus."""
    evidence = replace(prepared.evidence, weighted=True)  # without the links of other rules
    answer = clusterer("hddcrp", preset="light").cluster(evidence)
    return scores_of(pair(gold, prepared.corpus.with_clustering(answer.clustering), unit="corpus")).conll


def page(rows: list[dict[str, Any]]) -> str:
    """Return measured rows as a table in Markdown."""
    heads = ("rare word in at most", "nearest that count", "neighbours", "documents kept", "mentions kept")
    scores = ["CoNLL F1"] if "conll" in rows[0] else []
    lines = [f"| {' | '.join([*heads, *scores])} |", f"|{'---:|' * (len(heads) + len(scores))}"]
    for row in rows:
        cells = ["all" if row[rule] is None else f"{row[rule]:,}" for rule in ("rare", "nearest")]
        cells += [f"{row['neighbours']:,}", f"{row['documents']:.2%}", f"{row['mentions']:.2%}"]
        lines.append(f"| {' | '.join(cells + [str(row['conll']) for _ in scores])} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, default=DATA / "ecbplus", metavar="PATH")
    parser.add_argument("--mentions", type=int, metavar="N", help="news-like documents with so many mentions")
    parser.add_argument("--score", action="store_true", help="cluster, and score the answers")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--page", type=Path, metavar="FILE", help="print a table of what --json printed")
    options = parser.parse_args()
    if options.page:
        print(page([json.loads(line) for line in options.page.read_text("utf-8").splitlines()]), end="")
        return
    model = Model.load(cache=Cache())
    if options.mentions:
        made = runpy.run_path(str(Path(__file__).with_name("corpus.py")))["documents"](options.mentions)
        known = {document.id: (document, annotation) for document, annotation in made}
        prepared = Prepared(
            Corpus(document for document, _ in known.values()),
            {id: annotation for id, (_, annotation) in known.items()},
            model.resources,
            model.pair_models,
        )
    else:
        prepared = model.prepare(
            read(options.corpus).filtered(lambda m: m.kind == "action"),
            extraction=MISSING_ARGUMENTS if options.score else WORDS_ONLY,
            preset="light",
        )
    rows = measure(prepared, prepared.corpus if options.score else None)
    if not options.json:
        print(f"{len(prepared.corpus):,} documents, {len(prepared.labelled.table):,} mentions")
    for row in rows:
        print(json.dumps(row) if options.json else "  ".join(f"{k} {v}" for k, v in row.items()), flush=True)


if __name__ == "__main__":
    main()
