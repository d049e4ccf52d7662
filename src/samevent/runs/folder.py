"""The folder of a run under way: whole under its own name at the end, or resumable under another.

While a run is under way its folder is called `OUT.part` and holds the settings it was started with, parts and the
sampler's checkpoint. A lock keeps others out of it.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samevent.corrections import CORRECTIONS_FILE
from samevent.errors import OutputExistsError, UsageError, check_absent, place
from samevent.hddcrp.batches import checkpoint_files, remove_checkpoint
from samevent.locks import FolderLock
from samevent.results import Result
from samevent.runs.files import RUN_FILE, SCHEMA, read_about, write_files, write_json

CHECKPOINT_FILE = "checkpoint.npz"
REVIEWED = "somebody is reviewing this run"
PARTS_FOLDER = "parts"


@dataclass(frozen=True, slots=True)
class Run:
    """A run under way: `folder` is where it will be, `part` where it is now."""

    folder: Path
    part: Path
    lock: FolderLock
    overwrite: bool = False

    @property
    def checkpoint(self) -> Path:
        """The sampler's checkpoint."""
        return self.part / CHECKPOINT_FILE

    @property
    def parts(self) -> Path:
        """The folder of what tasks have done."""
        return self.part.absolute() / PARTS_FOLDER

    @property
    def has_parts(self) -> bool:
        """Whether tasks have done something."""
        return self.parts.is_dir() and any(self.parts.iterdir())

    def finish(self, result: Result, about: Mapping[str, Any], *, formats: Sequence[str] = ()) -> None:
        """Write all files and give the folder its name."""
        write_files(self.part, result, about, formats=formats)
        self.publish()

    def publish(self) -> None:
        """Give the folder its name, in the place of an earlier run if that may be overwritten.

        What a person decided about the earlier run is kept, unless the new one has decisions of its own.
        """
        remove_checkpoint(self.checkpoint)
        if _is_empty(self.folder):
            self.folder.rmdir()
        if not self.folder.exists():
            self.part.rename(self.folder)
            self.lock.release()
            return
        _check_replaceable(self.folder, overwrite=self.overwrite)
        decisions = self.folder / CORRECTIONS_FILE
        if decisions.is_file() and not (self.part / CORRECTIONS_FILE).exists():
            shutil.copyfile(decisions, self.part / CORRECTIONS_FILE)
        old = self.part.with_name(f".{self.folder.name}.{secrets.token_hex(4)}.old")
        self.folder.rename(old)  # `recover` brings it back if the next line is never reached
        self.part.rename(self.folder)
        self.lock.release()
        shutil.rmtree(old, ignore_errors=True)

    def drop(self) -> None:
        """Remove everything, unless there is work to resume."""
        if not checkpoint_files(self.checkpoint) and not self.has_parts:
            shutil.rmtree(self.part, ignore_errors=True)


def check_output_free(folder: Path, *, resume: bool = False, overwrite: bool = False) -> None:
    """Raise if a run cannot be written here, before any work is done."""
    _check_replaceable(folder, overwrite=overwrite)
    if (part := _part(folder)).exists():
        FolderLock(part).release()
        if not (resume or overwrite):
            raise OutputExistsError(
                "an interrupted run is here",
                where=place(part),
                hint="use --resume to continue it, or --force to start again",
            )


def recover(folder: Path) -> None:
    """Bring an earlier run back whose name was taken away for a new one that never got it."""
    if not folder.exists():
        for old in sorted(folder.absolute().parent.glob(f".{folder.name}.*.old")):
            if (old / RUN_FILE).is_file():
                old.rename(folder)
                return


def begin(folder: Path, about: Mapping[str, Any], *, resume: bool = False, overwrite: bool = False) -> Run:
    """Begin a run, or resume an interrupted one that was started with the same options and documents."""
    check_output_free(folder, resume=resume, overwrite=overwrite)
    part = _part(folder)
    resume = resume and part.exists()
    try:
        part.mkdir(exist_ok=True)
        lock = FolderLock(part)
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror or error})", where=place(part)) from error
    try:
        if resume:
            _check_same_run(part, about)
        resumable = {part / RUN_FILE, part / PARTS_FOLDER, *checkpoint_files(part / CHECKPOINT_FILE)}
        for left in part.iterdir():  # half-written files of a run that was killed
            if not resume or left not in resumable:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        if not resume:
            write_json(part / RUN_FILE, {"schema": SCHEMA, **about})
    except BaseException:
        lock.release()
        raise
    return Run(folder, part, lock, overwrite)


_WRITTEN_LAST = ("result", "diagnostics", "skipped", "unread", "formats", "advice")
"""What run.json says about a run that was interrupted only after its files were written."""


def _check_same_run(part: Path, about: Mapping[str, Any]) -> None:
    known = read_about(part)
    wanted = json.loads(json.dumps({"schema": SCHEMA, **about}))
    for options in (known.get("options", {}), wanted.get("options", {})):
        options.pop("time_limit", None)  # more time, or less, changes nothing that is done already
    for name in {**wanted, **known}:
        if name not in _WRITTEN_LAST and known.get(name) != wanted.get(name):
            raise UsageError(
                f"the interrupted run had other {name}",
                where=place(part),
                hint="use what it was started with, or --force to start again",
            )


def _check_replaceable(folder: Path, *, overwrite: bool) -> None:
    """Raise unless a folder is absent, empty, or an earlier run that may be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise OutputExistsError("is a file", where=place(folder), expected="the name of a folder")
    if _is_empty(folder):
        return
    check_absent(folder, overwrite=overwrite)
    if folder.exists():
        FolderLock(folder, REVIEWED).release()
    if folder.exists() and not (folder / RUN_FILE).is_file():
        raise OutputExistsError(
            f"has no {RUN_FILE}, so it is not an earlier run",
            where=place(folder),
            expected="a new folder, an empty one, or one that samevent wrote",
            hint="choose another name; nothing in it is touched",
        )


def _part(folder: Path) -> Path:
    folder = folder.absolute()  # `.` has no name to derive another from
    return folder.with_name(f"{folder.name}.part")


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())
