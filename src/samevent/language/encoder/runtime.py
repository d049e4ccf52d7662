"""Contextual vectors of mentions, computed with onnxruntime.

Units run one at a time, because quantized activations share one scale per run: in a batch, a unit's vectors would
depend on its neighbours. Each run uses one thread, and `jobs` runs go on at once, so the vectors are the same
for any number of jobs and any order of the documents. They are rounded to half precision.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document, Mention
from samevent.errors import FormatError, place
from samevent.language.cache import Cache
from samevent.language.encoder.units import Place, Unit, UnitReader
from samevent.parallel import thread_pool

ENCODER_FILE = "encoder.onnx"
TOKENIZER_FILE = "tokenizer.json"

Halves = NDArray[np.float16]

_SCHEMA = 1
"""Increased when the same files would give other vectors, so that cached ones are not used."""


class Documents(Protocol):
    """A corpus, or anything else that looks documents up by their ids."""

    def __getitem__(self, document_id: str, /) -> Document:
        """Return a document."""


@dataclass(frozen=True, slots=True)
class MentionVectors:
    """One row per mention, in the order in which the mentions were given.

    `last` is the mean over the mention's pieces of the last layer, `middle` the same of the mean of all layers but the
    first, and `unit` the mean of the last layer over the whole sentence. Rows have no fixed length: compare by cosine.
    """

    last: Halves
    middle: Halves
    unit: Halves

    def __len__(self) -> int:
        return len(self.last)


class Encoder:
    """The encoder of a model folder: `encoder.onnx` and `tokenizer.json`, loaded on first use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[type[Encoder], tuple[Path]]:
        return Encoder, (self.folder,)

    @cached_property
    def digest(self) -> str:
        """A hash of both files: whatever was computed with the same one need not be computed again."""
        content = blake2b(digest_size=16)
        for name in (ENCODER_FILE, TOKENIZER_FILE):
            content.update(self._existing(name).read_bytes())
        return content.hexdigest()

    @cached_property
    def reader(self) -> UnitReader:
        """What cuts sentences into units."""
        return UnitReader(self._existing(TOKENIZER_FILE))

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        path = self._existing(ENCODER_FILE)
        try:
            return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has one class per kind of failure, and no common one
            raise FormatError(
                f"cannot be read as an encoder ({error})", where=place(path), hint="install samevent again"
            ) from error

    def encode(self, unit: Unit) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the vectors of a unit's pieces: the last layer, and the mean of all layers but the first."""
        last, middle = self._session.run(["last", "middle"], {"pieces": np.array(unit.pieces, np.int64)})
        return last, middle

    def document_vectors(self, document: Document, mentions: Sequence[Mention]) -> NDArray[np.float16]:
        """Return the vectors of some mentions of one document: last, middle and unit, mentions x 3 x size."""
        return self._pooled(*self.reader.read(document, mentions))

    def _pooled(self, units: Sequence[Unit], places: Sequence[Place]) -> Halves:
        encoded = [
            (last, middle, _mean(last, range(1, unit.stop)))
            for unit in units
            for last, middle in [self.encode(unit)]
        ]
        rows = []
        for mention in places:
            last, middle, whole = encoded[mention.unit]
            pieces = mention.pieces or range(1, units[mention.unit].stop)
            rows.append((_mean(last, pieces), _mean(middle, pieces), whole))
        return np.array(rows, np.float16)

    def _existing(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise FormatError(
                "the model has no contextual encoder: this file does not exist",
                where=place(path),
                hint="train one with: samevent train encoder DATA -o MODEL --base FOLDER; or use a preset without one",
            )
        return path


def mention_vectors(
    encoder: Encoder,
    documents: Documents,
    mentions: Sequence[Mention],
    *,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Callable[[int], None] | None = None,
) -> MentionVectors:
    """Return the vectors of mentions; only their sentences are read.

    `progress` is called after each document with the number of its mentions.
    """
    by_document: dict[str, list[int]] = {}
    for row, mention in enumerate(mentions):
        by_document.setdefault(mention.document, []).append(row)

    def encode(document_id: str, rows: list[int]) -> Halves:
        vectors = _cached(encoder, documents[document_id], [mentions[row] for row in rows], cache)
        if progress is not None:
            progress(len(rows))
        return vectors

    if not by_document:
        empty = np.empty((0, 0), np.float16)
        return MentionVectors(empty, empty, empty)
    encoder.reader, encoder._session  # noqa: B018 -- loaded once, before there are threads
    with thread_pool(jobs) as starmap:
        parts = starmap(encode, list(by_document.items()))
    vectors = np.empty((3, len(mentions), parts[0].shape[2]), np.float16)
    for rows, part in zip(by_document.values(), parts, strict=True):
        vectors[:, rows] = part.transpose(1, 0, 2)
    return MentionVectors(*vectors)


def _cached(encoder: Encoder, document: Document, mentions: Sequence[Mention], cache: Cache | None) -> Halves:
    units, places = encoder.reader.read(document, mentions)
    if cache is None:
        return encoder._pooled(units, places)
    key = cache.key(
        "mention vectors", _SCHEMA, encoder.digest,
        [[*unit.pieces, -unit.stop] for unit in units], [[p.unit, *p.pieces] for p in places],
    )  # fmt: skip
    data = cache.get(key)
    if data is not None:
        return np.asarray(np.load(io.BytesIO(data), allow_pickle=False), np.float16)
    vectors = encoder._pooled(units, places)
    stream = io.BytesIO()
    np.save(stream, vectors, allow_pickle=False)
    cache.put(key, stream.getvalue())
    return vectors


def _mean(vectors: NDArray[np.float32], pieces: Sequence[int]) -> NDArray[np.float32]:
    return vectors[list(pieces)].mean(axis=0) if len(pieces) else np.zeros(vectors.shape[1], np.float32)
