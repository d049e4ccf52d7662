"""Runs: documents in, a folder of results out, or events written into a corpus file.

    samevent.runs.run(samevent.read("news/"), Path("out"))      # what `samevent run` does
    samevent.runs.open_run(Path("out")).events.largest(5)

While a run is under way its folder is called `OUT.part` and holds the settings it was started with and the sampler's
checkpoint; it gets its own name at the end. So the folder is whole or absent, and an interrupted run can be resumed.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from samevent import __version__
from samevent.clock import Clock
from samevent.clusterers import Clustered, Clusterer
from samevent.corpus import Corpus
from samevent.corpus.stored import StoredDocuments
from samevent.errors import FormatError, OutputExistsError, UsageError, check_absent, place
from samevent.formats import check_writable, output_format, read, write
from samevent.formats.files import STANDARD, write_text
from samevent.formats.jsonl import RESULT_FILE
from samevent.formats.sheets import written
from samevent.formats.store import DocumentFile
from samevent.hddcrp.batches import checkpoint_files, remove_checkpoint
from samevent.hddcrp.checkpoint import fingerprint
from samevent.inputs import Survey, check_has_events, check_mentions
from samevent.language.cache import Cache
from samevent.language.resources import DEFAULT
from samevent.locks import FolderLock
from samevent.memory import MemoryPlan, plan_within
from samevent.model import Model, Options, Watch, batch_runtime
from samevent.names import DEFAULT_PRESET, ENCODED_PRESETS
from samevent.results import Diagnostics, Result
from samevent.results.assembly import with_events
from samevent.results.parts import divisible
from samevent.results.probabilities import load_probabilities, save_probabilities
from samevent.results.result import without_reasons
from samevent.results.rows import EVENT_COLUMNS, MENTION_COLUMNS, event_rows, mention_rows
from samevent.scratch import Scratch
from samevent.similarity.explanation import Explanation
from samevent.stages import FolderParts, Here, Job, Parts, Processes, resolve_streamed
from samevent.stages import resolve as resolve_by_parts
from samevent.state import State

SCHEMA = 1
RUN_FILE = "run.json"
REPORT_FILE = "report.html"
PROBABILITIES_FILE = "probabilities.npz"
CHECKPOINT_FILE = "checkpoint.npz"
PARTS_FOLDER = "parts"

_WORTH_SHARING = 20_000
"""Words that are worth starting several processes for, each of which has to load the parser."""
_WORDS_PER_SECOND = 1_250
"""Words per second and core without cached parses, as measured by benchmarks/pipeline.py."""

Source = Corpus | Callable[[], Corpus]
"""A corpus, or a function that reads one once the output is known to be writable."""
Tell = Callable[[str], None]
"""Takes messages for a person."""


def run(
    source: Source,
    folder: Path,
    options: Options | None = None,
    *,
    model: str | Path = DEFAULT,
    jobs: int | None = None,
    formats: Sequence[str] = (),
    resume: bool = False,
    overwrite: bool = False,
    cluster: str | None = None,
    parts: str | None = None,
    skip_bad: bool = False,
    final: bool = False,
    memory: float | None = None,
    beside: Callable[[Path, Result], None] | None = None,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
) -> Result:
    """Resolve a corpus into a folder, which is whole at the end or absent; an interrupted run can be resumed.

    Documents are ordered by date and id, so the order of inputs does not matter. Without `jobs`, all cores share the
    work if there is enough of it. `formats` are written beside the files that every run has.

    With the address of a `cluster`, its workers do the work, with the same result. Until the end their `parts` lie in
    the folder, which workers must see under the same path, or under a URL. Documents that cannot be processed are an
    error, or with `skip_bad` left out and listed in run.json. Unless the run is `final`, it keeps what later updates
    need. `beside` may write more files into the folder. With `memory`, all processes together take at most so many
    bytes, with fewer jobs or with what is large on disk, and with the same result; if that is not enough, it is an
    error.
    """
    options = options or Options()
    clock = Clock(options.time_limit)
    if cluster and options.time_limit:
        raise UsageError("a time limit cannot be used on a cluster", hint="set fewer sweeps: --set sweeps=32")
    check_output_free(folder, resume=resume, overwrite=overwrite)
    corpus = source() if callable(source) else source
    survey = Survey.of(corpus)
    corpus = survey.in_order(corpus)
    if other := survey.check_readable():
        tell(
            f"{len(other):,} documents do not look like English, such as {other[0]!r}: expect little from them"
        )
    for name in formats:
        check_writable(corpus, result_name(name), format=name)
    words = survey.words
    jobs = jobs or (1 if words < _WORTH_SHARING else os.cpu_count() or 1)
    plan = MemoryPlan(jobs)
    if memory is not None:
        can_spill = divisible(options.system) and not cluster
        encoded = options.preset in ENCODED_PRESETS
        plan = plan_within(memory, words, jobs, encoded=encoded, can_spill=can_spill)
        jobs = plan.jobs
    seconds = words / _WORDS_PER_SECOND / jobs + 3
    tell(f"read {survey}; about {duration(seconds)} without cached parses")
    loaded = Model.load(model, cache=Cache())
    about = {
        "samevent": __version__,
        "model": loaded.name,
        "options": asdict(options),
        "documents": dict(survey.fingerprints),
    }
    unfinished = begin(folder, about, resume=resume, overwrite=overwrite)
    work = Job(str(model), options, _parts_of(unfinished, parts, about))
    try:
        skipped: dict[str, str] = {}
        if cluster:
            from samevent.distributed import connect

            with connect(cluster) as workers:
                result, skipped = resolve_by_parts(
                    work, corpus, workers, skip_bad=skip_bad, watch=watch, by_tasks=True
                )
        elif plan.spilled:
            result, skipped = resolve_by_parts(
                work,
                corpus,
                Here() if jobs == 1 else Processes(jobs),
                skip_bad=skip_bad,
                watch=watch,
                clock=clock,
                scratch=Scratch(unfinished.part),
                jobs=jobs,
            )
        elif isinstance(corpus.documents, StoredDocuments) and not (skip_bad or parts):
            result = resolve_streamed(
                work, corpus, jobs=jobs, checkpoint=unfinished.checkpoint, watch=watch, clock=clock
            )
        elif skip_bad or unfinished.has_parts or parts:
            result, skipped = resolve_by_parts(
                work, corpus, Here(), skip_bad=skip_bad, watch=watch, clock=clock
            )
        else:
            result = loaded.resolve(
                corpus, options=options, jobs=jobs, checkpoint=unfinished.checkpoint, watch=watch, clock=clock
            )
        check_has_events(result.corpus)
        if watch:
            watch("writing", 0, 1, "")
        advice = _advice(loaded, options)
        if skipped:
            about["skipped"] = skipped
            tell(f"{len(skipped):,} documents were left out, such as {next(iter(skipped))!r}: see run.json")
        if formats:
            about["formats"] = list(formats)
        if not final:
            kept = (document for document in corpus if document.id not in skipped)
            State.of(result, kept, work.system).save(unfinished.part)
        if beside:
            beside(unfinished.part, result)
        write_files(unfinished.part, result, about | ({"advice": advice} if advice else {}), formats=formats)
        work.parts.clear()  # stored documents lie there until now
        unfinished.publish()
    except KeyboardInterrupt:
        tell(f"finished work is kept: the same command with --resume continues from {unfinished.part}")
        raise
    except BaseException:
        unfinished.drop()
        raise
    finally:
        unfinished.lock.release()
    tell(f"preset {options.preset}{f'; {advice}' if advice else ''}")
    return _reopened(result, folder)


def _reopened(result: Result, folder: Path) -> Result:
    """Return a result whose stored documents, which lay in parts, are those of the finished run."""
    stored = result.corpus.documents
    if not isinstance(stored, StoredDocuments):
        return result
    documents = DocumentFile.open(folder / RESULT_FILE).documents(stored.ids)
    return result.moved(without_reasons(Corpus(documents)))


def _parts_of(run: Run, url: str | None, about: Mapping[str, Any]) -> Parts:
    """Return where the parts of a run lie until its end; under a URL, runs have folders of their own."""
    if url is None:
        return FolderParts(run.parts)
    from samevent.distributed import UrlParts, is_url

    name = fingerprint(about)
    return UrlParts(f"{url.rstrip('/')}/{name}") if is_url(url) else FolderParts(Path(url) / name)


def _advice(model: Model, options: Options) -> str | None:
    """Return what would make the result better."""
    if (
        options.preset != DEFAULT_PRESET
        or "best" not in model.pair_models
        or model.resources.has_large_encoder
    ):
        return None
    return f"the preset best is slower and more accurate, once installed: {model.resources.install_command}"


def cluster(
    source: Source,
    target: Path,
    system: Clusterer,
    *,
    model: str | Path = DEFAULT,
    seed: int = 0,
    jobs: int = 1,
    format: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
) -> Clustered:
    """Cluster the event mentions of a corpus, and write the corpus with its new events to a file.

    While a sampler runs, its checkpoint lies beside the file; `resume` continues from there.
    """
    output_format(target, format)
    checkpoint = _checkpoint_beside(target, resume=resume, overwrite=overwrite, tell=tell)
    corpus = source() if callable(source) else source
    check_mentions(corpus)
    check_writable(corpus, target.name, format=format)
    try:
        loaded = Model.load(model, cache=Cache())
        clustered = loaded.cluster(corpus, system, seed=seed, jobs=jobs, checkpoint=checkpoint, watch=watch)
    except KeyboardInterrupt:
        if checkpoint and checkpoint_files(checkpoint):
            tell(f"--resume continues from {checkpoint}")
        raise
    write(with_events(corpus, clustered.clustering), target, format=format, overwrite=overwrite)
    if checkpoint:
        remove_checkpoint(checkpoint)
    return clustered


def duration(seconds: float) -> str:
    """Return a rough duration in words.

    >>> duration(12.3), duration(250), duration(8000)
    ('12 s', '4 min', '2.2 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


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
        """Give the folder its name, in the place of an earlier run if that may be overwritten."""
        remove_checkpoint(self.checkpoint)
        if _is_empty(self.folder):
            self.folder.rmdir()
        if not self.folder.exists():
            self.part.rename(self.folder)
            self.lock.release()
            return
        _check_replaceable(self.folder, overwrite=self.overwrite)
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
    """Write documents, events, mentions and probabilities, for programs and spreadsheets."""
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


def _check_same_run(part: Path, about: Mapping[str, Any]) -> None:
    known = read_about(part)
    wanted = json.loads(json.dumps({"schema": SCHEMA, **about}))
    for options in (known.get("options", {}), wanted.get("options", {})):
        options.pop("time_limit", None)  # more time, or less, changes nothing that is done already
    for name in wanted:
        if known.get(name) != wanted[name]:
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
    if folder.exists() and not (folder / RUN_FILE).is_file():
        raise OutputExistsError(
            f"has no {RUN_FILE}, so it is not an earlier run",
            where=place(folder),
            expected="a new folder, an empty one, or one that samevent wrote",
            hint="choose another name; nothing in it is touched",
        )


def _checkpoint_beside(target: Path, *, resume: bool, overwrite: bool, tell: Tell) -> Path | None:
    """Return where the checkpoint of a file goes, after checking that nothing is overwritten."""
    if target == STANDARD:
        if resume:
            raise UsageError("there is no checkpoint beside standard output", hint="name a file with -o")
        return None
    check_absent(target, overwrite=overwrite)
    path = target.with_name(f"{target.name}.checkpoint.npz")
    if checkpoint_files(path) and not resume:
        if not overwrite:
            raise OutputExistsError(
                "an interrupted run left a checkpoint",
                where=place(path),
                hint="use --resume to continue it, or --force to start again",
            )
        remove_checkpoint(path)
    if resume and not checkpoint_files(path):
        tell(f"there is no {path} to resume from: starting again")
    return path


def result_name(format: str) -> str:
    """Return the name of a result in another format."""
    return f"result{next(iter(output_format(STANDARD, format).suffixes), f'.{format}')}"


def _part(folder: Path) -> Path:
    folder = folder.absolute()  # `.` has no name to derive another from
    return folder.with_name(f"{folder.name}.part")


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write JSON that a person can read."""
    write_text(path, [json.dumps(data, indent=1, ensure_ascii=False) + "\n"], overwrite=True)
