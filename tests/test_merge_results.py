from __future__ import annotations

from typing import Any

import pytest
from tools.merge_results import merged


def row(system: str, conll: float, unit: str = "document", /, **differences: float) -> dict[str, Any]:
    scores = dict.fromkeys(("muc", "bcubed", "ceafe", "lea", "conll_interval", "clusters"), conll)
    level = {"mentions": "gold", "filter": "none", "unit": unit, "singletons": "keep"}
    return {
        "clusterer": system, **level, **scores, "conll": conll, "seconds": 1.0, "differences": dict(differences)
    }  # fmt: skip


def table(commit: str, *rows: dict[str, Any], sweeps: int = 500, **fields: Any) -> dict[str, Any]:
    counts = {"given": 9, "gold": 9, "kept": 9, "exact": 9, "ceiling": {"document keep": 1.0}}
    sampled = [each["clusterer"] for each in rows if each["clusterer"] != "lemma"]
    return {
        "protocol": "yang2015", "part": "test", "preset": "paper", "seed": 0, "commit": commit * 40,
        "settings": {name: f"{name} {commit}" for name in sampled}, "seconds": 0.0,
        "mention_sets": [{"mentions": "gold", "filter": "none", **counts}], "rows": list(rows),
        "traces": {"gold": {name: {"sweeps": [1, sweeps], "events": [[3, 2]]} for name in sampled}}, "notes": ["old"],
    } | fields  # fmt: skip


STORED = table(
    "a",
    row("lemma", 0.5), row("hdp-lex", 0.3, lemma=-0.2),
    row("hddcrp", 0.6, "document", **{"lemma": 0.1, "hdp-lex": 0.3}),
    row("lemma", 0.4, "subtopic"), row("hdp-lex", 0.2, "subtopic"), row("hddcrp", 0.5, "subtopic"),
)  # fmt: skip
NEW = table(
    "b",
    row("lemma", 0.5), row("hdp-lex", 0.45, lemma=-0.05), row("hdp-1f", 0.44, lemma=-0.06),
    row("lemma", 0.4, "subtopic"), row("hdp-lex", 0.35, "subtopic"), row("hdp-1f", 0.34, "subtopic"),
    sweeps=200,
)  # fmt: skip


def test_new_rows_replace_old_ones_level_by_level() -> None:
    result = merged(STORED, NEW)
    assert [(each["unit"], each["clusterer"], each["conll"]) for each in result["rows"]] == [
        ("document", "lemma", 0.5), ("document", "hdp-lex", 0.45), ("document", "hddcrp", 0.6),
        ("document", "hdp-1f", 0.44), ("subtopic", "lemma", 0.4), ("subtopic", "hdp-lex", 0.35),
        ("subtopic", "hddcrp", 0.5), ("subtopic", "hdp-1f", 0.34),
    ]  # fmt: skip
    assert result["settings"] == {"hdp-lex": "hdp-lex b", "hddcrp": "hddcrp a", "hdp-1f": "hdp-1f b"}
    assert result["traces"]["gold"]["hdp-lex"]["sweeps"] == [1, 200]
    assert result["commit"] == "a" * 40
    assert result["seconds"] == 4.0


def test_differences_of_systems_that_did_not_run_together_are_dropped() -> None:
    lemma, lexical, hddcrp, _, *_ = merged(STORED, NEW)["rows"]
    assert lexical["differences"] == {"lemma": -0.05}
    assert hddcrp["differences"] == {"lemma": 0.1}
    assert lemma["differences"] == {}


def test_notes_name_what_ran_at_another_commit() -> None:
    (note,) = merged(STORED, NEW)["notes"]
    assert note.startswith("gold: hdp-lex, hdp-1f ran 1 x 200 sweeps at commit bbbbbbb;")


def on(mentions: str, each: dict[str, Any]) -> dict[str, Any]:
    """Return the table with other mentions."""
    moved = {
        name: [{**part, "mentions": mentions} for part in each[name]] for name in ("mention_sets", "rows")
    }
    return each | moved | {"traces": {mentions: each["traces"]["gold"]}}


def test_notes_and_settings_of_other_mentions_stay_until_these_have_new_rows() -> None:
    other = on("predicted", STORED)
    both = STORED | {name: STORED[name] + other[name] for name in ("mention_sets", "rows")}
    both |= {"traces": STORED["traces"] | other["traces"]}
    both |= {"notes": ["gold: short", "predicted: shorter", "hdp-lex is old"]}
    first = merged(both, NEW)
    assert [note.split(" ran")[0] for note in first["notes"]] == [
        "predicted: shorter", "hdp-lex is old", "gold: hdp-lex, hdp-1f"
    ]  # fmt: skip
    assert first["settings"]["hdp-lex"] == "hdp-lex b"
    assert first["settings"]["hdp-lex, predicted mentions"] == "hdp-lex a"
    second = merged(first, on("predicted", NEW))
    assert [note.split(" ran")[0] for note in second["notes"]] == [
        "gold: hdp-lex, hdp-1f", "predicted: hdp-lex, hdp-1f"
    ]  # fmt: skip
    assert "hdp-lex, predicted mentions" not in second["settings"]


def test_other_mentions_are_refused() -> None:
    with pytest.raises(ValueError, match="the rows of lemma are missing or differ"):
        merged(STORED, table("b", row("lemma", 0.49), row("hdp-lex", 0.45)))
    with pytest.raises(ValueError, match="the rows of lemma are missing or differ"):
        merged(STORED, table("b", row("hdp-lex", 0.45)))
    more = [NEW["mention_sets"][0] | {"given": 10}]
    with pytest.raises(ValueError, match="other mentions"):
        merged(STORED, NEW | {"mention_sets": more})
    with pytest.raises(ValueError, match="preset: 'paper' and 'light'"):
        merged(STORED, NEW | {"preset": "light"})
