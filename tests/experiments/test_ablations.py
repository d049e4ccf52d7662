from __future__ import annotations

import pytest

from samevent.clusterers import clusterer
from samevent.experiments.ablations import BASE, GROUPS, SERIES, variants


def test_every_group_of_features_is_left_out_once() -> None:
    assert [v.without for v in variants() if v.without] == [(group,) for group in GROUPS]


@pytest.mark.parametrize("name", SERIES)
def test_every_series_has_the_value_of_the_paper(name: str) -> None:
    assert getattr(clusterer("hddcrp", preset="paper"), name) in SERIES[name]


def test_variants_change_one_thing_at_a_time() -> None:
    assert variants()[0] == BASE
    assert all(len(v.changes) + len(v.without) == 1 for v in variants()[1:])
    for variant in variants():
        clusterer("hddcrp", variant.changes, preset="paper")
