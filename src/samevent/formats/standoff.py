"""The lines of a brat `.ann` file: what each is made of and what it points at, not what it means to samevent.

T1<TAB>Attack 4 9;12 15<TAB>words there     a span of the text, in one or more pieces
E1<TAB>Attack:T1 Agent:T2 Cause:E2          an event: its trigger and its arguments
R1<TAB>Before Arg1:E1 Arg2:E2               a relation of two
*<TAB>Alias T2 T3 T4                        an equivalence, which has no id
A1<TAB>Negation E1                          an attribute (M in old files), with or without a value
N1<TAB>Reference T2 Wikipedia:27421<TAB>words   a normalisation
#1<TAB>AnnotatorNotes T1<TAB>words          a note
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from samevent.corpus.document import shortened
from samevent.errors import FormatError, place
from samevent.formats.files import read_lines

_SPAN = "[0-9]{1,9} [0-9]{1,9}"
_ABOUT = r"(?P<type>\S+) (?P<targets>\S+)(?: (?P<value>[^\t]*))?(?:\t(?P<text>.*))?"
_SHAPES = {
    "T": (rf"(?P<type>\S+) (?P<value>{_SPAN}(?:;{_SPAN})*)\t(?P<text>.*)", "TYPE START END<TAB>WORDS"),
    "E": (r"(?P<type>[^\s:]+):(?P<targets>T\w+(?: [^\s:]+:\w+)*)\s*", "TYPE:T1 ROLE:T2"),
    "R": (r"(?P<type>\S+) (?P<targets>[^\s:]+:\w+ [^\s:]+:\w+)\s*", "TYPE ARG1:T1 ARG2:T2"),
    "*": (r"(?P<type>\S+) (?P<targets>\w+(?: \w+)+)\s*", "TYPE T1 T2"),
    **dict.fromkeys("AMN#", (_ABOUT, "TYPE T1 VALUE<TAB>TEXT")),
}
LETTERS = tuple(_SHAPES)


@dataclass(frozen=True, slots=True)
class Line:
    """One annotation; `targets` are the ids it points at, `roles` what they are to it ("" if nothing is said).

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
        """The sort of annotation."""
        return self.id[0]


Lines = Mapping[str, Line]


def lines_of(path: Path, encoding: str | None = None) -> Lines:
    """Read a file; equivalences, which have no id, get a key that no line can point at."""
    lines: dict[str, Line] = {}
    for number, raw in read_lines(path, encoding=encoding):
        if raw.strip():
            line = parsed(raw, place(path, number))
            key = f"* {number}" if line.id == "*" else line.id
            if key in lines:
                raise FormatError(
                    f"the id {key} is that of {lines[key].where} too", where=line.where, expected="unique ids"
                )
            lines[key] = line
    return lines


def parsed(raw: str, where: str) -> Line:
    """Take a line apart."""
    id, _, rest = raw.partition("\t")
    pattern, shape = _SHAPES.get(id[:1], ("(?!)", ""))
    found = re.fullmatch(pattern, rest)
    if found is None or not re.fullmatch(r"\*|[^*]\w+", id):
        example = (
            f"{id[:1]}{'' if id[0] == '*' else '1'}<TAB>{shape}"
            if shape
            else f"one of {' '.join(_SHAPES)} first"
        )
        raise FormatError(f"cannot make sense of {shortened(raw, 60)!r}", where=where, expected=example)
    parts = found.groupdict("")
    pairs = [word.rpartition(":") for word in parts.get("targets", "").split()]
    targets, roles = tuple(target for *_, target in pairs), tuple(role for role, *_ in pairs)
    return Line(where, id, parts["type"], targets, roles, parts.get("value", ""), parts.get("text", ""))


def owner_of(lines: Lines, line: Line, target: str) -> str:
    """Return the id of the T line that a line's target is or leads to."""
    seen: set[str] = set()
    while target in lines and target not in seen:
        if lines[target].letter == "T":
            return target
        seen.add(target)
        target = lines[target].targets[0]
    raise FormatError(
        f"{line.id} points at {target}" + (", which leads in a circle" if target in lines else ""),
        where=line.where,
        expected="the id of a T or E line",
    )
