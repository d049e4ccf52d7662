"""A folder that is watched: whenever files arrive, their documents are added to a run.

What has been done is written in the run itself, so a watch that was killed at any moment goes on when it is started
again: it looks at all files anew, and leaves out documents that the run has. A file is read once it has not changed for
a while, so files may be written slowly. Files that cannot be read, or whose documents fail, are reported and left alone
until they change.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from samevent.corpus import Corpus
from samevent.errors import OutputExistsError, SameventError, UsageError, place
from samevent.formats import read
from samevent.formats.folder import renamed
from samevent.language.cache import Cache
from samevent.model import Model, Options, Watch
from samevent.runs import Tell, recover, run
from samevent.updates import Update, update

_UNFINISHED = (".part", ".tmp", ".crdownload", ".filepart")
"""Endings of files that another program has not finished."""

Stamp = tuple[int, int]
"""Size and time of the last change of a file."""


@dataclass(slots=True)
class Watcher:
    """Adds the documents of files that arrive in `folder` to the run in `out`; `options` are for its first run.

    Files are read when they have been left alone for `settle` seconds. `look` is called again and again. The model is
    loaded once.
    """

    folder: Path
    out: Path
    options: Options = field(default_factory=Options)
    model: str = "en-news"
    settle: float = 5.0
    format: str | None = None
    encoding: str | None = None
    jobs: int = 1
    tell: Tell = lambda _: None
    watch: Watch | None = None
    _seen: dict[Path, Stamp] = field(default_factory=dict, init=False)
    _loaded: Model | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if not self.folder.is_dir():
            raise UsageError("is not a folder", where=place(self.folder), expected="the folder to watch")
        if self.out.absolute().is_relative_to(self.folder.absolute()):
            raise UsageError(
                "lies in the folder that is watched",
                where=place(self.out),
                hint="choose another folder with -o",
            )

    def look(self) -> Update | None:
        """Add the documents of files that are ready; return what was done, or None if nothing is new."""
        ready = {file: stamp for file, stamp in self._files() if self._seen.get(file) != stamp}
        ready = {file: stamp for file, stamp in ready.items() if self._settled(stamp)}
        corpora = {file: corpus for file in ready if (corpus := self._read(file)) is not None}
        self._seen |= ready
        return self._added(corpora) if corpora else None

    def _files(self) -> Iterator[tuple[Path, Stamp]]:
        for file in sorted(self.folder.rglob("*")):
            hidden = any(part.startswith(".") for part in file.relative_to(self.folder).parts)
            if hidden or file.suffix in _UNFINISHED or not file.is_file():
                continue
            try:
                about = file.stat()
            except OSError:  # it has gone
                continue
            yield file, (about.st_size, about.st_mtime_ns)

    def _settled(self, stamp: Stamp) -> bool:
        return time.time() - stamp[1] / 1e9 >= self.settle

    def _read(self, file: Path) -> Corpus | None:
        """Return the documents of a file, named as in the folder; report a file that cannot be read."""
        try:
            corpus = read(file, format=self.format, encoding=self.encoding)
        except (SameventError, OSError) as error:
            self.tell(f"left out until it changes: {error}")
            return None
        inside = file.parent.relative_to(self.folder).as_posix()
        return corpus if inside == "." else Corpus(renamed(document, inside) for document in corpus)

    def _added(self, corpora: dict[Path, Corpus]) -> Update | None:
        """Add files together; if that fails, one by one, and report those that fail alone."""
        try:
            return self._add(list(corpora.values()))
        except OutputExistsError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is, one file may be the reason
            if len(corpora) == 1:
                [file] = corpora
                self.tell(f"left out until it changes: {place(file)}: {error}")
                return None
        done = [self._added({file: corpus}) for file, corpus in corpora.items()]
        return next((each for each in reversed(done) if each), None)

    def _add(self, corpora: list[Corpus]) -> Update | None:
        recover(self.out)
        documents = Corpus(document for corpus in corpora for document in corpus)
        if not self.out.exists():
            result = run(
                documents, self.out, self.options, model=self.model, jobs=self.jobs, overwrite=True,
                watch=self.watch, tell=self.tell,
            )  # fmt: skip
            mentions = sum(1 for _ in result.corpus.mentions("action"))
            return Update(tuple(d.id for d in documents), mentions, mentions, exact=True)
        if self._loaded is None:
            self._loaded = Model.load(self.model, cache=Cache())
        done = update(
            documents, self.out, model=self.model, loaded=self._loaded, jobs=self.jobs, skip_changed=True,
            watch=self.watch, tell=self.tell,
        )  # fmt: skip
        return done if done.documents else None


def keep_watching(
    watcher: Watcher,
    *,
    every: float,
    done: Callable[[Update], None],
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Look every so many seconds until told to stop."""
    while not stop():
        began = time.monotonic()
        if changes := watcher.look():
            done(changes)
        time.sleep(max(0.0, min(every, every - (time.monotonic() - began))))
