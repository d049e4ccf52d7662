"""The pair features of Eq. 6, each a small function over arrays of pairs.

All features but one are numbers with a fixed range. The exception is the pair of tags of the heads, a category
(`tag_pairs`). Every feature belongs to a group, and groups can be switched off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit

from samevent.similarity.bags import Booleans, Floats, Indices
from samevent.similarity.mentions import ARGUMENTS, FIELDS, MentionTable

Compare = Callable[[MentionTable, Indices, Indices], Floats]

TAGS = "tags"
"""The group of the tag pairs."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A symmetric number for each pair of rows, in the log-linear model between `lowest` and 1.

    `about` describes a value in words, `otherwise` the value 0 if it is special, `partly` values between 0 and 1 if
    they are, and `unknown` a missing value (NaN).
    """

    name: str
    group: str
    about: str
    compare: Compare
    lowest: float = 0.0
    otherwise: str = ""
    unknown: str = ""
    partly: str = ""

    def describe(self, value: float) -> str:
        """Return a value in words.

        >>> FEATURES[1].describe(1.0), FEATURES[1].describe(0.0)
        ('same head lemma', 'different head lemmas')
        """
        if np.isnan(value):
            return self.unknown or f"{self.name} unknown"
        if value == 0 and self.otherwise:
            return self.otherwise
        return (self.partly if 0 < value < 1 and self.partly else self.about).format(value)


def head_word(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return whether the head words are equal, ignoring case."""
    return equal(table.heads.word[table.head], i, j)


def head_lemma(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return whether the lemmas of the heads are equal."""
    return equal(table.heads.lemma[table.head], i, j)


def head_vector(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the cosine of the vectors of the head words; 0 for unknown words, even for equal ones."""
    word = table.heads.word[table.head]
    cosines = np.empty(len(i))
    dot_products(table.heads.vectors, word[i], word[j], cosines)
    return cosines


def synonyms(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the Jaccard coefficient of the synonyms of the heads."""
    return table.heads.synonyms.jaccards(table.head[i], table.head[j])


def field_cosine(field: str, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the cosine of the word counts of a field; 0 where one of them is empty."""
    return table.fields[field].cosines(i, j)


def both_present(field: str, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return whether the field is nonempty in both, so that a cosine of 0 means different, not unknown."""
    present = table.fields[field].present
    return (present[i] & present[j]).astype(np.float64)


def presence_name(field: str) -> str:
    """Return the name of the presence feature of a field."""
    return f"both_{field}"


_LABELS = {
    "words": "mention words",
    "context": "surrounding words",
    "participants": "participants",
    "times": "times",
    "locations": "locations",
    "arg0": "ARG0",
    "arg1": "ARG1",
    "arg2": "ARG2",
}

FEATURES: tuple[Feature, ...] = (
    Feature("head_word", "string", "same head word", head_word, otherwise="different head words"),
    Feature("head_lemma", "string", "same head lemma", head_lemma, otherwise="different head lemmas"),
    Feature("head_vector", "vector", "head vectors {:.2f} similar", head_vector, lowest=-1.0),
    Feature("synonyms", "synonyms", "head synonyms {:.2f} similar", synonyms),
    *(
        Feature(field, field, f"{_LABELS[field]} {{:.2f}} similar", partial(field_cosine, field))
        for field in FIELDS
    ),
    *(
        Feature(
            presence_name(field),
            field,
            f"both have {_LABELS[field]}",
            partial(both_present, field),
            otherwise=f"not both have {_LABELS[field]}",
        )
        for field in ARGUMENTS
    ),
)
"""The numeric features of the paper, in the order in which a score adds them up."""


def tag_pairs(table: MentionTable, i: Indices, j: Indices) -> tuple[Indices, Indices, Booleans]:
    """Return the tags of the heads, as numbers, and whether they are ordered.

    Within a document, the first tag is that of the mention that comes first. Pairs across documents have no order:
    they count half as one order and half as the other.
    """
    tag = table.heads.tag[table.head]
    return (
        tag[np.minimum(i, j)],
        tag[np.maximum(i, j)],
        table.document[i] == table.document[j],
    )


def equal(values: Indices, i: Indices, j: Indices) -> Floats:
    """Return 1 where both rows have the same value, else 0."""
    same: Booleans = values[i] == values[j]
    return same.astype(np.float64)


_LANES = 32


@njit(cache=True, nogil=True)
def dot_products(rows, i, j, out):  # type: ignore[no-untyped-def]
    """Write the dot product of each pair of rows to `out`.

    Every 32nd product goes to the same sum, so that vector instructions add them in an order that no machine changes.
    """
    dimension = rows.shape[1]
    even = dimension - dimension % _LANES
    sums = np.empty(_LANES)
    for pair in range(len(i)):
        a, b = rows[i[pair]], rows[j[pair]]
        sums[:] = 0.0
        for first in range(0, even, _LANES):
            for lane in range(_LANES):
                sums[lane] += np.float64(a[first + lane]) * np.float64(b[first + lane])
        total = 0.0
        for lane in range(_LANES):
            total += sums[lane]
        for k in range(even, dimension):
            total += np.float64(a[k]) * np.float64(b[k])
        out[pair] = total
