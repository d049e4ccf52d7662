"""A run in stages, each of them tasks that leave parts in a folder: for a cluster, and for what a cluster left undone.

    reading     documents -> mentions and mention tables, by partitions of documents
    linking     pairs of mentions -> links, by blocks of pairs of documents
    sampling    components -> answers with explanations, by groups of components
    writing     documents with their events -> rows of the files, by partitions of documents

Between stages the parts are put together here: vocabulary and document frequencies of all tables, the links, the final
result. Partitions, blocks and groups depend on the documents alone. So the result has the bytes of `Model.resolve`,
whoever does the tasks and in whatever order; a run that is resumed takes the parts that exist and does the others.

Tasks are plain functions of a `Job` and small arguments. An `Executor` calls them, here or elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from samevent.clock import Clock
from samevent.clusterers import Evidence
from samevent.clusterers.base import Search as LinkSearch
from samevent.corpus import Corpus
from samevent.corrections import UNCORRECTED, match
from samevent.errors import DataError
from samevent.model import Watch, batch_runtime, cluster_evidence
from samevent.results import Result
from samevent.results.assembly import assemble
from samevent.results.parts import divisible, join_parts
from samevent.scratch import Scratch
from samevent.similarity.links import find_links
from samevent.similarity.mentions import MentionTable
from samevent.stages.encoding import encode_part, read_closely
from samevent.stages.linking import Search, score_part, spilled_search
from samevent.stages.reading import Reading, put_together, read_all, read_part
from samevent.stages.sampling import Answers, answer_part, answers_here, answers_of
from samevent.stages.tasks import Executor, FolderParts, Here, Job, Lost, Parts, Processes, model_of
from samevent.stages.writing import write_all, write_part

__all__ = [
    "Executor",
    "FolderParts",
    "Here",
    "Job",
    "Lost",
    "Parts",
    "Processes",
    "answer_part",
    "encode_part",
    "read_part",
    "resolve",
    "resolve_streamed",
    "score_part",
    "write_part",
]


@batch_runtime()
def resolve(
    job: Job,
    corpus: Corpus,
    executor: Executor,
    *,
    skip_bad: bool = False,
    watch: Watch | None = None,
    clock: Clock | None = None,
    scratch: Scratch | None = None,
    jobs: int = 1,
    by_tasks: bool = False,
) -> tuple[Result, dict[str, str]]:
    """Do what `Model.resolve` does, by tasks; also return the documents that were left out, with reasons.

    Documents that fail are an error unless `skip_bad`. If rows are written `by_tasks`, the result has them. With a
    `scratch`, what is large lies there, and `jobs` threads link and sample in this process.
    """
    clock = clock or Clock(job.options.time_limit)
    show = clock.watching(watch) or (lambda *_: None)
    model, system = model_of(job.model), job.system
    reading = _read(job, corpus, executor, show, skip_bad=skip_bad)
    documents, table, reads, failed = reading.documents, reading.table, reading.parts, reading.failed
    del reading
    clock.begin_linking()
    show("linking", 0, 1, f"{len(table):,} mentions")
    search = Search(job, executor, show)
    find = spilled_search(scratch) if scratch else search
    evidence = evidence_of(job, documents, table, executor, show, search=find, scratch=scratch)
    matched = match(job.corrections, documents, table.ids) if job.corrections else UNCORRECTED
    evidence = evidence.constrained(matched.constraints)
    del table
    links = system.links(evidence, jobs=jobs)
    answers: Answers | None = None
    if links is not None and divisible(system):
        if scratch:
            scratch.release()
            answers = answers_here(job, evidence, links, show, jobs=jobs, scratch=scratch)
        else:
            answers = answers_of(job, evidence, search.table_name, links, executor, show)
        clustered, judgement = join_parts(answers, evidence, system, seed=job.options.seed, scratch=scratch)
    else:
        # Models without independent components are one task, and cheap ones are not worth it.
        limited = replace(job.options, time_limit=clock.sampling(len(evidence))).system
        clustered, judgement = cluster_evidence(limited, evidence, job.options.seed, watch=watch), None
    show("explaining", 0, 1, "")
    result = assemble(
        documents,
        evidence,
        system,
        clustered,
        judgement=judgement,
        matched=matched,
        entities=model.join_entities(evidence.table, job.options, jobs=jobs),
        about=model.describe(job.options, system),
        min_probability=job.options.min_probability,
        keep_singletons=job.options.keep_singletons,
    )
    if answers and by_tasks:
        result = result.with_rows(write_all(job, reads, result, answers, executor, show))
    return result, failed


@batch_runtime()
def resolve_streamed(
    job: Job,
    corpus: Corpus,
    *,
    jobs: int = 1,
    checkpoint: Path | None = None,
    watch: Watch | None = None,
    clock: Clock | None = None,
    scratch: Scratch | None = None,
) -> Result:
    """Do what `Model.resolve` does with documents that are too many to hold: read them by partitions.

    Only their mention tables are put together; documents stay in the parts, and are built when somebody asks for them.
    With a `scratch`, the table, scores of pairs and reasons lie there.
    """
    clock = clock or Clock(job.options.time_limit)
    show = clock.watching(watch) or (lambda *_: None)
    executor = Here() if jobs == 1 else Processes(jobs)
    reading = _read(job, corpus, executor, show)
    clock.begin_linking()
    documents = reading.documents
    search = spilled_search(scratch) if scratch else find_links
    evidence = evidence_of(job, documents, reading.table, executor, show, search=search, scratch=scratch)
    del reading
    return model_of(job.model).resolve_evidence(
        documents,
        evidence,
        job.options,
        corrections=job.corrections,
        jobs=jobs,
        checkpoint=checkpoint,
        watch=watch,
        clock=clock,
        scratch=scratch,
    )


def _read(job: Job, corpus: Corpus, executor: Executor, show: Watch, *, skip_bad: bool = False) -> Reading:
    """Read all documents; raise if one fails unless `skip_bad`."""
    model = model_of(job.model)
    model.check_parts(job.system)
    names, failed = read_all(job, corpus, executor, show)
    if failed and not skip_bad:
        id, reason = next(iter(failed.items()))
        others = f", and {len(failed) - 1} more failed" if len(failed) > 1 else ""
        raise DataError(
            f"the document {id!r} cannot be processed ({reason}){others}",
            hint="--skip-bad leaves such documents out and lists them in run.json",
        )
    return put_together(job, names, failed, model)


def evidence_of(
    job: Job,
    documents: Corpus,
    table: MentionTable,
    executor: Executor,
    show: Watch,
    search: LinkSearch = find_links,
    scratch: Scratch | None = None,
) -> Evidence:
    """Return the mentions of all documents as evidence; with a `scratch`, their table lies there."""
    table = scratch.kept(table) if scratch else table
    model, vectors = model_of(job.model), table.contextual
    compared = table.with_contextual(vectors) if vectors else table
    return Evidence(
        scratch.kept(compared) if scratch else compared,
        model.pair_models,
        model.resources.lexicon,
        encode=(lambda: vectors) if vectors else None,
        encode_rows=lambda rows: read_closely(job, documents, table, rows, executor, show),
        search=search,
    )
