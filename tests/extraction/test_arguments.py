"""Sentences whose parse and roles are written by hand, arbitrary ones, and the real labeller."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parses import needs_model, parsed, random_annotations
from samevent.corpus import KINDS, Argument, Document, Kind, Mention, Sentence
from samevent.errors import CorpusError
from samevent.extraction.arguments import Association, associate, label_events
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation
from samevent.language.heads import highest_token, token_depths
from samevent.language.resources import resources
from samevent.language.roles import ROLES, Predicate, RoleArgument
from samevent.language.roles.base import kind_of_tag

ADDING = Association(add_fillers=True)

ACTIVE = """
    Sudan PROPN nsubj bombed
    bombed VERB ROOT bombed bomb
    the DET det camp
    refugee NOUN compound camp
    camp NOUN dobj bombed
    near ADP prep bombed
    Juba PROPN pobj near
    on ADP prep bombed
    Thursday PROPN pobj on
    night NOUN npadvmod bombed
"""
PASSIVE = """
    Yida PROPN nsubjpass bombed
    was AUX auxpass bombed be
    bombed VERB ROOT bombed bomb
    by ADP agent bombed
    Sudan PROPN pobj by
    and CCONJ cc Sudan
    Chad PROPN conj Sudan
    for ADP prep bombed
    oil NOUN pobj for
"""
RELATIVE = """
    police NOUN nsubj arrested
    arrested VERB ROOT arrested arrest
    the DET det man
    man NOUN dobj arrested
    who PRON nsubj shot
    shot VERB relcl man shoot
    Bob PROPN dobj shot
    on ADP prep arrested
    Friday PROPN pobj on
"""
SAYING = """
    they PRON nsubj said
    said VERB ROOT said say
    Sudan PROPN nsubj bombed
    bombed VERB ccomp said bomb
    Yida PROPN dobj bombed
    after ADP prep bombed
    the DET det attack
    attack NOUN pobj after
"""
POSSESSOR = """
    Sudan PROPN poss bombing
    's PART case Sudan
    Thursday PROPN compound bombing
    bombing NOUN nsubj shocked
    of ADP prep bombing
    Yida PROPN pobj of
    shocked VERB ROOT shocked shock
    Chad PROPN dobj shocked
"""


def place(document: Document, words: str) -> tuple[int, int]:
    """Return the tokens of words that follow each other in a document."""
    wanted, text = words.split(), [t.text for t in document.tokens]
    start = next(i for i in range(len(text)) if text[i : i + len(wanted)] == wanted)
    return start, start + len(wanted)


def told(rows: str, **words: str) -> tuple[Document, Annotation]:
    """Build a sentence with mentions; their words are given by kind, with commas between."""
    document, annotation = parsed(rows)
    kinds: dict[str, Kind] = {f"{kind}s": kind for kind in KINDS}
    mentions = [
        document.mention(kinds[name], *place(document, piece))
        for name, pieces in words.items()
        for piece in pieces.split(", ")
    ]
    return document.with_mentions(mentions), annotation


def predicate(document: Document, annotation: Annotation, word: str, *fillers: tuple[str, str]) -> Predicate:
    """Return a predicate with fillers given as role and words."""
    token, _ = place(document, word)
    found = []
    for role, words in fillers:
        start, end = place(document, words)
        found.append(
            RoleArgument(role, highest_token(annotation, start, end, token_depths(annotation)), start, end)
        )
    return Predicate(token, kind_of_tag(annotation.tags[token]), tuple(found))


def arguments(document: Document, event: str) -> list[tuple[str, str | None]]:
    """Return the arguments of an event as words and role."""
    texts = {m.id: m.text for m in document.mentions}
    (mention,) = (m for m in document.mentions if m.kind == "action" and m.text == event)
    return [(texts[a.mention], a.role) for a in mention.arguments]


def added(document: Document, given: Document) -> list[tuple[str, str]]:
    """Return the kind and words of mentions that are in the first document only."""
    old = {m.id for m in given.mentions}
    return [(m.kind, m.text) for m in document.mentions if m.id not in old]


def bombed(document: Document, annotation: Annotation) -> Predicate:
    """Return the roles of ACTIVE."""
    fillers = (
        ("ARG0", "Sudan"),
        ("ARG1", "the refugee camp"),
        ("AM-LOC", "near Juba"),
        ("AM-TMP", "on Thursday"),
    )
    return predicate(document, annotation, "bombed", *fillers)


def test_arguments_of_an_active_verb_have_their_roles() -> None:
    document, annotation = told(
        ACTIVE, actions="bombed", participants="Sudan, refugee camp", times="Thursday", locations="near Juba"
    )
    found = associate(document, annotation, [bombed(document, annotation)])
    assert arguments(found, "bombed") == [
        ("Sudan", "ARG0"),
        ("refugee camp", "ARG1"),
        ("Thursday", "AM-TMP"),
        ("near Juba", "AM-LOC"),
    ]
    assert [found.tokens[m.head].text for m in found.mentions if m.head is not None] == [
        "Sudan", "bombed", "camp", "Juba", "Thursday",
    ]  # fmt: skip


def test_arguments_without_a_role_are_dropped_where_others_of_the_kind_have_one() -> None:
    document, annotation = told(ACTIVE, actions="bombed", times="Thursday, night", participants="Juba")
    found = associate(document, annotation, [bombed(document, annotation)])
    assert arguments(found, "bombed") == [("Juba", None), ("Thursday", "AM-TMP")]


def test_arguments_fall_back_on_the_sentence_only_if_asked_to() -> None:
    document, annotation = told(ACTIVE, actions="bombed", participants="Juba, Sudan", times="night")
    assert arguments(associate(document, annotation, []), "bombed") == [
        ("Sudan", None),
        ("Juba", None),
        ("night", None),
    ]
    alone = Association(whole_sentence=False)
    assert arguments(associate(document, annotation, [], settings=alone), "bombed") == []


def test_arguments_of_a_passive_verb_are_found_after_prepositions_and_in_conjunctions() -> None:
    document, annotation = told(PASSIVE, actions="bombed", participants="Yida, Sudan, Chad, oil")
    roles = predicate(document, annotation, "bombed", ("ARG1", "Yida"), ("ARG0", "by Sudan and Chad"))
    found = associate(document, annotation, [roles])
    assert arguments(found, "bombed") == [("Yida", "ARG1"), ("Sudan", "ARG0"), ("Chad", "ARG0")]


def test_arguments_inside_a_relative_clause_belong_to_its_verb_alone() -> None:
    document, annotation = told(
        RELATIVE, actions="arrested, shot", participants="police, man, Bob", times="Friday"
    )
    roles = [
        predicate(document, annotation, "arrested", ("ARG0", "police"), ("ARG1", "the man who shot Bob")),
        predicate(document, annotation, "shot", ("ARG0", "the man"), ("R-ARG0", "who"), ("ARG1", "Bob")),
    ]
    found = associate(document, annotation, roles)
    assert arguments(found, "arrested") == [("police", "ARG0"), ("man", "ARG1"), ("Friday", None)]
    assert arguments(found, "shot") == [("man", "ARG0"), ("Bob", "ARG1"), ("Friday", None)]


def test_two_events_of_a_sentence_each_have_their_own_subject() -> None:
    document, annotation = told(SAYING, actions="said, bombed", participants="they, Sudan, Yida")
    clause = "Sudan bombed Yida after the attack"
    roles = [
        predicate(document, annotation, "said", ("ARG0", "they"), ("ARG1", clause)),
        predicate(document, annotation, "bombed", ("ARG0", "Sudan"), ("ARG1", "Yida")),
    ]
    found = associate(document, annotation, roles)
    assert arguments(found, "said") == [("they", "ARG0")]
    assert arguments(found, "bombed") == [("Sudan", "ARG0"), ("Yida", "ARG1")]


@pytest.mark.parametrize(
    ("actions", "participants", "expected"),
    [
        ("shocked, bombing", "Sudan, Yida, Chad", [("Chad", "ARG1")]),
        ("shocked", "Sudan, Yida, Chad", [("Sudan", "ARG0"), ("Yida", "ARG0"), ("Chad", "ARG1")]),
        ("shocked, bombing", "bombing, Yida", [("bombing", "ARG0"), ("Yida", "ARG0")]),
    ],
    ids=["below an event", "below a noun", "below an event that is also an argument"],
)
def test_arguments_of_an_event_inside_a_filler_are_its_own(
    actions: str, participants: str, expected: list[tuple[str, str]]
) -> None:
    document, annotation = told(POSSESSOR, actions=actions, participants=participants)
    fillers = ("ARG0", "Sudan 's Thursday bombing of Yida"), ("ARG1", "Chad")
    found = associate(document, annotation, [predicate(document, annotation, "shocked", *fillers)])
    assert arguments(found, "shocked") == expected


def test_the_shortest_of_nested_fillers_gives_the_role() -> None:
    document, annotation = told(POSSESSOR, actions="shocked", participants="Yida, bombing")
    whole, inner = ("ARG0", "Sudan 's Thursday bombing of Yida"), ("ARG2", "of Yida")
    roles = predicate(document, annotation, "shocked", whole, inner)
    found = associate(document, annotation, [roles])
    assert arguments(found, "shocked") == [("bombing", "ARG0"), ("Yida", "ARG2")]


@pytest.mark.parametrize(
    ("fillers", "expected"),
    [
        pytest.param(None, [("Sudan", "ARG0")], id="no predicate"),
        pytest.param([("ARG1", "of Yida")], [("Sudan", "ARG0"), ("Yida", "ARG1")], id="no role of its own"),
        pytest.param([("ARG1", "Sudan 's Thursday")], [("Sudan", "ARG1")], id="another role"),
        pytest.param([("ARG0", "of Yida")], [("Yida", "ARG0")], id="another agent"),
    ],
)
def test_a_possessor_is_agent_unless_the_labeller_disagrees(
    fillers: list[tuple[str, str]] | None, expected: list[tuple[str, str]]
) -> None:
    document, annotation = told(POSSESSOR, actions="bombing, shocked", participants="Sudan, Yida, Chad")
    roles = [] if fillers is None else [predicate(document, annotation, "bombing", *fillers)]
    found = associate(document, annotation, roles)
    assert arguments(found, "bombing") == expected
    assert arguments(found, "shocked") == [("Sudan", None), ("Yida", None), ("Chad", None)]


def test_a_compound_is_not_a_possessor() -> None:
    document, annotation = told(ACTIVE, actions="camp", participants="refugee, Sudan")
    assert arguments(associate(document, annotation, []), "camp") == [("Sudan", None), ("refugee", None)]


def test_an_argument_never_contains_the_head_of_its_event() -> None:
    document, annotation = told(
        POSSESSOR, actions="bombing", participants="bombing, Sudan 's Thursday bombing of Yida"
    )
    gap = document.mention("participant", 2, 5, tokens=(2, 4), id="around")
    found = associate(document.with_mentions([*document.mentions, gap]), annotation, [])
    (event,) = (m for m in found.mentions if m.kind == "action")
    assert event.arguments == (Argument("around"),)


def test_existing_arguments_and_everything_else_are_kept() -> None:
    document, annotation = told(ACTIVE, actions="bombed, camp", participants="Sudan, Juba")
    juba = next(m for m in document.mentions if m.text == "Juba")
    marked = document.with_mentions(
        replace(m, arguments=(Argument(juba.id, "victim"),), event="e1", extra={"by": "hand"})
        if m.text == "bombed"
        else m
        for m in document.mentions
    )
    found = associate(marked, annotation, [bombed(marked, annotation)], settings=ADDING)
    assert arguments(found, "bombed") == [("Juba", "victim")]
    assert arguments(found, "camp") == [("Sudan", None), ("Juba", None)]
    assert added(found, marked) == []
    (event,) = (m for m in found.mentions if m.text == "bombed")
    assert (event.event, event.extra) == ("e1", {"by": "hand"})


def flat(sentences: list[list[str]]) -> tuple[Document, Annotation]:
    """Build sentences of nouns, each hanging on the first of its sentence."""
    document = Document.from_tokens("d1", sentences)
    heads = [s.start for s in document.sentences for _ in range(s.start, s.end)]
    nouns = ("NOUN",) * len(heads)
    lemmas = tuple(t.text for t in document.tokens)
    return document, Annotation(
        tags=nouns, pos=nouns, lemmas=lemmas, heads=tuple(heads), labels=("dep",) * len(heads)
    )


def test_a_mention_across_sentences_belongs_to_that_of_its_head() -> None:
    document, annotation = flat([["raid", "a"], ["b", "fire"]])
    mentions = [
        document.mention("action", 0, 1),
        document.mention("action", 3, 4),
        document.mention("participant", 1, 3, head=2, id="ab"),
    ]
    found = associate(document.with_mentions(mentions), annotation, [])
    assert arguments(found, "raid") == []
    assert arguments(found, "fire") == [("a\nb", None)]


def test_events_in_an_address_get_no_arguments() -> None:
    document, annotation = flat([["raid", "sudan"], ["fire", "sudan"]])
    first, second = document.sentences
    document = replace(document, sentences=(Sentence(first.start, first.end, is_url=True), second))
    kinds: tuple[Kind, ...] = ("action", "participant", "action", "participant")
    mentions = [document.mention(kind, i, i + 1) for i, kind in enumerate(kinds)]
    roles = [Predicate(i, "nominal", (RoleArgument("ARG0", i + 1, i + 1, i + 2),)) for i in (0, 2)]
    found = associate(document.with_mentions(mentions), annotation, roles, settings=ADDING)
    assert arguments(found, "raid") == []
    assert arguments(found, "fire") == [("sudan", "ARG0")]


def test_fillers_that_were_not_extracted_become_mentions() -> None:
    document, annotation = told(ACTIVE, actions="bombed", participants="Sudan")
    found = associate(document, annotation, [bombed(document, annotation)], settings=ADDING)
    assert added(found, document) == [
        ("participant", "refugee camp"),
        ("location", "near Juba"),
        ("time", "on Thursday"),
    ]
    assert arguments(found, "bombed") == [
        ("Sudan", "ARG0"),
        ("refugee camp", "ARG1"),
        ("on Thursday", "AM-TMP"),
        ("near Juba", "AM-LOC"),
    ]
    assert "d1:3-5:participant" in {m.id for m in found.mentions}
    assert associate(found, annotation, [bombed(document, annotation)], settings=ADDING) == found


def test_conjuncts_become_one_mention_each() -> None:
    document, annotation = told(PASSIVE, actions="bombed")
    roles = predicate(document, annotation, "bombed", ("ARG0", "by Sudan and Chad"))
    found = associate(document, annotation, [roles], settings=ADDING)
    assert arguments(found, "bombed") == [("Sudan", "ARG0"), ("Chad", "ARG0")]


def test_clauses_pronouns_and_events_do_not_become_participants() -> None:
    document, annotation = told(SAYING, actions="said, attack")
    roles = [
        predicate(
            document, annotation, "said", ("ARG0", "they"), ("ARG1", "Sudan bombed Yida after the attack")
        ),
        predicate(document, annotation, "bombed", ("ARG0", "Sudan"), ("AM-TMP", "after the attack")),
        predicate(document, annotation, "attack", ("ARG2", "after the attack")),
    ]
    found = associate(document, annotation, roles, settings=ADDING)
    assert added(found, document) == [("participant", "they")]

    document, annotation = told(RELATIVE, actions="shot")
    annotation = replace(
        annotation,
        tags=tuple(
            "WP" if x == "who" else t for x, t in zip(annotation.lemmas, annotation.tags, strict=True)
        ),
    )
    found = associate(
        document, annotation, [predicate(document, annotation, "shot", ("ARG0", "who"))], settings=ADDING
    )
    assert added(found, document) == []


def test_a_time_ends_where_its_clause_begins() -> None:
    document, annotation = parsed("""
        fled VERB ROOT fled flee
        - PUNCT punct in
        in ADP prep fled
        May PROPN pobj in
        , PUNCT punct May
        when SCONJ advmod fell
        Yida PROPN nsubj fell
        fell VERB relcl May fall
    """)
    document = document.with_mentions([document.mention("action", 0, 1)])
    roles = predicate(document, annotation, "fled", ("AM-TMP", "- in May , when Yida fell"))
    found = associate(document, annotation, [roles], settings=ADDING)
    assert arguments(found, "fled") == [("in May", "AM-TMP")]


def test_only_conjuncts_of_the_filler_head_are_further_participants() -> None:
    document, annotation = parsed("""
        fled VERB ROOT fled flee
        men NOUN nsubj fled
        with ADP prep men
        guns NOUN pobj with
        and CCONJ cc guns
        knives NOUN conj guns
        afraid ADJ acomp fled
    """)
    document = document.with_mentions([document.mention("action", 0, 1)])
    fillers = ("ARG0", "men with guns and knives"), ("ARG2", "afraid")
    found = associate(
        document, annotation, [predicate(document, annotation, "fled", *fillers)], settings=ADDING
    )
    assert arguments(found, "fled") == [("men", "ARG0")]


def test_fillers_never_overlap_a_mention_of_their_kind() -> None:
    document, annotation = told(ACTIVE, actions="bombed", locations="the refugee camp")
    tents = document.mention("participant", 3, 5, head=3)
    document = document.with_mentions([*document.mentions, tents])
    roles = predicate(document, annotation, "bombed", ("ARG1", "camp"), ("AM-LOC", "near Juba"))
    found = associate(document, annotation, [roles], settings=ADDING)
    assert added(found, document) == [("location", "near Juba")]


def test_the_longer_of_fillers_that_overlap_becomes_a_mention() -> None:
    document, annotation = told(ACTIVE, actions="bombed")
    roles = predicate(document, annotation, "bombed", ("ARG2", "refugee"), ("ARG1", "the refugee camp"))
    found = associate(document, annotation, [roles], settings=ADDING)
    assert added(found, document) == [("participant", "refugee camp")]


def test_a_filler_need_not_be_one_phrase_of_the_parse() -> None:
    document, annotation = told(ACTIVE, actions="bombed", participants="Juba, Thursday, Sudan")
    roles = predicate(document, annotation, "bombed", ("ARG2", "near Juba on Thursday"))
    found = associate(document, annotation, [roles])
    assert arguments(found, "bombed") == [("Juba", "ARG2"), ("Thursday", "ARG2")]


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Document, Annotation, list[Predicate]]:
    """Draw a document with mentions, its parse, and predicates with any roles."""
    annotation = draw(random_annotations())
    n = len(annotation)
    half = n // 2
    pieces = (
        [["w"] * half, ["w"] * (n - half)]
        if all((i < half) == (h < half) for i, h in enumerate(annotation.heads))
        else [["w"] * n]
    )
    document = Document.from_tokens("d", [p for p in pieces if p])
    if not n:
        return document, annotation, []
    spans = st.tuples(st.integers(0, n - 1), st.integers(1, 4)).map(lambda x: (x[0], min(n, sum(x))))
    mentions = {
        (kind, *span) for kind, span in draw(st.lists(st.tuples(st.sampled_from(KINDS), spans), max_size=8))
    }
    fillers = st.tuples(st.sampled_from((*ROLES, "R-ARG0")), spans).map(
        lambda x: RoleArgument(x[0], x[1][0], *x[1])
    )
    tokens = draw(st.sets(st.integers(0, n - 1), max_size=4))
    predicates = [
        Predicate(t, kind_of_tag(annotation.tags[t]), tuple(draw(st.lists(fillers, max_size=4))))
        for t in tokens
    ]
    return document.with_mentions(document.mention(*m) for m in mentions), annotation, predicates


@given(labelled(), st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_arguments_are_valid_for_any_parse_and_roles(
    case: tuple[Document, Annotation, list[Predicate]], add: bool, whole: bool
) -> None:
    document, annotation, predicates = case
    how = Association(add_fillers=add, whole_sentence=whole)
    found = associate(document, annotation, predicates, settings=how)
    by_id = {m.id: m for m in found.mentions}
    new = [m for m in found.mentions if m.id not in {g.id for g in document.mentions}]
    assert add or not new
    assert [replace(by_id[m.id], arguments=(), head=None) for m in document.mentions] == list(
        document.mentions
    )
    assert not any(
        set(a.tokens) & set(b.tokens) for a in new for b in found.mentions if a != b and a.kind == b.kind
    )
    assert not any(m.arguments for m in new)
    for m in found.mentions:
        others = [by_id[a.mention] for a in m.arguments]
        assert m.kind == "action" or not others
        assert len(set(others)) == len(others)
        assert all(o.kind != "action" and m.head not in o.tokens for o in others)
        assert all(sentence(found, o) == sentence(found, m) for o in others)
        for kind in KINDS:  # all of a kind have a role or none has
            assert len({a.role is None for a in m.arguments if by_id[a.mention].kind == kind}) < 2
        assert whole or all(a.role for a in m.arguments)


def sentence(document: Document, mention: Mention) -> int:
    assert mention.head is not None
    return document.sentence_of(mention.head)


def test_predicates_of_another_document_are_refused() -> None:
    document, annotation = told(ACTIVE, actions="bombed")
    for stray in (Predicate(10, "verbal"), Predicate(1, "verbal", (RoleArgument("ARG0", 9, 9, 11),))):
        with pytest.raises(CorpusError, match="does not fit document 'd1', which has 10 tokens"):
            associate(document, annotation, [stray])


def test_an_empty_document_stays_empty() -> None:
    empty = Annotation(tags=(), pos=(), lemmas=(), heads=(), labels=())
    document = Document.from_text("a", "")
    assert associate(document, empty, [], settings=ADDING) == document
    assert label_events(resources().roles, document, empty) == ()


@needs_model
def test_label_events_adds_events_to_the_predicates_found() -> None:
    text = "Sudan bombs Yida refugee camp in South Sudan on Thursday, Nov 10th, 2011. The sun was red."
    document, annotation = Annotator()(Document.from_text("d1", text))
    roles = resources().roles
    found = {p.token for p in roles.label(document, annotation)}
    sun, _ = place(document, "sun")
    assert sun not in found
    document = document.with_mentions([document.mention("action", sun - 1, sun + 1)])
    assert {p.token for p in label_events(roles, document, annotation)} == found | {sun}


@needs_model
def test_the_papers_first_example_has_the_papers_arguments() -> None:
    text = "Sudan bombs Yida refugee camp in South Sudan on Thursday, Nov 10th, 2011."
    document, annotation = Annotator()(Document.from_text("d1", text))
    wanted: list[tuple[Kind, str]] = [
        ("action", "bombs"),
        ("participant", "Sudan"),
        ("participant", "Yida refugee camp"),
        ("time", "Thursday , Nov 10th , 2011"),
        ("location", "South Sudan"),
    ]
    mentions = [document.mention(kind, *place(document, words)) for kind, words in wanted]
    document = document.with_mentions(mentions)
    found = associate(document, annotation, label_events(resources().roles, document, annotation))
    assert [words for words, _ in arguments(found, "bombs")] == [
        "Sudan", "Yida refugee camp", "Thursday, Nov 10th, 2011", "South Sudan",
    ]  # fmt: skip
    assert arguments(found, "bombs")[:2] == [("Sudan", "ARG0"), ("Yida refugee camp", "ARG1")]


CAMP = """
    Sudan PROPN nsubj bombed
    bombed VERB ROOT bombed bomb
    camps NOUN dobj bombed
    in ADP prep camps
    Chad PROPN pobj in
"""
IN_CHAD = Predicate(
    1,
    "verbal",
    (RoleArgument("ARG1", 2, 2, 5), RoleArgument("AM-LOC", 3, 3, 5), RoleArgument("ARG0", 0, 0, 1)),
)


@pytest.mark.parametrize(
    ("probability", "settings", "place"),
    [(0.5, ADDING, "in Chad"), (0.5, Association(), "camps in Chad"), (None, ADDING, "camps in Chad")],
    ids=["found", "found, no fillers", "given"],
)
def test_a_place_around_a_participant_is_cut_down_to_the_place(
    probability: float | None, settings: Association, place: str
) -> None:
    document, annotation = parsed(CAMP)
    event = document.mention("action", 1, 2)
    wide = document.mention("location", 2, 5, head=2, probability=probability)
    found = associate(document.with_mentions([event, wide]), annotation, [IN_CHAD], settings=settings)
    assert [m.text for m in found.mentions if m.kind == "location"] == [place]
