"""Compile the PropBank frame files 3.4 into the table that `frames` reads.

Links to FrameNet 1.7 are kept; links to other resources, or of unknown version, are not. Examples and notes are
left out. Light verbs and other constructions (`take_action`) count as verbs; prepositions and adverbial
phrases have no place among the four parts of speech: they are left out, and counted in the manifest.
"""

from __future__ import annotations

import json
import lzma
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from samevent.errors import FormatError, place
from samevent.formats.files import check_absent
from samevent.language.lexicon.base import Pos, normal
from samevent.language.lexicon.frames import KIND, SCHEMA
from samevent.storage import atomic_path

MALFORMED = frozenset(("check.xml", "rend.xml"))
"""The files of release 3.4 that are not well-formed XML. The fault is in an example, so they are read without."""

_PARTS: dict[str, Pos] = {"v": "v", "n": "n", "j": "a", "r": "r", "l": "v", "m": "v"}
_EXAMPLE = re.compile(rb"<example\b.*?</example>", re.DOTALL)


def compile_frames(archive: Path, output: Path, *, overwrite: bool = False) -> None:
    """Write the table of the frame files in a zip archive."""
    check_absent(output, overwrite=overwrite)
    rolesets: list[Any] = []
    words: dict[str, dict[int, None]] = {}
    without_examples: list[str] = []
    left_out: Counter[str] = Counter()
    for name, root in frame_files(archive):
        if Path(name).name in MALFORMED:
            without_examples.append(Path(name).name)
        for element in root.iter("roleset"):
            for alias in element.iterfind("aliases/alias"):
                letter, word = alias.get("pos", ""), (alias.text or "").strip()
                if letter in _PARTS and word:
                    # A dict as an ordered set: a roleset may name the same alias twice.
                    words.setdefault(f"{_PARTS[letter]}:{normal(word)}", {})[len(rolesets)] = None
                else:
                    left_out[letter] += 1
            rolesets.append(_roleset(element, name))
    manifest = {
        "kind": KIND,
        "schema": SCHEMA,
        "source": "PropBank frame files 3.4, linked to FrameNet 1.7",
        "licence": "CC BY-SA 4.0",
        "rolesets": len(rolesets),
        "words": len(words),
        "words_with_frame": sum(any(rolesets[i][2] for i in rows) for rows in words.values()),
        "read_without_examples": without_examples,
        "aliases_left_out": dict(sorted(left_out.items())),
    }
    content = {
        "manifest": manifest,
        "rolesets": rolesets,
        "words": {word: list(rows) for word, rows in sorted(words.items())},
    }
    packed = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    with atomic_path(output) as temporary:
        temporary.write_bytes(lzma.compress(packed))


def frame_files(archive: Path) -> Iterator[tuple[str, Element]]:
    """Go through the frame files with the place of each; those that are malformed come without examples."""
    for name, data in _members(archive):
        yield name, _parse(name, _without_examples(data) if Path(name).name in MALFORMED else data)


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(archive) as content:
            names = sorted(name for name in content.namelist() if name.endswith(".xml"))
            for name in names:
                yield place(archive / name), content.read(name)
    except (OSError, zipfile.BadZipFile) as error:
        raise FormatError(f"cannot be read as a zip archive ({error})", where=place(archive)) from error
    if not names:
        raise FormatError(
            "holds no XML file", where=place(archive), expected="the PropBank frame files, `frames/*.xml`"
        )


def _parse(name: str, data: bytes) -> Element:
    if b"<!ENTITY" in data:
        raise FormatError("defines entities", where=name, expected="a frame file, which needs none")
    try:
        return ElementTree.fromstring(data)  # noqa: S314
    except ElementTree.ParseError as error:
        raise FormatError(
            f"is not well-formed XML ({error})",
            where=place(name, error.position[0]),
            hint=f"only {' and '.join(sorted(MALFORMED))} are known to be so",
        ) from error


def _without_examples(data: bytes) -> bytes:
    """Return a file without its examples, the line numbers unchanged."""
    return _EXAMPLE.sub(lambda match: b"\n" * match[0].count(b"\n"), data)


def _roleset(element: Element, name: str) -> list[Any]:
    if not element.get("id"):
        raise FormatError("a roleset has no id", where=name)
    roles = [
        [
            role.get("n", "").upper(),
            role.get("f", "").strip().upper(),
            role.get("descr", "").strip(),
            [
                [_frame(link), normal((link.text or "").strip())]
                for link in _links(role, "rolelinks/rolelink")
            ],
        ]
        for role in element.iterfind("roles/role")
    ]
    frames = dict.fromkeys(_frame(link) for link in _links(element, "lexlinks/lexlink"))
    return [element.get("id"), element.get("name", "").strip(), list(frames), roles]


def _links(element: Element, path: str) -> Iterator[Element]:
    for link in element.iterfind(path):
        if (link.get("resource", "").lower(), link.get("version")) == ("framenet", "1.7"):
            yield link


def _frame(link: Element) -> str:
    # One link of release 3.4 carries a remark before the name: "standoff-n: Hostile_encounter".
    return link.get("class", "").rpartition(": ")[2]
