"""What a pair model learns from runs that a person has reviewed (`similarity.judged`)."""

from __future__ import annotations

from pathlib import Path

from samevent.clusterers import Evidence
from samevent.corpus import Corpus
from samevent.corrections import CORRECTIONS_FILE, Corrections, match, read_corrections
from samevent.errors import DataError, UsageError, place
from samevent.formats.jsonl import RESULT_FILE
from samevent.similarity.boosted import LEAST_LINK, BoostedModel
from samevent.similarity.judged import JudgedPairs


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


def judged_pairs(
    corpus: Corpus, evidence: Evidence, corrections: Corrections, model: BoostedModel
) -> JudgedPairs:
    """Return the links of a reviewed run that decisions are about, as a pair model sees them.

    Raise if a decision names a mention that the run does not have, or if no link is decided.
    """
    matched = match(corrections, corpus, evidence.table.ids)
    if matched.missing:
        first = matched.missing[0]
        raise DataError(
            f"decision {first.decision} names {first.mention}: {first.reason}",
            where=place(Path(corrections.path)),
            expected="decisions about the documents of the run",
        )
    name = "reviewed"
    seen = Evidence(evidence.table, {name: model}, evidence.lexicon, evidence.encode, evidence.encode_rows)
    judged = JudgedPairs.of(seen.links(LEAST_LINK, pair_model=name), matched.constraints, len(evidence))
    if not len(judged):
        raise DataError(
            "no decision is about two mentions that the pair model might link",
            where=place(Path(corrections.path)),
            expected="some that say which mentions are the same event, or not the same",
        )
    return judged
