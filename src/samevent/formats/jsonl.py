"""JSON Lines, the native format: one document a line, nothing lost.

A document has `id` and `text`, or `tokens` with `sentences` (token counts), or all three. Mentions are
given in tokens (`start`, `end`) or characters (`char_start`, `char_end`); 0-based, half-open, characters
being Unicode code points. `document.schema.json` beside this file says the rest. Unknown fields are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from math import isfinite
from pathlib import Path
from typing import Any

from samevent.corpus import Argument, Corpus, Document, Mention
from samevent.corpus.corpus import event_key
from samevent.corpus.document import joined, shortened
from samevent.corpus.tokenize import token_spans
from samevent.errors import FormatError
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix
from samevent.formats.files import read_lines, write_text

Json = Mapping[str, Any]

_DOCUMENT_FIELDS = frozenset(
    "id text tokens sentences title date topic subtopic mentions url_sentences annotated_sentences".split()
)
_MENTION_FIELDS = frozenset(
    "id kind start end char_start char_end text event within arguments head tokens tag probability".split()
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read one document a line; blank lines are skipped."""
    for number, line in read_lines(path, encoding=options.encoding):
        if line.strip():
            with options.document_at(path, number):
                yield document_from_json(_parsed(line))


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write one document a line."""
    lines = (json.dumps(document_to_json(d), ensure_ascii=False) + "\n" for d in corpus)
    write_text(path, lines, overwrite=options.overwrite)


def document_from_json(data: Json) -> Document:
    """Build a document from its JSON object."""
    id = _label(data, "id", required=True)
    fields: dict[str, Any] = {name: _label(data, name) for name in ("title", "date", "topic", "subtopic")}
    fields["extra"] = {k: v for k, v in data.items() if k not in _DOCUMENT_FIELDS}
    mentions = _list(data, "mentions", dict, "objects")
    if "tokens" in data:
        document = Document.from_tokens(id, _sentences(data), text=_string(data, "text"), **fields)
    elif "sentences" in data:
        raise FormatError(f"document {id!r} has sentences but no tokens", expected="the field tokens with it")
    elif "text" in data:
        text = _string(data, "text", required=True)
        borders = [
            m[side] for m in mentions for side in ("char_start", "char_end") if isinstance(m.get(side), int)
        ]
        document = Document.from_text(id, text, borders=borders, **fields)
    else:
        raise FormatError(f"document {id!r} has neither text nor tokens", expected="the field text or tokens")
    document = _marked(document, data).with_mentions(_mention(document, m) for m in mentions)
    refuse_repeats(document)
    return document


def document_to_json(document: Document) -> dict[str, Any]:
    """Turn a document into its JSON object; fields that say nothing are left out."""
    d = document
    data: dict[str, Any] = {"id": d.id}
    sentences = [d.words(s) for s in d.sentences]
    own_tokens = _own_tokens(d)
    if not own_tokens or d.text != joined(sentences):
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


def refuse_repeats(document: Document) -> None:
    """Raise if mentions of the same kind and tokens are put into two clusters."""
    seen: dict[tuple[str, tuple[int, ...]], Mention] = {}
    for m in document.mentions:
        if m.event is None and m.within is None:
            continue
        other = seen.setdefault((m.kind, m.tokens), m)
        if event_key(other) != event_key(m):
            raise FormatError(
                f"mentions {other.id!r} and {m.id!r} are the same words, {shortened(m.text)!r}, in two clusters",
                expected="one cluster for each mention",
            )


def _own_tokens(document: Document) -> bool:
    """Say whether a reader needs the tokens: they were given, or a head or gap counts in them.

    The reader cuts raw text at the edges of the mentions that are left; earlier ones may have cut more.
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
        "probability": m.probability,
    }
    data |= {name: value for name, value in optional.items() if value is not None}
    if m.arguments:
        data["arguments"] = [
            {"mention": a.mention} | ({"role": a.role} if a.role is not None else {}) for a in m.arguments
        ]
    return data | dict(m.extra)


def _mention(document: Document, data: Json) -> Mention:
    characters = _span(data, "char_start", "char_end")
    span = _span(data, "start", "end") or (characters and document.token_span(*characters))
    if not span:
        raise FormatError(
            f"a mention of document {document.id!r} has no place",
            expected="start and end in tokens, or char_start and char_end in characters",
        )
    mention = document.mention(
        data.get("kind", "action"),
        *span,
        id=_label(data, "id"),
        tokens=_list(data, "tokens", int, "token numbers"),
        head=None if data.get("head") is None else _integer(data, "head"),
        event=_label(data, "event"),
        within=_label(data, "within"),
        arguments=[_argument(a) for a in _list(data, "arguments", dict, "objects")],
        tag=_label(data, "tag"),
        probability=_number(data, "probability"),
        extra={k: v for k, v in data.items() if k not in _MENTION_FIELDS},
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


def _span(data: Json, start: str, end: str) -> tuple[int, int] | None:
    return (_integer(data, start), _integer(data, end)) if start in data or end in data else None


def _argument(data: Json) -> Argument:
    if unknown := sorted(data.keys() - {"mention", "role"}):
        raise FormatError(
            f"an argument has the field {unknown[0]!r}", expected="mention and role, nothing else"
        )
    return Argument(_label(data, "mention", required=True), _label(data, "role"))


def _marked(document: Document, data: Json) -> Document:
    urls = set(_list(data, "url_sentences", int, "sentence numbers"))
    annotated = set(_list(data, "annotated_sentences", int, "sentence numbers"))
    if not urls and "annotated_sentences" not in data:
        return document
    count = len(document.sentences)
    for number in sorted(urls | annotated):
        if not 0 <= number < count:
            raise FormatError(
                f"document {document.id!r} has no sentence {number}", expected=f"0 to {count - 1}"
            )
    known = "annotated_sentences" in data
    sentences = (
        replace(s, is_url=i in urls, annotated=i in annotated if known else None)
        for i, s in enumerate(document.sentences)
    )
    return replace(document, sentences=tuple(sentences))


def _sentences(data: Json) -> list[list[str]]:
    words = _list(data, "tokens", str, "strings")
    sizes = _list(data, "sentences", int, "token counts") if "sentences" in data else [len(words)]
    if sum(sizes) != len(words) or any(size < 0 for size in sizes):
        raise FormatError(
            f"the sentences have {sum(sizes)} tokens in all", expected=f"counts that add up to {len(words)}"
        )
    return [words[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]


def _parsed(line: str) -> Json:
    try:
        data = json.loads(line, parse_constant=_finite, parse_float=_finite)
        if _SURROGATE.search(line):
            json.dumps(data, ensure_ascii=False).encode()  # half a pair could be read, but never written
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON ({error})", expected="one JSON object a line") from error
    if not isinstance(data, dict):
        raise FormatError(f"is a JSON {type(data).__name__}", expected="one JSON object a line")
    return data


def _finite(number: str) -> float:
    """Read a number that can be written again: JSON itself has no NaN and no infinity."""
    value = float(number)
    if not isfinite(value):
        raise ValueError(f"{number} is not a finite number")
    return value


def _string(data: Json, name: str, *, required: bool = False) -> Any:
    value = data.get(name)
    if value is None and required:
        raise FormatError(f"the field {name!r} is missing", expected=f"a string {name!r}")
    if value is not None and not isinstance(value, str):
        raise FormatError(f"the field {name!r} is {value!r}", expected="a string")
    return value


def _label(data: Json, name: str, *, required: bool = False) -> Any:
    """Read a string that may be given as a whole number: ids and topics often are."""
    value = data.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _string(data, name, required=required)


def _integer(data: Json, name: str) -> int:
    value = data.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise FormatError(f"the field {name!r} is {value!r}", expected="a whole number")
    return value


def _number(data: Json, name: str) -> float | None:
    value = data.get(name)
    if value is not None and (not isinstance(value, int | float) or isinstance(value, bool)):
        raise FormatError(f"the field {name!r} is {value!r}", expected="a number")
    return value


def _list(data: Json, name: str, of: type, called: str) -> list[Any]:
    value = data.get(name, [])
    if not isinstance(value, list) or not all(isinstance(v, of) and not isinstance(v, bool) for v in value):
        raise FormatError(f"the field {name!r} is not a list of {called}", expected=f"a list of {called}")
    return value


FORMAT = Format(
    name="jsonl",
    summary="JSON Lines, the native format: one document a line, nothing lost",
    suffixes=(".jsonl", ".ndjson"),
    recognises=lambda path: path.is_file() and has_suffix(path, ".jsonl", ".ndjson"),
    read=read,
    write=write,
)
