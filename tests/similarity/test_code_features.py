from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest

from samevent.corpus import Document, Mention
from samevent.errors import UsageError
from samevent.language.annotation import Annotation
from samevent.similarity.code_features import (
    ALL_FEATURES,
    CODE_FEATURES,
    CODE_NAMES,
    GROUPS,
    PAPER_NAMES,
    select_features,
)
from samevent.similarity.features import FEATURES, TAGS
from similarity.tables import FRAMES, HYPERNYMS, VECTORS, all_pairs, compiled, random_corpus

CORPUS = [
    (document, replace(annotation, lemmas=tuple({"Die": "Overkill"}.get(w, w) for w in annotation.lemmas)))
    for document, annotation in random_corpus(21, documents=8, mentions=14)
]
"""With a lemma that contains another."""


class Plain:
    """One mention, and its further features with another by plain counting: independent of the implementation."""

    def __init__(self, document: Document, annotation: Annotation, mention: Mention) -> None:
        token = mention.head if mention.head is not None else -1
        self.document, self.sentence = document.id, document.sentence_of(mention.start)
        self.lemma, self.tag = annotation.lemmas[token].lower(), annotation.tags[token]
        words = [annotation.lemmas[t].lower() for t in mention.tokens if document.tokens[t].text != "of"]
        self.words = sorted(words)
        self.vector = VECTORS.matrix(self.words).astype(float).sum(axis=0) if words else np.zeros(5)

    def known(self, table: dict[str, tuple[str, ...]]) -> set[str]:
        return set(table.get(self.lemma, ())) if self.tag != "IN" else set()

    def features(self, other: Plain, heads: dict[str, set[str]]) -> dict[str, float]:
        one, two = self.lemma, other.lemma
        together, total = len(heads[one] & heads[two]), len(CORPUS)
        pmi = log(together * total / (len(heads[one]) * len(heads[two]))) if together else 0.0
        classes = [
            {frame.lower() for frame in m.known({w: f[:1] for w, f in FRAMES.items()})} for m in (self, other)
        ]
        norms = np.linalg.norm(self.vector) * np.linalg.norm(other.vector)
        phrase = float(self.vector @ other.vector / norms) if norms else 0.0
        same_document = self.document == other.document
        return {
            "substring": float(one != two and (one in two or two in one)),
            "head_information": max(0.0, pmi) / -log(together / total) if 0 < together < total else 0.0,
            "hypernyms": overlap(self.known(HYPERNYMS), other.known(HYPERNYMS)),
            "frames": overlap(self.known(FRAMES), other.known(FRAMES)),
            "verb_classes": overlap(*classes),
            "phrase_vector": 1.0 if self.words == other.words else phrase,
            **{
                f"distance_{k}": float(same_document and abs(self.sentence - other.sentence) == k)
                for k in range(4)
            },
        }


def overlap(one: set[str], two: set[str]) -> float:
    return len(one & two) / sqrt(len(one) * len(two)) if one and two else 0.0


def test_further_features_agree_with_plain_counting() -> None:
    table = compiled(CORPUS)
    plain = [Plain(d, a, m) for d, a in CORPUS for m in d.mentions if m.kind == "action"]
    heads: dict[str, set[str]] = {}
    for m in plain:
        heads.setdefault(m.lemma, set()).add(m.document)
    i, j = all_pairs(table)
    expected = [plain[a].features(plain[b], heads) for a, b in zip(i, j, strict=True)]
    for feature in (f for f in CODE_FEATURES if f.name in expected[0]):
        values = feature.compare(table, i, j)
        assert values == pytest.approx([row[feature.name] for row in expected], abs=1e-6), feature.name
        assert feature.name in ("distance_2", "distance_3") or len(set(values.tolist())) > 1, feature.name


def test_words_count_only_between_long_mentions_and_contexts_only_between_sentences() -> None:
    table = compiled(CORPUS)
    plain = [Plain(d, a, m) for d, a in CORPUS for m in d.mentions if m.kind == "action"]
    i, j = all_pairs(table)
    by_name = {feature.name: feature.compare(table, i, j) for feature in ALL_FEATURES}
    several = np.array([len(m.words) > 1 for m in plain])
    place = [(m.document, m.sentence) for m in plain]
    apart = np.array([place[a] != place[b] for a, b in zip(i, j, strict=True)])
    assert (by_name["several_words"] == by_name["words"] * (several[i] & several[j])).all()
    assert (by_name["far_context"] == by_name["context"] * apart).all()
    assert (by_name["several_words"] != by_name["words"]).any()
    assert (by_name["far_context"] != by_name["context"]).any()


def test_further_features_are_bitwise_symmetric() -> None:
    table = compiled(CORPUS)
    i, j = all_pairs(table)
    for feature in CODE_FEATURES:
        assert feature.compare(table, i, j).tobytes() == feature.compare(table, j, i).tobytes(), feature.name


def test_the_program_compares_conditioned_features_instead_of_the_papers() -> None:
    assert set(PAPER_NAMES) - set(CODE_NAMES) == {"words", "context"}
    assert {"several_words", "far_context"} <= set(CODE_NAMES) - set(PAPER_NAMES)


def test_select_features_leaves_out_whole_groups() -> None:
    names = {feature.name for feature in select_features(without=["arg0", "string", TAGS])}
    everything = {feature.name for feature in FEATURES}
    assert everything - names == {"arg0", "both_arg0", "head_word", "head_lemma"}


def test_select_features_rejects_unknown_names() -> None:
    with pytest.raises(UsageError, match=f"unknown feature group 'args'; expected some of {min(GROUPS)}"):
        select_features(without=["args"])
    with pytest.raises(UsageError, match="unknown feature 'luck'"):
        select_features(["luck"])
