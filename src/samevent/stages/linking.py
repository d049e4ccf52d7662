"""Linking: pairs of mentions become links, by blocks of pairs of documents."""

from __future__ import annotations

from samevent.clusterers.base import Search as FindLinks
from samevent.memory import trim
from samevent.model import Watch
from samevent.packing import pack, unpack
from samevent.scratch import Scratch
from samevent.similarity.bags import Indices
from samevent.similarity.blocking import document_blocks
from samevent.similarity.boosted import AnyPairModel, BoostedModel
from samevent.similarity.links import (
    LinkSettings,
    Looks,
    MentionLinks,
    find_links,
    first_look,
    look_again,
    score_pairs,
)
from samevent.similarity.mentions import MentionTable
from samevent.similarity.neighbours import topical_documents
from samevent.similarity.pairs import Pairs
from samevent.similarity.tables import pack_table
from samevent.stages.tasks import Executor, Job, check_found, model_of, outcomes, table_of, write_named


def score_part(
    job: Job, name: str, table_name: str, settings: LinkSettings, between: tuple[Indices, Indices] | None
) -> int:
    """Find links between pairs of documents, or within all documents; return their number."""
    if data := job.parts.read(name):
        return len(unpack(data, (MentionLinks, Pairs)).similarity)
    model, table = _boosted(job), table_of(job, table_name)
    blocking = model.blocking
    pairs = blocking.within(table) if between is None else blocking.between(table, *between)
    links = score_pairs(table, model, [pairs], settings)
    job.parts.write(name, pack(links))
    return len(links.similarity)


class Search:
    """Finds links by blocks of pairs of documents, if the model has blocks; else here."""

    def __init__(self, job: Job, executor: Executor, show: Watch) -> None:
        self._job, self._executor, self._show = job, executor, show
        self.table_name = ""

    def __call__(
        self, table: MentionTable, model: AnyPairModel, *, settings: LinkSettings | None = None, jobs: int = 1
    ) -> MentionLinks:
        """Return the links of a table."""
        job, settings = self._job, settings or LinkSettings()
        if not isinstance(model, BoostedModel):
            return find_links(table, model, settings=settings, jobs=jobs)
        # The name is that of the content: other documents may have failed the last time.
        self.table_name = write_named(job, "table", pack_table(table))
        d, e, _ = topical_documents(table, max(settings.gate, model.blocking.documents), jobs=jobs)
        between = [None, *document_blocks(table, d, e)]
        names = [f"links-of-{self.table_name}-{number:06}" for number in range(len(between))]
        calls = [
            (job, name, self.table_name, first_look(model, settings), block)
            for name, block in zip(names, between, strict=True)
        ]
        for done, (number, outcome) in enumerate(outcomes(self._executor, score_part, calls), 1):
            check_found(outcome, names[number])
            self._show("linking", done, len(calls), f"{len(table):,} mentions")
        parts = [unpack(job.parts.read(name) or b"", (MentionLinks, Pairs)) for name in names]
        links = MentionLinks.concatenate(parts)
        again = look_again(table, model, links).similarity
        return Looks(links.pairs, links.similarity, again).links(settings.minimum_similarity, links.scored)


def spilled_search(scratch: Scratch) -> FindLinks:
    """Return a search that works in a scratch, and leaves the links that it finds there."""

    def search(
        table: MentionTable, model: AnyPairModel, *, settings: LinkSettings | None = None, jobs: int = 1
    ) -> MentionLinks:
        trim()  # the tables of parts were many small arrays
        links = find_links(table, model, settings=settings, jobs=jobs, scratch=scratch)
        scratch.release()
        trim()
        return links

    return search


def _boosted(job: Job) -> BoostedModel:
    model = model_of(job.model).pair_models[job.system.pair_model or ""]
    if not isinstance(model, BoostedModel):
        raise TypeError("only boosted models have blocks")
    return model
