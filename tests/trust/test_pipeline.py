"""For any text, `resolve` returns events of exactly the mentions in it, and a run folder contains them.

The report never contains markup from a text.
"""

from __future__ import annotations

import csv
import json
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import corpora
from parses import needs_model
from samevent import Corpus, Document, Model, Options, Result
from samevent.runs import begin, open_run

pytestmark = needs_model

NEWS = "Sudan bombed Yida on Thursday. The raid killed ten people, officials said."
MARKUP = "</script></style></title><canary onload=x>-->]]>\"'&lt;canary&gt;<!--"

TEXTS = {
    "nothing": "",
    "white space": " \n\t ",
    "one word": "Attack",
    "punctuation": "... !!! ??? — “”",
    "an enormous word": "attack" * 20_000 + " killed ten people.",
    "sentences of one word": "Monday.\n\n" * 1_000 + "Attack.\n\n" * 50,
    "right to left": "هاجم السودان مدينة ييدا يوم الخميس. \u202ebombed\u202c and killed",
    "emoji": "💥 bombed 👩‍👩‍👧 and killed 🇸🇩 ten. e\u0301" + "\u0301" * 50,
    "controls": "\x00\x01bombed\x1b[31m killed\x7f\x85 ten\u2028people\ufeff\ufffe\x0c\x1c.",
    "markup": f"Rebels bombed {MARKUP} Yida. {MARKUP}bombed{MARKUP} killed ten.",
    "a formula": '=HYPERLINK("http://a.b") bombed Yida; -1+1 @SUM killed ten.',
}

ODD_TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from(" \n.,<>&\"'"), max_size=60) | st.lists(
    st.sampled_from(["bombed", "Sudan", "raid", "killed", ".", "\n\n", "<b>", "٣", "💥", "said"])
).map(" ".join)
ODD_NAME = st.text(
    st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=8
) | st.sampled_from(["../..", "a/b", 'a"b', "a'b", "a\\b", "<canary>", "\u202e", " ", "\0", "%00", "-"])
FEW = settings(max_examples=15, deadline=None, derandomize=True, database=None)


class Tags(HTMLParser):
    """Collects the elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.scripts = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.scripts += tag == "script"


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.load()


def check(corpus: Corpus, result: Result) -> None:
    """Raise unless the result has these documents and mentions, and survives a round trip."""
    assert [d.id for d in result.corpus] == [d.id for d in corpus]
    assert [d.text for d in result.corpus] == [d.text for d in corpus]
    spans = {(m.document, m.char_start, m.char_end) for m in result.corpus.mentions("action")}
    assert {(m.document, m.char_start, m.char_end) for m in corpus.mentions("action")} <= spans
    actions = {m.id for m in result.corpus.mentions("action")}
    clustered = [id for cluster in result.clustering for id in cluster]
    assert sorted(clustered) == sorted(actions)
    assert [m.id for event in result.events for m in event.mentions] == [
        m.id for event in result.events for m in event.mentions if m.event == event.id
    ]
    with TemporaryDirectory() as folder:
        begin(Path(folder) / "out", {}).finish(result, {})
        check_folder(Path(folder) / "out", result)


def check_folder(out: Path, result: Result) -> None:
    """Raise unless every file of a run agrees with the result."""
    again = open_run(out)
    assert again.corpus == result.corpus
    assert again.clustering == result.clustering
    assert again.events.largest(1000) == result.events.largest(1000)
    with (out / "mentions.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == sum(len(event) for event in result.events)
    assert json.loads((out / "run.json").read_text("utf-8"))["diagnostics"]
    page = (out / "report.html").read_text("utf-8")
    assert "<canary" not in page
    tags = Tags(page)
    assert not any(name.startswith("on") or name in ("src", "srcdoc", "style") for name in tags.attributes)
    assert not tags.tags & {"img", "iframe", "object", "embed", "form", "base", "canary"}
    assert tags.scripts == 4  # one before anything is drawn, the data, the questions, the script itself


@pytest.mark.parametrize("name", TEXTS)
def test_odd_documents_are_resolved(model: Model, name: str) -> None:
    documents = [Document.from_text("odd", TEXTS[name]), Document.from_text("twin", TEXTS[name])]
    corpus = Corpus([*documents, Document.from_text("news", NEWS)])
    check(corpus, model.resolve(corpus))


def test_nothing_to_resolve_gives_an_empty_result(model: Model) -> None:
    corpus = Corpus([Document.from_text("a", " ... "), Document.from_text("b", "")])
    result = model.resolve(corpus)
    assert not result.events
    check(corpus, result)


@FEW
@given(texts=st.dictionaries(ODD_NAME, ODD_TEXT, max_size=3), titles=ODD_TEXT, date=ODD_TEXT)
def test_arbitrary_documents_are_resolved(
    model: Model, texts: dict[str, str], titles: str, date: str
) -> None:
    corpus = Corpus(
        Document.from_text(id, text, title=titles or None, date=date or None)
        for id, text in {**texts, "news": NEWS, "more news": NEWS}.items()
    )
    check(corpus, model.resolve(corpus))


@FEW
@given(
    annotated=corpora(), options=st.builds(Options, keep_singletons=st.booleans(), within_only=st.booleans())
)
def test_arbitrary_annotated_mentions_are_resolved(model: Model, annotated: Corpus, options: Options) -> None:
    corpus = Corpus([*annotated, Document.from_text("news", NEWS)])
    check(corpus, model.resolve(corpus, options=options))


def test_nested_crossing_and_discontinuous_mentions_are_resolved(model: Model) -> None:
    d = Document.from_tokens(
        "given", [["Sudan", "bombed", "and", "raided", "Yida"], [MARKUP, "\n", "killed"]]
    )
    spans = [(1, 2), (1, 5), (0, 8), (2, 6), (5, 6), (6, 7)]
    mentions = [d.mention("action", *span, event="e1", within="\0", tag=MARKUP) for span in spans]
    mentions += [d.mention("action", 1, 4, tokens=(1, 3)), d.mention("participant", 0, 8, head=7, event="e1")]
    corpus = Corpus([d.with_mentions(mentions), Document.from_text("news", NEWS)])
    result = model.resolve(corpus, options=Options(keep_singletons=True))
    check(corpus, result)
    assert sum(m.document == "given" for m in result.corpus.mentions("action")) == len(spans) + 1


@pytest.mark.parametrize("id", ["a\nb", "a\rb"])
def test_an_id_with_a_line_end_is_kept(model: Model, id: str) -> None:
    corpus = Corpus([Document.from_text(id, NEWS), Document.from_text("news", NEWS)])
    check(corpus, model.resolve(corpus))
