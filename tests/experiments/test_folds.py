from __future__ import annotations

import numpy as np
import pytest

from clusterers.small import LEXICON, MODEL
from parses import parsed
from samevent.clusterers import Evidence, clusterer
from samevent.corpus import Clustering, Corpus, Document, Unit
from samevent.experiments.folds import Fold, pairings
from samevent.scoring import pair, scores_of
from samevent.similarity.mentions import Annotated
from samevent.similarity.pairs import label_mentions
from similarity.tables import VECTORS


def text(topic: str, number: int, words: str, *events: tuple[int, str]) -> Annotated:
    """Return one sentence whose words at these places refer to these events."""
    _, annotation = parsed("\n".join(f"{word} NOUN dep {words.split()[0]}" for word in words.split()))
    document = Document.from_tokens(f"{topic}_{number}ecb", [words.split()], topic=topic, subtopic="ecb")
    mentions = [document.mention("action", at, at + 1, event=event) for at, event in events]
    return document.with_mentions(mentions), annotation


FOLDS = (
    (
        text("1", 1, "bomb raid fall", (0, "a"), (1, "a"), (2, "b")),
        text("1", 2, "bomb loss", (0, "c"), (1, "b")),
    ),
    (text("2", 1, "theft fall", (0, "d"), (1, "e")), text("2", 2, "theft raid", (0, "d"), (1, "a2"))),
)


@pytest.mark.parametrize("unit", ["document", "subtopic"])
def test_folds_are_scored_as_one_corpus(unit: Unit) -> None:
    folds = []
    for texts in FOLDS:
        data = label_mentions(texts, lexicon=LEXICON, vectors=VECTORS)
        folds.append(
            Fold(
                Corpus(document for document, _ in texts),
                data,
                Evidence(data.table, {"paper": MODEL}, LEXICON),
            )
        )
    gold = Corpus(document for texts in FOLDS for document, _ in texts)
    found = pairings(folds, clusterer("lemma"), (unit,), seed=0, jobs=1)[unit]
    # The lemma over each fold by itself: what two folds share is not brought together.
    lemma = Clustering.from_labels({m.id: (gold[m.document].topic, m.text) for m in gold.mentions()})
    assert len(found) == 1
    assert scores_of(found[0]) == scores_of(pair(gold, lemma, unit=unit))
    assert found[0].groups == ("1", "2")
    assert np.bincount(found[0].group).tolist() == [5, 4]
