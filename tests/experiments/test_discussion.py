from __future__ import annotations

from parses import needs_model
from samevent.experiments.discussion import FIRST, SECOND, measure_discussion
from samevent.model import Model


@needs_model
def test_the_default_model_joins_what_agglomerative_clustering_and_hdp_lex_do_not() -> None:
    systems = [("paper", "agglomerative"), ("paper", "hdp-lex"), ("standard", "hddcrp")]
    figures = measure_discussion(Model.load(), systems)
    assert [list(FIRST), list(SECOND)] == [
        each for each in figures["mentions"] if tuple(each) in (FIRST, SECOND)
    ]
    *wrong, right = figures["systems"]
    for each in wrong:
        assert not each["joined"]
        assert ["announced (lineup)", "announced (storm)"] in each["events"]
    assert right["joined"]
    assert all("announced (storm)" not in event for event in right["events"])
