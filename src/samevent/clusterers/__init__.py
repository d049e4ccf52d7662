"""The paper's six systems behind one protocol: mentions in, events out.

    evidence = Model.load().prepare(corpus).evidence
    clustered = clusterer("hddcrp", {"runs": 3}, preset="paper").cluster(evidence, seed=7)
    clustered.clustering, clustered.probability(a, b), clustered.posterior.verdict

`base` has the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samevent.clusterers.base import Clustered, Clusterer, Evidence
from samevent.clusterers.features import LF, SF, WF
from samevent.clusterers.hdp import Hdp
from samevent.clusterers.linked import Ddcrp, Hddcrp, HddcrpStar
from samevent.clusterers.rules import Agglomerative, Lemma
from samevent.errors import located
from samevent.names import DEFAULT_PRESET
from samevent.settings import changed, check_known, read_tables

__all__ = ["CLUSTERERS", "PRESETS", "Clustered", "Clusterer", "Evidence", "clusterer"]

CLUSTERERS: Mapping[str, Clusterer] = {
    "lemma": Lemma(),
    "agglomerative": Agglomerative(),
    "hdp-lex": Hdp(),
    "hdp-1f": Hdp(features=("head_lemma",)),
    "hdp-flat-lf": Hdp(features=LF, start="lemma", merges=5),
    "hdp-flat-lf-wf": Hdp(features=LF + WF, start="lemma", merges=5),
    "hdp-flat-lf-wf-sf": Hdp(features=LF + WF + SF, start="lemma", merges=5),
    "hdp-struct": Hdp(features=LF + WF + SF, structured=True, start="lemma", merges=5),
    "ddcrp": Ddcrp(),
    "hddcrp-star": HddcrpStar(),
    "hddcrp": Hddcrp(),
}
"""Every clusterer by its name, with the settings that presets change.

HDPs that see much of a mention start from lemmas: from single mentions, the first sweeps take ten times as long. In
them, whole events split and merge: mentions that share many values cannot leave an event one by one."""

_INTEGRATED: Mapping[str, Any] = {
    "uncertain": True,
    "runs": 2,
    "sweeps": 64,
    "alpha_within": 0.05,
    "dirichlet": 1.0,
    "likelihood_weight": 0.0,
}
"""Short chains at each of 16 shifts of the similarities; words are left to the pair model (tools/reliability.py)."""


def _trees(pair_model: str, minimum_similarity: float) -> Mapping[str, Mapping[str, Any]]:
    """Return the settings of a preset with boosted trees, chosen out of fold on two corpora (tools/tune_presets.py)."""
    links = {"pair_model": pair_model, "minimum_similarity": minimum_similarity, "sweeps": 400}
    no_words = {**links, "dirichlet": 1.0, "likelihood_weight": 0.0}
    return {
        "agglomerative": {"pair_model": pair_model, "within": 0.5, "across": 0.7},
        "ddcrp": no_words,
        # Across documents, HDDCRP* has nothing but the words.
        "hddcrp-star": {**links, "dirichlet": 0.1, "alpha_within": 0.2},
        "hddcrp": {"pair_model": pair_model, **_INTEGRATED},
    }


_RUNS = {"answer": "last", "runs": 5, "sweeps": 500}
_PAPER: Mapping[str, Mapping[str, Any]] = {
    **{name: _RUNS for name, system in CLUSTERERS.items() if system.sampled},
    "hddcrp": {**_RUNS, "sampler": "paper"},
}

_CODE: Mapping[str, Mapping[str, Any]] = {
    **_PAPER,
    "agglomerative": {"pair_model": "paper-code"},
    **{
        name: {**_PAPER[name], "pair_model": "paper-code", "identical_words": True, "observe": "two_lemmas"}
        for name in ("ddcrp", "hddcrp-star", "hddcrp")
    },
}
"""What the authors' program did, as far as it is public (docs/clusterers.md)."""

PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "standard": _trees("standard", 0.55),
    "best": _trees("best", 0.55),
    "light": _trees("light", 0.5),
    "paper": _PAPER,
    "paper-code": _CODE,
}
"""What a preset changes, by clusterer."""


def clusterer(
    name: str,
    changes: Mapping[str, Any] | None = None,
    *,
    preset: str = DEFAULT_PRESET,
    file: Path | None = None,
) -> Clusterer:
    """Return a clusterer with the settings of a preset, then of its table in a TOML file, then of `changes`.

    >>> clusterer("agglomerative", {"across": 0.6}, preset="paper")
    Agglomerative(within=0.5, across=0.6, pair_model='paper', document_gate=0.0)
    """
    tables = read_tables(file) if file else {}
    for other, table in tables.items():
        with located(str(file)):
            clusterer(other, table, preset=preset)
    check_known("clusterer", name, CLUSTERERS)
    check_known("preset", preset, PRESETS)
    return changed(
        CLUSTERERS[name], {**PRESETS[preset].get(name, {}), **tables.get(name, {}), **(changes or {})}
    )
