from __future__ import annotations

import pytest

from parses import parsed
from samevent.language.roles.rules import label

ACTIVE = """
    Sudan NNP nsubj bombed
    bombed VBD ROOT bombed bomb
    Yida NNP dobj bombed
    yesterday NN npadvmod bombed
"""
PASSIVE = """
    Yida NNP nsubjpass bombed
    was VBD auxpass bombed be
    bombed VBN ROOT bombed bomb
    by IN agent bombed
    Sudan NNP pobj by
"""
RELATIVE = """
    jets NNS nsubj left
    that WDT nsubj bombed
    bombed VBD relcl jets bomb
    Yida NNP dobj bombed
    left VBD ROOT left
"""
CONTROL = """
    Sudan NNP nsubj wants
    wants VBZ ROOT wants want
    to TO aux bomb
    bomb VB xcomp wants
"""
COPULA = """
    It PRP nsubj is
    is VBZ ROOT is be
    over JJ acomp is
"""
NOUN = """
    Sudan NNP poss raid
    raid NN ROOT raid
    of IN prep raid
    Yida NNP pobj of
"""


@pytest.mark.parametrize(
    ("rows", "word", "expected"),
    [
        (ACTIVE, "bombed", {"ARG0": "Sudan", "ARG1": "Yida", "AM-TMP": "yesterday"}),
        (PASSIVE, "bombed", {"ARG1": "Yida", "ARG0": "by"}),
        (RELATIVE, "bombed", {"ARG0": "jets", "ARG1": "Yida"}),
        (CONTROL, "bomb", {"ARG0": "Sudan"}),
        (CONTROL, "wants", {"ARG0": "Sudan", "ARG1": "bomb"}),
        (COPULA, "is", {"ARG1": "It", "ARG2": "over"}),
        (NOUN, "raid", {"ARG0": "Sudan", "ARG1": "of"}),
    ],
)
def test_rules_derive_roles_from_the_parse(rows: str, word: str, expected: dict[str, str]) -> None:
    document, annotation = parsed(rows)
    words = [t.text for t in document.tokens]
    (predicate,) = label(annotation, [words.index(word)])
    assert {a.role: words[a.head] for a in predicate.arguments} == expected
