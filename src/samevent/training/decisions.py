"""What a person decided about a run, as pairs to learn from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from samevent.corpus import Corpus
from samevent.corrections import CORRECTIONS_FILE, Corrections, match, read_corrections
from samevent.errors import DataError, UsageError, place
from samevent.formats.jsonl import RESULT_FILE
from samevent.language.vectors import Vectors
from samevent.similarity.blocking import Blocking
from samevent.similarity.decided import DecidedPairs
from samevent.similarity.mentions import MentionTable


def reviewed_run(path: Path) -> tuple[Path, Corrections]:
    """Return the documents of a reviewed run, and what was decided; `path` is its folder or the decisions in it."""
    file = path / CORRECTIONS_FILE if path.is_dir() else path
    documents = file.parent / RESULT_FILE
    if not documents.is_file():
        raise UsageError(
            f"has no {RESULT_FILE} beside the decisions",
            where=place(file.parent),
            expected="the folder of the run that was reviewed, or the file of decisions in it",
            hint=f"copy the decisions into that folder as {CORRECTIONS_FILE}",
        )
    return documents, read_corrections(file)


def decided_pairs(
    corpus: Corpus,
    table: MentionTable,
    vectors: Mapping[str, Vectors],
    corrections: Corrections,
    blocking: Blocking,
) -> DecidedPairs:
    """Return the pairs of a reviewed run that decisions are about; mentions have these contextual `vectors`, if any.

    Raise if a decision names a mention that the run does not have, or if none is about a pair that a model would score.
    """
    where = place(Path(corrections.path))
    matched = match(corrections, corpus, table.ids)
    if matched.missing:
        first = matched.missing[0]
        raise DataError(
            f"decision {first.decision} names {first.mention}: {first.reason}",
            where=where,
            expected="decisions about the documents of the run",
        )
    decided = DecidedPairs.of(table.with_contextual(vectors), blocking, matched.constraints)
    if not len(decided):
        raise DataError(
            "no decision is about two mentions that a pair model would compare",
            where=where,
            expected="some that say which mentions are the same event, or not the same",
        )
    return decided
