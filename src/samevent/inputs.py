"""The inputs of a run: several files and folders as one corpus, and checks that the model can read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from samevent.corpus import Argument, Corpus, Document, Mention
from samevent.errors import DataError, UsageError, located
from samevent.formats import read
from samevent.language.dates import document_date

_FUNCTION_WORDS = frozenset(
    "the of and to that for with by from it his were which this but they who been their after would said".split()
)
_LEAST_SHARE = 0.06
"""In English prose, a fifth to a third of all words are among these; in other languages next to none."""
_LEAST_WORDS = 30
"""Shorter texts are too short to judge the language."""


def read_inputs(paths: Sequence[Path], *, format: str | None = None, encoding: str | None = None) -> Corpus:
    """Read files and folders as one corpus; if ids clash, the name of its input goes before each id."""
    corpora = [read(path, format=format, encoding=encoding) for path in paths]
    ids = [document.id for corpus in corpora for document in corpus]
    if len(set(ids)) == len(ids):
        return Corpus(document for corpus in corpora for document in corpus)
    names = [path.name or str(path) for path in paths]
    if len(set(names)) < len(names):
        names = [str(number) for number in range(1, len(paths) + 1)]
    return Corpus(
        renamed(document, name) for corpus, name in zip(corpora, names, strict=True) for document in corpus
    )


def renamed(document: Document, prefix: str) -> Document:
    """Return the document with a prefix before its id and the ids of its mentions."""

    def moved(m: Mention) -> Mention:
        arguments = tuple(Argument(f"{prefix}/{a.mention}", a.role) for a in m.arguments)
        return replace(m, id=f"{prefix}/{m.id}", document=f"{prefix}/{m.document}", arguments=arguments)

    return replace(document, id=f"{prefix}/{document.id}", mentions=tuple(map(moved, document.mentions)))


def in_order(corpus: Corpus) -> Corpus:
    """Return the documents sorted by date and id, so that the order of inputs does not matter."""
    return Corpus(sorted(corpus, key=lambda document: (document_date(document) or "9999", document.id)))


def foreign(documents: Iterable[Document]) -> list[str]:
    """Return the ids of documents that do not look like English; short ones pass."""
    return [document.id for document in documents if not _is_english(document)]


def check_readable(corpus: Corpus) -> list[str]:
    """Raise if there is no text, or if most of it is not English; return the ids of documents that are not."""
    full = [document for document in corpus if document.tokens]
    if not full:
        raise DataError(
            f"there is no text in the {len(corpus):,} document(s)",
            expected="documents with words in them",
            hint="are these the right files?",
        )
    strange = foreign(full)
    if 2 * len(strange) > len(full):
        raise DataError(
            f"{len(strange):,} of {len(full):,} documents do not look like English (such as {strange[0]!r})",
            expected="English text: parser, lexicon and training data are English",
            hint="translate the documents first, or use only the English ones",
        )
    return strange


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
            f"no event was found in {len(corpus):,} document(s)",
            expected="news or other prose about things that happened",
        )


def word_count(corpus: Corpus) -> int:
    """Return the number of tokens of all documents."""
    return sum(len(document.tokens) for document in corpus)


def describe_corpus(corpus: Corpus) -> str:
    """Return one line about a corpus: documents, words, dates and given mentions."""
    dates = sorted(document.date for document in corpus if document.date)
    mentions = sum(1 for _ in corpus.mentions("action"))
    parts = [f"{len(corpus):,} document{'s' * (len(corpus) != 1)}", f"{word_count(corpus):,} words"]
    if dates:
        parts.append(f"{dates[0]} to {dates[-1]}" if dates[0] != dates[-1] else dates[0])
    if mentions:
        parts.append(f"{mentions:,} given event mentions")
    return ", ".join(parts)


def _is_english(document: Document) -> bool:
    words = [token.text.lower() for token in document.tokens if token.text.isalpha()]
    if len(words) < _LEAST_WORDS:
        return not _is_other_script(document.text)
    return sum(word in _FUNCTION_WORDS for word in words) >= _LEAST_SHARE * len(words)


def _is_other_script(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) >= _LEAST_WORDS and sum(letter < "\u0250" for letter in letters) < len(letters) / 2
