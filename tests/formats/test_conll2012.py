from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import DATA, annotated, corpora, document, needs_data
from samevent.corpus import Corpus, Document, Mention, Unit
from samevent.corpus.corpus import event_key
from samevent.errors import CorpusError, FormatError, OutputExistsError, SameventError
from samevent.formats.base import ReadOptions, WriteOptions
from samevent.formats.conll2012 import FORMAT, read, write

CASES = DATA / "conll-scorer-cases"
in_tmp_path = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "a.conll"
    path.write_bytes(text.encode())
    return path


def columns(*coreference: str, name: str = "(a); part 000") -> str:
    lines = (f"a\t0\t{i}\tw{i}\t{c}\n" for i, c in enumerate(coreference))
    return f"#begin document {name}\n{''.join(lines)}\n#end document\n"


def read_text(tmp_path: Path, text: str, *, repeats: bool = False) -> Corpus:
    return Corpus(read(file(tmp_path, text), ReadOptions(repeats=repeats)))


def written(tmp_path: Path, corpus: Corpus, unit: Unit = "document") -> Path:
    path = tmp_path / "out.conll"
    write(corpus, path, WriteOptions(unit=unit, overwrite=True))
    return path


def spans(mentions: Iterable[Mention]) -> dict[str | None, list[tuple[int, int]]]:
    clusters: dict[str | None, list[tuple[int, int]]] = {}
    for m in mentions:
        clusters.setdefault(m.event, []).append(m.span)
    return clusters


def crosses(corpus: Corpus) -> bool:
    """Return whether two mentions of one event overlap without nesting."""
    return any(
        event_key(a) == event_key(b) and a.start < b.start < a.end < b.end
        for d in corpus
        for a, b in permutations(d.mentions, 2)
    )


@needs_data("conll-scorer-cases")
def test_official_cases_hold_the_mentions_and_clusters_that_the_official_scorer_counts() -> None:
    expected = json.loads((CASES / "expected.json").read_text())
    assert len(expected) == 36
    for name, scores in expected.items():
        for file, side in ((scores["key"], "recall"), (name, "precision")):
            corpus = Corpus(read(CASES / file, ReadOptions(repeats=True)))
            firsts = [
                m for m in corpus.mentions() if "#" not in m.id
            ]  # the scorer keeps a span's first cluster
            assert len(firsts) == scores["ceafm"][side][1], file
            assert len({m.event for m in firsts}) == scores["ceafe"][side][1], file


@needs_data("conll-scorer-cases")
@pytest.mark.parametrize(
    ("name", "clusters"),
    [("TC-A-7.response", "11"), ("TC-A-8.response", "13"), ("TC-A-9.response", "13333333333")],
)
def test_official_cases_that_repeat_a_span_need_to_be_asked_for(name: str, clusters: str) -> None:
    with pytest.raises(FormatError, match=f"tokens 3-7 .* in clusters {', '.join(clusters)};") as caught:
        list(read(CASES / name, ReadOptions()))
    assert caught.value.where == f"{CASES / name}:5"
    (d,) = read(CASES / name, ReadOptions(repeats=True))
    repeated = {m.id: m.event for m in d.mentions if m.span == (3, 7)}
    ids = [f"{d.id}:3-7:action" + (f"#{n}" if n > 1 else "") for n in range(1, len(clusters) + 1)]
    assert repeated == {id: f"{d.id}:{cluster}" for id, cluster in zip(ids, clusters, strict=True)}


def test_repeats_are_counted_in_the_order_in_which_clusters_first_appear(tmp_path: Path) -> None:
    (d,) = read_text(tmp_path, columns("(7)", "(3)|(7)|(3)"), repeats=True)
    assert [(m.id, m.event) for m in d.mentions if m.start == 1] == [
        ("a:1-2:action", "a:7"),
        ("a:1-2:action#2", "a:3"),
        ("a:1-2:action#3", "a:3"),
    ]


@pytest.mark.parametrize(
    ("coreference", "clusters"),
    [
        (["(1", "-", "1)"], {"a:1": [(0, 3)]}),
        (["(1)", "_", "(1)", "*"], {"a:1": [(0, 1), (2, 3)]}),
        (["(1(3", "3)", "1)"], {"a:1": [(0, 3)], "a:3": [(0, 2)]}),
        (["(1|(2)", "1)"], {"a:1": [(0, 2)], "a:2": [(0, 1)]}),
        (["(1", "(2", "1)", "2)"], {"a:1": [(0, 3)], "a:2": [(1, 4)]}),
        (["(1", "1)|(2", "2)"], {"a:1": [(0, 2)], "a:2": [(1, 3)]}),
        (["(1(1", "1)", "1)"], {"a:1": [(0, 2), (0, 3)]}),
        (["(1", "(1", "1)1)"], {"a:1": [(0, 3), (1, 3)]}),
        (["(1", "1)|(1", "1)"], {"a:1": [(0, 3), (1, 2)]}),  # beginnings before ends, as the scorer does
        (["(01)", "(1)"], {"a:01": [(0, 1)], "a:1": [(1, 2)]}),
    ],
)
def test_brackets_are_matched_as_the_official_scorer_does(
    tmp_path: Path, coreference: list[str], clusters: dict[str, list[tuple[int, int]]]
) -> None:
    assert spans(read_text(tmp_path, columns(*coreference)).mentions()) == clusters


@pytest.mark.parametrize(
    ("lines", "sentences"),
    [
        ("n\t0\t0\tIt\tPRP\t-\t(1)\t \n\nn\t0\t0\tfell\tVBD\t-\t-\n", [["It"], ["fell"]]),
        ("n   0   0   It   PRP   (1)\n\n\n \nn 0 0 fell VBD -\n", [["It"], ["fell"]]),
        ("n\t0\t0\tNew York\t(1)\nn\t0\t1\t\t-\n", [["New York", "_"]]),
        ("n (1)\nn -\n", [["_", "_"]]),
        ("(1)\n-\n", [["_", "_"]]),
        ("#1\t0\t0\tIt\t(1)\r\n", [["It"]]),
    ],
)
def test_words_are_the_fourth_of_five_columns_or_unknown(
    tmp_path: Path, lines: str, sentences: list[list[str]]
) -> None:
    (d,) = read_text(tmp_path, f"#begin document n\n{lines}#end document\n")
    assert [d.words(s) for s in d.sentences] == sentences
    assert [m.span for m in d.mentions] == [(0, 1)]


@pytest.mark.parametrize(
    ("header", "id"),
    [
        ("(nw/00/a_0009); part 000", "nw/00/a_0009"),
        ("(nw/00/a_0009); part 001", "nw/00/a_0009#1"),
        ("(a); ", "a"),
        ("(a)", "a"),
        ("a (b) c", "a (b) c"),
        ("(a); part x", "(a); part x"),
        ("((a); part 001); part 000", "(a); part 001"),
        ("(a#01); part 000", "a#01"),
        ("(a#1); part 002", "a#1#2"),
        ("(a); part " + "1" * 5000, "(a); part " + "1" * 5000),
    ],
)
def test_header_and_id_belong_together(tmp_path: Path, header: str, id: str) -> None:
    corpus = read_text(tmp_path, columns("(1)", name=header))
    assert [d.id for d in corpus] == [id]
    assert [d.id for d in read(written(tmp_path, corpus), ReadOptions())] == [id]


def test_documents_never_share_an_event(tmp_path: Path) -> None:
    text = columns("(1)") + columns("(1)", name="(a); part 001")
    corpus = read_text(tmp_path, text)
    assert [m.event for m in corpus.mentions()] == ["a:1", "a#1:1"]
    assert len(corpus.clustering()) == 2


@in_tmp_path
@given(corpora().filter(lambda c: not crosses(c)))
def test_round_trip_keeps_words_and_covering_spans_and_numbers_events(tmp_path: Path, corpus: Corpus) -> None:
    keys = list(dict.fromkeys(event_key(m) for m in corpus.mentions("action")))
    expected = []
    for d in corpus:
        bare = Document.from_tokens(d.id, [d.words(s) for s in d.sentences])
        actions = [m for m in d.mentions if m.kind == "action"]
        expected.append(
            bare.with_mentions(
                bare.mention("action", *m.span, event=f"{d.id}:{keys.index(event_key(m))}") for m in actions
            )
        )
    assert Corpus(read(written(tmp_path, corpus), ReadOptions())) == Corpus(expected)


@in_tmp_path
@given(corpora().filter(lambda c: not crosses(c)), st.sampled_from(["subtopic", "topic", "corpus"]))
def test_larger_units_keep_events_across_documents(tmp_path: Path, corpus: Corpus, unit: Unit) -> None:
    found = Corpus(read(written(tmp_path, corpus, unit), ReadOptions()))
    units = corpus.grouped(unit)
    assert [d.id for d in found] == list(units)
    for name, documents in units.items():
        assert [t.text for t in found[name].tokens] == [t.text for d in documents for t in d.tokens]
        clusters: dict[object, list[tuple[int, int]]] = {}
        before = 0
        for d in documents:
            for m in d.mentions:
                if m.kind == "action":
                    clusters.setdefault(event_key(m), []).append((before + m.start, before + m.end))
            before += len(d.tokens)
        assert list(spans(found[name].mentions).values()) == list(clusters.values())


def test_ends_stand_before_beginnings_and_longer_mentions_outside(tmp_path: Path) -> None:
    d = document()
    events = [("a", 0, 2), ("b", 1, 4), ("c", 1, 3), ("d", 1, 2), ("e", 3, 4), ("f", 0, 9)]
    corpus = Corpus([d.with_mentions(d.mention("action", s, e, event=event) for event, s, e in events)])
    lines = written(tmp_path, corpus).read_text().splitlines()
    last = [line.split("\t")[4] for line in lines if "\t" in line]
    # In reading order a, f, d, c, b, e are numbered 0 to 5.
    assert last == ["(1|(0", "0)|(4|(3|(2)", "3)", "(5)|4)", "-", "-", "-", "-", "1)"]


def test_same_event_has_the_same_number_in_all_documents(tmp_path: Path) -> None:
    lines = written(tmp_path, Corpus([annotated("a"), annotated("b")])).read_text().splitlines()
    last = [line.split("\t")[-1] for line in lines if "\t" in line]
    assert [c for c in last if c != "-"] == ["(0)", "(0)", "(1", "1)", "(0)", "(0)", "(2", "2)"]


def test_white_space_and_number_signs_cannot_break_the_columns(tmp_path: Path) -> None:
    d = Document.from_tokens("# a\tb", [["tab", "\t", "thin", "\u2009", "in side", "#", "(1)"]])
    corpus = Corpus([d.with_mentions([d.mention("action", 1, 2)])])
    path = written(tmp_path, corpus)
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:-2]]
    assert [row[0] for row in rows] == ["__a_b"] * 7
    assert [row[3] for row in rows] == ["tab", "_", "thin", "_", "in_side", "#", "(1)"]
    (back,) = read(path, ReadOptions())
    assert (back.id, [m.span for m in back.mentions]) == ("# a\tb", [(1, 2)])


@pytest.mark.parametrize(
    ("mentions", "says"),
    [
        ([(0, 2, ()), (1, 3, ())], r"'d1:0-2:action' .* and 'd1:1-3:action' .* of one event cross"),
        ([(0, 3, ()), (0, 3, (0, 2))], r"'d1:0-3:action' and 'x' have the same covering span"),
    ],
)
def test_mentions_that_readers_would_confuse_are_rejected(
    tmp_path: Path, mentions: list[tuple[int, int, tuple[int, ...]]], says: str
) -> None:
    d = document()
    d = d.with_mentions(
        d.mention("action", s, e, tokens=t, event="e", id="x" if t else None) for s, e, t in mentions
    )
    with pytest.raises(FormatError, match=says) as caught:
        written(tmp_path, Corpus([document("d0"), d]))
    assert caught.value.where == str(tmp_path / "out.conll")
    assert list(tmp_path.iterdir()) == []


def test_mentions_of_two_events_may_cross(tmp_path: Path) -> None:
    d = document()
    d = d.with_mentions(d.mention("action", s, e, event=event) for s, e, event in [(0, 2, "x"), (1, 3, "y")])
    (back,) = read(written(tmp_path, Corpus([d])), ReadOptions())
    assert spans(back.mentions) == {"d1:0": [(0, 2)], "d1:1": [(1, 3)]}


def test_name_with_a_line_end_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line end"):
        written(tmp_path, Corpus([document("a\nb")]))


def test_unit_that_documents_do_not_have_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no topic"):
        written(tmp_path, Corpus([document()]), "topic")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (columns("-", "1)"), 3, "a mention of cluster 1 ends but never began"),
        (columns("(1", "2)"), 3, "a mention of cluster 2 ends"),
        (columns("-", "(1", "(1", "1)"), 3, "a mention of cluster 1 begins but never ends"),
        (columns("(1("), 2, r"the last column is '\(1\('; expected coreference such as"),
        (columns("abc"), 2, "the last column is 'abc'"),
        (columns("|"), 2, r"the last column is '\|'"),
        (columns("12"), 2, "the last column is '12'"),
        (columns("(1)2"), 2, "the last column is"),
        (columns("(1+2)"), 2, "the last column is"),
        (columns("(1)", "(2)(2)"), 3, "tokens 1-2 of document 'a' are 2 mentions, in clusters 2, 2"),
        (columns("(1|(2", "2)1)"), 2, "tokens 0-2 of document 'a' are 2 mentions, in clusters 1, 2"),
        ("\n\nstray\n" + columns("-"), 3, "text outside a document"),
        (columns("-") + "stray", 5, "text outside a document"),
        ("#end document\n", 1, "text outside a document"),
        (columns("-") + "#begin document b\nb -\n", 5, "document 'b' begins here but never ends"),
        ("#begin document b\nb -\n" + columns("-"), 1, "document 'b' begins here but never ends"),
        (columns("-") + columns("-", name="(a)"), 5, "document 'a' already begins on line 1"),
        ("#begin document  \n#end document\n", 1, "the document has no name"),
    ],
)
def test_bad_input_is_rejected_with_its_place(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        read_text(tmp_path, text)
    assert caught.value.where == f"{tmp_path / 'a.conll'}:{line}"


LINES = ["#begin document (a); part 000\n", "#begin document b\n", "#end document\n", "\n", "#", " "]
NOTES = ["a\t0\t0\tw\t", "a 0 0 w ", "\t", "(1)", "(1", "1)", "(2", "2)", "|", "-\n", "_\n"]


@in_tmp_path
@given(st.lists(st.sampled_from(LINES + NOTES), max_size=30).map("".join))
def test_any_text_is_read_or_rejected_with_its_place(tmp_path: Path, text: str) -> None:
    where = f"{tmp_path / 'a.conll'}:"
    try:
        corpus = read_text(tmp_path, text, repeats=True)
    except SameventError as error:
        where = error.where or "nowhere"
    else:
        assert all(d.text[m.char_start : m.char_end] == m.text for d in corpus for m in d.mentions)
    assert where.startswith(f"{tmp_path / 'a.conll'}:")


def test_existing_file_is_kept_unless_asked_otherwise(tmp_path: Path) -> None:
    path = file(tmp_path, "precious")
    with pytest.raises(OutputExistsError):
        write(Corpus([document()]), path, WriteOptions())
    assert path.read_text() == "precious"


def test_files_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "a.conll.gz"
    write(Corpus([annotated()]), path, WriteOptions())
    assert [m.span for m in Corpus(read(path, ReadOptions())).mentions()] == [(1, 2), (5, 6), (8, 12)]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("a.conll", True),
        ("a.v4_gold_conll", True),
        ("a.v4_auto_conll.gz", True),
        ("TC-A.key", True),
        ("TC-A-1.response", True),
        ("a.coref", True),
        ("a.conllu", False),
        ("a.txt", False),
    ],
)
def test_format_is_recognised_by_the_name(tmp_path: Path, name: str, known: bool) -> None:
    (tmp_path / name).touch()
    assert FORMAT.recognises(tmp_path / name) is known


def test_folder_is_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "a.conll").mkdir()
    assert not FORMAT.recognises(tmp_path / "a.conll")
