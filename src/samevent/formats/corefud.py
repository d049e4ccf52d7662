"""CorefUD: CoNLL-U whose last column carries coreference (`Entity=`), as CorefUD 1.0 and later define it.

    # newdoc id = a
    # global.Entity = eid-etype-head
    # text = Sudan bombs Yida.
    1  Sudan  _  _  _  _  _  _  _  Entity=(e2-other-1)
    2  bombs  _  _  _  _  _  _  _  Entity=(e1-event-1)
    3  Yida   _  _  _  _  _  _  _  Entity=(e3-place-1)|SpaceAfter=No
    4  .      _  _  _  _  _  _  _  _

`(e1-event-1` opens a mention of entity e1 whose head is its first word, `e1)` closes the one opened last,
`(e1-event-1)` is one word, and `e1[1/2]` is the first of two parts of a discontinuous mention.

Reading. An entity id is the event, also across the documents of a file; the older field GRP counts anew in
each document (cluster 3 of document `a` is the event `a:3`). The type gives the kind: event or none an action,
time a time, place a location, anything else a participant; a more specific type is kept as tag.
Tokens are the words, but a multi-word token that its words do not spell (`du` for `de le`) is one token, and a
mention of one of its words covers it. Empty nodes are not tokens: mentions of nothing else are skipped.
Bridge, SplitAnte, syntax and the fields of Entity other than id, type and head are not read.

Writing. All kinds are written, every event under its own id, in which reserved characters are
percent-encoded as in URLs. Mentions without an event get free ids (e1, e2, ...), one for each chain.
CorefUD's scorer cuts entities at documents: to keep events across documents, write a larger unit.
Lost: mention ids, tags that are not CorefUD types, classes, arguments, probabilities, metadata of documents and
sentences. White space between tokens becomes a blank, between sentences a line end, inside a word a blank;
a word of only white space becomes `_`. A discontinuous mention without a head gets its first word as head, because
readers require one. Sentences that a mention spans are joined, because the format forbids such mentions.
Errors: mentions of one event that cross each other, which would be ambiguous, and documents without words,
which CoNLL-U cannot represent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, pairwise
from pathlib import Path
from urllib.parse import unquote

from samevent.corpus import Corpus, Document, Kind, Mention, mention_id
from samevent.corpus.corpus import event_key
from samevent.corpus.document import reading_order
from samevent.errors import FormatError, located, place
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix
from samevent.formats.columns import NUMBER, Nodes, Piece, Row, blocks, bracketed, tokenised
from samevent.formats.files import STANDARD, write_text

_TYPES: dict[Kind, str] = {"action": "event", "participant": "other", "time": "time", "location": "place"}
"""The types that are equivalent to a kind."""

_OTHERS = "person organization animal plant object substance number abstract"
_KINDS: dict[str, Kind] = {
    "": "action",
    **{kind: kind for kind in _TYPES},
    **{etype: kind for kind, etype in _TYPES.items()},
    **dict.fromkeys(_OTHERS.split(), "participant"),
}

_NEWDOC = re.compile(r"#\s*newdoc\b(?:\s+id\s*=)?(.*)")
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=(.*)")
# A closing entity must not continue earlier text: otherwise a long text without brackets takes quadratic time.
_BRACKET = re.compile(r"\(([^()\s]++)(\)?)|(?<![^()\s])([^()\s]++)\)")
_PART = re.compile(r"(.+)\[([0-9]{1,9})/([0-9]{1,9})\]")
_SPECIAL = re.compile(r"[-=|()\[\]%\s\x00-\x1f\x7f]")


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read the documents of one file; a document without an id is named after the file."""
    fields: list[str] = []
    lines: dict[str, int] = {}
    draft: _Draft | None = None

    def begun(id: str, line: int) -> _Draft:
        id = id or _unnamed(path, len(lines))
        if id in lines:
            raise FormatError(
                f"document {id!r} already begins on line {lines[id]}",
                where=place(path, line),
                expected="each document once",
            )
        lines[id] = line
        return _Draft(id, line)

    for comments, rows in blocks(path, options):
        for number, line in comments:
            if newdoc := _NEWDOC.fullmatch(line):
                if draft is not None:
                    yield draft.document(path)
                draft = begun(newdoc[1].strip(), number)
            elif declared := _GLOBAL.fullmatch(line):
                fields = ["etype" if name == "entity" else name for name in declared[1].strip().split("-")]
        if rows:
            draft = draft or begun("", rows[0].line)
            draft.add(rows, fields, path)
    if draft is not None:
        yield draft.document(path)


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write one `newdoc` per unit, with the documents of the unit in order."""
    ids = _entity_ids(corpus)
    with located(path):
        units = [_unit(name, documents, ids) for name, documents in corpus.grouped(options.unit).items()]
    write_text(path, units, overwrite=options.overwrite)


@dataclass(slots=True)
class _Span:
    """A mention, complete or not yet: the fields of its Entity, and the tokens of its nodes so far."""

    line: int
    fields: Mapping[str, str]
    nodes: list[int | None] = field(default_factory=list)
    parts: int = 0

    @property
    def label(self) -> str:
        return self.fields.get("eid") or self.fields.get("GRP") or ""

    @property
    def head(self) -> int | None:
        head = self.fields.get("head")
        if not head:
            return None
        if not NUMBER.fullmatch(head) or int(head) > len(self.nodes):
            raise FormatError(
                f"the head of a mention of {self.label!r} is {head!r}",
                expected=f"the number of one of the mention's words, 1 to {len(self.nodes)}",
            )
        return self.nodes[int(head) - 1]


@dataclass(slots=True)
class _Draft:
    """A document while its sentences are read."""

    id: str
    line: int
    sentences: list[list[str]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    spans: list[_Span] = field(default_factory=list)

    def add(self, rows: Sequence[Row], fields: Sequence[str], path: Path) -> None:
        words, gaps, nodes = tokenised(rows, len(self.text) // 2, path)
        gaps[-1] = gaps[-1] and "\n"
        self.sentences.append(words)
        self.text += chain.from_iterable(zip(words, gaps, strict=True))
        self.spans += _mentions(nodes, fields, path)

    def document(self, path: Path) -> Document:
        with located(path, self.line):
            document = Document.from_tokens(self.id, self.sentences, text="".join(self.text[:-1]))
        mentions: dict[tuple[Kind, tuple[int, ...]], Mention] = {}
        ids: Counter[str] = Counter()
        for span in self.spans:
            with located(path, span.line):
                head = span.head
                tokens = tuple(sorted({token for token in span.nodes if token is not None}))
                if not tokens:
                    continue
                etype = span.fields.get("etype", "")
                kind = _KINDS.get(etype, "participant")
                start, end = tokens[0], tokens[-1] + 1
                id = mention_id(self.id, start, end, kind)
                ids[id] += 1
                mention = document.mention(
                    kind,
                    start,
                    end,
                    id=id if ids[id] == 1 else f"{id}#{ids[id]}",
                    tokens=tokens,
                    head=head,
                    event=self._event(span),
                    tag=None if etype in ("", _TYPES[kind]) else etype,
                )
                if (other := mentions.setdefault((kind, tokens), mention)) is not mention:
                    raise FormatError(
                        f"{mention.text!r}, tokens {start}-{end} of document {self.id!r}, is a mention "
                        f"of {other.event!r} and of {mention.event!r}",
                        expected="each span once",
                        hint="remove one of them",
                    )
        return document.with_mentions(mentions.values())

    def _event(self, span: _Span) -> str:
        entity = _unescaped(_part(span.label)[0])
        return entity if "eid" in span.fields else f"{self.id}:{entity}"


def _unnamed(path: Path, before: int) -> str:
    name = "document" if path == STANDARD else path.name.removesuffix(".gz").removesuffix(".conllu")
    return f"{name}-{before + 1}" if before else name


def _mentions(nodes: Nodes, fields: Sequence[str], path: Path) -> Iterator[_Span]:
    """Match the brackets of a sentence."""
    opened: dict[str, list[tuple[int, _Span]]] = {}
    unfinished: dict[tuple[str, int], list[_Span]] = {}
    for i, (row, _) in enumerate(nodes):
        with located(path, row.line):
            for opening, single, label in _brackets(row.entity):
                if opening:
                    span = _opened(row.line, opening, fields)
                    opened.setdefault(span.label, []).append((i, span))
                    if not single:
                        continue
                    label = span.label
                if not opened.get(label):
                    raise FormatError(
                        f"a mention of {label!r} ends but never began in its sentence",
                        expected=f"({label} before",
                    )
                start, span = opened[label].pop()
                entity, part, parts = _part(label)
                waiting = unfinished.setdefault((entity, parts), [])
                if part == 1:
                    waiting.append(span)
                elif not waiting or waiting[-1].parts != part - 1:
                    raise FormatError(
                        f"{label!r} comes without the previous part",
                        expected=f"{entity}[{part - 1}/{parts}]",
                    )
                waiting[-1].nodes += (token for _, token in nodes[start : i + 1])
                waiting[-1].parts = part
                if part == parts:
                    yield waiting.pop()
    left = [*(span for starts in opened.values() for _, span in starts), *chain(*unfinished.values())]
    if left:
        raise FormatError(
            f"a mention of {left[0].label!r} begins but never ends in its sentence",
            where=place(path, left[0].line),
            expected="its closing bracket, and all parts of a discontinuous mention",
        )


def _brackets(entity: str) -> list[tuple[str, str, str]]:
    if _BRACKET.sub("", entity):
        raise FormatError(
            f"the Entity is {entity!r}", expected="brackets such as (e1-event-1, e1) or (e1-event-1)"
        )
    return _BRACKET.findall(entity)


def _opened(line: int, opening: str, fields: Sequence[str]) -> _Span:
    values = opening.split("-")
    span = _Span(line, dict(zip(fields, values, strict=False)))
    if len(values) > len(fields) or not span.label:
        raise FormatError(
            f"the Entity is ({opening} where # global.Entity is {'-'.join(fields) or 'missing'}",
            expected="no more fields than # global.Entity has, with eid among them",
        )
    return span


def _part(label: str) -> tuple[str, int, int]:
    match = _PART.fullmatch(label)
    if not match:
        return label, 1, 1
    entity, part, parts = match[1], int(match[2]), int(match[3])
    if not 1 <= part <= parts or parts == 1:
        raise FormatError(f"{label!r} is not a valid part of a mention", expected=f"such as {entity}[1/2]")
    return entity, part, parts


def _entity_ids(corpus: Corpus) -> dict[tuple[str, ...], str]:
    taken = {m.event for m in corpus.mentions()}
    free = (f"e{n}" for n in count(1) if f"e{n}" not in taken)
    ids: dict[tuple[str, ...], str] = {}
    for m in corpus.mentions():
        if event_key(m) not in ids:
            ids[event_key(m)] = _escaped(m.event) if m.event else next(free)
    return ids


def _escaped(id: str) -> str:
    return _SPECIAL.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), id)


def _unescaped(id: str) -> str:
    try:
        return unquote(id, errors="strict")
    except UnicodeDecodeError:
        return id  # not percent-encoded


def _unit(name: str, documents: Iterable[Document], ids: Mapping[tuple[str, ...], str]) -> str:
    if name.splitlines() != [name.strip()]:
        raise FormatError(
            f"the name {name!r} contains line ends or surrounding white space",
            expected="a name on one line",
        )
    sentences = "".join(chain.from_iterable(_sentences(document, ids) for document in documents))
    if not sentences:
        raise FormatError(f"there are no words in {name!r}", expected="at least one, as CoNLL-U requires")
    return f"# newdoc id = {name}\n# global.Entity = eid-etype-head\n{sentences}"


def _sentences(document: Document, ids: Mapping[tuple[str, ...], str]) -> Iterator[str]:
    notes = bracketed(_pieces(document, ids))
    glued = {a.end for a, b in pairwise(document.tokens) if a.end == b.start}
    name = re.sub(r"[\s/]", "_", document.id)  # a slash in a sentence id has a special meaning
    for number, (start, end) in enumerate(_sentence_spans(document), 1):
        text = ""
        rows: list[str] = []
        for i in range(start, end):
            token = document.tokens[i]
            form = " ".join(token.text.split()) or "_"
            text += form if token.end in glued else f"{form} "
            misc = [f"Entity={''.join(notes[i])}"] if i in notes else []
            misc += ["SpaceAfter=No"] if token.end in glued else []
            rows.append("\t".join([str(len(rows) + 1), form, *"_______", "|".join(misc) or "_"]) + "\n")
        yield f"# sent_id = {name}-{number}\n# text = {text.rstrip()}\n{''.join(rows)}\n"


def _sentence_spans(document: Document) -> Iterator[tuple[int, int]]:
    """Return the spans of sentences with words, joining those that a mention spans."""
    starts = {s.start for s in document.sentences if s.start < s.end}
    for m in document.mentions:
        tied = document.sentences[document.sentence_of(m.start) + 1 : document.sentence_of(m.end - 1) + 1]
        starts -= {s.start for s in tied}
    return pairwise([*sorted(starts), len(document.tokens)])


def _pieces(document: Document, ids: Mapping[tuple[str, ...], str]) -> Iterator[Piece]:
    seen: dict[tuple[Kind, tuple[int, ...]], Mention] = {}
    discontinuous: dict[str, Mention] = {}
    for m in sorted(document.mentions, key=reading_order):
        entity = ids[event_key(m)]
        runs = m.runs
        if (other := seen.setdefault((m.kind, m.tokens), m)) is not m:
            raise FormatError(
                f"mentions {other.id!r} and {m.id!r} have the same words", expected="each span once"
            )
        if len(runs) > 1:
            if (before := discontinuous.get(entity)) and m.start < before.end:
                raise FormatError(
                    f"the discontinuous mentions {before.id!r} and {m.id!r} of one event overlap",
                    expected="discontinuous mentions of one event to be disjoint",
                    hint="remove one of them, or write JSON Lines",
                )
            discontinuous[entity] = m
        etype = m.tag if m.tag and _KINDS.get(m.tag) == m.kind else _TYPES[m.kind]
        # Udapi, which CorefUD's scorer builds on, cannot read a discontinuous mention without a head.
        head = m.start if m.head is None and len(runs) > 1 else m.head
        values = [etype] if head is None else [etype, str(m.tokens.index(head) + 1)]
        for n, (start, end) in enumerate(runs, 1):
            label = entity if len(runs) == 1 else f"{entity}[{n}/{len(runs)}]"
            yield Piece(entity, start, end, f"({'-'.join([label, *values])}", f"{label})", m)


FORMAT = Format(
    name="corefud",
    summary="CorefUD: CoNLL-U with coreference in its last column",
    suffixes=(".conllu",),
    recognises=lambda path: path.is_file() and has_suffix(path, ".conllu"),
    read=read,
    write=write,
)
