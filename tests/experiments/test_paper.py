from __future__ import annotations

from typing import Any

import pytest

from samevent.experiments.ecbplus import SYSTEMS
from samevent.experiments.paper import paper_figures


@pytest.mark.parametrize("unit", ["document", "subtopic"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_paper_figures_are_consistent(unit: str, system: str) -> None:
    figures: Any = paper_figures(unit, system)
    metrics = [figures[name] for name in ("muc", "bcubed", "ceafe")]
    assert figures["conll"] == pytest.approx(sum(m["f1"] for m in metrics) / 3, abs=0.0011)
    for m in metrics:
        harmonic = 2 * m["precision"] * m["recall"] / (m["precision"] + m["recall"])
        assert m["f1"] == pytest.approx(harmonic, abs=0.0016)


def test_paper_has_no_figures_of_other_units() -> None:
    assert paper_figures("corpus", "lemma") is None
    assert paper_figures("document", "hdp-struct") is None
