"""One reviewer at one run: what has been decided, checked against the run's mentions, and appended to its folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Self

from samevent.corpus import Mention
from samevent.corrections import (
    CORRECTIONS_FILE,
    Corrections,
    Decision,
    MarkedMention,
    agreed,
    append,
    new_decision,
    read_corrections,
)
from samevent.errors import DataError, SameventError
from samevent.locks import FolderLock
from samevent.report import pages
from samevent.runs import open_run

_TAKEN = frozenset("decision groups label undoes note".split())


class Session:
    """The folder of a run under review; nobody else can review or overwrite it until the session ends.

    A `torn` last line, which a crash left, is not among its `decisions`.
    """

    def __init__(self, folder: Path, *, model: str | Path | None = None) -> None:
        self.folder = folder
        self.result = open_run(folder, model=model)
        self.file = folder / CORRECTIONS_FILE
        self._writing = Lock()
        self._lock = FolderLock(folder, "somebody else is reviewing this run")
        try:
            known = read_corrections(self.file) if self.file.exists() else Corrections(path=str(self.file))
        except SameventError:
            self.close()
            raise
        self.torn = known.torn
        self.decisions = list(known.decisions)
        self._before = len(self.decisions)
        self._mentions: dict[tuple[str, int, int], Mention] = {
            (m.document, m.char_start, m.char_end): m for m in self.result.corpus.mentions("action")
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others review the run."""
        self._lock.release()

    def pages(self) -> dict[str, str]:
        """Return the pages of the report by name, which may post decisions to where they come from."""
        return dict(pages(self.result, served=True))

    def decide(self, data: object) -> Decision:
        """Check a decision and put it on disk; raise if the run lacks its mentions, or if it contradicts others."""
        if not isinstance(data, Mapping) or not set(data) <= _TAKEN:
            raise DataError("this is not a decision", expected=f"an object with {', '.join(sorted(_TAKEN))}")
        asked = Decision.from_json({**data, "id": "", "time": ""})
        groups = [[self._known(mention) for mention in group] for group in asked.groups]
        with self._writing:
            if asked.undoes is not None and not any(asked.undoes == d.id for d in self.decisions):
                raise DataError(f"there is no decision {asked.undoes!r}")
            decision = new_decision(
                asked.decision, groups, label=asked.label, undoes=asked.undoes, note=asked.note
            )
            agreed(Corrections((*self.decisions, decision)))
            append(self.file, [decision])
            self.decisions.append(decision)
        return decision

    def _known(self, marked: MarkedMention) -> MarkedMention:
        mention = self._mentions.get((marked.document, marked.char_start, marked.char_end))
        if mention is None or mention.text != marked.text:
            raise DataError(f"the run has no event mention {marked}")
        return MarkedMention.of(mention)

    def to_json(self) -> dict[str, Any]:
        """Return all decisions for the page, in order."""
        return {"decisions": [decision.to_json() for decision in self.decisions]}

    @property
    def summary(self) -> str:
        """What was decided in this session."""
        new = self.decisions[self._before :]
        kinds = Counter(decision.decision for decision in new)
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        return f"{len(new):,} decisions{f' ({told})' if told else ''} in {self.file}"
