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

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from samevent.clusterers import Clusterer, Evidence, clusterer
from samevent.corpus import Corpus, Document
from samevent.errors import DataError, FormatError, SameventError
from samevent.formats.jsonl import document_from_json, document_to_json
from samevent.hddcrp.runner import chains_elsewhere
from samevent.language.cache import Cache, default_folder
from samevent.language.vectors import Vectors
from samevent.model import Model, Options, Watch, batch_runtime, cluster_evidence
from samevent.packing import pack, unpack
from samevent.parallel import Starmap
from samevent.preparation import encode_with
from samevent.results import Result
from samevent.results.assembly import assemble
from samevent.results.parts import PartAnswer, divisible, grouped, join_parts, part_evidence, solve_part
from samevent.similarity.bags import Bags, Indices
from samevent.similarity.blocking import document_blocks
from samevent.similarity.boosted import AnyPairModel, BoostedModel
from samevent.similarity.knowledge import Knowledge
from samevent.similarity.links import (
    LinkSettings,
    Looks,
    MentionLinks,
    find_links,
    first_look,
    look_again,
    score_pairs,
)
from samevent.similarity.mentions import Heads, MentionTable
from samevent.similarity.neighbours import topical_documents
from samevent.similarity.pairs import Pairs
from samevent.similarity.tables import merged, pack_table, unpack_table

PARTITION = 32
"""Documents that are read in one task."""
BIG = 200_000
"""Groups with so many links are one component whose chains are tasks of their own."""


class Parts(Protocol):
    """Where parts lie: small files by name, each whole or absent. Tasks elsewhere see the same files."""

    def read(self, name: str) -> bytes | None:
        """Return a part, or None if there is none."""

    def write(self, name: str, data: bytes) -> None:
        """Store a part."""

    def clear(self) -> None:
        """Remove all parts."""

    def __hash__(self) -> int:
        """Equal places have equal hashes."""


@dataclass(frozen=True, slots=True)
class FolderParts:
    """Parts in a folder that everybody sees under the same path."""

    folder: Path

    def read(self, name: str) -> bytes | None:
        """Return a part, or None if there is none."""
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Store a part under a temporary name, and rename it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / f".{name}.{secrets.token_hex(4)}.tmp"
        temporary.write_bytes(data)
        temporary.replace(self.folder / name)

    def clear(self) -> None:
        """Remove all parts."""
        if self.folder.is_dir():
            for file in self.folder.iterdir():
                file.unlink()
            self.folder.rmdir()


@dataclass(frozen=True, slots=True)
class Lost:
    """The outcome of a task whose processes died again and again."""

    reason: str


class Executor(Protocol):
    """Calls tasks, here or elsewhere."""

    starmap: Starmap | None
    """Advances chains of large components elsewhere; None if all work is done here."""

    def map(
        self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], *, large: bool = False
    ) -> Iterator[tuple[int, Any]]:
        """Begin the calls, the first first; yield the number and the result of each as it ends, or `Lost`.

        Calls with `large` arguments are not all handed out at once.
        """


class Here:
    """Calls tasks one after the other in this process."""

    starmap: Starmap | None = None

    def map(
        self,
        function: Callable[..., Any],
        calls: Sequence[tuple[Any, ...]],
        *,
        large: bool = False,  # noqa: ARG002 -- one call at a time
    ) -> Iterator[tuple[int, Any]]:
        """Yield the number and the result of each call."""
        return ((number, function(*arguments)) for number, arguments in enumerate(calls))


@dataclass(frozen=True, slots=True)
class Job:
    """What every task knows: model, options, and where parts lie."""

    model: str
    options: Options
    parts: Parts

    @property
    def system(self) -> Clusterer:
        """The clusterer."""
        return clusterer(self.options.clusterer, self.options.changes, preset=self.options.preset)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a partition: its event mentions, and the documents that failed, with reasons."""

    mentions: int
    failed: dict[str, str] = field(default_factory=dict)


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
    model, system = _model(job.model), job.system
    model.check_parts(system)
    names, failed = _read(job, corpus, executor, show)
    if failed and not skip_bad:
        id, reason = next(iter(failed.items()))
        others = f", and {len(failed) - 1} more failed" if len(failed) > 1 else ""
        raise DataError(
            f"the document {id!r} cannot be processed ({reason}){others}",
            hint="--skip-bad leaves such documents out and lists them in run.json",
        )
    documents, table = _put_together(job, names, model)
    order = [document.id for document in corpus if document.id in documents]
    show("linking", 0, 1, f"{len(table):,} mentions")
    search = _Search(job, executor, show)
    vectors = table.contextual
    evidence = Evidence(
        table.with_contextual(vectors) if vectors else table,
        model.pair_models,
        model.resources.lexicon,
        encode=(lambda: vectors) if vectors else None,
        encode_rows=lambda rows: _read_closely(job, documents, table, rows, executor, show),
        search=search,
    )
    links = system.links(evidence)
    if links is not None and divisible(system):
        answers = _answers(job, evidence, search.table_name, links, executor, show)
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


def read_part(job: Job, name: str, documents: Sequence[Document]) -> Receipt:
    """Find the mentions of some documents and compile their table. Documents that fail are left out."""
    if stored := _stored(job, name):
        return Receipt(len(stored["table"].ids), stored["failed"])
    failed: dict[str, str] = {}
    try:
        part = _prepared(job, documents)
    except Exception:  # noqa: BLE001 -- whatever it is, one document may be the reason
        failed = _failing(job, documents)
        part = _prepared(job, [document for document in documents if document.id not in failed])
    job.parts.write(name, pack(part | {"failed": failed}))
    return Receipt(len(part["table"]), failed)


def score_part(
    job: Job, name: str, table_name: str, settings: LinkSettings, between: tuple[Indices, Indices] | None
) -> int:
    """Find links between pairs of documents, or within all documents; return their number."""
    if data := job.parts.read(name):
        return len(unpack(data, (MentionLinks, Pairs)).similarity)
    model, table = _boosted(job), _table(job, table_name)
    blocking = model.blocking
    pairs = blocking.within(table) if between is None else blocking.between(table, *between)
    links = score_pairs(table, model, [pairs], settings)
    job.parts.write(name, pack(links))
    return len(links.similarity)


def encode_part(job: Job, name: str, documents: Sequence[Document], mentions: Sequence[str]) -> int:
    """Read some mentions with the large encoder; return their number."""
    if job.parts.read(name) is None:
        model, corpus = _model(job.model), Corpus(documents)
        known = {mention.id: mention for mention in corpus.mentions("action")}
        encode = encode_with(model.resources.large_encoder, cache=model.cache)
        vectors = encode(corpus, [known[mention] for mention in mentions])
        job.parts.write(name, pack(dict(vectors)))
    return len(mentions)


@batch_runtime()
def answer_part(job: Job, name: str, table_name: str, links_name: str, rows: Indices) -> int:
    """Solve a group of components; return the number of its mentions."""
    if job.parts.read(name) is None:
        model, links = _model(job.model), _links(job, links_name)
        evidence = Evidence(_table(job, table_name), model.pair_models, model.resources.lexicon)
        job.parts.write(name, _solved(job, evidence, links, rows).to_bytes())
    return len(rows)


def _solved(job: Job, evidence: Evidence, links: MentionLinks, rows: Indices) -> PartAnswer:
    part = part_evidence(evidence, job.system, links, rows)
    return solve_part(part, job.system, seed=job.options.seed, min_probability=job.options.min_probability)


def _read(job: Job, corpus: Corpus, executor: Executor, show: Watch) -> tuple[list[str], dict[str, str]]:
    """Read all partitions; halve those whose processes die, until the document is found that they die of."""
    documents = list(corpus)
    waiting = [
        (f"read-{start // PARTITION:06}", documents[start : start + PARTITION])
        for start in range(0, len(documents), PARTITION)
    ]
    names, failed, done, mentions = [], {}, 0, 0
    while waiting:
        again = []
        for number, outcome in _outcomes(executor, read_part, [(job, *each) for each in waiting]):
            name, part = waiting[number]
            if isinstance(outcome, Lost) and len(part) > 1:
                half = len(part) // 2
                again += [(f"{name}.0", part[:half]), (f"{name}.1", part[half:])]
                continue
            done += len(part)
            if isinstance(outcome, Lost):
                failed[part[0].id] = outcome.reason
            else:
                names.append(name)
                failed |= outcome.failed
                mentions += outcome.mentions
            show("reading", done, len(documents), f"{mentions:,} mentions")
        waiting = again
    return sorted(names), dict(sorted(failed.items()))


def _prepared(job: Job, documents: Sequence[Document]) -> dict[str, Any]:
    """Return documents with their mentions as lines of JSON, and their table with the vectors as they were read."""
    model, system = _model(job.model), job.system
    prepared = model.prepare(documents, preset=job.options.preset)
    table = prepared.table
    pair_model = model.pair_models.get(system.pair_model or "")
    if isinstance(pair_model, BoostedModel) and pair_model.needs_context:
        table = replace(table, contextual=prepared.contextual())
    lines = [json.dumps(document_to_json(document), ensure_ascii=False) for document in prepared.corpus]
    return {"documents": lines, "table": table}


def _failing(job: Job, documents: Sequence[Document]) -> dict[str, str]:
    """Return the documents that fail alone, with reasons."""
    failed = {}
    for document in documents:
        try:
            _prepared(job, [document])
        except Exception as error:  # noqa: BLE001 -- see above
            failed[document.id] = f"{type(error).__name__}: {error}"
    if not failed:
        raise SameventError(
            f"documents fail together and not alone, among them {documents[0].id!r}",
            hint="this is an error in samevent; please report it",
        )
    return failed


def _put_together(job: Job, names: Sequence[str], model: Model) -> tuple[dict[str, Document], MentionTable]:
    """Return all documents by id, and their table with the vectors as they were read."""
    documents: dict[str, Document] = {}
    tables = []
    for name in names:
        stored = _stored(job, name)
        if stored is None:
            raise FormatError(f"the part {name!r} of the run is gone", hint="use --resume to make it again")
        for line in stored["documents"]:
            document = document_from_json(json.loads(line))
            documents[document.id] = document
        tables.append(stored["table"])
    resources = model.resources
    table = merged(tables, lexicon=resources.lexicon, vectors=resources.vectors)
    return documents, table


def _read_closely(
    job: Job,
    documents: Mapping[str, Document],
    table: MentionTable,
    rows: Indices,
    executor: Executor,
    show: Watch,
) -> dict[str, Vectors]:
    """Read some mentions with the large encoder, by partitions of their documents."""
    of_document: dict[str, list[int]] = {}
    for row in rows.tolist():
        of_document.setdefault(table.documents[table.document[row]], []).append(row)
    ids = list(of_document)
    digest = blake2b(rows.tobytes() + "\0".join(ids).encode(), digest_size=6).hexdigest()
    partitions = [ids[start : start + PARTITION] for start in range(0, len(ids), PARTITION)]
    names = [f"encoded-{digest}-{number:06}" for number in range(len(partitions))]
    order = [[row for id in partition for row in of_document[id]] for partition in partitions]
    calls = [
        (job, name, [documents[id] for id in partition], [table.ids[row] for row in chosen])
        for name, partition, chosen in zip(names, partitions, order, strict=True)
    ]
    done = 0
    for number, outcome in _outcomes(executor, encode_part, calls):
        _check_found(outcome, names[number])
        done += outcome
        show("reading closely", done, len(rows), "")
    parts = [unpack(job.parts.read(name) or b"") for name in names]
    place = np.argsort([row for chosen in order for row in chosen], kind="stable")
    back = place[np.searchsorted(np.sort(rows), rows)]
    return {name: np.concatenate([part[name] for part in parts])[back] for name in parts[0]}


class _Search:
    """Finds links by blocks of pairs of documents, if the model has blocks; else here."""

    def __init__(self, job: Job, executor: Executor, show: Watch) -> None:
        self._job, self._executor, self._show = job, executor, show
        self.table_name = ""

    def __call__(
        self, table: MentionTable, model: AnyPairModel, *, settings: LinkSettings | None = None, jobs: int = 1
    ) -> MentionLinks:
        job, settings = self._job, settings or LinkSettings()
        if not isinstance(model, BoostedModel):
            return find_links(table, model, settings=settings, jobs=jobs)
        # The name is that of the content: other documents may have failed the last time.
        self.table_name = _written(job, "table", pack_table(table))
        d, e, _ = topical_documents(table, max(settings.gate, model.blocking.documents), jobs=jobs)
        between = [None, *document_blocks(table, d, e)]
        names = [f"links-of-{self.table_name}-{number:06}" for number in range(len(between))]
        calls = [
            (job, name, self.table_name, first_look(model, settings), block)
            for name, block in zip(names, between, strict=True)
        ]
        for done, (number, outcome) in enumerate(_outcomes(self._executor, score_part, calls), 1):
            _check_found(outcome, names[number])
            self._show("linking", done, len(calls), f"{len(table):,} mentions")
        parts = [unpack(job.parts.read(name) or b"", (MentionLinks, Pairs)) for name in names]
        links = MentionLinks.concatenate(parts)
        again = look_again(table, model, links).similarity
        return Looks(links.pairs, links.similarity, again).links(settings.minimum_similarity, links.scored)


def _answers(
    job: Job, evidence: Evidence, table_name: str, links: MentionLinks, executor: Executor, show: Watch
) -> list[PartAnswer]:
    """Solve all groups, the largest first; the chains of very large components are tasks of their own."""
    links_name = _written(job, "links", pack(replace(links, looks=None)))
    groups = grouped(links, len(evidence))
    names = [f"answer-to-{links_name}-{number:06}" for number in range(len(groups))]
    load = np.bincount(links.pairs.i, minlength=len(evidence))
    big = [executor.starmap is not None and int(load[rows].sum()) >= BIG for rows in groups]
    rest = [number for number in range(len(groups)) if not big[number]]
    calls = [(job, names[number], table_name, links_name, groups[number]) for number in rest]
    ends = _outcomes(executor, answer_part, calls)
    done = 0
    for number in np.flatnonzero(big).tolist():
        if job.parts.read(names[number]) is None:
            with chains_elsewhere(executor.starmap) if executor.starmap else nullcontext():
                answer = _solved(job, evidence, links, groups[number])
            job.parts.write(names[number], answer.to_bytes())
        done += len(groups[number])
        show("sampling", done, sum(map(len, groups)), "")
    for number, outcome in ends:
        _check_found(outcome, names[rest[number]])
        done += outcome
        show("sampling", done, sum(map(len, groups)), "")
    return [PartAnswer.from_bytes(job.parts.read(name) or b"") for name in names]


def _outcomes(
    executor: Executor, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, Any]]:
    """Begin calls and return their outcomes; what seems to kill workers is tried once more, with nothing beside it.

    A worker that dies takes all its tasks along, and one of several may have been the reason.
    """
    begun = executor.map(function, calls, large=function in (read_part, encode_part))

    def ends() -> Iterator[tuple[int, Any]]:
        suspects = []
        for number, outcome in begun:
            if isinstance(outcome, Lost):
                suspects.append(number)
            else:
                yield number, outcome
        for number in sorted(suspects):
            [(_, outcome)] = executor.map(function, [calls[number]])
            yield number, outcome

    return ends()


def _check_found(outcome: object, name: str) -> None:
    if isinstance(outcome, Lost):
        raise SameventError(
            f"the workers that did the part {name!r} of the run died ({outcome.reason})",
            hint="give workers more memory, then use --resume",
        )


def _stored(job: Job, name: str) -> dict[str, Any] | None:
    """Return a part that was read, or None if it is absent or damaged."""
    data = job.parts.read(name)
    if data is None:
        return None
    try:
        stored: dict[str, Any] = unpack(data, (MentionTable, Heads, Bags, Knowledge))
    except FormatError:
        return None
    return stored


def _model(name: str) -> Model:
    return _model_with_cache(name, default_folder())


@lru_cache(maxsize=1)
def _model_with_cache(name: str, folder: Path) -> Model:
    return Model.load(name, cache=Cache(folder))


def _boosted(job: Job) -> BoostedModel:
    model = _model(job.model).pair_models[job.system.pair_model or ""]
    if not isinstance(model, BoostedModel):
        raise TypeError("only boosted models have blocks")
    return model


def _written(job: Job, kind: str, data: bytes) -> str:
    """Write a part under a name that tells its content, and return the name."""
    name = f"{kind}-{blake2b(data, digest_size=8).hexdigest()}"
    if job.parts.read(name) is None:
        job.parts.write(name, data)
    return name


@lru_cache(maxsize=2)
def _loaded(parts: Parts, name: str) -> Any:
    """Keep the table and the links of a run in each process that needs them."""
    data = parts.read(name) or b""
    return unpack_table(data) if name.startswith("table") else unpack(data, (MentionLinks, Pairs))


def _table(job: Job, name: str) -> MentionTable:
    table: MentionTable = _loaded(job.parts, name)
    return table


def _links(job: Job, name: str) -> MentionLinks:
    links: MentionLinks = _loaded(job.parts, name)
    return links
