"""What the HDDCRP gets right and wrong, as in the paper's discussion, counted in pairs of mentions of a sub-topic.

On gold mentions: which pairs does it get right that another system gets wrong, and the reverse? On extracted
mentions: what its errors come from (`causes`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from samevent.clusterers import Evidence
from samevent.clusterers.reading import read_evidence
from samevent.corpus import Corpus, Mention, unit_of
from samevent.experiments.causes import Pair, causes, pair_similarity
from samevent.experiments.ecbplus.plan import Answers, Plan, run_systems
from samevent.experiments.ecbplus.tasks import GOLD, PREDICTED, TASKS, Task
from samevent.experiments.protocols import Part
from samevent.experiments.work import Work, provenance
from samevent.language.cache import Cache
from samevent.language.resources import resources

OURS, OTHERS = "hddcrp", ("agglomerative", "hdp-lex")
WORDS = ("unveil", "announce")
"""The paper's example: two words for one event that its HDDCRP brings together."""
EXAMPLES = 8
"""How many kinds of pairs are shown, the most frequent ones."""


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """Gold mentions by sub-topic, and the row and head lemma of each in a table."""

    units: tuple[tuple[Mention, ...], ...]
    row: Mapping[str, int]
    lemma: Mapping[str, str]

    @classmethod
    def of(cls, gold: Corpus, evidence: Evidence) -> _Reading:
        table = evidence.table
        lemmas = (table.heads.lemmas[table.heads.lemma[head]] for head in table.head)
        by_unit: dict[str, list[Mention]] = defaultdict(list)
        for document in gold:
            by_unit[unit_of(document, "subtopic")] += document.mentions
        return cls(
            tuple(map(tuple, by_unit.values())),
            {id: row for row, id in enumerate(table.ids)},
            dict(zip(table.ids, lemmas, strict=True)),
        )

    def pairs(self) -> Iterator[tuple[Mention, Mention]]:
        """Go through all pairs of mentions of one sub-topic."""
        return (pair for mentions in self.units for pair in combinations(mentions, 2))


def measure_analysis(
    corpus: Corpus,
    work: Work,
    *,
    part: Part,
    model: str | None = None,
    seed: int = 0,
    protocol: str = "yang2015",
) -> dict[str, Any]:
    """Compare systems pair by pair on gold mentions, and give the errors on extracted ones their causes."""
    plan = Plan(task=TASKS[protocol], part=part, model=model, seed=seed, clusterers=(*OTHERS, OURS))
    documents, folder = plan.documents(corpus), plan.model_folder(corpus, work)
    gold = run_systems(GOLD, documents, plan, folder, work)
    ours = replace(plan, clusterers=(OURS,))
    found = run_systems(PREDICTED, documents, ours, folder, work)
    annotators = read_evidence(
        _with_gold_arguments(documents, plan.task), resources(folder), jobs=work.jobs, cache=Cache()
    )
    settings = {name: repr(system) for name, system in gold.systems.items()}
    return {
        "protocol": plan.task.name,
        "part": part,
        "preset": plan.preset,
        "model": model or f"trained on the train topics of {plan.task.split_name}",
        **provenance(seed, settings),
        "comparisons": compared(gold),
        "words": word_pair(gold, WORDS),
        "causes": causes(found, annotators),
    }


def compared(answers: Answers) -> dict[str, Any]:
    """Count the pairs on which the HDDCRP and another system differ, by who is right, with examples."""
    reading = _Reading.of(answers.given.gold, answers.evidence)
    labels = {name: cell.reported for name, cell in answers.cells.items()}
    found: dict[str, Any] = {}
    for other in OTHERS:
        kinds: dict[str, list[Pair]] = {
            f"{who} {what}": [] for who in ("hddcrp", "other") for what in ("links", "parts")
        }
        for a, b in reading.pairs():
            i, j = reading.row[a.id], reading.row[b.id]
            together = bool(labels[OURS][i] == labels[OURS][j])
            if together != bool(labels[other][i] == labels[other][j]):
                same = a.event == b.event
                who = "hddcrp" if together == same else "other"
                kinds[f"{who} {'links' if same else 'parts'}"].append((a.id, b.id))
        found[other] = {
            kind: {"pairs": len(pairs), "examples": _examples(pairs, reading)}
            for kind, pairs in kinds.items()
        }
    return found


def word_pair(answers: Answers, lemmas: tuple[str, str]) -> dict[str, Any]:
    """Say what became of pairs of mentions with these two head lemmas: f, and who links them."""
    reading, evidence = _Reading.of(answers.given.gold, answers.evidence), answers.evidence
    rows: list[dict[str, Any]] = []
    for a, b in reading.pairs():
        if {reading.lemma[a.id], reading.lemma[b.id]} == set(lemmas):
            i, j = reading.row[a.id], reading.row[b.id]
            linked = {
                name: bool(cell.reported[i] == cell.reported[j]) for name, cell in answers.cells.items()
            }
            rows.append(
                {
                    "pair": [a.id, b.id],
                    "same": a.event == b.event,
                    "linked": linked,
                    "f": pair_similarity(evidence, i, j),
                }
            )
    same = [row for row in rows if row["same"]]
    return {
        "lemmas": list(lemmas),
        "pairs": len(rows),
        "same": len(same),
        "linked": {
            name: {
                "same": sum(row["linked"][name] for row in same),
                "different": sum(row["linked"][name] for row in rows if not row["same"]),
            }
            for name in answers.cells
        },
        "highest_f": max((row["f"] for row in same), default=None),
        "examples": sorted(same, key=lambda row: -row["f"])[:3],
    }


def _with_gold_arguments(documents: Corpus, task: Task) -> Corpus:
    """Return documents with the events that count and the annotators' participants, times and locations."""
    counted = {m.id for m in task.gold(documents).mentions()}
    kept = documents.filtered(lambda m: m.kind != "action" or m.id in counted)
    return kept.mapped(lambda d: replace(d, topic=None, subtopic=None))


def _examples(pairs: Sequence[Pair], reading: _Reading) -> list[dict[str, Any]]:
    """Return the most frequent pairs of head lemmas, with one pair of mentions each."""
    kinds = {pair: tuple(sorted(reading.lemma[id] for id in pair)) for pair in pairs}
    first = {kind: pair for pair, kind in reversed(kinds.items())}
    counts = Counter(kinds.values())
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]
    return [{"lemmas": list(kind), "pairs": count, "example": list(first[kind])} for kind, count in ranked]
