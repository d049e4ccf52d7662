"""What the encoder reads: the sentence of a mention and a sentence of context, cut into word pieces.

The context is the document's lead sentence, or for the lead itself the next one; the address of a web page is no lead.
A long sentence is cut into overlapping windows, and each mention is read in the
window where it is nearest the middle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samevent.corpus import Document, Mention
from samevent.errors import FormatError, place

SENTENCE, CONTEXT = 100, 40
"""The most pieces that are read of a sentence, and of its context."""
LONGEST = SENTENCE + CONTEXT + 4
"""The most pieces of a unit, special ones included."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The pieces of a sentence (at indices 1 to `stop`) and its context, with the special pieces around them."""

    pieces: tuple[int, ...]
    stop: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mention is: the index of its unit, and of its pieces there.

    There are no pieces if the tokeniser drops all characters of the mention.
    """

    unit: int
    pieces: tuple[int, ...]


Pieces = dict[int, tuple[list[int], list[list[int]]]]
"""The pieces of sentences by their number in a document, and the indices of those of each word."""


class UnitReader:
    """Cuts sentences into units with the tokeniser of an encoder, of BERT's or MPNet's kind."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer: Any = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises no other class
            raise FormatError(
                f"cannot be read as a tokeniser ({error})", where=place(path), expected="a tokenizer.json"
            ) from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        pair = self._tokenizer.encode("a", "b")
        special = [i for i, mask in zip(pair.ids, pair.special_tokens_mask, strict=True) if mask]
        if not 3 <= len(special) <= LONGEST - SENTENCE - CONTEXT:
            raise FormatError(
                f"puts {len(special)} special pieces around a pair of texts",
                where=place(path),
                expected="one at the start, one at the end, and one or two in between",
            )
        self._start, *self._between, self._end = special

    def read(
        self, document: Document, mentions: Sequence[Mention], known: Pieces | None = None
    ) -> tuple[list[Unit], list[Place]]:
        """Return the distinct units of some mentions of a document, and the place of each mention in them.

        The sentences of the document that were cut before are looked up in `known`, others are added to it.
        """
        return self._read(document, ((document.sentence_of(m.start), m.tokens) for m in mentions), known)

    def read_tokens(
        self, document: Document, sentences: Iterable[int] | None = None, known: Pieces | None = None
    ) -> tuple[list[Unit], list[Place]]:
        """Return the distinct units of some sentences of a document (default: all), and the place of each token."""
        indices = range(len(document.sentences)) if sentences is None else sentences
        return self._read(
            document,
            (
                (i, (token,))
                for i in indices
                for token in range(document.sentences[i].start, document.sentences[i].end)
            ),
            known,
        )

    def _read(
        self, document: Document, spans: Iterable[tuple[int, Sequence[int]]], known: Pieces | None
    ) -> tuple[list[Unit], list[Place]]:
        """Return the units of spans, each a sentence and some of its tokens."""
        sentences: Pieces = {} if known is None else known
        windows: dict[tuple[int, int], int] = {}
        units: dict[Unit, int] = {}
        places = []
        lead, second = _first_sentences(document)
        for index, tokens in spans:
            context = second if index == lead else lead
            for i in (index, context):
                if i is not None and i not in sentences:
                    sentences[i] = self._cut(document.words(document.sentences[i]))
            pieces, of_word = sentences[index]
            start = document.sentences[index].start
            where = [i for token in tokens if token - start < len(of_word) for i in of_word[token - start]]
            first = window_start(len(pieces), where)
            if (index, first) not in windows:
                beside = sentences[context][0][:CONTEXT] if context is not None else []
                unit = self._unit(pieces[first : first + SENTENCE], beside)
                windows[index, first] = units.setdefault(unit, len(units))
            inside = tuple(i - first + 1 for i in where if first <= i < first + SENTENCE)
            places.append(Place(windows[index, first], inside))
        return list(units), places

    def _cut(self, words: list[str]) -> tuple[list[int], list[list[int]]]:
        """Return the pieces of a sentence, and the indices of those of each word."""
        encoding = self._tokenizer.encode(words, is_pretokenized=True, add_special_tokens=False)
        of_word: list[list[int]] = [[] for _ in words]
        for i, word in enumerate(encoding.word_ids):
            of_word[word].append(i)
        return encoding.ids, of_word

    def _unit(self, pieces: Sequence[int], context: Sequence[int]) -> Unit:
        tail = (*self._between, *context, self._end) if context else (self._end,)
        return Unit((self._start, *pieces, *tail), len(pieces) + 1)


def _first_sentences(document: Document) -> tuple[int | None, int | None]:
    """Return the lead of a document and the sentence after it, if there are any; addresses do not count."""
    prose = (i for i, sentence in enumerate(document.sentences) if not sentence.is_url)
    return next(prose, None), next(prose, None)


def window_start(length: int, pieces: Sequence[int]) -> int:
    """Return where the window of a mention starts in a sentence of `length` pieces.

    Windows start at multiples of half their size, so that neighbouring mentions share them.

    >>> window_start(100, [99]), window_start(230, [20]), window_start(230, [110]), window_start(230, [229])
    (0, 0, 50, 150)
    """
    if length <= SENTENCE or not pieces:
        return 0
    half = SENTENCE // 2
    last = -(-(length - SENTENCE) // half)  # rounded up
    nearest = (pieces[len(pieces) // 2] - half // 2) // half
    return min(max(nearest, 0), last) * half
