from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import log, sqrt

import numpy as np
import pytest

from samevent.corpus import Document, Mention
from samevent.language.annotation import Annotation
from samevent.similarity.features import FEATURES, tag_pairs
from samevent.similarity.tree_features import TREE_FEATURES
from similarity.tables import SYNONYMS, VECTORS, all_pairs, compiled, random_corpus

CORPUS = random_corpus(12, documents=6)
KINDS = {"participants": "participant", "times": "time", "locations": "location"}
ROLES = {"arg0": "ARG0", "arg1": "ARG1", "arg2": "ARG2"}


class Plain:
    """One mention, and its features with another by plain counting: independent of the implementation."""

    def __init__(self, document: Document, annotation: Annotation, mention: Mention) -> None:
        self._document, self._annotation = document, annotation
        by_id = {m.id: m for m in document.mentions}
        arguments = [(by_id[a.mention], a.role) for a in mention.arguments]
        token = mention.head if mention.head is not None else -1
        self.word = document.tokens[token].text
        self.lemma = annotation.lemmas[token].lower()
        self.tag = annotation.tags[token]
        known = SYNONYMS.get(self.lemma, ()) if self.tag != "IN" else ()
        self.synonyms = {self.lemma, *known}
        number = document.sentence_of(mention.start)
        sentence, self.place = document.sentences[number], (document.id, number)
        around = [t for t in range(sentence.start, sentence.end) if t not in mention.tokens]
        before = self.lemmas(range(sentence.start, mention.start))[-3:]
        after = self.lemmas(range(mention.end, sentence.end))[:3]
        self.bags = {"words": Counter(self.lemmas(mention.tokens)), "context": Counter(before + after)}
        self.bags["sentence"] = Counter(self.lemmas(around))
        self.contents = Counter(self.lemmas(range(len(document.tokens))))
        for field, kind in KINDS.items():
            self.bags[field] = Counter(
                w for m, _ in arguments if m.kind == kind for w in self.lemmas(m.tokens)
            )
        for field, role in ROLES.items():
            self.bags[field] = Counter(w for m, r in arguments if r == role for w in self.lemmas(m.tokens))

    def lemmas(self, tokens: Iterable[int]) -> list[str]:
        return [self._annotation.lemmas[t].lower() for t in tokens if self._document.tokens[t].text != "of"]

    def features(self, other: Plain) -> dict[str, float]:
        found = {
            "head_word": float(self.word == other.word),
            "head_lemma": float(self.lemma == other.lemma),
            "head_vector": VECTORS.similarity(self.word, other.word),
            "synonyms": len(self.synonyms & other.synonyms) / len(self.synonyms | other.synonyms),
            "head_stem": float(
                self.lemma.rstrip("e") == other.lemma.rstrip("e")
            ),  # the corpus has no other endings
            "same_sentence": float(self.place == other.place),
            "documents": about_the_same(self.contents, other.contents),
        }
        for field, mine in self.bags.items():
            theirs = other.bags[field]
            dot = sum(mine[word] * theirs[word] for word in mine)
            norms = sqrt(sum(c * c for c in mine.values()) * sum(c * c for c in theirs.values()))
            found[field] = dot / norms if norms else 0.0
            found[f"both_{field}"] = float(bool(mine and theirs))
        return found


def about_the_same(one: Counter[str], other: Counter[str]) -> float:
    """Return the cosine of (1 + log count) log((2 + N) / (1 + documents with the word))."""
    texts = [
        {lemma.lower() for lemma, token in zip(a.lemmas, d.tokens, strict=True) if token.text != "of"}
        for d, a in CORPUS
    ]
    rarity = {w: log((2 + len(texts)) / (1 + sum(w in text for text in texts))) for w in {*one, *other}}
    first, second = ({w: (1 + log(c)) * rarity[w] for w, c in bag.items()} for bag in (one, other))
    lengths = sqrt(sum(v * v for v in first.values()) * sum(v * v for v in second.values()))
    return sum(v * second.get(w, 0) for w, v in first.items()) / lengths if lengths else 0.0


def test_features_agree_with_plain_counting() -> None:
    table = compiled(CORPUS)
    plain = [Plain(d, a, m) for d, a in CORPUS for m in d.mentions if m.kind == "action"]
    i, j = all_pairs(table)
    expected = [plain[a].features(plain[b]) for a, b in zip(i, j, strict=True)]
    for feature in (f for f in TREE_FEATURES if f.name in expected[0]):
        values = feature.compare(table, i, j)
        assert values == pytest.approx([row[feature.name] for row in expected], abs=1e-6), feature.name
        assert len(set(values.tolist())) > 1, f"{feature.name} is always the same: nothing was tested"
        assert feature.lowest <= values.min() <= values.max() <= 1 + 1e-6


def test_features_are_bitwise_symmetric() -> None:
    table = compiled(CORPUS)
    i, j = all_pairs(table)
    for feature in FEATURES:
        assert feature.compare(table, i, j).tobytes() == feature.compare(table, j, i).tobytes()


def test_tag_pairs_are_ordered_only_within_a_document() -> None:
    table = compiled(CORPUS)
    i, j = all_pairs(table)
    first, second, in_order = tag_pairs(table, i, j)
    tag = table.heads.tag[table.head]
    assert (in_order == (table.document[i] == table.document[j])).all()
    assert (first == tag[j]).all()  # j is the smaller row and so the earlier mention
    assert (second == tag[i]).all()
    assert all((a == b).all() for a, b in zip(tag_pairs(table, j, i), (first, second, in_order), strict=True))


def test_features_of_no_pairs_are_empty() -> None:
    none = np.empty(0, np.int32)
    table = compiled(CORPUS)
    assert all(len(feature.compare(table, none, none)) == 0 for feature in FEATURES)
