"""The mention table: everything that pair features read, compiled once per corpus.

Rows are the event mentions of the corpus: documents sorted by id, mentions in reading order. So the order of the input
never matters, and of two rows of one document the smaller comes first in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import wraps
from itertools import chain, islice, pairwise
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document, Mention
from samevent.errors import CorpusError, UsageError
from samevent.grounding.compatibility import Referents, Who, compile_referents
from samevent.grounding.named_entities import NamedEntities, named_entities
from samevent.language.annotation import Annotation
from samevent.language.dates import document_date
from samevent.language.heads import with_heads
from samevent.language.lexicon import Lexicon, pos_of_tag
from samevent.language.vectors import Matrix, Vectors, WordVectors
from samevent.language.wordnet import normal
from samevent.similarity.bags import NO_BACKGROUND, Background, Bags, Booleans, Floats, Indices
from samevent.similarity.knowledge import Knowledge, gather_knowledge
from samevent.similarity.stemming import stem

Computed = TypeVar("Computed")

CONTEXT = 3
"""Number of context words on each side of a mention."""

KINDS = {"participants": "participant", "times": "time", "locations": "location"}
ROLES = {"arg0": "ARG0", "arg1": "ARG1", "arg2": "ARG2"}
ARGUMENTS = (*KINDS, *ROLES)
"""Fields that may be empty."""
FIELDS = ("words", "context", *ARGUMENTS)
"""The bags of lemmas that the paper compares."""
SENTENCE = "sentence"
"""One more bag: the content words of the sentence around a mention."""
ARGUMENT_NAMES = "argument_names"
"""And another: proper nouns and numbers among the arguments."""

ENTITIES: Mapping[str, frozenset[str]] = {
    "people": frozenset(("PERSON",)),
    "places": frozenset(("GPE", "LOC", "FAC")),
    "organizations": frozenset(("ORG", "NORP")),
    "dates": frozenset(("DATE", "TIME")),
    "numbers": frozenset(("CARDINAL", "MONEY", "ORDINAL", "PERCENT", "QUANTITY")),
}
"""Named entities by kind, with the types of the parser that count as one; bags of their words have these names."""
NAMES = "names"
"""One more bag: proper nouns and numbers."""
LEAD = "lead"
"""A bag of each document: the content words of its lead."""
LEAD_NAMES = "lead_names"
SENTENCE_BAGS = (*ENTITIES, NAMES)
"""Bags of the sentence around a mention."""
DOCUMENT_BAGS = (*ENTITIES, LEAD, LEAD_NAMES)
"""Bags of a document."""
CONTEXTUAL = ("last", "middle", "unit")
"""The contextual vectors of a mention: its last layer, the mean of its layers, the mean of the text around it."""
LARGE_CONTEXTUAL = tuple(f"{kind}_{name}" for kind in ("large", "frozen") for name in CONTEXTUAL)
"""The same of the large encoder: tuned, and as it was."""

_LEAD_WORDS = 3
"""The lead is the first sentence with so many content words: not a date line, nor an address."""
_NAME_POS = frozenset(("NUM", "PROPN"))
_NO_WORDS = frozenset(("PUNCT", "SPACE"))
_CONTENT = frozenset(("ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB"))
"""Parts of speech compared in arguments and documents: *the* and *of* would make all documents similar."""


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """The distinct heads of a corpus: word, lemma and tag. Many mentions share one.

    Row `word[h]` of `vectors` is the vector of head `h`: of unit length, or zero for an unknown word. Row `h` of
    `synonyms` holds its lemma and its WordNet synonyms. `kind` numbers what sort of event WordNet counts it among, such
    as `communication` or `motion`, and is -1 for unknown words.
    """

    word: Indices
    lemma: Indices
    stem: Indices
    tag: Indices
    kind: Indices
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    kinds: tuple[str, ...]
    vectors: Matrix
    synonyms: Bags

    def __len__(self) -> int:
        return len(self.word)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class MentionTable:
    """The event mentions of a corpus, one row each: id, document, sentence and head by number, bags of words by field.

    `related` and `contents` have one row per document: the words of its mentions of every kind, and all of its
    content words. Word `w` of a bag is `vocabulary[w]`, with inverse document frequency `weights[w]`.

    `sentences` has bags of the sentence around each mention by name (`SENTENCE_BAGS`), `about_documents` bags of each
    document (`DOCUMENT_BAGS`), and `day` its date as a number (NaN if unknown). `position` is the number of a mention's
    sentence in its document. `knowledge` is what only the preset `paper-code` compares. `referents` is what mentions
    refer to: when, where, how many and who. `entities` are the named entities of the documents. `contextual` has
    vectors of unit length (`CONTEXTUAL`, `LARGE_CONTEXTUAL`), one row per mention, if there is an encoder.
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
    sentences: Mapping[str, Bags]
    about_documents: Mapping[str, Bags]
    day: Floats
    position: Indices
    knowledge: Knowledge
    referents: Referents
    entities: NamedEntities
    contextual: Mapping[str, Matrix] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def document_frequencies(self, which: Booleans | None = None) -> Background:
        """Count the documents, or those in the mask `which`, that contain each word."""
        document = np.repeat(np.arange(len(self.documents)), np.diff(self.contents.starts))
        kept = slice(None) if which is None else which[document]
        counts = np.bincount(self.contents.words[kept], minlength=len(self.vocabulary)).tolist()
        words = {word: count for word, count in zip(self.vocabulary, counts, strict=True) if count}
        return Background(len(self.documents) if which is None else int(which.sum()), words)

    def with_background(self, background: Background) -> MentionTable:
        """Return the table with words weighted by their frequencies here and in the background."""
        frequencies = background + self.document_frequencies()
        return replace(self, weights=frequencies.weights(self.vocabulary))

    def with_contextual(self, vectors: Mapping[str, Vectors]) -> MentionTable:
        """Return the table with contextual vectors, one row per mention, scaled to unit length."""
        for name, rows in vectors.items():
            known = (*CONTEXTUAL, *LARGE_CONTEXTUAL)
            if name not in known or len(rows) != len(self):
                raise UsageError(
                    f"there are {len(rows)} contextual vectors {name!r} for {len(self)} mentions",
                    expected=f"one per mention, of {', '.join(known)}",
                )
        return replace(self, contextual={name: _unit(rows) for name, rows in vectors.items()})

    def with_contextual_rows(self, rows: Indices, vectors: Mapping[str, Vectors]) -> MentionTable:
        """Return the table with further contextual vectors of some mentions; those of others are kept, or NaN."""
        contextual = dict(self.contextual)
        for name, part in vectors.items():
            known = contextual.get(name)
            whole = np.full((len(self), part.shape[1]), np.nan, np.float32) if known is None else known.copy()
            whole[rows] = _unit(part)
            contextual[name] = whole
        return replace(self, contextual=contextual)


def once_per_table(function: Callable[[MentionTable], Computed]) -> Callable[[MentionTable], Computed]:
    """Keep what a function of a table returns as long as the table lives: it is asked for with every block of pairs."""
    known: WeakKeyDictionary[MentionTable, Computed] = WeakKeyDictionary()

    @wraps(function)
    def compute(table: MentionTable) -> Computed:
        if table not in known:
            known[table] = function(table)
        return known[table]

    return compute


Annotated = tuple[Document, Annotation]


def compile_mentions(
    annotated: Iterable[Annotated], *, lexicon: Lexicon, vectors: WordVectors
) -> MentionTable:
    """Compile the event mentions of annotated documents into arrays, finding heads where they are missing."""
    # A generator, so that later documents can be parsed in the meantime.
    compiled = (
        _CompiledDocument(with_heads(document, annotation), annotation) for document, annotation in annotated
    )
    parts = sorted(compiled, key=lambda part: part.document.id)
    documents = tuple(part.document.id for part in parts)
    if len(set(documents)) < len(documents):
        duplicate = next(a for a, b in pairwise(documents) if a == b)
        raise CorpusError(f"two documents have the id {duplicate!r}", expected="unique document ids")
    events = [(number, part, m) for number, part in enumerate(parts) for m in part.events]
    heads, head = compile_heads([part.head(m) for _, part, m in events], lexicon, vectors)
    rows = [row for part in parts for row in part.rows]
    related, contents = [part.related for part in parts], [part.contents for part in parts]
    vocabulary = _numbers(chain(related, contents, *(row.values() for row in rows)))
    document = np.array([number for number, *_ in events], np.int32)
    fields = {
        name: Bags.pack((row[name] for row in rows), vocabulary)
        for name in (*FIELDS, SENTENCE, ARGUMENT_NAMES)
    }
    around = [part.sentence_bags(m) for _, part, m in events]
    about = [part.document_bags() for part in parts]
    table = MentionTable(
        ids=tuple(m.id for *_, m in events),
        documents=documents,
        document=document,
        sentence=_sentences([(number, part.sentence(m)) for number, part, m in events]),
        head=head,
        heads=heads,
        fields=fields,
        related=Bags.pack(related, vocabulary),
        contents=Bags.pack(contents, vocabulary),
        weights=np.zeros(len(vocabulary)),
        vocabulary=tuple(vocabulary),
        sentences={name: Bags.pack((bags[name] for bags in around), vocabulary) for name in SENTENCE_BAGS},
        about_documents={
            name: Bags.pack((bags[name] for bags in about), vocabulary) for name in DOCUMENT_BAGS
        },
        day=np.array([part.day for part in parts], np.float64),
        position=np.array([part.sentence(m) for _, part, m in events], np.int32),
        knowledge=gather_knowledge(
            [(heads.lemmas[word], heads.tags[tag]) for word, tag in zip(heads.lemma, heads.tag, strict=True)],
            heads.lemmas,
            heads.lemma[head],
            document,
            fields["words"],
            tuple(vocabulary),
            lexicon=lexicon,
            vectors=vectors,
        ),
        referents=compile_referents((m.refers, part.who(m)) for _, part, m in events),
        entities=NamedEntities.of([part.entities for part in parts]),
    )
    return table.with_background(NO_BACKGROUND)


class _CompiledDocument:
    """The words of one document."""

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
        day = document_date(document)
        self.day = date.fromisoformat(day).toordinal() if day else np.nan
        """The date, as a number."""
        self.entities = named_entities(document, annotation)
        self._kinds = self._entity_kinds()
        self._bags: dict[int, dict[str, list[str]]] = {}

    def head(self, mention: Mention) -> tuple[str, str, str]:
        """Return word, lemma and tag of a mention's head."""
        token = mention.start if mention.head is None else mention.head  # never None: see compile_mentions
        return self.document.tokens[token].text.lower(), self._lemmas[token], self._annotation.tags[token]

    def sentence(self, mention: Mention) -> int:
        """Return the number of the sentence in which a mention begins."""
        return self.document.sentence_of(mention.start)

    def who(self, mention: Mention) -> list[Who]:
        """Return the participants of an event by role: the full and the last name of each, as far as it is known.

        A pronoun has the name of its entity; of an entity that is only described, proper nouns and numbers count.
        """
        found: list[Who] = []
        for argument in mention.arguments:
            participant = self._by_id[argument.mention]
            if participant.kind == "participant":
                entity = participant.refers and participant.refers.entity
                named = entity if entity and entity.is_named else None
                names = named.name.lower().split() if named else self._names(participant.tokens)
                role = argument.role or ""
                found += [(role, name) for name in dict.fromkeys((" ".join(names), *names[-1:])) if name]
        return found

    def sentence_bags(self, mention: Mention) -> dict[str, list[str]]:
        """Return entities, proper nouns and numbers of the sentence in which a mention begins."""
        number = self.sentence(mention)
        if number not in self._bags:
            sentence = self.document.sentences[number]
            tokens = range(sentence.start, sentence.end)
            self._bags[number] = self._entities(tokens) | {NAMES: self._names(tokens)}
        return self._bags[number]

    def document_bags(self) -> dict[str, list[str]]:
        """Return the entities of the prose, and the lead."""
        prose = [range(s.start, s.end) for s in self.document.sentences if not s.is_url]
        lead = next((t for t in prose if sum(map(self._is_content.__getitem__, t)) >= _LEAD_WORDS), range(0))
        return {
            **self._entities(chain.from_iterable(prose)),
            LEAD: self._content(lead),
            LEAD_NAMES: self._names(lead),
        }

    def _entity_kinds(self) -> dict[int, str]:
        """Return the kind of entity that each content word of an entity belongs to."""
        kind_of = {label: kind for kind, labels in ENTITIES.items() for label in labels}
        return {
            token: kind_of[label]
            for start, end, label in self._annotation.entities
            if label in kind_of
            for token in range(start, end)
            if self._is_content[token]
        }

    def _entities(self, tokens: Iterable[int]) -> dict[str, list[str]]:
        bags: dict[str, list[str]] = {kind: [] for kind in ENTITIES}
        for token in tokens:
            if token in self._kinds:
                bags[self._kinds[token]].append(self._lemmas[token])
        return bags

    def _names(self, tokens: Iterable[int]) -> list[str]:
        return [self._lemmas[token] for token in tokens if self._annotation.pos[token] in _NAME_POS]

    def _fields(self, mention: Mention) -> dict[str, list[str]]:
        own = [self._lemmas[token] for token in mention.tokens if self._is_word[token]]
        fields = {"words": own, "context": self._context(mention), SENTENCE: self._around(mention)}
        arguments = [(a.mention, self._by_id[a.mention].kind, a.role) for a in mention.arguments]
        for name, kind in KINDS.items():
            fields[name] = self._words(id for id, argument_kind, _ in arguments if argument_kind == kind)
        for name, role in ROLES.items():
            fields[name] = self._words(id for id, _, argument_role in arguments if argument_role == role)
        tokens = (
            token for id in dict.fromkeys(id for id, *_ in arguments) for token in self._by_id[id].tokens
        )
        fields[ARGUMENT_NAMES] = self._names(tokens)
        return fields

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


def compile_heads(
    occurrences: Sequence[tuple[str, str, str]], lexicon: Lexicon, vectors: WordVectors
) -> tuple[Heads, Indices]:
    """Return the distinct heads, sorted, and the number of the head of each occurrence."""
    distinct = sorted(set(occurrences))
    number = {head: i for i, head in enumerate(distinct)}
    words, lemmas, tags = (_numbers([[head[part] for head in distinct]]) for part in range(3))
    stems = _numbers([map(stem, lemmas)])
    synonyms = [_synonyms(lemma, tag, lexicon) for _, lemma, tag in distinct]
    found = [_kind(lemma, tag, lexicon) for _, lemma, tag in distinct]
    kinds = _numbers([[kind for kind in found if kind]])
    heads = Heads(
        word=np.array([words[word] for word, _, _ in distinct], np.int32),
        lemma=np.array([lemmas[lemma] for _, lemma, _ in distinct], np.int32),
        stem=np.array([stems[stem(lemma)] for _, lemma, _ in distinct], np.int32),
        tag=np.array([tags[tag] for *_, tag in distinct], np.int32),
        kind=np.array([kinds[kind] if kind else -1 for kind in found], np.int32),
        words=tuple(words),
        lemmas=tuple(lemmas),
        tags=tuple(tags),
        kinds=tuple(kinds),
        vectors=_unit(vectors.matrix(list(words))),
        synonyms=Bags.pack(synonyms, _numbers(synonyms)),
    )
    return heads, np.array([number[head] for head in occurrences], np.int32)


def _synonyms(lemma: str, tag: str, lexicon: Lexicon) -> set[str]:
    pos = pos_of_tag(tag)
    return {normal(lemma), *(lexicon.synonyms(lemma, pos) if pos else ())}


def _kind(lemma: str, tag: str, lexicon: Lexicon) -> str | None:
    """Return the sort of event of the first sense of a head, or of the verb that it derives from."""
    pos = pos_of_tag(tag)
    if pos is None:
        return None
    verb = lexicon.verb(lemma, pos)
    classes = lexicon.classes(verb, "v", senses=1) if verb else lexicon.classes(lemma, pos, senses=1)
    return classes[0].partition(".")[2] if classes else None


def _numbers(bags: Iterable[Iterable[str]]) -> dict[str, int]:
    """Number the distinct words of some bags in alphabetical order."""
    return {word: i for i, word in enumerate(sorted(set().union(*bags)))}


def _unit(rows: Vectors) -> Matrix:
    lengths: NDArray[np.float64] = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    unit: Matrix = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit
