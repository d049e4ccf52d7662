"""ECB+: one CAT XML file per document, in topic folders or zipped, and a list of validated sentences.

A name such as `1_10ecbplus.xml` means topic 1, sub-topic ecbplus. A first sentence that is the page's address is
marked, and the address is kept in `Document.extra["url"]`. `ECBplus_coreference_sentences.csv` is looked up in the
folder and its three parents: the sentences that it lists are annotated, all others are not. It may list documents
that are not read, but no sentence that a document lacks. It is written if any sentence is known to be annotated
or not.

Kept: tokens, sentences, kinds, tags, classes and negation (as tags), discontinuous mentions, one event or chain per
mention; title, date, topic and sub-topic, as attributes where the name does not imply them; CAT's own ids, notes and
instance names in `extra` (`doc_id`; `m_id`, `note`, `descriptor`). Lost on writing: the white space between tokens,
sentences without tokens, heads, arguments, probabilities, mention ids other than `doc:start-end:kind`, a chain beside
an event, tags of other corpora. Lost on reading: instances without mentions, and `RELATED_TO`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from samevent.corpus import Corpus, Document
from samevent.errors import FormatError, located, place
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix
from samevent.formats.cat import document_from_xml, document_to_xml, full_sentences
from samevent.formats.files import read_bytes, read_lines, read_zip, write_folder

ARCHIVE = "ECB+.zip"
SENTENCES = "ECBplus_coreference_sentences.csv"

_COLUMNS = ("Topic", "File", "Sentence Number")
_FILE = re.compile(r"(ecb|ecbplus)\.xml$")

Rows = Mapping[int, str]
"""The listed sentences of a document, each with the location of its row."""


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read a file, a folder at any depth or a zip, in the order of topics and file names."""
    sentences = options.sentences or _sentences_near(path)
    listed = None if sentences is None else _listed(sentences)
    files: dict[str, str] = {}
    for file, data in _files(path):
        with options.document_at(file):
            document = document_from_xml(data, file, encoding=options.encoding)
            if document.id in files:
                raise FormatError(
                    f"document {document.id!r} was already read from {files[document.id]}",
                    expected="every document once",
                )
            files[document.id] = file
            yield document if listed is None else _marked(document, listed.get(document.id, {}))


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write a folder `<topic>/<document>.xml`, with the list of sentences if there is one."""
    with located(path):
        write_folder(path, _written(corpus), overwrite=options.overwrite)


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        files = {f.relative_to(path).as_posix(): f for f in path.rglob("*.xml")}
        if not files and (path / ARCHIVE).is_file():
            yield from read_zip(path / ARCHIVE, _in_order)
        for name in _in_order(files):
            yield str(files[name]), read_bytes(files[name])
    elif has_suffix(path, ".zip"):
        empty = True
        for file in read_zip(path, _in_order):
            empty = False
            yield file
        if empty:
            raise FormatError(
                "the archive has no XML files",
                where=place(path),
                expected="the files of ECB+, which alone are read from an archive",
                hint="unpack it, and name the folder",
            )
    else:
        yield str(path), read_bytes(path)


def _in_order(names: Iterable[str]) -> list[str]:
    """Return the XML files, topic 2 before topic 10, without the `._` companions that macOS adds."""
    files = (name for name in names if name.endswith(".xml") and not name.rpartition("/")[2].startswith("._"))
    return sorted(files, key=lambda name: (re.sub("[0-9]+", lambda digits: digits[0].zfill(9), name), name))


def _sentences_near(path: Path) -> Path | None:
    folders = (path, *path.absolute().parents[:3])
    return next((folder / SENTENCES for folder in folders if (folder / SENTENCES).is_file()), None)


def _listed(path: Path) -> dict[str, dict[int, str]]:
    """Return the rows of the list of sentences, by document."""
    listed: dict[str, dict[int, str]] = {}
    table = csv.DictReader((line for _, line in read_lines(path)), strict=True)
    try:
        if missing := [name for name in _COLUMNS if name not in (table.fieldnames or ())]:
            raise FormatError(
                f"there is no column {missing[0]!r}", where=place(path, 1), expected=",".join(_COLUMNS)
            )
        for row in table:
            where = place(path, table.line_num)
            topic, file, sentence = ((row[name] or "").strip() for name in _COLUMNS)
            if not file or not re.fullmatch("[0-9]{1,9}", sentence):
                raise FormatError(
                    f"the row names file {file!r}, sentence {sentence!r}",
                    where=where,
                    expected="a file and the number of a sentence",
                )
            listed.setdefault(f"{topic}_{file}" if topic else file, {})[int(sentence)] = where
    except csv.Error as error:
        raise FormatError(f"is not CSV ({error})", where=place(path, table.line_num + 1)) from error
    return listed


def _marked(document: Document, rows: Rows) -> Document:
    count = len(document.sentences)
    for number, where in rows.items():
        if number >= count:
            raise FormatError(
                f"document {document.id!r} has no sentence {number}",
                where=where,
                expected=f"a number under {count}",
            )
    sentences = (replace(s, annotated=i in rows) for i, s in enumerate(document.sentences))
    return replace(document, sentences=tuple(sentences))


def _written(corpus: Corpus) -> Iterator[tuple[str, Iterable[str]]]:
    for d in corpus:
        name = "/".join(_file_name(part) for part in (d.topic, d.id) if part)
        yield f"{name}.xml", [document_to_xml(d)]
    if any(s.annotated is not None for d in corpus for s in d.sentences):
        yield SENTENCES, _sentence_list(corpus)


def _file_name(name: str) -> str:
    """Return a name that is safe on every file system; the document itself has the true one."""
    return re.sub(r"^\.", "%2E", quote(name, safe="", errors="replace"))


def _sentence_list(corpus: Corpus) -> Iterator[str]:
    yield _csv_row(*_COLUMNS)
    for d in corpus:
        topic, _, file = d.id.partition("_")
        for number, sentence in enumerate(full_sentences(d)):
            if sentence.annotated:
                yield _csv_row(topic, file, number) if topic and file else _csv_row("", d.id, number)


def _csv_row(*cells: object) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _recognises(path: Path) -> bool:
    if path.is_dir():
        return (path / ARCHIVE).is_file() or any(_FILE.search(f.name) for f in path.rglob("*.xml"))
    return has_suffix(path, ".xml", ".zip")


FORMAT = Format(
    name="ecbplus",
    summary="ECB+: a folder or zip of CAT XML files, with the list of validated sentences",
    suffixes=(),
    recognises=_recognises,
    read=read,
    write=write,
)
