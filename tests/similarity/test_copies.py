"""Copies are found by what their words share: against the exact share, and whatever else is in the corpus."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from loose_files import QUAKE, STRIKE
from samevent.corpus import Document
from samevent.similarity.copies import Signature, copies, distinct, signature

TEXTS = {"quake": " ".join(QUAKE), "strike": " ".join(STRIKE)}


def marks(text: str, id: str = "a") -> Signature:
    least = signature(Document.from_text(id, text))
    assert least is not None
    return least


def exact_share(a: str, b: str) -> float:
    def sequences(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {tuple(words[at : at + 4]) for at in range(len(words) - 3)}

    return len(sequences(a) & sequences(b)) / len(sequences(a) | sequences(b))


def words(seed: int, count: int = 400) -> list[str]:
    return [f"w{number}" for number in np.random.default_rng(seed).integers(0, 5_000, count)]


@pytest.mark.parametrize("kept", [40, 160, 240, 320, 400])
def test_equal_values_estimate_the_share_of_sequences(kept: int) -> None:
    one, other = words(1), words(2)
    a, b = " ".join(one), " ".join([*one[:kept], *other[kept:]])
    estimate = float((marks(a) == marks(b)).mean())
    exact = exact_share(a, b)
    assert abs(estimate - exact) <= 4 * (max(exact * (1 - exact), 0.002) / 128) ** 0.5


def test_copies_are_grouped_with_the_first_of_them() -> None:
    texts = {
        "agency": TEXTS["quake"],
        "other": TEXTS["strike"],
        "daily": f"By our correspondent. {TEXTS['quake']}",
        "late": f"{TEXTS['quake']} (Reuters)",
    }
    groups = copies((id, marks(text)) for id, text in texts.items())
    assert groups == {"daily": "agency", "late": "agency"}
    assert distinct(texts, groups) == 2


def test_short_texts_have_no_copies() -> None:
    assert signature(Document.from_text("a", "Sudan bombs Yida.")) is None


def test_many_copies_are_one_group() -> None:
    row = marks(TEXTS["quake"])
    assert len(copies((f"d{at}", row) for at in range(3_000))) == 2_999


def test_chains_of_small_changes_are_one_group() -> None:
    versions = [words(3)]
    for step in range(1, 5):
        versions.append([*versions[-1][:-20], *words(step + 10, 20)])
    assert all(exact_share(" ".join(a), " ".join(b)) > 0.8 for a, b in pairwise(versions))
    groups = copies((f"v{at}", marks(" ".join(version))) for at, version in enumerate(versions))
    assert set(groups.values()) == {"v0"}
