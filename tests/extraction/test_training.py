"""Training on a handful of sentences written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from extraction_builders import news, text_of, tiny_resources
from samevent.corpus import KINDS, Kind
from samevent.errors import DataError, UsageError
from samevent.extraction.arguments import Parsed
from samevent.extraction.features import GROUPS
from samevent.extraction.learning import Cost, LearningSettings
from samevent.extraction.model import Extractor
from samevent.extraction.training import (
    NO_THRESHOLDS,
    ExtractorSettings,
    cross_fit,
    fit,
    groups_without,
    prepare_examples,
    train,
    train_cross_fitted,
)

RESOURCES = tiny_resources()
LEARNING = LearningSettings(regularisation=0.1, rounds=12, rate=0.03, batch=2)
QUICK = ExtractorSettings(learning=LEARNING, least=1, folds=3)
LIMITS = (2, 3, 3, 3)
NEWS = news()


def trained(texts: Sequence[Parsed], settings: ExtractorSettings = QUICK) -> Extractor:
    examples = prepare_examples(texts, RESOURCES, LIMITS, settings)
    return fit(examples, RESOURCES, LIMITS, settings, NO_THRESHOLDS, lambda _: None)


def sure(extractor: Extractor, text: Parsed) -> list[tuple[str, str]]:
    """Return the mentions that are more probable than not."""
    found = [m for m in extractor.mentions(text) if (m.probability or 0) > 0.5]
    return sorted((m.kind, m.text) for m in found)


def gold(text: Parsed) -> list[tuple[str, str]]:
    return sorted((m.kind, m.text) for m in text.document.mentions)


@pytest.mark.parametrize("cost", [Cost(), Cost(0, 0, 0, 0)], ids=["margin", "likelihood"])
def test_trained_extractor_finds_the_training_mentions(cost: Cost) -> None:
    extractor = trained(NEWS, replace(QUICK, learning=replace(LEARNING, cost=cost)))
    for text in NEWS:
        assert sure(extractor, text) == gold(text)


def test_trained_extractor_generalises_to_unseen_words() -> None:
    unseen = text_of("""
        Mali NNP nsubj shelled
        shelled VBD ROOT shelled shell
        Gao NNP dobj shelled
        on IN prep shelled
        Sunday NNP pobj on
    """)
    assert {("action", "shelled"), ("participant", "Mali")} <= set(sure(trained(NEWS), unseen))


def test_sentences_without_mentions_are_not_used() -> None:
    longer = news("Nobody NN nsubj spoke\nspoke VBD ROOT spoke speak")
    expected = trained(NEWS).weights.flat()
    np.testing.assert_array_equal(trained(longer).weights.flat(), expected)


def test_mentions_in_an_address_are_not_used() -> None:
    address = "www.sudan.com NN ROOT www.sudan.com"
    expected = trained(NEWS).weights.flat()
    marked = []
    for text in news(address):
        prose, line = text.document.sentences
        document = replace(text.document, sentences=(prose, replace(line, is_url=True)))
        mention = document.mention("location", line.start, line.end)
        marked.append(text._replace(document=document.with_mentions([*document.mentions, mention])))
    np.testing.assert_array_equal(trained(marked).weights.flat(), expected)


def test_training_twice_gives_the_same_weights() -> None:
    first, second = train(NEWS, RESOURCES, settings=QUICK), train(NEWS, RESOURCES, settings=QUICK)
    assert first.weights.flat().tobytes() == second.weights.flat().tobytes()
    assert first.thresholds == second.thresholds


def test_stronger_regularisation_gives_smaller_weights() -> None:
    sizes = [
        np.linalg.norm(
            trained(NEWS, replace(QUICK, learning=replace(LEARNING, regularisation=strength))).weights.flat()
        )
        for strength in (0.1, 1, 10, 1000)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.1 * sizes[0]


def test_rare_features_have_no_weights() -> None:
    few, many = (trained(NEWS, replace(QUICK, least=least)).weights for least in (3, 1))
    assert 0 < len(few.token) < len(many.token)
    assert 0 < len(few.segment) < len(many.segment)


@pytest.mark.parametrize("group", ["vectors", "phrase_vectors"])
def test_vectors_switched_off_have_no_weights(group: str) -> None:
    weights = trained(NEWS, replace(QUICK, groups=groups_without([group]))).weights
    sizes = {"vectors": weights.vector.any(), "phrase_vectors": weights.phrase.any()}
    assert sizes == {"vectors": group != "vectors", "phrase_vectors": group != "phrase_vectors"}


def test_groups_are_known_by_name() -> None:
    assert groups_without(["words", "roles"]) == tuple(g for g in GROUPS if g not in ("words", "roles"))
    with pytest.raises(UsageError, match="'wrods'"):
        groups_without(["wrods"])


def test_cross_fit_never_trains_on_the_held_out_topic() -> None:
    # Only the first topic has times, so nobody could have told them there.
    odd = [replace_kinds(text, ("action",)) if text.document.topic != "1" else text for text in NEWS]
    for text, extractor in cross_fit(odd, RESOURCES, LIMITS, QUICK, lambda _: None):
        probable = [m.kind for m in extractor.mentions(text) if (m.probability or 0) > 0.5]
        assert set(probable) <= ({"action"} if text.document.topic == "1" else set(KINDS))


def replace_kinds(text: Parsed, kinds: Sequence[Kind]) -> Parsed:
    kept = [m for m in text.document.mentions if m.kind in kinds]
    return text._replace(document=text.document.with_mentions(kept))


def test_cross_fit_yields_every_document_once() -> None:
    found = cross_fit(NEWS, RESOURCES, LIMITS, QUICK, lambda _: None)
    assert sorted(text.document.id for text, _ in found) == sorted(text.document.id for text in NEWS)


def test_documents_of_one_topic_are_held_out_one_by_one() -> None:
    one = [text._replace(document=replace(text.document, topic="1")) for text in NEWS]
    extractor = train(one, RESOURCES, settings=QUICK)
    assert sure(extractor, NEWS[0]) == gold(NEWS[0])


def test_documents_beside_change_the_thresholds_only() -> None:
    plain, moved = (train(NEWS[:4], RESOURCES, beside=each, settings=QUICK) for each in ((), NEWS[4:]))
    np.testing.assert_array_equal(plain.weights.flat(), moved.weights.flat())
    assert plain.thresholds != moved.thresholds


def test_extractors_of_other_topics_have_the_operating_points_of_the_one_of_all() -> None:
    extractor, held_out = train_cross_fitted(NEWS[:4], RESOURCES, beside=NEWS[4:], settings=QUICK)
    assert sorted(text.document.id for text, _ in held_out) == sorted(text.document.id for text in NEWS)
    assert all(other.thresholds == extractor.thresholds for _, other in held_out)
    alone = train(NEWS[:4], RESOURCES, beside=NEWS[4:], settings=QUICK)
    np.testing.assert_array_equal(extractor.weights.flat(), alone.weights.flat())


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_documents_are_an_error(count: int) -> None:
    with pytest.raises(DataError, match="no mentions to train"):
        train(NEWS[:count], RESOURCES, settings=QUICK)


def test_documents_without_mentions_are_an_error() -> None:
    bare = [replace_kinds(text, ()) for text in NEWS]
    with pytest.raises(DataError, match="no mentions to train"):
        train(bare, RESOURCES, settings=QUICK)
    empty = [text_of("", id="e"), *NEWS]
    assert sure(train(empty, RESOURCES, settings=QUICK), NEWS[0]) == gold(NEWS[0])


def test_progress_is_reported() -> None:
    told: list[str] = []
    train(NEWS, RESOURCES, settings=QUICK, progress=told.append)
    assert sum("fold" in line for line in told) == 3
    assert any("round 12 of 12" in line for line in told)
