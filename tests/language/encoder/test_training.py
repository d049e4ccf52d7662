from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from encoders import forward, story, write_base
from samevent.corpus import Corpus, Document
from samevent.errors import DataError, OutputExistsError
from samevent.language.encoder import Encoder, mention_vectors
from samevent.language.encoder.distillation import DistillationSettings, Teacher, teaching_loss, with_words
from samevent.language.encoder.network import Network, averaged
from samevent.language.encoder.tagging import KINDS, with_tagger
from samevent.language.encoder.training import (
    Teaching,
    action_f1,
    annotated_part,
    pair_precision,
    topic_halves,
    train_encoder,
    write_encoder,
)
from samevent.language.encoder.tuning import (
    TuningSettings,
    batches,
    coreference_loss,
    mention_batch,
    training_examples,
    tune,
)
from samevent.language.encoder.units import UnitReader
from samevent.language.encoder.weights import read_weights

torch: Any = pytest.importorskip("torch")

SETTINGS = TuningSettings(epochs=4, batch=4, others=1, rate=1e-2, dropout=0.0)
SMALL = DistillationSettings(rank=2, epochs=1, sentences=4, words=2)


def documents() -> list[Document]:
    """Return four topics, each with two stories about a quake and a storm."""
    return [
        story(
            f"{topic}{copy}",
            f"{strong} quake {verb} the city .",
            "police said a storm flooded the town .",
            "ten people killed",
            topic=topic,
            actions={(1, 2): f"q{topic}", (10, 11): f"s{topic}"},
        )
        for topic in "1234"
        for copy, strong, verb in (("x", "strong", "hit"), ("y", "second", "struck"))
    ]


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_network_computes_what_a_plain_forward_pass_does(tmp_path: Path, kind: str) -> None:
    base = write_base(tmp_path, kind)
    weights, reader = read_weights(base), UnitReader(base / "tokenizer.json")
    units = [
        example.unit
        for example in training_examples(
            reader, [*documents()[:1], story("z", "quake hit", actions={(1, 2): "z"})]
        )
    ]
    assert len({len(unit.pieces) for unit in units}) > 1, "some are padded"
    layers = Network(weights)(units)
    for row, unit in enumerate(units):
        for layer, expected in zip(layers, forward(weights, list(unit.pieces)), strict=True):
            assert np.allclose(layer[row, : len(unit.pieces)].numpy(), expected, atol=1e-4)


def test_merged_adapters_compute_the_same(tmp_path: Path) -> None:
    base = write_base(tmp_path, "mpnet")
    teacher, network = Teacher(base), Network(read_weights(base))
    units = [example.unit for example in training_examples(teacher.reader, documents()[:1])]
    draws = np.random.default_rng(0)
    for name, shape in (
        ("2.query.a", (2, 8)),
        ("2.query.b", (8, 2)),
        ("1.up.a", (2, 8)),
        ("1.up.b", (16, 2)),
    ):
        network.tensors[name] = torch.from_numpy(draws.normal(size=shape).astype(np.float32))
    merged = Network(network.updated())
    assert np.allclose(network(units)[-1].numpy(), merged(units)[-1].numpy(), atol=1e-4)
    assert not np.allclose(merged(units)[-1].numpy(), Network(network.weights)(units)[-1].numpy(), atol=1e-2)


def test_loss_is_that_of_its_definition() -> None:
    draws = np.random.default_rng(1)
    vectors = draws.normal(size=(5, 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    events, scale, shift = [0, 1, 0, 2, 0], 4.0, -1.0
    cosines = vectors @ vectors.T
    contrastive = []
    for i in (0, 2, 4):
        total = np.log(sum(np.exp(cosines[i, j] / 0.07) for j in range(5) if j != i))
        contrastive.append(-np.mean([cosines[i, j] / 0.07 - total for j in (0, 2, 4) if j != i]))
    logs = [
        np.log1p(np.exp(-(scale * cosines[i, j] + shift) * (1 if events[i] == events[j] else -1)))
        for i in range(5)
        for j in range(i + 1, 5)
    ]
    loss = coreference_loss(
        torch.tensor(vectors), torch.tensor(events), torch.tensor([scale, shift]), TuningSettings()
    )
    assert float(loss) == pytest.approx(0.5 * np.mean(contrastive) + 3 * np.mean(logs))


def test_loss_without_any_coreference_has_no_contrastive_part() -> None:
    loss = coreference_loss(
        torch.eye(3), torch.arange(3), torch.tensor([1.0, 0.0]), TuningSettings(pairwise=0.0)
    )
    assert float(loss) == 0


def test_teaching_loss_is_zero_for_the_teacher_itself_and_turned() -> None:
    rows = torch.tensor(np.random.default_rng(2).normal(size=(6, 4)).astype(np.float32))
    turn = torch.linalg.qr(torch.tensor(np.random.default_rng(3).normal(size=(4, 4)).astype(np.float32)))[0]
    assert float(teaching_loss(rows, rows @ turn.T, turn, SMALL)) == pytest.approx(0, abs=1e-5)
    assert float(teaching_loss(rows, rows.flip(0), turn, SMALL)) > 0.1


def test_tuning_brings_mentions_of_an_event_together(tmp_path: Path) -> None:
    base = write_base(tmp_path)
    weights, reader = read_weights(base), UnitReader(base / "tokenizer.json")
    examples = training_examples(reader, documents())
    tuned = tune(weights, examples, SETTINGS, lambda _: None)

    def loss(of: Any) -> float:
        vectors = mention_batch(Network(of)([e.unit for e in examples])[-1], examples)
        return float(coreference_loss(*vectors, torch.tensor([10.0, -6.0]), SETTINGS))

    assert loss(tuned) < 0.9 * loss(weights)
    assert tuned.arrays["word"] is weights.arrays["word"]


def annotated_documents() -> list[Document]:
    """Return the documents with tags and all sentences annotated."""
    result = []
    for d in documents():
        mentions = [replace(m, tag="ACTION_OCCURRENCE") for m in d.mentions]
        mentions.append(d.mention("participant", 6, 7, tag="HUMAN_PART_ORG"))
        result.append(
            replace(d, sentences=tuple(replace(s, annotated=True) for s in d.sentences)).with_mentions(
                mentions
            )
        )
    return result


def test_examples_of_annotated_sentences_have_the_tags_of_their_tokens(tmp_path: Path) -> None:
    reader = UnitReader(write_base(tmp_path) / "tokenizer.json")
    first, second, third = training_examples(reader, annotated_documents()[:1])
    assert [KINDS[tags.kind] for _, tags in second.tags][:5] == [
        "human",
        "none",
        "none",
        "none",
        "occurrence",
    ]
    assert [piece for piece, _ in first.tags] == [1, 2, 3, 4, 5, 6]
    assert (len(first.mentions), len(second.mentions), len(third.mentions)) == (1, 1, 0)
    assert len(third.tags) == 3


def test_tuning_learns_tags_beside_coreference(tmp_path: Path) -> None:
    base, stories = write_base(tmp_path / "base"), annotated_documents()
    weights, reader = read_weights(base), UnitReader(base / "tokenizer.json")
    settings = replace(SETTINGS, epochs=20, tagger_rate=0.1, tagging=1.0)
    tuned = tune(weights, training_examples(reader, stories), settings, lambda _: None)
    assert action_f1(write_encoder(tuned, base, tmp_path / "tuned"), stories) > 0.9
    assert action_f1(write_encoder(with_tagger(weights), base, tmp_path / "new"), stories) < 0.5


def test_batch_has_one_topic_and_a_few_others(tmp_path: Path) -> None:
    examples = training_examples(UnitReader(write_base(tmp_path) / "tokenizer.json"), documents())
    for batch in batches(examples, SETTINGS, 0):
        topics = [example.topic for example in batch]
        assert 3 <= len(batch) <= 5
        assert max(topics.count(topic) for topic in topics) >= len(topics) - 1
    own = [e for batch in batches(examples, replace(SETTINGS, others=0), 0) for e in batch]
    assert sorted(own, key=repr) == sorted(examples, key=repr), "each sentence once"
    assert batches(examples, SETTINGS, 0) == batches(examples, SETTINGS, 0) != batches(examples, SETTINGS, 1)


def test_small_topics_share_batches(tmp_path: Path) -> None:
    reader = UnitReader(write_base(tmp_path) / "tokenizer.json")
    settings = replace(SETTINGS, others=0, batch=8)
    for epoch in range(3):
        drawn = batches(training_examples(reader, documents()), settings, epoch)
        assert [len(batch) for batch in drawn] == [8, 8]
        assert sorted(t for batch in drawn for t in {example.topic for example in batch}) == [
            "1",
            "2",
            "3",
            "4",
        ]


def test_halves_of_the_topics_are_dealt_in_numeric_order() -> None:
    stories = [story(t, "quake", topic=t) for t in ("10", "9", "1", "2")]
    assert topic_halves(stories) == (frozenset({"1", "9"}), frozenset({"2", "10"}))
    with pytest.raises(DataError, match="same topic"):
        topic_halves(stories[:1])


def test_mean_of_encoders_is_the_mean_of_their_weights(tmp_path: Path) -> None:
    first, second = (read_weights(write_base(tmp_path / f"{seed}", seed=seed)) for seed in (0, 1))
    mean = averaged([first, second]).arrays["1.up.weight"]
    assert np.allclose(mean, (first.arrays["1.up.weight"] + second.arrays["1.up.weight"]) / 2)
    assert averaged([first, first]).arrays["word"] is first.arrays["word"]


def test_pair_precision_is_the_mean_over_coreferent_pairs() -> None:
    mentions = list(Corpus(documents()[:2]).mentions())  # quake, storm, quake, storm
    perfect = np.array([[1, 0], [0, 1], [1, 0.1], [0, 1]], np.float32)
    assert pair_precision(perfect, mentions) == 1
    worst = np.array([[1, 0], [1, 0.1], [-1, 0], [-1, 0.1]], np.float32)
    assert pair_precision(worst, mentions) == pytest.approx((1 / 3 + 2 / 6) / 2)


def test_mentions_of_sentences_without_annotation_are_left_out() -> None:
    first, *others = documents()[0].sentences
    partly = replace(documents()[0], sentences=(replace(first, annotated=False), *others))
    (kept,) = annotated_part([partly])
    assert [m.text for m in kept.mentions] == ["flooded"]


def test_taught_text_is_never_an_annotated_sentence() -> None:
    first, *others = documents()[0].sentences
    partly = replace(documents()[0], sentences=(replace(first, annotated=True), *others))
    (taught,) = with_words([partly], DistillationSettings(), 0)
    assert {m.text for m in taught.mentions} <= {
        "police",
        "said",
        "storm",
        "flooded",
        "town",
        "people",
        "killed",
    }
    assert all(m.start >= first.end for m in taught.mentions)


@pytest.mark.parametrize(("large", "taught"), [(False, False), (True, False), (True, True)])
def test_training_is_cross_fitted_repeatable_and_resumable(tmp_path: Path, large: bool, taught: bool) -> None:
    base = write_base(tmp_path / "base")
    teaching = None
    if large:
        text = [[story("t", "the town people said storm .")]] if taught else []
        teaching = Teaching(folder=write_base(tmp_path / "large", "mpnet", seed=3), text=text, settings=SMALL)
    said: list[str] = []

    def train(name: str, work: str, stories: Sequence[Document] = ()) -> dict[str, float]:
        return train_encoder(
            stories or documents(), base, tmp_path / name, work=tmp_path / work, settings=replace(SETTINGS, epochs=1),
            teaching=teaching, progress=said.append,
        )  # fmt: skip

    figures = train("first", "work")
    names = ["large a", "large b"] * large + ["tuned a", "tuned b", "untuned a", "untuned b"]
    assert sorted(figures) == names
    other_order = sorted(documents(), key=lambda d: d.topic != "3")
    assert train("second", "other", other_order) == figures, "for any order of the topics"
    said.clear()
    assert train("third", "work") == figures
    assert not any("epoch" in line for line in said), "nothing is trained again"
    files = [(tmp_path / name / "encoder.onnx").read_bytes() for name in ("first", "second", "third")]
    assert files[0] == files[1] == files[2]
    corpus = Corpus(documents())
    vectors = [
        mention_vectors(Encoder(tmp_path / folder), corpus, list(corpus.mentions()))["last"]
        for folder in ("first", "work/a", "work/b", "work/untuned")
    ]
    assert all(not np.array_equal(vectors[0], other) for other in vectors[1:])


@pytest.mark.slow
def test_halves_trained_at_once_are_those_trained_one_after_the_other(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base")
    for jobs in (1, 2):
        train_encoder(
            documents(), base, tmp_path / f"{jobs}", work=tmp_path / f"work{jobs}",
            settings=replace(SETTINGS, epochs=1), jobs=jobs, progress=print,
        )  # fmt: skip
    assert (tmp_path / "1" / "encoder.onnx").read_bytes() == (tmp_path / "2" / "encoder.onnx").read_bytes()


def test_training_does_not_overwrite_unless_asked(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base")
    (tmp_path / "encoder.onnx").touch()
    with pytest.raises(OutputExistsError, match=r"encoder\.onnx"):
        train_encoder(documents(), base, tmp_path, work=tmp_path / "work")
