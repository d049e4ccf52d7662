"""A document: its unchanged text, its tokens and sentences, and its mentions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from samevent.corpus.mention import Argument, EventClass, Kind, Mention, check_kind, check_mention, mention_id
from samevent.corpus.reference import Reference
from samevent.corpus.tokenize import sentence_sizes, token_spans
from samevent.errors import CorpusError, check_type

MAX_CHARACTERS = 5_000_000
"""Limit on the length of a document, whose tokens take about 60 bytes per character."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the text: `document.text[start:end] == text`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens `start` to `end` of a document.

    `is_url` marks a line that is the page's address instead of prose (ECB+ has them). `annotated` is whether
    the whole sentence was annotated, None if unknown.
    """

    start: int
    end: int
    is_url: bool = False
    annotated: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text with its annotation; every part is checked against the others on construction.

    `tokens_given` is False if the tokens come from the plain tokeniser, so that a better one may replace
    them.
    """

    id: str
    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...] = ()
    tokens_given: bool = True
    title: str | None = None
    date: str | None = None
    topic: str | None = None
    subtopic: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The start of each sentence, looked up for every mention."""

    def __post_init__(self) -> None:
        check_type(self.id, str, "a str as the id of a document")
        check_type(self.text, str, "a str as the text of a document")
        object.__setattr__(self, "_starts", tuple(sentence.start for sentence in self.sentences))
        if not self.id:
            raise CorpusError("a document has an empty id", expected="a non-empty id")
        _check_text(self)
        _check_tokens(self)
        _check_sentences(self)
        _check_mentions(self)

    @classmethod
    def from_text(cls, id: str, text: str, *, borders: Iterable[int] = (), **fields: Any) -> Document:
        """Build a document from raw text with the plain tokeniser.

        >>> [t.text for t in Document.from_text("a", "Sudan bombs Yida.").tokens]
        ['Sudan', 'bombs', 'Yida', '.']
        """
        check_type(text, str, "a str as the text of a document")
        _check_length(id, len(text))  # before memory is spent on tokens
        spans = token_spans(text, borders)
        tokens = tuple(Token(text[a:b], a, b) for a, b in spans)
        sentences = sentences_of(sentence_sizes(text, spans))
        return cls(id=id, text=text, tokens=tokens, sentences=sentences, tokens_given=False, **fields)

    @classmethod
    def from_tokens(
        cls, id: str, sentences: Sequence[Sequence[str]], *, text: str | None = None, **fields: Any
    ) -> Document:
        """Build a document from tokenised sentences; `text` defaults to the words joined by spaces.

        >>> Document.from_tokens("a", [["It", "fell", "."], ["Then", "?"]]).text
        'It fell .\\nThen ?'
        """
        for sentence in sentences:
            check_type(sentence, list | tuple, "a list of words for each sentence")
        words = [word for sentence in sentences for word in sentence]
        _check_length(id, sum(map(len, words)))
        return cls(
            id=id,
            text=joined(sentences) if text is None else text,
            tokens=spaced_words(words) if text is None else align_words(words, text),
            sentences=sentences_of([len(s) for s in sentences]),
            **fields,
        )

    def mention(
        self,
        kind: Kind,
        start: int,
        end: int,
        *,
        id: str | None = None,
        tokens: Iterable[int] = (),
        head: int | None = None,
        event: str | None = None,
        within: str | None = None,
        arguments: Iterable[Argument] = (),
        tag: str | None = None,
        event_class: EventClass | None = None,
        negated: bool = False,
        clause: str | None = None,
        probability: float | None = None,
        refers: Reference | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Mention:
        """Return a mention of this document's tokens `start` to `end` (it is not added to the document).

        `tokens` lists the mention's own tokens if it is discontinuous.
        """
        check_kind(kind)
        for place in (start, end):
            check_type(place, int, "whole numbers of tokens")
        if not 0 <= start < end <= len(self.tokens):
            raise CorpusError(
                f"a mention of document {self.id!r} spans tokens {start}-{end}",
                expected=f"0 <= start < end <= {len(self.tokens)}",
            )
        anchors = tuple(sorted(tokens))
        char_start, char_end = self.tokens[start].start, self.tokens[end - 1].end
        return Mention(
            id=id if id is not None else mention_id(self.id, start, end, kind),
            document=self.id,
            kind=kind,
            start=start,
            end=end,
            char_start=char_start,
            char_end=char_end,
            text=self.text[char_start:char_end],
            anchors=anchors if anchors and anchors != tuple(range(start, end)) else (),
            head=head,
            event=event,
            within=within,
            arguments=tuple(arguments),
            tag=tag,
            event_class=event_class,
            negated=negated,
            clause=clause,
            probability=probability,
            refers=refers,
            extra=extra or {},
        )

    def with_mentions(self, mentions: Iterable[Mention]) -> Document:
        """Return this document with exactly these mentions, in reading order."""
        mentions = tuple(mentions)
        for mention in mentions:
            check_type(mention, Mention, "a mention (`document.mention` makes one)")
        changed = copy(self)  # tokens, sentences and own mentions have been checked
        object.__setattr__(changed, "mentions", tuple(sorted(mentions, key=reading_order)))
        _check_mentions(changed, checked=set(map(id, self.mentions)))
        return changed

    def with_references(self, references: Mapping[str, Reference]) -> Document:
        """Return this document with other references of some mentions, by id; the rest stays as it is."""
        changed = copy(self)  # nothing else changes, so there is nothing to check
        mentions = (replace(m, refers=references[m.id]) if m.id in references else m for m in self.mentions)
        object.__setattr__(changed, "mentions", tuple(mentions))
        return changed

    def token_span(self, char_start: int, char_end: int) -> tuple[int, int]:
        """Return the span of the tokens that cover exactly these characters, ignoring surrounding white space."""
        if not 0 <= char_start < char_end <= len(self.text):
            raise CorpusError(
                f"a mention of document {self.id!r} spans characters {char_start}-{char_end}",
                expected=f"0 <= char_start < char_end <= {len(self.text)}",
            )
        start = bisect_right(self.tokens, char_start, key=lambda t: t.end)
        end = bisect_left(self.tokens, char_end, key=lambda t: t.start)
        if start < end:
            before = self.text[char_start : max(char_start, self.tokens[start].start)]
            after = self.text[min(char_end, self.tokens[end - 1].end) : char_end]
            whole = self.tokens[start].start >= char_start and self.tokens[end - 1].end <= char_end
            if whole and not before.strip() and not after.strip():
                return start, end
        raise CorpusError(
            f"characters {char_start}-{char_end} of document {self.id!r}, "
            f"{shortened(self.text[char_start:char_end])!r}, are not whole tokens",
            expected="a mention that starts and ends at token boundaries",
        )

    def sentence_of(self, token: int) -> int:
        """Return the index of the sentence that contains a token."""
        return bisect_right(self._starts, token) - 1

    def words(self, sentence: Sentence) -> list[str]:
        """Return the words of one of this document's sentences."""
        return [t.text for t in self.tokens[sentence.start : sentence.end]]


def reading_order(mention: Mention) -> tuple[int, int, str, str]:
    """Return the sort key for reading order."""
    return mention.start, mention.end, mention.kind, mention.id


def joined(sentences: Iterable[Sequence[str]]) -> str:
    """Return the text of tokenised sentences: words joined by spaces, non-empty sentences by line ends."""
    return "\n".join(" ".join(words) for words in sentences if words)


def sentences_of(sizes: Iterable[int]) -> tuple[Sentence, ...]:
    """Return consecutive sentences from their token counts."""
    sentences, start = [], 0
    for size in sizes:
        sentences.append(Sentence(start, start + size))
        start += size
    return tuple(sentences)


def spaced_words(words: Iterable[str]) -> tuple[Token, ...]:
    """Return words as tokens separated by one character, as in the text of `joined`."""
    tokens, start = [], 0
    for i, word in enumerate(words):
        if not word:
            raise CorpusError(f"token {i} is ''", expected="non-empty words")
        tokens.append(Token(word, start, start + len(word)))
        start += len(word) + 1
    return tuple(tokens)


def align_words(words: Iterable[str], text: str) -> tuple[Token, ...]:
    """Return words as tokens of a text that has only white space between them."""
    tokens, at = [], 0
    for i, word in enumerate(words):
        start = at
        while not text.startswith(word, start) and start < len(text) and text[start].isspace():
            start += 1
        if not word or not text.startswith(word, start):
            raise CorpusError(
                f"token {i} is {shortened(word)!r} but the text continues with {shortened(text[start:])!r}",
                expected="tokens that spell the text in order, none empty",
            )
        at = start + len(word)
        tokens.append(Token(word, start, at))
    if text[at:].strip():
        raise CorpusError(
            f"after the last token the text continues with {shortened(text[at:].strip())!r}",
            expected="tokens that spell the whole text",
        )
    return tuple(tokens)


def shortened(text: str, width: int = 40) -> str:
    """Return text cut to fit into a message."""
    return text if len(text) <= width else text[: width - 1] + "…"


def _check_length(id: str, characters: int) -> None:
    if characters > MAX_CHARACTERS:
        raise CorpusError(
            f"document {id!r} has {characters:,} characters",
            expected=f"at most {MAX_CHARACTERS:,}, the length of several novels",
            hint="split it into documents, such as one per article",
        )


def _check_text(document: Document) -> None:
    try:
        document.text.encode()
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"character {error.start} of document {document.id!r} is half a surrogate pair, which no file can contain",
            expected="whole characters",
        ) from error


def _check_tokens(document: Document) -> None:
    text, end = document.text, 0
    for i, token in enumerate(document.tokens):
        if token.start < end or token.end <= token.start or text[token.start : token.end] != token.text:
            raise CorpusError(
                f"token {i} of document {document.id!r}, {shortened(token.text)!r} at {token.start}-{token.end}, "
                f"does not match the text",
                expected="tokens in order that spell the text",
            )
        end = token.end


def _check_sentences(document: Document) -> None:
    edges = [0, *(edge for s in document.sentences for edge in (s.start, s.end)), len(document.tokens)]
    meets = all(a == b for a, b in zip(edges[::2], edges[1::2], strict=True))
    if not meets or any(a > b for a, b in pairwise(edges)):
        raise CorpusError(
            f"the sentences of document {document.id!r} do not cover its {len(document.tokens)} tokens",
            expected="consecutive sentences without gaps",
        )


def _check_mentions(document: Document, checked: Collection[int] = ()) -> None:
    """Raise if mentions do not fit the document; those `checked`, by identity, are known to."""
    seen: set[str] = set()
    for m in document.mentions:
        if m.id in seen:
            raise CorpusError(
                f"two mentions of document {document.id!r} have the id {m.id!r}",
                expected="unique mention ids",
            )
        seen.add(m.id)
        if id(m) not in checked:
            _check_mention(document, m)
    for m in document.mentions:
        for argument in m.arguments:
            if argument.mention not in seen:
                raise CorpusError(
                    f"mention {m.id!r} has the argument {argument.mention!r}",
                    expected=f"the id of a mention of document {document.id!r}",
                )


def _check_mention(document: Document, m: Mention) -> None:
    check_mention(m)
    if m.document != document.id:
        raise CorpusError(
            f"mention {m.id!r} belongs to document {m.document!r}",
            expected=f"a mention of {document.id!r}",
        )
    if not 0 <= m.start < m.end <= len(document.tokens):
        raise CorpusError(
            f"mention {m.id!r} spans tokens {m.start}-{m.end}",
            expected=f"0 <= start < end <= {len(document.tokens)}",
        )
    chars = document.tokens[m.start].start, document.tokens[m.end - 1].end
    if (m.char_start, m.char_end) != chars or document.text[slice(*chars)] != m.text:
        raise CorpusError(
            f"mention {m.id!r} has the text {shortened(m.text)!r} at characters {m.char_start}-{m.char_end}",
            expected=f"{shortened(document.text[slice(*chars)])!r} at {chars[0]}-{chars[1]}, as its tokens are",
        )
