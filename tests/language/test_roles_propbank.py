from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from hypothesis import given

from builders import DATA, needs_data
from parses import parsed, random_annotations
from samevent.errors import FormatError
from samevent.language.annotation import Annotation
from samevent.language.heads import highest_token, token_depths
from samevent.language.roles.base import Predicate, RoleArgument, predicate_scores, role_scores
from samevent.language.roles.propbank import gold_predicates, read_propbank

SENTENCE = {
    "doc": "d",
    "split": "dev",
    "words": ["Sudan", "was", "bombing", "Yida", "on", "Thursday"],
    "tags": ["NNP", "VBD", "VBG", "NNP", "IN", "NNP"],
    "preds": [
        {"i": 1, "sense": "be.03", "pos": "VBD", "args": []},
        {
            "i": 2,
            "sense": "bomb.01",
            "pos": "VBG",
            "args": [["ARG0", 0, 0], ["ARG1", 3, 3], ["ARGM-TMP", 4, 5], ["R-ARG0", 0, 0]],
        },
    ],
}


def written(path: Path, *sentences: object) -> Path:
    with lzma.open(path / "ewt-propbank.jsonl.xz", "wt") as stream:
        stream.writelines(json.dumps(sentence) + "\n" for sentence in sentences)
    return path


def test_sentences_of_a_document_are_consecutive(tmp_path: Path) -> None:
    (gold,) = read_propbank(written(tmp_path, SENTENCE, SENTENCE))
    assert [s.end for s in gold.document.sentences] == [6, 12]
    assert [p.token for p in gold.predicates] == [1, 2, 7, 8]
    assert gold.predicates[3].arguments[2] == ("AM-TMP", 10, 12)


def test_auxiliaries_and_relative_pronouns_are_left_out(tmp_path: Path) -> None:
    (gold,) = read_propbank(written(tmp_path, SENTENCE))
    _, annotation = parsed(
        """
        Sudan NNP nsubj bombing
        was VBD aux bombing
        bombing VBG ROOT bombing
        Yida NNP dobj bombing
        on IN prep bombing
        Thursday NNP pobj on
        """
    )
    (bombing,) = gold_predicates(gold, annotation)
    assert bombing == Predicate(
        2,
        "verbal",
        (RoleArgument("ARG0", 0, 0, 1), RoleArgument("ARG1", 3, 3, 4), RoleArgument("AM-TMP", 4, 4, 6)),
    )


@pytest.mark.parametrize("line", ["nonsense", '{"doc": "d"}', '{"doc": "d", "split": "dev", "words": ["a"]}'])
def test_broken_data_is_one_error(tmp_path: Path, line: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(line)
    with pytest.raises(FormatError, match=r"data\.jsonl"):
        read_propbank(path)


def test_missing_data_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_propbank(tmp_path)


@needs_data("srl")
def test_real_data_has_the_documented_sizes() -> None:
    sizes = dict.fromkeys(("train", "dev", "test"), 0)
    for gold in read_propbank(DATA / "srl"):
        sizes[gold.split] += len(gold.document.sentences)
    assert sizes == {"train": 12506, "dev": 1963, "test": 2054}


@given(random_annotations())
def test_depth_counts_the_steps_to_the_root(annotation: Annotation) -> None:
    for token, depth in enumerate(token_depths(annotation)):
        steps = 0
        while annotation.heads[token] != token:
            token, steps = annotation.heads[token], steps + 1
        assert depth == steps


def test_highest_token_ignores_punctuation() -> None:
    _, annotation = parsed(
        """
        ( -LRB- punct ROOT
        on IN prep fell
        Thursday NNP pobj on
        fell VBD ROOT fell
        """.replace("punct ROOT", "punct fell")
    )
    assert highest_token(annotation, 0, 3, token_depths(annotation)) == 1


def predicate(token: int, kind: str, *arguments: tuple[str, int]) -> Predicate:
    return Predicate(token, kind, tuple(RoleArgument(r, h, h, h + 1) for r, h in arguments))  # type: ignore[arg-type]


def test_scores_count_role_and_head() -> None:
    gold = (
        predicate(1, "verbal", ("ARG0", 0), ("ARG1", 2), ("AM-MNR", 5)),
        predicate(7, "nominal", ("ARG1", 6)),
    )
    system = (
        predicate(1, "verbal", ("ARG0", 0), ("ARG1", 3), ("AM-TMP", 4)),
        predicate(7, "verbal", ("ARG1", 6)),
    )
    verbal = role_scores([(gold, system)], "verbal")
    assert verbal["ARG0"] == 1
    assert verbal["ARG1"] == 0
    assert verbal["micro_f1"] == pytest.approx(2 * 1 / (2 + 3))
    # The annotation says what kind a predicate is, whatever the labeller thinks.
    assert role_scores([(gold, system)], "nominal")["micro_f1"] == 1
    assert role_scores([], "verbal")["micro_f1"] == 0


def test_predicates_are_scored_by_token() -> None:
    gold = (predicate(1, "verbal"), predicate(4, "verbal"), predicate(7, "nominal"))
    system = (predicate(1, "verbal"), predicate(5, "verbal"), predicate(6, "verbal"))
    assert predicate_scores([(gold, system)], "verbal") == pytest.approx(
        {"precision": 1 / 3, "recall": 1 / 2, "f1": 0.4}
    )
