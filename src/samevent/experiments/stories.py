"""How well stories match the topics of a gold corpus, and whether what leads is what the corpus is about.

Documents are resolved from raw text. Their stories are compared with the corpus's own groups of documents, beside
average linkage of tf-idf cosines; documents in no story are alone. Figures are shown for several cuts, among them those
in use (`results.stories.CUT`, `BASELINE_CUT`), since much depends on the cut.

A gold chain is a main event of a sub-topic if at least half of its documents, and two or more, mention it. An event
that was found counts as one if at least half of its mentions that have a gold head belong to the same such chain.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, triu
from sklearn.metrics import v_measure_score

from samevent.corpus import Corpus, Document
from samevent.corpus.corpus import event_key
from samevent.events import Event
from samevent.experiments.given import head_places, heads_at
from samevent.experiments.work import Work, provenance
from samevent.language.cache import Cache
from samevent.model import Model, Options
from samevent.names import DEFAULT_PRESET
from samevent.partitions.sparse_linkage import sparse_average_link
from samevent.preparation import WORDS_ONLY
from samevent.results import Result
from samevent.results.stories import CUT, EventLine, group_documents
from samevent.scoring.bcubed import METRIC
from samevent.scoring.table import Table

CUTS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
BASELINE_CUT = 0.15
"""The least mean cosine of groups of the baseline."""
TOP = 25
"""How many events lead."""

_WORD = re.compile(r"[^\W\d_][\w'’-]{2,}|\d+")

Groups = Sequence[str]
"""The group of each document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryPlan:
    """What to measure with."""

    preset: str = DEFAULT_PRESET
    model: str = "en-news"
    seed: int = 0


def measure_stories(corpus: Corpus, plan: StoryPlan, work: Work) -> dict[str, Any]:
    """Resolve a gold corpus from raw text, and compare its stories and leading events with the gold ones."""
    model = Model.load(plan.model, cache=Cache())
    work.log(f"resolving {len(corpus):,} documents")
    options = Options(preset=plan.preset, seed=plan.seed)
    result = model.resolve(map(_raw, corpus), options=options, jobs=work.jobs)
    gold = model.prepare(corpus, extraction=WORDS_ONLY, jobs=work.jobs).corpus
    return {
        "documents": len(corpus),
        "preset": plan.preset,
        "model": Path(plan.model).name,
        **provenance(plan.seed, {}),
        "cuts": {"stories": CUT, "tf-idf": BASELINE_CUT},
        "stories": len(result.stories),
        "rows": _story_rows(result, gold),
        "leading": {
            "count": TOP,
            "ranked": share_of_main(result.events.ranked(TOP), result.corpus, gold),
            "by mentions": share_of_main(result.events.largest(TOP), result.corpus, gold),
        },
    }


def _raw(document: Document) -> Document:
    return Document.from_text(document.id, document.text, title=document.title, date=document.date)


def _story_rows(result: Result, gold: Corpus) -> list[dict[str, Any]]:
    ids = result.corpus.ids
    lines = EventLine.main(result.events)
    cosines = text_similarities([result.corpus[id].text for id in ids])
    systems: dict[tuple[str, float], Groups] = {}
    for cut in CUTS:
        told = group_documents(ids, lines, cut)
        systems["stories", cut] = [str(told.get(id, id)) for id in ids]
        systems["tf-idf", cut] = list(map(str, sparse_average_link(len(ids), cosines, cut)))
    rows = []
    for name, groups in gold_groups([gold[id] for id in ids]).items():
        for (system, cut), found in systems.items():
            scores = compare(groups, found)
            rows.append({"groups": name, "system": system, "cut": cut, "found": len(set(found)), **scores})
    return rows


def gold_groups(documents: Sequence[Document]) -> dict[str, Groups]:
    """Return the topics of documents, and their sub-topics if those differ."""
    topics = [str(document.topic) for document in documents]
    subtopics = [f"{document.topic} {document.subtopic}" for document in documents]
    groups: dict[str, Groups] = {"topics": topics}
    return groups if len(set(topics)) == len(set(subtopics)) else {**groups, "sub-topics": subtopics}


def compare(gold: Groups, found: Groups) -> dict[str, Any]:
    """Return B-cubed and V-measure of two groupings of the same documents."""
    first, second = (np.unique(np.array(each), return_inverse=True)[1] for each in (gold, found))
    table = Table.from_labels(np.zeros(len(gold), np.int64), first.astype(np.int64), second.astype(np.int64))
    recall, precision, f1 = METRIC.score(METRIC.tally(table))[0].tolist()
    return {
        "gold": len(set(gold)),
        "bcubed": {"recall": recall, "precision": precision, "f1": f1},
        "v_measure": float(v_measure_score(first, second)),
    }


def text_similarities(texts: Sequence[str]) -> dict[tuple[int, int], float]:
    """Return the tf-idf cosines of all pairs of texts that share a word."""
    bags = [Counter(word.casefold() for word in _WORD.findall(text)) for text in texts]
    column: dict[str, int] = {}
    cells = [
        (row, column.setdefault(word, len(column)), 1 + math.log(count))
        for row, bag in enumerate(bags)
        for word, count in bag.items()
    ]
    rows, columns, counts = (np.array(each) for each in zip(*cells, strict=True))
    idf = np.log(len(texts) / np.bincount(columns, minlength=len(column)))
    vectors = csr_array((counts * idf[columns], (rows, columns)), shape=(len(texts), len(column)))
    lengths = np.sqrt(vectors.multiply(vectors).sum(axis=1))
    vectors = csr_array(vectors.multiply((1 / np.where(lengths > 0, lengths, 1))[:, np.newaxis]))
    cosines = triu(vectors @ vectors.T, k=1).tocoo()
    pairs = zip(cosines.row.tolist(), cosines.col.tolist(), strict=True)
    return {pair: value for pair, value in zip(pairs, cosines.data.tolist(), strict=True) if value > 0}


def main_chains(gold: Corpus) -> frozenset[tuple[str, ...]]:
    """Return the chains that at least half of the documents of a sub-topic, and two or more, mention."""
    sizes = Counter((document.topic, document.subtopic) for document in gold)
    inside: Counter[tuple[tuple[str | None, str | None], tuple[str, ...]]] = Counter()
    for document in gold:
        chains = {event_key(m) for m in document.mentions if m.kind == "action"}
        inside.update(((document.topic, document.subtopic), chain) for chain in chains)
    return frozenset(
        chain for (group, chain), count in inside.items() if count > 1 and 2 * count >= sizes[group]
    )


def share_of_main(events: Sequence[Event], corpus: Corpus, gold: Corpus) -> float:
    """Return the share of events that are main events of a sub-topic; `corpus` has their documents."""
    main, heads = main_chains(gold), heads_at(gold)

    def is_main(event: Event) -> bool:
        chains = []
        for mention in event.mentions:
            places = head_places(corpus[mention.document], mention)
            known = next((heads[at] for at in places if at in heads), None)
            if known is not None:
                chains.append(event_key(known))
        chain, count = Counter(chains).most_common(1)[0] if chains else ((), 0)
        return chain in main and 2 * count >= len(chains)

    return sum(map(is_main, events)) / max(1, len(events))
