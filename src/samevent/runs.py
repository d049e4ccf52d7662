"""A run's folder: what was found, as files for people and programs, and how it came about.

While a run is under way its folder has another name (`OUT.part`), with the settings it was started with and the
sampler's checkpoint; it takes its own name in the end. So the folder is whole or absent, and a run that was
interrupted can go on.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samevent.corpus import Document
from samevent.errors import FormatError, OutputExistsError, UsageError, place
from samevent.formats import FORMATS, read, write
from samevent.formats.files import check_absent, write_text
from samevent.formats.sheets import written
from samevent.language.cache import Cache
from samevent.model import Model, batch_runtime
from samevent.results import Diagnostics, Result
from samevent.results.probabilities import load_probabilities, save_probabilities
from samevent.results.rows import EVENT_COLUMNS, MENTION_COLUMNS, event_rows, mention_rows
from samevent.similarity.explanation import Explanation

SCHEMA = 1
RUN_FILE = "run.json"
RESULT_FILE = "result.jsonl"
REPORT_FILE = "report.html"
PROBABILITIES_FILE = "probabilities.npz"
CHECKPOINT_FILE = "checkpoint.npz"


@dataclass(frozen=True, slots=True)
class Run:
    """A run that has begun and not ended: `folder` is where it will be, `part` where it is now."""

    folder: Path
    part: Path
    overwrite: bool = False

    @property
    def checkpoint(self) -> Path:
        """Where the sampler keeps what it has done."""
        return self.part / CHECKPOINT_FILE

    def finish(self, result: Result, about: Mapping[str, Any], *, formats: Sequence[str] = ()) -> None:
        """Write all files and give the folder its name."""
        write_files(self.part, result, about, formats=formats)
        self.checkpoint.unlink(missing_ok=True)
        if _is_empty(self.folder):
            self.folder.rmdir()
        if not self.folder.exists():
            self.part.rename(self.folder)
            return
        _refuse_what_is_there(self.folder, overwrite=self.overwrite)
        old = self.part.with_name(f".{self.folder.name}.{secrets.token_hex(4)}.old")
        self.folder.rename(old)
        self.part.rename(self.folder)
        shutil.rmtree(old, ignore_errors=True)

    def drop(self) -> None:
        """Leave nothing behind, unless there is work to go on with."""
        if not self.checkpoint.exists():
            shutil.rmtree(self.part, ignore_errors=True)


def check_output_free(folder: Path, *, resume: bool = False, overwrite: bool = False) -> None:
    """Raise if a run cannot be written here, before any work is done."""
    _refuse_what_is_there(folder, overwrite=overwrite)
    if (part := _part(folder)).exists() and not (resume or overwrite):
        raise OutputExistsError(
            "an interrupted run is here",
            where=place(part),
            hint="use --resume to go on with it, or --force to start anew",
        )


def begin(folder: Path, about: Mapping[str, Any], *, resume: bool = False, overwrite: bool = False) -> Run:
    """Begin a run, or go on with one that was interrupted and asks for the very same."""
    check_output_free(folder, resume=resume, overwrite=overwrite)
    part = _part(folder)
    if part.exists() and resume:
        _refuse_other(part, about)
        for left in part.iterdir():  # half-written files of a run that was killed
            if left.name not in (RUN_FILE, CHECKPOINT_FILE):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        return Run(folder, part, overwrite)
    try:
        if part.exists():
            shutil.rmtree(part)
        part.mkdir()
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror or error})", where=place(part)) from error
    _write_json(part / RUN_FILE, {"schema": SCHEMA, **about})
    return Run(folder, part, overwrite)


@batch_runtime()
def write_files(
    folder: Path, result: Result, about: Mapping[str, Any], *, formats: Sequence[str] = ()
) -> None:
    """Write what was found into a folder that is there."""
    write(result, folder / RESULT_FILE, overwrite=True)
    for name, columns, rows in (
        ("events.csv", EVENT_COLUMNS, event_rows(result)),
        ("mentions.csv", MENTION_COLUMNS, mention_rows(result)),
    ):
        table = written(columns, (tuple(row.values()) for row in rows))
        write_text(folder / name, table, overwrite=True)
    if result.clustered:
        save_probabilities(result.clustered, folder / PROBABILITIES_FILE, overwrite=True)
    result.to_html(folder / REPORT_FILE, overwrite=True)
    for name in formats:
        ending = next(iter(FORMATS[name].suffixes), f".{name}")
        write(result, folder / f"result{ending}", format=name, overwrite=True)
    described = {**about, "result": dict(result.about), "diagnostics": result.diagnostics.to_json()}
    _write_json(folder / RUN_FILE, {"schema": SCHEMA, **described})


def open_run(folder: Path, *, model: str | Path | None = None) -> Result:
    """Read a run's folder; `model` is what it was made with, if that is no shipped one."""
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
    """Read what a run's folder says of itself."""
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
        raise FormatError("is of another version", where=place(file), expected=f"schema {SCHEMA}")
    return about


def fingerprints(documents: Iterable[Document]) -> dict[str, str]:
    """Return a hash of what each document was when it was read."""
    return {
        document.id: hashlib.sha256(
            json.dumps([document.text, [m.id for m in document.mentions]]).encode()
        ).hexdigest()
        for document in documents
    }


def _refuse_other(part: Path, about: Mapping[str, Any]) -> None:
    known = read_about(part)
    wanted = json.loads(json.dumps({"schema": SCHEMA, **about}))
    for name in wanted:
        if known.get(name) != wanted[name]:
            raise UsageError(
                f"the interrupted run had other {name}",
                where=place(part),
                hint="give what it was started with, or use --force to start anew",
            )


def _refuse_what_is_there(folder: Path, *, overwrite: bool) -> None:
    """Raise unless a folder is absent, empty, or an earlier run that may be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise OutputExistsError("is a file", where=place(folder), expected="the name of a folder")
    if _is_empty(folder):
        return
    check_absent(folder, overwrite=overwrite)
    if folder.exists() and not (folder / RUN_FILE).is_file():
        raise OutputExistsError(
            f"has no {RUN_FILE}, so it is no earlier run",
            where=place(folder),
            expected="a new folder, an empty one, or one that samevent wrote",
            hint="what is in it stays: choose another name",
        )


def _part(folder: Path) -> Path:
    folder = folder.absolute()  # `.` has no name to derive another from
    return folder.with_name(f"{folder.name}.part")


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _write_json(path: Path, data: Mapping[str, Any]) -> None:
    write_text(path, [json.dumps(data, indent=1, ensure_ascii=False) + "\n"], overwrite=True)
