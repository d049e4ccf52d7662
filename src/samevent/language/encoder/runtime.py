"""Contextual vectors of mentions and tags of tokens, computed with onnxruntime.

Units run one at a time: in a batch, the last bits of a unit's vectors would depend on its neighbours. Each run uses one
thread, and `jobs` runs go on at once, so the vectors are the same for any number of jobs and any order of the
documents. They are rounded to half precision.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document, Mention
from samevent.errors import FormatError, place
from samevent.language.cache import Cache
from samevent.language.encoder.graph import OWN
from samevent.language.encoder.onnx_file import Node, Port, model_bytes
from samevent.language.encoder.tagger import Tagger
from samevent.language.encoder.tagging import TAGS
from samevent.language.encoder.units import Pieces, Place, Unit, UnitReader
from samevent.parallel import thread_pool

ENCODER_FILE = "encoder.onnx"
TOKENIZER_FILE = "tokenizer.json"

Halves = NDArray[np.float16]
MentionVectors = dict[str, Halves]
"""Vectors by name, one row per mention in the order in which the mentions were given.

`last` is the mean over the mention's pieces of the last layer, `middle` the same of the mean of all layers but the
first, and `unit` the mean of the last layer over the whole sentence. A graph of several encoders has such vectors of
each, with prefixes. Rows have no fixed length: compare by cosine.
"""

_SCHEMA = 1
"""Increased when the same files would give other vectors, so that cached ones are not used."""


class Documents(Protocol):
    """A corpus, or anything else that looks documents up by their ids."""

    def __getitem__(self, document_id: str, /) -> Document:
        """Return a document."""


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
        path = self._existing(ENCODER_FILE)
        try:
            return open_session(str(path))
        except Exception as error:  # onnxruntime has one class per kind of failure, and no common one
            raise FormatError(
                f"cannot be read as an encoder ({error})", where=place(path), hint="install samevent again"
            ) from error

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """What the graph computes: `last`, `middle` and, if the encoder has a tagger, `tags`."""
        return tuple(output.name for output in self._session.get_outputs())

    @cached_property
    def vector_names(self) -> tuple[str, ...]:
        """The names of a mention's vectors, in order."""
        prefixes = [name.removesuffix("last") for name in self.outputs if name.endswith("last")]
        return tuple(prefix + part for prefix in prefixes for part in ("last", "middle", "unit"))

    def encode(self, unit: Unit) -> dict[str, NDArray[np.float32]]:
        """Return the outputs of the graph for a unit, by name, each with one row per piece up to `unit.stop`."""
        inputs = {"pieces": np.array(unit.pieces, np.int64), OWN: np.array([unit.stop], np.int64)}
        arrays = self._session.run(self.outputs, {name: inputs[name] for name in self._inputs})
        return dict(zip(self.outputs, arrays, strict=True))

    @cached_property
    def _inputs(self) -> tuple[str, ...]:
        """What the graph reads; encoders installed by earlier versions compute vectors of the context, too."""
        return tuple(port.name for port in self._session.get_inputs())

    def read(self, document: Document, cache: Cache | None = None) -> Reading:
        """Return a document as the encoder reads it."""
        return Reading(self, document, cache)

    def _existing(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise FormatError(
                "the model has no contextual encoder: this file does not exist",
                where=place(path),
                hint="train one with: samevent train encoder DATA -o MODEL --base FOLDER; or use a preset without one",
            )
        return path


class Reading:
    """One document: the states and tags of its tokens and the vectors of its mentions.

    A sentence is cut and read when it is first asked for, once for all. What a cache has is not read at all. The
    address of a web page is not read for tokens.
    """

    def __init__(self, encoder: Encoder, document: Document, cache: Cache | None = None) -> None:
        self.encoder = encoder
        self.document = document
        self.cache = cache
        self._pieces: Pieces = {}
        self._encoded: dict[Unit, dict[str, NDArray[np.float32]]] = {}

    def tags(self, tagger: Tagger | None = None) -> NDArray[np.float32]:
        """Return the scores of a tagger, by default the encoder's own, one row per token.

        The columns are those of `tagging.TAGS`; another tagger than the encoder's does not score the last of them.
        """
        if tagger is not None:
            borders = np.array([0, *(s.end for s in self.document.sentences)], np.int64)
            name = f"tags {tagger.digest} {borders.tolist()}"
            return np.asarray(
                self._cached(name, *self._places, lambda *_: tagger.scores(self.states, borders)), np.float32
            )
        if "tags" not in self.encoder.outputs:
            raise FormatError(
                "the encoder has no tagger",
                where=place(self.encoder.folder / ENCODER_FILE),
                hint="train one with: samevent train encoder DATA -o MODEL --base FOLDER; or use a preset without one",
            )
        scores = self._cached("tags", *self._places, self._tags)
        return np.asarray(scores, np.float32).reshape(len(self.document.tokens), len(TAGS))

    @cached_property
    def states(self) -> Halves:
        """The last layer and the mean of layers side by side, the mean over the pieces of each token.

        Tokens of which no piece is read have zeros. States are many numbers, so they are not cached.
        """
        units, places = self._places
        encoded = [self._encode(unit) for unit in units]
        means = [_means([arrays[name] for arrays in encoded], places) for name in ("last", "middle")]
        return np.hstack(means).astype(np.float16)

    def vectors(self, mentions: Sequence[Mention]) -> Halves:
        """Return the vectors of some mentions: mentions x `vector_names` x size."""
        units, places = self.encoder.reader.read(self.document, mentions, self._pieces)
        return np.asarray(self._cached("mention vectors", units, places, self._pooled), np.float16)

    @cached_property
    def _places(self) -> tuple[list[Unit], list[Place]]:
        """The units to read for tokens, and the place of each token; tokens of addresses have no pieces."""
        document = self.document
        prose = [i for i, sentence in enumerate(document.sentences) if not sentence.is_url]
        units, read = self.encoder.reader.read_tokens(document, prose, self._pieces)
        places = [Place(0, ())] * len(document.tokens)
        tokens = (t for i in prose for t in range(document.sentences[i].start, document.sentences[i].end))
        for token, where in zip(tokens, read, strict=True):
            places[token] = where
        return units, places

    def _tags(self, units: Sequence[Unit], places: Sequence[Place]) -> NDArray[np.float32]:
        scores = [self._encode(unit)["tags"] for unit in units]
        blank = np.zeros(len(TAGS), np.float32)
        return np.array([scores[p.unit][p.pieces[0]] if p.pieces else blank for p in places], np.float32)

    def _pooled(self, units: Sequence[Unit], places: Sequence[Place]) -> Halves:
        encoded = [self._encode(unit) for unit in units]
        whole = [Place(number, tuple(range(1, unit.stop))) for number, unit in enumerate(units)]
        own = [place if place.pieces else whole[place.unit] for place in places]
        vectors = []
        for name in self.encoder.vector_names:
            if name.endswith("unit"):
                last = [arrays[f"{name.removesuffix('unit')}last"] for arrays in encoded]
                vectors.append(_means(last, whole)[[place.unit for place in places]])
            else:
                vectors.append(_means([arrays[name] for arrays in encoded], own))
        return np.stack(vectors, axis=1).astype(np.float16)

    def _encode(self, unit: Unit) -> dict[str, NDArray[np.float32]]:
        if unit not in self._encoded:
            self._encoded[unit] = self.encoder.encode(unit)
        return self._encoded[unit]

    def _cached(
        self,
        name: str,
        units: Sequence[Unit],
        places: Sequence[Place],
        compute: Callable[[Sequence[Unit], Sequence[Place]], NDArray[Any]],
    ) -> NDArray[Any]:
        if self.cache is None:
            return compute(units, places)
        key = self.cache.key(
            name, _SCHEMA, self.encoder.digest,
            [[*unit.pieces, -unit.stop] for unit in units], [[p.unit, *p.pieces] for p in places],
        )  # fmt: skip
        data = self.cache.get(key)
        if data is not None:
            return np.asarray(np.load(io.BytesIO(data), allow_pickle=False))
        array = compute(units, places)
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=False)
        self.cache.put(key, stream.getvalue())
        return array


def open_session(graph: str | bytes, *, unsigned_weights: bool | None = None) -> Any:
    """Open a graph, a file or its content, to be run by one thread at a time.

    Matrices of bytes are made unsigned, which is slower, where the processor would otherwise saturate.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if unsigned_weights or (unsigned_weights is None and saturates()):
        options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


@cache
def saturates() -> bool:
    """Return whether sums of products of bytes are wrong here: without VNNI instructions, they have 16 bits."""
    width = 64
    graph = model_bytes(
        [Node("MatMulInteger", ["x", "w", "zero"], ["y"])],
        [Port("x", "uint8", ("n", width))],
        [Port("y", "int32", ("n", 1))],
        {"w": np.full((width, 1), 127, np.int8), "zero": np.zeros((), np.uint8)},
    )
    x = np.full((1, width), 255, np.uint8)
    (product,) = open_session(graph, unsigned_weights=False).run(None, {"x": x})
    return bool(product[0, 0] != 255 * 127 * width)


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
        vectors = encoder.read(documents[document_id], cache).vectors([mentions[row] for row in rows])
        if progress is not None:
            progress(len(rows))
        return vectors

    if not by_document:
        return {}
    encoder.reader, encoder.vector_names  # noqa: B018 -- loaded once, before there are threads
    with thread_pool(jobs) as starmap:
        parts = starmap(encode, list(by_document.items()))
    vectors = np.empty((len(encoder.vector_names), len(mentions), parts[0].shape[2]), np.float16)
    for rows, part in zip(by_document.values(), parts, strict=True):
        vectors[:, rows] = part.transpose(1, 0, 2)
    return dict(zip(encoder.vector_names, vectors, strict=True))


def _means(units: Sequence[NDArray[np.float32]], places: Sequence[Place]) -> NDArray[np.float32]:
    """Return the mean over the pieces of each place, of the vectors of its unit; zeros where there are no pieces."""
    size = units[0].shape[1] if units else 0
    vectors = np.concatenate([*units, np.zeros((1, size), np.float32)])
    first = np.cumsum([0, *map(len, units)])
    counts = np.array([len(place.pieces) for place in places], np.int64)
    rows = np.array([first[place.unit] + i for place in places for i in place.pieces] + [first[-1]], np.int64)
    begin = np.cumsum(counts) - counts
    sums = vectors[rows[np.where(counts > 0, begin, -1)]]
    for step in range(1, counts.max(initial=0)):
        longer = np.flatnonzero(counts > step)
        sums[longer] += vectors[rows[begin[longer] + step]]
    return np.asarray(sums / np.maximum(counts, 1).astype(np.float32)[:, np.newaxis], np.float32)
