from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import annotated, corpora, document, event_fields, references
from samevent.corpus import KINDS, Argument, Corpus, Document, Kind, Mention
from samevent.errors import CorpusError, OutputExistsError, SameventError, UsageError
from samevent.formats import brat
from samevent.formats.base import ReadOptions, WriteOptions

#       0     6      13       22  26   31     38  42     49
TEXT = "Sudan bombed Yida on\nThursday. The raid killed ten people off."


def read(path: Path, **options: Any) -> list[Document]:
    return list(brat.read(path, ReadOptions(**options)))


def put(folder: Path, annotation: str | None, text: str | bytes = TEXT, name: str = "d") -> Path:
    """Write a pair of files; in the annotation, | stands for a TAB."""
    file = folder / f"{name}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    if annotation is not None:
        file.with_suffix(".ann").write_bytes(annotation.replace("|", "\t").encode())
    return folder


def mentions(folder: Path, annotation: str, text: str = TEXT) -> dict[str, Mention]:
    (found,) = read(put(folder, annotation, text))
    return {m.text: m for m in found.mentions}


def write(corpus: Corpus, path: Path, *, overwrite: bool = False) -> None:
    brat.write(corpus, path, WriteOptions(overwrite=overwrite))


def content(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes().decode() for p in folder.rglob("*") if p.is_file()
    }


# --- reading ---


def test_spans_are_mentions_of_the_untouched_text(tmp_path: Path) -> None:
    (found,) = read(put(tmp_path, "T1|Action 6 12|bombed\nT2|Participant 0 5|Sudan\n"))
    assert (found.id, found.text, found.tokens_given) == ("d", TEXT, False)
    assert [(m.kind, m.text, m.char_start, m.char_end, m.tag) for m in found.mentions] == [
        ("participant", "Sudan", 0, 5, None),
        ("action", "bombed", 6, 12, None),
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((kind.capitalize(), kind) for kind in KINDS),
        *((kind.upper(), kind) for kind in KINDS),
        ("ACTION_OCCURRENCE", "action"),
        ("NEG_ACTION_STATE", "action"),
        ("HUMAN_PART_PER", "participant"),
        ("NON_HUMAN_PART", "participant"),
        ("TIME_OF_THE_DAY", "time"),
        ("LOC_GEO", "location"),
        ("LOC", "location"),
        ("Localization", "participant"),
        ("Timeline", "participant"),
        ("PER", "participant"),
        ("Attack", "participant"),
    ],
)
def test_type_gives_the_kind_and_is_kept_as_the_tag(tmp_path: Path, name: str, kind: str) -> None:
    found = mentions(tmp_path, f"T1|{name} 6 12|bombed\n")["bombed"]
    assert (found.kind, found.tag) == (
        kind,
        None if name in ("Action", "Participant", "Time", "Location") else name,
    )


def test_unknown_type_with_events_is_an_action(tmp_path: Path) -> None:
    found = mentions(
        tmp_path, "T1|Attack 6 12|bombed\nT2|Attack 35 39|raid\nT3|PER 0 5|Sudan\nE1|Attack:T1 \n"
    )
    assert {text: m.kind for text, m in found.items()} == {
        "bombed": "action",
        "raid": "action",
        "Sudan": "participant",
    }


def test_known_type_with_an_event_keeps_its_kind(tmp_path: Path) -> None:
    assert mentions(tmp_path, "T1|TIME 21 29|Thursday\nE1|TIME:T1\n")["Thursday"].kind == "time"


def test_pieces_make_a_discontinuous_mention(tmp_path: Path) -> None:
    (found,) = read(put(tmp_path, "T1|Action 40 46;58 61|killed off\n"))
    (m,) = found.mentions
    assert (m.text, [found.tokens[i].text for i in m.tokens]) == ("killed ten people off", ["killed", "off"])


def test_pieces_on_two_lines_are_continuous(tmp_path: Path) -> None:
    (m,) = mentions(tmp_path, "T1|Time 18 20;21 29|on Thursday\n").values()
    assert (m.text, m.anchors) == ("on\nThursday", ())


@pytest.mark.parametrize("words", ["on Thursday", "on  Thursday ", "on\u00a0Thursday"])
def test_line_end_in_a_span_is_shown_as_white_space(tmp_path: Path, words: str) -> None:
    assert list(mentions(tmp_path, f"T1|Time 18 29|{words}\n")) == ["on\nThursday"]


def test_span_of_half_a_word_is_a_mention(tmp_path: Path) -> None:
    assert list(mentions(tmp_path, "T1|Action 3 6|air\nT2|Action 6 12|strike\n", "an airstrike")) == [
        "air",
        "strike",
    ]


def test_offsets_count_characters_and_not_bytes(tmp_path: Path) -> None:
    assert list(mentions(tmp_path, "T1|Action 5 9|fell\n", "Zoë 𝄞fell")) == ["fell"]


def test_offsets_count_both_characters_of_a_windows_line_end(tmp_path: Path) -> None:
    text = "One.\r\nTwo fell."
    assert list(mentions(tmp_path, "T1|Action 10 14|fell\r\n\r\n", text)) == ["fell"]
    with pytest.raises(
        SameventError, match=r"T1 says 'fell' where the text says 'fel'.*Windows line end is two"
    ):
        mentions(tmp_path, "T1|Action 9 13|fell\n", text)


def test_byte_order_mark_is_not_counted(tmp_path: Path) -> None:
    (found,) = read(put(tmp_path, "\ufeffT1|Action 0 4|Fell\n", b"\xef\xbb\xbfFell."))
    assert [m.text for m in found.mentions] == ["Fell"]


def test_events_give_arguments(tmp_path: Path) -> None:
    found = mentions(
        tmp_path,
        "E1|Action:T1 Agent:T2 Target:T3 \n"
        "T1|Action 6 12|bombed\nT2|Participant 0 5|Sudan\nT3|Location 13 17|Yida\nT4|Action 40 46|killed\n"
        "E2|Action:T1 Agent:T2 Argument:T3\n"
        "E3|Action:T4 Cause:E2\n",
    )
    sudan, yida, bombed = (found[text].id for text in ("Sudan", "Yida", "bombed"))
    assert found["bombed"].arguments == (
        Argument(sudan, "Agent"),
        Argument(yida, "Target"),
        Argument(yida, None),
    )
    assert found["killed"].arguments == (Argument(bombed, "Cause"),)


SPANS = """\
T1|Action 6 12|bombed
T2|Action 35 39|raid
T3|Action 40 46|killed
T4|Participant 0 5|Sudan
T5|Participant 47 57|ten people
E1|Action:T1
E2|Action:T2
"""


def test_equivalences_and_coreference_make_chains(tmp_path: Path) -> None:
    found = mentions(
        tmp_path, SPANS + "*|Alias T4 T5\nR1|Coref Arg1:E1 Arg2:T2\nR2|coreference_of Arg1:T3 Arg2:E2|\n"
    )
    assert {text: (m.event, m.within) for text, m in found.items()} == {
        "Sudan": (None, "c1"),
        "bombed": (None, "c2"),
        "raid": (None, "c2"),
        "killed": (None, "c2"),
        "ten people": (None, "c1"),
    }


def test_equivalences_that_share_a_mention_are_one(tmp_path: Path) -> None:
    found = mentions(tmp_path, SPANS + "*|Coref T1 T2\n*|Coref T3 T2\n")
    assert {text for text, m in found.items() if m.within == "c1"} == {"bombed", "raid", "killed"}


def test_event_note_names_the_event_of_the_whole_chain(tmp_path: Path) -> None:
    notes = (
        "*|Coref T1 T2\n#1|SameEvent E2|the raid, 2012\n#2|SameEvent T3|x\n#3|SameEvent T1|the raid, 2012\n"
    )
    found = mentions(tmp_path, SPANS + notes)
    assert {text: m.event for text, m in found.items() if m.event} == {
        "bombed": "the raid, 2012",
        "raid": "the raid, 2012",
        "killed": "x",
    }
    assert not any(m.within or m.extra for m in found.values())


RECORDS = """\
A1|Negation E1
A2|Confidence T3 very low
M1|Speculation E2
N1|Reference T4 Wikipedia:27421|Sudan
#1|AnnotatorNotes T1|unsure: see|page 3
#2|AnnotatorNotes A2|why?
R1|Before Arg1:E1 Arg2:T3
#3|AnnotatorNotes R1|plausible
"""


def test_other_brat_lines_are_kept_with_the_mention(tmp_path: Path) -> None:
    found = mentions(tmp_path, SPANS + RECORDS)
    assert {text: m.extra["brat"] for text, m in found.items() if m.extra} == {
        "bombed": [
            ["A", "Negation", "", ""],
            ["#", "AnnotatorNotes", "", "unsure: see\tpage 3"],
            ["R", "Before", "Arg1 Arg2", found["killed"].id],
            ["#", "AnnotatorNotes", "", "plausible"],
        ],
        "raid": [["M", "Speculation", "", ""]],
        "killed": [["A", "Confidence", "very low", ""], ["#", "AnnotatorNotes", "", "why?"]],
        "Sudan": [["N", "Reference", "Wikipedia:27421", "Sudan"]],
    }
    assert all(m.within is None for m in found.values())


def test_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    put(tmp_path, "T1|Action 6 12|bombed\n", name="x/2013-05-03")
    put(tmp_path, None, name="a")
    put(tmp_path, "", name="b")
    found = read(tmp_path)
    assert [(d.id, d.date, len(d.mentions)) for d in found] == [
        ("a", None, 0),
        ("b", None, 0),
        ("x/2013-05-03", "2013-05-03", 1),
    ]


@pytest.mark.parametrize("name", ["d.ann", "d.txt"])
def test_pair_is_read_by_the_name_of_either_file(tmp_path: Path, name: str) -> None:
    put(tmp_path, None, name="other")
    (found,) = read(put(tmp_path, "T1|Action 6 12|bombed\n") / name)
    assert (found.id, [m.text for m in found.mentions]) == ("d", ["bombed"])


@pytest.mark.parametrize(
    ("annotation", "line", "says"),
    [
        (
            "T1 Action 6 12 bombed",
            1,
            r"cannot parse 'T1 Action.*expected T1<TAB>TYPE START END<TAB>WORDS",
        ),
        ("T1|Action 6 12", 1, "expected T1<TAB>TYPE START END"),
        ("T1|Action 6-12|bombed", 1, "cannot parse"),
        ("T1|Action -6 12|bombed", 1, "cannot parse"),
        ("T1|Action 6 9999999999|bombed", 1, "cannot parse"),
        ("T|Action 6 12|bombed", 1, "cannot parse"),
        ("*1|Coref T1 T2", 1, r"expected \*<TAB>TYPE T1 T2"),
        ("\n# a comment", 2, "cannot parse"),
        ("X1|Action 6 12|bombed", 1, r"expected one of T E R \* A M N # first"),
        ("|Action", 1, "expected one of T E R"),
        ("T1|Action 6 12|bombed\n\nT1|Action 35 39|raid", 3, r"the id T1 is already used at .*d\.ann:1"),
        ("T1|Action 6 12|bombed\nA1|X T1\nA1|Y T1", 3, "the id A1 is already used at"),
        (
            "T1|Action 6 12|bombs",
            1,
            r"T1 says 'bombs' where the text says 'bombed'\. Offsets count the characters",
        ),
        ("T1|Action 6 12|", 1, "T1 says '' where"),
        ("T1|Action 60 63|off.", 1, "T1 is at 60 63; expected pieces in order, from 0 to 62"),
        ("T1|Action 12 6|bombed", 1, "T1 is at 12 6; expected pieces in order"),
        ("T1|Action 58 61;40 46|off killed", 1, "expected pieces in order"),
        ("T1|Action 40 46;44 50|killed", 1, "expected pieces in order"),
        ("T1|Action 6 6|", 1, "T1 is at 6 6, which contains no word"),
        ("T1|Action 20 21| ", 1, "T1 is at 20 21, which contains no word"),
        ("T1|Action 6 12;12 13|bombed ", 1, "which contains no word"),
        (
            "T1|Action 6 12|bombed\nT2|ACTION_STATE 6 12|bombed",
            2,
            "T2 marks the same action as T1, 'bombed'",
        ),
        ("T1|Action 6 12|bombed\nE1|Action:T2", 2, "E1 points at T2; expected the id of a T or E line"),
        ("T1|Action 6 12|bombed\nE1|Action:T1 Agent:T7", 2, "E1 points at T7"),
        (
            "T1|Action 6 12|bombed\nE1|Attack:T1",
            2,
            "E1 has the type Attack; expected Action, as its trigger T1",
        ),
        ("T1|Action 6 12|bombed\nE1|Action:T1\nE2|Action:E1", 3, "cannot parse"),
        ("T1|Action 6 12|bombed\nE1|Action:T1 Agent T2", 2, r"expected E1<TAB>TYPE:T1 ROLE:T2"),
        ("T1|Action 6 12|bombed\n*|Coref T1", 2, r"expected \*<TAB>TYPE T1 T2"),
        ("T1|Action 6 12|bombed\n*|Coref T1 T2", 2, r"\* points at T2"),
        ("T1|Action 6 12|bombed\nR1|Coref Arg1:T1", 2, "expected R1<TAB>TYPE ARG1:T1 ARG2:T2"),
        ("T1|Action 6 12|bombed\nR1|Coref Arg1:T1 Arg2:T2", 2, "R1 points at T2"),
        ("T1|Action 6 12|bombed\nA1|Negation", 2, "expected A1<TAB>TYPE T1 VALUE<TAB>TEXT"),
        ("T1|Action 6 12|bombed\nA1|Negation T3", 2, "A1 points at T3"),
        ("#1|AnnotatorNotes #2|a\n#2|AnnotatorNotes #1|b", 1, "#1 points at #2, which leads into a cycle"),
        ("#1|AnnotatorNotes #1|a", 1, "#1 points at #1, which leads into a cycle"),
        (SPANS + "#1|SameEvent T1|a\n#2|SameEvent E1|b", 9, "#2 names the event 'b' of T1, #1 the event 'a'"),
        (SPANS + "*|Coref T1 T2\n#1|SameEvent T1|a\n#2|SameEvent T2|b", 10, "#2 names the event 'b' of T2"),
        (SPANS + "#1|SameEvent T1|", 8, "#1 names the event '' of T1"),
    ],
)
def test_bad_annotation_is_placed_in_its_line(tmp_path: Path, annotation: str, line: int, says: str) -> None:
    with pytest.raises(SameventError, match=says) as caught:
        read(put(tmp_path, annotation))
    assert caught.value.where == f"{tmp_path / 'd.ann'}:{line}"


def test_long_chains_of_notes_and_links_are_followed(tmp_path: Path) -> None:
    notes = "".join(f"#{i}|Note #{i - 1}|x\n" for i in range(2, 300))
    links = "".join(f"R{i}|Coref Arg1:T{i % 3 + 1} Arg2:T{i % 2 + 1}\n" for i in range(1, 300))
    found = mentions(tmp_path, SPANS + "#1|Note T1|x\n" + notes + links)
    assert len(found["bombed"].extra["brat"]) == 299
    assert {m.within for m in found.values() if m.kind == "action"} == {"c1"}


def test_bytes_that_are_not_utf8_are_placed(tmp_path: Path) -> None:
    put(tmp_path, "T1|Action 6 12|bombed\n")
    (tmp_path / "d.ann").write_bytes(b"T1\tAction 6 12\tbombed\nT2\tAction 1 2\t\xe9\n")
    with pytest.raises(SameventError, match=r"0xe9.*is not valid UTF-8") as caught:
        read(tmp_path)
    assert caught.value.where == f"{tmp_path / 'd.ann'}:2"
    put(tmp_path, "", b"f\xeate")
    with pytest.raises(SameventError, match="is not valid UTF-8") as caught:
        read(tmp_path)
    assert caught.value.where == f"{tmp_path / 'd.txt'}:1"


@pytest.mark.parametrize("path", ["", "d.ann"])
def test_annotation_without_a_text_is_rejected(tmp_path: Path, path: str) -> None:
    (put(tmp_path, "T1|Action 6 12|bombed\n") / "d.txt").unlink()
    with pytest.raises(SameventError, match=r"no text for this annotation; expected a \.txt file") as caught:
        read(tmp_path / path)
    assert caught.value.where == str(tmp_path / "d.ann")


def test_other_documents_are_read_when_failures_are_collected(tmp_path: Path) -> None:
    put(tmp_path, "T1|Action 6 12|bombed\n", name="good")
    put(tmp_path, "nonsense", name="bad")
    (put(tmp_path, "", name="lonely") / "lonely.txt").unlink()
    failures: list[SameventError] = []
    assert [d.id for d in read(tmp_path, failures=failures)] == ["good"]
    assert [e.where for e in failures] == [str(tmp_path / "lonely.ann"), f"{tmp_path / 'bad.ann'}:1"]


# --- writing ---


def characters(document: Document, mention: Mention) -> frozenset[int]:
    """Where the mention's own words are, whatever the tokens."""
    tokens = (document.tokens[i] for i in mention.tokens)
    return frozenset(i for t in tokens for i in range(t.start, t.end) if not document.text[i].isspace())


def kept(corpus: Corpus) -> dict[str, object]:
    """Everything that the format keeps: all but tokens, ids, names of chains and fields it has no place for."""

    def arguments(mention: Mention) -> tuple[object, ...]:
        return tuple((place[a.mention], a.role) for a in mention.arguments)

    place = {m.id: (d.id, characters(d, m), m.kind) for d in corpus for m in d.mentions}
    clusters = {frozenset(place[id] for id in cluster) for cluster in corpus.clustering(kind=None)}
    documents = {
        d.id: {
            (
                *(
                    place[m.id],
                    m.text,
                    m.char_start,
                    m.char_end,
                    m.tag,
                    m.event_class,
                    m.negated,
                    m.refers,
                    m.event,
                ),
                arguments(m),
            )
            for m in d.mentions
        }
        for d in corpus
    }
    return {"texts": [(d.id, d.text) for d in corpus], "mentions": documents, "clusters": clusters}


TAGS = {
    "action": ("Attack", "ACTION_STATE", "NEG_X", None),
    "participant": ("PER", "HUMAN_PART", "Attack?", None),
    "time": ("TIME_DATE", None),
    "location": ("LOC_FAC", None),
}


@st.composite
def rich_corpora(draw: st.DrawFn) -> Corpus:
    def enriched(document: Document) -> Document:
        ids = [m.id for m in document.mentions]

        def changed(m: Mention) -> Mention:
            tag = draw(st.sampled_from(TAGS[m.kind]))
            pairs = st.tuples(st.sampled_from(ids), st.sampled_from(["ARG0", "AM-TMP", None]))
            # A participant with an event line of its own would have to be an action if its type is unknown.
            arguments = draw(st.lists(pairs, max_size=2, unique=True)) if m.kind == "action" else []
            within = draw(st.sampled_from([None, "a", "b"])) if m.event is None else None
            links = tuple(Argument(*pair) for pair in arguments)
            fields = draw(event_fields(m)) | {"refers": draw(references(m))}
            return replace(m, tag=tag, within=within, arguments=links, **fields)

        return document.with_mentions([changed(m) for m in document.mentions])

    return draw(corpora()).mapped(enriched)


@settings(max_examples=40)
@given(rich_corpora())
def test_round_trip_keeps_what_the_format_can_represent(corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(corpus, Path(folder, "out"))
        assert kept(Corpus(read(Path(folder, "out")))) == kept(corpus)


@settings(max_examples=40)
@given(rich_corpora())
def test_written_files_keep_the_rules_of_brat(corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(corpus, Path(folder, "out"))
        files = content(Path(folder, "out"))
    for d in corpus:
        text, lines = files[f"{d.id}.txt"], files[f"{d.id}.ann"].split("\n")
        assert lines.pop() == ""
        assert all(line.splitlines() == [line] for line in lines)
        rows = [line.split("\t") for line in lines]
        ids = [row[0] for row in rows if row[0] != "*"]
        assert len(ids) == len(set(ids))
        triggers = {row[1].split(" ")[0].split(":")[1] for row in rows if row[0].startswith("E")}
        for id, *fields in rows:
            if id.startswith("T"):
                pieces = [piece.split(" ") for piece in fields[0].split(" ", 1)[1].split(";")]
                assert " ".join(text[int(start) : int(end)] for start, end in pieces) == fields[1]
            else:
                words = fields[0].split(" ")[1:]
                targets = {word.split(":")[-1] for word in (words[:1] if id.startswith("A") else words)}
                assert targets <= set(ids) - triggers


def test_written_annotation_of_a_small_document(tmp_path: Path) -> None:
    write(Corpus([annotated("n/a")]), tmp_path / "out")
    files = content(tmp_path / "out")
    assert files["n/a.txt"] == annotated().text
    assert files["n/a.ann"].replace("\t", "|").splitlines() == [
        "T1|HUMAN_PART_GPE 0 5|Sudan",
        "T2|ACTION_OCCURRENCE 6 11|bombs",
        "T3|LOC_GEO 12 16|Yida",
        "T4|ACTION_OCCURRENCE 23 27|raid",
        "T5|TIME_DATE 31 39|Thursday",
        "T6|NEG_ACTION_OCCURRENCE 40 46;58 61|killed off",
        "E1|ACTION_OCCURRENCE:T2 ARG0:T1 Argument:T3",
        "E2|ACTION_OCCURRENCE:T4 AM-TMP:T5",
        "E3|NEG_ACTION_OCCURRENCE:T6",
        "*|Coreference E1 E2",
        "#1|SameEvent T1|sudan",
        "#2|SameEvent E1|raid",
        "A1|EventClass E1 occurrence",
        "#3|SameEvent E2|raid",
        "A2|EventClass E2 occurrence",
        "#4|SameEvent E3|kill n/a",
        "A3|EventClass E3 occurrence",
        "A4|Negated E3",
    ]


def test_configuration_lists_the_types_in_use(tmp_path: Path) -> None:
    put(tmp_path / "in", SPANS + RECORDS + "A3|Confidence T4 high\n")
    write(Corpus([*read(tmp_path / "in"), annotated()]), tmp_path / "out")
    sections = (tmp_path / "out" / "annotation.conf").read_text().split("\n\n")
    lines = {section.splitlines()[0]: section.splitlines()[1:] for section in sections}
    assert lines == {
        "[entities]": ["HUMAN_PART_GPE", "LOC_GEO", "Participant", "TIME_DATE"],
        "[relations]": [
            "Before\tArg1:<ANY>, Arg2:<ANY>",
            "Coreference\tArg1:<ANY>, Arg2:<ANY>, <REL-TYPE>:symmetric-transitive",
            "<OVERLAP>\tArg1:<ANY>, Arg2:<ANY>, <OVL-TYPE>:<ANY>",
        ],
        "[events]": [
            "ACTION_OCCURRENCE\tAM-TMP*:<ANY>, ARG0*:<ANY>, Argument*:<ANY>",
            "Action",
            "NEG_ACTION_OCCURRENCE",
        ],
        "[attributes]": [
            "Confidence\tArg:<ANY>, Value:high|very low",
            "EventClass\tArg:<ANY>, Value:occurrence",
            "Negated\tArg:<ANY>",
            "Negation\tArg:<ANY>",
            "Speculation\tArg:<ANY>",
        ],
    }


def test_other_brat_lines_are_written_back(tmp_path: Path) -> None:
    put(tmp_path / "in", SPANS + RECORDS)
    (before,) = read(tmp_path / "in")
    write(Corpus([before]), tmp_path / "out")
    (after,) = read(tmp_path / "out")
    assert {m.id: m.extra for m in after.mentions} == {m.id: m.extra for m in before.mentions}
    lines = (tmp_path / "out" / "d.ann").read_text().replace("\t", "|").splitlines()
    assert {"A1|Negation E1", "N1|Reference T1 Wikipedia:27421|Sudan", "R1|Before Arg1:E1 Arg2:E3"} <= set(
        lines
    )


def test_relation_to_a_mention_that_is_gone_is_left_out(tmp_path: Path) -> None:
    corpus = Corpus(read(put(tmp_path / "in", SPANS + RECORDS)))
    write(corpus.filtered(lambda m: m.text == "bombed"), tmp_path / "out")
    assert "Before" not in (tmp_path / "out" / "d.ann").read_text()


def test_tag_of_another_kind_is_replaced_by_the_kind(tmp_path: Path) -> None:
    d = document()
    tags: list[tuple[Kind, str]] = [("time", "Attack"), ("action", "TIME_X"), ("participant", "Attack")]
    tags += [("action", "Attack"), ("location", "two words"), ("action", "Action")]
    mentions = (d.mention(kind, i, i + 1, tag=tag) for i, (kind, tag) in enumerate(tags))
    write(Corpus([d.with_mentions(mentions)]), tmp_path / "out")
    (found,) = read(tmp_path / "out")
    assert [(m.kind, m.tag) for m in found.mentions] == [
        ("time", None),
        ("action", None),
        ("participant", None),
        ("action", "Attack"),
        ("location", None),
        ("action", None),
    ]


@pytest.mark.parametrize("text", ["He said\non the\r\n\r\nphone: no", "a\x0bb\u2028c\x85d", "a \n \n b"])
def test_mention_over_line_ends_is_written_in_pieces(tmp_path: Path, text: str) -> None:
    d = Document.from_text("d", text)
    write(Corpus([d.with_mentions([d.mention("action", 0, len(d.tokens))])]), tmp_path / "out")
    (found,) = read(tmp_path / "out")
    assert [(m.text, m.anchors) for m in found.mentions] == [(text, ())]
    assert len((tmp_path / "out" / "d.ann").read_text().splitlines()) == 2


def test_same_corpus_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(Corpus([annotated("x"), annotated("y")]), tmp_path / name)
    assert content(tmp_path / "a") == content(tmp_path / "b")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"event": "two\nlines"}, "document 'd1': cannot parse .*two"),
        ({"event": "line\u2028end"}, "document 'd1': cannot parse"),
        ({"event": ""}, "document 'd1': cannot parse"),
        ({"arguments": (Argument("d1:0-1:participant", "agent of"),)}, r"expected E1<TAB>TYPE:T1 ROLE:T2"),
        ({"extra": {"brat": [["#", "Note", "", "two\nlines"]]}}, "cannot parse"),
        ({"extra": {"brat": [["R", "Before", "Arg1", "d1:0-1:participant"]]}}, "cannot parse"),
    ],
)
def test_content_that_no_line_can_contain_is_rejected_and_leaves_nothing(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    d = document()
    bad = replace(d.mention("action", 1, 2), **change)
    with pytest.raises(SameventError, match=says):
        write(
            Corpus([document("d0"), d.with_mentions([d.mention("participant", 0, 1), bad])]), tmp_path / "out"
        )
    assert list(tmp_path.iterdir()) == []


def test_fields_of_others_under_the_same_name_are_left_alone(tmp_path: Path) -> None:
    d = document()
    for extra in (5, "A", [5, ["A", "B"], ["Z", "", "", ""]]):
        write(
            Corpus([d.with_mentions([d.mention("action", 1, 2, extra={"brat": extra})])]),
            tmp_path / "out",
            overwrite=True,
        )
        assert (tmp_path / "out" / "d1.ann").read_text() == "T1\tAction 6 11\tbombs\nE1\tAction:T1\n"


def test_mention_of_white_space_is_rejected(tmp_path: Path) -> None:
    d = Document.from_tokens("d", [["a", "\t", "b"]])
    with pytest.raises(CorpusError, match="is only white space, which brat cannot mark"):
        write(Corpus([d.with_mentions([d.mention("action", 1, 2)])]), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_folder_is_overwritten_only_when_asked(tmp_path: Path) -> None:
    write(Corpus([annotated()]), tmp_path / "out")
    with pytest.raises(OutputExistsError):
        write(Corpus([document()]), tmp_path / "out")
    assert len(read(tmp_path / "out")[0].mentions) == 6
    write(Corpus([document()]), tmp_path / "out", overwrite=True)
    assert len(read(tmp_path / "out")[0].mentions) == 0


@pytest.mark.parametrize("name", ["out.ann", "out.txt"])
def test_writing_to_a_file_is_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="brat is a folder of files"):
        write(Corpus([annotated()]), tmp_path / name)


@pytest.mark.parametrize(
    ("files", "path", "recognised"),
    [
        (["a.txt", "a.ann"], "", True),
        (["x/y/a.txt", "x/y/a.ann"], "", True),
        (["a.txt"], "", False),
        (["a.txt", ".a.ann"], "", False),
        (["a.txt", "a.ann"], "a.ann", True),
        (["a.txt", "a.ann"], "a.txt", False),
    ],
)
def test_brat_is_recognised(tmp_path: Path, files: list[str], path: str, recognised: bool) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert brat.FORMAT.recognises(tmp_path / path) is recognised
