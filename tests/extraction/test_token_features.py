"""Atoms of tokens, read off a parse written by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from extraction_builders import text_of
from samevent.extraction.arguments import Parsed
from samevent.extraction.features import TOKEN_ATOMS, token_atoms
from samevent.language.hashing import code
from samevent.language.roles import Predicate, RoleArgument
from samevent.language.roles.encoding import CORE

BOMBED = """
    Sudan NNP nsubj bombed
    bombed VBD ROOT bombed bomb
    the DT det camp
    camp NN dobj bombed
    on IN prep bombed
    Thursday NNP pobj on
"""
FLED = """
    Many JJ nsubj fled
    fled VBD ROOT fled flee
"""


def atoms(text: Parsed, classes: list[str] | None = None) -> dict[str, list[int]]:
    """Return the atoms of all tokens, by name."""
    found, _ = token_atoms(*text[:3], classes or ["x"] * len(text.document.tokens))
    return dict(zip(TOKEN_ATOMS, found.T.tolist(), strict=True))


def codes(words: str) -> list[int]:
    return [code(word) for word in words.split()]


def test_words_tags_and_labels_are_coded_as_they_are() -> None:
    found = atoms(text_of(BOMBED), ["a", "b", "c", "d", "e", "f"])
    assert found["w"] == codes("sudan bombed the camp on thursday")
    assert found["l"] == codes("sudan bomb the camp on thursday")
    assert found["t"] == codes("NNP VBD DT NN IN NNP")
    assert found["d"] == codes("nsubj ROOT det dobj prep pobj")
    assert found["c"] == codes("a b c d e f")
    assert found["s2"] == codes("an ed he mp on ay")
    assert found["p3"] == codes("sud bom the cam on thu")
    assert found["cap"] == [1, 0, 0, 0, 0, 1]
    assert found["hl"] == codes("bomb bomb camp bomb bomb on")
    assert found["ht"] == codes("VBD VBD NN VBD VBD IN")


def test_neighbours_end_where_the_sentence_does() -> None:
    found = atoms(text_of(BOMBED, FLED))
    assert found["w-1"] == codes("^ sudan bombed the camp on ^ many")
    assert found["w+1"] == codes("bombed the camp on thursday ^ fled ^")
    assert found["t-2"] == codes("^ ^ NNP VBD DT NN ^ ^")
    assert found["t+2"] == codes("DT NN IN NNP ^ ^ ^ ^")


def test_signature_names_the_core_labels_below() -> None:
    found = atoms(text_of(BOMBED))
    bits = {label: 1 << i for i, label in enumerate(CORE)}
    assert found["sg"] == [0, bits["nsubj"] | bits["dobj"], 0, 0, 0, 0]


def test_roles_are_those_of_heads_and_of_the_smallest_filler_around() -> None:
    document, annotation, *_ = text_of(BOMBED)
    predicates = (
        Predicate(1, "verbal", (RoleArgument("ARG0", 0, 0, 1), RoleArgument("ARG1", 3, 2, 6))),
        Predicate(3, "nominal", (RoleArgument("AM-TMP", 4, 4, 6), RoleArgument("ARG2", 0, 0, 6))),
    )
    found = atoms(Parsed(document, annotation, predicates))
    arg0, arg1, tmp = code("verbal ARG0"), code("verbal ARG1"), code("nominal AM-TMP")
    arg2 = code("nominal ARG2")
    assert found["rl"] == [arg0, 0, 0, arg1, tmp, 0]
    assert found["ri"] == [arg0, arg2, arg1, arg1, tmp, tmp]
    assert found["pr"] == [0, 1, 0, 2, 0, 0]


def test_chunks_and_names_mark_their_tokens() -> None:
    document, annotation, predicates = text_of(BOMBED)[:3]
    marked = replace(annotation, chunks=((0, 1), (2, 4), (4, 6)), entities=((4, 6, "DATE"),))
    found = atoms(Parsed(document, marked, predicates))
    inside, first, last = 1, 2, 4
    alone = inside | first | last
    assert found["k"] == [alone, 0, inside | first, inside | last, inside | first, inside | last]
    assert found["e"] == [0, 0, 0, 0, code("DATE"), code("DATE")]


def test_a_text_without_tokens_has_no_atoms() -> None:
    found, _ = token_atoms(*text_of("")[:3], [])
    assert found.shape == (0, len(TOKEN_ATOMS))
    assert found.dtype == np.uint64
