from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from builders import document
from parses import needs_model, parsed, random_annotations
from samevent.corpus import Document
from samevent.errors import CorpusError
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation
from samevent.language.heads import head, phrase_type, with_heads

RAID = """
The DET det raid
raid NOUN nsubj killed
on ADP prep raid
Thursday PROPN pobj on
has AUX aux killed have
not PART neg killed
killed VERB ROOT killed kill
ten NUM dobj killed
off ADP prt killed
, PUNCT punct killed
officials NOUN nsubj said
said VERB parataxis killed say
. PUNCT punct killed
"""

PRISON = """
The DET det minister
minister NOUN nsubj was
was AUX ROOT was be
still ADV advmod was
in ADP prep was
prison NOUN pobj in
"""

FURIOUS = """
Now ADV advmod was
she PRON nsubj was
was AUX ROOT was be
quite ADV advmod furious
furious ADJ acomp was
"""

THERE = """
There PRON expl was
was VERB ROOT was be
an DET det explosion
explosion NOUN attr was
"""

ALL = """
All DET nsubj fled
of ADP prep All
the DET det wounded
wounded ADJ pobj of
fled VERB ROOT fled flee
because SCONJ mark burned
tents NOUN nsubj burned
burned VERB advcl fled burn
very ADV advmod quickly
quickly ADV advmod burned
in ADP prep burned
and CCONJ cc in
around ADP conj in
Yida PROPN pobj around
"""


def where(rows: str, phrase: str) -> tuple[Annotation, int, int]:
    """Return the place of a phrase, given as its first and last words, in a sentence."""
    d, annotation = parsed(rows)
    words = [t.text for t in d.tokens]
    first, last = phrase.split()[0], phrase.split()[-1]
    return annotation, words.index(first), words.index(last) + 1


@pytest.mark.parametrize(
    ("rows", "phrase", "expected"),
    [
        (RAID, "The raid", "raid"),
        (RAID, "on Thursday", "Thursday"),
        (RAID, "The ... Thursday", "raid"),
        (RAID, "has not killed", "killed"),
        (RAID, "killed ... off", "killed"),
        (RAID, "Thursday has", "Thursday"),
        (RAID, "ten off", "ten"),
        (RAID, "has not", "has"),
        (RAID, "off ,", "off"),
        (RAID, ", officials", "officials"),
        (RAID, "officials said .", "said"),
        (RAID, "The ... .", "killed"),
        (RAID, ".", "."),
        (PRISON, "was still in prison", "prison"),
        (PRISON, "The ... prison", "prison"),
        (PRISON, "minister was", "minister"),
        (PRISON, "was still", "still"),
        (FURIOUS, "Now ... furious", "furious"),
        (FURIOUS, "was quite", "quite"),
        (THERE, "There ... explosion", "explosion"),
        (ALL, "All ... wounded", "wounded"),
        (ALL, "because ... burned", "burned"),
        (ALL, "in ... Yida", "Yida"),
    ],
)
def test_head_is_the_content_word_that_governs_the_span(rows: str, phrase: str, expected: str) -> None:
    annotation, start, end = where(rows, phrase)
    words = [t.text for t in parsed(rows)[0].tokens]
    assert words[head(annotation, start, end)] == expected


def test_head_of_several_unconnected_words_is_the_highest_then_the_leftmost() -> None:
    annotation, start, end = where(RAID, "ten ... said")
    assert head(annotation, start, end) == start, "ten, officials' verb and off all hang on killed"
    assert head(annotation, 3, 8, [3, 7]) == 7, "Thursday is deeper than ten"


def test_head_of_a_discontinuous_mention_ignores_the_gaps() -> None:
    annotation, start, end = where(RAID, "raid ... ten")
    assert head(annotation, start, end) == 6
    assert head(annotation, start, end, (1, 7)) == 1
    assert head(annotation, start, end, (2, 3, 7)) == 7


@given(random_annotations(), st.data())
def test_head_is_one_of_the_span_and_content_if_there_is_any_within_reach(
    annotation: Annotation, data: st.DataObject
) -> None:
    assume(len(annotation))
    own = sorted(data.draw(st.sets(st.integers(0, len(annotation) - 1), min_size=1)))
    found = head(annotation, own[0], own[-1] + 1, own)
    assert found in own
    tops = [i for i in own if annotation.heads[i] not in own or annotation.heads[i] == i]
    if any(annotation.pos[i] in ("NOUN", "VERB") and annotation.lemmas[i] != "be" for i in tops):
        assert annotation.pos[found] in ("NOUN", "VERB")
    if own == list(range(own[0], own[-1] + 1)):
        assert head(annotation, own[0], own[-1] + 1) == found


@pytest.mark.parametrize(
    ("start", "end", "tokens"),
    [(3, 3, None), (-1, 2, None), (4, 99, None), (2, 1, None), (1, 4, ()), (1, 4, (0, 2)), (1, 4, (2, 4))],
)
def test_head_refuses_invalid_spans(start: int, end: int, tokens: tuple[int, ...] | None) -> None:
    _, annotation = parsed(RAID)
    for function in (head, phrase_type):
        with pytest.raises(CorpusError, match=f"invalid span {start}-{end}"):
            function(annotation, start, end, tokens)


@pytest.mark.parametrize(
    ("rows", "phrase", "expected"),
    [
        (RAID, "The raid", "NP"),
        (RAID, "The ... Thursday", "NP"),
        (RAID, "ten", "NP"),
        (RAID, "on Thursday", "PP"),
        (RAID, "on", "X"),
        (RAID, "has not killed", "VP"),
        (RAID, "killed ten off ,", "VP"),
        (RAID, "The ... ten", "CLAUSE"),
        (RAID, "officials said", "CLAUSE"),
        (RAID, "Thursday has", "X"),
        (RAID, "ten off", "X"),
        (RAID, ",", "X"),
        (PRISON, "was still", "VP"),
        (PRISON, "The ... prison", "CLAUSE"),
        (PRISON, "still", "ADVP"),
        (FURIOUS, "quite furious", "ADJP"),
        (THERE, "There ... explosion", "CLAUSE"),
        (ALL, "the wounded", "NP"),
        (ALL, "All ... wounded", "NP"),
        (ALL, "because ... burned", "CLAUSE"),
        (ALL, "burned very quickly", "VP"),
        (ALL, "very quickly", "ADVP"),
        (ALL, "because", "X"),
    ],
)
def test_phrase_type_names_the_phrase_of_the_highest_word(rows: str, phrase: str, expected: str) -> None:
    annotation, start, end = where(rows, phrase)
    assert phrase_type(annotation, start, end) == expected


def test_phrase_type_of_a_participle_before_a_noun_is_adjectival() -> None:
    annotation, start, end = where("injured VERB amod man\nman NOUN ROOT man", "injured")
    assert phrase_type(annotation, start, end) == "ADJP"


def test_phrase_type_of_a_discontinuous_mention_ignores_the_gaps() -> None:
    annotation, start, end = where(RAID, "killed ... off")
    assert phrase_type(annotation, start, end, (6, 8)) == "VP"
    assert phrase_type(annotation, 1, 9, (1, 8)) == "X"


def test_with_heads_adds_missing_heads_only() -> None:
    d, annotation = parsed(RAID)
    mentions = [
        d.mention("time", 2, 4, event="t"),
        d.mention("action", 6, 9, tokens=(6, 8)),
        d.mention("action", 0, 4, head=0),
    ]
    filled = with_heads(d.with_mentions(mentions), annotation)
    assert [m.head for m in filled.mentions] == [0, 3, 6]
    assert [(m.id, m.span, m.anchors, m.event) for m in filled.mentions] == [
        (m.id, m.span, m.anchors, m.event) for m in d.with_mentions(mentions).mentions
    ]


def test_with_heads_refuses_the_annotation_of_another_document() -> None:
    _, annotation = parsed(RAID)
    with pytest.raises(CorpusError, match="'d1' has 9 tokens and its annotation 13"):
        with_heads(document(), annotation)


@needs_model
@pytest.mark.parametrize(
    ("text", "phrase", "expected_head", "expected_type"),
    [
        ("The police arrested him on Thursday .", "on Thursday", "Thursday", "PP"),
        ("The police arrested him on Thursday .", "The police arrested him", "arrested", "CLAUSE"),
        ("The company shut the plant down .", "shut the plant down", "shut", "VP"),
        ("At least ten people were killed by the strong earthquake .", "were killed", "killed", "VP"),
        (
            "At least ten people were killed by the strong earthquake .",
            "the strong earthquake",
            "earthquake",
            "NP",
        ),
        (
            "At least ten people were killed by the strong earthquake .",
            "by the strong earthquake",
            "earthquake",
            "PP",
        ),
        ("The mayor was very angry after the attack .", "was very angry", "angry", "VP"),
        ("The mayor was very angry after the attack .", "very angry", "angry", "ADJP"),
        ("There was an explosion in Baghdad .", "There was an explosion", "explosion", "CLAUSE"),
        ("Prosecutors say that the suspect fled .", "that the suspect fled", "fled", "CLAUSE"),
        ("President Barack Obama visited Berlin .", "President Barack Obama", "Obama", "NP"),
    ],
)
def test_heads_and_phrase_types_of_real_sentences(
    text: str, phrase: str, expected_head: str, expected_type: str
) -> None:
    words, wanted = text.split(), phrase.split()
    d, annotation = Annotator(entities=False)(Document.from_tokens("a", [words]))
    start = next(i for i in range(len(words)) if words[i : i + len(wanted)] == wanted)
    end = start + len(wanted)
    assert d.tokens[head(annotation, start, end)].text == expected_head
    assert phrase_type(annotation, start, end) == expected_type
