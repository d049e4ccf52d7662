from __future__ import annotations

import gzip
import io
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from builders import FULL_REFERENCE, WORDS, annotated, corpora, document, event_fields, references
from samevent.corpus import Argument, Corpus, Document
from samevent.errors import OutputExistsError, SameventError, UsageError
from samevent.formats import files, read, recognised, write
from samevent.formats.jsonl import document_from_json, document_to_json

SCHEMA = json.loads((resources.files("samevent.formats") / "document.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)

BLANK_WORDS = WORDS | st.sampled_from([" ", "\t", "\u2009", "a b", " a", "\n", "\r", "\u2028", "\ufeff"])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
EXTRA = st.dictionaries(WORDS.map(lambda word: f"x-{word}"), JSON_VALUES, max_size=2)


@st.composite
def rich(draw: st.DrawFn) -> Corpus:
    """Draw a corpus in which every field of a document and a mention may be filled."""
    labels = st.none() | st.just("") | WORDS

    def enriched(d: Document) -> Document:
        ids = [m.id for m in d.mentions]
        mentions = [
            replace(
                m,
                head=draw(st.none() | st.sampled_from(m.tokens)),
                within=draw(labels),
                tag=draw(labels),
                **draw(event_fields(m)),
                probability=draw(st.none() | st.floats(0, 1)),
                refers=draw(references(m)),
                arguments=tuple(
                    Argument(id, draw(labels)) for id in draw(st.lists(st.sampled_from(ids), max_size=2))
                ),
                extra=draw(EXTRA),
            )
            for m in d.mentions
        ]
        # Either nobody said which sentences are annotated, or it is known of each.
        known = draw(st.booleans())
        sentences = tuple(
            replace(s, is_url=draw(st.booleans()), annotated=draw(st.booleans()) if known else None)
            for s in d.sentences
        )
        fields = {name: draw(labels) for name in ("title", "date", "topic", "subtopic")}
        changed = replace(d, sentences=sentences, extra=draw(EXTRA), **fields)  # type: ignore[arg-type]
        return changed.with_mentions(mentions)

    return draw(corpora(words=draw(st.sampled_from([WORDS, BLANK_WORDS])))).mapped(enriched)


@st.composite
def raw(draw: st.DrawFn) -> Corpus:
    """Draw a corpus of texts without tokens, with mentions that may begin and end inside words."""
    documents = []
    for i in range(draw(st.integers(1, 3))):
        text = draw(st.text(st.sampled_from("aé漢😀.- \n\r\t\u2028"), max_size=30))
        places = [n for n, character in enumerate(text) if not character.isspace()]
        spans = draw(st.sets(st.tuples(*[st.sampled_from(places)] * 2), max_size=4)) if places else set()
        chars = [(min(pair), max(pair) + 1) for pair in spans]
        d = Document.from_text(f"raw-{i}", text, borders=[edge for span in chars for edge in span])
        mentions = {d.token_span(*span): None for span in chars}
        documents.append(
            d.with_mentions(
                d.mention("action", *span, head=draw(st.integers(span[0], span[1] - 1))) for span in mentions
            )
        )
    return Corpus(documents)


def read_back(corpus: Corpus, name: str = "corpus.jsonl") -> Corpus:
    with tempfile.TemporaryDirectory() as folder:
        write(corpus, Path(folder) / name)
        return read(Path(folder) / name)


def file(folder: Path, *lines: str | Mapping[str, Any]) -> Path:
    path = folder / "bad.jsonl"
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_text(text, "utf-8")
    return path


# Round trips


@settings(max_examples=40)
@given(corpora() | corpora(words=BLANK_WORDS) | rich() | raw())
def test_nothing_is_lost(corpus: Corpus) -> None:
    assert read_back(corpus) == corpus


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.ndjson", "corpus.JSONL.gz"])
def test_nothing_is_lost_in_any_file(name: str, tmp_path: Path) -> None:
    corpus = Corpus(
        [annotated("a", title="Raid", date="2012-04-12", extra={"source": {"url": "x"}}), annotated("b")]
    )
    write(corpus, tmp_path / name)
    assert recognised(tmp_path / name).name == "jsonl"
    assert read(tmp_path / name) == corpus
    if name.endswith(".gz"):
        assert len(gzip.decompress((tmp_path / name).read_bytes()).splitlines()) == 2


def test_text_that_is_not_the_joined_tokens_is_kept() -> None:
    text = "  “Sudan”\r\nbombs\u00a0Yida.\n\n"
    d = Document.from_tokens("a", [["“", "Sudan", "”"], ["bombs", "Yida", "."]], text=text)
    d = d.with_mentions([d.mention("action", 3, 4), d.mention("participant", 0, 3)])
    (back,) = read_back(Corpus([d]))
    assert back == d
    assert back.text == text


@pytest.mark.parametrize("text", [None, "a   b"])
def test_place_of_a_blank_token_is_kept(text: str | None) -> None:
    d = Document.from_tokens("a", [["a", " ", "b"]], text=text)
    assert d.text == "a   b"
    assert read_back(Corpus([d])) == Corpus([d])


def test_astral_characters_count_as_one() -> None:
    data = {"id": "a", "text": "😀 raid 😀", "mentions": [{"char_start": 2, "char_end": 6}]}
    assert [m.text for m in document_from_json(data).mentions] == ["raid"]


@pytest.mark.parametrize(
    "d",
    [Document.from_tokens("a", []), Document.from_tokens("a", [[], ["x"], []]), Document.from_text("a", "")],
)
def test_empty_documents_and_sentences_are_kept(d: Document) -> None:
    assert read_back(Corpus([d])) == Corpus([d])


def test_head_stays_on_its_word_when_the_mention_that_cut_a_word_is_gone() -> None:
    d = Document.from_text("a", "an airstrike hit Yida", borders=[6])
    cut = d.mention("action", 2, 3)
    corpus = Corpus([d.with_mentions([cut, d.mention("action", 3, 5, head=3)])])
    (back,) = read_back(corpus.filtered(lambda m: m.id != cut.id))
    (m,) = back.mentions
    assert m.head is not None
    assert (m.text, back.tokens[m.head].text) == ("hit Yida", "hit")


def test_raw_text_is_written_without_tokens() -> None:
    d = Document.from_text("a", "Sudan bombs Yida.")
    data = document_to_json(d.with_mentions([d.mention("action", 1, 2, head=1)]))
    assert data == {
        "id": "a",
        "text": "Sudan bombs Yida.",
        "mentions": [
            {
                "id": "a:1-2:action",
                "kind": "action",
                "char_start": 6,
                "char_end": 11,
                "text": "bombs",
                "head": 1,
            }
        ],
    }


def test_the_least_that_a_mention_needs() -> None:
    data = {"id": 7, "text": "Sudan bombs Yida.", "mentions": [{"char_start": 6, "char_end": 11}]}
    d = document_from_json(data)
    assert d.id == "7"
    assert d.mentions == (d.mention("action", 1, 2),)


def test_surrounding_white_space_is_no_part_of_a_mention() -> None:
    mention = {"char_start": 5, "char_end": 12, "text": " bombs "}
    (m,) = document_from_json({"id": "a", "text": "Sudan bombs Yida.", "mentions": [mention]}).mentions
    assert m.text == "bombs"


def test_standard_input_and_output(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus([annotated("a"), annotated("b", title="Überfall 😀")])
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")
    monkeypatch.setattr(sys, "stdout", out)
    write(corpus, "-")
    written = out.buffer.getvalue()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written)))
    assert read("-") == corpus


def test_blank_lines_and_a_byte_order_mark_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(
        b'\xef\xbb\xbf\r\n{"id": "a", "text": "x"}\r\n\n  \n{"id": "b", "text": "y"}'
    )
    assert [d.id for d in read(tmp_path / "a.jsonl")] == ["a", "b"]


def test_writing_rejects_to_overwrite_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write(Corpus([document("old")]), path)
    with pytest.raises(OutputExistsError):
        write(Corpus([document("new")]), path)
    unwritable = Corpus([document("new"), document("bad", extra={"x": object()})])
    with pytest.raises(TypeError):
        write(unwritable, path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl"]
    assert [d.id for d in read(path)] == ["old"]


# Bad input

TOKENS = {"id": "a", "tokens": ["Sudan", "bombs", "Yida", "."]}


def mention(**fields: object) -> dict[str, Any]:
    return {**TOKENS, "mentions": [{"start": 1, "end": 2, **fields}]}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        # The line
        ('{"id": "a"', "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ('{"id": "a", "text": "x", "more": NaN}', "NaN is not a finite number"),
        ('{"id": "a", "text": "x", "more": 1e999}', "1e999 is not a finite number"),
        ('{"id": "a", "text": "half \\ud83d"}', "surrogates not allowed"),
        ('{"id": "a", "text": "x", "deep": [{"\\uDE00": 1}]}', "surrogates not allowed"),
        ('[{"id": "a", "text": "x"}]', "is a JSON list; expected a JSON object"),
        ("null", "is a JSON NoneType"),
        # The document
        ({"text": "x"}, "'id' is missing"),
        ({"id": None, "text": "x"}, "'id' is missing"),
        ({"id": "", "text": "x"}, "empty id"),
        ({"id": True, "text": "x"}, "'id' is True; expected a string"),
        ({"id": 1.5, "text": "x"}, "'id' is 1.5; expected a string"),
        ({"id": "a"}, "'a' has neither text nor tokens"),
        ({"id": "a", "text": None}, "'text' is missing"),
        ({"id": "a", "text": 5}, "'text' is 5; expected a string"),
        ({"id": "a", "text": "x", "sentences": [1]}, "'a' has sentences but no tokens"),
        ({"id": "a", "text": "x", "title": ["t"]}, "'title' is"),
        ({**TOKENS, "tokens": "Sudan bombs"}, "'tokens' is not a list of strings"),
        ({**TOKENS, "tokens": ["Sudan", 3]}, "'tokens' is not a list of strings"),
        ({**TOKENS, "tokens": ["Sudan", ""]}, "token 1 is ''"),
        ({**TOKENS, "text": "Sudan bombed Yida ."}, "token 1 is 'bombs' but the text continues with 'bombed"),
        ({**TOKENS, "text": "Sudan bombs Yida . Today"}, "after the last token the text continues with 'Today'"),
        ({**TOKENS, "sentences": [2, 1]}, "3 tokens in all; expected counts that add up to 4"),
        ({**TOKENS, "sentences": []}, "0 tokens in all"),
        ({**TOKENS, "sentences": [5, -1]}, "expected counts"),
        ({**TOKENS, "sentences": [4.0]}, "'sentences' is not a list of token counts"),
        ({**TOKENS, "sentences": [True, 3]}, "'sentences' is not a list of token counts"),
        ({**TOKENS, "url_sentences": [1]}, "has no sentence 1; expected 0 to 0"),
        ({**TOKENS, "annotated_sentences": [-1]}, "has no sentence -1"),
        ({**TOKENS, "annotated_sentences": None}, "'annotated_sentences' is not a list"),
        ({**TOKENS, "mentions": None}, "'mentions' is not a list of objects"),
        ({**TOKENS, "mentions": [[1, 2]]}, "'mentions' is not a list of objects"),
        # A mention
        ({**TOKENS, "mentions": [{"char_begin": 6, "char_stop": 11}]}, "a mention of document 'a' has no offsets"),
        ({**TOKENS, "mentions": [{"start": 1}]}, "'end' is None; expected a whole number"),
        (mention(start=None), "'start' is None"),
        (mention(start=True), "'start' is True; expected a whole number"),
        (mention(start=1.0), "'start' is 1.0; expected a whole number"),
        (mention(start=-1), "spans tokens -1-2"),
        (mention(end=5), "spans tokens 1-5; expected 0 <= start < end <= 4"),
        (mention(end=1), "spans tokens 1-1"),
        ({**TOKENS, "mentions": [{"char_start": 6, "char_end": 99}]}, "spans characters 6-99"),
        ({**TOKENS, "mentions": [{"char_start": 7, "char_end": 11}]}, "'ombs', are not whole tokens"),
        ({**TOKENS, "mentions": [{"char_start": 6}]}, "'char_end' is None"),
        ({**TOKENS, "mentions": [{"char_start": 6.0, "char_end": 11}]}, "'char_start' is 6.0"),
        (mention(char_start=0, char_end=5), "is at characters 0-5; expected 6-11, as its tokens 1-2 say"),
        (mention(text="bombed"), "says 'bombed' where the document says 'bombs'"),
        (mention(kind="verb"), "has the kind 'verb'; expected one of action, participant, time, location"),
        (mention(kind=None), "has the kind None"),
        (mention(head=2), "has its head at token 2"),
        (mention(head="1"), "'head' is '1'; expected a whole number"),
        (mention(tokens=[1, 1]), "expected each token once"),
        (mention(tokens=[1, 2]), "lists tokens 1..2 but spans 1-2"),
        (mention(tokens=[True]), "'tokens' is not a list of token numbers"),
        (mention(probability=1.01), "has the probability 1.01; expected a number from 0 to 1"),
        (mention(probability="high"), "'probability' is 'high'"),
        (mention(refers=["2031"]), "'refers' is ['2031']; expected a JSON object"),
        (mention(refers={"then": "2031"}), "'refers' has the field 'then'; expected only entity, quantities,"),
        (mention(refers={"when": "2031-02-30"}), "the day '2031-02-30'; expected a date such as 2031-03-04"),
        (mention(refers={"when": "2031-03-04/2031-03-01"}), "2031-03-04/2031-03-01; expected a start before"),
        (mention(refers={"when": "../.."}), "expected an interval of dates with at least one end"),
        (mention(refers={"when": "P2"}), "the duration 'P2'; expected ISO 8601"),
        (mention(refers={"when": "2031-03-04", "when_from": "page"}), "the source 'page'; expected one of argument"),
        (mention(refers={"where": {"id": 3}}), "'name' is missing"),
        (mention(refers={"quantities": [{"unit": "person"}]}), "expected finite numbers in order"),
        (mention(refers={"quantities": [{"low": 3, "high": 2}]}), "from 3 to 2; expected finite numbers in order"),
        (mention(refers={"entity": {"id": "", "name": "x"}}), "expected an entity with an id"),
        (mention(kind="time", refers={"when": "2031-03-04", "when_from": "sentence"}), "expected a source on"),
        (mention(event=[1]), "'event' is [1]; expected a string"),
        (mention(arguments=[{"mention": "m9"}]), "has the argument 'm9'; expected the id of a mention"),
        (mention(arguments=[{"role": "ARG0"}]), "'mention' is missing"),
        (mention(arguments=[{"mention": "a:1-2:action", "score": 1}]), "an argument has the field 'score'"),
        (mention(arguments=["m1"]), "'arguments' is not a list of objects"),
        # Mentions beside each other
        ({**TOKENS, "mentions": [{"start": 1, "end": 2}] * 2}, "two mentions of document 'a' have the id"),
    ],
)  # fmt: skip
def test_bad_line_is_one_error_with_its_place(line: str | dict[str, Any], says: str, tmp_path: Path) -> None:
    path = file(tmp_path, {"id": "first", "text": "fine"}, "", line)
    with pytest.raises(SameventError) as caught:
        read(path)
    assert says in str(caught.value)
    assert caught.value.where == f"{path}:3"


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([{"id": "a", "text": "x"}] * 2, "two documents have the id 'a'"),
        (
            [{**TOKENS, "id": i, "mentions": [{"id": "m", "start": 0, "end": 1}]} for i in "ab"],
            "documents 'a' and 'b' both have a mention 'm'",
        ),
        (
            [{**TOKENS, "mentions": [{"id": i, "start": 1, "end": 2, "event": i} for i in "xy"]}],
            "the action 'bombs' at tokens 1-2 of document 'a' is in two clusters",
        ),
        ([], "contains no documents"),
    ],
)
def test_documents_that_do_not_fit_together_are_an_error(lines: list[Any], says: str, tmp_path: Path) -> None:
    path = file(tmp_path, *lines)
    with pytest.raises(SameventError, match=says) as caught:
        read(path)
    assert caught.value.where == str(path)


def test_folder_of_a_run_is_read_as_its_result(tmp_path: Path) -> None:
    corpus = Corpus([annotated("a")])
    write(corpus, tmp_path / "result.jsonl")
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "mentions.csv").write_text("id\n")
    assert recognised(tmp_path).name == "jsonl"
    assert read(tmp_path) == read(tmp_path / "result.jsonl") == corpus
    (tmp_path / "result.jsonl").write_text("no json")
    with pytest.raises(SameventError, match="is not valid JSON") as caught:
        read(tmp_path)
    assert caught.value.where == f"{tmp_path / 'result.jsonl'}:1"


def test_line_that_is_too_long_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = file(tmp_path, {"id": "a", "text": "x"}, {"id": "b", "text": "x" * 200})
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    with pytest.raises(SameventError, match="longer than 100 bytes") as caught:
        read(path)
    assert caught.value.where == f"{path}:2"


def test_encoding_is_used_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"id": "a", "text": "x"}\n{"id": "é", "text": "x"}'.encode("cp1252"))
    with pytest.raises(SameventError, match="is not valid UTF-8") as caught:
        read(path)
    assert caught.value.where == f"{path}:2"
    assert [d.id for d in read(path, encoding="cp1252")] == ["a", "é"]
    with pytest.raises(UsageError, match="unknown encoding 'klingon'"):
        read(path, encoding="klingon")


# The schema


def test_schema_is_a_schema_that_describes_every_field() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    parts = [SCHEMA, *(SCHEMA["$defs"][name] for name in ("mention", "argument", "reference"))]
    for name, field in [item for part in parts for item in part["properties"].items()]:
        assert field["description"].endswith("."), name


@settings(max_examples=15)
@given(rich() | raw())
def test_all_that_is_written_is_valid(corpus: Corpus) -> None:
    for d in corpus:
        VALIDATOR.validate(json.loads(json.dumps(document_to_json(d))))


def test_schema_knows_every_field_that_is_written() -> None:
    d = annotated(title="t", date="d", topic="1", subtopic="2")
    d = replace(d, sentences=tuple(replace(s, is_url=True, annotated=True) for s in d.sentences))
    d = d.with_mentions(replace(m, within="w", refers=FULL_REFERENCE) for m in d.mentions)
    d = d.with_mentions(replace(m, clause="c") if m.kind == "action" else m for m in d.mentions)
    in_characters = Document.from_text("b", "a b")
    in_characters = in_characters.with_mentions([in_characters.mention("action", 0, 1)])
    objects = [document_to_json(d), document_to_json(in_characters)]
    assert {name for o in objects for name in o} == SCHEMA["properties"].keys()
    fields = {name for o in objects for m in o["mentions"] for name in m}
    assert fields == SCHEMA["$defs"]["mention"]["properties"].keys()
    refers = objects[0]["mentions"][0]["refers"]
    assert refers.keys() == SCHEMA["$defs"]["reference"]["properties"].keys() - {"when_from"}


ACCEPTED: list[dict[str, Any]] = [
    TOKENS,
    {"id": 7, "text": ""},
    {"id": "a", "text": "x", "tokens": ["x"], "sentences": [0, 1], "title": None, "topic": 3},
    {"id": "a", "text": None, "tokens": []},
    {"id": "a", "text": "x", "unknown": {"is": ["kept"]}},
    {**TOKENS, "url_sentences": [0], "annotated_sentences": []},
    mention(kind="time", id=3, event=4, within=None, tag="T", probability=1, head=None, tokens=[]),
    mention(char_start=6, char_end=11, text="bombs", unknown=[1]),
    mention(event_class="reporting", negated=True),
    mention(event_class=None, negated=None),
    mention(clause="Sudan bombs Yida"),
    mention(clause=None),
    mention(id="m", arguments=[{"mention": "m", "role": None}], probability=None),
]
REFUSED: list[Any] = [
    [],
    "a",
    {"text": "x"},
    {"id": "", "text": "x"},
    {"id": None, "text": "x"},
    {"id": 1.5, "text": "x"},
    {"id": True, "text": "x"},
    {"id": "a"},
    {"id": "a", "text": None},
    {"id": "a", "text": 5},
    {"id": "a", "text": "x", "sentences": [1]},
    {"id": "a", "text": "x", "date": {}},
    {**TOKENS, "tokens": None},
    {**TOKENS, "tokens": [""]},
    {**TOKENS, "tokens": [1]},
    {**TOKENS, "sentences": [5, -1]},
    {**TOKENS, "sentences": None},
    {**TOKENS, "url_sentences": [-1]},
    {**TOKENS, "url_sentences": ["0"]},
    {**TOKENS, "annotated_sentences": None},
    {**TOKENS, "mentions": {}},
    {**TOKENS, "mentions": ["m"]},
    {**TOKENS, "mentions": [{}]},
    {**TOKENS, "mentions": [{"char_begin": 1, "char_end": 2}]},
    {**TOKENS, "mentions": [{"start": 1, "char_start": 6, "char_end": 11}]},
    mention(start=None),
    mention(start=-1),
    mention(start="1"),
    mention(start=True),
    mention(start=0, end=0),
    mention(char_end=11),
    mention(kind="verb"),
    mention(kind=None),
    mention(text=None),
    mention(head=-1),
    mention(head="1"),
    mention(tokens=None),
    mention(tokens=[1, 1]),
    mention(probability=1.5),
    mention(probability=-0.1),
    mention(event_class="verb"),
    mention(event_class=1),
    mention(negated="yes"),
    mention(clause=["Sudan"]),
    mention(probability=True),
    mention(event=[]),
    mention(arguments=[{}]),
    mention(arguments=[{"mention": None}]),
    mention(arguments=[{"mention": "m", "role": 1.5}]),
    mention(id="m", arguments=[{"mention": "m", "score": 1}]),
]


@pytest.mark.parametrize(
    ("data", "valid"), [(data, True) for data in ACCEPTED] + [(data, False) for data in REFUSED]
)
def test_schema_and_reader_agree(data: Any, valid: bool, tmp_path: Path) -> None:
    assert VALIDATOR.is_valid(data) is valid
    path = file(tmp_path, data if isinstance(data, dict) else json.dumps(data))
    if valid:
        assert len(read(path)) == 1
    else:
        with pytest.raises(SameventError):
            read(path)
