from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.reports import reports, work_in
from parses import needs_model
from samevent.clusterers import clusterer
from samevent.experiments import rules
from samevent.experiments.protocols import GOLD, PREDICTED
from samevent.experiments.rules import CODE, GROUPS, HOW, PAPER, RULES, Variant, measure_rules, variants
from samevent.model import Model
from samevent.similarity.code_features import CODE_NAMES, PAPER_NAMES
from samevent.training import PAIR_MODEL_SETTINGS


def by_name(mentions: str) -> dict[str, Variant]:
    found = list(variants(mentions))
    assert len({variant.name for variant in found}) == len(found)
    return {variant.name: variant for variant in found}


@pytest.mark.parametrize("mentions", [GOLD, PREDICTED])
def test_all_rules_together_are_the_preset_of_the_program(mentions: str) -> None:
    found = by_name(mentions)
    system = clusterer("hddcrp", {**HOW, "pair_model": "paper"}, preset=CODE)
    assert found[CODE].system == system
    assert set(found[CODE].settings.features) == set(CODE_NAMES)
    assert found[CODE].settings.tag_length == PAIR_MODEL_SETTINGS[CODE].tag_length  # type: ignore[union-attr]
    assert found[CODE].verbs == (mentions == PREDICTED)
    assert found[PAPER].system == clusterer("hddcrp", HOW, preset=PAPER)
    assert found[PAPER].settings.features == PAPER_NAMES


def test_every_rule_is_added_once_and_taken_away_once() -> None:
    found = by_name(PREDICTED)
    for name, rule in RULES.items():
        assert found[f"+ {name}"].rules == (rule,)
        assert len(found[f"- {name}"].rules) == len(RULES) - 1
        assert all(each is not rule for each in found[f"- {name}"].rules)


def test_groups_of_features_make_up_the_further_features() -> None:
    added = [name for rule in GROUPS.values() for name in rule.adds]
    assert sorted(added) == sorted(RULES["further features"].adds)
    less = by_name(GOLD)["- feature: hypernyms"].settings.features
    assert set(CODE_NAMES) - set(less) == {"hypernyms"}


@pytest.mark.slow
@needs_model
def test_rules_are_measured_on_the_same_mentions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    split = rules.TASK.split
    monkeypatch.setattr(rules, "HOW", {"runs": 2, "sweeps": 5})
    monkeypatch.setattr(
        rules,
        "variants",
        lambda mentions: [each for each in variants(mentions) if each.name in (PAPER, CODE)],
    )
    ready = Model.load("en-news").pair_models["paper"]
    monkeypatch.setattr(rules._Lab, "_pair_model", lambda *_: ready)
    monkeypatch.setattr(
        type(split), "part_of", lambda self, document: "test" if document.topic == "25" else "train"
    )
    figures = json.loads(
        json.dumps(measure_rules(reports(), work_in(tmp_path), model="en-news", mentions=(GOLD,)))
    )
    rows = {(row["variant"], row["unit"]): row for row in figures["rules"]}
    assert set(rows) == {(name, unit) for name in (PAPER, CODE) for unit in ("document", "subtopic")}
    assert rows[PAPER, "document"]["difference"]["conll"] == 0
    assert rows[CODE, "document"]["difference"]["conll"] == pytest.approx(
        rows[CODE, "document"]["conll"] - rows[PAPER, "document"]["conll"]
    )
