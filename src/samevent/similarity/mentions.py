"""Event mentions as arrays: everything that pair features read, compiled once for a corpus.

Rows are the event mentions of the corpus, its documents sorted by id, each document in reading order. So the order in
which documents are given never matters, and of two rows of one document the smaller one is read first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document, Mention
from samevent.errors import CorpusError
from samevent.language.annotation import Annotation
from samevent.language.heads import with_heads
from samevent.language.lexicon.base import Lexicon, normal, pos_of_tag
from samevent.language.vectors.base import Matrix, Vectors
from samevent.similarity.background import NOTHING_READ, Background
from samevent.similarity.bags import Bags, Booleans, Floats, Indices
from samevent.similarity.stems import stem

CONTEXT = 3
"""How many words on each side of a mention are its context."""

KINDS = {"participants": "participant", "times": "time", "locations": "location"}
ROLES = {"arg0": "ARG0", "arg1": "ARG1", "arg2": "ARG2"}
ARGUMENTS = (*KINDS, *ROLES)
"""Fields that a mention may lack."""
FIELDS = ("words", "context", *ARGUMENTS)
"""The bags of lemmatised words that the paper compares."""
SENTENCE = "sentence"
"""One bag more: the content words of the sentence around a mention."""

_NO_WORDS = frozenset(("PUNCT", "SPACE"))
_CONTENT = frozenset(("ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB"))
"""What arguments and documents are compared by: with *the* and *of*, nearly all documents would be similar."""


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """The different heads of a corpus: a word with its lemma and its tag. Many mentions share one.

    Row `word[h]` of `vectors` belongs to head `h`; it has unit length, or is zero for an unknown word. Row `h` of
    `synonyms` is its WordNet synonyms and its lemma itself.
    """

    word: Indices
    lemma: Indices
    stem: Indices
    tag: Indices
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    vectors: Matrix
    synonyms: Bags

    def __len__(self) -> int:
        return len(self.word)


@dataclass(frozen=True, slots=True, eq=False)
class MentionTable:
    """The event mentions of a corpus, a row each: id, document, sentence and head by number, bags of words by field.

    `related` and `contents` have a row a document: the words of all its mentions, of whatever kind, and all its
    content words. Word `w` of a bag is `vocabulary[w]`; `weights[w]` is what it tells about a document.
    """

    ids: tuple[str, ...]
    documents: tuple[str, ...]
    document: Indices
    sentence: Indices
    head: Indices
    heads: Heads
    fields: Mapping[str, Bags]
    related: Bags
    contents: Bags
    weights: Floats
    vocabulary: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def read(self, which: Booleans | None = None) -> Background:
        """Return how many documents there are, or how many of `which`, and in how many of them each word is."""
        document = np.repeat(np.arange(len(self.documents)), np.diff(self.contents.starts))
        kept = slice(None) if which is None else which[document]
        counts = np.bincount(self.contents.words[kept], minlength=len(self.vocabulary)).tolist()
        words = {word: count for word, count in zip(self.vocabulary, counts, strict=True) if count}
        return Background(len(self.documents) if which is None else int(which.sum()), words)

    def against(self, background: Background) -> MentionTable:
        """Return the table with words weighed by what was read before, too."""
        return replace(self, weights=(background + self.read()).weights(self.vocabulary))


Annotated = tuple[Document, Annotation]


def compile_mentions(annotated: Iterable[Annotated], *, lexicon: Lexicon, vectors: Vectors) -> MentionTable:
    """Turn the event mentions of annotated documents into arrays; heads that are missing are found."""
    # Read while they come: others may be parsed in the meantime.
    readings = (_Reading(with_heads(document, annotation), annotation) for document, annotation in annotated)
    read = sorted(readings, key=lambda reading: reading.document.id)
    documents = tuple(reading.document.id for reading in read)
    if len(set(documents)) < len(documents):
        twice = next(a for a, b in pairwise(documents) if a == b)
        raise CorpusError(f"two documents have the id {twice!r}", expected="unique document ids")
    found = [(number, reading, m) for number, reading in enumerate(read) for m in reading.events]
    heads, head = _heads([reading.head(m) for _, reading, m in found], lexicon, vectors)
    rows = [row for reading in read for row in reading.rows]
    related, contents = [reading.related for reading in read], [reading.contents for reading in read]
    vocabulary = _numbers(chain(related, contents, *(row.values() for row in rows)))
    table = MentionTable(
        ids=tuple(m.id for *_, m in found),
        documents=documents,
        document=np.array([number for number, *_ in found], np.int32),
        sentence=_sentences([(number, reading.sentence(m)) for number, reading, m in found]),
        head=head,
        heads=heads,
        fields={name: Bags.pack((row[name] for row in rows), vocabulary) for name in (*FIELDS, SENTENCE)},
        related=Bags.pack(related, vocabulary),
        contents=Bags.pack(contents, vocabulary),
        weights=np.zeros(len(vocabulary)),
        vocabulary=tuple(vocabulary),
    )
    return table.against(NOTHING_READ)


class _Reading:
    """One document while it is compiled."""

    def __init__(self, document: Document, annotation: Annotation) -> None:
        self.document = document
        self._annotation = annotation
        self._lemmas = [lemma.lower() for lemma in annotation.lemmas]
        self._is_word = [pos not in _NO_WORDS for pos in annotation.pos]
        self._is_content = [pos in _CONTENT for pos in annotation.pos]
        self._by_id = {m.id: m for m in document.mentions}
        self._contents = {m.id: self._content(m.tokens) for m in document.mentions}
        self.events = [m for m in document.mentions if m.kind == "action"]
        self.rows = [self._fields(m) for m in self.events]
        """The words of every field of each event."""
        self.related = [word for words in self._contents.values() for word in words]
        """The content words of all mentions."""
        prose = (range(s.start, s.end) for s in document.sentences if not s.is_url)
        self.contents = [word for tokens in prose for word in self._content(tokens)]
        """The content words of all prose."""

    def head(self, mention: Mention) -> tuple[str, str, str]:
        """Return word, lemma and tag of a mention's head."""
        token = mention.start if mention.head is None else mention.head  # never None: see compile_mentions
        return self.document.tokens[token].text.lower(), self._lemmas[token], self._annotation.tags[token]

    def sentence(self, mention: Mention) -> int:
        """Return the number of the sentence that a mention begins in."""
        return self.document.sentence_of(mention.start)

    def _fields(self, mention: Mention) -> dict[str, list[str]]:
        own = [self._lemmas[token] for token in mention.tokens if self._is_word[token]]
        found = {"words": own, "context": self._context(mention), SENTENCE: self._around(mention)}
        arguments = [(a.mention, self._by_id[a.mention].kind, a.role) for a in mention.arguments]
        for name, kind in KINDS.items():
            found[name] = self._words(id for id, its, _ in arguments if its == kind)
        for name, role in ROLES.items():
            found[name] = self._words(id for id, _, its in arguments if its == role)
        return found

    def _words(self, mentions: Iterable[str]) -> list[str]:
        return [word for id in dict.fromkeys(mentions) for word in self._contents[id]]

    def _content(self, tokens: Iterable[int]) -> list[str]:
        return [self._lemmas[token] for token in tokens if self._is_content[token]]

    def _context(self, mention: Mention) -> list[str]:
        sentence = self.document.sentences[self.sentence(mention)]
        before = filter(self._is_word.__getitem__, range(mention.start - 1, sentence.start - 1, -1))
        after = filter(self._is_word.__getitem__, range(mention.end, sentence.end))
        return [self._lemmas[token] for side in (before, after) for token in islice(side, CONTEXT)]

    def _around(self, mention: Mention) -> list[str]:
        sentence, own = self.document.sentences[self.sentence(mention)], set(mention.tokens)
        return self._content(token for token in range(sentence.start, sentence.end) if token not in own)


def _sentences(places: Sequence[tuple[int, int]]) -> Indices:
    """Number the sentences of all documents."""
    number = {place: i for i, place in enumerate(sorted(set(places)))}
    return np.array([number[place] for place in places], np.int32)


def _heads(
    found: Sequence[tuple[str, str, str]], lexicon: Lexicon, vectors: Vectors
) -> tuple[Heads, Indices]:
    """Return the different heads, sorted, and the number of each head that was found."""
    kinds = sorted(set(found))
    number = {kind: i for i, kind in enumerate(kinds)}
    words, lemmas, tags = (_numbers([[kind[part] for kind in kinds]]) for part in range(3))
    stems = _numbers([map(stem, lemmas)])
    synonyms = [_synonyms(lemma, tag, lexicon) for _, lemma, tag in kinds]
    heads = Heads(
        word=np.array([words[word] for word, _, _ in kinds], np.int32),
        lemma=np.array([lemmas[lemma] for _, lemma, _ in kinds], np.int32),
        stem=np.array([stems[stem(lemma)] for _, lemma, _ in kinds], np.int32),
        tag=np.array([tags[tag] for *_, tag in kinds], np.int32),
        words=tuple(words),
        lemmas=tuple(lemmas),
        tags=tuple(tags),
        vectors=_unit(vectors.matrix(list(words))),
        synonyms=Bags.pack(synonyms, _numbers(synonyms)),
    )
    return heads, np.array([number[kind] for kind in found], np.int32)


def _synonyms(lemma: str, tag: str, lexicon: Lexicon) -> set[str]:
    pos = pos_of_tag(tag)
    return {normal(lemma), *(lexicon.synonyms(lemma, pos) if pos else ())}


def _numbers(bags: Iterable[Iterable[str]]) -> dict[str, int]:
    """Number the different words of some bags in alphabetical order."""
    return {word: i for i, word in enumerate(sorted(set().union(*bags)))}


def _unit(rows: Matrix) -> Matrix:
    lengths: NDArray[np.float64] = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    unit: Matrix = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit
