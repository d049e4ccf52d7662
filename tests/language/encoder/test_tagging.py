from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from encoders import story, write_base
from samevent.corpus import Document, Sentence
from samevent.language.encoder.tagging import (
    KINDS,
    TAGS,
    TokenTags,
    kind_of,
    kind_probabilities,
    tagging_loss,
    token_tags,
    with_tagger,
)
from samevent.language.encoder.weights import read_weights


def tagged(*mentions: tuple[str, int, int, str | None], annotated: bool | None = True) -> Document:
    """Return a document of two sentences, of which the first is annotated."""
    bare = story("a", "police said ten people killed", "storm flooded the town")
    first, second = bare.sentences
    bare = replace(bare, sentences=(replace(first, annotated=annotated), replace(second, annotated=False)))
    return bare.with_mentions(bare.mention(kind, s, e, tag=tag) for kind, s, e, tag in mentions)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "tag", "expected"),
    [
        ("action", "ACTION_OCCURRENCE", "occurrence"),
        ("action", "NEG_ACTION_STATE", "state"),
        ("participant", "HUMAN_PART_PER", "human"),
        ("participant", "NON_HUMAN_PART_GENERIC", "non-human"),
        ("time", None, "time"),
        ("location", "LOC_GEO", "location"),
        ("action", None, None),
        ("participant", "AGENT", None),
    ],
)
def test_kind_is_read_from_the_annotated_tag(kind: str, tag: str | None, expected: str | None) -> None:
    (mention,) = tagged((kind, 0, 1, tag)).mentions
    assert kind_of(mention) == expected


def test_all_tokens_of_annotated_sentences_have_tags() -> None:
    document = tagged(
        ("action", 1, 2, "ACTION_REPORTING"),
        ("participant", 2, 4, "HUMAN_PART_PER"),
        ("action", 4, 5, "NEG_ACTION_OCCURRENCE"),
        ("action", 5, 6, "ACTION_OCCURRENCE"),
    )
    human = KINDS.index("human")
    assert token_tags(document) == {
        0: TokenTags(),
        1: TokenTags(KINDS.index("reporting"), start=True),
        2: TokenTags(human, start=True),
        3: TokenTags(human),
        4: TokenTags(KINDS.index("occurrence"), start=True, negated=True),
    }
    assert [tag.action for tag in token_tags(document).values()] == [False, True, False, False, True]


@pytest.mark.parametrize("annotated", [False, None])
def test_sentences_that_may_be_incomplete_have_no_tags(annotated: bool | None) -> None:
    assert token_tags(tagged(("action", 1, 2, "ACTION_REPORTING"), annotated=annotated)) == {}


def test_sentence_with_a_mention_of_unknown_kind_has_no_tags() -> None:
    assert token_tags(tagged(("action", 1, 2, "ACTION_REPORTING"), ("action", 4, 5, None))) == {}


def test_action_counts_where_mentions_overlap() -> None:
    document = tagged(("participant", 2, 5, "HUMAN_PART_PER"), ("action", 4, 5, "ACTION_STATE"))
    assert [KINDS[tag.kind] for tag in token_tags(document).values()][2:] == ["human", "human", "state"]


def test_gap_of_a_discontinuous_mention_is_outside() -> None:
    bare = Document.from_tokens("a", [["quake", "the", "hit"]])
    bare = replace(bare, sentences=(Sentence(0, 3, annotated=True),))
    mention = bare.mention("action", 0, 3, tokens=[0, 2], tag="ACTION_STATE")
    tags = token_tags(bare.with_mentions([mention]))
    assert [tag.kind > 0 for tag in tags.values()] == [True, False, True]
    assert [tag.start for tag in tags.values()] == [True, False, False]


def test_tokens_of_given_sentences_have_tags_whoever_checked_them() -> None:
    document = tagged(("action", 1, 2, "ACTION_REPORTING"), ("action", 6, 7, "ACTION_STATE"))
    first, second = ({*range(s.start, s.end)} for s in document.sentences)
    assert token_tags(document).keys() == first
    tags = token_tags(document, [1])
    assert tags.keys() == second
    assert tags[6] == TokenTags(KINDS.index("state"), start=True)


def test_loss_is_that_of_its_definition() -> None:
    torch: Any = pytest.importorskip("torch")
    scores = np.random.default_rng(0).normal(size=(3, len(TAGS)))
    tags = [TokenTags(), TokenTags(2, start=True, negated=True), TokenTags(8)]
    shares = np.exp(scores[:, : len(KINDS)])
    shares /= shares.sum(1, keepdims=True)
    flags = 1 / (1 + np.exp(-scores[:, len(KINDS) :]))
    expected = -np.mean(np.log([shares[0, 0], shares[1, 2], shares[2, 8]]))
    expected -= np.mean(np.log([1 - flags[0, 0], flags[1, 0], 1 - flags[2, 0]]))
    expected -= np.log(flags[1, 1])  # only an action can be negated
    assert float(tagging_loss(torch.tensor(scores), tags)) == pytest.approx(expected)
    assert np.allclose(kind_probabilities(scores.astype(np.float32)), shares)


def test_new_tagger_finds_all_kinds_equally_probable(tmp_path: Path) -> None:
    weights = with_tagger(read_weights(write_base(tmp_path)))
    scores = np.ones((2, 2 * weights.size), np.float32) @ weights.arrays["tags.weight"].T
    assert np.allclose(kind_probabilities(scores + weights.arrays["tags.bias"]), 1 / len(KINDS))
