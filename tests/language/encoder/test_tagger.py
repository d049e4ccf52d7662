"""A tagger fitted to states that stay as they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samevent.language.encoder.tagger import TAGGED, WINDOW, TaggedText, Tagger, fit_tagger
from samevent.language.encoder.tagging import KINDS, TokenTags
from samevent.seeds import stream

BORDERS = np.array([0, 3, 3, 5])
SIZE = 4


def random_tagger() -> Tagger:
    random = stream(1, "tagger")
    mean, weight, bias = (
        random.normal(size=shape).astype(np.float32)
        for shape in (SIZE, (len(WINDOW) * SIZE, len(TAGGED)), len(TAGGED))
    )
    return Tagger(mean, weight, bias)


def random_states(count: int, name: str = "states") -> NDArray[np.float16]:
    return stream(2, name).normal(size=(count, SIZE)).astype(np.float16)


def test_scores_are_linear_in_the_states_of_a_sentence_around_a_token() -> None:
    tagger, states = random_tagger(), random_states(5)
    scores = tagger.scores(states, BORDERS)
    own, before, after = np.split(tagger.weight, 3)
    away = states.astype(np.float32) - tagger.mean
    expected = [
        tagger.bias
        + away[t] @ own
        + (away[t - 1] @ before if t not in (0, 3) else 0)
        + (away[t + 1] @ after if t not in (2, 4) else 0)
        for t in range(5)
    ]
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)


def test_token_of_which_nothing_is_read_counts_as_the_mean() -> None:
    tagger, states = random_tagger(), random_states(3)
    states[1] = 0
    known = states.astype(np.float32)
    known[1] = tagger.mean
    borders = np.array([0, 3])
    np.testing.assert_allclose(
        tagger.scores(states, borders), tagger.scores(known.astype(np.float16), borders), atol=0.02
    )


def test_document_without_tokens_has_no_scores() -> None:
    empty = np.zeros((0, SIZE), np.float16)
    assert random_tagger().scores(empty, np.array([0, 0])).shape == (0, len(TAGGED))


def test_fitted_tagger_finds_what_it_was_shown_elsewhere() -> None:
    """The kind of a token is that of the largest number of its state, and one starts after a large last number."""

    def text(name: str) -> TaggedText:
        states = random_states(60, name)
        kinds = states[:, :3].argmax(axis=1).tolist()
        starts = [t % 6 > 0 and states[t - 1, 3] > 0 for t in range(60)]
        tags = {
            t: TokenTags(kind, bool(start)) for t, (kind, start) in enumerate(zip(kinds, starts, strict=True))
        }
        return TaggedText(states, np.arange(0, 61, 6), tags)

    tagger = fit_tagger([text("a"), text("b"), text("c")], penalty=0.001)
    new = text("d")
    assert tagger
    scores = tagger.scores(new.states, new.borders)
    right = [scores[t, : len(KINDS)].argmax() == tag.kind for t, tag in new.tags.items()]
    starts = [(scores[t, len(KINDS)] > 0) == tag.start for t, tag in new.tags.items()]
    assert np.mean(right) > 0.9
    assert np.mean(starts) > 0.9
    again = fit_tagger([text("a"), text("b"), text("c")], penalty=0.001)
    assert again
    assert again.digest == tagger.digest
    assert tagger.digest != random_tagger().digest


def test_no_tags_make_no_tagger() -> None:
    assert fit_tagger([TaggedText(random_states(5), BORDERS, {})]) is None


def test_documents_of_which_nothing_is_read_have_scores() -> None:
    tagger = random_tagger()
    unread = np.zeros((4, 0), np.float16)
    blank = np.zeros((4, len(tagger.mean)), np.float16)
    borders = np.array([0, 4])
    assert np.array_equal(tagger.scores(unread, borders), tagger.scores(blank, borders))
    assert len(tagger.scores(unread[:0], borders[:1])) == 0
