"""brat standoff: `.txt` files with `.ann` files of the same name beside them, in a folder at any depth.

A text without an `.ann` file has no mentions. Offsets count the characters of the unchanged text.

| line | becomes |
|---|---|
| `T1 Type 4 9;12 15<TAB>words` | a mention; pieces with words between them make it discontinuous |
| `E1 Type:T1 Role:T2 Role:E3` | the arguments of the mention T1; several E lines of one T are merged |
| `* Type T1 T2`, `R1 Coref... Arg1:T1 Arg2:T2` | mentions of one chain; chains that share a mention are one |
| `#1 SameEvent T1<TAB>name` | the event, across documents, of T1 and of the chain that contains it |
| `A1 EventClass E1 reporting`, `A2 Negated E1` | the class of an action, and that it is negated |
| `#2 Refers T1<TAB>{"when": ...}` | what the mention refers to, as JSON |
| other R lines, A, M, N and # | records in the mention's `extra["brat"]`, written back as they were |

The type gives the kind: Action, Participant, Time and Location, or a tag in the style of ECB+, which is kept as the
mention's `tag`. Any other type is an action if it has an E line in its document, otherwise a participant. Two
mentions of one kind at the same place are an error. An argument without a role has the role `Argument` in the file.
A line about an R, A, N or # line belongs to the mention that this line is about.

Written and read back: texts, spans, kinds, arguments, event classes, negation, references, event names, clusters, and
tags that can be types of their kind. Lost: tokens and sentences, ids of mentions, heads, probabilities, other tags, the
names of within-document chains, chains that split an event, title, date (unless the id of the document holds it),
topic, unknown fields. Names of more than one line, and roles with spaces or colons, cannot be written.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import cast

from samevent.corpus import (
    EVENT_CLASSES,
    KINDS,
    Argument,
    Corpus,
    Document,
    EventClass,
    Kind,
    Mention,
    Reference,
)
from samevent.corpus.corpus import event_key
from samevent.corpus.document import reading_order, shortened
from samevent.errors import CorpusError, FormatError, SameventError, UsageError, place
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix
from samevent.formats.fields import loads
from samevent.formats.files import files_in, read_lines, write_folder
from samevent.formats.references import reference_from_json, reference_to_json
from samevent.formats.text import date_in, documents_in, file_name, text_chunks, text_of

_TYPES = frozenset(kind.capitalize() for kind in KINDS)
_KIND = re.compile(
    r"""(?: (?P<action> action | neg) | (?P<participant> participant | (?:non_)?human)
          | (?P<time> time) | (?P<location> loc(?:ation)?) ) (?![^\W_])""",
    re.VERBOSE | re.IGNORECASE,
)
_EVENT, _NO_ROLE = "SameEvent", "Argument"
_CLASS, _NEGATED, _REFERS = "EventClass", "Negated", "Refers"

_SPAN = "[0-9]{1,9} [0-9]{1,9}"
_ABOUT = r"(?P<type>\S+) (?P<targets>\S+)(?: (?P<value>[^\t]*))?(?:\t(?P<text>.*))?"
_SHAPES = {
    "T": (rf"(?P<type>\S+) (?P<value>{_SPAN}(?:;{_SPAN})*)\t(?P<text>.*)", "TYPE START END<TAB>WORDS"),
    "E": (r"(?P<type>[^\s:]+):(?P<targets>T\w+(?: [^\s:]+:\w+)*)\s*", "TYPE:T1 ROLE:T2"),
    "R": (r"(?P<type>\S+) (?P<targets>[^\s:]+:\w+ [^\s:]+:\w+)\s*", "TYPE ARG1:T1 ARG2:T2"),
    "*": (r"(?P<type>\S+) (?P<targets>\w+(?: \w+)+)\s*", "TYPE T1 T2"),
    **dict.fromkeys("AMN#", (_ABOUT, "TYPE T1 VALUE<TAB>TEXT")),
}

Record = list[str]
"""A line that is kept unread: letter, type, value and text. The value of an R line is its two labels, its text the id
of the other mention."""


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read a folder of file pairs in order of their names, or one pair, given either of its files."""
    if path.is_dir():
        texts, annotations = documents_in(path, ".txt"), documents_in(path, ".ann")
    else:
        pair = path.with_suffix(".txt"), path.with_suffix(".ann")
        texts, annotations = (documents_in(file) if file.exists() else {} for file in pair)
    for id in sorted(annotations.keys() - texts.keys()):
        with options.document_at(annotations[id]):
            raise FormatError("there is no text for this annotation", expected="a .txt file of the same name")
    for id, file in texts.items():
        with options.document_at(annotations.get(id, file)):
            lines = _lines_of(annotations[id], options.encoding) if id in annotations else {}
            yield _document(id, text_of(file, options), lines)


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write a folder with two files for each document, and the `annotation.conf` that brat needs to show them."""
    if has_suffix(path, ".ann", ".txt"):
        raise UsageError("brat is a folder of files", where=place(path), expected="the name of a folder")
    write_folder(path, _files(corpus), overwrite=options.overwrite)


@dataclass(frozen=True, slots=True)
class _Line:
    """One annotation; `targets` are the ids it points at, `roles` their roles ("" where there is none).

    The `value` of a T line is its place, its `text` the words there.
    """

    where: str
    id: str
    type: str
    targets: tuple[str, ...]
    roles: tuple[str, ...]
    value: str
    text: str

    @property
    def letter(self) -> str:
        """The letter that names the type of annotation."""
        return self.id[0]


_Lines = Mapping[str, _Line]


def _lines_of(path: Path, encoding: str | None = None) -> _Lines:
    """Read a file; equivalences, which have no id, get a key that no line can refer to."""
    lines: dict[str, _Line] = {}
    for number, raw in read_lines(path, encoding=encoding):
        if raw.strip():
            line = _parsed(raw, place(path, number))
            key = f"* {number}" if line.id == "*" else line.id
            if key in lines:
                raise FormatError(
                    f"the id {key} is already used at {lines[key].where}",
                    where=line.where,
                    expected="unique ids",
                )
            lines[key] = line
    return lines


def _parsed(raw: str, where: str) -> _Line:
    """Parse one line."""
    id, _, rest = raw.partition("\t")
    pattern, shape = _SHAPES.get(id[:1], ("(?!)", ""))
    match = re.fullmatch(pattern, rest)
    if match is None or not re.fullmatch(r"\*|[^*]\w+", id):
        example = (
            f"{id[:1]}{'' if id[0] == '*' else '1'}<TAB>{shape}"
            if shape
            else f"one of {' '.join(_SHAPES)} first"
        )
        raise FormatError(f"cannot parse {shortened(raw, 60)!r}", where=where, expected=example)
    parts = match.groupdict("")
    pairs = [word.rpartition(":") for word in parts.get("targets", "").split()]
    targets, roles = tuple(target for *_, target in pairs), tuple(role for role, *_ in pairs)
    return _Line(where, id, parts["type"], targets, roles, parts.get("value", ""), parts.get("text", ""))


def _owner_of(lines: _Lines, line: _Line, target: str) -> str:
    """Return the id of the T line that a line's target refers to, directly or not."""
    seen: set[str] = set()
    while target in lines and target not in seen:
        if lines[target].letter == "T":
            return target
        seen.add(target)
        target = lines[target].targets[0]
    raise FormatError(
        f"{line.id} points at {target}" + (", which leads into a cycle" if target in lines else ""),
        where=line.where,
        expected="the id of a T or E line",
    )


def _document(id: str, text: str, lines: _Lines) -> Document:
    spans = {line.id: _span(line, text) for line in lines.values() if line.letter == "T"}
    borders = [border for span in spans.values() for piece in span for border in piece]
    document = Document.from_text(id, text, borders=borders, date=date_in(id))
    triggers = {line.type for line in lines.values() if line.letter == "E"}
    mentions: dict[str, Mention] = {}
    places: dict[str, str] = {}
    for name, span in spans.items():
        line = lines[name]
        tokens = [token for piece in span for token in range(*document.token_span(*piece))]
        tag = None if line.type in _TYPES else line.type
        m = document.mention(_kind(line.type, triggers), tokens[0], tokens[-1] + 1, tokens=tokens, tag=tag)
        if places.setdefault(m.id, name) != name:
            raise FormatError(
                f"{name} marks the same {m.kind} as {places[m.id]}, {shortened(m.text)!r}",
                where=line.where,
                expected="one mention per kind and place",
                hint="keep one of them",
            )
        mentions[name] = m
    return document.with_mentions(_completed(mentions, lines))


def _span(line: _Line, text: str) -> list[tuple[int, int]]:
    numbers = [int(number) for number in re.split("[ ;]", line.value)]
    span = list(zip(numbers[::2], numbers[1::2], strict=True))
    if numbers[-1] > len(text) or any(a > b for a, b in pairwise(numbers)):
        raise FormatError(
            f"{line.id} is at {line.value}",
            where=line.where,
            expected=f"pieces in order, from 0 to {len(text)}, the length of the text",
        )
    if not all(text[start:end].strip() for start, end in span):
        raise FormatError(
            f"{line.id} is at {line.value}, which contains no word",
            where=line.where,
            expected="the offsets of words",
        )
    words = " ".join(text[start:end] for start, end in span).split()
    if line.text.split() != words:  # White space may differ: line ends are shown as spaces.
        counted = "; a Windows line end is two of them, though some tools count one" if "\r\n" in text else ""
        raise FormatError(
            f"{line.id} says {shortened(line.text)!r} where the text says {shortened(' '.join(words))!r}",
            where=line.where,
            hint=f"offsets count the characters of the .txt file from 0{counted}",
        )
    return span


def _kind(name: str, triggers: Collection[str]) -> Kind:
    if match := _KIND.match(name):
        return cast(Kind, match.lastgroup)
    return "action" if name in triggers else "participant"


def _completed(mentions: Mapping[str, Mention], lines: _Lines) -> Iterator[Mention]:
    """Yield the mentions with what the other lines say about them."""
    arguments: dict[str, dict[Argument, None]] = {name: {} for name in mentions}
    records: dict[str, list[Record]] = {name: [] for name in mentions}
    classes: dict[str, EventClass] = {}
    negated: set[str] = set()
    references: dict[str, Reference] = {}
    links: list[list[str]] = []
    notes: list[tuple[str, _Line]] = []
    for line in lines.values():
        owner, *others = [_owner_of(lines, line, target) for target in line.targets] or [line.id]
        if line.letter == "E":
            if line.type != lines[owner].type:
                raise FormatError(
                    f"{line.id} has the type {line.type}",
                    where=line.where,
                    expected=f"{lines[owner].type}, as its trigger {owner}",
                )
            for role, other in zip(line.roles[1:], others, strict=True):
                arguments[owner][Argument(mentions[other].id, None if role == _NO_ROLE else role)] = None
        elif line.letter == "*" or (line.letter == "R" and line.type.lower().startswith("coref")):
            links.append([owner, *others])
        elif line.letter == "R":
            records[owner].append(["R", line.type, " ".join(line.roles), mentions[others[0]].id])
        elif line.letter == "#" and line.type == _EVENT:
            notes.append((owner, line))
        elif line.letter == "#" and line.type == _REFERS and (reference := _reference(line)):
            references[owner] = reference
        elif line.letter == "A" and line.type == _CLASS and line.value in EVENT_CLASSES:
            classes[owner] = line.value
        elif line.letter == "A" and line.type == _NEGATED and not line.value:
            negated.add(owner)
        elif line.letter != "T":
            records[owner].append([line.letter, line.type, line.value, line.text])
    order = sorted(mentions, key=lambda name: reading_order(mentions[name]))
    for name, event, within in _clusters(order, links, notes):
        extra = {"brat": records[name]} if records[name] else {}
        yield replace(
            mentions[name],
            event=event,
            within=within,
            arguments=tuple(arguments[name]),
            event_class=classes.get(name),
            negated=name in negated,
            refers=references.get(name),
            extra=extra,
        )


def _reference(line: _Line) -> Reference | None:
    """Return what a note of ours says; a note of others of the same type stays a record."""
    try:
        return reference_from_json(loads(line.text))
    except (SameventError, ValueError):
        return None


def _clusters(
    names: list[str], links: Iterable[list[str]], notes: Iterable[tuple[str, _Line]]
) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield each mention with its event and its chain."""
    parents = {name: name for name in names}

    def chain(name: str) -> str:
        while parents[name] != name:
            parents[name] = name = parents[parents[name]]
        return name

    for first, *others in links:
        for other in others:
            parents[chain(other)] = chain(first)
    events: dict[str, _Line] = {}
    for name, note in notes:
        earlier = events.setdefault(chain(name), note)
        if not note.text or note.text != earlier.text:
            raise FormatError(
                f"{note.id} names the event {note.text!r} of {name}, {earlier.id} the event {earlier.text!r}",
                where=note.where,
                expected="one event name per chain of coreferent mentions",
            )
    sizes = Counter(chain(name) for name in names)
    numbers: dict[str, str] = {}
    for name in names:
        if chain(name) in events:
            yield name, events[chain(name)].text, None
        elif sizes[chain(name)] > 1:
            yield name, None, numbers.setdefault(chain(name), f"c{len(numbers) + 1}")
        else:
            yield name, None, None


def _files(corpus: Corpus) -> Iterator[tuple[str, list[str]]]:
    used: dict[str, dict[str, set[str]]] = {letter: {} for letter in _SHAPES}
    for document in corpus:
        name, lines = file_name(document.id), list(_annotation(document))
        for raw in lines:
            # Never write what would be read differently (a role with a space, an event with a line end).
            whole = raw.splitlines() == [raw] and not raw.endswith("\t")
            line = _parsed(raw if whole else repr(raw), f"document {document.id!r}")
            values = [line.value] if line.value and line.letter in "AM" else line.roles[1:]
            used[line.letter].setdefault(line.type, set()).update(values)
        yield f"{name}.txt", text_chunks(document)
        yield f"{name}.ann", [f"{raw}\n" for raw in lines]
    yield "annotation.conf", [f"{line}\n" for line in _configuration(used)]


def _annotation(document: Document) -> Iterator[str]:
    numbers: Counter[str] = Counter()

    def new(letter: str) -> str:
        numbers[letter] += 1
        return f"{letter}{numbers[letter]}"

    types = _types_of(document)
    triggers: dict[str, str] = {}
    ids: dict[str, str] = {}
    groups: dict[tuple[str, ...], list[str]] = {}
    for m in document.mentions:
        pieces = _pieces(document, m)
        places = ";".join(f"{start} {end}" for start, end in pieces)
        words = " ".join(document.text[start:end] for start, end in pieces)
        triggers[m.id] = new("T")
        # brat attaches everything about an event to its E line.
        ids[m.id] = new("E") if _is_event(m) else triggers[m.id]
        groups.setdefault(event_key(m), []).append(ids[m.id])
        yield f"{triggers[m.id]}\t{types[m.id]} {places}\t{words}"
    for m in filter(_is_event, document.mentions):
        arguments = "".join(f" {a.role or _NO_ROLE}:{ids[a.mention]}" for a in m.arguments)
        yield f"{ids[m.id]}\t{types[m.id]}:{triggers[m.id]}{arguments}"
    yield from (f"*\tCoreference {' '.join(group)}" for group in groups.values() if len(group) > 1)
    for m in document.mentions:
        if m.event is not None:
            yield f"{new('#')}\t{_EVENT} {ids[m.id]}\t{m.event}"
        if m.event_class is not None:
            yield f"{new('A')}\t{_CLASS} {ids[m.id]} {m.event_class}"
        if m.negated:
            yield f"{new('A')}\t{_NEGATED} {ids[m.id]}"
        if m.refers:
            yield f"{new('#')}\t{_REFERS} {ids[m.id]}\t{json.dumps(reference_to_json(m.refers))}"
        for letter, name, value, text in _records(m):
            if letter != "R":
                value, text = f" {value}" if value else "", f"\t{text}" if text else ""
                yield f"{new(letter)}\t{name} {ids[m.id]}{value}{text}"
            elif text in ids:  # the other mention may have been filtered out
                here, _, there = value.partition(" ")
                yield f"{new(letter)}\t{name} {here}:{ids[m.id]} {there}:{ids[text]}"


def _is_event(mention: Mention) -> bool:
    return mention.kind == "action" or bool(mention.arguments)


def _records(mention: Mention) -> Iterator[Record]:
    records = mention.extra.get("brat")
    for record in records if isinstance(records, list) else ():
        match record:
            case ["A" | "M" | "N" | "#" | "R", str(), str(), str()]:
                yield record


def _types_of(document: Document) -> dict[str, str]:
    triggers = {m.tag for m in document.mentions if m.tag and _is_event(m)}
    types = {m.id: m.kind.capitalize() for m in document.mentions}
    for m in document.mentions:
        if m.tag and re.fullmatch(r"[^\s:]+", m.tag) and _kind(m.tag, triggers) == m.kind:
            types[m.id] = m.tag
    return types


def _pieces(document: Document, mention: Mention) -> list[tuple[int, int]]:
    """Return the runs of a mention's tokens, split at line ends, which a line of the file cannot contain."""
    pieces: list[tuple[int, int]] = []
    for first, end in mention.runs:
        start = document.tokens[first].start
        for line in document.text[start : document.tokens[end - 1].end].splitlines(keepends=True):
            if words := line.strip():
                at = start + line.index(words)
                pieces.append((at, at + len(words)))
            start += len(line)
    if not pieces:
        raise CorpusError(
            f"mention {mention.id!r} is only white space, which brat cannot mark", expected="words"
        )
    return pieces


def _configuration(used: Mapping[str, Mapping[str, Collection[str]]]) -> Iterator[str]:
    """Yield the types in use and the links allowed between them, without which brat shows nothing."""
    events, attributes = used["E"], {**used["A"], **used["M"]}
    yield from ("[entities]", *sorted(used["T"].keys() - events.keys()), "", "[relations]")
    yield from (f"{name}\tArg1:<ANY>, Arg2:<ANY>" for name in sorted(used["R"]))
    yield "Coreference\tArg1:<ANY>, Arg2:<ANY>, <REL-TYPE>:symmetric-transitive"
    yield "<OVERLAP>\tArg1:<ANY>, Arg2:<ANY>, <OVL-TYPE>:<ANY>"
    yield from ("", "[events]")
    for name, roles in sorted(events.items()):
        yield f"{name}\t{', '.join(f'{role}*:<ANY>' for role in sorted(roles))}".rstrip()
    yield from ("", "[attributes]")
    for name, values in sorted(attributes.items()):
        yield f"{name}\tArg:<ANY>" + (f", Value:{'|'.join(sorted(values))}" if values else "")


FORMAT = Format(
    name="brat",
    summary="brat standoff: a folder of .txt and .ann files",
    suffixes=(),
    recognises=lambda path: (
        any(files_in(path, ".ann", refused=lambda _: None)) if path.is_dir() else has_suffix(path, ".ann")
    ),
    read=read,
    write=write,
)
