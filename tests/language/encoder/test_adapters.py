from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from encoders import SIZE, write_base
from samevent.errors import FormatError
from samevent.language.encoder.adapters import (
    ADAPTER_SCALE,
    Adapter,
    merged,
    read_adapter,
    stacked,
    write_adapter,
)
from samevent.language.encoder.weights import read_weights


def adapter(seed: int = 0, rank: int = 2) -> Adapter:
    draws = np.random.default_rng(seed)
    return {"2.query.a": draws.normal(size=(rank, SIZE)), "2.query.b": draws.normal(size=(SIZE, rank))}


def test_merging_adds_the_scaled_product_and_shares_the_rest(tmp_path: Path) -> None:
    weights = read_weights(write_base(tmp_path))
    tuned = merged(weights, adapter())
    product = adapter()["2.query.b"] @ adapter()["2.query.a"]
    name = "2.query.weight"
    assert np.allclose(tuned.arrays[name], weights.arrays[name] + ADAPTER_SCALE * product, atol=1e-5)
    assert all(tuned.arrays[n] is array for n, array in weights.arrays.items() if n != name)


def test_stacking_adds_the_mean_of_the_updates(tmp_path: Path) -> None:
    weights = read_weights(write_base(tmp_path))
    parts = [adapter(0), adapter(1, rank=3)]
    both = merged(weights, stacked(parts)).arrays["2.query.weight"]
    assert np.allclose(
        both, np.mean([merged(weights, part).arrays["2.query.weight"] for part in parts], 0), atol=1e-5
    )


def test_adapter_survives_its_file_in_half_precision(tmp_path: Path) -> None:
    path = tmp_path / "adapter.npz"
    write_adapter(path, adapter(), {"trained on": "quakes"})
    copy = read_adapter(path)
    assert list(copy) == list(adapter())
    assert all(np.allclose(copy[name], array, rtol=1e-3) for name, array in adapter().items())


def test_adapter_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    weights = read_weights(write_base(tmp_path))
    wrong = {"2.up.a": np.zeros((2, SIZE)), "2.up.b": np.zeros((SIZE, 2))}
    with pytest.raises(FormatError, match=r"2\.up does not fit"):
        merged(weights, wrong)
    path = tmp_path / "adapter.npz"
    write_adapter(path, {"2.up.a": np.zeros((2, SIZE))})
    with pytest.raises(FormatError, match=r"2\.up\.a"):
        read_adapter(path)
