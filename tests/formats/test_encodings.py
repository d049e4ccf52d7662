"""Guessed encodings: short texts in encodings that people have."""

from __future__ import annotations

import pytest

from samevent.formats.encodings import guessed_encoding

TEXTS = [
    ("A gunman attacked a café in Paris on Friday. The attack left three dead, said the mayor’s office.", "cp1252"),
    ("He said “no” to the café owner, twice. It’s over.", "mac_roman"),
    ("Příliš žluťoučký kůň úpěl ďábelské ódy a všichni utekli z města.", "cp1250"),
    ("Москва и Киев подписали соглашение о перемирии сегодня.", "cp1251"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "encoding"), TEXTS)
def test_short_texts_are_read_in_common_encodings(text: str, encoding: str) -> None:
    guess = guessed_encoding(text.encode(encoding))
    assert guess is not None
    assert text.encode(encoding).decode(guess) == text


def test_binary_data_have_no_encoding() -> None:
    assert guessed_encoding(bytes(range(256))) is None
