from __future__ import annotations

from pathlib import Path

import pytest

from builders import document
from samevent.corpus import Corpus, Document
from samevent.formats import write
from samevent.formats.doctor import Diagnosis, examine


def examined(tmp_path: Path, *documents: Document) -> Diagnosis:
    path = tmp_path / "corpus.jsonl"
    write(Corpus(documents), path)
    return examine(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("caf\ufffd closed", "U+FFFD"),
        ("the cafÃ© closed", "Windows-1252"),
        ("a\x07bell", "U+0007"),
        ("word " * 250, "250 tokens"),
    ],
)
def test_suspicious_texts_are_warned_of(tmp_path: Path, text: str, says: str) -> None:
    diagnosis = examined(tmp_path, Document.from_text("a", text))
    assert diagnosis.healthy
    assert [says in p.message for p in diagnosis.problems] == [True]


def test_sound_texts_are_not_warned_of(tmp_path: Path) -> None:
    texts = ["Das Café schloß.", "Âge tendre", "It’s “fine”…\r\n\tReally."]
    assert examined(tmp_path, *(Document.from_text(str(i), t) for i, t in enumerate(texts))).problems == ()


def test_documents_with_the_same_text_are_named(tmp_path: Path) -> None:
    diagnosis = examined(tmp_path, document("a"), document("b"), document("c"))
    assert [(p.where, p.message) for p in diagnosis.problems] == [
        ("b", "has the same text as 'a' and 1 more")
    ]


def test_odd_mentions_are_named(tmp_path: Path) -> None:
    d = document()
    crossing, overlapping = d.mention("action", 2, 6), d.mention("action", 5, 7)
    messages = [p.message for p in examined(tmp_path, d.with_mentions([crossing, overlapping])).problems]
    assert len(messages) == 2
    assert "crosses a sentence boundary" in messages[0]
    assert messages[1] == "1 tokens are in more than one action"


def test_whitespace_tokens_are_counted(tmp_path: Path) -> None:
    d = Document.from_tokens("a", [["It", "\t", "fell", "\u2009"]])
    assert [p.message for p in examined(tmp_path, d).problems] == [
        "2 tokens are white space; column formats replace them"
    ]
