"""Components solved apart give the answer of the whole, byte by byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parses import needs_model
from samevent import Model, Options, Result
from samevent.clusterers import Clusterer, Evidence, clusterer
from samevent.demo import articles
from samevent.language.cache import Cache
from samevent.preparation import Prepared
from samevent.results import parts
from samevent.results.assembly import assemble
from samevent.results.parts import PartAnswer, divisible, grouped, join_parts, part_evidence, solve_part
from samevent.runs import write_files
from samevent.similarity.links import MentionLinks
from samevent.similarity.pairs import Pairs

pytestmark = needs_model


def pairs(*both: tuple[int, int]) -> MentionLinks:
    i, j = np.array(both, np.int32).reshape(-1, 2).T
    return MentionLinks(Pairs(i, j), np.full(len(i), 0.9))


def test_groups_are_components_with_most_links_first(monkeypatch: pytest.MonkeyPatch) -> None:
    links = pairs((1, 0), (5, 3), (6, 3), (6, 5), (8, 7), (9, 4))
    monkeypatch.setattr(parts, "_LINKS_PER_GROUP", 2)
    assert [rows.tolist() for rows in grouped(links, 10)] == [[3, 5, 6], [0, 1, 4, 9], [7, 8]]
    monkeypatch.setattr(parts, "_LINKS_PER_GROUP", 100)
    assert [rows.tolist() for rows in grouped(links, 10)] == [[0, 1, 3, 4, 5, 6, 7, 8, 9]]
    assert grouped(pairs(), 3) == grouped(pairs(), 0) == []


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    return Model.load(cache=Cache()).prepare(articles(), preset="light")


def in_parts(evidence: Evidence, system: Clusterer, **options: Any) -> list[PartAnswer]:
    links = system.links(evidence)
    assert links is not None
    answers = [
        solve_part(part_evidence(evidence, system, links, rows), system, **options)
        for rows in reversed(grouped(links, len(evidence)))
    ]
    return [PartAnswer.from_bytes(answer.to_bytes()) for answer in answers]


def files(result: Result, folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    write_files(folder, result, {})
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "changes", [{}, {"likelihood_weight": 0.5, "draws": 3}], ids=["as usual", "with words"]
)
def test_parts_give_the_bytes_of_the_whole(
    prepared: Prepared, changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_LINKS_PER_GROUP", 3)
    system, evidence = clusterer("hddcrp", changes, preset="light"), prepared.evidence
    options: dict[str, Any] = {"seed": 7, "min_probability": 0.4}
    answers = in_parts(evidence, system, **options)
    assert len(answers) > 1
    clustered, judgement = join_parts(answers, evidence, system, seed=7)
    whole = system.cluster(evidence, seed=7)
    one = assemble(prepared.corpus, evidence, system, whole, min_probability=0.4)
    other = assemble(prepared.corpus, evidence, system, clustered, judgement=judgement)
    assert files(one, tmp_path / "one") == files(other, tmp_path / "other")


def test_only_integrated_posteriors_without_a_time_limit_fall_into_parts() -> None:
    assert divisible(clusterer("hddcrp"))
    assert not divisible(clusterer("hddcrp", {"time_limit": 5.0}))
    assert not divisible(clusterer("hddcrp", preset="paper"))
    assert not divisible(clusterer("lemma"))
    assert Options().preset == "standard"
