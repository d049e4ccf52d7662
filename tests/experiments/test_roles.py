from __future__ import annotations

import pytest

from builders import DATA, needs_data
from parses import needs_model
from samevent.experiments.roles import measure_roles
from samevent.language.resources import resources
from samevent.language.roles.base import ROLES


@pytest.mark.slow
@needs_model
@needs_data("srl")
def test_shipped_labeller_keeps_its_quality_on_the_development_data() -> None:
    """Floors under the measured figures: a change that costs more than noise must not go unnoticed."""
    found = measure_roles(DATA / "srl", resources().roles, part="dev")
    assert set(found["verbal"]) == {"micro_f1", *ROLES}
    assert found["verbal"]["micro_f1"] > 0.86
    assert found["nominal"]["micro_f1"] > 0.66
    assert found["end_to_end"]["verbal"]["micro_f1"] > 0.84
    assert found["end_to_end"]["predicates"]["verbal"]["f1"] > 0.95
    assert found["rules"]["micro_f1"] == pytest.approx(0.717, abs=0.01)
    assert found["rules"]["nominal"]["micro_f1"] < found["nominal"]["micro_f1"] - 0.2
