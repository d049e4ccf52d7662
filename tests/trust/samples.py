"""Small valid inputs of every format, ways to break them, and what must hold of whatever is read from them.

Knows neither pytest nor hypothesis: `tools/fuzz.py` uses it too.
"""

from __future__ import annotations

import gzip
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from loose_files import QUAKE, STRIKE, atom, mail, objects, page, pdf, rss, word
from loose_files import zipped as zipped
from samevent import Argument, Corpus, Document, SameventError, read, write
from samevent.errors import UnreadWarning

LONGEST_MESSAGE = 2_000
"""An error is a line that a person reads, whatever it speaks of."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Files by their names, and which of them is read; "" is the folder that they lie in."""

    format: str
    files: Mapping[str, bytes]
    entry: str = ""

    def put(self, folder: Path) -> Path:
        """Write the files into a folder and return what to read."""
        for name, data in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return folder / self.entry

    def mutated(self, name: str, mutations: Iterable[Mutation]) -> Sample:
        """Return the sample with one of its files changed."""
        data = self.files[name]
        for mutation in mutations:
            data = mutation(data)
        return replace(self, files={**self.files, name: data})


@cache
def samples() -> dict[str, Sample]:
    """Return a sample of each format, and of those that come in several shapes one of each shape."""
    found = {
        "jsonl": _written("jsonl", "a.jsonl"),
        "conll2012": _written("conll2012", "a.conll"),
        "corefud": _written("corefud", "a.conllu"),
        "corefi": _written("corefi", "a.json"),
        "ecbplus": _written("ecbplus"),
        "brat": _written("brat"),
        "tables": _written("tables"),
        "text": _written("text"),
        "feed": Sample("feed", {"a.rss": rss({"a": QUAKE[0], "b": STRIKE[0]})}, "a.rss"),
        "atom": Sample("feed", {"a.atom": atom({"a": QUAKE[0], "b": STRIKE[0]})}, "a.atom"),
        "html": Sample("html", {"a.html": page(QUAKE), "b.htm": page(STRIKE)}),
        "pdf": Sample("pdf", {"a.pdf": pdf(QUAKE, title="Quake"), "b.pdf": pdf(STRIKE)}),
        "docx": Sample("docx", {"a.docx": word(QUAKE), "b.docx": word(STRIKE)}),
        "mail": Sample("mail", {"a.eml": mail(QUAKE[0], html="<p>Quake"), "b.eml": mail(STRIKE[0])}),
        "csv": Sample("csv", {"a.csv": f'id,text\n1,"{QUAKE[0]}"\n2,"{STRIKE[0]}"\n'.encode()}, "a.csv"),
        "json": Sample("json", {"a.json": objects([QUAKE[0], STRIKE[0]])}, "a.json"),
        "folder": Sample("folder", {"a.html": page(QUAKE), "sub/b.txt": STRIKE[0].encode()}),
    }
    xml = {name: data for name, data in found["ecbplus"].files.items() if name.endswith(".xml")}
    found["zip"] = Sample("ecbplus", {"a.zip": zipped(xml)}, "a.zip")
    found["gzip"] = Sample(
        "jsonl", {"a.jsonl.gz": gzip.compress(found["jsonl"].files["a.jsonl"])}, "a.jsonl.gz"
    )
    return found


def _written(format: str, entry: str = "") -> Sample:
    with TemporaryDirectory() as name:
        folder = Path(name) / "sample"
        if entry:
            folder.mkdir()
        write(_corpus(), folder / entry, format=format)
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    return Sample(format, files, entry)


def _corpus() -> Corpus:
    """Return two documents with all that a corpus can hold and every format can write."""
    documents = []
    for id in ("1_1ecb", "1_2ecbplus"):
        d = Document.from_text(
            id, "Sudan bombed Yida on Thursday. The raid killed ten people off, it said.", topic="1"
        )
        who, where = d.mention("participant", 0, 1, head=0), d.mention("location", 2, 3, event="yida")
        when = d.mention("time", 4, 5, tag="TIME_DATE")
        arguments = [Argument(who.id, "ARG0"), Argument(where.id), Argument(when.id, "AM-TMP")]
        actions = [
            d.mention("action", 1, 2, event="raid", arguments=arguments, probability=0.5, head=1),
            d.mention("action", 7, 8, event="raid", tag="ACTION_OCCURRENCE"),
            d.mention("action", 8, 12, event=f"kill {id}", tokens=(8, 11), head=8, extra={"note": "=1+1"}),
        ]
        documents.append(d.with_mentions([who, where, when, *actions]))
    return Corpus(documents)


NASTY: tuple[bytes, ...] = (
    b"\0", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\x0b", b"\r", b"\x1b[31m",
    "\u2028".encode(), "\u202e".encode(), "\u00a0".encode(), "\u0663".encode(), "e\u0301\U0001f4a5".encode(),
    b"", b" ", b"\t", b"\n", b"\n\n", b'"', b"'", b"\\", b"\\ud800", b",", b";", b"|", b":", b"-", b"_", b"#",
    b"(", b")", b"(1", b"1)", b"[", b"]", b"{", b"}", b"<", b">", b"&", b"&lt;", b"&#0;", b"&bomb;", b"%00", b"../",
    b"0", b"1", b"-1", b"1.5", b"1e999", b"NaN", b"1_0", b"9" * 30, b"9" * 5_000, b"null", b"true", b"[]", b"{}",
    b'"a"', b"[" * 3_000, b'{"a":' * 3_000, b"<a>" * 3_000, b"a" * 5_000,
    b'<!DOCTYPE a [<!ENTITY bomb "aaaaaaaaaa">]>', b"<![CDATA[a]]>", b'<?xml version="1.0" encoding="cp037"?>',
    b"#begin document (a); part 000", b"#end document", b"# newdoc id = a", b"1-2", b"1.1", b"Entity=(e1[1/2]",
    b"T1\tAction 0 1\tS", b"E1\tAction:E1", b"*\tCoreference T1 T2", b'"kind": 1, ', b'"mentions": {}, ',
)  # fmt: skip
"""What readers stumble over."""

_WORD = re.compile(rb"[^\s\",:;<>|()\[\]{}=/-]+")


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change: what is done, and three numbers that say where and with what, each taken modulo what there is."""

    name: str
    at: int
    other: int
    what: int

    def __call__(self, data: bytes) -> bytes:
        """Return changed data."""
        return MUTATIONS[self.name](data, self)


def _flip(data: bytes, m: Mutation) -> bytes:
    at = m.at % (len(data) or 1)
    return data[:at] + bytes(byte ^ (1 << m.what % 8) for byte in data[at : at + 1]) + data[at + 1 :]


def _cut(data: bytes, m: Mutation) -> bytes:
    return data[: m.at % (len(data) + 1)]


def _remove(data: bytes, m: Mutation) -> bytes:
    at = m.at % (len(data) + 1)
    return data[:at] + data[at + m.other % 40 :]


def _insert(data: bytes, m: Mutation) -> bytes:
    at = m.at % (len(data) + 1)
    return data[:at] + _nasty(m) + data[at:]


def _replace_word(data: bytes, m: Mutation) -> bytes:
    words = list(_WORD.finditer(data))
    if not words:
        return _nasty(m)
    start, end = words[m.at % len(words)].span()
    return data[:start] + _nasty(m) + data[end:]


def _exchange_words(data: bytes, m: Mutation) -> bytes:
    words = list(_WORD.finditer(data))
    if not words:
        return data
    source, target = words[m.at % len(words)], words[m.other % len(words)]
    return data[: target.start()] + source[0] + data[target.end() :]


def _repeat_lines(data: bytes, m: Mutation) -> bytes:
    lines = data.splitlines(keepends=True)
    at = m.at % (len(lines) + 1)
    return b"".join([*lines[:at], *lines[at : at + 1 + m.other % 3] * (1 + m.what % 50), *lines[at:]])


def _remove_lines(data: bytes, m: Mutation) -> bytes:
    lines = data.splitlines(keepends=True)
    at = m.at % (len(lines) + 1)
    return b"".join(lines[:at] + lines[at + 1 + m.other % 3 :])


def _swap_lines(data: bytes, m: Mutation) -> bytes:
    lines = data.splitlines(keepends=True)
    if lines:
        i, j = m.at % len(lines), m.other % len(lines)
        lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def _nasty(m: Mutation) -> bytes:
    return NASTY[m.what % len(NASTY)]


MUTATIONS: dict[str, Callable[[bytes, Mutation], bytes]] = {
    "flip": _flip,
    "cut": _cut,
    "remove": _remove,
    "insert": _insert,
    "replace word": _replace_word,
    "exchange words": _exchange_words,
    "repeat lines": _repeat_lines,
    "remove lines": _remove_lines,
    "swap lines": _swap_lines,
}
"""Everything that is done to files."""


def read_or_rejected(path: Path, format: str | None = None) -> Corpus | SameventError:
    """Read a corpus and check it, or return the error; any other exception is the reader's fault."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreadWarning)
            corpus = read(path, format=format)
    except SameventError as error:
        check_message(error)
        return error
    check_corpus(corpus)
    return corpus


def check_message(error: SameventError) -> None:
    """Raise unless an error says something, on one line."""
    message = str(error)
    if not error.what.strip() or "\n" in message or len(message) > LONGEST_MESSAGE:
        raise AssertionError(f"an error of {len(message):,} characters: {message[:200]!r}") from error


def check_corpus(corpus: Corpus) -> None:
    """Raise unless offsets, ids and sentences hold together, and the native format gives all of it back."""
    ids = [m.id for m in corpus.mentions()]
    wrong = [f"mention ids are not unique: {ids}"] if len(set(ids)) < len(ids) else []
    for d in corpus:
        wrong += [f"{t} in {d.id!r}" for t in d.tokens if d.text[t.start : t.end] != t.text or not t.text]
        wrong += [f"{m} in {d.id!r}" for m in d.mentions if d.text[m.char_start : m.char_end] != m.text]
        covered = [i for s in d.sentences for i in range(s.start, s.end)]
        if covered != list(range(len(d.tokens))):
            wrong.append(f"sentences of {d.id!r} cover {covered}")
    clustered = {id for cluster in corpus.clustering(None) for id in cluster}
    if clustered != set(ids):
        wrong.append("the clustering does not cover the mentions")
    if wrong:
        raise AssertionError(wrong[0])
    with TemporaryDirectory() as folder:
        write(corpus, Path(folder) / "again.jsonl")
        if read(Path(folder) / "again.jsonl") != corpus:
            raise AssertionError("the native format does not give the corpus back")
