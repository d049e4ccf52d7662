"""CoNLL-2012 columns, read as the official coreference scorer (v8.01) reads them.

    #begin document (news/a); part 000
    news/a  0  0  Sudan  -
    news/a  0  1  bombs  (0)

    #end document

Columns are separated by tabs or else by blanks, a blank line ends a sentence. Only the last column is
coreference: `(0` opens a mention of cluster 0, `0)` closes the one opened last, `(0)` is one word, several
are joined by `|` or by nothing, and `-`, `_` or `*` is none. The word is the fourth of five or more columns;
where there are fewer, words are unknown and become `_`.

`(name); part 000` is the document `name`, `(name); part 001` is `name#1`, and any other header is an id as
it stands. Cluster numbers hold within one document: cluster 3 of document `a` is read as the event `a:3`,
and two documents never share an event. To keep events across documents, write a larger unit.
A span that occurs twice, in two clusters or in one, is an error unless `repeats` is set; then those after the
first get ids that end in `#2`, `#3`, ..., in the order in which clusters appear in the document.

Written: action mentions, including singletons, with one number per event in the whole file.
Lost: other kinds, heads, tags, classes, arguments, mention and event ids, and metadata of documents and
sentences. A discontinuous mention becomes its covering span, white space inside a word becomes `_`, the text
becomes its words separated by blanks. Errors, because they would be ambiguous to a reader: two mentions with the
same covering span, and mentions of one event that cross each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from samevent.corpus import Corpus, Document, Mention, mention_id
from samevent.corpus.corpus import event_key
from samevent.errors import FormatError, located, place
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix
from samevent.formats.columns import Piece, bracketed
from samevent.formats.files import read_lines, write_text

_BEGIN = re.compile(r"#\s*begin document\b(.*)")
_END = re.compile(r"#\s*end document\b")
_HEADER = re.compile(r"\((.+)\);?(?:\s+part\s+([0-9]{1,9}))?")
_PART = re.compile(r"(.+)#([1-9][0-9]{0,8})", re.DOTALL)
_BRACKET = re.compile(r"(\(?)([0-9]+)(\)?)")
_NOTHING = frozenset(("-", "_", "*"))
_SUFFIXES = (".conll", "_conll", ".key", ".response", ".coref")


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read the documents of one file."""
    lines: dict[str, int] = {}
    draft: _Draft | None = None
    for number, line in read_lines(path, encoding=options.encoding):
        with located(path, number):
            if begin := _BEGIN.match(line):
                if draft is not None:
                    raise _unended(draft, path)
                draft = _Draft(_id(begin[1].strip()), number)
                if draft.id in lines:
                    raise FormatError(
                        f"document {draft.id!r} already begins on line {lines[draft.id]}",
                        expected="each document once",
                    )
                lines[draft.id] = number
            elif draft is None:
                if line.strip():
                    raise FormatError("text outside a document", expected="a #begin document line")
            elif _END.match(line):
                yield draft.document(path, repeats=options.repeats)
                draft = None
            else:
                draft.add(number, line)
    if draft is not None:
        raise _unended(draft, path)


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write one `#begin document` block per unit, with the documents of the unit in order."""
    numbers: dict[tuple[str, ...], int] = {}
    for mention in corpus.mentions("action"):
        numbers.setdefault(event_key(mention), len(numbers))
    with located(path):
        lines = [
            line
            for name, documents in corpus.grouped(options.unit).items()
            for line in _block(name, documents, numbers)
        ]
    write_text(path, lines, overwrite=options.overwrite)


@dataclass(slots=True)
class _Draft:
    """A document while its lines are read."""

    id: str
    line: int
    sentences: list[list[str]] = field(default_factory=lambda: [[]])
    token_lines: list[int] = field(default_factory=list)
    open_starts: dict[str, list[int]] = field(default_factory=dict)
    spans: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, number: int, line: str) -> None:
        line = line.strip(" \t")
        if not line:
            self.sentences.append([])
            return
        columns = [c.strip(" ") for c in line.split("\t")] if "\t" in line else re.split(" +", line)
        self.sentences[-1].append((columns[3] if len(columns) > 4 else "") or "_")
        self.token_lines.append(number)
        if columns[-1] not in _NOTHING:
            self._bracket(columns[-1])

    def _bracket(self, column: str) -> None:
        brackets = list(_BRACKET.finditer(column))
        rest = _BRACKET.sub("", column).strip("|")
        if rest or not brackets or not all(b[1] or b[3] for b in brackets):
            raise FormatError(
                f"the last column is {column!r}",
                expected="coreference such as (1), (1|(2 or 2)1), or - for none",
            )
        token = len(self.token_lines) - 1
        # The scorer takes single words, then openings, then closings, in whatever order the column has them.
        for begins, cluster, ends in sorted(
            (b.groups() for b in brackets), key=lambda b: (not b[0], not b[2])
        ):
            starts = self.open_starts.setdefault(cluster, [])
            spans = self.spans.setdefault(cluster, [])
            if begins:
                starts.append(token)
            if ends and not starts:
                raise FormatError(
                    f"a mention of cluster {cluster} ends but never began",
                    expected=f"({cluster} on this line or before",
                )
            if ends:
                spans.append((starts.pop(), token + 1))

    def document(self, path: Path, *, repeats: bool) -> Document:
        for cluster, starts in self.open_starts.items():
            if starts:
                raise FormatError(
                    f"a mention of cluster {cluster} begins but never ends",
                    where=place(path, self.token_lines[starts[-1]]),
                    expected=f"{cluster}) before #end document",
                )
        document = Document.from_tokens(self.id, [s for s in self.sentences if s])
        clusters_of: dict[tuple[int, int], list[str]] = {}
        for cluster, spans in self.spans.items():
            for span in spans:
                clusters_of.setdefault(span, []).append(cluster)
        mentions = []
        for (start, end), clusters in clusters_of.items():
            if len(clusters) > 1 and not repeats:
                raise FormatError(
                    f"tokens {start}-{end} of document {self.id!r} are {len(clusters)} mentions, "
                    f"in clusters {', '.join(clusters)}",
                    where=place(path, self.token_lines[start]),
                    expected="each span once",
                    hint="remove all but one",
                )
            base = mention_id(self.id, start, end, "action")
            mentions += [
                document.mention(
                    "action", start, end, id=f"{base}#{n}" if n > 1 else base, event=f"{self.id}:{cluster}"
                )
                for n, cluster in enumerate(clusters, 1)
            ]
        return document.with_mentions(mentions)


def _unended(draft: _Draft, path: Path) -> FormatError:
    return FormatError(
        f"document {draft.id!r} begins here but never ends",
        where=place(path, draft.line),
        expected="#end document before the next document and the end of the file",
    )


def _id(header: str) -> str:
    if not header:
        raise FormatError("the document has no name", expected="#begin document (name); part 000")
    if not (match := _HEADER.fullmatch(header)):
        return header
    name, part = match[1], int(match[2] or 0)
    return f"{name}#{part}" if part else name


def _name_and_part(id: str) -> tuple[str, int]:
    match = _PART.fullmatch(id)
    return (match[1], int(match[2])) if match else (id, 0)


def _block(name: str, documents: Iterable[Document], numbers: dict[tuple[str, ...], int]) -> Iterator[str]:
    if "\n" in name or "\r" in name:
        raise FormatError(f"the name {name!r} contains a line end", expected="a name on one line")
    title, part = _name_and_part(name)
    yield f"#begin document ({title}); part {part:03d}\n"
    for document in documents:
        title, part = _name_and_part(document.id)
        source = re.sub("^#", "_", _cell(title))  # many readers skip lines that begin with #
        notes = bracketed(_pieces(document, numbers))
        for sentence in document.sentences:
            for number, word in enumerate(document.words(sentence)):
                coreference = "|".join(notes.get(sentence.start + number, "-"))
                yield f"{source}\t{part}\t{number}\t{_cell(word)}\t{coreference}\n"
            yield "\n"
    yield "#end document\n"


def _pieces(document: Document, numbers: dict[tuple[str, ...], int]) -> Iterator[Piece]:
    seen: dict[tuple[int, int], Mention] = {}
    for m in document.mentions:
        if m.kind == "action":
            if (other := seen.setdefault(m.span, m)) is not m:
                raise FormatError(
                    f"mentions {other.id!r} and {m.id!r} have the same covering span, {m.text!r}",
                    expected="each span once",
                    hint="remove one of them, or write JSON Lines",
                )
            number = str(numbers[event_key(m)])
            yield Piece(number, m.start, m.end, f"({number}", f"{number})", m)


def _cell(text: str) -> str:
    """Return text without white space, which would split the column."""
    return re.sub(r"\s", "_", text)


FORMAT = Format(
    name="conll2012",
    summary="CoNLL-2012 columns, as the official coreference scorer reads them",
    suffixes=_SUFFIXES,
    recognises=lambda path: path.is_file() and has_suffix(path, *_SUFFIXES),
    read=read,
    write=write,
)
