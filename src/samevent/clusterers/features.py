"""What generative clusterers observe of a mention: words and the features of Bejan & Harabagiu (2010), as channels.

Our reading of their HDP family, whose features come in groups:

    LF  lexical     the mention's words, its head lemma, three words on each side
    WF  WordNet     synonyms of the head, its lexicographer's class, its hypernyms (most frequent sense)
    SF  semantic    FrameNet frames of the head, the words of its role fillers, times and locations

HDP_flat takes every feature as a channel of its own, independent given the event. HDP_struct lets features depend on
each other: a head lemma depends on the class of the head, and role fillers, times and locations on the head lemma.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers.base import Evidence
from samevent.errors import UsageError
from samevent.hddcrp.observations import Channel
from samevent.hddcrp.problem import Rows
from samevent.language.lexicon import Lexicon, pos_of_tag
from samevent.language.wordnet import Pos

Feature = Literal[
    "words", "head_lemma", "two_lemmas", "context",
    "synonyms", "class", "hypernyms",
    "frames", "arg0", "arg1", "arg2", "times", "locations",
]  # fmt: skip
LF: tuple[Feature, ...] = ("words", "head_lemma", "context")
WF: tuple[Feature, ...] = ("synonyms", "class", "hypernyms")
SF: tuple[Feature, ...] = ("frames", "arg0", "arg1", "arg2", "times", "locations")

FILLERS: frozenset[Feature] = frozenset(("arg0", "arg1", "arg2", "times", "locations"))
"""Features filled by arguments."""
PARENTS: Mapping[Feature, Feature] = {
    "head_lemma": "class",
    "arg0": "head_lemma",
    "arg1": "head_lemma",
    "arg2": "head_lemma",
    "times": "head_lemma",
    "locations": "head_lemma",
}
"""What a feature depends on in HDP_struct; a mention has at most one value of a parent."""

_LOOKUPS: Mapping[Feature, Callable[[Lexicon, str, Pos], tuple[str, ...]]] = {
    "class": lambda lexicon, lemma, pos: lexicon.classes(lemma, pos, senses=1),
    "hypernyms": lambda lexicon, lemma, pos: lexicon.hypernyms(lemma, pos, senses=1),
    "frames": lambda lexicon, lemma, pos: lexicon.frames(lemma, pos),
}


def observed(evidence: Evidence, feature: Feature) -> tuple[Rows, int]:
    """Return the counts of a feature's values in each mention, and the number of distinct values in the corpus."""
    rows = _values(evidence, feature)
    values, number = np.unique(rows.columns, return_inverse=True)
    whole = evidence.part.vocabulary.get(feature, 1) if evidence.part else 1
    return Rows(rows.starts, number.astype(np.int32), rows.values), max(len(values), whole)


def channels(
    evidence: Evidence, features: Iterable[Feature], *, structured: bool, dirichlet: float
) -> list[Channel]:
    """Return one channel per feature; if structured, features in `PARENTS` depend on their parent if it is observed."""
    names = tuple(features)
    result = []
    for name in names:
        values, vocabulary = observed(evidence, name)
        parent = PARENTS.get(name) if structured else None
        if parent in names:
            result.append(Channel.conditioned(values, _single(evidence, parent), vocabulary, dirichlet))
        else:
            result.append(Channel(values, vocabulary, dirichlet))
    return result


def _values(evidence: Evidence, feature: Feature) -> Rows:
    table = evidence.table
    if feature in table.fields:
        bags = table.fields[feature]
        return Rows(bags.starts, bags.words, bags.counts)
    if feature == "head_lemma":
        return _by_head(Rows.counted([[lemma] for lemma in table.heads.lemma.tolist()]), table.head)
    if feature == "two_lemmas":
        return _by_head(_two_lemmas(evidence), table.head)
    if feature == "synonyms":
        bags = table.heads.synonyms
        return _by_head(Rows(bags.starts, bags.words, bags.counts), table.head)
    return _by_head(_looked_up(evidence, feature), table.head)


def _two_lemmas(evidence: Evidence) -> Rows:
    """Return the lemma of each head, and that of the verb which it derives from (*announcement*: *announce*)."""
    if evidence.lexicon is None:
        raise UsageError("the second lemma of a head needs a lexicon, and there is none")
    heads = evidence.table.heads
    number = {lemma: i for i, lemma in enumerate(heads.lemmas)}
    rows = []
    for lemma, tag in zip(heads.lemma.tolist(), heads.tag.tolist(), strict=True):
        word, pos = heads.lemmas[lemma], pos_of_tag(heads.tags[tag])
        names = dict.fromkeys([word, (pos and evidence.lexicon.verb(word, pos)) or word])
        rows.append([number.setdefault(name, len(number)) for name in names])
    return Rows.counted(rows)


def _looked_up(evidence: Evidence, feature: Feature) -> Rows:
    """Look up every distinct head in the lexicon."""
    if evidence.lexicon is None:
        raise UsageError(f"the feature {feature!r} needs a lexicon, and there is none")
    heads, look_up = evidence.table.heads, _LOOKUPS[feature]
    number: dict[str, int] = {}
    rows = []
    for lemma, tag in zip(heads.lemma.tolist(), heads.tag.tolist(), strict=True):
        pos = pos_of_tag(heads.tags[tag])
        answers = look_up(evidence.lexicon, heads.lemmas[lemma], pos) if pos else ()
        rows.append([number.setdefault(answer, len(number)) for answer in answers])
    return Rows.counted(rows)


def _by_head(of_head: Rows, head: NDArray[np.int32]) -> Rows:
    """Give every mention the row of its head."""
    sizes = np.diff(of_head.starts)[head]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    entries = np.arange(starts[-1]) + np.repeat(of_head.starts[head] - starts[:-1], sizes)
    return Rows(starts, of_head.columns[entries], of_head.values[entries])


def _single(evidence: Evidence, feature: Feature) -> NDArray[np.int64]:
    """Return each mention's value of a feature that has at most one, numbered from 1; 0 means none."""
    rows, _ = observed(evidence, feature)
    first = np.zeros(len(rows), np.int64)
    filled = np.diff(rows.starts) > 0
    first[filled] = rows.columns[rows.starts[:-1][filled]] + 1
    return first
