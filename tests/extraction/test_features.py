"""Features of whole documents: what they depend on, what groups do, and texts of any sort."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from extraction_builders import EMPTY, TinyLexicon, text_of, tiny_resources
from samevent.corpus import Document
from samevent.extraction.arguments import Parsed
from samevent.extraction.features import (
    GROUPS,
    Encoder,
    FeatureKeys,
    concatenate,
    look_up_features,
    select_sentences,
)
from samevent.language.annotation import Annotation
from samevent.language.hashing import KeyTable, code
from samevent.language.roles import Predicate, RoleArgument

BOMBED = """
    Sudan NNP nsubj bombed
    bombed VBD ROOT bombed bomb
    the DT det camp
    camp NN dobj bombed
    on IN prep bombed
    Thursday NNP pobj on
"""
SHORT = """
    Raids NNS ROOT Raids raid
"""
SAID = """
    They PRP nsubj said
    said VBD ROOT said say
    so RB advmod said
"""
RESOURCES = tiny_resources()
PLAIN = text_of(BOMBED)
NAMED = PLAIN._replace(
    annotation=replace(PLAIN.annotation, chunks=((0, 1), (2, 4)), entities=((0, 1, "GPE"), (5, 6, "DATE")))
)
VECTOR_GROUPS = ("vectors", "phrase_vectors", "contextual")
KEY_GROUPS = [name for name in GROUPS if name not in VECTOR_GROUPS]


def encoder(*groups: str, longest: int = 3) -> Encoder:
    return Encoder(RESOURCES.lexicon, RESOURCES.vectors, groups=groups or GROUPS, longest=longest)


def same(found: FeatureKeys, expected: FeatureKeys) -> None:
    for name in FeatureKeys._fields:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


def keys(text: Parsed, *groups: str) -> tuple[list[set[int]], list[set[int]]]:
    """Return the keys of each token and of each segment."""
    raw = encoder(*groups).encode(*text[:4])
    tokens = [set(part.tolist()) for part in np.split(raw.token_keys, raw.token_starts[1:-1])]
    return tokens, [set(row) for row in raw.segment_keys.tolist()]


def test_features_of_a_sentence_do_not_depend_on_others() -> None:
    whole = encoder().encode(*text_of(SAID, BOMBED, "", SHORT, BOMBED)[:4])
    for number, rows in enumerate([SAID, BOMBED, "", SHORT, BOMBED]):
        same(select_sentences(whole, [number]), encoder().encode(*text_of(rows)[:4]))


def test_words_that_an_encoder_knows_already_have_the_same_features() -> None:
    forms = [
        "bomb NN ROOT bomb",
        "bombed VBD ROOT bombed bomb",
        "bombs VBZ ROOT bombs bomb",
        "bomb JJ ROOT bomb",
    ]
    texts = [text_of(form) for form in forms]
    seasoned = encoder()
    for text in texts:
        seasoned.encode(*text[:4])
    for text in texts:
        same(seasoned.encode(*text[:4]), encoder().encode(*text[:4]))


def test_concatenated_texts_equal_the_whole_text() -> None:
    alone = [encoder().encode(*text_of(rows)[:4]) for rows in (SHORT, "", BOMBED, SAID)]
    whole = encoder().encode(*text_of(SHORT, "", BOMBED, SAID)[:4])
    same(concatenate(alone), whole)
    same(select_sentences(whole, [3, 0]), concatenate([alone[3], alone[0]]))
    assert select_sentences(whole, []).borders.tolist() == [0]


@pytest.mark.parametrize("group", KEY_GROUPS)
def test_a_disabled_group_removes_its_own_features_only(group: str) -> None:
    others = [name for name in KEY_GROUPS if name != group]
    everything, without, alone = keys(NAMED), keys(NAMED, *others), keys(NAMED, group)
    removed = 0
    for of_all, of_others, of_group in zip(everything, without, alone, strict=True):
        for whole, rest, own in zip(of_all, of_others, of_group, strict=True):
            assert whole == rest | own
            removed += len(whole - rest)
            assert len(rest & own) == 1  # the one that is always there, or the mark of no segment
    assert removed > 0


def test_lexicon_entries_become_features_of_their_words() -> None:
    tokens, _ = keys(NAMED, "hypernyms", "synonyms", "frames")
    lexicon = TinyLexicon()
    expected = {
        *(f"is {name}" for name in lexicon.hypernyms("bomb", "v")),
        *(f"as {name}" for name in lexicon.synonyms("bomb", "v")),
        *(f"in {name}" for name in lexicon.frames("bomb", "v")),
        *(f"has {name}" for name in lexicon.frame_roles("bomb", "v")),
    }
    assert {code(name) for name in expected} < tokens[1]
    assert Counter(map(len, tokens)) == {1: 5, 1 + len(expected): 1}


def test_segments_beyond_the_sentence_have_no_features() -> None:
    raw = encoder(longest=4).encode(*text_of(BOMBED, SHORT, SAID)[:4])
    inside = raw.segment_keys.reshape(10, 4, -1).any(axis=2).sum(axis=1)
    assert inside.tolist() == [4, 4, 4, 3, 2, 1, 1, 3, 2, 1]
    beyond = ~raw.segment_keys.any(axis=1)
    assert not raw.segment_heads[beyond].any()


def test_vectors_are_those_of_the_words() -> None:
    raw = encoder().encode(*NAMED[:4])
    assert raw.vectors.shape == (6, 3)
    np.testing.assert_array_equal(raw.vectors[1], RESOURCES.vectors.vector("bombed"))
    assert not raw.vectors[[2, 3, 4]].any()


def test_features_never_seen_in_training_are_unknown() -> None:
    raw = encoder().encode(*NAMED[:4])
    chosen = np.unique(raw.token_keys)[::3]
    features = look_up_features(raw, KeyTable.of(chosen), KeyTable.of(np.empty(0, np.uint32)))
    assert (features.segment_features == -1).all()
    seen = np.isin(raw.token_keys, chosen)
    np.testing.assert_array_equal(features.token_features >= 0, seen)
    np.testing.assert_array_equal(chosen[features.token_features[seen]], raw.token_keys[seen])


def test_unknown_words_and_tags_are_not_an_error() -> None:
    text = text_of("qwzx ??? strange qwzx\n§ XX dep qwzx\nÆ΢字 -LRB- dep qwzx")
    raw = encoder().encode(*text[:4])
    assert len(raw.token_starts) == 4
    assert not raw.vectors.any()


def test_white_space_and_punctuation_alone_are_not_an_error() -> None:
    document = Document.from_tokens("d", [[" ", "--", "1999", "\t\t"], [" "]])
    annotation = Annotation(
        tags=("_SP", ":", "CD", "_SP", "_SP"),
        pos=("SPACE", "PUNCT", "NUM", "SPACE", "SPACE"),
        lemmas=(" ", "--", "", "\t", " "),
        heads=(1, 1, 1, 1, 4),
        labels=("dep", "ROOT", "dep", "", "ROOT"),
    )
    raw = encoder().encode(document, annotation, ())
    assert raw.borders.tolist() == [0, 4, 5]
    assert raw.segment_heads[1] == 1  # of white space and a dash the dash


@pytest.mark.parametrize("sizes", [[], [0], [0, 0]], ids=str)
def test_a_text_without_tokens_has_no_features(sizes: list[int]) -> None:
    raw = encoder().encode(Document.from_tokens("d", [[] for _ in sizes]), EMPTY, ())
    assert raw.borders.tolist() == [0, *sizes]
    assert raw.token_starts.tolist() == [0]
    assert [len(part) for part in raw[2:]] == [0] * 5
    same(concatenate([raw, raw])._replace(borders=raw.borders), raw)
    assert (
        len(look_up_features(raw, KeyTable.of(raw.token_keys), KeyTable.of(raw.token_keys)).token_features)
        == 0
    )


def test_features_per_token_do_not_grow_with_sentence_length() -> None:
    n = 2000
    document = Document.from_tokens("d", [["go"] * n])
    annotation = Annotation(
        tags=("VB",) * n, pos=("VERB",) * n, lemmas=("go",) * n, heads=(0, *range(n - 1)), labels=("dep",) * n
    )
    predicates = [Predicate(0, "verbal", (RoleArgument("ARG1", 1, 1, n),))]
    raw = encoder().encode(document, annotation, predicates)
    assert raw.segment_keys.shape[0] == n * 3
    assert len(raw.token_keys) == n * (raw.token_starts[1] - raw.token_starts[0])
