from __future__ import annotations

from parses import needs_model
from samevent.experiments.discussion import FIRST, SECOND, measure_discussion
from samevent.model import Model


@needs_model
def test_the_default_model_joins_what_agglomerative_clustering_does_not() -> None:
    figures = measure_discussion(Model.load(), [("paper", "agglomerative"), ("standard", "hddcrp")])
    assert [list(FIRST), list(SECOND)] == [
        each for each in figures["mentions"] if tuple(each) in (FIRST, SECOND)
    ]
    wrong, right = figures["systems"]
    assert not wrong["joined"]
    assert ["announced (lineup)", "announced (storm)"] in wrong["events"]
    assert right["joined"]
    assert all("announced (storm)" not in event for event in right["events"])
