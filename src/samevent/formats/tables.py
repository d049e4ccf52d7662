"""CSV tables for people with spreadsheets: a folder of `mentions.csv`, `documents.csv` and `events.csv`.

`mentions.csv` has a row for each mention: first what people read, last what programs need. `documents.csv` has
the texts. `events.csv` summarises the events; it is not read back. `sheets.py` defines how cells are written.

Kept: of a document its id, title, date, topic, sub-topic and text; of a mention its id, kind, class, negation, event,
chain, tag, probability, arguments, what it refers to, characters (also those of each piece of a discontinuous one) and
where its head begins. `extra` fields become columns, and unknown columns become `extra` fields, as strings. An empty
cell is None.
Lost: tokens and sentences, since the text is tokenised again (always splitting at the edges of mentions); white space
at the edges of a mention, and pieces and heads that are only white space; `extra` fields named like a column. A mention
of only white space is an error.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, cast

from samevent.corpus import Argument, Corpus, Document, EventClass, Kind, Mention, Reference
from samevent.corpus.corpus import event_key
from samevent.corpus.document import shortened
from samevent.corpus.mention import check_mention, common_class
from samevent.errors import FormatError, UsageError, located, place
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix
from samevent.formats.fields import list_of, loads
from samevent.formats.files import write_folder
from samevent.formats.jsonl import argument_from_json, argument_to_json
from samevent.formats.references import reference_from_json, reference_to_json
from samevent.formats.sheets import YES, Cell, Row, rows, written
from samevent.formats.unknown import single_table

MENTION_COLUMNS = (
    "event mention kind event_class negated document sentence probability participants times locations when where "
    "head tag within char_start char_end pieces head_start arguments refers id"
).split()
DOCUMENT_COLUMNS = "id title date topic subtopic text".split()
EVENT_COLUMNS = (
    "event label event_class mentions documents first_document dates participants times locations".split()
)

Span = tuple[int, int]

_ARGUMENT_COLUMNS: dict[str, Kind] = {
    "participants": "participant",
    "times": "time",
    "locations": "location",
}


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read a folder of tables, given by its name or that of its `mentions.csv`."""
    if path.is_file() and _folder(path) == path:
        raise single_table(path)
    folder, encoding = _folder(path), options.encoding

    def mentions() -> Iterator[Row]:
        return rows(folder / "mentions.csv", ("document", "char_start", "char_end"), encoding=encoding)

    def documents() -> Iterator[Row]:
        return rows(folder / "documents.csv", ("id", "text"), encoding=encoding)

    lines: dict[str, int] = {}
    for row in documents():
        with located(row.path, row.line):
            id = row.needed("id")
            if id in lines:
                raise FormatError(
                    f"document {id!r} is already on line {lines[id]}", expected="unique document ids"
                )
            lines[id] = row.line
    ordered = _are_ordered(mentions(), lines)
    # Tables in the order of the documents, as they are written, are read again side by side; others are held.
    following = _groups(mentions()) if ordered else iter(_gathered(mentions(), lines).items())
    of, own = next(following, ("", []))
    for row in documents():
        with options.document_at(row.path, row.line):
            members: list[Row] = []
            if of == row["id"]:
                members = own
                of, own = next(following, ("", []))
            yield _document(row, members)


def _are_ordered(mentions: Iterable[Row], lines: Mapping[str, int]) -> bool:
    """Return whether mentions are in the order of their documents; raise if one is of no document."""
    ordered, last = True, 0
    for row in mentions:
        with located(row.path, row.line):
            id = row.needed("document")
            if id not in lines:
                raise FormatError(f"unknown document {id!r}", expected="an id from documents.csv")
        ordered = ordered and lines[id] >= last
        last = lines[id]
    return ordered


def _groups(mentions: Iterable[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield the ids of documents with their mentions, which follow each other."""
    return ((id, list(group)) for id, group in groupby(mentions, key=lambda row: row.needed("document")))


def _gathered(mentions: Iterable[Row], lines: Mapping[str, int]) -> dict[str, list[Row]]:
    """Return the ids of all documents, in order, with their mentions."""
    gathered: dict[str, list[Row]] = {id: [] for id in lines}
    for row in mentions:
        gathered[row.needed("document")].append(row)
    return gathered


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write a folder of tables."""
    if has_suffix(path, ".csv"):
        raise UsageError(
            "the tables are three files in a folder",
            where=place(path),
            expected="the name of a folder",
            hint="drop the suffix .csv and name the format (--to tables)",
        )
    with located(path):
        write_folder(path, tables(corpus), overwrite=options.overwrite)


def tables(corpus: Corpus) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the name and content of each file."""
    mentions = {m.id: m for m in corpus.mentions()}

    def mention_cells(m: Mention) -> list[Cell]:
        return _mention_cells(corpus[m.document], m, mentions)

    def document_cells(d: Document) -> list[Cell]:
        return [getattr(d, column) for column in DOCUMENT_COLUMNS]

    yield "mentions.csv", _with_extra(MENTION_COLUMNS, mentions.values(), mention_cells)
    yield "documents.csv", _with_extra(DOCUMENT_COLUMNS, corpus.documents, document_cells)
    yield "events.csv", written(EVENT_COLUMNS, _event_rows(corpus, mentions))


def _folder(path: Path) -> Path:
    return path.parent if path.name == "mentions.csv" else path


def _document(row: Row, mention_rows: Sequence[Row]) -> Document:
    placed: list[tuple[Row, list[Span], int | None]] = []
    for m in mention_rows:
        with located(m.path, m.line):
            placed.append((m, _pieces(m), m.whole("head_start") if m["head_start"] else None))
    borders = {edge for _, pieces, _ in placed for piece in pieces for edge in piece}
    borders |= {head for _, _, head in placed if head is not None}
    fields = {column: row[column] for column in ("title", "date", "topic", "subtopic")}
    extra = row.others(DOCUMENT_COLUMNS)
    document = Document.from_text(row.needed("id"), row["text"] or "", borders=borders, extra=extra, **fields)
    mentions = []
    for m, pieces, head in placed:
        with located(m.path, m.line):
            mentions.append(_mention(document, m, pieces, head))
    with located(mention_rows[0].path if mention_rows else row.path):
        return document.with_mentions(mentions)


def _pieces(row: Row) -> list[Span]:
    start, end = row.whole("char_start"), row.whole("char_end")
    if (cell := row["pieces"]) is None:
        return [(start, end)]
    try:
        pieces = [(int(a), int(b)) for a, b in (piece.split("-") for piece in cell.split())]
    except ValueError:
        pieces = []
    if not pieces or (pieces[0][0], pieces[-1][1]) != (start, end):
        raise FormatError(
            f"the pieces are {shortened(cell)!r}",
            expected=f"the characters of each, such as 60-66 78-81, from {start} to {end}",
        )
    return pieces


def _mention(document: Document, row: Row, pieces: Sequence[Span], head: int | None) -> Mention:
    tokens = [token for piece in pieces for token in range(*document.token_span(*piece))]
    text = document.text[pieces[0][0] : pieces[-1][1]]
    if (words := row["mention"]) not in (None, text):
        raise FormatError(
            f"the mention is {words!r} where the document has {text!r}",
            hint="correct char_start and char_end, or leave the cell empty",
        )
    kind: Any = row["kind"] or "action"
    mention = document.mention(
        kind,
        tokens[0],
        tokens[-1] + 1,
        id=row["id"],
        tokens=tokens,
        head=None if head is None else bisect_right(document.tokens, head, key=lambda token: token.end),
        event=row["event"],
        within=row["within"],
        arguments=_arguments(row["arguments"]),
        tag=row["tag"],
        event_class=cast("EventClass | None", row["event_class"]),
        negated=row.flag("negated"),
        probability=row.number("probability"),
        refers=_reference(row["refers"]),
        extra=row.others(MENTION_COLUMNS),
    )
    check_mention(mention)  # here, so that an error names the line
    return mention


def _arguments(cell: str | None) -> list[Argument]:
    try:
        arguments = loads(cell or "[]")
    except ValueError as error:
        raise FormatError(
            f"the arguments are {shortened(cell or '')!r}",
            expected='JSON such as [{"mention": "a:3-4:time", "role": "AM-TMP"}]',
        ) from error
    return [argument_from_json(a) for a in list_of({"arguments": arguments}, "arguments", dict, "objects")]


def _reference(cell: str | None) -> Reference | None:
    try:
        return reference_from_json(loads(cell or "null"))
    except ValueError as error:
        raise FormatError(
            f"the mention refers to {shortened(cell or '')!r}",
            expected='JSON such as {"when": "2031-03-04/2031-03-04"}',
        ) from error


def _with_extra(
    columns: Sequence[str], things: Collection[Any], cells: Callable[[Any], list[Cell]]
) -> Iterator[str]:
    """Return the table of documents or mentions, with one column per name in their `extra`."""
    names = sorted({name for thing in things for name in thing.extra} - set(columns))

    def plain(value: object) -> str | None:
        return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    table = ([*cells(thing), *(plain(thing.extra.get(name)) for name in names)] for thing in things)
    return written([*columns, *names], table)


def _mention_cells(document: Document, m: Mention, mentions: Mapping[str, Mention]) -> list[Cell]:
    pieces = _visible_pieces(document, m)
    start, end = pieces[0][0], pieces[-1][1]
    first, last = (document.sentences[document.sentence_of(token)] for token in (m.start, m.end - 1))
    sentence = document.text[document.tokens[first.start].start : document.tokens[last.end - 1].end]
    cells: dict[str, Cell] = {
        "event": m.event,
        "mention": document.text[start:end],
        "kind": m.kind,
        "event_class": m.event_class,
        "negated": YES if m.negated else None,
        "document": m.document,
        "sentence": sentence,
        "probability": m.probability,
        "tag": m.tag,
        "within": m.within,
        "char_start": start,
        "char_end": end,
        "pieces": " ".join(f"{a}-{b}" for a, b in pieces) if len(pieces) > 1 else None,
        "id": m.id,
    }
    if m.head is not None and not document.tokens[m.head].text.isspace():
        head = document.tokens[m.head]
        cells |= {"head": head.text, "head_start": head.start}
    if m.arguments:
        cells["arguments"] = json.dumps([argument_to_json(a) for a in m.arguments], ensure_ascii=False)
    if m.refers:
        cells["refers"] = json.dumps(reference_to_json(m.refers), ensure_ascii=False)
        cells |= {name: str(part) for name in ("when", "where") if (part := getattr(m.refers, name))}
    cells |= _argument_cells([m], mentions)
    return [cells.get(column) for column in MENTION_COLUMNS]


def _visible_pieces(document: Document, m: Mention) -> list[Span]:
    """Return the character span of each run of the mention's tokens that is not only white space."""
    spans = [(document.tokens[start].start, document.tokens[end - 1].end) for start, end in m.runs]
    pieces = [span for span in spans if not document.text[slice(*span)].isspace()]
    if not pieces:
        raise FormatError(f"mention {m.id!r} is only white space", expected="a mention with words")
    return pieces


def _event_rows(corpus: Corpus, mentions: Mapping[str, Mention]) -> Iterator[list[Cell]]:
    for cluster in corpus.clustering("action"):
        members = [mentions[id] for id in cluster]
        documents = list(dict.fromkeys(m.document for m in members))
        dates = dict.fromkeys(date for id in documents if (date := corpus[id].date))
        cells: dict[str, Cell] = {
            "event": event_key(members[0])[-1],
            "label": Counter(m.text for m in members).most_common(1)[0][0],
            "event_class": common_class(members),
            "mentions": len(members),
            "documents": len(documents),
            "first_document": documents[0],
            "dates": "; ".join(dates),
        }
        cells |= _argument_cells(members, mentions)
        yield [cells[column] for column in EVENT_COLUMNS]


def _argument_cells(members: Iterable[Mention], mentions: Mapping[str, Mention]) -> dict[str, Cell]:
    """Return the distinct texts of the arguments of some mentions, by kind."""
    arguments = [mentions[a.mention] for m in members for a in m.arguments]
    return {
        column: "; ".join(dict.fromkeys(a.text for a in arguments if a.kind == kind))
        for column, kind in _ARGUMENT_COLUMNS.items()
    }


def _recognises(path: Path) -> bool:
    return all((_folder(path) / name).is_file() for name in ("mentions.csv", "documents.csv"))


FORMAT = Format(
    name="tables",
    summary="a folder of CSV tables for spreadsheets: mentions, documents, events",
    suffixes=(".tables", ".csv"),
    recognises=_recognises,
    read=read,
    write=write,
)
