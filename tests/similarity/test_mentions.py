from __future__ import annotations

import numpy as np
import pytest

from builders import document
from parses import parsed
from samevent.corpus import Argument
from samevent.errors import CorpusError
from samevent.similarity.bags import Bags
from samevent.similarity.mentions import FIELDS, MentionTable, compile_mentions
from similarity.tables import LEXICON, VECTORS, compiled, random_corpus

SENTENCE = """
Yesterday NOUN npadvmod bombed
, PUNCT punct bombed
the DET det Army
Army PROPN nsubj bombed army
bombed VERB ROOT bombed bomb
the DET det Camp
Camp PROPN dobj bombed camp
at ADP prep bombed
night NOUN pobj at
. PUNCT punct bombed
"""


def table() -> MentionTable:
    bare, annotation = parsed(SENTENCE)
    army = bare.mention("participant", 2, 4)
    camp = bare.mention("participant", 5, 7)
    night = bare.mention("time", 8, 9)
    arguments = [Argument(army.id, "ARG0"), Argument(camp.id, "ARG1"), Argument(night.id)]
    bombed = bare.mention("action", 4, 5, arguments=arguments)
    night_event = bare.mention("action", 7, 9)
    return compile_mentions(
        [(bare.with_mentions([army, camp, night, bombed, night_event]), annotation)],
        lexicon=LEXICON,
        vectors=VECTORS,
    )


def words(bags: Bags, row: int) -> str:
    """Return the words of a row in alphabetical order, repeats repeated."""
    inside = slice(bags.starts[row], bags.starts[row + 1])
    counted = zip(bags.words[inside], bags.counts[inside], strict=True)
    return " ".join(table().vocabulary[word] for word, count in counted for _ in range(count))


def test_table_has_the_words_of_each_field() -> None:
    assert {name: words(bags, 0) for name, bags in table().fields.items()} == {
        "words": "bomb",
        "context": "army at camp the the yesterday",
        "participants": "army camp",
        "times": "night",
        "locations": "",
        "arg0": "army",
        "arg1": "camp",
        "arg2": "",
        "sentence": "army camp night yesterday",
        "argument_names": "army camp",
    }


def test_table_finds_heads_that_are_missing() -> None:
    found = table()
    heads = [
        (found.heads.words[found.heads.word[h]], found.heads.lemmas[found.heads.lemma[h]]) for h in found.head
    ]
    assert heads == [("bombed", "bomb"), ("night", "night")]


def test_context_stays_in_its_sentence_and_skips_punctuation() -> None:
    assert words(table().fields["context"], 1) == "bomb camp the"


def test_related_words_are_the_content_words_of_all_mentions() -> None:
    assert words(table().related, 0) == "army bomb camp night night"


def test_rows_are_sorted_by_document_and_position() -> None:
    corpus = random_corpus(4, documents=11)
    found = compiled(corpus[::-1])
    expected = [
        m.id for d, _ in sorted(corpus, key=lambda pair: pair[0].id) for m in d.mentions if m.kind == "action"
    ]
    assert list(found.ids) == expected
    assert (np.diff(found.document) >= 0).all()


def test_head_vectors_have_unit_length_or_are_zero() -> None:
    heads = compiled(random_corpus(4, documents=11)).heads
    lengths = np.linalg.norm(heads.vectors, axis=1)
    known = np.array([word in VECTORS for word in heads.words])
    assert 0 < known.sum() < len(known)
    assert lengths == pytest.approx(known.astype(float), abs=1e-6)


def test_synonyms_include_the_lemma_for_every_tag() -> None:
    heads = compiled(random_corpus(4, documents=11)).heads
    count = np.diff(heads.synonyms.starts)
    for h, tag in enumerate(heads.tag):
        known = {"bomb": 1, "raid": 2, "attack": 1, "kill": 1} if heads.tags[tag] != "IN" else {}
        assert count[h] == 1 + known.get(heads.lemmas[heads.lemma[h]], 0)


def test_empty_corpus_has_no_rows() -> None:
    found = compiled([])
    assert len(found) == len(found.heads) == len(found.related) == 0
    assert all(len(found.fields[name]) == 0 for name in FIELDS)


def test_duplicate_document_ids_are_an_error() -> None:
    ((first, annotation),) = random_corpus(1, documents=1)
    with pytest.raises(CorpusError, match="two documents have the id 'd0'"):
        compiled([(first, annotation), (first, annotation)])


def test_annotation_of_another_document_is_an_error() -> None:
    ((_, annotation),) = random_corpus(1, documents=1)
    with pytest.raises(CorpusError, match="its annotation 30"):
        compiled([(document(), annotation)])
