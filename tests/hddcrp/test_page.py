"""The page docs/hddcrp.md: its snippets run as they stand, and its example prints what it shows."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from samevent.hddcrp import HDDCRP

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "hddcrp.md").read_text(encoding="utf-8")


def test_snippets_give_what_they_show() -> None:
    names: dict[str, Any] = {}
    blocks = re.findall(r"```pycon\n(.*?)```", PAGE, re.DOTALL)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    for block in blocks:
        example = doctest.DocTestParser().get_doctest(block, names, "docs/hddcrp.md", None, None)
        runner.run(example, out=report.append, clear_globs=False)
        names = example.globs
    assert len(blocks) > 4
    assert report == []


def test_error_of_contradictory_constraints_is_the_one_shown() -> None:
    with pytest.raises(ValueError, match="0 - 2 - 3") as caught:
        HDDCRP().fit([[1]] * 4, must_link=[(0, 2), (2, 3)], cannot_link=[(0, 3)])
    assert str(caught.value) in PAGE


def test_documented_output_is_what_the_example_prints() -> None:
    command = [sys.executable, "-W", "ignore", str(ROOT / "examples" / "tremors.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"```console\n$ python examples/tremors.py\n{printed}```" in PAGE
