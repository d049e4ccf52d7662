"""Packed values come back as they were, and damaged or unexpected ones are refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samevent.errors import FormatError
from samevent.packing import pack, unpack
from samevent.similarity.bags import Bags

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(0, 9), inner)
    ),
)


@given(plain)
def test_plain_values_come_back_as_they_were(value: object) -> None:
    assert repr(unpack(pack(value))) == repr(value)


def test_dataclasses_of_arrays_come_back_bit_by_bit() -> None:
    bags = Bags.pack([["raid", "on", "raid"], []], {"on": 0, "raid": 1})
    again = unpack(pack({"bags": bags, "half": np.array([0.1, np.nan], np.float16)}), [Bags])
    for name in ("starts", "words", "counts", "squares"):
        one, other = getattr(again["bags"], name), getattr(bags, name)
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    assert again["half"].tobytes() == np.array([0.1, np.nan], np.float16).tobytes()


@dataclass(frozen=True)
class Stranger:
    name: str


def test_only_named_classes_are_built() -> None:
    with pytest.raises(FormatError, match="'Stranger'"):
        unpack(pack(Stranger("x")), [Bags])
    assert unpack(pack(Stranger("x")), [Stranger]) == Stranger("x")
    with pytest.raises(TypeError, match="cannot pack set"):
        pack({1, 2})


@pytest.mark.parametrize("at", [0, 20, 40, -1])
def test_every_changed_or_missing_byte_is_noticed(at: int) -> None:
    data = pack({"rows": np.arange(9)})
    changed = bytearray(data)
    changed[at] ^= 1
    for damaged in (bytes(changed), data[:at]):
        with pytest.raises(FormatError, match="damaged"):
            unpack(damaged)
