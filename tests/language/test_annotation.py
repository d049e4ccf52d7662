from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from parses import random_annotations
from samevent.errors import CorpusError, FormatError
from samevent.language.annotation import Annotation


def two(**change: Any) -> Annotation:
    columns: dict[str, Any] = {
        "tags": ("NNP", "VBZ"),
        "pos": ("PROPN", "VERB"),
        "lemmas": ("Sudan", "bomb"),
        "heads": (1, 1),
        "labels": ("nsubj", "ROOT"),
    }
    return Annotation(**{**columns, **change})


@given(random_annotations())
def test_bytes_give_the_same_annotation_back(annotation: Annotation) -> None:
    data = annotation.to_bytes()
    assert Annotation.from_bytes(data) == annotation
    assert Annotation.from_bytes(data).to_bytes() == data
    assert b"\n" not in data


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"tags": ("NNP",)}, "1 tags, 2 pos"),
        ({"heads": (2, 1)}, "token 0 has its head at 2"),
        ({"heads": (1, -1)}, "token 1 has its head at -1"),
        ({"heads": (1, 0)}, "run in a circle"),
        ({"chunks": ((1, 1),)}, "spans tokens 1-1"),
        ({"entities": ((0, 3, "GPE"),)}, "spans tokens 0-3"),
    ],
)
def test_annotation_refuses_parts_that_disagree(change: dict[str, Any], says: str) -> None:
    with pytest.raises(CorpusError, match=says):
        two(**change)


def test_annotation_finds_a_circle_far_from_the_token_that_leads_to_it() -> None:
    n = 1000
    column = ("x",) * n
    heads = (*range(1, n), n - 2)
    with pytest.raises(CorpusError, match="circle"):
        Annotation(tags=column, pos=column, lemmas=column, heads=heads, labels=column)
    chain = (*range(1, n), n - 1)
    assert len(Annotation(tags=column, pos=column, lemmas=column, heads=chain, labels=column)) == n


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        two().to_bytes()[:-1],
        two().to_bytes().replace(b"[1,0]", b"[2,0]"),
    ],
)
def test_foreign_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="not those of an annotation"):
        Annotation.from_bytes(data)
