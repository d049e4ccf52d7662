from __future__ import annotations

import pytest

from extraction_builders import news, text_of, tiny_resources
from samevent.corpus import KINDS
from samevent.extraction.learning import LearningSettings
from samevent.extraction.training import ExtractorSettings, train
from samevent.extraction.verbs import left_verbs
from samevent.preparation import Extraction, complete

ROWS = """
    Rebels   NOUN  nsubj raiding rebel
    were     AUX   aux   raiding be
    raiding  VERB  ROOT  raiding raid
    and      CCONJ cc    raiding
    quelled  VERB  conj  raiding quell
    camps    NOUN  dobj  quelled camp
"""


def test_every_verb_that_is_no_head_becomes_an_event() -> None:
    text = text_of(ROWS)
    document = text.document
    found = left_verbs(document, text.annotation, [])
    assert [(m.kind, m.text, m.head) for m in found] == [("action", "raiding", 2), ("action", "quelled", 4)]
    taken = document.mention("participant", 3, 6, head=4)
    assert [m.text for m in left_verbs(document, text.annotation, [taken])] == ["raiding"]


@pytest.mark.parametrize("verbs", [None, False, True])
def test_extraction_adds_verbs_only_if_asked(verbs: bool | None) -> None:
    resources = tiny_resources()
    settings = ExtractorSettings(
        learning=LearningSettings(regularisation=0.1, rounds=2, rate=0.03, batch=2),
        least=1,
        folds=3,
        recall_shares=dict.fromkeys(KINDS, 0.5),
    )
    extractor = train(news(), resources, settings=settings)
    text = text_of(ROWS)
    document = complete(text, resources, extractor, Extraction(verbs=verbs, point="precise"))
    plain = complete(text, resources, extractor, Extraction(point="precise"))
    heads = {m.head for m in plain.mentions}
    expected = {m.text for m in plain.mentions if m.kind == "action"}
    if verbs:
        expected |= {word for token, word in ((2, "raiding"), (4, "quelled")) if token not in heads}
    assert {m.text for m in document.mentions if m.kind == "action"} == expected
    assert all(m.event_class for m in document.mentions if m.kind == "action")
