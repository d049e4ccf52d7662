"""The extractor: what it makes of texts of any sort, what it keeps, and its file."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from extraction_builders import EMPTY, news, text_of, tiny_resources
from parses import needs_model
from samevent.corpus import KINDS, Argument, Document
from samevent.errors import DataError, FormatError, OutputExistsError, UsageError
from samevent.extraction import Parsed
from samevent.extraction.features import sentence_borders
from samevent.extraction.learning import LearningSettings
from samevent.extraction.model import KIND, POINTS, SCHEMA, Extractor, Thresholds
from samevent.extraction.training import ExtractorSettings, train
from samevent.language.annotation import Annotation
from samevent.language.encoder.tagging import TAGS
from samevent.preparation import parse
from samevent.storage import read_table, write_table

RESOURCES = tiny_resources()
NEWS = news()
SETTINGS = ExtractorSettings(
    learning=LearningSettings(regularisation=0.1, rounds=12, rate=0.03, batch=2),
    least=1,
    folds=3,
    recall_shares=dict.fromkeys(KINDS, 0.5),
)
EXTRACTOR = train(NEWS, RESOURCES, settings=SETTINGS)


def spans(document: Document) -> list[tuple[str, str]]:
    return [(m.kind, m.text) for m in document.mentions]


def at(precise: float, recall: float = 0) -> Extractor:
    """Return the extractor with other thresholds, the same for all kinds."""
    other = copy(EXTRACTOR)
    values = (precise, precise, recall)
    other.thresholds = Thresholds(*(dict.fromkeys(KINDS, threshold) for threshold in values))
    return other


def test_extract_finds_mentions_with_heads_probabilities_and_arguments() -> None:
    bare = NEWS[0]._replace(document=NEWS[0].document.with_mentions([]))
    found = EXTRACTOR.extract(bare)
    assert spans(found) == spans(NEWS[0].document)
    assert [m.head for m in found.mentions] == [0, 1, 3, 5, 7]
    assert all(0.5 < (m.probability or 0) <= 1 for m in found.mentions)
    texts = {m.id: m.text for m in found.mentions}
    (event,) = (m for m in found.mentions if m.kind == "action")
    assert {(texts[a.mention], a.role) for a in event.arguments} >= {("Sudan", "ARG0"), ("the camp", "ARG1")}


@needs_model
def test_raw_text_is_parsed_and_extracted_from() -> None:
    documents = [Document.from_text(id, "Sudan bombed the camp in Yida last week. They fled.") for id in "ab"]
    texts = list(parse(documents, RESOURCES.roles))
    assert [text.document.id for text in texts] == ["a", "b"]
    for text in texts:
        assert [p.token for p in text.predicates] == [1, 10]
        assert len(text.document.tokens) == len(text.annotation)
        assert ("action", "bombed") in spans(at(0.5).extract(text))


def test_the_recall_point_finds_more_and_neither_point_overlaps() -> None:
    extractor = at(0.5)
    for text in NEWS:
        _, balanced, recall = (extractor.extract(text, point=point) for point in POINTS)
        assert set(spans(balanced)) < set(spans(recall))
        for found in (balanced, recall):
            for a, b in combinations(found.mentions, 2):
                assert a.kind != b.kind or a.end <= b.start or b.end <= a.start


def test_thresholds_decide_and_a_mention_just_as_probable_passes() -> None:
    text = NEWS[0]
    everything = EXTRACTOR.mentions(text)
    edge = sorted(m.probability or 0 for m in everything)[len(everything) // 2]
    expected = sorted((m.kind, m.text) for m in everything if (m.probability or 0) >= edge)
    assert sorted(spans(at(edge).extract(text))) == expected
    assert len(at(0).extract(text).mentions) == len(everything)


def test_the_precise_point_leaves_out_words_that_name_no_event() -> None:
    text = text_of("""
        It PRP nsubj bombed
        bombed VBD ROOT bombed bomb
        the DT det camp
        camp NN dobj bombed
    """)
    annotation = replace(text.annotation, lemmas=("it", "have", "the", "camp"))
    for point, words in (("balanced", ["bombed"]), ("precise", [])):
        found = at(0.01).extract(text._replace(annotation=annotation), kinds=["action"], point=point)
        assert [m.text for m in found.mentions if m.kind == "action" and m.text == "bombed"] == words


def test_unknown_operating_point_is_an_error() -> None:
    with pytest.raises(UsageError, match="'best'") as error:
        EXTRACTOR.extract(NEWS[0], point="best")
    assert "balanced, recall" in str(error.value)


def test_unknown_kind_is_an_error() -> None:
    with pytest.raises(UsageError, match="'event'"):
        EXTRACTOR.extract(NEWS[0], kinds=["event"])  # type: ignore[list-item]


def test_mentions_of_other_kinds_are_kept() -> None:
    document, annotation, predicates = NEWS[0][:3]
    given = document.with_mentions([document.mention("action", 3, 4, id="mine", event="e")])
    found = EXTRACTOR.extract(Parsed(given, annotation, predicates), kinds=["time"])
    assert [(m.id, m.kind, m.text) for m in found.mentions] == [
        ("mine", "action", "camp"),
        ("d0:6-8:time", "time", "last week"),
    ]
    assert found.mentions[0].event == "e"


def test_arguments_do_not_refer_to_replaced_mentions() -> None:
    document, annotation, predicates = NEWS[0][:3]
    old = document.mention("time", 7, 8, id="old")
    place = document.mention("location", 4, 6, id="place")
    arguments = [Argument("old", "AM-TMP"), Argument("place", "AM-LOC")]
    event = document.mention("action", 1, 2, arguments=arguments)
    given = Parsed(document.with_mentions([old, place, event]), annotation, predicates)
    found = {m.id: m for m in EXTRACTOR.extract(given, kinds=["time", "participant"]).mentions}
    assert "old" not in found
    assert Argument("old", "AM-TMP") not in found[event.id].arguments
    assert Argument("place", "AM-LOC") in found[event.id].arguments


def test_nothing_is_found_in_an_address() -> None:
    document, annotation, predicates = NEWS[0][:3]
    address = replace(document, mentions=(), sentences=(replace(document.sentences[0], is_url=True),))
    assert EXTRACTOR.mentions(Parsed(address, annotation, predicates)) == []


@pytest.mark.parametrize(
    "text",
    [
        Parsed(Document.from_tokens("d", []), EMPTY, ()),
        text_of("", ""),
        text_of("?! . ROOT ?!\n1999 CD dep ?!\n-- : punct ?!"),
        text_of("", "zzxq XX ROOT zzxq", ""),
    ],
    ids=["no sentence", "empty sentences", "no letter", "unknown word"],
)
def test_odd_texts_are_not_an_error(text: Parsed) -> None:
    for point in POINTS:
        assert len(EXTRACTOR.extract(text, point=point).mentions) <= 4 * len(text.document.tokens)


def test_a_sentence_of_2000_tokens_is_read_to_its_end() -> None:
    pattern = NEWS[0].annotation
    n, size = 2000, len(pattern)
    words = [t.text for t in NEWS[0].document.tokens]
    annotation = Annotation(
        tags=tuple(pattern.tags[i % size] for i in range(n)),
        pos=tuple(pattern.pos[i % size] for i in range(n)),
        lemmas=tuple(pattern.lemmas[i % size] for i in range(n)),
        heads=tuple(min(n - 1, i - i % size + pattern.heads[i % size]) for i in range(n)),
        labels=tuple(pattern.labels[i % size] for i in range(n)),
    )
    document = Document.from_tokens("long", [[words[i % size] for i in range(n)]])
    predicates = RESOURCES.roles.label(document, annotation)
    found = EXTRACTOR.mentions(Parsed(document, annotation, predicates))
    events = {m.start for m in found if m.kind == "action" and m.text == "bombed"}
    assert events == set(range(1, n, size))


def test_mentions_do_not_depend_on_other_sentences() -> None:
    settings = replace(SETTINGS, groups=tuple(g for g in EXTRACTOR.groups if g != "document"))
    extractor = train(NEWS, RESOURCES, settings=settings)
    longer = news("Nobody NN nsubj spoke\nspoke VBD ROOT spoke speak")
    for short, long in zip(NEWS, longer, strict=True):
        end = len(short.document.tokens)
        assert [m for m in extractor.mentions(long) if m.end <= end] == extractor.mentions(short)


def test_found_actions_have_a_class() -> None:
    for text in NEWS:
        bare = text._replace(document=text.document.with_mentions([]))
        found, gold = (
            [m for m in d.mentions if m.kind == "action"] for d in (EXTRACTOR.extract(bare), text.document)
        )
        assert [m.event_class for m in found] == [m.event_class for m in gold]


def test_given_classes_are_kept_and_missing_ones_added() -> None:
    text = NEWS[0]
    given = text.document.mention("action", 1, 2, event_class="generic")
    unknown = text.document.mention("action", 3, 4)
    document = text.document.with_mentions([given, unknown])
    known = EXTRACTOR.classify(text._replace(document=document)).mentions
    assert known[0] == given
    assert known[1].event_class is not None


def test_extractor_trained_without_classes_gives_none() -> None:
    plain = [
        text._replace(
            document=text.document.with_mentions(
                replace(m, event_class=None, negated=False) for m in text.document.mentions
            )
        )
        for text in NEWS
    ]
    found = train(plain, RESOURCES, settings=SETTINGS).extract(plain[0])
    assert {m.event_class for m in found.mentions} == {None}


def scores(text: Parsed) -> NDArray[np.float32]:
    """Return what a tagger would say that is always right."""
    tags = np.full((len(text.document.tokens), len(TAGS)), -4, np.float32)
    tags[:, TAGS.index("none")] = 0
    names = {"action": "occurrence", "participant": "human"}
    for m in text.document.mentions:
        tags[m.start : m.end, TAGS.index(names.get(m.kind, m.kind))] = 4
        tags[m.start, TAGS.index("start")] = 4
    return tags


def with_states(text: Parsed) -> Parsed:
    """Return a text whose annotators named the kinds of mentions, read by an encoder that knows them."""
    names = {"action": "ACTION_OCCURRENCE", "participant": "HUMAN_PART_PER"}
    document = text.document.with_mentions(replace(m, tag=names.get(m.kind)) for m in text.document.mentions)
    marked = tuple(replace(sentence, annotated=True) for sentence in document.sentences)
    states = np.maximum(scores(text), 0).astype(np.float16)
    return text._replace(document=replace(document, sentences=marked), states=states + np.float16(0.1))


def test_contextual_extractor_follows_the_tagger(tmp_path: Path) -> None:
    contextual = [with_states(text) for text in NEWS]
    extractor = train(contextual, RESOURCES, settings=replace(SETTINGS, groups=("contextual",)))
    assert (extractor.contextual, EXTRACTOR.contextual) == (True, False)
    extractor.save(tmp_path / "a.npz", {})
    loaded = Extractor.load(tmp_path / "a.npz", RESOURCES)
    for text in contextual:
        bare = text._replace(document=text.document.with_mentions([]))
        assert spans(loaded.extract(bare)) == spans(text.document)
    moved = contextual[0].document.with_mentions([contextual[0].document.mention("action", 3, 4)])
    elsewhere = contextual[0]._replace(document=moved)
    found = loaded.mentions(with_states(elsewhere), ["action"])
    assert max(found, key=lambda m: m.probability or 0).text == "camp"
    assert loaded.tagger
    assert elsewhere.states is not None
    tags = loaded.tagger.scores(elsewhere.states, sentence_borders(moved))
    given = elsewhere._replace(states=None, tags=tags)
    assert loaded.mentions(given) == loaded.mentions(elsewhere), "tags are what states are read for"
    with pytest.raises(DataError, match="needs the tags of an encoder"):
        loaded.extract(NEWS[0])


def test_tagger_learns_from_marked_sentences_that_nobody_checked_in_full() -> None:
    def unchecked(text: Parsed) -> Parsed:
        sentences = tuple(replace(sentence, annotated=False) for sentence in text.document.sentences)
        return text._replace(document=replace(text.document, sentences=sentences))

    checked = [with_states(text) for text in NEWS]
    settings = replace(SETTINGS, groups=("contextual",))
    first, second = (
        train(texts, RESOURCES, settings=settings).tagger
        for texts in (checked, [unchecked(text) for text in checked])
    )
    assert first
    assert second
    assert first.digest == second.digest


def test_saved_extractor_makes_the_same_decisions(tmp_path: Path) -> None:
    extractor = at(0.5)
    extractor.save(tmp_path / "a.npz", {"source": "here"})
    loaded = Extractor.load(tmp_path / "a.npz", RESOURCES)
    assert loaded.thresholds == extractor.thresholds
    assert loaded.groups == extractor.groups
    assert loaded.limits.tolist() == extractor.limits.tolist()
    assert read_table(tmp_path / "a.npz", KIND, SCHEMA).manifest["source"] == "here"
    for text in NEWS:
        assert spans(loaded.extract(text)) == spans(extractor.extract(text))
        ours, theirs = (each.probabilities(each.features(text)) for each in (loaded, extractor))
        np.testing.assert_allclose(ours, theirs, atol=0.01)
        heads = range(len(text.document.tokens))
        ours, theirs = (each.class_probabilities(each.features(text), heads) for each in (loaded, extractor))
        np.testing.assert_allclose(ours, theirs, atol=0.01)


def test_the_same_extractor_has_the_same_bytes(tmp_path: Path) -> None:
    EXTRACTOR.save(tmp_path / "a.npz", {})
    EXTRACTOR.save(tmp_path / "b.npz", {})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    again = Extractor.load(tmp_path / "a.npz", RESOURCES)
    again.save(tmp_path / "c.npz", {})
    third = Extractor.load(tmp_path / "c.npz", RESOURCES)
    for text in NEWS:
        assert third.extract(text) == again.extract(text)


def test_an_existing_file_is_not_overwritten_by_default(tmp_path: Path) -> None:
    EXTRACTOR.save(tmp_path / "a.npz", {})
    with pytest.raises(OutputExistsError):
        EXTRACTOR.save(tmp_path / "a.npz", {})
    EXTRACTOR.save(tmp_path / "a.npz", {}, overwrite=True)


@pytest.mark.parametrize("damage", ["missing", "text", "cut", "kind"])
def test_error_names_a_file_that_is_not_an_extractor(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.npz"
    EXTRACTOR.save(path, {})
    whole = path.read_bytes()
    if damage == "kind":
        write_table(path, "roles", 1, {}, {}, overwrite=True)
    elif damage == "missing":
        path.unlink()
    else:
        path.write_bytes(b"hello" if damage == "text" else whole[: len(whole) // 2])
    with pytest.raises(FormatError, match=r"a\.npz"):
        Extractor.load(path, RESOURCES)


PARTS = [
    "token_keys",
    "token_levels",
    "segment_keys",
    "segment_scales",
    "transitions",
    "limits",
    "class_levels",
]
PARTS += ["class_bias"]


@pytest.mark.parametrize("name", PARTS)
def test_missing_array_is_an_error(tmp_path: Path, name: str) -> None:
    path = rewritten(tmp_path, lambda _, arrays: arrays.pop(name))
    with pytest.raises(FormatError, match=name):
        Extractor.load(path, RESOURCES)


@pytest.mark.parametrize("name", PARTS)
def test_short_array_is_an_error(tmp_path: Path, name: str) -> None:
    path = rewritten(tmp_path, lambda _, arrays: arrays.update({name: arrays[name][:-1]}))
    with pytest.raises(FormatError, match=r"a\.npz"):
        Extractor.load(path, RESOURCES)


@pytest.mark.parametrize("entry", ["groups", "thresholds"])
def test_incomplete_manifest_is_refused(tmp_path: Path, entry: str) -> None:
    path = rewritten(tmp_path, lambda manifest, _: manifest.pop(entry))
    with pytest.raises(FormatError, match=entry):
        Extractor.load(path, RESOURCES)


def test_thresholds_are_there_for_every_kind(tmp_path: Path) -> None:
    path = rewritten(tmp_path, lambda manifest, _: manifest["thresholds"]["recall"].pop("time"))
    with pytest.raises(FormatError, match="thresholds"):
        Extractor.load(path, RESOURCES)


def test_an_extractor_for_other_vectors_is_refused(tmp_path: Path) -> None:
    EXTRACTOR.save(tmp_path / "a.npz", {})
    with pytest.raises(FormatError, match="3 dimensions"):
        Extractor.load(tmp_path / "a.npz", tiny_resources(dimension=5))


def rewritten(folder: Path, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> Path:
    """Save the extractor with a change to its manifest or arrays."""
    path = folder / "a.npz"
    EXTRACTOR.save(path, {})
    table = read_table(path, KIND, SCHEMA)
    manifest, arrays = dict(table.manifest), dict(table.arrays)
    change(manifest, arrays)
    write_table(path, KIND, SCHEMA, manifest, arrays, overwrite=True)
    return path
