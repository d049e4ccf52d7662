from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import samevent
from samevent.cli.main import COMMANDS


def test_everything_in_all_can_be_imported_and_nothing_else_is_shown() -> None:
    for name in samevent.__all__:
        assert getattr(samevent, name) is not None
    assert dir(samevent) == sorted(samevent.__all__)


def test_names_are_those_that_type_checkers_see() -> None:
    tree = ast.parse(Path(samevent.__file__).read_text("utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    homes = {
        alias.name: str(node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(homes) == sorted(samevent.__all__)
    for name, home in homes.items():
        assert getattr(samevent, name) is getattr(importlib.import_module(home), name)


def test_reading_a_corpus_imports_nothing_heavy() -> None:
    code = "import sys, samevent; samevent.read; print([m for m in ('numpy', 'spacy', 'numba') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_the_engine_needs_no_import_of_its_own() -> None:
    code = "import samevent; print(samevent.hddcrp.fit.__name__)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "fit\n"


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = samevent.nothing


@pytest.mark.parametrize("command", ["", *(f"'{name}', " for name in COMMANDS)])
def test_help_imports_nothing_heavy(command: str) -> None:
    code = (
        f"import sys; sys.argv = ['samevent', {command}'--help']\n"
        "from samevent.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numpy', 'scipy', 'spacy', 'numba', 'sklearn') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage: samevent" in done.stdout
    assert done.stderr.strip() == "[]"
