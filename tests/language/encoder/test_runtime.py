from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from encoders import SIZE, forward, story, write_base
from samevent.corpus import Corpus
from samevent.errors import FormatError
from samevent.language.cache import Cache
from samevent.language.encoder import ENCODER_FILE, Encoder, MentionVectors, mention_vectors
from samevent.language.encoder.graph import write_graph
from samevent.language.encoder.tagger import TAGGED, WINDOW, Tagger
from samevent.language.encoder.tagging import TAGS, WEIGHT, with_tagger
from samevent.language.encoder.units import Unit, UnitReader
from samevent.language.encoder.weights import read_weights

CORPUS = Corpus(
    [
        story(
            "a",
            "quake hit the city .",
            "police said ten killed .",
            actions={(0, 1): "x", (1, 2): "y", (8, 9): "z"},
        ),
        story("b", "storm hit the town .", "quakes struck", actions={(1, 2): "v", (5, 6): "x"}),
        story("c", "quake hit the city .", "police said ten killed .", actions={(8, 9): "z"}),
    ]
)
MENTIONS = list(CORPUS.mentions())


@pytest.fixture
def encoder(tmp_path: Path) -> Encoder:
    folder = write_base(tmp_path / "model")
    write_graph(read_weights(folder), folder / ENCODER_FILE, quantized=False)
    return Encoder(folder)


@pytest.fixture
def tagger(tmp_path: Path) -> Encoder:
    folder = write_base(tmp_path / "tagger")
    weights = with_tagger(read_weights(folder))
    weights.arrays[WEIGHT] = (
        np.random.default_rng(0).normal(size=weights.arrays[WEIGHT].shape).astype(np.float32)
    )
    write_graph(weights, folder / ENCODER_FILE, quantized=False)
    return Encoder(folder)


def rows(vectors: MentionVectors) -> list[bytes]:
    stacked = np.stack([vectors["last"], vectors["middle"], vectors["unit"]], axis=1)
    return [row.tobytes() for row in stacked]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Unit]:
    """Return a list that will hold the units that are encoded."""
    seen: list[Unit] = []
    encode = Encoder.encode

    def recorded(self: Encoder, unit: Unit) -> object:
        seen.append(unit)
        return encode(self, unit)

    monkeypatch.setattr(Encoder, "encode", recorded)
    return seen


def test_vectors_are_means_over_the_mention_and_its_sentence(encoder: Encoder) -> None:
    weights = read_weights(encoder.folder)
    units, places = encoder.reader.read(CORPUS["b"], CORPUS["b"].mentions)
    layers = forward(weights, list(units[1].pieces))
    vectors = mention_vectors(encoder, CORPUS, MENTIONS)
    assert places[1].pieces == (1, 2), "quake ##s"
    assert np.allclose(vectors["last"][4], layers[-1][1:3].mean(0), atol=2e-3)
    assert np.allclose(vectors["middle"][4], np.mean(layers[1:], axis=0)[1:3].mean(0), atol=2e-3)
    assert np.allclose(vectors["unit"][4], layers[-1][1:4].mean(0), atol=2e-3)


def test_vectors_do_not_depend_on_jobs_order_or_company(encoder: Encoder) -> None:
    expected = rows(mention_vectors(encoder, CORPUS, MENTIONS))
    assert rows(mention_vectors(encoder, CORPUS, MENTIONS, jobs=3)) == expected
    assert rows(mention_vectors(encoder, CORPUS, MENTIONS[::-1])) == expected[::-1]
    assert [rows(mention_vectors(encoder, CORPUS, [m]))[0] for m in MENTIONS] == expected


def test_only_sentences_of_the_mentions_are_encoded_and_each_once(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = counted(monkeypatch)
    mention_vectors(encoder, CORPUS, MENTIONS[:2])
    assert len(seen) == 1


def test_cached_vectors_are_not_computed_again(
    encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, cache = counted(monkeypatch), Cache(tmp_path / "cache")
    first = rows(mention_vectors(encoder, CORPUS, MENTIONS, cache=cache))
    computed = len(seen)
    assert rows(mention_vectors(encoder, CORPUS, MENTIONS, cache=cache)) == first
    assert len(seen) == computed


def test_cache_notices_another_encoder(encoder: Encoder, tmp_path: Path) -> None:
    other = Encoder(write_base(tmp_path / "other", seed=1))
    write_graph(read_weights(other.folder), other.folder / ENCODER_FILE)
    cache = Cache(tmp_path / "cache")
    assert encoder.digest != other.digest
    first = rows(mention_vectors(encoder, CORPUS, MENTIONS, cache=cache))
    assert not set(first) & set(rows(mention_vectors(other, CORPUS, MENTIONS, cache=cache)))


def test_mention_without_pieces_has_the_vectors_of_its_sentence(encoder: Encoder) -> None:
    odd = Corpus([story("c", "quake \u200b hit", actions={(1, 2): "nothing"})])
    vectors = mention_vectors(encoder, odd, list(odd.mentions()))
    assert np.array_equal(vectors["last"], vectors["unit"])


def test_tags_are_scores_at_the_first_piece_of_each_token(tagger: Encoder) -> None:
    document = story("c", "quakes \u200b hit", "police said")
    tags = tagger.read(document).tags()
    units, _ = tagger.reader.read_tokens(document)
    first, second = (tagger.encode(unit)["tags"] for unit in units)
    assert np.array_equal(tags, [first[1], np.zeros(len(TAGS)), first[3], second[1], second[2]]), "quake ##s"


def test_sentences_are_encoded_once_for_tags_and_vectors(
    tagger: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, reading = counted(monkeypatch), tagger.read(CORPUS["a"])
    assert len(reading.tags()) == len(CORPUS["a"].tokens)
    vectors = reading.vectors(CORPUS["a"].mentions)
    assert len(seen) == 2
    assert np.array_equal(vectors[:, 0], mention_vectors(tagger, CORPUS, MENTIONS[:3])["last"])


def test_sentences_are_cut_once_for_tags_and_vectors(
    tagger: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences: list[list[str]] = []
    cut = UnitReader._cut

    def counted_cut(reader: UnitReader, words: list[str]) -> tuple[list[int], list[list[int]]]:
        sentences.append(words)
        return cut(reader, words)

    monkeypatch.setattr(UnitReader, "_cut", counted_cut)
    document = CORPUS["a"]
    reading = tagger.read(document)
    reading.tags()
    vectors = reading.vectors(document.mentions)
    assert sentences == [document.words(sentence) for sentence in document.sentences]
    assert vectors.tobytes() == tagger.read(document).vectors(document.mentions).tobytes()


def test_cached_tags_are_not_computed_again(
    tagger: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache")
    first = tagger.read(CORPUS["a"], cache).tags()
    seen = counted(monkeypatch)
    assert np.array_equal(tagger.read(CORPUS["a"], cache).tags(), first)
    assert not seen


def test_states_are_means_over_the_pieces_of_each_token(encoder: Encoder) -> None:
    document = story("c", "quakes \u200b hit", "police said")
    states = encoder.read(document).states
    units, _ = encoder.reader.read_tokens(document)
    first, second = (np.hstack([each["last"], each["middle"]]) for each in map(encoder.encode, units))
    expected = [first[1:3].mean(axis=0), np.zeros(first.shape[1]), first[3], second[1], second[2]]
    assert np.array_equal(states, np.array(expected, np.float16)), "quake ##s"


def test_addresses_are_not_read_for_tokens(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    document = story("c", "quakes hit", "police said", "storm hit")
    first, second, third = document.sentences
    document = replace(document, sentences=(first, replace(second, is_url=True), third))
    seen = counted(monkeypatch)
    states = encoder.read(document).states
    assert len(seen) == 2
    assert states.any(axis=1).tolist() == [True, True, False, False, True, True]


def test_tags_of_another_tagger_are_read_from_states_and_cached_by_it(
    encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, document, size = Cache(tmp_path / "cache"), CORPUS["a"], 2 * SIZE
    one, two = (
        Tagger(
            np.zeros(size, np.float32),
            np.full((len(WINDOW) * size, len(TAGGED)), weight, np.float32),
            np.zeros(len(TAGGED), np.float32),
        )
        for weight in (1, 2)
    )
    borders = np.array([0, *(sentence.end for sentence in document.sentences)])
    first = encoder.read(document, cache).tags(one)
    assert np.array_equal(first, one.scores(encoder.read(document).states, borders))
    assert not np.array_equal(encoder.read(document, cache).tags(two), first)
    seen = counted(monkeypatch)
    assert np.array_equal(encoder.read(document, cache).tags(one), first)
    assert not seen


def test_encoder_without_a_tagger_has_no_tags(encoder: Encoder) -> None:
    with pytest.raises(FormatError, match="no tagger"):
        encoder.read(CORPUS["a"]).tags()


def test_no_mentions_have_no_vectors(encoder: Encoder) -> None:
    assert len(mention_vectors(encoder, CORPUS, [])) == 0


def test_progress_counts_mentions(encoder: Encoder) -> None:
    done: list[int] = []
    mention_vectors(encoder, CORPUS, MENTIONS, progress=done.append)
    assert done == [3, 2, 1]


def test_encoder_can_be_sent_to_another_process(encoder: Encoder) -> None:
    mention_vectors(encoder, CORPUS, MENTIONS)
    assert pickle.loads(pickle.dumps(encoder)).digest == encoder.digest


def test_missing_or_damaged_encoder_is_an_error_that_helps(encoder: Encoder) -> None:
    (encoder.folder / ENCODER_FILE).write_bytes(b"damaged")
    with pytest.raises(FormatError, match=r"encoder\.onnx.*cannot be read"):
        mention_vectors(encoder, CORPUS, MENTIONS)
    (encoder.folder / ENCODER_FILE).unlink()
    with pytest.raises(FormatError, match=r"no contextual encoder.*samevent train encoder"):
        mention_vectors(Encoder(encoder.folder), CORPUS, MENTIONS)
