"""What boosted trees look at in a pair: the features of the log-linear model, and others that may be unknown.

A tree can treat a missing value on its own, so a cosine of two bags is NaN where one of them is empty: *no place is
named* is not *other places*. Bags are weighted by inverse document frequency: a shared *Yida* says more than a shared
*Sudan*. All features are symmetric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from weakref import WeakKeyDictionary, ref

import numpy as np
from numba import njit

from samevent.grounding.compatibility import (
    AGENT,
    OTHER,
    PATIENT,
    Comparison,
    days_apart,
    same_place,
    same_quantities,
    same_who,
    time_overlap,
)
from samevent.similarity.bags import Bags, Floats, Indices, Starts, dots
from samevent.similarity.documents import compare_documents, topical_similarity
from samevent.similarity.features import FEATURES, Compare, Feature, dot_products, equal, field_cosine
from samevent.similarity.mentions import (
    ARGUMENT_NAMES,
    ARGUMENTS,
    ENTITIES,
    LEAD,
    LEAD_NAMES,
    NAMES,
    SENTENCE,
    SENTENCE_BAGS,
    MentionTable,
    once_per_table,
)

CONTEXT_GROUP = "contextual"
"""The group of the features that need an encoder."""
LARGE_GROUP = "large"
"""The group of the features that need the large encoder as well."""
ARGUMENT_GROUP = "arguments"
GROUNDING_GROUP = "grounding"
"""The group of the features that compare when, where, how many and who."""

Counted = Callable[[MentionTable], Floats]
"""A number of each row of a table."""


def head_stem(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return whether the lemmas of the heads have the same stem."""
    return equal(table.heads.stem[table.head], i, j)


def same_sentence(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return whether both mentions are in one sentence, which seldom mentions an event twice."""
    return equal(table.sentence, i, j)


def documents(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the topical similarity of the documents of the mentions; 1 within a document."""
    return compare_documents(table, i, j, topical_similarity)


def contextual(name: str, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the cosine of contextual vectors; NaN without an encoder."""
    cosines = np.full(len(i), np.nan)
    if name in table.contextual:
        dot_products(table.contextual[name], i, j, cosines)
    return cosines


def same_document(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return whether both mentions are in one document."""
    return equal(table.document, i, j)


def days_between(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return how many days apart two documents are dated; NaN if one has no date."""
    day = table.day[table.document]
    days: Floats = np.abs(day[i] - day[j])
    return days


def sentences_between(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return how many sentences apart two mentions of one document are; NaN across documents."""
    apart: Floats = np.abs(table.position[i] - table.position[j]).astype(np.float64)
    apart[table.document[i] != table.document[j]] = np.nan
    return apart


def weighted_cosine(bags: Bags, weights: Floats, i: Indices, j: Indices) -> Floats:
    """Return the cosine of word counts weighted by inverse document frequency; NaN if a row is empty."""
    values, lengths = _scaled(bags, weights)
    cosines: Floats = np.minimum(dots(bags, values, i, j), 1.0) + 0.0 * (lengths[i] + lengths[j])
    return cosines


def _scaled(bags: Bags, weights: Floats) -> tuple[Floats, Floats]:
    """Return weighted counts, rows of unit length, and the lengths; kept, because every block of pairs needs them."""
    known = _SCALED.get(bags)
    if known is None or known[0]() is not weights:
        values = bags.counts * weights[bags.words]
        squares = np.add.reduceat(np.append(values**2, 0.0), bags.starts[:-1]) * bags.present
        lengths = np.sqrt(np.where(squares > 0, squares, np.nan))
        known = ref(weights), values / np.repeat(lengths, np.diff(bags.starts)), lengths
        _SCALED[bags] = known
    return known[1:]


_SCALED: WeakKeyDictionary[Bags, tuple[ref[Floats], Floats, Floats]] = WeakKeyDictionary()


def sentence_bag(name: str, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Compare what the sentences around two mentions name."""
    return weighted_cosine(table.sentences[name], table.weights, i, j)


def document_bag(name: str, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Compare what the documents of two mentions name."""

    def compare(table: MentionTable, d: Indices, e: Indices) -> Floats:
        return weighted_cosine(table.about_documents[name], table.weights, d, e)

    return compare_documents(table, i, j, compare)


def field_bag(name: str, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Compare a field with words weighted by inverse document frequency."""
    return weighted_cosine(table.fields[name], table.weights, i, j)


def lower(number: Counted, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the lower number of the two mentions."""
    numbers = number(table)
    lowest: Floats = np.minimum(numbers[i], numbers[j])
    return lowest


def higher(number: Counted, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the higher number of the two mentions."""
    numbers = number(table)
    highest: Floats = np.maximum(numbers[i], numbers[j])
    return highest


def position(table: MentionTable) -> Floats:
    """Return the number of the sentence in its document, from 1."""
    positions: Floats = 1 + table.position.astype(np.float64)
    return positions


@once_per_table
def rarity(table: MentionTable) -> Floats:
    """Return the inverse document frequency of the head's lemma."""
    place = {word: number for number, word in enumerate(table.vocabulary)}
    unseen = float(table.weights.max(initial=0.0))
    by_lemma = [table.weights[place[lemma]] if lemma in place else unseen for lemma in table.heads.lemmas]
    rarities: Floats = np.array(by_lemma, np.float64)[table.heads.lemma[table.head]]
    return rarities


def heads_tagged(prefixes: tuple[str, ...], table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return how many of the two heads have a tag that begins like this: 0, 1 or 2."""
    by_tag = np.array([tag.startswith(prefixes) for tag in table.heads.tags], np.float64)
    tagged = by_tag[table.heads.tag[table.head]]
    total: Floats = tagged[i] + tagged[j]
    return total


def light_heads(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return how many of the two heads say little by themselves."""
    light = _light(table)
    total: Floats = light[i] + light[j]
    return total


@once_per_table
def _light(table: MentionTable) -> Floats:
    light: Floats = np.array([lemma in _LIGHT for lemma in table.heads.lemmas], np.float64)
    return light[table.heads.lemma[table.head]]


@once_per_table
def _lemmas_of_documents(table: MentionTable) -> tuple[Starts, Indices, Indices]:
    """Return the head lemmas of each document, ascending, and how many of its mentions have each.

    Document `d` has the entries `starts[d]:starts[d + 1]`.
    """
    width = max(len(table.heads.lemmas), 1)
    codes, counts = np.unique(
        table.document.astype(np.int64) * width + _head_lemma(table), return_counts=True
    )
    starts = np.searchsorted(codes, np.arange(len(table.documents) + 1) * width)
    return starts, (codes % width).astype(np.int32), counts.astype(np.int32)


@once_per_table
def _head_lemma(table: MentionTable) -> Indices:
    return table.heads.lemma[table.head]


def reporting_heads(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return how many of the two heads denote saying, thinking or perceiving."""
    reporting = _reporting(table)
    total: Floats = reporting[i] + reporting[j]
    return total


@once_per_table
def _reporting(table: MentionTable) -> Floats:
    by_kind = np.array([*(kind in _REPORTING for kind in table.heads.kinds), False], np.float64)
    return by_kind[table.heads.kind[table.head]]  # the last one stands for -1


def same_kind(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return whether WordNet counts both heads among one sort of event; NaN if it does not know one."""
    kind = table.heads.kind[table.head]
    return np.where((kind[i] < 0) | (kind[j] < 0), np.nan, equal(kind, i, j))


def rivals(more: bool, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Count the mentions in the document of one whose head lemma is that of the other, beside the two themselves.

    A document that says *crash* itself seldom calls the crash of another document *accident*. Of the two counts, the
    greater is returned if `more`, else the smaller.
    """
    counts = np.empty(len(i))
    spread = np.zeros((2, len(table.heads.lemmas)), np.int32)
    _rivals(table.document, _head_lemma(table), *_lemmas_of_documents(table), i, j, more, spread, counts)
    return counts


@njit(cache=True, nogil=True)
def _rivals(document, lemma, starts, lemmas, counts, i, j, more, spread, out):  # type: ignore[no-untyped-def]
    """Count rivals with the lemmas of both documents spread out; fastest if pairs come sorted by document."""
    d, e = -1, -1
    for pair in range(len(i)):
        row, other = i[pair], j[pair]
        if document[row] != d:
            for at in range(starts[d], starts[d + 1]) if d >= 0 else range(0):
                spread[0, lemmas[at]] = 0
            d = document[row]
            for at in range(starts[d], starts[d + 1]):
                spread[0, lemmas[at]] = counts[at]
        if document[other] != e:
            for at in range(starts[e], starts[e + 1]) if e >= 0 else range(0):
                spread[1, lemmas[at]] = 0
            e = document[other]
            for at in range(starts[e], starts[e + 1]):
                spread[1, lemmas[at]] = counts[at]
        themselves = int(lemma[row] == lemma[other]) + int(d == e)
        first, second = spread[1, lemma[row]] - themselves, spread[0, lemma[other]] - themselves
        out[pair] = max(max(first, second) if more else min(first, second), 0)


def referents(compare: Comparison, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Compare what two mentions refer to."""
    return compare(table.referents, i, j)


def _feature(
    name: str, group: str, about: str, compare: Compare, unknown: str = "", otherwise: str = ""
) -> Feature:
    return Feature(name, group, about, compare, otherwise=otherwise, unknown=unknown)


def _grounded(
    name: str, compare: Comparison, about: str, unknown: str, otherwise: str, partly: str = ""
) -> Feature:
    comparison = partial(referents, compare)
    return Feature(
        name, GROUNDING_GROUP, about, comparison, otherwise=otherwise, unknown=unknown, partly=partly
    )


def _of_sentences(name: str) -> Feature:
    label = "names or numbers" if name == NAMES else name
    return _feature(
        f"sentence_{name}", "entities", f"{label} of the sentences {{:.2f}} similar", partial(sentence_bag, name),
        f"no {label} in one of the sentences",
    )  # fmt: skip


def _of_documents(name: str) -> Feature:
    return _feature(
        f"document_{name}", "entities", f"{name} of the documents {{:.2f}} similar", partial(document_bag, name),
        f"no {name} in one of the documents",
    )  # fmt: skip


def _of_field(field: str, label: str, group: str) -> Feature:
    return _feature(
        f"informative_{field}", group, f"informative words of the {label} {{:.2f}} similar", partial(field_bag, field),
        f"not both have {label}",
    )  # fmt: skip


def _contextual(name: str, group: str, about: str) -> Feature:
    return _feature(f"contextual_{name}", group, about, partial(contextual, name), "no contextual vectors")


_LIGHT = frozenset(
    "be become come do get give go happen have it keep make put start take thing this that".split()
)
"""Lemmas of heads that say little by themselves."""
_REPORTING = ("communication", "cognition", "perception")
_PARTLY_PLACE = "places that agree {:.2f} (above 0.5 one lies in the other)"
_LARGE = {"large": "by the large encoder", "frozen": "by the large encoder untuned"}

TREE_FEATURES: tuple[Feature, ...] = (
    *FEATURES,
    _feature("head_stem", "stem", "same head stem", head_stem, otherwise="different head stems"),
    _feature(SENTENCE, SENTENCE, "sentences {:.2f} similar", partial(field_cosine, SENTENCE)),
    _feature(
        "same_sentence", SENTENCE, "in the same sentence", same_sentence, otherwise="in different sentences"
    ),
    _feature("documents", "documents", "documents {:.2f} similar in topic", documents),
    _contextual("last", CONTEXT_GROUP, "mentions {:.2f} similar in context"),
    _contextual("middle", CONTEXT_GROUP, "words in context {:.2f} similar"),
    _contextual("unit", CONTEXT_GROUP, "passages {:.2f} similar in meaning"),
    *(
        feature
        for kind, by in _LARGE.items()
        for feature in (
            _contextual(f"{kind}_last", LARGE_GROUP, f"mentions {{:.2f}} similar in context {by}"),
            _contextual(f"{kind}_middle", LARGE_GROUP, f"words in context {{:.2f}} similar {by}"),
            _contextual(f"{kind}_unit", LARGE_GROUP, f"passages {{:.2f}} similar in meaning {by}"),
        )
    ),
    _feature(
        "same_document", "document", "in the same document", same_document, otherwise="in different documents"
    ),
    _feature(
        "sentences_between", "position", "{:.0f} sentences apart", sentences_between, "in different documents",
        "in the same sentence",
    ),
    _feature("earlier_position", "position", "one in sentence {:.0f} of its document", partial(lower, position)),
    _feature("later_position", "position", "the other in sentence {:.0f} of its document", partial(higher, position)),
    _feature("rarer_head", "frequency", "the rarer head has rarity {:.1f}", partial(higher, rarity)),
    _feature("commoner_head", "frequency", "the more common head has rarity {:.1f}", partial(lower, rarity)),
    _feature(
        "fewer_rivals", "rivals", "both documents have {:.0f} or more other mentions of the other's word",
        partial(rivals, False), otherwise="one document has no other mention of the other's word",
    ),
    _feature(
        "more_rivals", "rivals", "a document has {:.0f} other mentions of the other's word",
        partial(rivals, True), otherwise="neither document has another mention of the other's word",
    ),
    _feature("verbs", "tags", "{:.0f} of the heads are verbs", partial(heads_tagged, ("VB", "MD"))),
    _feature("nouns", "tags", "{:.0f} of the heads are nouns", partial(heads_tagged, ("NN",))),
    _feature("light_heads", "tags", "{:.0f} of the heads say little by themselves", light_heads),
    _feature("pronouns", "tags", "{:.0f} of the heads are pronouns", partial(heads_tagged, ("PRP", "DT", "W", "EX"))),
    _feature(
        "reporting_heads", "classes", "{:.0f} of the heads denote saying, thinking or perceiving", reporting_heads,
        otherwise="no head denotes saying, thinking or perceiving",
    ),
    _feature(
        "same_kind", "classes", "the same sort of event", same_kind, "one head is of no known sort",
        "different sorts of events",
    ),
    _feature(
        "informative_sentence", "sentence", "informative words of the sentences {:.2f} similar",
        partial(field_bag, SENTENCE), "nothing else in one of the sentences",
    ),
    _of_field("participants", "participants", "participants"),
    _of_field("arg0", "ARG0", ARGUMENT_GROUP),
    _of_field("arg1", "ARG1", ARGUMENT_GROUP),
    _of_field("times", "times", ARGUMENT_GROUP),
    _of_field("locations", "locations", ARGUMENT_GROUP),
    _of_field(ARGUMENT_NAMES, "names and numbers among the arguments", ARGUMENT_GROUP),
    *map(_of_sentences, SENTENCE_BAGS),
    *map(_of_documents, ENTITIES),
    _feature(
        "days_between", "dates", "documents dated {:.0f} days apart", days_between, "no date of one of the documents",
        "documents of the same day",
    ),
    _feature("leads", "lead", "lead sentences {:.2f} similar", partial(document_bag, LEAD), "no lead sentence"),
    _feature(
        "lead_names", "lead", "names and numbers of the leads {:.2f} similar", partial(document_bag, LEAD_NAMES),
        "no names or numbers in one of the leads",
    ),
    _grounded(
        "stated_days_between", days_apart, "by their sentences {:.0f} days apart",
        "not both sentences say when", "the sentences say the same time, or one that includes it",
    ),
    _grounded(
        "stated_time_overlap", time_overlap, "the sentences say the same days", "not both sentences say when",
        "the sentences say different days", "the days that the sentences say overlap",
    ),
    _grounded(
        "stated_place", same_place, "the sentences say the same place", "not both sentences say where",
        "the sentences say places in different countries", _PARTLY_PLACE,
    ),
    _grounded(
        "least_same_quantity", partial(same_quantities, True), "the same numbers", "no numbers of the same things",
        "the numbers of the same things contradict each other", "the numbers are compatible",
    ),
    _grounded(
        "most_same_quantity", partial(same_quantities, False), "a number of the same things is the same",
        "no numbers of the same things", "all numbers of the same things contradict each other",
        "a number of the same things is compatible",
    ),
    _grounded(
        "same_agent", partial(same_who, AGENT), "the same agent by name", "the agent of one event has no name",
        "agents with different names",
    ),
    _grounded(
        "same_patient", partial(same_who, PATIENT), "the same patient by name", "the patient of one event has no name",
        "patients with different names",
    ),
    _grounded(
        "same_participant", partial(same_who, OTHER), "a participant with the same name",
        "no named participant in one of the events", "all participants have different names",
    ),
)  # fmt: skip
"""The columns of boosted trees, in order."""

DIRECTIONS: Mapping[str, int] = {
    feature.name: -1 if feature.name.endswith("days_between") else 1
    for feature in TREE_FEATURES
    if feature.group in (GROUNDING_GROUP, "dates")
}
"""Features of which more never speaks against (1), or never for (-1), the same event: what contradicts is no evidence
for it, whatever a training corpus says."""

_FIELD_OF = {f"informative_{field}": field for field in (SENTENCE, *ARGUMENTS, ARGUMENT_NAMES)}
_SENTENCE_BAG_OF = {f"sentence_{name}": name for name in SENTENCE_BAGS}
_DOCUMENT_BAG_OF = {**{f"document_{name}": name for name in ENTITIES}, "leads": LEAD, LEAD_NAMES: LEAD_NAMES}


SAME_DOCUMENT = "same_document"
ABOUT_DOCUMENTS = frozenset(("documents", "days_between", *_DOCUMENT_BAG_OF))
"""The features that compare documents: of a pair within a document, they all say the same."""


def compared_words(table: MentionTable, feature: str, mention: int) -> Indices:
    """Return the words of a mention that a feature compares; none if it compares no words."""
    if feature in _SENTENCE_BAG_OF:
        return table.sentences[_SENTENCE_BAG_OF[feature]].row(mention)
    if feature in _DOCUMENT_BAG_OF:
        return table.about_documents[_DOCUMENT_BAG_OF[feature]].row(int(table.document[mention]))
    field = _FIELD_OF.get(feature, feature)
    return table.fields[field].row(mention) if field in table.fields else np.empty(0, np.int32)


def columns(
    table: MentionTable, i: Indices, j: Indices, features: Sequence[Feature] = TREE_FEATURES
) -> np.ndarray:
    """Return one row per pair and one column per feature, in single precision; columns are contiguous."""
    matrix = np.empty((len(i), len(features)), np.float32, order="F")
    first, place = _document_runs(table, i, j)
    for number, feature in enumerate(features):
        if feature.name in ABOUT_DOCUMENTS:
            matrix[:, number] = feature.compare(table, i[first], j[first])[place]
        else:
            matrix[:, number] = feature.compare(table, i, j)
    return matrix


def _document_runs(table: MentionTable, i: Indices, j: Indices) -> tuple[Indices, Indices]:
    """Return the first of each run of pairs of the same two documents, and the run of each pair.

    Pairs come sorted by document, so there are far fewer runs than pairs.
    """
    d, e = table.document[i], table.document[j]
    new = np.ones(len(i), np.bool_)
    new[1:] = (d[1:] != d[:-1]) | (e[1:] != e[:-1])
    return np.flatnonzero(new).astype(np.int32), (np.cumsum(new) - 1).astype(np.int32)
