"""How mentions to learn from are encoded: by an encoder that has not been tuned on their topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from samevent.corpus import Corpus, Document, Mention
from samevent.language.cache import Cache
from samevent.language.encoder import Encoder, Reading
from samevent.language.encoder.large import write_large_encoder
from samevent.language.encoder.runtime import ENCODER_FILE
from samevent.language.encoder.training import HALVES, LARGE, MEAN, annotated_part, topic_halves
from samevent.language.vectors import Matrix
from samevent.preparation import Encode, Read, encode_with


@dataclass(frozen=True, slots=True)
class Encoders:
    """Read documents and encode mentions; vectors of topics with different numbers in `half_of` cannot be compared."""

    encode: Encode
    read: Read
    half_of: Mapping[str, int] | None = None


def same_encoder(encoder: Encoder, *, jobs: int = 1, cache: Cache | None = None) -> Encoders:
    """Return one encoder for all topics, which has been tuned on none of them."""
    encode = encode_with(encoder, jobs=jobs, cache=cache)
    return Encoders(encode, lambda document: encoder.read(document, cache))


def cross_fitted(
    folder: Path,
    documents: Iterable[Document],
    *,
    large: Path | None = None,
    jobs: int = 1,
    cache: Cache | None = None,
) -> Encoders:
    """Return the encoders that `train_encoder` left in its work folder for these documents.

    There is one per half of their topics: each encodes the topics that it was not tuned on. With `large`, the folder of
    the large encoder as it was published, mentions have the vectors of that one and its adapters, too.
    """
    halves = topic_halves(annotated_part(documents))
    half_of = {topic: number for number, topics in enumerate(halves) for topic in topics}
    # The encoder of a half was tuned on it, and encodes the other.
    readers = [
        [encode_with(encoder, jobs=jobs, cache=cache) for encoder in _encoders(folder, half, large)]
        for half in reversed(HALVES)
    ]

    def encode(corpus: Corpus, mentions: Sequence[Mention]) -> Mapping[str, Matrix]:
        half = np.array([half_of[corpus[mention.document].topic or ""] for mention in mentions])
        vectors: dict[str, Matrix] = {}
        for number, encoders in enumerate(readers):
            rows = np.flatnonzero(half == number)
            own = [mentions[row] for row in rows.tolist()]
            for name, part in (item for each in encoders if own for item in each(corpus, own).items()):
                whole = vectors.setdefault(name, np.zeros((len(mentions), part.shape[1]), np.float32))
                whole[rows] = part
        return vectors

    others = [Encoder(folder / half) for half in reversed(HALVES)]

    def read(document: Document) -> Reading:
        return others[half_of[document.topic or ""]].read(document, cache)

    return Encoders(encode, read, half_of)


def averaged_encoders(
    folder: Path, *, large: Path | None = None, jobs: int = 1, cache: Cache | None = None
) -> Encode:
    """Return how documents of new topics are encoded by what `train_encoder` left in its work folder."""
    encoders = [encode_with(encoder, jobs=jobs, cache=cache) for encoder in _encoders(folder, MEAN, large)]
    return lambda corpus, mentions: {
        name: matrix for encode in encoders for name, matrix in encode(corpus, mentions).items()
    }


def _encoders(folder: Path, half: str, large: Path | None) -> Iterator[Encoder]:
    """Yield the small encoder of a half (or their mean), and the large one, which is written next to its adapter."""
    yield Encoder(folder / half)
    if large:
        target = folder / LARGE / half
        if (target / ENCODER_FILE).exists():
            yield Encoder(target)
        else:
            yield write_large_encoder(large, folder / LARGE / f"{half}.npz", target)
