"""CoRefi JSON: what the annotation tool CoRefi (Bornstein, Cattan and Dagan, 2020) opens and returns.

A job is one JSON object; an annotator's result has only its `tokens` and `mentions`.

- `tokens`: the words of all documents in one list. A token has `text`, its index `i` in the list and the number
  of its `document`; optionally `doc_name`, and `noWhite` where no space follows. The tool preserves unknown
  fields, so the writer adds `sentence`, counted within the document.
- `mentions`, in reading order: `start` and `end` are indices into that list, `end` *inclusive*. `clustId` is the
  `start-end` of the cluster's first mention (the tool shows those words as its name); a mention without one is
  not yet assigned.
- `mode` is `annotation`, `reviewer` (clusters are to be checked) or `onboarding` (`goldMentions` and
  messages teach the annotator). The tool starts at the second mention: the first must have a `clustId` already,
  and it is the `selectedCluster`.

Kept: documents with their ids, tokens and sentences, a topic that all share, the action mentions and their
clusters. Lost: documents without words, other kinds of mentions, all other fields of documents and mentions, the
names of events, and white space beyond a space between words and a line end between sentences. A discontinuous
mention becomes its covering span. Mentions that overlap are read but not written: the tool shows no mention that
follows a nested one. Without `sentence`, sentences are split as in raw text. A mention listed twice with the same
cluster is one mention.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from samevent.corpus import Corpus, Document, Mention
from samevent.corpus.corpus import event_key
from samevent.corpus.document import reading_order, sentences_of, shortened
from samevent.corpus.tokenize import sentence_sizes
from samevent.errors import FormatError, SameventError, located
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix
from samevent.formats.fields import Json, integer, label, list_of, parsed, string
from samevent.formats.files import opened, read_text, write_text

_TOKEN_OBJECTS = re.compile(rb'"tokens"\s*:\s*\[\s*\{')
_SNIFFED_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    number: str
    document: str
    sentence: int | None
    glued: bool


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read a job, or an annotator's result."""
    with located(path):
        data = parsed(read_text(path, encoding=options.encoding), path)
        if missing := [name for name in ("tokens", "mentions") if name not in data]:
            raise FormatError(f"has no {missing[0]!r}", expected="a CoRefi job, with tokens and mentions")
        words = [_word(at, token) for at, token in enumerate(list_of(data, "tokens", dict, "objects"))]
        documents = _documents(words, label(data, "topic"))
        yield from _with_mentions(documents, list_of(data, "mentions", dict, "objects"))


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write a job: to review where mentions are clustered, to annotate where each stands alone."""
    with located(path):
        job = _job(corpus)
    write_text(path, [json.dumps(job, ensure_ascii=False), "\n"], overwrite=options.overwrite)


def _word(at: int, token: Json) -> _Word:
    with _naming(f"tokens[{at}]"):
        if token.get("i", at) != at:
            raise FormatError(f"has the index {token['i']!r}", expected=f"i = {at}, its index in the list")
        if not (text := string(token, "text", required=True)):
            raise FormatError("has an empty text", expected="a word")
        number = label(token, "document", required=True)
        return _Word(
            text=text,
            number=number,
            document=label(token, "doc_name") or number,
            sentence=None if token.get("sentence") is None else integer(token, "sentence"),
            glued=bool(token.get("noWhite")),
        )


def _documents(words: Sequence[_Word], topic: str | None) -> list[Document]:
    documents: dict[str, Document] = {}
    at = 0
    for (_, id), group in groupby(words, key=lambda word: (word.number, word.document)):
        if id in documents:
            raise FormatError(
                f"tokens[{at}] returns to document {id!r}", expected="all tokens of a document in a row"
            )
        own = list(group)
        documents[id] = _document(id, own, topic)
        at += len(own)
    return list(documents.values())


def _document(id: str, words: Sequence[_Word], topic: str | None) -> Document:
    gaps = ["" if a.glued else " " if a.sentence == b.sentence else "\n" for a, b in pairwise(words)]
    text = "".join(word.text + gap for word, gap in zip(words, [*gaps, ""], strict=True))
    document = Document.from_tokens(id, [[word.text for word in words]], text=text, topic=topic)
    if any(word.sentence is not None for word in words):
        sizes = [len(list(group)) for _, group in groupby(words, key=lambda word: word.sentence)]
    else:
        sizes = sentence_sizes(text, [(token.start, token.end) for token in document.tokens])
    return replace(document, sentences=sentences_of(sizes))


def _with_mentions(documents: Sequence[Document], mentions: Sequence[Json]) -> Iterator[Document]:
    places = [(document, i) for document in documents for i in range(len(document.tokens))]
    by_document: dict[str, dict[str, Mention]] = {document.id: {} for document in documents}
    for at, data in enumerate(mentions):
        with _naming(f"mentions[{at}]"):
            start, last = integer(data, "start"), integer(data, "end")
            if not 0 <= start <= last < len(places):
                raise FormatError(
                    f"spans tokens {start} to {last}", expected=f"0 <= start <= end < {len(places)}"
                )
            (document, first), (other, _) = places[start], places[last]
            if other is not document:
                raise FormatError(
                    f"begins in document {document.id!r} and ends in {other.id!r}",
                    expected="a mention within one document",
                )
            mention = document.mention(
                "action", first, first + last - start + 1, event=label(data, "clustId")
            )
            known = by_document[document.id].setdefault(mention.id, mention)
            if known.event != mention.event:
                raise FormatError(
                    f"{mention.text!r} is in cluster {mention.event!r} here and in {known.event!r} earlier",
                    expected="every mention in one cluster",
                )
    return (document.with_mentions(by_document[document.id].values()) for document in documents)


def _job(corpus: Corpus) -> dict[str, Any]:
    tokens: list[Json] = []
    placed: list[tuple[int, int, Mention]] = []
    for number, document in enumerate(corpus):
        first = len(tokens)
        actions = sorted((m for m in document.mentions if m.kind == "action"), key=reading_order)
        _check_disjoint(actions)
        placed += [(first + m.start, first + m.end - 1, m) for m in actions]
        tokens += _tokens(document, number, first)
    clusters: dict[tuple[str, ...], str] = {}
    for start, end, m in placed:
        clusters.setdefault(event_key(m), f"{start}-{end}")
    clustered = len(clusters) < len(placed)
    mentions: list[Json] = [
        {"start": start, "end": end} | ({"clustId": clusters[event_key(m)]} if clustered or not i else {})
        for i, (start, end, m) in enumerate(placed)
    ]
    job: dict[str, Any] = {"mode": "reviewer" if clustered else "annotation"}
    job |= {"fixableSpans": True, "newMentions": True, "reassignable": True}
    topics = {document.topic for document in corpus}
    if len(topics) == 1 and None not in topics:
        job["topic"] = topics.pop()
    job |= {"tokens": tokens, "mentions": mentions}
    if mentions:
        job["selectedCluster"] = mentions[0]["clustId"]
    return job


def _tokens(document: Document, number: int, first: int) -> Iterator[Json]:
    after = [token.start for token in document.tokens[1:]]
    for i, (token, next_start) in enumerate(zip(document.tokens, [*after, None], strict=False)):
        data = {"i": first + i, "document": number, "doc_name": document.id, "text": token.text}
        data["sentence"] = document.sentence_of(i)
        yield data | ({"noWhite": True} if token.end == next_start else {})


def _check_disjoint(mentions: Sequence[Mention]) -> None:
    for a, b in pairwise(mentions):
        if b.start < a.end:
            raise FormatError(
                f"the mentions {a.id!r} ({shortened(a.text)!r}) and {b.id!r} ({shortened(b.text)!r}) overlap",
                expected="disjoint mentions: CoRefi shows none after one that overlaps",
                hint="remove one of them, or write another format",
            )


@contextmanager
def _naming(part: str) -> Iterator[None]:
    """Prefix errors with the part of the file that they concern: parsed JSON has no line numbers."""
    try:
        yield
    except SameventError as error:
        error.what = f"{part}: {error.what}"
        raise


def _recognises(path: Path) -> bool:
    if not path.is_file() or not has_suffix(path, ".json"):
        return False
    with opened(path) as stream:
        return _TOKEN_OBJECTS.search(stream.read(_SNIFFED_BYTES)) is not None


FORMAT = Format(
    name="corefi",
    summary="CoRefi JSON: jobs and results of the annotation tool",
    suffixes=(".corefi.json", ".json"),
    recognises=_recognises,
    read=read,
    write=write,
)
