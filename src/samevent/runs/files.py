"""The files of a finished run: written at its end, and read again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from samevent.errors import FormatError, UsageError, place
from samevent.exports import result_name, write
from samevent.formats import read
from samevent.formats.files import write_text
from samevent.formats.jsonl import RESULT_FILE
from samevent.formats.sheets import written
from samevent.language.cache import Cache
from samevent.model import Model, batch_runtime
from samevent.results import Diagnostics, Result
from samevent.results.probabilities import load_probabilities, save_probabilities
from samevent.results.rows import (
    EVENT_COLUMNS,
    MENTION_COLUMNS,
    STORY_COLUMNS,
    event_rows,
    mention_rows,
    story_rows,
)
from samevent.similarity.explanation import Explanation

SCHEMA = 1
RUN_FILE = "run.json"
REPORT_FILE = "report.html"
PROBABILITIES_FILE = "probabilities.npz"
STORIES_FILE = "stories.csv"


@batch_runtime()
def write_files(
    folder: Path, result: Result, about: Mapping[str, Any], *, formats: Sequence[str] = ()
) -> None:
    """Write all files of a result into an existing folder."""
    write_tables(folder, result)
    result.to_html(folder / REPORT_FILE, overwrite=True)
    for name in formats:
        write(result, folder / result_name(name), format=name, overwrite=True)
    described = {**about, "result": dict(result.about), "diagnostics": result.diagnostics.to_json()}
    write_json(folder / RUN_FILE, {"schema": SCHEMA, **described})


def write_tables(folder: Path, result: Result) -> None:
    """Write documents, stories, events, mentions and probabilities, for programs and spreadsheets."""
    stories = written(STORY_COLUMNS, (tuple(row.values()) for row in story_rows(result)))
    write_text(folder / STORIES_FILE, stories, overwrite=True)
    events = written(EVENT_COLUMNS, (tuple(row.values()) for row in event_rows(result)))
    write_text(folder / "events.csv", events, overwrite=True)
    if rows := result.rows:
        write_text(folder / RESULT_FILE, rows.documents(), overwrite=True)
        mentions: Iterator[str] = chain(written(MENTION_COLUMNS, ()), rows.mentions(folder))
    else:
        write(result.to_corpus(lazily=True), folder / RESULT_FILE, overwrite=True)
        mentions = written(MENTION_COLUMNS, (tuple(row.values()) for row in mention_rows(result)))
    write_text(folder / "mentions.csv", mentions, overwrite=True)
    if result.clustered:
        save_probabilities(result.clustered, folder / PROBABILITIES_FILE, overwrite=True)


def open_run(folder: Path, *, model: str | Path | None = None) -> Result:
    """Read the folder of a run; `model` is the one it was made with, if that is not a shipped one."""
    about = read_about(folder)
    corpus = read(folder / RESULT_FILE)
    file = folder / PROBABILITIES_FILE

    def explain(a: str, b: str) -> Explanation:
        known = {m.id: m.document for m in corpus.mentions("action")}
        documents = {known[mention] for mention in (a, b) if mention in known}
        made = about["result"]
        return Model.load(model or made["model"], cache=Cache()).explain(
            [corpus[id] for id in sorted(documents)],
            a,
            b,
            pair_model=made["settings"]["pair_model"],
        )

    try:
        return Result.from_corpus(
            corpus,
            about=about["result"],
            diagnostics=Diagnostics.from_json(about["diagnostics"]),
            clustered=load_probabilities(file, corpus.clustering()) if file.exists() else None,
            explainer=explain,
        )
    except (KeyError, TypeError) as error:
        raise FormatError(
            f"lacks {error}", where=place(folder / RUN_FILE), expected="what samevent run writes"
        ) from error


def read_about(folder: Path) -> dict[str, Any]:
    """Read the run.json of a folder."""
    file = folder / RUN_FILE
    if not file.is_file():
        raise UsageError(
            f"has no {RUN_FILE}",
            where=place(folder),
            expected="the folder that samevent run or demo wrote (-o)",
        )
    try:
        about = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be read ({error})", where=place(file)) from error
    if not isinstance(about, dict) or about.get("schema") != SCHEMA:
        raise FormatError("has another version", where=place(file), expected=f"schema {SCHEMA}")
    return about


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write JSON that a person can read."""
    write_text(path, [json.dumps(data, indent=1, ensure_ascii=False) + "\n"], overwrite=True)
