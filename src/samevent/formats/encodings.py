"""Text in other encodings than UTF-8: what a file most likely is, as charset-normalizer judges it.

Bytes that are no UTF-8 are nearly always an older Windows text in English; of encodings that are as plausible, the
commonest one is taken, so that the name of the encoding is one that people know.
"""

from __future__ import annotations

import codecs
from pathlib import Path

from samevent.formats.files import decoded, is_binary, is_utf16, opened

_COMMON = ("cp1252", "mac_roman", "cp1250", "cp1251")
"""Preferred among encodings that are equally plausible."""
_SAMPLE = 100_000
"""Bytes that the judgement looks at."""
_CHUNK = 1 << 18
_ASCII_SHARE = 0.85
"""Mostly ASCII: Western text with some quotes and accents."""
_NEARLY_ASCII = 0.95
"""Too few other characters to tell a rare encoding by."""


def guessed_encoding(data: bytes) -> str | None:
    """Return the most plausible encoding of text that is not UTF-8, None if it hardly is text.

    >>> guessed_encoding("The “fête” began on Monday.".encode("cp1252"))
    'cp1252'
    """
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE]
    if is_utf16(sample):
        return "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"
    if b"\0" in sample or is_binary(sample):
        return None
    matches = from_bytes(sample)
    best = matches.best()
    ascii_share = sum(byte < 128 for byte in sample) / max(len(sample), 1)
    unknown = best is None or not best.coherence
    rare = best is not None and best.encoding not in _COMMON and ascii_share >= _NEARLY_ASCII
    if ascii_share >= _ASCII_SHARE and (unknown or rare) and _decodes(data, "cp1252"):
        return "cp1252"
    if best is None:
        return None
    equal = {
        name
        for match in matches
        if (match.chaos, -match.coherence) <= (best.chaos, -best.coherence)
        for name in (match.encoding, *match.could_be_from_charset)
    }
    return next((name for name in (*_COMMON, best.encoding) if name in equal and _decodes(data, name)), None)


def decode_any(data: bytes, path: Path | str, encoding: str | None = None) -> tuple[str, str | None]:
    """Decode bytes in whatever encoding they are; the second value is the encoding if it had to be guessed."""
    guess = None
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if encoding is None and not marked and (not _decodes(data, "utf-8") or is_utf16(data[:_SAMPLE])):
        guess = guessed_encoding(data)
    return decoded(data, path, encoding=encoding or guess), guess


def encoding_of(path: Path) -> str | None:
    """Return the encoding of a large text file if it is not UTF-8; the file is read once, piece by piece."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with opened(path) as stream:
        first = True
        while chunk := stream.read(_CHUNK):
            if first and chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return "utf-16"
            first = False
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                at = error.start
                return guessed_encoding(chunk[max(0, at - _SAMPLE // 2) : at + _SAMPLE // 2])
    return None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
