"""Ablations of the HDDCRP, out of fold over the train and dev topics of `yang2015`, on gold mentions.

The test topics are not used. Every row changes one thing of the preset `paper`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from samevent.clusterers import Clusterer, clusterer
from samevent.corpus import Corpus, Unit
from samevent.experiments.folds import Fold, held_out, pairings
from samevent.experiments.protocols import TASKS
from samevent.experiments.scores import interval, scored
from samevent.experiments.work import Work, corpus_digest, folder_digest, provenance
from samevent.formats.files import write_text
from samevent.language.cache import Cache
from samevent.model import Model
from samevent.preparation import PREDICTED_ARGUMENTS, Prepared
from samevent.similarity.features import FEATURES, TAGS
from samevent.similarity.training import PairTrainingSettings

UNITS: tuple[Unit, ...] = ("document", "subtopic")
RUNS = 2
"""Runs of each variant; they hardly differ."""
PENALTIES = (0.001, 0.003, 0.01, 0.03)
"""Values of C to choose from in every fold, around those that full training takes."""

GROUPS = (*dict.fromkeys(feature.group for feature in FEATURES), TAGS)
"""The groups of the paper's features."""
SERIES: Mapping[str, tuple[Any, ...]] = {
    "dirichlet": (1e-9, 1e-7, 1e-5, 1e-3, 0.03, 0.1, 0.3),
    "alpha_within": (0.05, 0.5, 5.0),
    "alpha_across": (1e-5, 0.001, 0.1, 10.0),
    "minimum_similarity": (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
    "document_weight": (0.0, 1.0, 3.0, 10.0),
    "identical_words": (False, True),
    "observe": ("words", "head_lemma"),
    "sweeps": (5, 20, 100, 500, 1000),
    "sampler": ("paper", "collapsed"),
    "answer": ("last", "consensus"),
}
"""Values of each setting of the HDDCRP: lambda, alpha_d, alpha_0, truncation, gamma, whether mentions of the same words
are always linked, what events generate, and how it is run."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One difference from the paper: a setting, or a group of features left out of the pair model."""

    what: str
    value: Any
    changes: Mapping[str, Any]
    without: tuple[str, ...] = ()


BASE = Variant("paper", "", {})


def variants() -> list[Variant]:
    """Return all variants, the paper's own settings first."""
    features = [Variant("without features", group, {}, (group,)) for group in GROUPS]
    settings = [Variant(name, value, {name: value}) for name, values in SERIES.items() for value in values]
    return [BASE, *features, *settings]


def measure_ablations(
    corpus: Corpus, work: Work, *, model: str, seed: int = 0, chosen: Sequence[Variant] | None = None
) -> dict[str, Any]:
    """Measure the paper's settings and all variants, or those chosen; what finishes is kept in the work folder."""
    task = TASKS["yang2015"]
    gold = task.gold(Corpus(d for d in corpus if task.split.part_of(d) in ("train", "dev")))
    lab = _Lab(gold, Model.load(model, cache=Cache()), work, seed)
    todo = chosen or variants()
    with work.progress("ablations", len(todo)) as done:
        base, rows = lab.measured(BASE), []
        for number, variant in enumerate(todo, 1):
            rows.append(_row(variant, lab.measured(variant), base))
            done(number)
    return {
        "protocol": task.name,
        "part": "train and dev topics, out of fold",
        "clusterer": "hddcrp",
        "preset": "paper",
        "mentions": "gold",
        "model": model,
        **provenance(seed, {"hddcrp": repr(_system(BASE))}),
        "seconds": round(sum(row["seconds"] for row in rows), 1),
        "rows": rows,
    }


class _Lab:
    """Documents that are prepared and pair models that are trained once, when they are first needed."""

    def __init__(self, gold: Corpus, model: Model, work: Work, seed: int) -> None:
        self.gold, self.model, self.work, self.seed = gold, model, work, seed
        self._done: set[Path] = set()
        self._folds: dict[tuple[str, ...], list[Fold]] = {}
        self._mark = f"{corpus_digest(gold)} {folder_digest(model.resources.folder)} {seed}"

    @cached_property
    def prepared(self) -> Prepared:
        """All documents with gold events and predicted arguments."""
        self.work.log(f"reading {len(self.gold)} documents")
        return self.model.prepare(
            self.gold, extraction=PREDICTED_ARGUMENTS, preset="paper", jobs=self.work.jobs
        )

    def folds(self, without: tuple[str, ...]) -> list[Fold]:
        """Return the folds with pair models that lack some features."""
        if without not in self._folds:
            settings = PairTrainingSettings(without=without, penalties=PENALTIES)
            self._folds[without] = list(held_out(self.prepared, {"paper": settings}))
        return self._folds[without]

    def measured(self, variant: Variant) -> dict[str, Any]:
        """Return the scores of a variant and their draws, by unit."""
        system = _system(variant)
        file = self.work.path_for("ablation", f"{system!r} {variant.without} {self._mark}").with_suffix(
            ".json"
        )
        if file in self._done or self.work.is_done(file):
            return dict(json.loads(file.read_text("utf-8")))
        folds = self.folds(variant.without)
        started = time.perf_counter()
        paired = pairings(folds, system, UNITS, seed=self.seed, jobs=self.work.jobs)
        seconds = round(time.perf_counter() - started, 1)
        figures: dict[str, Any] = {"seconds": seconds}
        for unit, each in paired.items():
            result = scored(each, seed=self.seed)
            figures[unit] = result.to_json() | {"draws": result.draws.tolist()}
        write_text(file, [json.dumps(figures)], overwrite=True)
        self._done.add(file)
        self.work.log(
            f"{variant.what} {variant.value}: "
            + " / ".join(f"{100 * figures[unit]['conll']:.1f}" for unit in UNITS)
        )
        return figures


def _system(variant: Variant) -> Clusterer:
    return clusterer("hddcrp", {"runs": RUNS, **variant.changes}, preset="paper")


def _row(variant: Variant, figures: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"what": variant.what, "value": variant.value, "seconds": figures["seconds"]}
    for unit in UNITS:
        delta = np.subtract(figures[unit]["draws"], base[unit]["draws"])
        row[unit] = {name: value for name, value in figures[unit].items() if name != "draws"} | {
            "difference": {
                "conll": figures[unit]["conll"] - base[unit]["conll"],
                "interval": interval(delta),
            }
        }
    return row
