"""Who is who across documents: the named entities of neighbouring documents, joined by the HDDCRP.

Documents are restaurants, their named entities customers; who is one entity within a document is known by then. Only
neighbours are compared, and of their entities those whose names can be of one (`entity_names`), by the model that
compares mentions of different documents. Descriptions and pronouns follow the entity of their document.

What names are too short to say, neighbours must: two people called *Reid* in unrelated documents are two entities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Entity
from samevent.grounding.entities import EntityReader
from samevent.grounding.entity_clusters import LARGEST, EntitySettings
from samevent.grounding.entity_mentions import EntityMention
from samevent.grounding.entity_names import compatible, parse_name
from samevent.grounding.entity_pairs import EntityPairs
from samevent.grounding.entity_tables import EntityDocument, Floats, Integers, compile_entities
from samevent.grounding.identities import Identities
from samevent.grounding.named_entities import GENDER_CODES, LABELS, NamedEntities, Numbers
from samevent.hddcrp import FitSettings, Problem, fit_uncertain
from samevent.hddcrp.batches import component_batches
from samevent.hddcrp.problem import Rows
from samevent.memory import trim
from samevent.partitions.sparse_linkage import sparse_average_link

JOINING = EntitySettings(cut=0.5)
"""As within documents, but groups are joined only if they are more probably one entity than not."""
Neighbours = tuple[Numbers, Numbers, Floats]
"""Pairs of documents d > e by number, and their similarities."""
Related = Callable[[Integers, Integers, Floats], NDArray[np.bool_]]
"""Whether documents are neighbours also without the words that two names share: of rows, with the similarities."""

_BLOCK = 1 << 16
"""About so many names of neighbours are looked up at a time."""
_LINKS = 1 << 14
"""About so many links are sampled at a time."""
_DIGITS = 6
"""Log-odds are rounded, so that the order in which a machine adds numbers leaves no trace."""


def join_entities(
    entities: NamedEntities,
    documents: Sequence[str],
    neighbours: Neighbours,
    reader: EntityReader | None,
    *,
    related: Related | None = None,
    known: Identities | None = None,
    settings: EntitySettings = JOINING,
    seed: int = 0,
    jobs: int = 1,
) -> Identities:
    """Return which named entities are one, given the neighbours of documents, which are known by their ids.
    Without a reader, names alone count. Rows that are not `related` are not compared.

    The first rows may be `known` already: they keep what they are, and others join them.
    """
    first = len(known) if known else 0
    i, j, scores = _linked(entities, neighbours, reader, related, first, settings)
    labels = _clusters(entities, i, j, scores, settings, seed, jobs)
    return _identified(entities, documents, labels, known)


def _linked(
    entities: NamedEntities,
    neighbours: Neighbours,
    reader: EntityReader | None,
    related: Related | None,
    first: int,
    settings: EntitySettings,
) -> tuple[Numbers, Numbers, Floats]:
    """Return the rows that may be linked, the later one first, and their log-odds.

    The later one is at least row `first`: earlier rows are not linked to each other.
    """
    if reader is None:
        return _NONE, _NONE, np.zeros(0)
    least = settings.least_log_odds - settings.uncertainty.shifts(settings.draws)[-1]
    found: list[tuple[Numbers, Numbers, Floats]] = [(_NONE, _NONE, np.zeros(0))]
    for i, j, similarity in _candidates(entities, neighbours):
        if related:
            kept = related(i, j, similarity)
            i, j, similarity = i[kept], j[kept], similarity[kept]
        rows, place = np.unique(np.concatenate([i, j]), return_inverse=True)
        table = compile_entities([EntityDocument("", _mentions(entities, rows))], reader.vectors)
        pairs = EntityPairs.of(table, place[: len(i)], place[len(i) :], similarity)
        scores = np.clip(reader.model.scores(table, pairs, within=False), -LARGEST, LARGEST).round(_DIGITS)
        kept = (scores > least) & (i >= first)
        found.append((i[kept].astype(np.int32), j[kept].astype(np.int32), scores[kept]))
    later, earlier, log_odds = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((earlier, later))
    return later[order], earlier[order], log_odds[order]


_NONE = np.zeros(0, np.int32)


def _candidates(
    entities: NamedEntities, neighbours: Neighbours
) -> Iterator[tuple[Integers, Integers, Floats]]:
    """Yield rows of neighbours whose names can be of one entity, and how similar their documents are, in blocks."""
    keys = [sorted(parse_name(name).keys) for name in entities.names]
    number = {key: at for at, key in enumerate(sorted({key for own in keys for key in own}))}
    sizes = np.array([len(own) for own in keys], np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    numbers = np.array([number[key] for own in keys for key in own], np.int64)
    del keys
    # One entry per key of a row: the entries of a document follow each other, keys ascending.
    entry, row = _spread(starts[:-1][entities.name], sizes[entities.name])
    key = numbers[entry]
    order = np.lexsort((row, key, entities.document[row]))
    key, row = key[order], row[order]
    d, e, similarity = neighbours
    bounds = np.searchsorted(entities.document[row], np.arange(max(int(d.max(initial=-1)), -1) + 2))
    counts = np.diff(bounds)
    ends = np.cumsum(counts[d] + counts[e])
    cuts = np.searchsorted(ends, np.arange(_BLOCK, int(ends[-1]) if len(ends) else 0, _BLOCK))
    for part in np.split(np.arange(len(d)), cuts):
        (at, pair), (other, others) = (
            _spread(bounds[:-1][side[part]], counts[side[part]]) for side in (d, e)
        )
        theirs = others * len(number) + key[other]
        mine = pair * len(number) + key[at]
        low = np.searchsorted(theirs, mine)
        matched, which = _spread(low, np.searchsorted(theirs, mine, side="right") - low)
        i, j, similar = row[at[which]], row[other[matched]], similarity[part[pair[which]]]
        _, once = np.unique(i * len(entities) + j, return_index=True)
        i, j, similar = i[once], j[once], similar[once]
        kept = _compatible(entities, i, j)
        yield i[kept], j[kept], similar[kept]


def _spread(starts: NDArray[np.integer], sizes: NDArray[np.integer]) -> tuple[Integers, Integers]:
    """Return the numbers from each start on, so many as its size, and the place of their start.

    >>> [part.tolist() for part in _spread(np.array([5, 9]), np.array([2, 1]))]
    [[5, 6, 9], [0, 0, 1]]
    """
    place = np.repeat(np.arange(len(starts)), sizes)
    before = np.cumsum(sizes) - sizes
    return np.arange(len(place)) + (starts - before)[place], place


def _compatible(entities: NamedEntities, i: Integers, j: Integers) -> NDArray[np.bool_]:
    names = entities.names
    columns = (entities.name[i], entities.name[j], entities.label[i], entities.label[j])
    return np.array(
        [
            compatible(names[a], names[b], LABELS[first], LABELS[second])
            for a, b, first, second in zip(*(column.tolist() for column in columns), strict=True)
        ],
        np.bool_,
    )


def _mentions(entities: NamedEntities, rows: Integers) -> list[EntityMention]:
    return [
        _mention(entities.names[name], LABELS[label], gender)
        for name, label, gender in zip(
            *(c[rows].tolist() for c in (entities.name, entities.label, entities.gender)), strict=True
        )
    ]


def _mention(text: str, label: str, gender: int) -> EntityMention:
    """Return a mention of an entity by its name alone, as the pair model compares mentions."""
    name = parse_name(text)
    told = GENDER_CODES[gender]
    return EntityMention(
        id=text, start=0, end=len(name.words), sentence=0, head=0, text=text, form="name", lemma=name.head[-1],
        words=name.words, name=name.words, capitals=name.capitals, called=text, label=label, number="one", gender=told,
        person="", animacy="person" if told or label == "PERSON" else "thing" if label else "", definite=False, verb="",
        role="",
    )  # fmt: skip


def _clusters(
    entities: NamedEntities,
    i: Numbers,
    j: Numbers,
    scores: Floats,
    settings: EntitySettings,
    seed: int,
    jobs: int,
) -> Integers:
    """Return the first row of the entity of each row; components of links are independent, so some at a time do."""
    # Rows that nothing may be linked to are entities of their own, and no customers.
    linked = np.zeros(len(entities), np.bool_)
    linked[i] = linked[j] = True
    rows, place = np.flatnonzero(linked), np.cumsum(linked, dtype=np.int32) - 1
    later, earlier = place[i], place[j]
    labels = np.arange(len(entities))
    for batch in component_batches(len(rows), later, earlier, most=_LINKS):
        own, count = rows[batch.customers], len(batch.customers)
        a, b = (np.searchsorted(batch.customers, side[batch.links]) for side in (later, earlier))
        problem = Problem(
            document=np.unique(entities.document[own], return_inverse=True)[1].astype(np.int32),
            words=Rows.empty(count),
            within=Rows.empty(count),
            # A table link leads from either document to the other.
            across=Rows.from_triples(count, np.append(a, b), np.append(b, a), np.ones(2 * len(a))),
            vocabulary=1,
            dirichlet=1.0,
            likelihood_weight=0.0,
            alpha_within=settings.alpha_within,
            alpha_across=settings.alpha_across,
            names=batch.customers,
        )
        posterior = fit_uncertain(
            problem, settings.uncertainty, within=[],
            across=np.tile(scores[batch.links], 2)[np.lexsort((np.append(b, a), np.append(a, b)))],
            draws=settings.draws, truncation=settings.least_log_odds, jobs=jobs,
            settings=FitSettings(seed=seed, sweeps=settings.sweeps, exact_limit=1e4, keep=1),
        )  # fmt: skip
        pairs = zip(posterior.left.tolist(), posterior.right.tolist(), strict=True)
        together = dict(zip(pairs, posterior.together.round(_DIGITS).tolist(), strict=True))
        labels[own] = own[sparse_average_link(count, together, settings.cut)]
        del problem, posterior, pairs, together
        trim()  # the chains of a batch were many small arrays
    return labels


def _identified(
    entities: NamedEntities, documents: Sequence[str], labels: Integers, known: Identities | None
) -> Identities:
    """Give clusters the ids that they are known by, or ids made of their fullest names."""
    groups: dict[int, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(row)
    first = len(known) if known else 0
    number = np.empty(len(entities), np.int32)
    found: dict[Entity, int] = {}
    if known:
        number[:first] = known.number
        found = {Entity(*each): at for at, each in enumerate(zip(known.ids, known.names, strict=True))}
    for rows in groups.values():
        old = Counter(known.entity(row) for row in rows if row < first) if known else Counter()
        entity = max(old, key=lambda each: old[each]) if old else _named(entities, documents, rows)
        number[[row for row in rows if row >= first]] = found.setdefault(entity, len(found))
    return Identities(number, tuple(entity.id for entity in found), tuple(entity.name for entity in found))


def _named(entities: NamedEntities, documents: Sequence[str], rows: Sequence[int]) -> Entity:
    """Return the entity of some rows, the first one first, under its fullest name.

    Names of several words come before others, then those of most documents, then the one with the most words: what the
    parser takes for part of a name in one document only is no reason to call somebody so in all.
    A person's name of a single word belongs to the neighbours that use it, so the first document is part of the id.
    """
    counts = Counter(int(entities.name[row]) for row in rows)
    sizes = {name: len(parse_name(entities.names[name]).words) for name in counts}
    fullest = max(counts, key=lambda name: (sizes[name] > 1, counts[name], sizes[name]))
    entity = Entity.named(entities.names[fullest])
    if len(parse_name(entity.name).words) > 1 or not _is_person(entities, rows):
        return entity
    return replace(entity, id=f"{entity.id}@{documents[entities.document[rows[0]]]}")


def _is_person(entities: NamedEntities, rows: Sequence[int]) -> bool:
    """Return whether most rows are those of a person, by their labels, or by their gender where they have none."""
    labels = [LABELS[entities.label[row]] for row in rows]
    told = [GENDER_CODES[entities.gender[row]] in ("female", "male") for row in rows]
    persons = [label == "PERSON" if label else known for label, known in zip(labels, told, strict=True)]
    return bool(2 * sum(persons) >= len(persons))
