"""The inputs of a run: several files and folders as one corpus, and checks that the model can read it."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path

from samevent.corpus import Corpus, Document
from samevent.corpus.stored import StoredDocuments
from samevent.errors import CorpusError, DataError, UnreadWarning, UsageError, check_type, counted, located
from samevent.formats import Unread, check_some_read, read, stream
from samevent.formats.folder import renamed
from samevent.formats.store import HELD, Shelf, check_mention_ids
from samevent.language.dates import document_date

_FUNCTION_WORDS = frozenset(
    "the of and to that for with by from it his were which this but they who been their after would said".split()
)
_LEAST_SHARE = 0.06
"""In English prose, a fifth to a third of all words are among these; in other languages next to none."""
_LEAST_WORDS = 30
"""Shorter texts are too short to judge the language."""


def read_inputs(
    paths: Sequence[Path],
    *,
    format: str | None = None,
    encoding: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    unread: Unread | None = None,
    scratch: Path | None = None,
    held: int = HELD,
) -> Corpus:
    """Read files and folders as one corpus; if ids clash, the name of its input goes before each id.

    Documents are read one by one. Beyond `held` characters they are kept in a file in the folder `scratch`, without a
    name, and built again whenever they are asked for. Loose files and rows that cannot be read go to `unread`; without
    it the first is an error.
    """
    shelf = Shelf(scratch, held=held)
    counts = []
    for path in paths:
        ids = set[str]()
        with located(path):
            for document in stream(path, format=format, encoding=encoding, columns=columns, unread=unread):
                if document.id in ids:
                    raise CorpusError(
                        f"two documents have the id {document.id!r}", expected="unique document ids"
                    )
                ids.add(document.id)
                shelf.add(document)
        counts.append(len(ids))
    documents = shelf.documents()
    if len(set(shelf.ids)) < len(shelf.ids):
        documents = _with_names(documents, shelf.ids, paths, counts)
    if shelf.mentions and isinstance(documents, StoredDocuments):
        check_mention_ids(documents)
    corpus = Corpus(documents)
    check_some_read(corpus, unread)
    return corpus


Source = str | Path | Document | Iterable[str | Path | Document]
"""What documents can be made of: texts, names of files and folders, documents."""


def corpus_of(source: Source) -> Corpus:
    """Return texts, files, folders and documents as one corpus, sorted by date and id.

    >>> corpus_of(["A quake struck Kestry.", "Two people died."]).ids
    ('text-1', 'text-2')
    """
    expected = "texts, names of files or folders, or documents"
    check_type(source, str | Path | Iterable, expected)
    if isinstance(source, bytes | Mapping) or getattr(source, "ndim", 1) != 1:
        raise UsageError(f"got {type(source).__name__}", expected=expected)
    if isinstance(source, Corpus):
        return in_order(source)
    several = [source] if isinstance(source, str | Path | Document) else list(source)
    documents: list[Document] = []
    paths: list[Path] = []
    for number, each in enumerate(several, 1):
        check_type(each, str | Path | Document, expected)
        if isinstance(each, Document):
            documents.append(each)
        elif isinstance(each, str) and _is_text(each):
            documents.append(Document.from_text(f"text-{number}", each))
        else:
            paths.append(Path(each))
    if paths:
        unread = Unread()
        documents += read_inputs(paths, unread=unread)
        if unread:
            warnings.warn(UnreadWarning("\n".join(unread.lines())), stacklevel=3)
    return in_order(Corpus(documents))


def _is_text(words: str) -> bool:
    """Return whether a string is a text rather than a file name."""
    try:
        return not words or (len(words.split()) != 1 and not Path(words).exists())
    except (OSError, ValueError):  # not a possible file name
        return True


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files and folders with the options that they are read with, and what of them could not be read.

    If reading is `strict`, the first file that cannot be read is an error, and nothing is collected in `unread`.
    """

    paths: Sequence[Path]
    format: str | None = None
    encoding: str | None = None
    columns: Mapping[str, str | None] = field(default_factory=dict)
    strict: bool = False
    unread: Unread | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unread", None if self.strict else Unread())

    def read(self, *, scratch: Path | None = None) -> Corpus:
        """Read everything as one corpus (`read_inputs`)."""
        return read_inputs(
            self.paths,
            format=self.format,
            encoding=self.encoding,
            columns=self.columns,
            unread=self.unread,
            scratch=scratch,
        )


def _with_names(
    documents: Sequence[Document], ids: Sequence[str], paths: Sequence[Path], counts: Sequence[int]
) -> Sequence[Document]:
    """Return documents with the name of its input, or its number, before each id."""
    names = [path.name or str(path) for path in paths]
    if len(set(names)) < len(names):
        names = [str(number) for number in range(1, len(paths) + 1)]
    prefixes = [name for name, count in zip(names, counts, strict=True) for _ in range(count)]
    if not isinstance(documents, StoredDocuments):
        return [renamed(document, prefix) for document, prefix in zip(documents, prefixes, strict=True)]
    return StoredDocuments(
        [f"{prefix}/{id}" for prefix, id in zip(prefixes, ids, strict=True)],
        lambda place: renamed(documents[place], prefixes[place]),
    )


def in_order(corpus: Corpus) -> Corpus:
    """Return the documents sorted by date and id, so that the order of inputs does not matter."""
    return Survey.of(corpus).in_order(corpus)


@dataclass(frozen=True, slots=True)
class Survey:
    """What one pass over documents tells about them: their order, words, dates, given mentions, and hashes by id.

    `full` is the number of documents with words, `foreign` are the ids of those that do not look like English, `empty`
    of those without words, and `repeated` of those with the text of an earlier one. `guessed` counts encodings.
    """

    order: tuple[int, ...]
    words: int
    mentions: int
    dates: tuple[str, str] | None
    full: int
    foreign: tuple[str, ...]
    fingerprints: Mapping[str, str]
    empty: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    guessed: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, corpus: Corpus) -> Survey:
        """Read all documents once."""
        keys: list[tuple[str, str]] = []
        words = mentions = full = 0
        dates: tuple[str, str] | None = None
        foreign: set[str] = set()
        prints: dict[str, str] = {}
        texts: dict[str, bytes] = {}
        guessed: Counter[str] = Counter()
        for document in corpus:
            keys.append((document_date(document) or "9999", document.id))
            words += len(document.tokens)
            mentions += sum(m.kind == "action" for m in document.mentions)
            if document.date and (date := document_date(document)):
                dates = (min(date, dates[0]), max(date, dates[1])) if dates else (date, date)
            if document.tokens:
                full += 1
                if not _is_english(document):
                    foreign.add(document.id)
                texts[document.id] = hashlib.blake2b(document.text.encode(), digest_size=16).digest()
            if isinstance(encoding := document.extra.get("encoding"), str):
                guessed[encoding] += 1
            prints[document.id] = fingerprint(document)
        order = tuple(sorted(range(len(keys)), key=keys.__getitem__))
        ids = [keys[place][1] for place in order]
        first: dict[bytes, str] = {}
        repeated = [id for id in ids if id in texts and first.setdefault(texts[id], id) != id]
        return cls(
            order=order,
            words=words,
            mentions=mentions,
            dates=dates,
            full=full,
            foreign=tuple(id for id in ids if id in foreign),
            fingerprints={id: prints[id] for id in ids},
            empty=tuple(id for id in ids if id not in texts),
            repeated=tuple(repeated),
            guessed=dict(sorted(guessed.items())),
        )

    def __len__(self) -> int:
        return len(self.order)

    def __str__(self) -> str:
        """Return one line about the documents."""
        parts = [counted(len(self), "document"), counted(self.words, "word")]
        if self.dates:
            parts.append(" to ".join(dict.fromkeys(self.dates)))
        if self.mentions:
            parts.append(counted(self.mentions, "given event mention"))
        return ", ".join(parts)

    def notices(self) -> Iterator[str]:
        """Yield what a person should know about the documents."""
        if self.foreign:
            yield (
                f"{_documents(self.foreign)} {'do' if len(self.foreign) > 1 else 'does'} not look like English, "
                f"such as {self.foreign[0]!r}: expect few events from {'them' if len(self.foreign) > 1 else 'it'}"
            )
        if self.empty:
            yield f"{_documents(self.empty)} without words, such as {self.empty[0]!r}"
        if self.repeated:
            yield f"{_documents(self.repeated)} with the text of an earlier one, such as {self.repeated[0]!r}"
        if self.guessed:
            names = ", ".join(f"{count:,} as {name}" for name, count in self.guessed.items())
            yield f"documents that are not UTF-8 were read as what they look like: {names}"

    def in_order(self, corpus: Corpus) -> Corpus:
        """Return the documents sorted by date and id."""
        documents = corpus.documents
        if isinstance(documents, StoredDocuments):
            return Corpus(documents.reordered(self.order))
        return Corpus(documents[place] for place in self.order)

    def check_readable(self) -> tuple[str, ...]:
        """Raise if there is no text, or if most of it is not English; return the ids of documents that are not."""
        if not self.full:
            raise DataError(
                f"there is no text in the {counted(len(self), 'document')}",
                expected="documents with words in them",
                hint="are these the right files?",
            )
        if 2 * len(self.foreign) > self.full:
            raise DataError(
                f"{len(self.foreign):,} of {self.full:,} documents do not look like English "
                f"(such as {self.foreign[0]!r})",
                expected="English text: parser, lexicon and training data are English",
                hint="translate the documents first, or use only the English ones",
            )
        return self.foreign


def fingerprint(document: Document) -> str:
    """Return a hash of a document as it was read."""
    content = json.dumps([document.text, [m.id for m in document.mentions]])
    return hashlib.sha256(content.encode()).hexdigest()


def read_mentions(path: Path, *, format: str | None = None, encoding: str | None = None) -> Corpus:
    """Read a corpus that has event mentions."""
    corpus = read(path, format=format, encoding=encoding)
    with located(path):
        check_mentions(corpus)
    return corpus


def check_mentions(corpus: Corpus) -> None:
    """Raise if there are no event mentions to cluster."""
    if not any(corpus.mentions("action")):
        raise UsageError("has no event mentions to cluster", hint="find them first: samevent extract")


def check_has_events(corpus: Corpus) -> None:
    """Raise if no document has an event mention."""
    if not any(corpus.mentions("action")):
        raise DataError(
            f"no event was found in {counted(len(corpus), 'document')}",
            expected="news or other prose about things that happened",
        )


def _documents(ids: Sized) -> str:
    return counted(len(ids), "document")


def _is_english(document: Document) -> bool:
    words = [token.text.lower() for token in document.tokens if token.text.isalpha()]
    if len(words) < _LEAST_WORDS:
        return not _is_other_script(document.text)
    return sum(word in _FUNCTION_WORDS for word in words) >= _LEAST_SHARE * len(words)


def _is_other_script(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) >= _LEAST_WORDS and sum(letter < "\u0250" for letter in letters) < len(letters) / 2
