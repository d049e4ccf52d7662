"""Entity mentions as arrays: everything that pairs of them are compared by, compiled once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from samevent.corpus import Document
from samevent.grounding.entity_mentions import EntityMention
from samevent.language.annotation import Annotation
from samevent.language.vectors import Matrix, WordVectors

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]

FORMS = ("name", "nominal", "pronoun")
_NUMBERS, _GENDERS = ("", "one", "many"), ("", "male", "female", "neuter")
_CONTENT = frozenset("ADJ NOUN NUM PROPN VERB".split())


@dataclass(frozen=True, slots=True, eq=False)
class EntityDocument:
    """The entity mentions of one document in reading order, and the content words of each of its sentences."""

    id: str
    mentions: Sequence[EntityMention]
    sentences: Sequence[Sequence[str]] = ()

    @classmethod
    def of(
        cls, document: Document, annotation: Annotation, mentions: Sequence[EntityMention]
    ) -> EntityDocument:
        """Collect what comparisons across documents need."""
        lemmas, pos = annotation.lemmas, annotation.pos
        return cls(
            document.id,
            mentions,
            tuple(
                tuple(lemmas[at].lower() for at in range(s.start, s.end) if pos[at] in _CONTENT)
                for s in document.sentences
            ),
        )


@dataclass(frozen=True, eq=False)
class EntityTable:
    """One row per mention: documents in their order, mentions as they are read.

    Values that are compared for equality (`codes`) are numbers, the same for the same value; negative ones are unknown
    and equal nothing. `words` and `names` mark the words of mentions and of their names, one column per word of the
    table; `rarity` grows with how rare a word is in English. `meaning` is the direction of a mention's words together,
    `head_meaning` that of its head. If there are several documents, `document_similarity` compares them, and `contexts`
    are the sentences around mentions.
    """

    mentions: Sequence[EntityMention]
    document: Integers
    codes: dict[str, Integers]
    flags: dict[str, Booleans]
    words: sparse.csr_array
    names: sparse.csr_array
    rarity: Floats
    meaning: Matrix
    head_meaning: Matrix
    document_similarity: Floats = field(default_factory=lambda: np.ones((1, 1)))
    contexts: sparse.csr_array | None = None

    def __len__(self) -> int:
        return len(self.mentions)


def compile_entities(documents: Sequence[EntityDocument], vectors: WordVectors) -> EntityTable:
    """Compile the entity mentions of documents; what only counts across documents is left out if there is one."""
    mentions = [mention for document in documents for mention in document.mentions]
    document = np.repeat(np.arange(len(documents)), [len(each.mentions) for each in documents])
    bags, names, lemmas = (
        [m.words for m in mentions],
        [m.name for m in mentions],
        [m.lemma for m in mentions],
    )
    known = sorted({*lemmas, *chain.from_iterable(bags), *chain.from_iterable(names)})
    at = {word: number for number, word in enumerate(known)}
    rarity = np.log(10 + np.array([vectors.rank(word) for word in known], np.float64))
    rows = vectors.matrix(known) * rarity[:, None].astype(np.float32)
    numbers = [sorted({at[word] for word in bag}) for bag in bags]
    words = _marked(numbers, len(known))
    table = EntityTable(
        mentions=mentions,
        document=document,
        codes={
            "form": np.array([FORMS.index(m.form) for m in mentions], np.int64),
            "start": np.array([m.start for m in mentions], np.int64),
            "end": np.array([m.end for m in mentions], np.int64),
            "sentence": np.array([m.sentence for m in mentions], np.int64),
            "length": np.array([len(bag) for bag in numbers], np.int64),
            "number": np.array([_NUMBERS.index(m.number) - 1 for m in mentions], np.int64),
            "gender": np.array([_GENDERS.index(m.gender) - 1 for m in mentions], np.int64),
            "lemma": _codes(lemmas),
            "verb": _codes([m.verb for m in mentions]),
            "role": _codes([m.role for m in mentions]),
            "label": _codes([m.label for m in mentions]),
            "person": _codes([m.person for m in mentions]),
            "animacy": _codes([m.animacy for m in mentions]),
            "text": _codes([m.text.lower() for m in mentions]),
            "words": _codes(bags),
            "name": _codes(names),
            "first": _codes([name[0] if name else "" for name in names]),
            "last": _codes([name[-1] if name else "" for name in names]),
            "capitals": _codes([m.capitals if len(m.capitals) > 1 else "" for m in mentions]),
        },
        flags={
            "acronym": np.array([len(m.name) == 1 and bool(m.capitals) for m in mentions], np.bool_),
            "subject": np.array([m.role == "subject" for m in mentions], np.bool_),
            "definite": np.array([m.definite for m in mentions], np.bool_),
        },
        words=words,
        names=_marked([sorted({at[word] for word in name}) for name in names], len(known)),
        rarity=rarity,
        meaning=_unit(words @ rows),
        head_meaning=_unit(rows[[at[lemma] for lemma in lemmas]]),
    )
    return table if len(documents) < 2 else _with_contexts(table, documents)


def _with_contexts(table: EntityTable, documents: Sequence[EntityDocument]) -> EntityTable:
    """Add how similar documents are, and the sentences around mentions."""
    whole = [[word for sentence in document.sentences for word in sentence] for document in documents]
    by_document = _weighted(whole)
    around = [document.sentences[m.sentence] for document in documents for m in document.mentions]
    similarity = (by_document @ by_document.T).toarray()
    return replace(table, document_similarity=similarity, contexts=_weighted(around))


def _codes(values: Iterable[Hashable]) -> Integers:
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(value, len(seen)) if value else -1 for value in values], np.int64)


def _marked(bags: Sequence[Sequence[int]], columns: int) -> sparse.csr_array:
    """Return a matrix with one row per bag that marks its numbers."""
    starts = np.concatenate([[0], np.cumsum([len(bag) for bag in bags])]).astype(np.int64)
    numbers = np.array([number for bag in bags for number in bag], np.int64)
    return sparse.csr_array((np.ones(len(numbers), np.float32), numbers, starts), shape=(len(bags), columns))


def _unit(rows: Matrix) -> Matrix:
    """Return rows of unit length, or zero."""
    unit: Matrix = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit


def _weighted(bags: Sequence[Sequence[str]]) -> sparse.csr_array:
    """Return bags of words as unit vectors, weighted by how rare a word is among them."""
    vocabulary: dict[str, int] = {}
    counts = [Counter(vocabulary.setdefault(word, len(vocabulary)) for word in bag) for bag in bags]
    entries = [(row, word, 1 + np.log(n)) for row, words in enumerate(counts) for word, n in words.items()]
    rows, words, values = np.array(entries, np.float64).reshape(-1, 3).T
    columns = words.astype(np.int64)
    frequency = np.bincount(columns, minlength=len(vocabulary))
    values = values * (np.log((1 + len(bags)) / (1 + frequency)) + 0.1)[columns]
    matrix = sparse.csr_array(
        (values, (rows.astype(np.int64), columns)), shape=(len(bags), max(1, len(vocabulary)))
    )
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(1 / np.maximum(lengths, 1e-9)) @ matrix)
