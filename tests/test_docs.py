from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from samevent.cli.main import COMMANDS
from samevent.clusterers import CLUSTERERS
from samevent.formats import FORMATS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize(
    "options", [("--without-data",), pytest.param((), marks=pytest.mark.slow)], ids=["examples", "all"]
)
def test_shown_output_is_what_the_commands_print(options: tuple[str, ...]) -> None:
    command = [sys.executable, str(ROOT / "tools" / "generate_docs.py"), "--check", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    assert [name for name in COMMANDS if f"$ samevent {name} --help" not in page] == []


def test_every_format_is_documented() -> None:
    page = (ROOT / "docs" / "formats.md").read_text()
    assert [name for name in FORMATS if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_documented_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    mentioned = {
        t
        for page in PAGES
        for t in re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)`", page.read_text(), re.MULTILINE)
        for t in t
        if t
    }
    assert mentioned <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_examples_import_names_that_exist(page: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    for statement in (node for block in blocks for node in ast.parse(block).body):
        if isinstance(statement, ast.ImportFrom):
            module = import_module(str(statement.module))
            assert [name.name for name in statement.names if not hasattr(module, name.name)] == []


def test_settings_table_describes_every_setting() -> None:
    page = (ROOT / "docs" / "clusterers.md").read_text()
    for name, system in CLUSTERERS.items():
        described = [field.name for field in fields(system) if f"| `{field.name}` |" in page]
        assert described == [field.name for field in fields(system)], name


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_files_named_on_pages_exist(page: Path) -> None:
    names = re.findall(
        r"`((?:hddcrp|partitions|clusterers|similarity|extraction|experiments|tools|benchmarks|tests)/[\w/.]+)`",
        page.read_text(),
    )
    assert [
        name for name in names if not any((ROOT / base / name).exists() for base in ("", "src/samevent"))
    ] == []


def test_documented_limits_are_those_of_the_code() -> None:
    from samevent.formats.files import MAX_BYTES, MAX_CONTAINER_BYTES

    page = (ROOT / "docs" / "trust.md").read_text()
    assert f"{MAX_BYTES:,} bytes" in page
    assert f"{MAX_CONTAINER_BYTES:,}" in page
