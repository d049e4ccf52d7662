"""Transfer: any gold corpus that the model has not learned from, with scores and whether the probabilities are true.

Systems are given gold mentions, or what they extract from the corpus's tokens or from its raw text (`given`).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from samevent.clusterers import Clustered, Clusterer, Evidence, clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.corpus import Clustering, Corpus, Mention, Unit
from samevent.corpus.corpus import event_key
from samevent.errors import UsageError
from samevent.experiments.baselines import AverageLink
from samevent.experiments.given import Given, Matched, Mentions, catch_all, prepare_given
from samevent.experiments.reliability import (
    Booleans,
    Integers,
    event_reliability,
    inside_clusters,
    judged,
    possible_pairs,
    reliability,
)
from samevent.experiments.scores import Scored, scored
from samevent.experiments.work import Work, provenance
from samevent.language.cache import Cache
from samevent.model import Model
from samevent.names import DEFAULT_PRESET
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.scoring import Pairing, Singletons, pair, scores_of

LEAST_F = 0.05
"""Pairs that the pair model finds less probable are not among those whose f is judged."""
BASELINES = ("lemma", "average-link")
ONE_POSTERIOR: Mapping[str, Any] = {"runs": 4, "sweeps": 400}
"""How long a sampler runs that takes f as known: it has one problem to solve instead of one per shift."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """What to measure: which mentions, with which preset and model; `ignore` are gold chains that are no events."""

    mentions: Mentions = "gold"
    raw_text: bool = False
    preset: str = DEFAULT_PRESET
    model: str = "en-news"
    changes: Mapping[str, Any] = field(default_factory=dict)
    ignore: frozenset[str] = frozenset()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.raw_text and self.mentions == "gold":
            raise UsageError("raw text has no gold mentions", expected="extracted mentions")

    @property
    def ours(self) -> Hddcrp:
        """The clusterer of the preset."""
        return cast(Hddcrp, clusterer("hddcrp", self.changes, preset=self.preset))

    def systems(self) -> dict[str, Clusterer]:
        """Return the preset's clusterer and what it is compared with."""
        ours = self.ours
        certain = {"one-posterior": replace(ours, uncertain=False, **ONE_POSTERIOR)} if ours.uncertain else {}
        return {
            "lemma": clusterer("lemma"),
            "average-link": AverageLink(pair_model=ours.pair_model, document_gate=ours.document_gate),
            **certain,
            "hddcrp": ours,
        }


def measure_transfer(corpus: Corpus, plan: Transfer, work: Work) -> dict[str, Any]:
    """Run the preset and what it is compared with on a gold corpus; return scores and reliability."""
    ignore = plan.ignore | catch_all(corpus)
    given = prepare_given(
        corpus,
        Model.load(plan.model, cache=Cache()),
        work,
        mentions=plan.mentions,
        raw_text=plan.raw_text,
        ignore=ignore,
        preset=plan.preset,
    )
    evidence, systems = given.prepared.evidence, plan.systems()
    answers: dict[str, Clustered] = {}
    seconds: dict[str, float] = {}
    for name, system in systems.items():
        started = time.perf_counter()
        with work.progress(name, system.total_sweeps) as done, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the verdict says it
            answers[name] = system.cluster(
                evidence,
                seed=plan.seed,
                jobs=work.jobs,
                progress=_scaled(done, system.total_sweeps),
            )
        seconds[name] = round(time.perf_counter() - started, 1)
        work.log(f"{name}: {seconds[name]:.0f} s")
    sets, rows = _scores(given, answers, plan)
    for row in rows:
        row |= {"seconds": seconds[row["clusterer"]], "verdict": answers[row["clusterer"]].posterior.verdict}
    by_system = {
        name: judge(given, answer, seed=plan.seed)
        for name, answer in answers.items()
        if systems[name].sampled
    }
    return {
        "documents": len(corpus),
        "mentions": plan.mentions,
        "raw_text": plan.raw_text,
        "preset": plan.preset,
        "model": Path(plan.model).name,
        "ignored": sorted(ignore),
        **provenance(plan.seed, {name: repr(system) for name, system in systems.items()}),
        "sets": sets,
        "rows": rows,
        **by_system["hddcrp"],
        "others": {
            "pair model": {"calibration": judge_pair_model(given, evidence, plan.ours, seed=plan.seed)},
            **{name: found for name, found in by_system.items() if name != "hddcrp"},
        },
    }


def _scaled(done: Any, total: int) -> Any:
    return lambda part, whole: done(total * part // max(1, whole))


def judge(given: Given, answer: Clustered, *, seed: int) -> dict[str, Any]:
    """Return how reliable P(same event) is: over pairs with P > 0, inside events, and for whole events.

    `chained` has the same figures without pairs and events of which no mention is in a gold chain of several: corpora
    chain the events that annotators looked for, and others recur without being chained.
    """
    gold, group = given.labels(answer.ids), _group_of(given, answer.ids)
    count = len(set(given.groups.values()))
    low, high = possible_pairs(answer.posterior)
    possible = low, high, answer.posterior.probabilities(low, high)
    inside = inside_clusters(answer.posterior, answer.labels)
    sure = answer.event_probability()

    def figures(chained: Booleans | None) -> dict[str, Any]:
        return {
            "calibration": reliability(judged(*possible, gold, group, chained), groups=count, seed=seed),
            "inside": reliability(judged(*inside, gold, group, chained), groups=count, seed=seed),
            "events": event_reliability(answer.labels, sure, gold, chained),
        }

    return {**figures(None), "chained": figures(given.chained(answer.ids))}


def judge_pair_model(given: Given, evidence: Evidence, system: Hddcrp, *, seed: int) -> dict[str, Any]:
    """Return how reliable f alone is, over the pairs it finds possible."""
    links = evidence.links(LEAST_F, pair_model=system.pair_model, document_gate=system.document_gate)
    ids = evidence.table.ids
    pairs = judged(links.pairs.i, links.pairs.j, links.similarity, given.labels(ids), _group_of(given, ids))
    return reliability(pairs, groups=len(set(given.groups.values())), seed=seed)


def _group_of(given: Given, ids: Sequence[str]) -> Integers:
    document = {m.id: m.document for m in given.prepared.corpus.mentions("action")}
    return np.array([given.groups[document[id]] for id in ids], np.int64)


def _scores(
    given: Given, answers: Mapping[str, Clustered], plan: Transfer
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Describe the mentions that pass each filter, and score all systems on them by unit."""
    filters: tuple[Matched, ...] = ("none",) if plan.mentions == "gold" else ("head", "exact", "none")
    units = _units(given.gold)
    keep_or_drop: tuple[Singletons, ...] = ("keep", "drop")
    sets, rows = [], []
    for filter in filters:
        kept = given.kept(filter)
        ceiling: dict[str, float] = {}
        for unit, singletons in ((unit, s) for s in keep_or_drop for unit in units):
            paired = partial(_pairing, given.gold, kept, unit=unit, singletons=singletons)
            ceiling[f"{unit} {singletons}"] = scores_of(paired(_ideal(given, kept))).conll
            found = {
                name: scored([paired(answer.clustering)], seed=plan.seed) for name, answer in answers.items()
            }
            rows += [
                {
                    "clusterer": name,
                    "preset": plan.preset,
                    "mentions": plan.mentions,
                    "filter": filter,
                    "unit": unit,
                    "singletons": singletons,
                    **result.to_json(),
                    "differences": _differences(name, found),
                }
                for name, result in found.items()
            ]
        sets.append({"filter": filter, **_counts(given, kept), "ceiling": ceiling})
    return sets, rows


def _units(gold: Corpus) -> tuple[Unit, ...]:
    by_topic = all(document.topic is not None for document in gold)
    return ("document", "topic", "corpus") if by_topic else ("document", "corpus")


def _ideal(given: Given, kept: Corpus) -> Clustering:
    """Cluster mentions by the gold mentions that they match."""
    labels = {m.id: given.match.get(m.id) for m in kept.mentions("action")}
    return Clustering.from_labels({id: event_key(m) if m else ("alone", id) for id, m in labels.items()})


def _pairing(
    gold: Corpus, kept: Corpus, answer: Clustering, *, unit: Unit, singletons: Singletons
) -> Pairing:
    return pair(gold, kept.with_clustering(answer), unit=unit, singletons=singletons)


def _counts(given: Given, kept: Corpus) -> dict[str, int]:
    exact = sum(
        (m.char_start, m.char_end) == (gold.char_start, gold.char_end)
        for m in kept.mentions("action")
        if (gold := given.match.get(m.id))
    )
    return {
        "given": _size(given.prepared.corpus.mentions("action")),
        "gold": _size(given.gold.mentions("action")),
        "kept": _size(kept.mentions("action")),
        "exact": exact,
    }


def _size(mentions: Iterable[Mention]) -> int:
    return sum(1 for _ in mentions)


def _differences(name: str, found: Mapping[str, Scored]) -> dict[str, Any]:
    return {other: found[name].minus(found[other]) for other in BASELINES if other != name}
