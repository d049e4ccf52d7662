"""The learned labeller: compiled code against plain code, gradients against finite differences, training twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from parses import needs_model, parsed, random_annotations
from samevent.corpus import Document
from samevent.errors import FormatError
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation
from samevent.language.hashing import KeyTable, code, hash_templates, look_up
from samevent.language.lexicon import Frames
from samevent.language.resources import resources
from samevent.language.roles.base import Predicate
from samevent.language.roles.encoding import encode
from samevent.language.roles.features import CANDIDATE_ATOMS, PREDICATE_ATOMS, extract_atoms
from samevent.language.roles.model import Roles
from samevent.language.roles.network import HIDDEN, Batch, Network
from samevent.language.roles.propbank import GoldDocument, GoldPredicate
from samevent.language.roles.statistics import CLASSES, COARSE, FINE, Statistics, collect, distribution
from samevent.language.roles.training import RoleSettings, train_roles

SUDAN = """
    Sudan NNP nsubj bombed
    bombed VBD ROOT bombed bomb
    the DT det camp
    camp NN dobj bombed
    on IN prep bombed
    Thursday NNP pobj on
    . . punct bombed
"""


def table(rows: str, word: str) -> dict[str, dict[str, int]]:
    """Return the atoms of each candidate of a predicate by the candidate's word."""
    document, annotation = parsed(rows)
    words = [t.text for t in document.tokens]
    token = words.index(word)
    marked = encode(document, annotation, [token])
    above, below, candidates, _ = extract_atoms(marked, np.array([token], np.int32), np.zeros(1, np.uint64))
    predicate = dict(zip(PREDICATE_ATOMS, above[0].tolist(), strict=True))
    found = {}
    for row, candidate in zip(below.tolist(), candidates.tolist(), strict=True):
        found[words[candidate]] = predicate | dict(zip(CANDIDATE_ATOMS, row, strict=True))
    return found


def test_atoms_reflect_the_parse() -> None:
    found = table(SUDAN, "bombed")
    assert set(found) == {"Sudan", "the", "camp", "on", "Thursday"}
    assert found["on"]["cd"] == code("prep")
    assert found["on"]["xl"] == code("thursday")
    assert found["camp"]["xd"] == code("the")
    assert found["Sudan"]["side"] != found["camp"]["side"]
    assert found["Sudan"]["pl"] == code("bomb")
    assert found["Thursday"]["path"] not in {found[w]["path"] for w in ("Sudan", "camp", "on")}


def test_words_above_a_predicate_are_candidates_too() -> None:
    assert set(table(SUDAN, "camp")) == {"the", "bombed", "Sudan", "on", "Thursday"}


def test_atoms_reflect_relations_of_tokens() -> None:
    found = table(
        """
        camps NNS nsubjpass struck camp
        that WDT nsubj burned
        burned VBD relcl camps burn
        were VBD auxpass struck be
        , , punct struck
        struck VBN ROOT struck strike
        from IN prep struck
        above IN prep from
        the DT det sky
        sky NN pobj above
        by IN prep struck
        """,
        "struck",
    )
    assert found["camps"]["pv"] == 2  # passive
    assert found["from"]["xl"] == found["above"]["xl"] == code("sky")
    assert found["from"]["xd"] == code("the")
    ranks = [(found[word]["rank"], found[word]["nsame"]) for word in ("from", "by", "camps")]
    assert ranks == [(0, 1), (1, 1), (0, 0)]
    assert found["were"]["nxs"] == found["from"]["nxs"]  # a preposition; the comma does not count
    assert found["by"]["nxs"] == found["camps"]["prs"] == 0
    assert found["camps"]["com"] == 1
    assert found["camps"]["cmk"] == 0
    assert found["burned"]["cmk"] == code("that")
    assert found["from"]["gl"] == 0
    assert found["by"]["cnw"] == code("^")


@given(random_annotations())
@settings(max_examples=50)
def test_candidates_are_in_the_sentence_and_never_twice(annotation: Annotation) -> None:
    document = Document.from_tokens("a", [["w"] * len(annotation)] if len(annotation) else [])
    tokens = np.arange(len(annotation), dtype=np.int32)
    marked = encode(document, annotation, tokens.tolist())
    _, rows, candidates, segments = extract_atoms(marked, tokens, np.zeros(len(tokens), np.uint64))
    assert len(rows) == len(candidates) == segments[-1]
    for token, start, end in zip(tokens.tolist(), segments[:-1], segments[1:], strict=True):
        own = candidates[start:end].tolist()
        assert len(own) == len(set(own))
        assert token not in own


def test_known_keys_are_found_and_others_are_not() -> None:
    random = np.random.default_rng(1)
    keys = np.unique(random.integers(0, 2**32, size=5000, dtype=np.uint32))
    asked = np.concatenate([keys[::7], random.integers(0, 2**32, size=500, dtype=np.uint32), [0, 2**32 - 1]])
    expected = [np.flatnonzero(keys == key).tolist() or [-1] for key in asked]
    assert look_up(asked[:, np.newaxis].astype(np.uint32), KeyTable.of(keys)).tolist() == expected


def some_batch(seed: int = 0) -> tuple[Network, Batch, np.random.Generator]:
    random = np.random.default_rng(seed)
    network = Network.fresh(30, 5, 4, random)
    segments = np.array([0, 3, 4, 9], np.int32)
    batch = Batch(
        predicates=random.integers(-1, 30, size=(3, 2)).astype(np.int32),
        candidates=random.integers(-1, 30, size=(9, 6)).astype(np.int32),
        statistics=random.standard_normal((9, 5)).astype(np.float32),
        segments=segments,
    )
    return network, batch, random


def test_compiled_probabilities_equal_the_reference() -> None:
    network, batch, _ = some_batch()
    assert network.probabilities(batch) == pytest.approx(network.forward(batch)["probabilities"], abs=1e-5)


def test_gradients_match_finite_differences() -> None:
    network, batch, random = some_batch()
    network.embeddings *= 10  # away from the kinks at zero
    classes = random.integers(0, 4, size=9)
    weights = np.array([1, 0.5, 2], np.float32)
    keep = tuple((random.random((9, HIDDEN)) > 0.3).astype(np.float32) for _ in range(2))

    def loss() -> float:
        return network.gradients(batch, classes, weights, (keep[0], keep[1]))[0]

    _, d_first, dense = network.gradients(batch, classes, weights, (keep[0], keep[1]))
    step = 1e-2
    for name, gradient in dense.items():
        flat = network.dense[name].reshape(-1)
        at = int(np.abs(gradient).argmax())
        before = flat[at]
        flat[at] = before + step
        high = loss()
        flat[at] = before - step
        low = loss()
        flat[at] = before
        assert (high - low) / (2 * step) == pytest.approx(gradient.reshape(-1)[at], rel=0.05), name
    assert d_first.sum(axis=0) == pytest.approx(dense["bias"], abs=1e-6)


def test_statistics_equal_the_reference_and_exclude_their_own_fold() -> None:
    random = np.random.default_rng(2)
    rows = random.integers(0, 3, size=(400, len(PREDICATE_ATOMS) + len(CANDIDATE_ATOMS))).astype(np.uint64)
    classes, folds = random.integers(0, CLASSES, size=400), random.integers(0, 8, size=400)
    statistics, own = collect(rows, classes, folds)
    looked_up = statistics.features(rows)
    for column in range(len(FINE.seeds)):
        sides = []
        for chosen in (FINE, COARSE):
            keys = hash_templates(rows, chosen)[:, column]
            sides.append(
                np.array([np.bincount(classes[keys == k], minlength=CLASSES) for k in keys], np.float32)
            )
        plain = distribution(sides[0], sides[1], statistics.prior)
        part = slice(column * (CLASSES + 1), (column + 1) * (CLASSES + 1))
        assert looked_up[:, part] == pytest.approx(plain, abs=1e-5)
    without, _ = collect(rows[folds != 3], classes[folds != 3], folds[folds != 3])
    outside = Statistics(without.table, without.counts, statistics.prior).features(rows[folds == 3])
    assert own[folds == 3] == pytest.approx(outside, abs=1e-5)


def small_gold() -> tuple[list[GoldDocument], list[Annotation]]:
    gold, annotations = [], []
    for i in range(30):
        document, annotation = parsed(SUDAN, id=f"train/{i}")
        arguments = (("ARG0", 0, 1), ("ARG1", 2, 4), ("AM-TMP", 4, 6))
        gold.append(GoldDocument(document, "train", (GoldPredicate(1, "bomb.01", "VBD", arguments),)))
        annotations.append(annotation)
    return gold, annotations


def small_roles() -> Roles:
    frames = Frames(
        {}, [["bomb.01", "bomb", [], [["0", "PAG", "", []], ["1", "PPT", "", []]]]], {"v:bomb": [0]}
    )
    how = RoleSettings(
        networks=1, epochs=15, least_candidate_feature=2, least_predicate_feature=2, least_role=2, rate=0.01
    )
    return train_roles(*small_gold(), frames, how)


def test_training_learns_what_it_saw_and_saves_the_same_bytes_twice(tmp_path: Path) -> None:
    first, second = small_roles(), small_roles()
    first.save(tmp_path / "a.npz", {})
    second.save(tmp_path / "b.npz", {})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    loaded = Roles.load(tmp_path / "a.npz")
    (predicate,) = loaded.label(*parsed(SUDAN))
    assert [(a.role, a.head, a.start, a.end) for a in predicate.arguments] == [
        ("ARG0", 0, 0, 1),
        ("ARG1", 3, 2, 4),
        ("AM-TMP", 4, 4, 6),
    ]


def test_other_files_are_not_loaded_as_a_labeller(tmp_path: Path) -> None:
    (tmp_path / "roles.npz").write_bytes(b"nothing")
    with pytest.raises(FormatError, match=r"roles\.npz"):
        Roles.load(tmp_path / "roles.npz")


def test_no_numbered_role_is_given_twice() -> None:
    roles = resources().roles
    names = roles.inventory.roles
    scores = np.full((3, len(names)), 1e-6, np.float32)
    arg0, arg1 = names.index("ARG0"), names.index("ARG1")
    scores[0, [arg0, arg1]] = 0.5, 0.4
    scores[1, [arg0, 0]] = 0.9, 0.05
    scores[2, [arg0, arg1]] = 0.5, 0.45
    chosen = roles.decode(scores, np.array([0, 3], np.int32))
    assert chosen[1] == arg0
    assert sorted(names[c] for c in chosen).count("ARG0") == 1
    assert sorted(names[c] for c in chosen).count("ARG1") <= 1


@needs_model
def test_shipped_labeller_finds_agent_patient_time_and_place() -> None:
    text = "Sudan bombed a refugee camp in Yida on Thursday."
    document, annotation = Annotator()(Document.from_text("a", text))
    words = [t.text for t in document.tokens]
    (bombed,) = (p for p in resources().roles.label(document, annotation) if words[p.token] == "bombed")
    fillers = {a.role: " ".join(words[a.start : a.end]) for a in bombed.arguments}
    assert fillers["ARG0"] == "Sudan"
    assert fillers["ARG1"].startswith("a refugee camp")
    assert fillers["AM-TMP"] == "on Thursday"


@needs_model
def test_nominal_predicates_are_found_and_labelled() -> None:
    document, annotation = Annotator()(
        Document.from_text("a", "The destruction of the city shocked the world.")
    )
    words = [t.text for t in document.tokens]
    predicates: dict[str, Predicate] = {
        words[p.token]: p for p in resources().roles.label(document, annotation)
    }
    assert predicates["destruction"].kind == "nominal"
    assert [(a.role, words[a.head]) for a in predicates["destruction"].arguments] == [("ARG1", "of")]


def test_empty_document_has_no_predicates() -> None:
    empty = Annotation(tags=(), pos=(), lemmas=(), heads=(), labels=())
    assert resources().roles.label(Document.from_text("a", ""), empty) == ()
