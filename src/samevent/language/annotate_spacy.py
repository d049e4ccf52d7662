"""The spaCy parser; this module alone imports spaCy. It takes a document and returns plain values.

Given tokens and sentences are kept: the parse depends on the words and the sentence boundaries alone. A token that
spaCy would split (*Sudan's*) is split for the parse, and its main word represents it. In raw text spaCy finds tokens
and sentences, with three additions: a blank line and the end of a headline end a sentence; no sentence ends inside a
given mention; a token that crosses the boundary of a given mention is split there. White space is a token only where it
was given as one; otherwise the parser never sees it, so other line breaks change nothing.

Each document is a batch of its own, because the last bits of a neural network's output may depend on the rest of the
batch. For documents as long as a news article, larger batches are no faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from samevent.corpus import Document
from samevent.corpus.headlines import line_sentences
from samevent.corpus.tokenize import cut
from samevent.errors import UsageError
from samevent.language.annotation import Annotation
from samevent.language.retokenize import Layout, mention_pieces

LONGEST = 20_000
"""Maximum number of tokens parsed at once, as spaCy's memory grows with them; longer texts are parsed in parts."""

Edges = tuple[int, int]
_STOPS = frozenset(".!?")
_SILENT = frozenset(("PUNCT", "PART", "SPACE", "SYM"))


def parse(document: Document, model: str, *, entities: bool) -> tuple[Layout | None, Annotation]:
    """Return a document's annotation and, unless its tokens are given, its tokens and sentences."""
    nlp = _loaded(model, entities)
    # The words of a document are freed after it; otherwise spaCy's memory would grow with the text.
    with nlp.memory_zone():
        if document.tokens_given:
            given, counts = _given(document, nlp)
            doc = _parsed(given, nlp)
            keep = _speakers(doc, counts)
            return None, _annotation(doc, keep, [s.end - s.start for s in document.sentences])
        found, tokens = _tokenised(document, nlp)
        doc = _parsed(found, nlp)
        sizes = tuple(len(sentence) for sentence in doc.sents)
        return Layout(tokens, sizes), _annotation(doc, [True] * len(doc), sizes)


@lru_cache(maxsize=2)
def _loaded(model: str, entities: bool) -> Language:
    try:
        nlp = spacy.load(model, exclude=[] if entities else ["ner"])
    except (AttributeError, ImportError, OSError, TypeError, ValueError) as error:
        raise UsageError(f"the package {model!r} cannot be loaded as a spaCy model ({error})") from error
    needed = ["tagger", "parser", "lemmatizer", *(["ner"] if entities else [])]
    missing = [name for name in needed if name not in nlp.pipe_names]
    if missing:
        raise UsageError(
            f"the spaCy model {model!r} has no {' and no '.join(missing)}",
            expected=f"a pipeline with {', '.join(needed)}",
        )
    return nlp


def _given(document: Document, nlp: Language) -> tuple[Doc, list[int]]:
    """Return given tokens as words for the parser, and the number of words per token.

    The parser was trained on *Sudan 's* and *do n't*, not *Sudan's* and *don't*: a token is split as spaCy splits it.
    """
    words: list[str] = []
    starts: list[bool | int | None] = []
    counts: list[int] = []
    first = {sentence.start for sentence in document.sentences if sentence.start < sentence.end}
    for i, token in enumerate(document.tokens):
        pieces = [piece.text for piece in nlp.tokenizer(token.text)]
        if "".join(pieces) != token.text or any(piece.isspace() for piece in pieces):
            pieces = [token.text]
        words += pieces
        starts += [i in first, *[False] * (len(pieces) - 1)]
        counts.append(len(pieces))
    return Doc(nlp.vocab, words=words, sent_starts=starts), counts


def _speakers(doc: Doc, counts: Sequence[int]) -> list[bool]:
    """Mark the word that represents each given token: the highest in the tree; punctuation and clitics come last."""
    keep = [False] * len(doc)
    start = 0
    for count in counts:
        words = doc[start : start + count]
        speaker = (
            start if count == 1 else min(words, key=lambda w: (w.pos_ in _SILENT, w.head in words, w.i)).i
        )
        keep[speaker] = True
        start += count
    return keep


def _tokenised(document: Document, nlp: Language) -> tuple[Doc, tuple[Edges, ...]]:
    """Return a text as words for the parser, and their character spans."""
    text, mentions = document.text, mention_pieces(document)
    found = {_edges(token): token.norm_ for token in nlp.tokenizer(text) if not token.is_space}
    borders = chain.from_iterable(piece for mention in mentions for piece in mention)
    spans = tuple(cut(found, borders))
    gaps = [text[end:after] for (_, end), (after, _) in pairwise([*spans, (len(text), len(text))])]
    doc = Doc(nlp.vocab, words=[text[start:end] for start, end in spans], spaces=[bool(gap) for gap in gaps])
    for token, span in zip(doc, spans, strict=True):
        token.norm_ = found.get(span, token.norm_)
    begins = line_sentences(text)
    for token, gap, (start, _) in zip(doc[1:], gaps, spans[1:], strict=False):
        if gap.count("\n") > 1 or gap.count("\r") > 1 or start in begins:
            token.is_sent_start = True
    number = {start: i for i, (start, _) in enumerate(spans)}
    for mention in mentions:
        inner = number[mention[0][0]] + 1
        while inner < len(doc) and spans[inner][0] < mention[-1][1]:
            doc[inner].is_sent_start = False
            inner += 1
    return doc, spans


def _parsed(doc: Doc, nlp: Language) -> Doc:
    parts = [nlp(part) for part in _parts(doc)]
    return parts[0] if len(parts) == 1 else Doc.from_docs(parts, ensure_whitespace=False)


def _parts(doc: Doc) -> Iterator[Doc]:
    """Split a text that is too long to be parsed at once: where a sentence must start, or may, or else anywhere."""
    start = 0
    while len(doc) - start > LONGEST:
        ahead = doc[start + 1 : start + LONGEST + 1]
        must = [token.i for token in ahead if token.is_sent_start]
        may = [t.i for t in ahead if t.is_sent_start is None and doc[t.i - 1].text in _STOPS]
        end = (must or may or [start + LONGEST])[-1]
        yield _copied(doc[start:end])
        start = end
    yield _copied(doc[start:]) if start else doc


def _copied(span: Span) -> Doc:
    return Doc(
        span.doc.vocab,
        words=[token.text for token in span],
        spaces=[bool(token.whitespace_) for token in span],
        sent_starts=[token.is_sent_start for token in span],
    )


def _annotation(doc: Doc, keep: Sequence[bool], sizes: Sequence[int]) -> Annotation:
    """Return the annotation of the tokens to keep, with one tree per sentence."""
    number = [0, *accumulate(map(int, keep))]
    kept = [token for token in doc if keep[token.i]]
    heads = [number[_kept_head(token, keep)] for token in kept]
    labels = [token.dep_ for token in kept]
    _join_trees(heads, labels, sizes)
    chunks = [(number[c.start], number[c.end]) for c in doc.noun_chunks]
    entities = [(number[e.start], number[e.end], e.label_) for e in doc.ents]
    return Annotation(
        tags=tuple(token.tag_ for token in kept),
        pos=tuple(token.pos_ for token in kept),
        lemmas=tuple(token.lemma_ for token in kept),
        heads=tuple(heads),
        labels=tuple(labels),
        chunks=tuple(span for span in chunks if span[0] < span[1]),
        entities=tuple(span for span in entities if span[0] < span[1]),
    )


def _kept_head(token: Token, keep: Sequence[bool]) -> int:
    """Return the nearest kept ancestor, or the token itself if there is none."""
    above = token.head
    while not keep[above.i] and above.head.i != above.i:
        above = above.head
    return above.i if keep[above.i] else token.i


def _join_trees(heads: list[int], labels: list[str], sizes: Sequence[int]) -> None:
    """Make each sentence one tree: it may have been split into parts, or have lost its root with white space."""
    start = 0
    for size in sizes:
        end = start + size
        roots = [i for i in range(start, end) if heads[i] == i or not start <= heads[i] < end]
        for i in roots:
            heads[i], labels[i] = roots[0], "dep"
        if roots:
            labels[roots[0]] = "ROOT"
        start = end


def _edges(token: Token) -> Edges:
    return token.idx, token.idx + len(token)
