"""From a clusterer's answer to a `Result`: events on mentions, how sure each mention is, and why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import Clustered, Clusterer, Evidence
from samevent.corpus import Clustering, Corpus, Mention
from samevent.corrections import UNCORRECTED, Matched
from samevent.errors import CorpusError
from samevent.events import LIKELY, Alternative, Belief, Reason, Why
from samevent.grounding.identities import JoinedEntities
from samevent.memory import trim
from samevent.partitions.constraints import must_link_groups
from samevent.partitions.labels import canonical, members
from samevent.partitions.linkage import central_core, weakest_link
from samevent.partitions.posterior import Posterior
from samevent.results.result import Diagnostics, Result, without_reasons
from samevent.results.stored import values_in
from samevent.scratch import Scratch
from samevent.similarity.bags import Indices
from samevent.similarity.boosted import AnyPairModel
from samevent.similarity.explanation import Explanation, explain, explanations
from samevent.similarity.links import MentionLinks

_DIGITS = 4
"""Probabilities are counted in some hundreds of samples: more digits would be noise, and differ between machines."""
_LEAST_ALTERNATIVE = 0.25
"""Less probable alternatives are not shown."""
_REASONS = 6
"""How many reasons are kept per mention: the others hardly matter."""
_EXPLAINED = 1 << 14
"""How many pairs are explained at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What is known about mentions and events: final labels, how sure each mention is, and why it is there.

    `sure` is NaN for a mention that is alone. `whys` and `beliefs` are by mention id.
    """

    labels: NDArray[np.int32]
    sure: NDArray[np.float64]
    whys: Mapping[str, Why]
    beliefs: Mapping[str, Belief]


def judge(
    evidence: Evidence,
    system: Clusterer,
    clustered: Clustered,
    *,
    min_probability: float = 0.0,
    jobs: int = 1,
    scratch: Scratch | None = None,
) -> Judgement:
    """Judge an answer. Mentions in different components have nothing to do with each other here.

    A mention whose probability is below the minimum becomes an event of its own, together with those that constraints
    join to it, whose mean counts. Reasons are given if the clusterer compares pairs, as its pair model sees them; with
    a `scratch`, they lie there.
    """
    if scratch:  # events and reasons are many small objects, which do not fit where arrays were
        scratch.release()
        trim()
    posterior = clustered.posterior
    labels = canonical(clustered.labels).astype(np.int32)
    sure = posterior.mean_with(labels)
    # Mentions that a person joined stay together, inside their event or as one of their own.
    unit = must_link_groups(evidence.constraints.must_link, len(labels))
    joint = np.bincount(unit, sure) / np.bincount(unit) if len(unit) else sure
    if (doubtful := joint[unit] < min_probability).any():
        labels[doubtful] = len(labels) + unit[doubtful]
        labels = canonical(labels).astype(np.int32)
        sure = posterior.mean_with(labels)
    whys = values_in(scratch, Why.from_json)
    links = system.links(evidence, jobs=jobs)
    if links is not None and system.pair_model:
        model = evidence.pair_model(system.pair_model)
        for some in _whys(evidence, links, model, labels, posterior):
            whys.add(some)
    return Judgement(labels, sure, whys, _beliefs(replace(clustered, labels=labels)))


def assemble(
    corpus: Corpus,
    evidence: Evidence,
    system: Clusterer,
    clustered: Clustered,
    *,
    judgement: Judgement | None = None,
    matched: Matched = UNCORRECTED,
    entities: JoinedEntities | None = None,
    about: Mapping[str, Any] | None = None,
    min_probability: float = 0.0,
    keep_singletons: bool = False,
    jobs: int = 1,
    scratch: Scratch | None = None,
) -> Result:
    """Return the corpus with an event on each event mention, how sure that is and why.

    Mentions that are alone carry no event unless singletons are kept. Without a `judgement`, the answer is judged.
    What a person decided is `matched` with the mentions, and participants refer to the joined `entities`.
    """
    if judgement is None:
        judgement = judge(
            evidence, system, clustered, min_probability=min_probability, jobs=jobs, scratch=scratch
        )
    explainer = None
    if system.pair_model:
        explainer = partial(explain_pair, evidence, evidence.pair_model(system.pair_model))
    clustered, sure = replace(clustered, labels=judgement.labels), judgement.sure
    known = {clustered.ids[row]: float(sure[row]) for row in np.flatnonzero(~np.isnan(sure)).tolist()}
    events = clustered.clustering if keep_singletons else clustered.clustering.restricted(known)
    corpus = corpus.mapped(entities.renamed) if entities else corpus
    return Result(
        with_events(without_reasons(corpus), events),
        {**(about or {}), **({"corrections": dict(matched.about)} if matched.about else {})},
        Diagnostics.of(clustered.posterior),
        {mention: round(probability, _DIGITS) for mention, probability in known.items()},
        judgement.whys,
        judgement.beliefs,
        clustered,
        explainer,
        evidence,
        marks=matched.marks,
        renamings=matched.renamings,
        entities=entities,
    )


def _beliefs(clustered: Clustered) -> dict[str, Belief]:
    """Return what is known about each event with several mentions, by the id of one of them."""
    whole = clustered.event_probability()
    beliefs = {}
    for group in members(clustered.labels.astype(np.int64)):
        if len(group) < 2:
            continue
        between = clustered.posterior.matrix(group)
        alternative = _alternative(clustered, group, between) if len(group) > 2 else None
        core = int(central_core(between, LIKELY).sum())
        beliefs[clustered.ids[group[0]]] = Belief(
            round(float(whole[group[0]]), _DIGITS), alternative, core if core > 1 else 0
        )
    return beliefs


def _alternative(
    clustered: Clustered, group: NDArray[np.integer], between: NDArray[np.float64]
) -> Alternative | None:
    """Return the mentions that are another event if the event is two, unless that is improbable."""
    side, same = weakest_link(between)
    if 1 - same < _LEAST_ALTERNATIVE:
        return None
    return Alternative(tuple(clustered.ids[row] for row in group[side].tolist()), round(1 - same, _DIGITS))


def with_events(corpus: Corpus, events: Clustering) -> Corpus:
    """Return the corpus with new events, numbered by their first mention; other event mentions lose theirs.

    Participants, times and locations keep their clusters; where one has the name of an event, its kind goes before it.
    """
    numbers: dict[int, int] = {}
    names: dict[str, str] = {}
    for m in corpus.mentions("action"):
        if m.id in events:
            number = numbers.setdefault(events.label_of(m.id), len(numbers) + 1)
            names[m.id] = f"e{number}"
    return named(corpus, names, set(names.values()))


def named(corpus: Corpus, names: Mapping[str, str], taken: AbstractSet[str]) -> Corpus:
    """Return the corpus with the events of mentions by id; `taken` are the names of all events."""

    def renamed(m: Mention) -> Mention:
        if m.kind == "action":
            return replace(m, event=names.get(m.id), within=None)
        return replace(m, event=f"{m.kind}-{m.event}") if m.event and m.event in taken else m

    return corpus.mapped(lambda document: document.with_mentions(map(renamed, document.mentions)))


def explain_pair(evidence: Evidence, model: AnyPairModel, first: str, second: str) -> Explanation:
    """Return what speaks for and against two event mentions, by their ids, being the same event."""
    rows = {mention: row for row, mention in enumerate(evidence.table.ids)}
    for mention in (first, second):
        if mention not in rows:
            raise CorpusError(f"there is no event mention {mention!r} in these documents")
    pair = np.array([rows[first], rows[second]])
    evidence.read(model, pair)
    return explain(evidence.table, model, *pair.tolist())


def _whys(
    evidence: Evidence,
    links: MentionLinks,
    model: AnyPairModel,
    labels: NDArray[np.int32],
    posterior: Posterior,
) -> Iterator[dict[str, Why]]:
    """Yield the other member of its event that each mention is closest to, the first in reading order if several.

    Some mentions are explained at a time.
    """
    rows, closest = _closest(links, labels)
    table, part = evidence.table, evidence.part
    for start in range(0, len(rows), _EXPLAINED):
        whys: dict[str, Why] = {}
        some, near = rows[start : start + _EXPLAINED], closest[start : start + _EXPLAINED]
        # Some features look at the other mentions of a document, so parts are explained in the whole.
        explained = (
            explanations(part.whole, model, part.rows[some], part.rows[near], limit=_REASONS)
            if part
            else explanations(table, model, some, near, limit=_REASONS)
        )
        together = posterior.probabilities(some, near).tolist()
        for row, other, probability, explanation in zip(
            some.tolist(), near.tolist(), together, explained, strict=True
        ):
            reasons = tuple(Reason(c.about, round(c.added, 2)) for c in explanation.contributions)
            similarity, probability = round(explanation.probability, _DIGITS), round(probability, _DIGITS)
            whys[table.ids[row]] = Why(table.ids[other], similarity, probability, reasons)
        yield whys


def _closest(links: MentionLinks, labels: NDArray[np.int32]) -> tuple[Indices, Indices]:
    """Return the mentions with links inside their event, in ascending order, and what each is closest to."""
    inside = labels[links.pairs.i] == labels[links.pairs.j]
    i, j, f = links.pairs.i[inside], links.pairs.j[inside], links.similarity[inside]
    best, none = np.full(len(labels), -np.inf), len(labels)
    closest = np.full(len(labels), none, np.int32)
    for one in (i, j):
        np.maximum.at(best, one, f)
    for one, other in ((i, j), (j, i)):
        equal = f == best[one]
        np.minimum.at(closest, one[equal], other[equal])
    rows = np.flatnonzero(closest < none).astype(np.int32)
    return rows, closest[rows]
