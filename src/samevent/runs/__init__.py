"""Runs: documents in, a folder of results out, or events written into a corpus file.

    samevent.runs.run(samevent.read("news/"), Path("out"))      # what `samevent run` does
    samevent.runs.open_run(Path("out")).events.largest(5)

`folder.py` has the folder of a run under way, `files.py` the files of a finished one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from samevent import __version__
from samevent.clock import Clock
from samevent.clusterers import Clustered, Clusterer
from samevent.corpus import Corpus
from samevent.corpus.stored import StoredDocuments
from samevent.corrections import CORRECTIONS_FILE, Corrections, MarkedMention, NotEvents, agreed, match
from samevent.errors import OutputExistsError, UsageError, check_absent, counted, place
from samevent.exports import check_writable, export_of, result_name, write
from samevent.formats import Unread, output_format
from samevent.formats.files import STANDARD, write_text
from samevent.formats.jsonl import RESULT_FILE
from samevent.formats.store import DocumentFile
from samevent.hddcrp.batches import checkpoint_files, remove_checkpoint
from samevent.hddcrp.checkpoint import fingerprint
from samevent.inputs import Survey, check_has_events, check_mentions
from samevent.language.cache import Cache
from samevent.language.resources import DEFAULT
from samevent.memory import MemoryPlan, Watchdog, plan_within
from samevent.model import Model, Options, Watch
from samevent.names import DEFAULT_PRESET, ENCODED_PRESETS
from samevent.results import Result
from samevent.results.assembly import with_events
from samevent.results.parts import divisible
from samevent.results.result import without_reasons
from samevent.runs.files import (
    PROBABILITIES_FILE,
    REPORT_FILE,
    RUN_FILE,
    SCHEMA,
    STORIES_FILE,
    open_run,
    read_about,
    write_files,
    write_json,
    write_tables,
)
from samevent.runs.folder import CHECKPOINT_FILE, PARTS_FOLDER, Run, begin, check_output_free, recover
from samevent.scratch import Scratch
from samevent.stages import FolderParts, Here, Job, Parts, Processes, resolve_streamed
from samevent.stages import resolve as resolve_by_parts
from samevent.state import State

__all__ = [
    "CHECKPOINT_FILE", "PARTS_FOLDER", "PROBABILITIES_FILE", "REPORT_FILE", "RUN_FILE", "SCHEMA", "STORIES_FILE", "Run",
    "Source", "Tell", "begin", "check_output_free", "cluster", "duration", "open_run", "read_about", "recover",
    "result_name", "run", "write_files", "write_json", "write_tables",
]  # fmt: skip

_LISTED = 10
"""How many mentions of corrections that were not found are listed on the terminal."""
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
    corrections: Corrections | None = None,
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
    unread: Unread | None = None,
    began: float | None = None,
    beside: Callable[[Path, Result], None] | None = None,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
) -> Result:
    """Resolve a corpus into a folder, which is whole at the end or absent; an interrupted run can be resumed.

    Documents are ordered by date and id, so the order of inputs does not matter. Without `jobs`, all cores share the
    work if there is enough of it. `formats` are written beside the files that every run has. A person's `corrections`
    hold exactly, and the folder gets a copy of them.

    With the address of a `cluster`, its workers do the work, with the same result. Until the end their `parts` lie in
    the folder, which workers must see under the same path, or under a URL. Documents that cannot be processed are an
    error, or with `skip_bad` left out and listed in run.json. Unless the run is `final`, it keeps what later updates
    need. `beside` may write more files into the folder. With `memory`, all processes together take at most so many
    bytes, with fewer jobs or with what is large on disk, and with the same result; if that is not enough, it is an
    error. What the source left `unread` is listed in run.json. A time limit counts from when the command `began`
    (`time.monotonic`), by default from now.
    """
    options = options or Options()
    clock = Clock(options.time_limit, began)
    if corrections is not None:
        agreed(corrections)  # raises if they contradict each other, before any work is done
    if cluster and options.time_limit:
        raise UsageError("a time limit cannot be used on a cluster", hint="set fewer sweeps: --set sweeps=32")
    check_output_free(folder, resume=resume, overwrite=overwrite)
    corpus = source() if callable(source) else source
    survey = Survey.of(corpus)
    corpus = survey.in_order(corpus)
    survey.check_readable()
    for notice in survey.notices():
        tell(notice)
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
    about: dict[str, Any] = {
        "samevent": __version__,
        "model": loaded.name,
        "options": asdict(options),
        "documents": dict(survey.fingerprints),
    }
    if corrections is not None:
        about["corrections"] = {"sha256": corrections.digest, "decisions": len(corrections)}
    unfinished = begin(folder, about, resume=resume, overwrite=overwrite)
    work = Job(str(model), options, _parts_of(unfinished, parts, about), corrections)
    scratch = Scratch(unfinished.part)
    watchdog = Watchdog(memory or math.inf, scratch.release)
    if memory:
        watchdog.start()
    try:
        skipped: dict[str, str] = {}
        if cluster:
            from samevent.distributed import connect

            with connect(cluster) as workers:
                result, skipped = resolve_by_parts(
                    work, corpus, workers, skip_bad=skip_bad, watch=watch, by_tasks=True
                )
        elif plan.spilled:
            executor = Here() if jobs == 1 else Processes(jobs)
            result, skipped = resolve_by_parts(
                work,
                corpus,
                executor,
                skip_bad=skip_bad,
                watch=watch,
                clock=clock,
                scratch=scratch,
                jobs=jobs,
            )
        elif isinstance(corpus.documents, StoredDocuments) and not (skip_bad or parts):
            result = resolve_streamed(
                work,
                corpus,
                jobs=jobs,
                checkpoint=unfinished.checkpoint,
                watch=watch,
                clock=clock,
                scratch=scratch,
            )
        elif skip_bad or unfinished.has_parts or parts:
            result, skipped = resolve_by_parts(
                work, corpus, Here(), skip_bad=skip_bad, watch=watch, clock=clock
            )
        else:
            result = loaded.resolve(
                corpus,
                options=options,
                corrections=corrections,
                jobs=jobs,
                checkpoint=unfinished.checkpoint,
                watch=watch,
                clock=clock,
            )
        check_has_events(result.corpus)
        if watch:
            watch("writing", 0, 1, "")
        advice = _advice(loaded, options)
        if skipped:
            about["skipped"] = skipped
            were = "was" if len(skipped) == 1 else "were"
            tell(
                f"{counted(len(skipped), 'document')} {were} left out, such as {next(iter(skipped))!r}: see run.json"
            )
        if unread:
            about["unread"] = unread.to_json()
        if formats:
            about["formats"] = list(formats)
        if corrections is not None:
            write_text(unfinished.part / CORRECTIONS_FILE, [corrections.text], overwrite=True)
            _tell_missing(result.about["corrections"]["missing"], tell)
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
        if memory:
            watchdog.stop()
        unfinished.lock.release()
    if watchdog.exceeded:
        tell(f"the run took {watchdog.peak / 1e9:.2f} GB of memory, which is more than the limit")
    tell(f"preset {options.preset}{f'; {advice}' if advice else ''}")
    return _reopened(result, folder)


def _tell_missing(missing: Sequence[Mapping[str, Any]], tell: Tell) -> None:
    """List the mentions of corrections that a run did not find."""
    for each in missing[:_LISTED]:
        mention = MarkedMention.from_json(each["mention"])
        tell(f"the correction {each['decision']} names {mention}, which was not found: {each['reason']}")
    if len(missing) > _LISTED:
        tell(f"{len(missing) - _LISTED:,} more mentions of corrections were not found: see run.json")


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
    corrections: Corrections | None = None,
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

    While a sampler runs, its checkpoint lies beside the file; `resume` continues from there. A person's `corrections`
    hold exactly; mentions that they call no events stay in the file without an event.
    """
    if export_of(target, format) is None:
        output_format(target, format)
    checkpoint = _checkpoint_beside(target, resume=resume, overwrite=overwrite, tell=tell)
    corpus = source() if callable(source) else source
    check_mentions(corpus)
    check_writable(corpus, target.name, format=format)
    try:
        loaded = Model.load(model, cache=Cache())
        clustered = loaded.cluster(
            corpus, system, seed=seed, corrections=corrections, jobs=jobs, checkpoint=checkpoint, watch=watch
        )
    except KeyboardInterrupt:
        if checkpoint and checkpoint_files(checkpoint):
            tell(f"--resume continues from {checkpoint}")
        raise
    if corrections is not None:
        kept = corpus.mapped(NotEvents(corrections).without)
        _tell_missing([each.to_json() for each in match(corrections, kept, clustered.ids).missing], tell)
    write(with_events(corpus, clustered.clustering), target, format=format, overwrite=overwrite)
    if checkpoint:
        remove_checkpoint(checkpoint)
    return clustered


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


def duration(seconds: float) -> str:
    """Return a rough duration in words.

    >>> duration(12.3), duration(250), duration(8000)
    ('12 s', '4 min', '2.2 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
