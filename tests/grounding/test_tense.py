"""Tense of clauses as the real parser reads them."""

from __future__ import annotations

import pytest

from parses import needs_model
from samevent.corpus import Document
from samevent.grounding.tense import Tenses
from samevent.language.annotate import Annotator

CASES = {
    ("Police arrested him on Friday.", "arrested"): "past",
    ("The trial will begin on Friday.", "begin"): "future",
    ("He was arrested on Friday.", "arrested"): "past",
    ("They plan to march on Friday.", "march"): "future",
    ("The town has opened its school.", "opened"): "past",
    ("A service is scheduled for Friday.", "scheduled"): "future",
    ("A man is wanted for arson.", "wanted"): "unknown",
    ("A service was scheduled for Friday.", "scheduled"): "past",
    ("Rain on Friday.", "Rain"): "unknown",
}


@needs_model
@pytest.mark.parametrize(("text", "word"), CASES)
def test_clause_has_the_tense_of_its_verb(text: str, word: str) -> None:
    ((document, annotation),) = Annotator().annotate([Document.from_text("d1", text)])
    at = [token.text for token in document.tokens].index(word)
    assert Tenses(annotation)[at] == CASES[text, word]
