"""What Python users meet: `resolve` takes what they have, values show themselves briefly, mistakes are explained."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import samevent
from builders import annotated
from samevent.corpus import Clustering, Corpus, Document
from samevent.inputs import corpus_of
from samevent.results import Result

ROOT = Path(__file__).parents[1]
TEXT = "A strong earthquake struck Kestry on Tuesday. The quake killed two people, the mayor said."
HOSTILE = "<img src=x onerror=alert(1)>"


def _result(id: str = "d1", **fields: Any) -> Result:
    return Result.from_corpus(Corpus([annotated(id, **fields), annotated("d2")]))


def test_a_string_is_a_text_or_the_name_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a b.txt").write_text("It fell.", "utf-8")
    Path("more").mkdir()
    Path("more/c.txt").write_text("It rose.", "utf-8")
    assert [d.text for d in corpus_of(TEXT)] == [TEXT]
    assert [d.text for d in corpus_of("a b.txt")] == ["It fell."]
    assert {d.id: d.text for d in corpus_of([TEXT, "more", Path("a b.txt")])} == {
        "text-1": TEXT,
        "c": "It rose.",
        "a b": "It fell.",
    }
    assert corpus_of([annotated("d2"), annotated("d1")]).ids == ("d1", "d2")
    assert [d.text for d in corpus_of("")] == [""]  # and not the present folder
    assert corpus_of("x " * 5000).ids == ("text-1",)
    with pytest.raises(samevent.FormatError, match=r"news.txt: no such file"):
        corpus_of("news.txt")


def test_resolve_takes_texts_files_and_corrections(tmp_path: Path) -> None:
    (tmp_path / "text-1.txt").write_text(TEXT, "utf-8")
    options = samevent.Options(clusterer="lemma", keep_singletons=True)
    model = samevent.Model.load()
    texts = samevent.resolve([TEXT], model=model, preset="light", options=options)
    files = samevent.resolve(tmp_path, model=model, preset="light", options=options)
    assert texts.clustering == files.clustering
    assert len(texts.events) > 1
    (tmp_path / "corrections.jsonl").write_text("", "utf-8")
    corrected = samevent.resolve(
        TEXT,
        model=model,
        preset="light",
        options=options,
        corrections=tmp_path / "corrections.jsonl",
    )
    assert corrected.clustering == texts.clustering
    with pytest.raises(samevent.SameventError, match="nobody"):
        texts.probability("nobody", texts.events[0].mentions[0].id)
    with pytest.raises(samevent.SameventError):
        texts.explain("nobody", "nothing")


def test_values_show_themselves_briefly() -> None:
    result = _result()
    assert repr(result) == "<Result: 2 documents, 3 events with 6 mentions>"
    assert repr(result.events["raid"]) == (
        f"<Event raid: {result.events['raid'].label} (4 mentions in 2 documents)>"
    )
    assert repr(result.events) == "<Events: 3>"


def test_one_of_a_kind_is_singular() -> None:
    one = Result.from_corpus(Corpus([annotated()]))
    assert repr(one).startswith("<Result: 1 document, ")
    assert "(1 mention in 1 document)" in repr(min(one.events, key=len))


def test_notebooks_show_nothing_unescaped() -> None:
    result = _result(HOSTILE)
    for shown in (result, result.events, *result.events):
        html = shown._repr_html_()
        assert "<table>" in html
        assert "<img" not in html
    assert "&lt;img" in result.events["raid"]._repr_html_()


def test_notebooks_show_ten_rows() -> None:
    many = Result.from_corpus(Corpus([annotated(f"d{number}") for number in range(20)]))
    assert many._repr_html_().count("<tr>") == 11
    assert "<p>and 11 more</p>" in many._repr_html_()
    assert "<p>and 30 more</p>" in many.events["raid"]._repr_html_()


def test_frames_of_a_result_have_its_events_and_mentions() -> None:
    pytest.importorskip("pandas")
    result = _result()
    frames = result.to_pandas()
    assert list(frames.events["event"]) == [event.id for event in result.events]
    assert len(frames.mentions) == 6


@pytest.mark.parametrize(
    ("method", "library", "extra"), [("to_pandas", "pandas", "tables"), ("to_networkx", "networkx", "graph")]
)
def test_missing_extras_say_what_to_install(
    method: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(samevent.UsageError, match=rf"pip install 'samevent\[{extra}\]'"):
        getattr(_result(), method)()


MISTAKES: dict[str, Callable[[Any], object]] = {
    "texts as a corpus": lambda model: model.resolve(["a text"]),
    "a text as a corpus": lambda model: model.resolve("a text"),
    "None as a corpus": lambda model: model.resolve(None),
    "a path as a corpus": lambda model: model.resolve(Path("x")),
    "texts to extract from": lambda model: model.extract(["a text"]),
    "texts to train on": lambda model: samevent.Model.train(["a text"], "out"),  # type: ignore[list-item]
    "a word as the seed": lambda model: model.resolve(_result().corpus, seed="x"),
    "a dict as options": lambda model: model.resolve(_result().corpus, options={"preset": "light"}),
    "a number as corrections": lambda model: model.resolve(_result().corpus, corrections=3),
    "a probability above one": lambda _: samevent.Options(min_probability=7),
    "a word as a probability": lambda _: samevent.Options(min_probability="high"),  # type: ignore[arg-type]
    "an unknown preset": lambda model: model.resolve(_result().corpus, options=samevent.Options(preset="x")),
    "numbers to resolve": lambda _: samevent.resolve([1, 2]),  # type: ignore[list-item]
    "nothing to resolve": lambda _: samevent.resolve(None),  # type: ignore[arg-type]
    "bytes to resolve": lambda _: samevent.resolve(b"a text"),  # type: ignore[arg-type]
    "a dict to resolve": lambda _: samevent.resolve({"a": "a text"}),
    "a matrix to resolve": lambda _: samevent.resolve(sparse.eye(3)),  # type: ignore[arg-type]
    "a number as a model": lambda _: samevent.Model.load(3),  # type: ignore[arg-type]
    "None to read": lambda _: samevent.read(None),  # type: ignore[arg-type]
    "a list to read": lambda _: samevent.read(["a"]),  # type: ignore[arg-type]
    "None to write to": lambda _: samevent.write(_result(), None),  # type: ignore[arg-type]
    "a list to write": lambda _: samevent.write([annotated()], "a.jsonl"),  # type: ignore[arg-type]
    "an unknown unit": lambda _: _result().corpus.grouped("chapter"),  # type: ignore[arg-type]
    "a number as a report": lambda _: _result().to_html(3),  # type: ignore[arg-type]
    "an unknown event": lambda _: _result().events["nothing"],
    "a word as a count": lambda _: _result().events.largest("5"),  # type: ignore[arg-type]
    "a negative count": lambda _: _result().events.largest(-1),
    "an unknown document": lambda _: _result().corpus["nothing"],
    "a corpus of strings": lambda _: Corpus(["a"]),  # type: ignore[list-item]
    "a corpus of a string": lambda _: Corpus("abc"),  # type: ignore[arg-type]
    "a corpus of a number": lambda _: Corpus(3),  # type: ignore[arg-type]
    "a result of a string": lambda _: Result("text"),  # type: ignore[arg-type]
    "a number as a text": lambda _: Document.from_text("a", 3),  # type: ignore[arg-type]
    "a number as an id": lambda _: Document.from_text(3, "a"),  # type: ignore[arg-type]
    "words instead of sentences": lambda _: Document.from_tokens("a", ["It", "fell"]),
    "an unknown kind": lambda _: annotated().mention("thing", 0, 1),  # type: ignore[arg-type]
    "strings as a span": lambda _: annotated().mention("action", "0", "1"),  # type: ignore[arg-type]
    "strings as mentions": lambda _: annotated().with_mentions(["x"]),  # type: ignore[list-item]
    "a clustering of a number": lambda _: Clustering(3),  # type: ignore[arg-type]
    "file names to score": lambda _: samevent.score("gold", "system"),  # type: ignore[arg-type]
    "lists to score": lambda _: samevent.score([["a"]], [["a"]]),  # type: ignore[arg-type]
    "a clustering as gold": lambda _: samevent.score(_result().clustering, _result().clustering),  # type: ignore[arg-type]
    "an array as a problem": lambda _: samevent.hddcrp.fit(np.eye(3)),  # type: ignore[arg-type]
    "nothing to cluster": lambda _: samevent.hddcrp.HDDCRP().fit(None),
    "words to cluster": lambda _: samevent.hddcrp.HDDCRP().fit([["a"]]),
    "numbers that are none": lambda _: samevent.hddcrp.HDDCRP().fit(sparse.csr_matrix([[np.nan]])),
    "a number as groups": lambda _: samevent.hddcrp.HDDCRP().fit(sparse.coo_matrix(np.eye(3)), groups=5),
    "lists as groups": lambda _: samevent.hddcrp.HDDCRP().fit(
        sparse.coo_matrix(np.eye(3)), groups=[[1], [2], [3]]
    ),
    "too few groups": lambda _: samevent.hddcrp.HDDCRP().fit(sparse.coo_matrix(np.eye(3)), groups=[0]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_plain_mistakes_are_explained(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(samevent.SameventError) as caught:
        MISTAKES[mistake](samevent.Model.load())
    assert str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.coo_matrix, sparse.csc_array, sparse.lil_array])
def test_any_sparse_matrix_is_clustered(kind: Callable[[Any], Any]) -> None:
    counts = [[2, 1, 0, 0], [1, 1, 0, 0], [0, 0, 3, 1], [0, 0, 1, 1]]
    fitted = samevent.hddcrp.HDDCRP(dirichlet=0.1).fit(kind(counts), groups=list("abab"))
    assert fitted.labels_.tolist() == [0, 0, 1, 1]


def test_the_notebook_shows_what_its_cells_return() -> None:
    command = [sys.executable, str(ROOT / "tools/run_notebook.py"), "examples/notebook.ipynb", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
