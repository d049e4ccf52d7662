"""Entity coreference on ECB+: participants, places and times of validated sentences, within and across documents.

Systems are the clusters of the HDDCRP (`grounding.cluster_entities`), the best links within documents, what a run makes
of these (named entities are joined, all others stay in their document), the same with equal names joined instead, and,
as a baseline, mentions with the same head. The pair model learns from other topics than those it is measured on:
from the train and dev topics for the test topics, and for these by folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from samevent.corpus import Clustering, Corpus, Document, Mention, Reference, Unit
from samevent.corpus.corpus import event_key
from samevent.errors import UsageError
from samevent.experiments.folds import FOLDS
from samevent.experiments.protocols import PARTS, Task
from samevent.experiments.scores import scored
from samevent.experiments.work import Work, provenance
from samevent.extraction import Parsed
from samevent.grounding.entities import EntityReader
from samevent.grounding.entity_clusters import EntitySettings, best_links, cluster_entities
from samevent.grounding.entity_joining import join_entities
from samevent.grounding.entity_mentions import NAME_LABELS, describe
from samevent.grounding.entity_model import EntityModel
from samevent.grounding.entity_tables import EntityDocument, EntityTable, Integers, compile_entities
from samevent.grounding.identities import JoinedEntities
from samevent.grounding.named_entities import NamedEntities, named_entities
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache
from samevent.language.heads import head
from samevent.language.vectors import WordVectors
from samevent.preparation import parse
from samevent.scoring import Pairing, Singletons, pair
from samevent.training.entities import chained_mentions, train_entity_model

EntityPart = Literal["test", "folds"]
ENTITY_PARTS: tuple[EntityPart, ...] = get_args(EntityPart)
UNITS: tuple[Unit, ...] = ("document", "subtopic", "corpus")

PUBLISHED: Mapping[str, Any] = {
    "Barhom et al. 2019": {"unit": "corpus", "mentions": "gold", "conll": 0.71, "about": True},
}
"""As published, on the same mentions, with contextual vectors and joint clustering; rounded."""

_GATE = 0.08
"""Documents less similar than this are no neighbours, as in a run."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The mentions that systems are measured on, as a table and in their documents with their parses."""

    table: EntityTable
    documents: Sequence[tuple[Document, Annotation]]
    vectors: WordVectors


Solve = Callable[[Measured, EntityModel], Integers]


def measure_entities(
    corpus: Corpus, task: Task, part: EntityPart, vectors: WordVectors, work: Work, *, seed: int = 0
) -> dict[str, Any]:
    """Measure all systems on gold mentions, and on the parser's noun phrases and names."""
    settings = EntitySettings()
    systems: dict[str, Solve] = {
        "same head": _same_heads,
        "best links": lambda measured, model: best_links(measured.table, model),
        "equal names": lambda measured, model: _as_in_a_run(measured, model, seed=seed, gate=np.inf),
        "run": lambda measured, model: _as_in_a_run(measured, model, seed=seed, jobs=work.jobs),
        "hddcrp": lambda measured, model: cluster_entities(
            measured.table, model, settings, seed=seed, jobs=work.jobs
        ),
    }
    folds = _folds(corpus, task, part, work)
    rows: list[dict[str, Any]] = []
    counts: dict[str, Any] = {}
    answers: dict[str, list[tuple[Corpus, Corpus, dict[str, Clustering]]]] = {"gold": [], "predicted": []}
    for number, (learn, texts) in enumerate(folds, 1):
        work.log(f"entities: {len(texts)} documents, part {number} of {len(folds)}")
        model = train_entity_model(learn, vectors)
        if model is None:
            raise UsageError(
                "the corpus has no chains of participants", expected="ECB+ with its entity chains"
            )
        gold = Corpus(_gold(text) for text in texts)
        for name, system in (
            ("gold", gold),
            ("predicted", Corpus(_predicted(text, gold) for text in texts)),
        ):
            described = [(system[text.document.id], text.annotation) for text in texts]
            table = compile_entities([_described(*each) for each in described], vectors)
            measured = Measured(table, described, vectors)
            ids = [mention.id for mention in table.mentions]
            clusterings = {
                each: Clustering.from_labels(dict(zip(ids, solve(measured, model).tolist(), strict=True)))
                for each, solve in systems.items()
            }
            answers[name].append((gold, system, clusterings))
    for name, parts in answers.items():
        counts[name] = sum(len(list(system.mentions("participant"))) for _, system, _ in parts)
        for singletons, unit, clusterer in _asked(name, systems):
            pairings = [
                pair(
                    gold,
                    given.with_clustering(found[clusterer]),
                    unit=unit,
                    singletons=singletons,
                    kind="participant",
                )
                for gold, given, found in parts
            ]
            rows.append(
                {
                    "kind": "entity",
                    "clusterer": clusterer,
                    "preset": "entities",
                    "mentions": name,
                    "filter": "none",
                    "unit": unit,
                    "singletons": singletons,
                    **scored([join_pairings(pairings)], seed=seed).to_json(),
                }
            )
    return {
        "protocol": task.name,
        "part": part,
        **provenance(seed, {"hddcrp": repr(settings)}),
        "counts": counts,
        "published": dict(PUBLISHED),
        "rows": rows,
    }


def _asked(mentions: str, systems: Mapping[str, Solve]) -> list[tuple[Singletons, Unit, str]]:
    """Return what is scored; best links never cross documents, and annotators leave out most of what a parser finds."""
    kept: tuple[Singletons, ...] = ("keep",) if mentions == "gold" else ("keep", "drop")
    return [
        (singletons, unit, system)
        for singletons in kept
        for unit in UNITS
        for system in systems
        if unit == "document" or system != "best links"
    ]


def _folds(
    corpus: Corpus, task: Task, part: EntityPart, work: Work
) -> list[tuple[Sequence[Parsed], Sequence[Parsed]]]:
    """Return what to learn from and what to measure on: the test topics, or each fold of the others."""
    split = task.split
    texts = {
        name: list(parse(split.select(corpus, name), None, jobs=work.jobs, cache=Cache()))
        for name in PARTS
        if part == "test" or name != "test"
    }
    known = [*texts["train"], *texts["dev"]]
    if part == "test":
        return [(known, texts["test"])]
    topics = sorted({str(text.document.topic) for text in known})
    fold_of = {topic: number % FOLDS for number, topic in enumerate(topics)}
    return [
        (
            [text for text in known if fold_of[str(text.document.topic)] != fold],
            [text for text in known if fold_of[str(text.document.topic)] == fold],
        )
        for fold in range(FOLDS)
    ]


def _gold(text: Parsed) -> Document:
    """Return a document with its entity mentions alone, all of one kind, each in a named chain."""
    seen: dict[tuple[int, int], Mention] = {}
    for m in chained_mentions(text.document):
        at = head(text.annotation, m.start, m.end, m.anchors or None)
        event = m.event or ":".join(event_key(m))
        seen.setdefault(m.span, replace(m, kind="participant", event=event, within=None, head=at))
    return text.document.with_mentions(seen.values())


def _predicted(text: Parsed, gold: Corpus) -> Document:
    """Return a document with the noun phrases and names of the parser in annotated sentences.

    One with the head of a gold mention takes its span: what is measured is who it is, not where a phrase ends.
    """
    document, annotation = text.document, text.annotation
    by_head = {m.head: m.span for m in gold[document.id].mentions}
    spans = [*annotation.chunks, *((a, b) for a, b, label in annotation.entities if label in NAME_LABELS)]
    found: dict[int, tuple[int, int]] = {}
    for start, end in spans:
        sentence = document.sentences[document.sentence_of(start)]
        if sentence.annotated is not False and not sentence.is_url:
            at = head(annotation, start, end)
            found.setdefault(at, by_head.get(at, (start, end)))
    unique = {span: at for at, span in sorted(found.items())}
    mentions = [
        document.mention("participant", *span, head=at if span[0] <= at < span[1] else None)
        for span, at in unique.items()
    ]
    return document.with_mentions(mentions)


def _described(document: Document, annotation: Annotation) -> EntityDocument:
    return EntityDocument.of(document, annotation, describe(document, annotation, document.mentions))


def _same_heads(measured: Measured, _: EntityModel) -> Integers:
    """Return one entity per head lemma."""
    return measured.table.codes["lemma"]


def _as_in_a_run(
    measured: Measured, model: EntityModel, *, seed: int, gate: float = _GATE, jobs: int = 1
) -> Integers:
    """Return what a run says: entities of documents, the named ones joined across documents beyond the gate."""
    reader = EntityReader(model, measured.vectors)
    documents = [
        document.with_mentions(replace(m, refers=Reference(entity=entities[m.id])) for m in document.mentions)
        for document, annotation in measured.documents
        for entities in [reader.entities(document, annotation)]
    ]
    named = NamedEntities.of(
        [
            named_entities(document, annotation)
            for document, (_, annotation) in zip(documents, measured.documents, strict=True)
        ]
    )
    similarity = np.tril(measured.table.document_similarity, -1)
    d, e = np.nonzero(similarity >= gate)
    neighbours = d.astype(np.int32), e.astype(np.int32), similarity[d, e]
    ids = [document.id for document in documents]
    identities = join_entities(named, ids, neighbours, reader, seed=seed, jobs=jobs)
    joined = JoinedEntities(ids, named, identities)
    entity = {
        mention.id: mention.refers.entity.id
        for document in map(joined.renamed, documents)
        for mention in document.mentions
        if mention.refers and mention.refers.entity
    }
    number = {id: at for at, id in enumerate(dict.fromkeys(entity.values()))}
    return np.array([number[entity[mention.id]] for mention in measured.table.mentions], np.int64)


def join_pairings(pairings: Sequence[Pairing]) -> Pairing:
    """Concatenate the pairings of folds; nothing is shared between them but the unit of the whole corpus."""
    if len(pairings) == 1:
        return pairings[0]
    whole = all(len(each.units) == 1 for each in pairings)
    columns: dict[str, list[Integers]] = {name: [] for name in ("unit", "group", "gold", "system")}
    before = dict.fromkeys(columns, 0)
    for each in pairings:
        for name, parts in columns.items():
            values = getattr(each, name)
            parts.append(np.where(values < 0, values, values + before[name]))
            before[name] += 0 if name == "unit" and whole else int(values.max(initial=-1)) + 1
    unit, group, known, found = (np.concatenate(parts) for parts in columns.values())
    return Pairing(
        unit=unit,
        group=group,
        gold=known,
        system=found,
        units=pairings[0].units if whole else tuple(unit for each in pairings for unit in each.units),
        groups=tuple(group for each in pairings for group in each.groups),
    )
