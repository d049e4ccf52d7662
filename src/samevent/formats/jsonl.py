"""JSON Lines, the native format: one document per line, nothing lost.

A document has `id` and `text`, or `tokens` with `sentences` (token counts), or all three. Mention offsets
are in tokens (`start`, `end`) or characters (`char_start`, `char_end`); 0-based, half-open,
counting Unicode code points. `document.schema.json` beside this file has the details. Unknown fields are kept.
The folder of a run is read as its `result.jsonl`. Parquet files with the same fields are read too (`parquet.py`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from samevent.corpus import KINDS, Argument, Corpus, Document, Mention
from samevent.corpus.document import joined, spaced_words
from samevent.corpus.tokenize import token_spans
from samevent.errors import FormatError
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix, unique_ids
from samevent.formats.fields import Json, integer, label, list_of, number, parsed, string, truth
from samevent.formats.files import read_lines, write_text
from samevent.formats.parquet import column_names, parquet_files, rows
from samevent.formats.records import NATIVE, document_from_record
from samevent.formats.references import reference_from_json, reference_to_json

RESULT_FILE = "result.jsonl"
"""The file of a run's folder that has its documents and events."""
_MENTION_FIELDS = frozenset(
    "id kind start end char_start char_end text event within arguments head tokens tag event_class negated "
    "clause probability refers".split()
)


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read one document per line; blank lines are skipped. Of Parquet, read one per row."""
    if parts := parquet_files(path):
        for part in parts:
            yield from _parquet_documents(part, options)
        return
    file = _file(path)
    for at, line in read_lines(file, encoding=options.encoding):
        if line.strip():
            with options.document_at(file, at):
                record = parsed(line, file, at)
                if options.columns:
                    yield document_from_record(record, options.columns.resolved(record), f"{file.name}/{at}")
                else:
                    yield document_from_json(record)


def _parquet_documents(part: Path, options: ReadOptions) -> Iterator[Document]:
    """Read annotated rows as documents of JSON Lines, others as those of a table."""
    names: Collection[str] = ()
    with options.loose_at(part):
        names = column_names(part)
    if not options.columns and ("tokens" in names or {"text", "mentions"} <= set(names)):
        for at, data in rows(part):
            with options.document_at(part, at):
                yield document_from_json({"id": f"{part.name}/{at}", **data})
    elif names:
        with options.loose_at(part):
            fields = options.columns.resolved(names)
            yield from unique_ids(_records(part, fields, options), part.name)


def _records(part: Path, fields: Mapping[str, str], options: ReadOptions) -> Iterator[Document]:
    for at, data in rows(part):
        with options.loose_at(part, at):
            yield document_from_record(data, fields, f"{part.name}/{at}")


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write one document per line."""
    lines = (json.dumps(document_to_json(d), ensure_ascii=False) + "\n" for d in corpus)
    write_text(path, lines, overwrite=options.overwrite)


def _recognises(path: Path) -> bool:
    lines = _file(path).is_file() and has_suffix(_file(path), ".jsonl", ".ndjson")
    return lines or bool(parquet_files(path))


def _file(path: Path) -> Path:
    return path / RESULT_FILE if path.is_dir() else path


def document_from_json(data: Json) -> Document:
    """Build a document from its JSON object."""
    id = label(data, "id", required=True)
    fields: dict[str, Any] = {name: label(data, name) for name in ("title", "date", "topic", "subtopic")}
    fields["extra"] = {k: v for k, v in data.items() if k not in NATIVE}
    mentions = list_of(data, "mentions", dict, "objects")
    if "tokens" in data:
        document = Document.from_tokens(id, _sentences(data), text=string(data, "text"), **fields)
    elif "sentences" in data:
        raise FormatError(f"document {id!r} has sentences but no tokens", expected="the field tokens with it")
    elif "text" in data:
        text = string(data, "text", required=True)
        borders = [
            m[side] for m in mentions for side in ("char_start", "char_end") if isinstance(m.get(side), int)
        ]
        document = Document.from_text(id, text, borders=borders, **fields)
    else:
        raise FormatError(f"document {id!r} has neither text nor tokens", expected="the field text or tokens")
    return _marked(document, data).with_mentions(_mention(document, m) for m in mentions)


def document_to_json(document: Document) -> dict[str, Any]:
    """Return a document as a JSON object; empty fields are left out."""
    d = document
    data: dict[str, Any] = {"id": d.id}
    sentences = [d.words(s) for s in d.sentences]
    own_tokens = _own_tokens(d)
    if not own_tokens or d.text != joined(sentences) or d.tokens != spaced_words(t.text for t in d.tokens):
        data["text"] = d.text
    if own_tokens:
        data["tokens"] = [t.text for t in d.tokens]
        data["sentences"] = [len(words) for words in sentences]
    data |= {
        name: value
        for name in ("title", "date", "topic", "subtopic")
        if (value := getattr(d, name)) is not None
    }
    if urls := [i for i, s in enumerate(d.sentences) if s.is_url]:
        data["url_sentences"] = urls
    if any(s.annotated is not None for s in d.sentences):
        data["annotated_sentences"] = [i for i, s in enumerate(d.sentences) if s.annotated]
    data |= d.extra
    if d.mentions:
        data["mentions"] = [_mention_to_json(m, in_tokens=own_tokens) for m in d.mentions]
    return data


def argument_from_json(data: Json) -> Argument:
    """Build an argument from its JSON object."""
    if unknown := sorted(data.keys() - {"mention", "role"}):
        raise FormatError(
            f"an argument has the field {unknown[0]!r}", expected="mention and role, nothing else"
        )
    return Argument(label(data, "mention", required=True), label(data, "role"))


def argument_to_json(argument: Argument) -> dict[str, str]:
    """Return an argument as a JSON object."""
    role = {} if argument.role is None else {"role": argument.role}
    return {"mention": argument.mention, **role}


def _own_tokens(document: Document) -> bool:
    """Return whether a reader needs the tokens: they came with the document, or a head or gap refers to them.

    The reader splits raw text at the edges of the present mentions; removed ones may have split it further.
    """
    d = document
    if d.tokens_given or not any(m.head is not None or m.anchors for m in d.mentions):
        return d.tokens_given
    edges = [edge for m in d.mentions for edge in (m.char_start, m.char_end)]
    return token_spans(d.text, edges) != [(t.start, t.end) for t in d.tokens]


def _mention_to_json(m: Mention, *, in_tokens: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"id": m.id, "kind": m.kind}
    if in_tokens:
        data |= {"start": m.start, "end": m.end}
    else:
        data |= {"char_start": m.char_start, "char_end": m.char_end}
    data["text"] = m.text
    optional = {
        "event": m.event,
        "within": m.within,
        "head": m.head,
        "tokens": list(m.anchors) or None,
        "tag": m.tag,
        "event_class": m.event_class,
        "negated": m.negated or None,
        "clause": m.clause,
        "probability": m.probability,
        "refers": reference_to_json(m.refers) if m.refers else None,
    }
    data |= {name: value for name, value in optional.items() if value is not None}
    if m.arguments:
        data["arguments"] = [argument_to_json(a) for a in m.arguments]
    return data | dict(m.extra)


def _mention(document: Document, data: Json) -> Mention:
    characters = _span(data, "char_start", "char_end")
    span = _span(data, "start", "end") or (characters and document.token_span(*characters))
    if not span:
        raise FormatError(
            f"a mention of document {document.id!r} has no offsets",
            expected="start and end in tokens, or char_start and char_end in characters",
        )
    mention = document.mention(
        _kind(data),
        *span,
        id=label(data, "id"),
        tokens=list_of(data, "tokens", int, "token numbers"),
        head=None if data.get("head") is None else integer(data, "head"),
        event=label(data, "event"),
        within=label(data, "within"),
        arguments=[argument_from_json(a) for a in list_of(data, "arguments", dict, "objects")],
        tag=label(data, "tag"),
        event_class=string(data, "event_class"),
        negated=truth(data, "negated"),
        clause=string(data, "clause"),
        probability=number(data, "probability"),
        refers=reference_from_json(data.get("refers")),
        extra={} if data.keys() <= _MENTION_FIELDS else _unknown_fields(data),
    )
    if characters and document.token_span(*characters) != span:
        raise FormatError(
            f"mention {mention.id!r} is at characters {characters[0]}-{characters[1]}",
            expected=f"{mention.char_start}-{mention.char_end}, as its tokens {span[0]}-{span[1]} say",
        )
    said = document.text[slice(*characters)] if characters else mention.text
    if data.get("text", said) != said:
        raise FormatError(
            f"mention {mention.id!r} says {data['text']!r} where the document says {said!r}",
            hint="its offsets and its text disagree; correct one of them",
        )
    return mention


def _unknown_fields(data: Json) -> Json:
    return {name: value for name, value in data.items() if name not in _MENTION_FIELDS}


def _kind(data: Json) -> Any:
    """Return the kind, which must be a string; the document checks that it exists."""
    kind = data.get("kind", "action")
    if not isinstance(kind, str):
        raise FormatError(f"a mention has the kind {kind!r}", expected=f"one of {', '.join(KINDS)}")
    return kind


def _span(data: Json, start: str, end: str) -> tuple[int, int] | None:
    return (integer(data, start), integer(data, end)) if start in data or end in data else None


def _marked(document: Document, data: Json) -> Document:
    urls = set(list_of(data, "url_sentences", int, "sentence numbers"))
    annotated = set(list_of(data, "annotated_sentences", int, "sentence numbers"))
    if not urls and "annotated_sentences" not in data:
        return document
    count = len(document.sentences)
    for i in sorted(urls | annotated):
        if not 0 <= i < count:
            raise FormatError(f"document {document.id!r} has no sentence {i}", expected=f"0 to {count - 1}")
    known = "annotated_sentences" in data
    sentences = (
        replace(s, is_url=i in urls, annotated=i in annotated if known else None)
        for i, s in enumerate(document.sentences)
    )
    return replace(document, sentences=tuple(sentences))


def _sentences(data: Json) -> list[list[str]]:
    words = list_of(data, "tokens", str, "strings")
    sizes = list_of(data, "sentences", int, "token counts") if "sentences" in data else [len(words)]
    if sum(sizes) != len(words) or any(size < 0 for size in sizes):
        raise FormatError(
            f"the sentences have {sum(sizes)} tokens in all", expected=f"counts that add up to {len(words)}"
        )
    return [words[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]


FORMAT = Format(
    name="jsonl",
    summary="JSON Lines, the native format: one document per line, nothing lost",
    suffixes=(".jsonl", ".ndjson"),
    recognises=_recognises,
    read=read,
    write=write,
)
