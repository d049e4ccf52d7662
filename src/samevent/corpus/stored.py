"""Documents that lie in a file or elsewhere, and are built whenever they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import overload

from samevent.corpus.document import Document

RECENT = 256
"""How many documents are kept after they were looked up."""


class StoredDocuments(Sequence[Document]):
    """Documents in order, by their `ids`; `load` builds the one at a place.

    Only documents that were looked up last are kept: iterating keeps none.

    >>> stored = StoredDocuments(["a", "b"], lambda place: Document.from_text("ab"[place], "It fell."))
    >>> stored[-1].id, [document.id for document in stored.reordered([1, 0])]
    ('b', ['b', 'a'])
    """

    def __init__(self, ids: Sequence[str], load: Callable[[int], Document]) -> None:
        self.ids = tuple(ids)
        self._load = load
        self._recent = lru_cache(maxsize=RECENT)(load)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> Document: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Document, ...]: ...

    def __getitem__(self, place: int | slice) -> Document | tuple[Document, ...]:
        if isinstance(place, slice):
            return tuple(map(self._load, range(len(self))[place]))
        return self._recent(range(len(self))[place])

    def __iter__(self) -> Iterator[Document]:
        return map(self._load, range(len(self)))

    def mapped(
        self, change: Callable[[Document], Document], ids: Sequence[str] | None = None
    ) -> StoredDocuments:
        """Return the documents changed, each when it is asked for; `ids` are theirs if they change too."""
        load = self._load
        return StoredDocuments(self.ids if ids is None else ids, lambda place: change(load(place)))

    def reordered(self, places: Sequence[int]) -> StoredDocuments:
        """Return the documents at these places, in this order."""
        load = self._load
        return StoredDocuments([self.ids[place] for place in places], lambda place: load(places[place]))
