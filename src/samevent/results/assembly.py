"""From what a clusterer found to documents whose mentions carry events, how sure that is, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from samevent.clusterers import Clustered, Evidence
from samevent.corpus import Corpus, Document, Mention
from samevent.partitions.labels import canonical
from samevent.results.events import Reason, Why
from samevent.results.probabilities import Integers, Probabilities
from samevent.similarity.explanation import explanations
from samevent.similarity.links import MentionLinks
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel

_DIGITS = 4
"""Probabilities are counted in some hundreds of samples: more digits would be noise, and differ between machines."""
_REASONS = 6
"""How many reasons go along with a mention: the others hardly matter."""


def with_events(
    corpus: Corpus,
    evidence: Evidence,
    found: Clustered,
    probabilities: Probabilities,
    *,
    links: MentionLinks | None = None,
    model: PairModel | None = None,
    least_probability: float = 0.0,
    keep_singletons: bool = False,
) -> Corpus:
    """Return the corpus with an event on each event mention, and in `extra` how sure that is and why.

    A mention whose probability is below the least becomes an event of its own. Mentions that are alone carry no
    event unless singletons are kept. Reasons are given where there are links, as the pair model sees them.
    """
    labels = canonical(found.labels).astype(np.int32)
    sure = probabilities.posterior.mean_with(labels)
    if (doubtful := sure < least_probability).any():
        labels[doubtful] = len(labels) + np.arange(int(doubtful.sum()), dtype=np.int32)
        labels = canonical(labels).astype(np.int32)
        sure = probabilities.posterior.mean_with(labels)
    whys = _whys(evidence.table, links, model, labels, probabilities) if links and model else {}
    known = {
        mention: _known(sure[row], whys.get(row))
        for row, mention in enumerate(evidence.table.ids)
        if keep_singletons or not np.isnan(sure[row])
    }
    label_of = dict(zip(evidence.table.ids, labels.tolist(), strict=True))
    names: dict[int, str] = {}
    for mention in corpus.mentions("action"):
        if mention.id in known:
            names.setdefault(label_of[mention.id], f"e{len(names) + 1}")
    taken = set(names.values())

    def renamed(m: Mention) -> Mention:
        if m.kind != "action":
            return replace(m, event=f"{m.kind}-{m.event}") if m.event in taken else m
        event = names[label_of[m.id]] if m.id in known else None
        extra = {key: value for key, value in m.extra.items() if key not in ("event_probability", "why")}
        return replace(m, event=event, within=None, extra={**extra, **known.get(m.id, {})})

    def changed(document: Document) -> Document:
        return document.with_mentions(map(renamed, document.mentions))

    return corpus.mapped(changed)


def _known(probability: float, why: Why | None) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    if not np.isnan(probability):
        found["event_probability"] = round(float(probability), _DIGITS)
    if why:
        found["why"] = why.plain()
    return found


def _whys(
    table: MentionTable, links: MentionLinks, model: PairModel, labels: Integers, probabilities: Probabilities
) -> dict[int, Why]:
    """Say of each row which other member of its event it is closest to; of equals, the one that is read first."""
    i, j, f = links.pairs.i, links.pairs.j, links.similarity
    inside = labels[i] == labels[j]
    one, other = np.concatenate([i[inside], j[inside]]), np.concatenate([j[inside], i[inside]])
    alike = np.concatenate([f[inside], f[inside]])
    order = np.lexsort((other, -alike, one))
    rows, first = np.unique(one[order], return_index=True)
    closest, similarity = other[order][first], alike[order][first]
    found = explanations(table, model, rows, closest, limit=_REASONS)
    together = probabilities.posterior.probabilities(rows, closest)
    return {
        row: Why(
            table.ids[near],
            round(said, _DIGITS),
            round(probability, _DIGITS),
            tuple(Reason(c.about, round(c.added, 2)) for c in explanation.contributions),
        )
        for row, near, said, probability, explanation in zip(
            rows.tolist(), closest.tolist(), similarity.tolist(), together.tolist(), found, strict=True
        )
    }
