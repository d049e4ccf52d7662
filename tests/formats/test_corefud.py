from __future__ import annotations

from itertools import count, permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import annotated, corpora, document
from samevent.corpus import Corpus, Document, Kind, Mention, Unit
from samevent.corpus.corpus import event_key
from samevent.errors import FormatError, OutputExistsError, SameventError
from samevent.formats.base import ReadOptions, WriteOptions
from samevent.formats.corefud import FORMAT, read, write

in_tmp_path = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])


def row(id: object, form: str = "w", misc: str = "_") -> str:
    return "\t".join([str(id), form, *"_______", misc]) + "\n"


def sentence(*entities: str) -> str:
    """Build a sentence of one word for each Entity; an empty one is none."""
    return "".join(row(i, f"w{i}", f"Entity={e}" if e else "_") for i, e in enumerate(entities, 1)) + "\n"


DECLARED = "# newdoc id = a\n# global.Entity = eid-etype-head-other\n"


def read_text(tmp_path: Path, text: str) -> Corpus:
    path = tmp_path / "a.conllu"
    path.write_bytes(text.encode())
    return Corpus(read(path, ReadOptions()))


def written(tmp_path: Path, corpus: Corpus, unit: Unit = "document") -> Path:
    path = tmp_path / "out.conllu"
    write(corpus, path, WriteOptions(unit=unit, overwrite=True))
    return path


def round_trip(tmp_path: Path, corpus: Corpus, unit: Unit = "document") -> Corpus:
    return Corpus(read(written(tmp_path, corpus, unit), ReadOptions()))


def confusable(corpus: Corpus) -> bool:
    """Return whether two mentions of one event overlap so that brackets might be ambiguous."""
    return any(
        event_key(a) == event_key(b)
        and a.start < b.end
        and b.start < a.end
        and (a.anchors or b.anchors or a.start < b.start < a.end < b.end)
        for d in corpus
        for a, b in permutations(d.mentions, 2)
    )


def test_mentions_of_all_forms_are_read(tmp_path: Path) -> None:
    text = DECLARED + sentence(
        "(e1-event-2-x:y(e2-person", "(e3--1)", "e1)(e4[1/2]-time-3", "e4[1/2])", "e2)", "(e4[2/2]-time-3)"
    )
    (d,) = read_text(tmp_path, text)
    assert [(m.event, m.kind, m.tokens, m.head, m.tag) for m in d.mentions] == [
        ("e1", "action", (0, 1, 2), 1, None),
        ("e2", "participant", (0, 1, 2, 3, 4), None, "person"),
        ("e3", "action", (1,), 1, None),
        ("e4", "time", (2, 3, 5), 5, None),
    ]


def test_mentions_of_one_entity_may_nest(tmp_path: Path) -> None:
    text = DECLARED + sentence(
        "(e1-event-3(e1-event-1(e1[1/2]-event-1)", "e1)", "(e1-event-1)e1)", "(e1[2/2]-event-1)"
    )
    (d,) = read_text(tmp_path, text)
    assert {m.tokens: m.head for m in d.mentions} == {(0, 3): 0, (0, 1): 0, (0, 1, 2): 2, (2,): 2}


@pytest.mark.parametrize(
    ("etype", "kind", "tag"),
    [
        ("", "action", None),
        ("event", "action", None),
        ("action", "action", "action"),
        ("time", "time", None),
        ("place", "location", None),
        ("location", "location", "location"),
        ("other", "participant", None),
        ("person", "participant", "person"),
        ("abstract", "participant", "abstract"),
    ],
)
def test_type_gives_the_kind_and_is_written_back(
    tmp_path: Path, etype: str, kind: Kind, tag: str | None
) -> None:
    corpus = read_text(tmp_path, DECLARED + sentence(f"(e1-{etype})"))
    assert [(m.kind, m.tag) for m in corpus.mentions()] == [(kind, tag)]
    assert round_trip(tmp_path, corpus) == corpus


def test_tag_that_is_no_type_is_not_written(tmp_path: Path) -> None:
    found = round_trip(tmp_path, Corpus([annotated()]))
    assert [m.tag for m in found.mentions()] == [None] * 6


def test_entities_are_shared_by_the_documents_of_a_file(tmp_path: Path) -> None:
    text = DECLARED + sentence("(e1-event-1)") + "# newdoc id = b\n" + sentence("(e1-event-1)")
    corpus = read_text(tmp_path, text)
    assert [(m.document, m.event) for m in corpus.mentions()] == [("a", "e1"), ("b", "e1")]


def test_grp_counts_anew_in_each_document(tmp_path: Path) -> None:
    text = "# newdoc id = a\n# global.Entity = GRP-entity-infstat\n" + sentence("(1-event-new", "1)")
    corpus = read_text(tmp_path, text + "# newdoc id = b\n" + sentence("(1-place-giv:act)"))
    assert [(m.event, m.kind) for m in corpus.mentions()] == [("a:1", "action"), ("b:1", "location")]


def test_text_follows_space_after_and_sentences(tmp_path: Path) -> None:
    text = "# newdoc id = a\n" + row(1, "Rain", "SpaceAfter=No") + row(2, ",") + row(3, "then") + "\n"
    text += row(1, "hail", "Typo=Yes|SpaceAfter=No") + "\n" + row(1, ".")
    (d,) = read_text(tmp_path, text)
    assert d.text == "Rain, then\nhail."
    assert [d.words(s) for s in d.sentences] == [["Rain", ",", "then"], ["hail"], ["."]]


def test_multi_word_token_that_its_words_spell_is_several_tokens(tmp_path: Path) -> None:
    text = (
        DECLARED + row("1-2", "don't", "SpaceAfter=No") + row(1, "do") + row(2, "n't", "Entity=(e1-event-1)")
    )
    (d,) = read_text(tmp_path, text + row(3, "!"))
    assert d.text == "don't!"
    assert [(m.text, m.tokens, m.head) for m in d.mentions] == [("n't", (1,), 1)]


def test_multi_word_token_that_its_words_do_not_spell_is_one_token(tmp_path: Path) -> None:
    text = DECLARED + row(1, "loin") + row("2-3", "du", "SpaceAfter=No") + row(2, "de")
    text += row(3, "le", "Entity=(e1-place-2") + row(4, "Nil", "Entity=e1)") + row(5, "bleu")
    (d,) = read_text(tmp_path, text)
    assert d.text == "loin duNil bleu"
    assert [(m.text, m.tokens, m.head) for m in d.mentions] == [("duNil", (1, 2), 2)]


def test_empty_nodes_are_no_tokens_but_count_for_the_head(tmp_path: Path) -> None:
    text = DECLARED + row("0.1", "_", "Entity=(e1-person-1)") + row(1, "came", "Entity=(e2-event-1")
    text += row("1.1", "he", "Entity=(e3-person-1(e4-person-1)") + row(2, "and", "Entity=e2)")
    text += row(3, "saw", "Entity=e3)")
    (d,) = read_text(tmp_path, text)
    assert d.text == "came and saw"
    assert [(m.event, m.tokens, m.head) for m in d.mentions] == [("e2", (0, 1), 0), ("e3", (1, 2), None)]


def test_bridge_split_antecedents_and_other_attributes_are_passed_over(tmp_path: Path) -> None:
    misc = "Bridge=e1<e2:part|Entity=(e1-event-1-a:b)|SplitAnte=e3<e1,e4<e1|X"
    corpus = read_text(tmp_path, DECLARED + row(1, "w", misc))
    assert [m.event for m in corpus.mentions()] == ["e1"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (sentence(""), ["a"]),
        ("# newdoc\n" + sentence("") + "# newdoc \n" + sentence(""), ["a", "a-2"]),
        (sentence("") + "# newdoc id=b c\n" + sentence("") + sentence(""), ["a", "b c"]),
        ("#newdoc id =  b\r\n# text = w\r\n1\tw\t_\t_\t_\t_\t_\t_\t_\t_\r\n\r\n", ["b"]),
    ],
)
def test_documents_have_their_id_or_are_named_after_the_file(
    tmp_path: Path, text: str, ids: list[str]
) -> None:
    assert [d.id for d in read_text(tmp_path, text)] == ids


@in_tmp_path
@given(corpora().filter(lambda c: not confusable(c)), st.sampled_from(["document", "topic", "corpus"]))
def test_round_trip_keeps_words_mentions_and_events(tmp_path: Path, corpus: Corpus, unit: Unit) -> None:
    keys = dict.fromkeys(event_key(m) for m in corpus.mentions())
    free = (f"e{n}" for n in count(1))
    events = {key: key[1] if key[0] == "event" else next(free) for key in keys}
    expected = []
    for name, documents in corpus.grouped(unit).items():
        merged = Document.from_tokens(name, [d.words(s) for d in documents for s in d.sentences])
        mentions: list[Mention] = []
        before = 0
        for d in documents:
            for m in d.mentions:
                tokens = [before + t for t in m.tokens]
                head = tokens[0] if m.anchors else None  # the builder gives none; a gap needs one
                mentions.append(
                    merged.mention(
                        m.kind,
                        tokens[0],
                        tokens[-1] + 1,
                        tokens=tokens,
                        head=head,
                        event=events[event_key(m)],
                    )
                )
            before += len(d.tokens)
        expected.append(merged.with_mentions(mentions))
    assert round_trip(tmp_path, corpus, unit) == Corpus(expected)


@pytest.mark.parametrize("head", [None, 0, 2])
def test_head_comes_back(tmp_path: Path, head: int | None) -> None:
    d = document()
    corpus = Corpus([d.with_mentions([d.mention("action", 0, 3, event="x", head=head)])])
    assert round_trip(tmp_path, corpus) == corpus


@in_tmp_path
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=9, unique=True))
def test_event_ids_of_any_characters_come_back(tmp_path: Path, events: list[str]) -> None:
    d = document()
    d = d.with_mentions(d.mention("action", i, i + 1, event=event) for i, event in enumerate(events))
    assert [m.event for m in round_trip(tmp_path, Corpus([d])).mentions()] == events
    chunks = [
        line.split("Entity=(")[1]
        for line in (tmp_path / "out.conllu").read_text().split("\n")
        if "Entity=(" in line
    ]
    assert all(len(chunk.split("-")) == 2 and not set(chunk[:-1]) & set(" \t()[]=|") for chunk in chunks)


def test_ids_with_per_cent_signs_of_their_own_are_kept(tmp_path: Path) -> None:
    corpus = read_text(tmp_path, DECLARED + sentence("(5%-event)", "(%FF-event)", "(%zz-event)"))
    assert [m.event for m in corpus.mentions()] == ["5%", "%FF", "%zz"]


def test_free_ids_avoid_used_ones_and_follow_chains(tmp_path: Path) -> None:
    d = document()
    given = [("e1", None), (None, "c"), (None, "c"), (None, None), ("", None)]
    d = d.with_mentions(d.mention("action", i, i + 1, event=e, within=w) for i, (e, w) in enumerate(given))
    found = round_trip(tmp_path, Corpus([d]))
    assert [m.event for m in found.mentions()] == ["e1", "e2", "e2", "e3", "e4"]


def test_written_text_and_space_after_agree_with_the_words(tmp_path: Path) -> None:
    text = "“Rain,” he\u2009\n said.It\tfell \n\n New\u00a0York\t."
    tokens = [["“", "Rain", ",", "”", "he", "said", "."], ["It", "\t", "fell"], ["New\u00a0York", "."]]
    d = Document.from_tokens("a", tokens, text=text)
    path = written(tmp_path, Corpus([d]))
    assert [line for line in path.read_text().splitlines() if line.startswith("# text")] == [
        "# text = “Rain,” he said.",
        "# text = It_fell",
        "# text = New York .",
    ]
    (back,) = read(path, ReadOptions())
    assert back.text == "“Rain,” he said.It_fell\nNew York ."
    assert [t.text for t in back.tokens] == [*"“ Rain , ” he said . It _ fell".split(), "New York", "."]


def test_sentences_are_named_after_documents_and_units_hold_several(tmp_path: Path) -> None:
    corpus = Corpus([annotated("x/a 1"), annotated("b")])
    lines = written(tmp_path, corpus, "corpus").read_text().splitlines()
    names = [line for line in lines if line.startswith(("# newdoc", "# sent_id", "# global"))]
    assert names == [
        "# newdoc id = corpus",
        "# global.Entity = eid-etype-head",
        *(f"# sent_id = {id}-{n}" for id in ("x_a_1", "b") for n in (1, 2)),
    ]


def test_brackets_stand_in_the_order_that_the_format_demands(tmp_path: Path) -> None:
    d = document()
    events = [("a", 0, 2), ("b", 1, 4), ("c", 1, 3), ("d", 1, 2), ("e", 3, 4)]
    corpus = Corpus([d.with_mentions(d.mention("action", s, e, event=event) for event, s, e in events)])
    lines = written(tmp_path, corpus).read_text().splitlines()
    entities = [line.split("Entity=")[1] for line in lines if "Entity=" in line]
    assert entities == ["(a-event", "a)(b-event(c-event(d-event)", "c)", "(e-event)b)"]


@pytest.mark.parametrize(
    ("mentions", "says"),
    [
        ([(0, 1), (1, 2)], "'m0' .* and 'm1' .* of one event cross"),
        ([(0, 1), (1, 2, 4)], "'m0' .* and 'm1' .* of one event cross"),
        ([(0, 2), (1, 3)], "the discontinuous mentions 'm0' and 'm1' of one event overlap"),
        ([(0, 1), (0, 1)], "'m0' and 'm1' have the same words"),
    ],
)
def test_mentions_that_the_format_cannot_represent_are_rejected(
    tmp_path: Path, mentions: list[tuple[int, ...]], says: str
) -> None:
    d = document("d1", "a b c d . e f")
    d = d.with_mentions(
        d.mention("action", t[0], t[-1] + 1, tokens=t, event="e", id=f"m{i}") for i, t in enumerate(mentions)
    )
    with pytest.raises(FormatError, match=says) as caught:
        written(tmp_path, Corpus([document("d0"), d]))
    assert caught.value.where == str(tmp_path / "out.conllu")
    assert list(tmp_path.iterdir()) == []


def test_sentences_that_a_mention_ties_together_become_one(tmp_path: Path) -> None:
    d = document("d1", "a . b . c . d . e")
    d = d.with_mentions(
        [d.mention("action", 2, 5, event="x"), d.mention("time", 3, 7, tokens=(3, 6), event="y")]
    )
    (back,) = round_trip(tmp_path, Corpus([d]))
    assert [back.words(s) for s in back.sentences] == ["a .".split(), "b . c . d .".split(), ["e"]]
    assert [(m.event, m.tokens) for m in back.mentions] == [("x", (2, 3, 4)), ("y", (3, 6))]


def test_same_covering_span_with_and_without_a_gap_are_two_mentions(tmp_path: Path) -> None:
    d = document()
    d = d.with_mentions(
        [
            d.mention("action", 0, 3, event="x"),
            d.mention("action", 0, 3, tokens=(0, 2), event="y", id="gap"),
        ]
    )
    (back,) = round_trip(tmp_path, Corpus([d]))
    assert {m.event: m.tokens for m in back.mentions} == {"x": (0, 1, 2), "y": (0, 2)}
    assert {m.id for m in back.mentions} == {"d1:0-3:action", "d1:0-3:action#2"}


@pytest.mark.parametrize("name", ["a\nb", " a", "a\u2028b"])
def test_name_with_line_ends_is_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match="contains line ends"):
        written(tmp_path, Corpus([document(name)]))


def test_document_without_words_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there are no words in 'a'"):
        written(tmp_path, Corpus([Document.from_tokens("a", [])]))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("1\tw\t_\n", 1, "the line has 3 columns"),
        (row(1).replace("w", ""), 1, "the line has 10 columns, 1 of them empty"),
        ("# text = w\n" + row(1) + row(3), 3, "the id '3' comes after word 1; expected word 2"),
        (row(0), 1, "the id '0' comes"),
        (row("x"), 1, "the id 'x' comes"),
        (row("2-3") + row(1), 1, "the id '2-3' comes after word 0"),
        (row("1-3") + row(1) + row(2), 1, "the id '1-3' comes"),
        (row("1-2") + row(1) + row("2-3") + row(2) + row(3), 3, "the id '2-3' comes after word 1"),
        (row("1-2", misc="Entity=(e1)") + row(1) + row(2), 1, "the id '1-2' with an Entity comes"),
        (row("1-" + "9" * 5000) + row(1), 1, "the id '1-999"),
        (row(1) + row("2.1"), 2, "the id '2.1' comes after word 1"),
        (row("0.1"), 1, "the sentence has no words"),
        (row(1) + "# text = w\n" + row(2), 2, "comment inside a sentence"),
        (sentence("(e1-event-1)"), 1, "where # global.Entity is missing"),
        ("# global.Entity = etype-head\n" + sentence("(e1-event)"), 2, "with eid among them"),
        (DECLARED + sentence("(e-1-event-1-x)"), 3, "no more fields than # global.Entity has"),
        (DECLARED + sentence("(-event-1)"), 3, "with eid among them"),
        (DECLARED + sentence("", "e1)"), 4, "a mention of 'e1' ends but never began"),
        (
            DECLARED + sentence("(e1-event-1") + sentence("e1)"),
            3,
            "a mention of 'e1' begins but never ends",
        ),
        (DECLARED + sentence("(e1[1/2]-event-1)"), 3, r"a mention of 'e1\[1/2\]' begins but never ends"),
        (DECLARED + sentence("", "(e1[2/2]-event-1)"), 4, r"'e1\[2/2\]' comes without the previous part"),
        (DECLARED + sentence("(e1[1/3]-event)", "(e1[3/3]-event)"), 4, r"'e1\[3/3\]' comes without"),
        (DECLARED + sentence("(e1[1/1]-event-1)"), 3, r"'e1\[1/1\]' is not a valid part"),
        (DECLARED + sentence("(e1[3/2]-event-1)"), 3, r"'e1\[3/2\]' is not a valid part"),
        (DECLARED + sentence("(e1(", "e1)"), 3, r"the Entity is '\(e1\('"),
        (DECLARED + sentence("e1"), 3, "the Entity is 'e1'"),
        (
            DECLARED + sentence("", "(e1-event-2)"),
            4,
            "the head of a mention of 'e1' is '2'; expected .* 1 to 1",
        ),
        (DECLARED + sentence("(e1-event-x", "e1)"), 3, "the head of a mention of 'e1' is 'x'"),
        (DECLARED + sentence("(e1-event-1(e2-event-1", "e2)e1)"), 3, "is a mention of 'e2' and of 'e1'"),
        (DECLARED + sentence("(e1-event)(e1-event)"), 3, "is a mention of 'e1' and of 'e1'"),
        (DECLARED + sentence("") + "\n# newdoc id = a\n", 6, "document 'a' already begins on line 1"),
        (sentence("") + "# newdoc id = a\n", 3, "document 'a' already begins on line 1"),
    ],
)
def test_bad_input_is_rejected_with_its_place(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        read_text(tmp_path, text)
    assert caught.value.where == f"{tmp_path / 'a.conllu'}:{line}"


ROWS = [DECLARED, "\n", "# text = w\n", "1", "2", "1-2", "1.1", "\tw\t_\t_\t_\t_\t_\t_\t_\t", "_\n", "\n\n"]
ENTITIES = [
    "Entity=",
    "(e1-event-1",
    "(e1",
    ")",
    "e1",
    "e1)",
    "[1/2]",
    "(e1[1/2]-event)",
    "(e1[2/2])",
    "|",
    "-",
]


@in_tmp_path
@given(st.lists(st.sampled_from(ROWS + ENTITIES), max_size=30).map("".join))
def test_any_text_is_read_or_rejected_with_its_place(tmp_path: Path, text: str) -> None:
    where = f"{tmp_path / 'a.conllu'}:"
    try:
        corpus = read_text(tmp_path, DECLARED + text)
    except SameventError as error:
        where = error.where or "nowhere"
    else:
        assert all(d.text[m.char_start : m.char_end] == m.text for d in corpus for m in d.mentions)
    assert where.startswith(f"{tmp_path / 'a.conllu'}:")


def test_existing_file_is_kept_unless_asked_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("precious")
    with pytest.raises(OutputExistsError):
        write(Corpus([document()]), path, WriteOptions())
    assert path.read_text() == "precious"


def test_files_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    write(Corpus([document()]), path, WriteOptions())
    assert list(read(path, ReadOptions())) == [document()]


@pytest.mark.parametrize(("name", "known"), [("a.conllu", True), ("a.conllu.gz", True), ("a.conll", False)])
def test_format_is_recognised_by_the_name(tmp_path: Path, name: str, known: bool) -> None:
    (tmp_path / name).touch()
    assert FORMAT.recognises(tmp_path / name) is known
