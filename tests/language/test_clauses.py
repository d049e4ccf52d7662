from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pytest

from samevent.corpus import Document, Mention
from samevent.demo import articles
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation
from samevent.language.clauses import LONGEST, with_clauses
from samevent.language.heads import with_heads


@cache
def _annotator() -> Annotator:
    return Annotator()


def _completed(document: Document) -> Document:
    document, annotation = _annotator()(document)
    return with_clauses(with_heads(document, annotation), annotation)


def _clause(text: str, word: str) -> str | None:
    document = Document.from_text("a", text)
    at = next(i for i, token in enumerate(document.tokens) if token.text == word)
    return _completed(document.with_mentions([document.mention("action", at, at + 1)])).mentions[0].clause


@pytest.mark.parametrize(
    ("text", "word", "clause"),
    [
        (
            "Jets of the Sudanese army, which denied it, on Thursday bombed a refugee camp in Yida.",
            "bombed",
            "Jets of the Sudanese army bombed a refugee camp in Yida",
        ),
        (
            "The camp was bombed by Sudan on Thursday, the United Nations said.",
            "bombed",
            "The camp was bombed by Sudan",
        ),
        ("Sudan did not bomb the camp, a spokesman said.", "bomb", "Sudan did not bomb the camp"),
        ("Sudan may bomb the camp again.", "bomb", "Sudan may bomb the camp"),
        ("If Sudan bombs the camp, thousands will flee.", "bombs", "If Sudan bombs the camp"),
        ("Sudan plans to bomb the camp.", "bomb", "Sudan plans to bomb the camp"),
        (
            "The general was accused of bombing the camp.",
            "bombing",
            "The general was accused of bombing the camp",
        ),
        (
            "Sudan denied that its army had bombed the camp.",
            "bombed",
            "Sudan denied its army had bombed the camp",
        ),
        ("The police arrested and charged two men on Monday.", "charged", "The police charged two men"),
        (
            "A strong earthquake struck the town of Kestry on Tuesday.",
            "earthquake",
            "A strong earthquake struck the town of Kestry",
        ),
        ("The drivers went on strike on Monday.", "strike", "The drivers went on strike"),
        (
            "Prosecutors charged the mayor with bribery on Thursday.",
            "bribery",
            "Prosecutors charged the mayor with bribery",
        ),
        ("The judge relies on the bribery of witnesses.", "bribery", "the bribery of witnesses"),
        ("Two men were arrested and charged with murder.", "charged", "Two men were charged with murder"),
        ("The bombing of Yida by Sudan shocked the world.", "bombing", "The bombing of Yida by Sudan"),
        (
            "At least 12 people injured in the crash were taken to hospital.",
            "injured",
            "At least 12 people injured in the crash",
        ),
        ("The jets that bombed the camp came from Sudan.", "bombed", "The jets bombed the camp"),
        ("After killing three people, the man fled.", "killing", "killing three people"),
        (
            'The rebels (about 200 of them) launched an "unprovoked" attack on the town.',
            "attack",
            "The rebels launched an unprovoked attack on the town",
        ),
        ("A man was found dead in his car.", "dead", "A man was found dead in his car"),
        ("Shares fell 5 percent on Monday.", "fell", "Shares fell 5 percent"),
        ("Ann, Bob and Carl won the race.", "won", "Ann, Bob and Carl won the race"),
        ("The plane was shot down over Ukraine.", "shot", "The plane was shot down over Ukraine"),
    ],
)
def test_clause_says_who_did_what(text: str, word: str, clause: str) -> None:
    assert _clause(text, word) == clause


def _all_words(document: Document) -> Iterable[Mention]:
    return (document.mention("action", i, i + 1) for i in range(len(document.tokens)))


def test_clauses_have_words_of_their_sentence_in_its_order() -> None:
    for article in list(articles())[:4]:
        completed = _completed(article.with_mentions(_all_words(article)))
        for mention in completed.mentions:
            sentence = completed.sentences[completed.sentence_of(mention.start)]
            # Letters alone, since spaces and quotes may go.
            letters = iter("".join(filter(str.isalnum, "".join(completed.words(sentence)))))
            wanted = filter(str.isalnum, mention.clause or "")
            assert all(letter in letters for letter in wanted), mention.clause
            assert 0 < len(mention.clause or "") <= LONGEST + 1


def test_given_clauses_stay() -> None:
    document = Document.from_text("a", "Sudan bombed Yida.")
    given = document.mention("action", 1, 2, clause="the raid")
    assert _completed(document.with_mentions([given])).mentions[0].clause == "the raid"


@pytest.mark.parametrize("label", ["conj", "compound", "prep", "xcomp", "relcl"])
def test_clauses_of_endless_sentences_are_found(label: str) -> None:
    count = 400
    base = Document.from_tokens("a", [["word"] * count])
    annotation = Annotation(
        tags=("NN",) * count,
        pos=("VERB" if label in ("xcomp", "relcl") else "NOUN",) * count,
        lemmas=("word",) * count,
        heads=(0, *range(count - 1)),
        labels=("ROOT", *[label] * (count - 1)),
    )
    document = with_clauses(base.with_mentions(_all_words(base)), annotation)
    assert all(0 < len(mention.clause or "") <= LONGEST + 1 for mention in document.mentions)
