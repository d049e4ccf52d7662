"""Reading closely: the large encoder reads the mentions that might be linked, by partitions of their documents."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from samevent.corpus import Corpus, Document
from samevent.language.vectors import Vectors
from samevent.model import Watch
from samevent.packing import pack, unpack
from samevent.preparation import encode_with
from samevent.similarity.bags import Indices
from samevent.similarity.mentions import MentionTable
from samevent.stages.reading import PARTITION
from samevent.stages.tasks import Executor, Job, LazyCalls, check_found, model_of, outcomes


def encode_part(job: Job, name: str, documents: Sequence[Document], mentions: Sequence[str]) -> int:
    """Read some mentions with the large encoder; return their number."""
    if job.parts.read(name) is None:
        model, corpus = model_of(job.model), Corpus(documents)
        known = {mention.id: mention for mention in corpus.mentions("action")}
        encode = encode_with(model.resources.large_encoder, cache=model.cache)
        vectors = encode(corpus, [known[mention] for mention in mentions])
        job.parts.write(name, pack(dict(vectors)))
    return len(mentions)


def read_closely(
    job: Job,
    documents: Corpus,
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

    def call(number: int) -> tuple[Job, str, list[Document], list[str]]:
        chosen = [table.ids[row] for row in order[number]]
        return job, names[number], [documents[id] for id in partitions[number]], chosen

    calls = LazyCalls(len(names), call)
    done = 0
    for number, outcome in outcomes(executor, encode_part, calls, large=True):
        check_found(outcome, names[number])
        done += outcome
        show("reading closely", done, len(rows), "")
    parts = [unpack(job.parts.read(name) or b"") for name in names]
    place = np.argsort([row for chosen in order for row in chosen], kind="stable")
    back = place[np.searchsorted(np.sort(rows), rows)]
    return {name: np.concatenate([part[name] for part in parts])[back] for name in parts[0]}
