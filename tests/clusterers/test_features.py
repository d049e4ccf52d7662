from __future__ import annotations

import numpy as np
import pytest

from clusterers.small import LEXICON, evidence_of, sentence
from samevent.clusterers import Evidence
from samevent.clusterers.features import LF, PARENTS, SF, WF, Feature, channels, observed
from samevent.errors import UsageError
from samevent.hddcrp.problem import Rows
from similarity.tables import SYNONYMS, random_corpus


def as_lists(rows: Rows) -> list[list[int]]:
    """Return the values of each row, repeated as often as they are counted."""
    edges = zip(rows.starts[:-1].tolist(), rows.starts[1:].tolist(), strict=True)
    return [np.repeat(rows.columns[a:b], rows.values[a:b]).tolist() for a, b in edges]


def same_up_to_numbers(rows: Rows, expected: list[list[str]]) -> bool:
    """Return whether there is one name for each number and one number for each name."""
    found = as_lists(rows)
    if [len(row) for row in found] != [len(row) for row in expected]:
        return False
    names = sorted({name for row in expected for name in row})
    profiles = {name: tuple(row.count(name) for row in expected) for name in names}
    numbers = {int(n) for row in found for n in row}
    return sorted(tuple(row.count(n) for row in found) for n in numbers) == sorted(profiles.values())


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        ("words", [["bomb"], [], ["zzz"], ["raid"]]),
        ("head_lemma", [["bomb"], ["..."], ["zzz"], ["raid"]]),
        ("two_lemmas", [["bomb"], ["..."], ["zzz"], ["raid", "bomb"]]),
        ("context", [["zzz", "raid"], ["bomb", "zzz", "raid"], ["bomb", "raid"], ["bomb", "zzz"]]),
        ("synonyms", [["bomb", "raid"], ["..."], ["zzz"], ["raid", "bomb", "attack"]]),
        ("class", [["act"], [], [], ["act"]]),
        ("hypernyms", [["attack", "act"], [], [], ["attack", "act"]]),
        ("frames", [["Attack"], [], [], ["Attack", "Invade"]]),
        ("arg0", [[], [], [], []]),
    ],
)
def test_features_are_what_the_text_and_the_lexicon_say(feature: Feature, expected: list[list[str]]) -> None:
    assert SYNONYMS["bomb"] == ("raid",)
    rows, vocabulary = observed(evidence_of([sentence("a", "bomb ... zzz raid", 0, 1, 2, 3)]), feature)
    assert same_up_to_numbers(rows, expected)
    assert vocabulary == max(1, len({name for row in expected for name in row}))


def test_fillers_come_from_arguments() -> None:
    evidence = evidence_of(random_corpus(1))
    bags = evidence.table.fields["arg1"]
    rows, _ = observed(evidence, "arg1")
    assert (np.diff(rows.starts) > 0).tolist() == bags.present.tolist()
    assert bags.present.any()


def test_flat_channels_are_independent_and_structured_ones_hang_on_others() -> None:
    evidence = evidence_of(random_corpus(1))
    names = LF + WF + SF
    flat = channels(evidence, names, structured=False, dirichlet=0.1)
    hung = channels(evidence, names, structured=True, dirichlet=0.1)
    assert [channel.parent is None for channel in flat] == [True] * len(names)
    assert [name for name, channel in zip(names, hung, strict=True) if channel.parent is not None] == [
        name for name in names if name in PARENTS
    ]
    alone = channels(evidence, ["arg0"], structured=True, dirichlet=0.1)
    assert alone[0].parent is None


def test_values_under_different_parents_stay_different() -> None:
    evidence = evidence_of([sentence("a", "bomb raid kill zzz", 0, 1, 2, 3)])
    _, heads = channels(evidence, ["class", "head_lemma"], structured=True, dirichlet=0.1)
    assert heads.parent is not None
    under = [int(heads.parent[row[0]]) for row in as_lists(heads.values)]
    assert under[0] == under[1] != under[2]
    assert under[3] == 0
    assert heads.vocabulary == 4


def test_features_of_the_lexicon_need_a_lexicon() -> None:
    table = evidence_of([sentence("a", "bomb", 0)]).table
    with pytest.raises(UsageError, match="the feature 'frames' needs a lexicon"):
        observed(Evidence(table), "frames")
    with pytest.raises(UsageError, match="needs a lexicon"):
        observed(Evidence(table), "two_lemmas")
    assert observed(Evidence(table, lexicon=LEXICON), "frames")[1] == 1
