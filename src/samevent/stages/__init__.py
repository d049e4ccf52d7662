"""A run in stages, each of them tasks that leave parts in a folder: for a cluster, and for what a cluster left undone.

    reading     documents -> mentions and mention tables, by partitions of documents
    linking     pairs of mentions -> links, by blocks of pairs of documents
    sampling    components -> answers with explanations, by groups of components

Between stages the parts are put together here: vocabulary and document frequencies of all tables, the links, the final
result. Partitions, blocks and groups depend on the documents alone. So the result has the bytes of `Model.resolve`,
whoever does the tasks and in whatever order; a run that is resumed takes the parts that exist and does the others.

Tasks are plain functions of a `Job` and small arguments. An `Executor` calls them, here or elsewhere.
"""

from __future__ import annotations

from samevent.clusterers import Evidence
from samevent.corpus import Corpus
from samevent.errors import DataError
from samevent.model import Watch, batch_runtime, cluster_evidence
from samevent.results import Result
from samevent.results.assembly import assemble
from samevent.results.parts import divisible, join_parts
from samevent.stages.encoding import encode_part, read_closely
from samevent.stages.linking import Search, score_part
from samevent.stages.reading import put_together, read_all, read_part
from samevent.stages.sampling import answer_part, answers_of
from samevent.stages.tasks import Executor, FolderParts, Here, Job, Lost, Parts, model_of

__all__ = [
    "Executor",
    "FolderParts",
    "Here",
    "Job",
    "Lost",
    "Parts",
    "answer_part",
    "encode_part",
    "read_part",
    "resolve",
    "score_part",
]


@batch_runtime()
def resolve(
    job: Job,
    corpus: Corpus,
    executor: Executor,
    *,
    skip_bad: bool = False,
    watch: Watch | None = None,
) -> tuple[Result, dict[str, str]]:
    """Do what `Model.resolve` does, by tasks; also return the documents that were left out, with reasons.

    Documents that fail are an error unless `skip_bad`.
    """
    show = watch or (lambda *_: None)
    model, system = model_of(job.model), job.system
    model.check_parts(system)
    names, failed = read_all(job, corpus, executor, show)
    if failed and not skip_bad:
        id, reason = next(iter(failed.items()))
        others = f", and {len(failed) - 1} more failed" if len(failed) > 1 else ""
        raise DataError(
            f"the document {id!r} cannot be processed ({reason}){others}",
            hint="--skip-bad leaves such documents out and lists them in run.json",
        )
    documents, table = put_together(job, names, model)
    order = [document.id for document in corpus if document.id in documents]
    show("linking", 0, 1, f"{len(table):,} mentions")
    search = Search(job, executor, show)
    vectors = table.contextual
    evidence = Evidence(
        table.with_contextual(vectors) if vectors else table,
        model.pair_models,
        model.resources.lexicon,
        encode=(lambda: vectors) if vectors else None,
        encode_rows=lambda rows: read_closely(job, documents, table, rows, executor, show),
        search=search,
    )
    links = system.links(evidence)
    if links is not None and divisible(system):
        answers = answers_of(job, evidence, search.table_name, links, executor, show)
        clustered, judgement = join_parts(answers, evidence, system, seed=job.options.seed)
    else:
        # Models without independent components are one task, and cheap ones are not worth it.
        clustered, judgement = cluster_evidence(system, evidence, job.options.seed, watch=watch), None
    show("explaining", 0, 1, "")
    result = assemble(
        Corpus(documents[id] for id in order),
        evidence,
        system,
        clustered,
        judgement=judgement,
        about=model.describe(job.options, system),
        min_probability=job.options.min_probability,
        keep_singletons=job.options.keep_singletons,
    )
    return result, failed
