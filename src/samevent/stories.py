"""Stories as people meet them: documents about the same happenings, with a headline, dates and main events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samevent.errors import CorpusError


@dataclass(frozen=True, slots=True)
class Story:
    """Two or more documents that share events.

    `documents` are ids in the order of the corpus, `dates` are theirs (ISO, sorted, each once), `events` are the ids
    of the events that matter, the most important first. The headline is the title of one of its documents.
    """

    id: str
    headline: str
    documents: tuple[str, ...]
    dates: tuple[str, ...] = ()
    events: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.documents)


class Stories(Sequence[Story]):
    """The stories of a result, those with most documents first; looked up by place or by id."""

    def __init__(self, stories: Sequence[Story]) -> None:
        self._stories = tuple(stories)
        self._by_id = {story.id: story for story in self._stories}
        self._by_document = {document: story for story in self._stories for document in story.documents}

    def __len__(self) -> int:
        return len(self._stories)

    def __iter__(self) -> Iterator[Story]:
        return iter(self._stories)

    def __getitem__(self, key: int | str) -> Story:  # type: ignore[override]
        if isinstance(key, str):
            if key not in self._by_id:
                raise CorpusError(f"there is no story {key!r} in the result")
            return self._by_id[key]
        return self._stories[key]

    def of(self, document: str) -> Story | None:
        """Return the story that a document belongs to, by its id."""
        return self._by_document.get(document)
