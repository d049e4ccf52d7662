"""Measure whether events and entities help each other: clusters of one as evidence for the other, in alternation.

Pass 1 compares participants of events by the names that their documents give them, as a run does, and groups entities
without looking at events. From pass 2 on, participants also count as the same if they are in one entity across
documents, and entities look at the events of the pass before: whether two mentions take part in the same event, and in
the same role. Everything is out of fold on ECB+'s train and dev topics (cybulska): entity models, trees and events of
a fold come from the other folds; the other corpus is judged by what all of them teach. Of events: average precision
over pairs (first look) and CoNLL F1 over whole parts; of entities: CoNLL F1 on the annotated mentions of ECB+.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from sklearn.linear_model import LogisticRegression
from tools.ablate_grounding import average_precision
from tools.reliability import labelled, out_of_fold_links, read_material
from tools.tune_presets import DATA

from samevent.clusterers import Evidence, clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.corpus import Document
from samevent.experiments.given import Given
from samevent.experiments.work import provenance
from samevent.extraction import Parsed
from samevent.formats import read
from samevent.grounding.compatibility import OTHER, ROLES, Referents, code
from samevent.grounding.entity_clusters import cluster_entities
from samevent.grounding.entity_mentions import EntityMention, describe
from samevent.grounding.entity_model import EntityModel, Example
from samevent.grounding.entity_pairs import PAIR_KINDS, EntityPairs, pairs_across, pairs_within
from samevent.grounding.entity_tables import EntityDocument, EntityTable, Floats, compile_entities
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.linkage import average_link
from samevent.preparation import Prepared, parse
from samevent.scoring import Pairing, scores_of
from samevent.similarity.boosted import LEAST_LINK, USUAL_UNCERTAINTY
from samevent.similarity.boosting import BoostingSettings, train_boosted, training_pairs
from samevent.similarity.links import LinkSettings, MentionLinks, find_links
from samevent.similarity.pairs import LabelledMentions
from samevent.training import PAIR_MODEL_SETTINGS
from samevent.training.entities import entity_example, train_entity_model
from samevent.training.uncertainty import FOLDS

_STEPS = 3
"""A mention takes part in an event if the head of the event is at most so many steps above its own in the parse."""
EventOf = Mapping[str, int]
"""The cluster of each event mention by id."""


@dataclass(frozen=True, slots=True, eq=False)
class JointEntities:
    """A pair model of entities that also looks at their events: a logistic model over the scores of the other.

    `event` has the event of each mention by id. One row of weights per kind of pair, within and across documents; None
    if nothing was learned about a kind.
    """

    base: EntityModel
    event: EventOf
    weights: Mapping[tuple[bool, int], Floats]

    def scores(self, table: EntityTable, pairs: EntityPairs, *, within: bool) -> Floats:
        """Return the log-odds that pairs are the same entity."""
        scores = self.base.scores(table, pairs, within=within)
        for kind in range(len(PAIR_KINDS)):
            here = pairs.kind == kind
            if (weights := self.weights.get((within, kind))) is not None and here.any():
                rows = event_columns(table, pairs, self.event)[here]
                scores[here] = np.column_stack([scores[here], rows, np.ones(len(rows))]) @ weights
        return scores


def event_columns(table: EntityTable, pairs: EntityPairs, event_of: EventOf) -> Floats:
    """Return whether pairs take part in the same event, in it in the same role, or in different events."""
    event = np.array([event_of.get(mention.id, -1) for mention in table.mentions], np.int64)
    role, first, second = table.codes["role"], event[pairs.i], event[pairs.j]
    known, same = (first >= 0) & (second >= 0), first == second
    roles = (role[pairs.i] == role[pairs.j]) & (role[pairs.i] >= 0)
    return np.stack([known & same, known & same & roles, known & ~same], axis=1).astype(np.float64)


def learn_joint(base: EntityModel, examples: Sequence[Example], event: EventOf) -> JointEntities:
    """Learn how much events count beside everything else."""
    weights: dict[tuple[bool, int], Floats] = {}
    for within, find in ((True, pairs_within), (False, pairs_across)):
        rows, kinds, same = [], [], []
        for table, entity in examples:
            pairs = find(table)
            scores = base.scores(table, pairs, within=within)
            rows.append(np.column_stack([scores, event_columns(table, pairs, event)]))
            kinds.append(pairs.kind)
            same.append(entity[pairs.i] == entity[pairs.j])
        values, kind, together = np.concatenate(rows), np.concatenate(kinds), np.concatenate(same)
        for number in range(len(PAIR_KINDS)):
            here = kind == number
            if 50 <= together[here].sum() < here.sum():
                model = LogisticRegression(max_iter=1000).fit(values[here], together[here])
                weights[within, number] = np.append(model.coef_[0], model.intercept_[0])
    return JointEntities(base, event, weights)


def events_above(
    document: Document, annotation: Annotation, mentions: Iterable[EntityMention], event_of: EventOf
) -> dict[str, int]:
    """Return the cluster of the event that each mention takes part in, by mention id."""
    heads = {m.head: event_of[m.id] for m in document.mentions if m.kind == "action" and m.id in event_of}
    found = {}
    for mention in mentions:
        at = mention.head
        for _ in range(_STEPS):
            at = annotation.heads[at]
            if at in heads:
                found[mention.id] = heads[at]
                break
    return found


@dataclass(eq=False)
class Part:
    """One corpus: its documents with event mentions and predicted arguments, dealt to folds by topic."""

    given: Given
    data: LabelledMentions
    fold_of: Mapping[str, int]
    """The fold of each document."""

    @property
    def prepared(self) -> Prepared:
        """Documents and their parses."""
        return self.given.prepared

    def table(self, fold: int, vectors: Any) -> EntityTable:
        """Return the participants of a fold."""
        parts = []
        for document in self.prepared.corpus:
            if self.fold_of[document.id] == fold:
                annotation = self.prepared.annotations[document.id]
                people = [m for m in document.mentions if m.kind == "participant"]
                parts.append(EntityDocument.of(document, annotation, describe(document, annotation, people)))
        return compile_entities(parts, vectors)

    def events_of_mentions(self, event_of: EventOf, table: EntityTable) -> dict[str, int]:
        """Return the event that each participant takes part in."""
        by_document: dict[str, list[EntityMention]] = {}
        documents = [d for d in self.prepared.corpus if any(m.kind == "participant" for m in d.mentions)]
        ids = {m.id: document.id for document in documents for m in document.mentions}
        for mention in table.mentions:
            by_document.setdefault(ids[mention.id], []).append(mention)
        found: dict[str, int] = {}
        for name, mentions in by_document.items():
            found |= events_above(
                self.prepared.corpus[name], self.prepared.annotations[name], mentions, event_of
            )
        return found

    def with_entities(self, entity_of: Mapping[str, int]) -> LabelledMentions:
        """Return the labelled mentions whose participants have the names of their entities, too."""
        events = {m.id: m for m in self.prepared.corpus.mentions("action")}
        extra = [
            [
                (ROLES.get(argument.role or "", OTHER), code(f"entity {entity_of[argument.mention]}"))
                for argument in events[id].arguments
                if argument.mention in entity_of
            ]
            for id in self.data.table.ids
        ]
        return replace(
            self.data, table=replace(self.data.table, referents=_joined(self.data.table.referents, extra))
        )


def _joined(referents: Referents, extra: Sequence[Sequence[tuple[int, int]]]) -> Referents:
    """Return referents with further participants in each row."""
    starts, rows = referents.who_starts, []
    for row, more in enumerate(extra):
        here = slice(starts[row], starts[row + 1])
        rows.append([*zip(referents.role[here].tolist(), referents.who[here].tolist(), strict=True), *more])
    return replace(
        referents,
        who_starts=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        who=np.array([who for row in rows for _, who in row], np.int64),
        role=np.array([role for row in rows for role, _ in row], np.int8),
    )


def resolve_events(
    data: LabelledMentions, links: MentionLinks, preset: str
) -> tuple[EventOf, dict[str, float]]:
    """Cluster events by links that were scored out of fold, and measure them."""
    system = cast(Hddcrp, clusterer("hddcrp", preset=preset))
    labels = average_link(system.integrated(Evidence(data.table), links, USUAL_UNCERTAINTY), system.cut)
    known = data.event >= 0
    figures = {"precision": average_precision(data, links), "conll": conll(data.event[known], labels[known])}
    return dict(zip(data.table.ids, labels.tolist(), strict=True)), figures


def conll(gold: Any, system: Any) -> float:
    """Return CoNLL F1 of labels over a whole corpus."""
    one = np.zeros(len(gold), np.int64)
    known, found = (np.unique(labels, return_inverse=True)[1] for labels in (gold, system))
    pairing = Pairing(one, one, known.astype(np.int64), found.astype(np.int64), ("all",), ("all",))
    return scores_of(pairing).conll


def main() -> None:
    """Print one JSON object per pass, and store them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("preset", choices=("light", "standard"))
    parser.add_argument("--data", type=Path, default=DATA / "ecbplus", help="the folder of ECB+")
    parser.add_argument("--other", type=Path, default=DATA / "gvc" / "dev.jsonl", help="another gold corpus")
    parser.add_argument("--encoders", type=Path, help="the work folder of `samevent train encoder`")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--output", type=Path, help="file for all rows")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    how = cast(BoostingSettings, PAIR_MODEL_SETTINGS[options.preset])
    material = read_material(options.data, options.other, options.encoders, None)
    (ours, other), half_of = material.gold, material.half_of
    vectors = ours.prepared.resources.vectors
    training = labelled(ours)
    fold_of_topic = {topic: number % FOLDS for number, topic in enumerate(training.topics)}
    folds = {d.id: fold_of_topic[str(d.topic)] for d in ours.prepared.corpus}
    parts = (
        Part(ours, training, folds),
        Part(other, labelled(other), dict.fromkeys(other.prepared.corpus.ids, FOLDS)),
    )
    texts = list(parse([d for d in read(options.data) if d.id in folds], None, cache=Cache()))
    learn = [[t for t in texts if folds[t.document.id] != fold] for fold in range(FOLDS)] + [texts]
    bases = [cast(EntityModel, train_entity_model(each, vectors)) for each in learn]
    gold = [_example(texts, folds, fold, vectors) for fold in range(FOLDS)]
    result = {"preset": options.preset, **provenance(0, {options.preset: repr(how)}), "rows": []}
    entity_of: list[Mapping[str, int]] = [{}, {}]
    event_of: list[EventOf] = [{}, {}]
    for number in range(1, options.passes + 1):
        row: dict[str, Any] = {"pass": number}
        tables = [
            part.with_entities(names) if names else part.data
            for part, names in zip(parts, entity_of, strict=True)
        ]
        links = out_of_fold_links(tables[0], how, half_of)
        event_of[0], row["ecb"] = resolve_events(tables[0], links, options.preset)
        trees = train_boosted(tables[0], settings=how, pairs=training_pairs(tables[0], how, half_of))
        data = replace(tables[1], table=tables[1].table.with_background(trees.background))
        links = find_links(data.table, trees, settings=LinkSettings(minimum_similarity=LEAST_LINK))
        event_of[1], row["other"] = resolve_events(data, links, options.preset)
        print(json.dumps(row), flush=True)
        joint = number > 1
        models = _entity_models(bases, gold, texts, parts[0], event_of[0]) if joint else bases
        found, known = [], []
        for fold, (table, entity) in enumerate(gold):
            found.append(cluster_entities(table, cast(EntityModel, models[fold])) + 1_000_000 * fold)
            known.append(entity + 1_000_000 * fold)
        row["entities"] = conll(np.concatenate(known), np.concatenate(found))
        print(json.dumps(row), flush=True)
        result["rows"].append(row)
        if options.output:
            options.output.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
        if number < options.passes:
            entity_of = [
                _people(part, models, event_of[at] if joint else {}, vectors) for at, part in enumerate(parts)
            ]


def _example(texts: Sequence[Parsed], folds: Mapping[str, int], fold: int, vectors: Any) -> Example:
    """Return the annotated entity mentions of a fold."""
    inside = [(text.document, text.annotation) for text in texts if folds[text.document.id] == fold]
    return entity_example(inside, vectors)[0]


def _entity_models(
    bases: Sequence[EntityModel],
    gold: Sequence[Example],
    texts: Sequence[Parsed],
    part: Part,
    event_of: EventOf,
) -> list[JointEntities]:
    """Return entity models that look at events, one per fold and one of all folds."""
    above: dict[str, int] = {}
    by_prefix = {m.id: m for table, _ in gold for m in table.mentions}
    for text in texts:
        ids = {m.id for m in text.document.mentions}
        mentions = [by_prefix[id] for id in ids if id in by_prefix]
        above |= events_above(part.prepared.corpus[text.document.id], text.annotation, mentions, event_of)
    return [
        learn_joint(base, [example for at, example in enumerate(gold) if at != fold], above)
        for fold, base in enumerate(bases)
    ]


def _people(part: Part, models: Sequence[Any], event_of: EventOf, vectors: Any) -> dict[str, int]:
    """Return the entity of each participant across the documents of its fold."""
    found: dict[str, int] = {}
    for fold in sorted(set(part.fold_of.values())):
        table, model = part.table(fold, vectors), models[fold]
        if isinstance(model, JointEntities):
            model = replace(model, event=part.events_of_mentions(event_of, table))
        labels = cluster_entities(table, model) + 1_000_000 * fold
        found |= dict(zip((mention.id for mention in table.mentions), labels.tolist(), strict=True))
    return found


if __name__ == "__main__":
    main()
