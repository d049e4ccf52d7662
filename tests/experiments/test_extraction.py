from __future__ import annotations

import pytest

from builders import needs_data
from parses import needs_model
from real_data import ecbplus_release
from samevent.corpus import KINDS
from samevent.experiments.extraction import measure_part
from samevent.experiments.protocols import load_split
from samevent.extraction import load_extractor
from samevent.extraction.training import HeldOut
from samevent.language.cache import Cache
from samevent.preparation import parse


@pytest.mark.slow
@needs_model
@needs_data("ecbplus")
def test_shipped_extractor_keeps_its_quality_on_the_development_data() -> None:
    """Floors under the measured figures: a change that costs more than noise must not go unnoticed."""
    extractor = load_extractor()
    dev = load_split("yang2015").select(ecbplus_release(), "dev")
    texts = (HeldOut(text, extractor) for text in parse(dev, extractor.resources.roles, cache=Cache()))
    found = measure_part(texts, extractor.thresholds)
    recall, balanced, precise = found["recall"], found["points"]["balanced"], found["points"]["precise"]
    assert set(recall) == set(balanced) == set(KINDS)
    assert precise["action"]["precision"] > balanced["action"]["precision"]
    assert found["empty_words"]["precise"]["share"] < found["empty_words"]["recall"]["share"]
    assert found["classes"]["accuracy"] > found["classes"]["most_common"]
    assert recall["action"]["head_recall"] > 0.9
    assert recall["action"]["exact_recall"] > 0.8
    assert recall["participant"]["head_recall"] > 0.9
    assert recall["time"]["head_recall"] > 0.9
    assert balanced["action"]["f1"] > 0.8
    assert balanced["action"]["exact"]["f1"] < balanced["action"]["f1"]
    assert found["roles"]["action"]["head_recall"] < recall["action"]["head_recall"]
    heads = [at["head_recall"] for at in found["curve"]]
    assert heads == sorted(heads)
