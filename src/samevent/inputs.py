"""What a run reads: several files and folders as one corpus, and whether it is what the model can read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from samevent.corpus import Argument, Corpus, Document, Mention
from samevent.errors import DataError
from samevent.formats import read
from samevent.results.dates import document_date

_FUNCTION_WORDS = frozenset(
    "the of and to that for with by from it his were which this but they who been their after would said".split()
)
_LEAST_SHARE = 0.06
"""English prose has a fifth to a third of these words, other languages next to none."""
_LEAST_WORDS = 30
"""Of fewer words, nobody can tell."""


def read_inputs(paths: Sequence[Path], *, format: str | None = None, encoding: str | None = None) -> Corpus:
    """Read files and folders as one corpus; where two have documents of one id, inputs' names go before ids."""
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
    """Return the document with a name before its id, and before those of its mentions."""

    def moved(m: Mention) -> Mention:
        arguments = tuple(Argument(f"{prefix}/{a.mention}", a.role) for a in m.arguments)
        return replace(m, id=f"{prefix}/{m.id}", document=f"{prefix}/{m.document}", arguments=arguments)

    return replace(document, id=f"{prefix}/{document.id}", mentions=tuple(map(moved, document.mentions)))


def in_order(corpus: Corpus) -> Corpus:
    """Return the documents by date and id, so that the order in which files were named never matters."""
    return Corpus(sorted(corpus, key=lambda document: (document_date(document) or "9999", document.id)))


def foreign(documents: Iterable[Document]) -> list[str]:
    """Return the ids of documents that do not look like English; short ones are given the benefit of the doubt."""
    return [document.id for document in documents if not _is_english(document)]


def check_readable(corpus: Corpus) -> list[str]:
    """Raise if there is nothing to read, or if most of it is not English; return the ids of documents that are not."""
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
            hint="translate the documents first, or give only the English ones",
        )
    return strange


def check_has_events(corpus: Corpus) -> None:
    """Raise if nothing happens in any document."""
    if not any(corpus.mentions("action")):
        raise DataError(
            f"no event was found in {len(corpus):,} document(s)",
            expected="news or prose that tells what happened",
        )


def _is_english(document: Document) -> bool:
    words = [token.text.lower() for token in document.tokens if token.text.isalpha()]
    if len(words) < _LEAST_WORDS:
        return not _is_other_script(document.text)
    return sum(word in _FUNCTION_WORDS for word in words) >= _LEAST_SHARE * len(words)


def _is_other_script(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) >= _LEAST_WORDS and sum(letter < "\u0250" for letter in letters) < len(letters) / 2
