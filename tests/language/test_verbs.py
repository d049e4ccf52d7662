from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from parses import parsed, random_annotations
from samevent.language.annotation import Annotation
from samevent.language.verbs import with_verbs

HEADLINE = """
    Sudan PROPN compound bombs
    bombs NOUN ROOT bombs bomb
    refugee NOUN compound camp
    camp NOUN dobj bombs
"""


def headline() -> Annotation:
    _, annotation = parsed(HEADLINE)
    return replace(annotation, tags=("NNP", "NNS", "NN", "NN"), chunks=((0, 2), (2, 4)))


def test_noun_with_an_object_becomes_a_verb_with_a_subject() -> None:
    found = with_verbs(headline())
    assert (found.tags[1], found.pos[1], found.lemmas[1]) == ("VBZ", "VERB", "bomb")
    assert found.labels == ("nsubj", "ROOT", "compound", "dobj")
    assert found.chunks == ((0, 1), (2, 4))


def test_verb_with_a_subject_gets_no_other() -> None:
    given = replace(headline(), labels=("compound", "ROOT", "nsubj", "dobj"), heads=(1, 1, 1, 1))
    assert with_verbs(given).labels[0] == "compound"


def test_verb_at_the_start_of_a_chunk_removes_it() -> None:
    assert with_verbs(replace(headline(), chunks=((1, 4),))).chunks == ()


@given(random_annotations())
def test_nothing_else_changes(annotation: Annotation) -> None:
    found = with_verbs(annotation)
    governors = {h for h, label in zip(annotation.heads, annotation.labels, strict=True) if label == "dobj"}
    for i, tag in enumerate(annotation.tags):
        turned = tag.startswith("N") and i in governors
        assert found.tags[i] == (tag if not turned else "VBZ" if tag.endswith("S") else "VBP")
    assert found.heads == annotation.heads
    assert with_verbs(found) == found
