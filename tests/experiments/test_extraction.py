from __future__ import annotations

from dataclasses import replace

import pytest

from builders import needs_data
from extraction_builders import news, tiny_resources
from parses import needs_model
from real_data import ecbplus_release
from samevent.corpus import KINDS
from samevent.experiments.extraction import measure_classes, measure_part
from samevent.experiments.protocols import load_split
from samevent.extraction import POINTS, Extractor, load_extractor
from samevent.extraction.learning import LearningSettings
from samevent.extraction.training import ExtractorSettings, HeldOut, train
from samevent.language.cache import Cache
from samevent.preparation import parse


@pytest.fixture(scope="module")
def small() -> Extractor:
    learning = LearningSettings(regularisation=0.1, rounds=12, rate=0.03, batch=2)
    shares = dict.fromkeys(KINDS, 0.5)
    settings = ExtractorSettings(learning=learning, least=1, recall_shares=shares)
    return train(news(), tiny_resources(), settings=settings)


def test_every_point_is_measured_on_its_own_events(small: Extractor) -> None:
    found = measure_part([HeldOut(text, small) for text in news()], small.thresholds)
    assert set(found["points"]) == set(found["empty_words"]) == set(POINTS)
    assert found["points"]["balanced"]["action"]["f1"] == 1
    # All gold actions are full verbs; with the lemma of an auxiliary they are found, but not at the point precise.
    empty = [
        text._replace(annotation=replace(text.annotation, lemmas=("have",) * len(text.annotation)))
        for text in news()
    ]
    found = measure_part([HeldOut(text, small) for text in empty], small.thresholds)
    assert found["points"]["precise"]["action"]["recall"] == 0
    assert found["points"]["recall"]["action"]["recall"] == 1
    assert found["empty_words"]["precise"] == {"share": 0, "events": 0}
    assert found["empty_words"]["recall"]["share"] == 1


def test_classes_are_measured_on_gold_actions(small: Extractor) -> None:
    texts = news()
    assert measure_classes([HeldOut(text, small) for text in texts])["accuracy"] == 1
    actions = [m for text in texts for m in text.document.mentions if m.kind == "action"]
    wrong = texts[0].document.with_mentions(
        replace(m, event_class="causative", negated=True) if m.id == actions[0].id else m
        for m in texts[0].document.mentions
    )
    texts[0] = texts[0]._replace(document=wrong)
    found = measure_classes([HeldOut(text, small) for text in texts])
    assert (found["count"], found["accuracy"]) == (6, 5 / 6)
    # Three causatives and two states are right; one causative is taken for a state.
    assert found["f1"]["causative"] == pytest.approx(2 * 3 / (4 + 3))
    assert found["f1"]["state"] == pytest.approx(2 * 2 / (2 + 3))
    assert found["f1"]["occurrence"] == found["negated"] == 0


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
