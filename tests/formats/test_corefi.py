from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import annotated, corpora, document
from samevent.corpus import Corpus, Document, Mention
from samevent.errors import FormatError, OutputExistsError, SameventError
from samevent.formats import files
from samevent.formats.base import ReadOptions, WriteOptions
from samevent.formats.corefi import FORMAT


def read(path: Path, **options: Any) -> Corpus:
    return Corpus(FORMAT.read(path, ReadOptions(**options)))


def job(corpus: Corpus) -> dict[str, Any]:
    """Write a corpus and return the JSON object that is in the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.corefi.json"
        FORMAT.write(corpus, path, WriteOptions())
        data = json.loads(path.read_text("utf-8"))
    assert isinstance(data, dict)
    return data


def read_back(corpus: Corpus) -> Corpus:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.corefi.json"
        FORMAT.write(corpus, path, WriteOptions())
        return read(path)


def saved(folder: Path, data: object) -> Path:
    path = folder / "job.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return path


def apart(corpus: Corpus) -> Corpus:
    """Leave out actions that overlap an earlier one."""
    ends: dict[str, int] = {}
    kept = set()
    for m in corpus.mentions("action"):
        if m.start >= ends.get(m.document, 0):
            ends[m.document] = m.end
            kept.add(m.id)
    return corpus.filtered(lambda m: m.kind != "action" or m.id in kept)


def token(text: str, **fields: Any) -> dict[str, Any]:
    return {"text": text, "document": 0, **fields}


TOKENS = [token(w) for w in "Sudan bombs Yida .".split()] + [token(w, document=1) for w in "A raid".split()]


def handed_back(*mentions: dict[str, Any], tokens: object = TOKENS, **fields: Any) -> dict[str, Any]:
    return {"tokens": tokens, "mentions": list(mentions), **fields}


# Reading what the tool gives


def test_job_as_the_tool_has_it_is_read(tmp_path: Path) -> None:
    tokens = [
        {"i": 0, "document": 0, "doc_name": "a.xml", "text": "They", "pos": "PRON", "noWhite": False},
        {"i": 1, "document": 0, "doc_name": "a.xml", "text": "ca", "noWhite": True},
        {"i": 2, "document": 0, "doc_name": "a.xml", "text": "n't"},
        {"i": 3, "document": 0, "doc_name": "a.xml", "text": "merge", "noWhite": True},
        {"i": 4, "document": 0, "doc_name": "a.xml", "text": "."},
        {"i": 5, "document": 0, "doc_name": "a.xml", "text": "Talks"},
        {"i": 6, "document": 0, "doc_name": "a.xml", "text": "ended"},
        {"i": 7, "document": 2, "doc_name": "b.xml", "text": "No"},
        {"i": 8, "document": 2, "doc_name": "b.xml", "text": "merger"},
    ]
    mentions = [
        {"start": 2, "end": 3, "clustId": "2-3"},
        {"start": 6, "end": 6},
        {"start": 7, "end": 8, "clustId": "2-3"},
    ]
    path = saved(tmp_path, {"mode": "reviewer", "topic": "35", "tokens": tokens, "mentions": mentions})
    assert FORMAT.recognises(path)
    a, b = read(path)
    assert (a.id, a.text, a.topic) == ("a.xml", "They can't merge. Talks ended", "35")
    assert [len(a.words(s)) for s in a.sentences] == [5, 2]
    assert (b.id, b.text) == ("b.xml", "No merger")
    assert [(m.text, m.span, m.event, m.kind) for m in (*a.mentions, *b.mentions)] == [
        ("n't merge", (2, 4), "2-3", "action"),
        ("ended", (6, 7), None, "action"),
        ("No merger", (0, 2), "2-3", "action"),
    ]


def test_documents_without_a_name_are_called_by_their_number(tmp_path: Path) -> None:
    assert [d.id for d in read(saved(tmp_path, handed_back()))] == ["0", "1"]


def test_mention_listed_twice_is_one_mention(tmp_path: Path) -> None:
    twice = handed_back({"start": 1, "end": 1}, {"start": 1, "end": 1})
    assert [m.text for m in read(saved(tmp_path, twice)).mentions()] == ["bombs"]


def test_nested_mentions_are_read(tmp_path: Path) -> None:
    nested = handed_back({"start": 0, "end": 2, "clustId": "0-2"}, {"start": 1, "end": 1, "clustId": "0-2"})
    assert [m.text for m in read(saved(tmp_path, nested)).mentions()] == ["Sudan bombs Yida", "bombs"]


def test_other_encodings_are_read_when_named(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    path.write_bytes(json.dumps(handed_back(tokens=[token("Überfall")]), ensure_ascii=False).encode("cp1252"))
    with pytest.raises(FormatError, match="is not valid UTF-8"):
        read(path)
    assert [d.text for d in read(path, encoding="cp1252")] == ["Überfall"]


@pytest.mark.parametrize(
    ("name", "content", "recognised"),
    [
        ("a.json", '{"mode": "annotation", "tokens": [ {"i": 0', True),
        ("a.corefi.json", '{"tokens":[{', True),
        ("a.json", '{"id": "a", "tokens": ["Sudan"]}', False),
        ("a.json", "", False),
        ("a.txt", '{"tokens":[{', False),
    ],
)
def test_files_are_recognised_by_name_and_content(
    name: str, content: str, recognised: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    assert FORMAT.recognises(tmp_path / name) is recognised
    assert not FORMAT.recognises(tmp_path)


# Writing what the tool takes


@settings(max_examples=40)
@given(corpora().map(apart))
def test_job_has_all_that_the_tool_needs(corpus: Corpus) -> None:
    data = job(corpus)
    tokens, mentions = data["tokens"], data["mentions"]
    assert [t["i"] for t in tokens] == list(range(len(tokens)))
    assert [t["document"] for t in tokens] == sorted(t["document"] for t in tokens)
    assert all(a["end"] < b["start"] for a, b in pairwise(mentions))
    words = [[t["text"] for t in tokens[m["start"] : m["end"] + 1]] for m in mentions]
    actions = list(corpus.mentions("action"))
    assert words == [[t.text for t in corpus[m.document].tokens[m.start : m.end]] for m in actions]
    if mentions:
        assert data["selectedCluster"] == mentions[0]["clustId"]
    first: dict[str, str] = {}
    for m in mentions:
        if "clustId" in m:
            assert first.setdefault(m["clustId"], f"{m['start']}-{m['end']}") == m["clustId"]
    together = len(corpus.clustering()) < len(actions)
    assert data["mode"] == ("reviewer" if together else "annotation")
    assert sum("clustId" in m for m in mentions) == (len(mentions) if together else min(len(mentions), 1))


@settings(max_examples=40)
@given(corpora().map(apart))
def test_documents_mentions_and_clusters_come_back(corpus: Corpus) -> None:
    back = read_back(corpus)
    actions = corpus.filtered(lambda m: m.kind == "action")
    topics = {d.topic for d in corpus}
    common = topics.pop() if len(topics) == 1 else None

    def held(d: Document) -> Document:
        bare = [replace(m, anchors=(), event=None) for m in d.mentions]
        return replace(d.with_mentions(bare), topic=common, subtopic=None)

    assert back.mapped(held) == actions.mapped(held)
    assert back.clustering() == actions.clustering()


@settings(max_examples=20)
@given(corpora(words=st.sampled_from([" ", "\t", "\n", "a b", " a", "a"])).map(apart))
def test_words_of_white_space_are_kept(corpus: Corpus) -> None:
    def counted(c: Corpus) -> list[object]:
        return [([t.text for t in d.tokens], d.sentences, [m.span for m in d.mentions]) for d in c]

    assert counted(read_back(corpus)) == counted(corpus.filtered(lambda m: m.kind == "action"))


def test_words_without_a_space_between_them_stay_together() -> None:
    d = Document.from_tokens("a", [["It", "'s", "over", "."], ["Really", "."]], text="It's  over.Really.")
    tokens = job(Corpus([d]))["tokens"]
    assert [t.get("noWhite", False) for t in tokens] == [True, False, True, True, True, False]
    assert [t["sentence"] for t in tokens] == [0, 0, 0, 0, 1, 1]
    (back,) = read_back(Corpus([d]))
    assert back.text == "It's over.Really."
    assert back.sentences == d.sentences


def test_within_document_chains_become_clusters() -> None:
    d = document()
    d = d.with_mentions([d.mention("action", i, i + 1, within="c" if i else None) for i in (0, 1, 5)])
    assert [m["clustId"] for m in job(Corpus([d]))["mentions"]] == ["0-0", "1-1", "1-1"]


def test_overlapping_mentions_are_not_written(tmp_path: Path) -> None:
    d = document()
    d = d.with_mentions([d.mention("action", 0, 3), d.mention("action", 1, 2), d.mention("action", 5, 6)])
    path = tmp_path / "job.json"
    with pytest.raises(
        FormatError, match=r"'Sudan bombs Yida'\) and 'd1:1-2:action' \('bombs'\) overlap"
    ) as caught:
        FORMAT.write(Corpus([d]), path, WriteOptions())
    assert caught.value.where == str(path)
    assert not list(tmp_path.iterdir())


def test_participants_may_overlap_since_they_are_not_written() -> None:
    d = document()
    participants: list[Mention] = [d.mention("participant", 0, 3), d.mention("participant", 1, 2)]
    assert job(Corpus([d.with_mentions(participants)]))["mentions"] == []


def test_existing_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.corefi.json"
    FORMAT.write(Corpus([annotated()]), path, WriteOptions())
    before = path.read_bytes()
    with pytest.raises(OutputExistsError):
        FORMAT.write(Corpus([document()]), path, WriteOptions())
    assert path.read_bytes() == before
    FORMAT.write(Corpus([annotated()]), path, WriteOptions(overwrite=True))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.corefi.json"]


# Bad input


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "is a JSON list; expected a JSON object"),
        ("[" * 100_000, "is not valid JSON (maximum recursion"),
        ({"mentions": []}, "has no 'tokens'; expected a CoRefi job"),
        ({"tokens": TOKENS}, "has no 'mentions'"),
        (handed_back(tokens=["Sudan", "bombs"]), "'tokens' is not a list of objects"),
        (handed_back(tokens=[token("a"), {"document": 0}]), "tokens[1]: the field 'text' is missing"),
        (handed_back(tokens=[token("a"), token("")]), "tokens[1]: has an empty text"),
        (handed_back(tokens=[token("a"), {"text": "b"}]), "tokens[1]: the field 'document' is missing"),
        (handed_back(tokens=[token("a", i=1)]), "tokens[0]: has the index 1; expected i = 0"),
        (handed_back(tokens=[token("a", sentence="1")]), "tokens[0]: the field 'sentence' is '1'"),
        (
            handed_back(tokens=[token("a"), token("b", document=1), token("c")]),
            "tokens[2] returns to document '0'; expected all tokens of a document in a row",
        ),
        (
            handed_back(tokens=[token("a", doc_name="x"), token("b", document=1, doc_name="x")]),
            "tokens[1] returns to document 'x'",
        ),
        (handed_back(topic=[1]), "the field 'topic' is [1]"),
        (handed_back({"start": 1}), "mentions[0]: the field 'end' is None; expected a whole number"),
        (handed_back({"start": 1, "end": 1}, {"start": 1.0, "end": 1}), "mentions[1]: the field 'start' is 1.0"),
        (handed_back({"start": 2, "end": 1}), "mentions[0]: spans tokens 2 to 1; expected 0 <= start <= end < 6"),
        (handed_back({"start": -1, "end": 1}), "mentions[0]: spans tokens -1 to 1"),
        (handed_back({"start": 5, "end": 6}), "mentions[0]: spans tokens 5 to 6"),
        (handed_back({"start": 3, "end": 4}), "mentions[0]: begins in document '0' and ends in '1'"),
        (handed_back({"start": 1, "end": 1, "clustId": []}), "mentions[0]: the field 'clustId' is []"),
        (
            handed_back({"start": 1, "end": 1, "clustId": "1-1"}, {"start": 1, "end": 1, "clustId": "2-2"}),
            "mentions[1]: 'bombs' is in cluster '2-2' here and in '1-1' earlier; expected every mention in one",
        ),
        (handed_back({"start": 1, "end": 1, "clustId": "1-1"}, {"start": 1, "end": 1}), "mentions[1]: 'bombs' is in"),
    ],
)  # fmt: skip
def test_bad_job_is_one_error_that_names_the_part(data: object, says: str, tmp_path: Path) -> None:
    path = saved(tmp_path, data)
    with pytest.raises(SameventError) as caught:
        read(path)
    assert says in str(caught.value)
    assert caught.value.where == str(path)


def test_broken_json_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = saved(tmp_path, '{\n "tokens": [],\n "mentions": [}\n')
    with pytest.raises(FormatError, match=r"is not valid JSON .* at column 15") as caught:
        read(path)
    assert caught.value.where == f"{path}:3"


def test_file_that_is_too_large_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = saved(tmp_path, handed_back())
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    with pytest.raises(FormatError, match="larger than 100 bytes"):
        read(path)
