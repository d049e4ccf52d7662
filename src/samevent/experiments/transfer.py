"""Transfer: any gold corpus that the model has not learned from, with scores and whether the probabilities are true.

Systems are given gold mentions, or what they extract from the corpus's tokens or from its raw text. Gold and extracted
mentions are matched by characters, so their tokens may differ. Where a corpus says which sentences were annotated,
only mentions in these count.
"""

from __future__ import annotations

import time
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, cast

import numpy as np

from samevent.clusterers import Clustered, Clusterer, Evidence, clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.corpus import Clustering, Corpus, Document, Mention, Unit
from samevent.corpus.corpus import event_key
from samevent.errors import UsageError
from samevent.experiments.baselines import AverageLink
from samevent.experiments.reliability import (
    Floats,
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
from samevent.partitions.posterior import Posterior
from samevent.preparation import EVERYTHING, MISSING_ARGUMENTS, WORDS_ONLY, Prepared
from samevent.scoring import Pairing, Singletons, pair, scores_of

Mentions = Literal["gold", "predicted"]
Matched = Literal["none", "head", "exact"]
"""Which extracted mentions are scored: all, or those whose head or whole span is that of a gold mention."""

LEAST_F = 0.05
"""Pairs that the pair model finds less probable are not among those whose f is judged."""
CATCH_ALL = "0"
"""The name of a chain for whatever is no event, as in the Gun Violence Corpus."""
BASELINES = ("lemma", "average-link")


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
        return {
            "lemma": clusterer("lemma"),
            "average-link": AverageLink(pair_model=ours.pair_model, document_gate=ours.document_gate),
            "hddcrp": ours,
        }


@dataclass(frozen=True, eq=False)
class Given:
    """What systems are given, and the gold corpus with heads that they are scored against.

    `ignored` are gold mentions that are no events: extracted mentions there are not scored.
    """

    prepared: Prepared
    gold: Corpus
    ignored: Corpus
    mentions: Mentions

    @cached_property
    def in_scope(self) -> Corpus:
        """The mentions that are scored: those in annotated sentences, unless they match an ignored one."""
        ignored = heads_at(self.ignored)
        given = self.prepared.corpus.filtered(lambda m: m.kind == "action")
        if self.mentions == "gold":
            return given
        return given.filtered(
            lambda m: (
                is_annotated(self.gold[m.document], m.char_start)
                and not any(at in ignored for at in head_places(given[m.document], m))
            )
        )

    @cached_property
    def match(self) -> Mapping[str, Mention]:
        """The gold mention that each mention matches: by its span, else by its head."""
        spans = {(m.document, m.char_start, m.char_end): m for m in self.gold.mentions("action")}
        heads = heads_at(self.gold)
        found: dict[str, Mention] = {}
        for m in self.in_scope.mentions("action"):
            places = head_places(self.in_scope[m.document], m)
            by_head = next((heads[at] for at in places if at in heads), None)
            if gold := spans.get((m.document, m.char_start, m.char_end), by_head):
                found[m.id] = gold
        return found

    def kept(self, filter: Matched) -> Corpus:
        """Return the mentions that pass a filter."""

        def passes(m: Mention) -> bool:
            gold = self.match.get(m.id)
            if filter == "head":
                return gold is not None
            return gold is not None and (gold.char_start, gold.char_end) == (m.char_start, m.char_end)

        return self.in_scope if filter == "none" else self.in_scope.filtered(passes)

    def labels(self, ids: Sequence[str]) -> Integers:
        """Return the number of the gold event of each mention, -1 if it matches none."""
        numbers: dict[tuple[str, ...], int] = {}
        return np.array(
            [
                numbers.setdefault(event_key(gold), len(numbers)) if (gold := self.match.get(id)) else -1
                for id in ids
            ],
            np.int64,
        )

    @cached_property
    def groups(self) -> Mapping[str, int]:
        """The number of each document's group: its topic if all have one, else itself."""
        by_topic = all(document.topic is not None for document in self.gold)
        names: dict[str, int] = {}
        return {d.id: names.setdefault(str(d.topic) if by_topic else d.id, len(names)) for d in self.gold}


def measure_transfer(corpus: Corpus, plan: Transfer, work: Work) -> dict[str, Any]:
    """Run the preset and what it is compared with on a gold corpus; return scores and reliability."""
    ignore = plan.ignore | catch_all(corpus)
    model = Model.load(plan.model, cache=Cache())
    given = prepare_given(corpus, plan, ignore, model, work)
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
        "model": plan.model,
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


def catch_all(corpus: Corpus) -> frozenset[str]:
    """Return the name of a chain for whatever is no event: it is called 0, and alone crosses topics."""
    topics: dict[str, set[str | None]] = {}
    for document in corpus:
        for m in document.mentions:
            if m.kind == "action" and m.event is not None:
                topics.setdefault(m.event, set()).add(document.topic)
    across = {event for event, among in topics.items() if len(among) > 1}
    return frozenset(across) if across == {CATCH_ALL} else frozenset()


def prepare_given(corpus: Corpus, plan: Transfer, ignore: frozenset[str], model: Model, work: Work) -> Given:
    """Return the mentions that systems are given, without anything that they may not see, and the gold ones."""
    counted = corpus.filtered(
        lambda m: m.kind == "action" and is_annotated(corpus[m.document], m.char_start)
    ).mapped(_without_arguments)
    gold = counted.filtered(lambda m: m.event not in ignore)
    ignored = counted.filtered(lambda m: m.event in ignore)
    if not any(gold.mentions("action")):
        raise UsageError("the corpus has no gold event mentions to compare with")
    documents = gold if plan.mentions == "gold" else corpus.mapped(_raw if plan.raw_text else _bare)
    extraction = MISSING_ARGUMENTS if plan.mentions == "gold" else EVERYTHING
    with work.progress("reading", len(documents)) as show:
        prepared = model.prepare(
            documents.mapped(_anonymous),
            extraction=extraction,
            jobs=work.jobs,
            watch=lambda stage, done, total, note: show(done),  # noqa: ARG005 (the signature of a watch)
        )
    gold, ignored = (
        model.prepare(each, extraction=WORDS_ONLY, jobs=work.jobs).corpus for each in (gold, ignored)
    )
    return Given(prepared, gold, ignored, plan.mentions)


def _without_arguments(document: Document) -> Document:
    return document.with_mentions(replace(m, arguments=()) for m in document.mentions)


def _bare(document: Document) -> Document:
    return document.with_mentions(())


def _raw(document: Document) -> Document:
    return Document.from_text(document.id, document.text, title=document.title, date=document.date)


def _anonymous(document: Document) -> Document:
    mentions = (replace(m, event=None, within=None) for m in document.mentions)
    return replace(document.with_mentions(mentions), topic=None, subtopic=None)


def is_annotated(document: Document, at: int) -> bool:
    """Return whether the sentence with a character was annotated, as far as the corpus says."""
    token = bisect_right(document.tokens, at, key=lambda token: token.start) - 1
    return document.sentences[document.sentence_of(max(0, token))].annotated is not False


def head_places(document: Document, mention: Mention) -> Iterator[tuple[str, int]]:
    """Yield the characters of a mention's head; without a head, of its first token."""
    token = document.tokens[mention.start if mention.head is None else mention.head]
    return ((document.id, at) for at in range(token.start, token.end))


def heads_at(corpus: Corpus) -> dict[tuple[str, int], Mention]:
    """Return the event mention whose head each character belongs to."""
    return {at: m for d in corpus for m in d.mentions if m.kind == "action" for at in head_places(d, m)}


def judge(given: Given, answer: Clustered, *, seed: int) -> dict[str, Any]:
    """Return how reliable P(same event) is: over pairs with P > 0, inside events, and for whole events."""
    gold, group = given.labels(answer.ids), _group_of(given, answer.ids)
    count = len(set(given.groups.values()))
    low, high = possible_pairs(answer.posterior)
    pairs = judged(low, high, answer.posterior.probabilities(low, high), gold, group)
    inside = judged(*inside_clusters(answer.posterior, answer.labels), gold, group)
    return {
        "calibration": reliability(pairs, groups=count, seed=seed),
        "inside": reliability(inside, groups=count, seed=seed),
        "events": event_reliability(answer.labels, shown_probability(answer.posterior, answer.labels), gold),
    }


def judge_pair_model(given: Given, evidence: Evidence, system: Hddcrp, *, seed: int) -> dict[str, Any]:
    """Return how reliable f alone is, over the pairs it finds possible."""
    links = evidence.links(LEAST_F, pair_model=system.pair_model, document_gate=system.document_gate)
    ids = evidence.table.ids
    pairs = judged(links.pairs.i, links.pairs.j, links.similarity, given.labels(ids), _group_of(given, ids))
    return reliability(pairs, groups=len(set(given.groups.values())), seed=seed)


def shown_probability(posterior: Posterior, labels: Integers) -> Floats:
    """Return for each mention the probability that its event is shown with."""
    own = posterior.mean_with(labels)
    sizes = np.bincount(labels)
    return np.bincount(labels, np.nan_to_num(own))[labels] / sizes[labels]


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
