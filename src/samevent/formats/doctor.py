"""The corpus doctor: what is in a corpus, and what may be wrong with it.

An error means that a document cannot be read; the others still are. A warning means that a document reads well
but deserves a look.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from samevent.corpus import KINDS, Corpus, Document
from samevent.corpus.document import shortened
from samevent.errors import CorpusError, SameventError
from samevent.formats import check_repeats, chosen_format
from samevent.formats.base import ReadOptions
from samevent.formats.files import checked_encoding
from samevent.formats.records import Columns

MOJIBAKE = re.compile(r"Ã[\x80-\xbf©±¶¼³¡­]|â€[™œ\x9d“”˜¦]|Â[\xa0-\xbf]")
LONG_SENTENCE = 200


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: `severity` is error or warning, `where` a file and line or a document id."""

    severity: str
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a corpus contains, and its problems."""

    format: str
    counts: dict[str, int]
    problems: tuple[Problem, ...]

    @property
    def healthy(self) -> bool:
        """No errors; warnings may remain."""
        return not any(p.severity == "error" for p in self.problems)


def examine(
    path: str | Path,
    *,
    format: str | None = None,
    encoding: str | None = None,
    sentences: str | Path | None = None,
    columns: Mapping[str, str | None] | None = None,
) -> Diagnosis:
    """Read everything that can be read, and return counts and problems."""
    path = Path(path)
    chosen = chosen_format(path, format)
    failures: list[SameventError] = []
    options = ReadOptions(
        encoding=checked_encoding(encoding),
        sentences=Path(sentences) if sentences else None,
        repeats=True,
        failures=failures,
        columns=Columns.of(columns or {}),
    )
    documents: list[Document] = []
    with options.document_at(path):
        documents.extend(_sound(chosen.read(path, options), options, path))
    errors = [Problem("error", e.where or str(path), _without_place(e)) for e in failures]
    if not documents and not errors:
        errors = [Problem("error", str(path), f"contains no documents (read as {chosen.name})")]
    return Diagnosis(
        format=chosen.name,
        counts=counted(documents),
        problems=(*errors, *(Problem("warning", where, message) for where, message in warnings(documents))),
    )


def counted(documents: Iterable[Document]) -> dict[str, int]:
    """Return counts of documents, sentences, tokens, mentions and events."""
    corpus = Corpus(documents)
    counts = Counter({"documents": len(corpus), "sentences": 0, "tokens": 0, "characters": 0})
    for d in corpus:
        counts["sentences"] += sum(not s.is_url for s in d.sentences)
        counts["tokens"] += len(d.tokens)
        counts["characters"] += len(d.text)
    mentions = list(corpus.mentions())
    counts["mentions"] = len(mentions)
    for kind in KINDS:
        counts[f"{kind} mentions"] = sum(m.kind == kind for m in mentions)
    counts["discontinuous mentions"] = sum(bool(m.anchors) for m in mentions)
    counts["mentions with a head"] = sum(m.head is not None for m in mentions)
    counts["mentions with arguments"] = sum(bool(m.arguments) for m in mentions)
    clustering = corpus.clustering("action")
    owner = {m.id: m.document for m in mentions}
    counts["events"] = len(clustering)
    counts["events of one mention"] = sum(len(c) == 1 for c in clustering)
    counts["events across documents"] = sum(len({owner[m] for m in c}) > 1 for c in clustering)
    return dict(counts)


def warnings(documents: list[Document]) -> Iterator[tuple[str, str]]:
    """Yield (document id, message) for everything that reads well but deserves a look."""
    by_text = defaultdict(list)
    for d in documents:
        if not d.tokens:
            yield d.id, "the document is empty"
        else:
            by_text[d.text].append(d.id)
        yield from ((d.id, message) for message in (*_text_warnings(d), *_mention_warnings(d)))
    for ids in by_text.values():
        if len(ids) > 1:
            yield (
                ids[1],
                f"has the same text as {ids[0]!r}" + (f" and {len(ids) - 2} more" if len(ids) > 2 else ""),
            )


def _text_warnings(document: Document) -> Iterator[str]:
    if (at := document.text.find("\ufffd")) >= 0:
        yield f"character {at} is U+FFFD: something was decoded with the wrong encoding earlier"
    if match := MOJIBAKE.search(document.text):
        yield f"{match[0]!r} at character {match.start()} looks like UTF-8 that was read as Windows-1252"
    control = (
        i for i, c in enumerate(document.text) if unicodedata.category(c) == "Cc" and c not in "\t\n\r"
    )
    if (at := next(control, -1)) >= 0:
        yield f"character {at} is the control character U+{ord(document.text[at]):04X}"
    if blank := sum(t.text.isspace() for t in document.tokens):
        yield f"{blank} tokens are white space; column formats replace them"
    longest = max((s.end - s.start for s in document.sentences), default=0)
    if longest > LONG_SENTENCE:
        yield f"a sentence has {longest} tokens: are sentence boundaries missing?"


def _mention_warnings(document: Document) -> Iterator[str]:
    for m in document.mentions:
        if document.sentence_of(m.start) != document.sentence_of(m.end - 1):
            yield f"the {m.kind} {shortened(m.text)!r} ({m.id}) crosses a sentence boundary"
    for kind in KINDS:
        taken = Counter(token for m in document.mentions if m.kind == kind for token in m.tokens)
        if shared := sum(n > 1 for n in taken.values()):
            yield f"{shared} tokens are in more than one {kind}"


def _sound(documents: Iterable[Document], options: ReadOptions, path: Path) -> Iterator[Document]:
    """Yield the documents that fit into one corpus; the others become failures."""
    ids: set[str] = set()
    mentions: set[str] = set()
    for document in documents:
        with options.document_at(path):
            if document.id in ids:
                raise CorpusError(
                    f"two documents have the id {document.id!r}", expected="unique document ids"
                )
            if clash := next((m.id for m in document.mentions if m.id in mentions), None):
                raise CorpusError(f"two documents have a mention {clash!r}", expected="unique mention ids")
            check_repeats(document)
            ids.add(document.id)
            mentions.update(m.id for m in document.mentions)
            yield document


def _without_place(error: SameventError) -> str:
    return str(error).removeprefix(f"{error.where}: ")
