"""Draw the path from documents to events, from the code: the functions it calls, their docstrings and what they return.

`python -m tools.draw_path` writes `docs/pictures/path.svg`; `--check` writes nothing, and exits with 1 if the picture
is out of date. A step that its caller no longer calls, or that no longer returns the type shown, is an error.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from tools.pictures.svg import Sheet, truncate, width_of

import samevent
from samevent.clusterers.base import Clustered, Clusterer, Evidence
from samevent.clusterers.linked import Linked
from samevent.corpus import Corpus, Document
from samevent.extraction.arguments import associate
from samevent.extraction.model import Extractor
from samevent.formats import read
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation
from samevent.language.roles import Roles
from samevent.language.roles.base import Predicate
from samevent.model import Model, cluster_evidence
from samevent.preparation import Prepared, complete, parse, prepare
from samevent.results import Result
from samevent.results.assembly import assemble
from samevent.similarity.links import MentionLinks, find_links
from samevent.similarity.mentions import MentionTable
from samevent.similarity.pairs import label_mentions
from samevent.similarity.tables import compile_in_parts

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "path.svg"
PACKAGE = Path(samevent.__file__).parent

_WIDTH, _LEFT, _BOX, _GAP, _TYPE, _ROW, _TOP = 860, 92, 430, 54, 240, 84, 84
_CODE = "font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Step:
    """A function on the path, the type it returns, and the function that calls it, if it is not the user."""

    name: str
    function: Function
    returns: type
    caller: Function | None

    def check(self) -> None:
        """Raise an error if the code no longer does what the picture shows."""
        annotation = str(inspect.signature(self.function).return_annotation)
        if self.returns.__name__ not in annotation and annotation != "Iterator[Annotated]":
            raise ValueError(f"{name_of(self.function)} returns {annotation}, not {self.returns.__name__}")
        if self.caller and self.function.__name__ not in calls_in(self.caller):
            raise ValueError(f"{name_of(self.caller)} does not call {self.function.__name__}")


STEPS = (
    Step("Read", read, Corpus, None),
    Step("Annotate", Annotator.annotate, Annotation, parse),
    Step("Label roles", Roles.label, Predicate, parse),
    Step("Extract", Extractor.extract, Document, complete),
    Step("Find arguments", associate, Document, Extractor.extract),
    Step("Compile", compile_in_parts, MentionTable, label_mentions),
    Step("Link", find_links, MentionLinks, None),
    Step("Cluster", Clusterer.cluster, Clustered, cluster_evidence),
    Step("Assemble", assemble, Result, Model.resolve_evidence),
)
SPANS = ((Model.resolve, 0, 1, 8), (Model.prepare, 1, 1, 4), (Prepared, 1, 5, 5))
"""What runs the steps: its column, its first step, its last step."""
_HUES: dict[Function, int] = {Model.resolve: 0, Model.prepare: 3, Prepared: 2}
NESTED: tuple[tuple[Function, Function], ...] = (
    (Model.resolve, Model.prepare),
    (Model.prepare, parse),
    (Model.prepare, prepare),
    (prepare, complete),
    (Prepared, label_mentions),
    (Model.resolve, Model.resolve_evidence),
    (Model.resolve_evidence, cluster_evidence),
    (Linked.links, Evidence.links),
)
"""Callers and the functions that they call on the way to the steps."""


def name_of(function: Function) -> str:
    """Return the name of a function below the package.

    >>> name_of(compile_in_parts)
    'similarity.tables.compile_in_parts'
    """
    return f"{function.__module__}.{function.__qualname__}".removeprefix("samevent.")


def calls_in(function: Function) -> set[str]:
    """Return the names that a function calls, also through private functions of its module."""
    names: set[str] = set()
    waiting: list[Function] = [function]
    while waiting:
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(waiting.pop())))
        new = set(_called(ast.parse(source))) - names
        names |= new
        private = [getattr(sys.modules[function.__module__], name, None) for name in new if name[0] == "_"]
        waiting += [helper for helper in private if inspect.isfunction(helper)]
    return names


def entrances() -> list[str]:
    """Return the modules that take the path: those that import it and call it."""
    modules = []
    for file in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        tree = ast.parse(file.read_text("utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        if module not in ("model", "preparation") and imported & {"samevent.model", "samevent.preparation"}:
            modules += [module] if {"prepare", "extract", "cluster", "resolve"} & set(_called(tree)) else []
    return modules


def _called(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield node.func.attr
            elif isinstance(node.func, ast.Name):
                yield node.func.id


def picture() -> str:
    """Draw the path."""
    for step in STEPS:
        step.check()
    for caller, inner in NESTED:
        if inner.__name__ not in calls_in(caller):
            raise ValueError(f"{name_of(caller)} does not call {inner.__name__}")
    sheet = Sheet(
        "The path from documents to events",
        "The functions that every command calls, top to bottom, and the types that they return.",
    )
    sheet.text(_LEFT, 34, "The path from documents to events", "strong")
    sheet.text(_LEFT, 54, "Functions with their modules, and what they return.", "small", "quiet")
    for number, step in enumerate(STEPS):
        _draw_step(sheet, step, _TOP + number * _ROW)
    for runner, column, first, last in SPANS:
        _draw_span(sheet, runner, column, _TOP + first * _ROW, _TOP + last * _ROW + _ROW - 22)
    end = _draw_entrances(sheet, _TOP + len(STEPS) * _ROW + 14)
    return sheet.written(_WIDTH, end)


def _draw_step(sheet: Sheet, step: Step, y: float) -> None:
    """Draw a function on the left and its result on the right."""
    number = STEPS.index(step)
    runners = [runner for runner, _, first, last in SPANS if first <= number <= last]
    hue = _HUES[runners[-1]] if runners else 5
    height, right = _ROW - 22, _LEFT + _BOX + _GAP
    sheet.box(_LEFT, y, _BOX, height, f"fill{hue}", f"hue{hue}", data_step=name_of(step.function))
    sheet.text(_LEFT + 12, y + 20, step.name, "strong")
    at = _LEFT + 18 + 1.12 * width_of(step.name)
    sheet.text(at, y + 20, name_of(step.function), "small", f"ink{hue}", style=_CODE)
    _draw_lines(sheet, _LEFT + 12, y + 37, _summary(step.function), _BOX - 24)
    middle = y + height / 2
    start, third = _LEFT + _BOX + 2, (_GAP - 4) / 3
    sheet.arrow(
        ((start, middle), (start + third, middle), (start + 2 * third, middle), (right - 2, middle)),
        f"hue{hue}",
    )
    sheet.box(right, y, _TYPE, height, "panel", data_type=step.returns.__name__)
    sheet.text(right + 12, y + 20, step.returns.__name__, "strong", style=_CODE)
    _draw_lines(sheet, right + 12, y + 37, ", ".join(_fields(step.returns)), _TYPE - 24)
    if step is not STEPS[-1]:
        x, end = _LEFT + _BOX / 2, y + _ROW
        sheet.arrow(((x, y + height), (x, y + height + 6), (x, end - 8), (x, end - 2)), "grey")


def _draw_span(sheet: Sheet, runner: Function, column: int, top: float, bottom: float) -> None:
    """Draw a bracket around the steps that a function or class runs."""
    hue = _HUES[runner]
    x = 34.0 + 30 * column
    sheet.draw(
        "path",
        d=f"M{x + 12:g} {top:g} H{x:g} V{bottom:g} H{x + 12:g}",
        class_=f"link hue{hue}",
        data_span=name_of(runner),
    )
    middle = (top + bottom) / 2
    turn = f"rotate(-90 {x - 7:g} {middle:g})"
    sheet.text(
        x - 7, middle, runner.__qualname__, "small", "middle", f"ink{hue}", transform=turn, style=_CODE
    )


def _draw_entrances(sheet: Sheet, y: float) -> float:
    """List the modules that take the path; return where the picture ends."""
    sheet.text(_LEFT, y, "Modules that call it", "strong")
    x, y = float(_LEFT), y + 14
    for module in entrances():
        wide = 1.1 * width_of(module, 11) + 16
        if x + wide > _WIDTH - 24:
            x, y = float(_LEFT), y + 28
        sheet.box(x, y, wide, 22, "lone", round_=11, data_entrance=module)
        sheet.text(x + wide / 2, y + 15, module, "small", "middle", style=_CODE)
        x += wide + 8
    return y + 42


def _summary(function: Function) -> str:
    """Return the first sentence of a docstring, without markup."""
    text = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
    return text.replace("`", "")


def _fields(kind: type) -> list[str]:
    """Return the public fields of a type, or the names that its instances have."""
    names: Sequence[str] = [field.name for field in fields(kind)] if is_dataclass(kind) else ()
    return [name for name in names or getattr(kind, "_fields", ()) if not name.startswith("_")]


def _draw_lines(sheet: Sheet, x: float, y: float, text: str, width: float) -> None:
    """Draw a text in at most two lines."""
    first, rest = "", text.split()
    while rest and width_of(f"{first} {rest[0]}", 11) <= width:
        first = f"{first} {rest.pop(0)}".strip()
    sheet.text(x, y, first, "small", "quiet")
    if rest:
        sheet.text(x, y + 15, truncate(" ".join(rest), width, 11), "small", "quiet")


def main() -> None:
    """Write the picture, or check that it is up to date."""
    drawn, check = picture(), "--check" in sys.argv
    stale = not PICTURE.exists() or PICTURE.read_text("utf-8") != drawn
    if stale and not check:
        PICTURE.write_text(drawn, "utf-8")
    if stale:
        print(f"docs/pictures/path.svg: {'is out of date, run make docs' if check else 'drawn'}")
    sys.exit(1 if stale and check else 0)


if __name__ == "__main__":
    main()
