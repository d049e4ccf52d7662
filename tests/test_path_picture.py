from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tools import draw_path
from tools.draw_path import STEPS, Step, calls_in, entrances, picture

from samevent.corpus import Corpus
from samevent.formats import read
from samevent.model import Model
from samevent.similarity.links import find_links

ROOT = Path(__file__).parents[1]


def test_path_picture_is_up_to_date() -> None:
    assert (ROOT / "docs" / "pictures" / "path.svg").read_text("utf-8") == picture(), "run `make docs`"


def test_path_picture_shows_every_step_with_its_result() -> None:
    drawn = picture()
    assert re.findall(r'data-step="([^"]+)"', drawn) == [draw_path.name_of(step.function) for step in STEPS]
    assert re.findall(r'data-type="([^"]+)"', drawn) == [step.returns.__name__ for step in STEPS]


def test_path_picture_lists_the_modules_that_take_the_path() -> None:
    modules = entrances()
    assert {"runs", "cli.extract", "training.data", "adapters.spacy_component"} <= set(modules)
    assert any(module.startswith("experiments.") for module in modules)
    assert not {"model", "preparation"} & set(modules)


@pytest.mark.parametrize(
    ("function", "returns", "caller", "message"),
    [
        (find_links, Corpus, None, "returns MentionLinks, not Corpus"),
        (read, Corpus, Model.resolve, "Model.resolve does not call read"),
    ],
)
def test_path_picture_rejects_steps_that_are_not_in_the_code(
    function: Callable[..., Any], returns: type, caller: Callable[..., Any] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Step("wrong", function, returns, caller).check()


def test_calls_are_read_from_the_source() -> None:
    assert {"prepare", "resolve_evidence"} <= calls_in(Model.resolve)
    assert {"cluster_evidence", "assemble"} <= calls_in(Model.resolve_evidence)
    assert "extract" not in calls_in(Model.resolve)
