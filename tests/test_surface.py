from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import samevent
from samevent.cli.main import COMMANDS


def test_everything_in_all_can_be_imported_and_nothing_else_is_shown() -> None:
    for name in samevent.__all__:
        assert getattr(samevent, name) is not None
    assert dir(samevent) == sorted(samevent.__all__)


def test_every_name_has_one_home() -> None:
    names = [name for names in samevent._HOMES.values() for name in names]
    assert sorted(names) == sorted(samevent.__all__)
    for home, owned in samevent._HOMES.items():
        module = importlib.import_module(f"samevent.{home}")
        assert all(getattr(samevent, name) is getattr(module, name) for name in owned)


def test_the_engine_is_there_without_importing_it_first() -> None:
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
