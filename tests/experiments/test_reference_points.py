"""Scores that are known for trivial answers on ECB+: they tie reader, split and scorer together."""

from __future__ import annotations

import pytest

from builders import needs_data
from real_data import ecbplus_release
from samevent.corpus import Clustering, Corpus, Unit, unit_of
from samevent.experiments.protocols import load_split
from samevent.scoring import score


def yang2015_test() -> Corpus:
    gold = load_split("yang2015").select(ecbplus_release(), "test")
    return gold.filtered(lambda m: m.kind == "action" and m.event is not None)


@needs_data("ecbplus")
@pytest.mark.parametrize(("unit", "conll"), [("document", 48.8), ("subtopic", 12.6)])
def test_every_mention_alone(unit: Unit, conll: float) -> None:
    gold = yang2015_test()
    alone = Clustering([m.id] for m in gold.mentions())
    assert 100 * score(gold, alone, unit=unit).conll == pytest.approx(conll, abs=0.05)


@needs_data("ecbplus")
@pytest.mark.parametrize(("unit", "conll"), [("document", 39.4), ("subtopic", 43.4)])
def test_one_cluster_a_unit(unit: Unit, conll: float) -> None:
    gold = yang2015_test()
    together = Clustering.from_labels({m.id: unit_of(gold[m.document], unit) for m in gold.mentions()})
    assert 100 * score(gold, together, unit=unit).conll == pytest.approx(conll, abs=0.05)
