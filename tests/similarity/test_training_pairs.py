from __future__ import annotations

from samevent.similarity.pairs import Pairs, label_mentions, same_phrase, training_pairs
from samevent.similarity.training_pairs import choose_pairs
from similarity.tables import LEXICON, VECTORS, all_pairs, random_corpus

DATA = label_mentions(random_corpus(8, documents=6, mentions=12), lexicon=LEXICON, vectors=VECTORS)


def as_set(pairs: Pairs) -> set[tuple[int, int]]:
    found = list(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    assert len(set(found)) == len(found)
    return set(found)


def test_near_pairs_are_close_or_coreferent_across_documents() -> None:
    table, event = DATA.table, DATA.event
    expected = {
        (i, j)
        for i, j in zip(*(each.tolist() for each in all_pairs(table)), strict=True)
        if (
            abs(int(table.position[i]) - int(table.position[j])) <= 3
            if table.document[i] == table.document[j]
            else event[i] == event[j]
        )
    }
    assert as_set(choose_pairs(DATA, "near", document_threshold=0.4)) == expected


def test_similar_pairs_are_those_of_the_paper() -> None:
    chosen = choose_pairs(DATA, "similar", document_threshold=0.4)
    assert as_set(chosen) == as_set(training_pairs(DATA.table, document_threshold=0.4))


def test_same_phrase_agrees_with_comparing_all_words() -> None:
    table = DATA.table
    words = table.fields["words"]
    cells = [slice(words.starts[row], words.starts[row + 1]) for row in range(len(table))]
    bags = [(words.words[cell].tolist(), words.counts[cell].tolist()) for cell in cells]
    expected = {
        (i, j)
        for i, j in zip(*(each.tolist() for each in all_pairs(table)), strict=True)
        if bags[i] == bags[j] != ([], [])
    }
    assert expected
    assert as_set(same_phrase(table)) == expected
