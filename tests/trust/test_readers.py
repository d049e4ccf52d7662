"""For any file, reading gives a consistent corpus or one clear error."""

from __future__ import annotations

import gzip
import json
import signal
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samevent import Corpus, SameventError, UsageError, read
from samevent.formats import READABLE, files
from trust.samples import MUTATIONS, Mutation, read_or_rejected, samples, zipped

NUMBERS = st.integers(0, 1 << 20)
CHANGES = st.lists(
    st.builds(Mutation, st.sampled_from(sorted(MUTATIONS)), NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=4
)
QUICK = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
FIELDS = (
    "id text tokens sentences title date topic mentions url_sentences annotated_sentences start end "
    "char_start char_end kind head event within arguments tag probability mention role"
).split()


def test_every_format_has_a_sample_that_is_read(tmp_path: Path) -> None:
    assert {sample.format for sample in samples().values()} == set(READABLE)
    for name, sample in samples().items():
        corpus = read_or_rejected(sample.put(tmp_path / name), sample.format)
        assert isinstance(corpus, Corpus), name
        assert len(corpus) == 2


@pytest.mark.parametrize("name", samples())
@QUICK
@given(data=st.data())
def test_a_damaged_file_is_read_or_rejected(name: str, data: st.DataObject) -> None:
    sample = samples()[name]
    file = data.draw(st.sampled_from(sorted(sample.files)))
    damaged = sample.mutated(file, data.draw(CHANGES))
    with TemporaryDirectory() as folder:
        read_or_rejected(damaged.put(Path(folder)), sample.format)


@QUICK
@given(
    values=st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4), where=st.sampled_from(["d", "m", "a"])
)
def test_json_of_wrong_types_is_rejected(values: dict[str, object], where: str) -> None:
    document = json.loads(samples()["jsonl"].files["a.jsonl"].splitlines()[0])
    action = next(m for m in document["mentions"] if m.get("arguments"))
    {"d": document, "m": action, "a": action["arguments"][0]}[where].update(values)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_text(json.dumps(document), "utf-8")
        read_or_rejected(path)


def test_nesting_without_end_is_rejected(tmp_path: Path) -> None:
    for depth in (100_000, *range(700, 1_000, 20)):
        (tmp_path / "a.jsonl").write_text('{"id":"a","text":"b","c":' + "[" * depth + "]" * depth + "}")
        read_or_rejected(tmp_path / "a.jsonl")
    (tmp_path / "a.xml").write_text("<Document>" * 100_000)
    assert isinstance(read_or_rejected(tmp_path / "a.xml"), SameventError)


def peak(path: Path) -> tuple[int, Corpus | SameventError]:
    """Return the peak memory of reading in bytes, and the outcome."""
    tracemalloc.start()
    try:
        found = read_or_rejected(path)
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


def test_bombs_are_rejected_before_they_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1_000_000)
    large = b" " * 50_000_000
    (tmp_path / "a.zip").write_bytes(zipped({"a.xml": b"<Document>" + large}))
    for name in ("a.jsonl.gz", "a.txt.gz", "a.conll.gz"):
        (tmp_path / name).write_bytes(gzip.compress(large, 1))
    for path in sorted(tmp_path.iterdir()):
        most, refused = peak(path)
        assert most < 10_000_000, path.name
        assert "than 1,000,000 bytes" in str(refused)


def test_mentions_of_whole_documents_do_not_fill_the_memory(tmp_path: Path) -> None:
    size = 1_000
    mentions = [{"start": 0, "end": end} for end in range(1, size + 1)]
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "a", "tokens": ["a"] * size, "mentions": mentions}))
    assert peak(tmp_path / "a.jsonl")[0] < 15_000_000


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise if the block takes longer than this."""

    def expired(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"{seconds} s were not enough")

    before = signal.signal(signal.SIGALRM, expired)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


LONG = 60_000
"""Long enough that quadratic time takes minutes and linear time an instant."""


@pytest.mark.parametrize("piece", ['" ', ") ", "a.", "'", "1,", "a-", "\n", "2011-", ". "])
def test_monotonous_texts_are_read_in_linear_time(tmp_path: Path, piece: str) -> None:
    (tmp_path / "a.txt").write_text(piece * LONG)
    with time_limit(60):
        read_or_rejected(tmp_path / "a.txt")


@pytest.mark.parametrize("piece", ["(", "e1)", "(e1)", "a[1/2]", "a-", "(1", "|"])
def test_monotonous_columns_are_read_in_linear_time(tmp_path: Path, piece: str) -> None:
    head = "# newdoc id = a\n# global.Entity = eid-etype-head\n"
    (tmp_path / "a.conllu").write_text(f"{head}1\ta\t_\t_\t_\t_\t_\t_\t_\tEntity={piece * LONG}\n\n")
    (tmp_path / "a.conll").write_text(
        f"#begin document (a); part 000\na 0 0 a {piece * LONG}\n#end document\n"
    )
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "a.ann").write_text(f"T1\tAction 0 1\ta\nE1\tAction:T1 {piece * LONG}\n")
    for name in ("a.conllu", "a.conll", "a.ann"):
        with time_limit(60):
            read_or_rejected(tmp_path / name)


@pytest.mark.parametrize("kind", [5, None, [], {}, True, "a" * 5_000])
def test_invalid_kinds_of_mentions_are_rejected(tmp_path: Path, kind: object) -> None:
    mentions = [{"start": 0, "end": 1}, {"start": 0, "end": 1, "kind": kind}]
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "a", "tokens": ["raid"], "mentions": mentions}))
    assert isinstance(read_or_rejected(tmp_path / "a.jsonl"), SameventError)


@pytest.mark.parametrize("field", ["id", "title", "sentences", "mentions", "tokens", "text"])
def test_messages_stay_short_whatever_they_speak_of(tmp_path: Path, field: str) -> None:
    data = {"id": "a", "text": "Sudan", field: [{"kind": "a" * 9}] * 1_000}
    (tmp_path / "a.jsonl").write_text(json.dumps(data))
    assert isinstance(read_or_rejected(tmp_path / "a.jsonl"), SameventError)


def test_entities_are_never_expanded(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    (tmp_path / "a.xml").write_text(f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><Document>&l9;</Document>')
    assert "document type" in str(read_or_rejected(tmp_path / "a.xml"))


def test_impossible_file_names_are_rejected(tmp_path: Path) -> None:
    for name in ("a" * 300, "a\0b"):
        assert isinstance(read_or_rejected(tmp_path / name), SameventError)


@pytest.mark.parametrize("encoding", ["undefined", "rot13", "base64", "no such", "a\0b"])
def test_invalid_encodings_are_rejected(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_text("Sudan bombed Yida.")
    with pytest.raises(UsageError, match="unknown encoding"):
        read(tmp_path / "a.txt", encoding=encoding)


def test_a_mention_with_a_gap_is_another_than_the_span_of_the_same_numbers(tmp_path: Path) -> None:
    mentions = [{"start": 0, "end": 3, "tokens": [0, 2]}, {"start": 0, "end": 2}]
    (tmp_path / "a.jsonl").write_text(
        json.dumps({"id": "a", "tokens": ["a", "b", "c"], "mentions": mentions})
    )
    corpus = read_or_rejected(tmp_path / "a.jsonl")
    assert isinstance(corpus, Corpus)
    assert sorted(m.tokens for m in corpus.mentions()) == [(0, 1), (0, 2)]
