"""The paper's Tables 1 to 4 and the extraction recalls of its text beside ours: from stored figures, or measured.

Stored figures come with the package; `make results` collects them from `docs/results/`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from importlib import resources
from typing import Any

from samevent.corpus import KINDS, Corpus, Document, Kind
from samevent.experiments.discussion import measure_discussion
from samevent.experiments.ecbplus import SYSTEMS, Plan, measure_ecbplus
from samevent.experiments.extraction import PAPER as PAPER_RECALL
from samevent.experiments.extraction import SWIRL, Candidate, measure_extraction
from samevent.experiments.pairs import PAPER_WEIGHTS
from samevent.experiments.paper import paper_figures
from samevent.experiments.protocols import GOLD, PAPER_STATISTICS, PREDICTED, TASKS, Part, statistics
from samevent.experiments.work import Work
from samevent.model import Model
from samevent.preparation import Extraction, read_with
from samevent.similarity.model import PairModel

SENTENCE = "Sudan bombs Yida refugee camp in South Sudan on Thursday, Nov 10th, 2011."
PAPER_COMPONENTS: Mapping[Kind, tuple[str, ...]] = {
    "action": ("bombs",),
    "participant": ("Sudan", "Yida refugee camp"),
    "time": ("Thursday, Nov 10, 2011",),
    "location": ("South Sudan",),
}
"""The paper's Table 1, of this sentence."""
READINGS = ("paper", "paper-code")
"""The presets that are readings of the paper: as printed, and as its authors programmed it."""
COMPARED = tuple(name for name in SYSTEMS if name != "hdp-lex")
"""The systems of the other reading. HDP-LEX takes as long as all of them together, and LEMMA next to nothing."""
RECALLED: tuple[Part, ...] = ("dev", "test")
METRICS = ("muc", "bcubed", "ceafe")
SETS = ((PREDICTED, "head"), (GOLD, "none"))
"""The mentions and filters to compare with the paper."""
MEASURED = ("preset", "model", "seed", "commit", "date", "seconds")
COUNTED = ("mentions", "given", "kept", "exact", "gold")
"""What of a result and of its sets of mentions is shown."""
FILE = "paper.json"

Json = Mapping[str, Any]


def components(model: Model) -> dict[str, list[str]]:
    """Return what the extractor of the preset `paper` finds in the sentence of Table 1."""
    found = model.extract(
        Corpus([Document.from_text("table-1", SENTENCE)]),
        extraction=Extraction(point="balanced"),
        preset="paper",
    )
    return {kind: [m.text for d in found for m in d.mentions if m.kind == kind] for kind in KINDS}


def gather(
    *,
    components: Mapping[str, list[str]],
    statistics: Mapping[str, Mapping[str, int]],
    coreference: Iterable[Json],
    weights: Mapping[str, Mapping[str, float]],
    extraction: Mapping[str, Json],
    discussion: Json | None = None,
) -> dict[str, Any]:
    """Put figures of our experiments beside the paper's."""
    readings = [result for result in coreference if result["preset"] in READINGS]
    rows = [row for result in readings for row in result["rows"]]
    kept = (
        "clusterer", "preset", "mentions", "filter", "unit", *METRICS, "conll", "conll_interval", "verdict",
    )  # fmt: skip
    return {
        "measured": [{name: result[name] for name in MEASURED} for result in readings],
        "sets": [
            {"preset": result["preset"], **{name: each[name] for name in COUNTED}}
            for result in readings
            for each in result["mention_sets"]
            if (each["mentions"], each["filter"]) in SETS
        ],
        "components": {"sentence": SENTENCE, "paper": PAPER_COMPONENTS, "ours": components},
        "statistics": {
            part: {"paper": asdict(PAPER_STATISTICS[part]), "ours": ours} for part, ours in statistics.items()
        },
        "results": [
            {name: row[name] for name in kept} | {"paper": paper_figures(row["unit"], row["clusterer"])}
            for row in rows
            if row["clusterer"] in SYSTEMS and (row["mentions"], row["filter"]) in SETS
        ],
        "weights": {"paper": PAPER_WEIGHTS, "ours": weights},
        "extraction": {
            part: {
                kind: {
                    "paper": PAPER_RECALL[part][kind][0],
                    "paper_count": PAPER_RECALL[part][kind][1],
                    "paper_roles": SWIRL[kind] if part == "dev" else None,
                    "ours": ours["recall"][kind]["head_recall"],
                    "encoded": ours["encoded"][kind]["head_recall"] if "encoded" in ours else None,
                    "count": ours["recall"][kind]["count"],
                }
                for kind in KINDS
            }
            for part, ours in extraction.items()
        },
        "discussion": discussion,
    }


def stored() -> dict[str, Any] | None:
    """Return the figures that come with the package, if there are any."""
    file = resources.files("samevent.experiments") / "figures" / FILE
    return json.loads(file.read_text("utf-8")) if file.is_file() else None


def measure_parts(corpus: Corpus, model: Model, work: Work) -> dict[str, Any]:
    """Measure all but coreference with a model of the train topics; the discussion's example with the shipped one."""
    split = TASKS["yang2015"].split
    return {
        "components": components(model),
        "discussion": measure_discussion(Model.load(cache=model.cache)),
        "statistics": {part: asdict(counts) for part, counts in statistics(corpus, split).items()},
        "weights": {
            name: {feature: round(weight, 3) for feature, weight in pair_model.weights.items()}
            for name, pair_model in model.pair_models.items()
            if name in READINGS and isinstance(pair_model, PairModel)
        },
        "extraction": _recalls(corpus, model, work),
    }


def _recalls(corpus: Corpus, model: Model, work: Work) -> dict[str, dict[str, Any]]:
    """Measure the extractor of the readings and, under `encoded`, that with an encoder, if the model has one."""
    split = TASKS["yang2015"].split
    size = sum(len(split.select(corpus, part)) for part in RECALLED)
    candidates = {"recall": Candidate(model.extractor, {})}
    if model.contextual_extractor.contextual:
        read = read_with(model.resources.encoder, model.cache)
        candidates["encoded"] = Candidate(model.contextual_extractor, dict.fromkeys(RECALLED, read))
    found: dict[str, dict[str, Any]] = {part: {} for part in RECALLED}
    for name, candidate in candidates.items():
        with work.progress("extraction", size) as done:
            measured = measure_extraction(corpus, split, candidate, jobs=work.jobs, progress=done)
        for part in RECALLED:
            found[part][name] = measured[part]["recall"]
    return found


def measure_paper(
    corpus: Corpus, work: Work, *, model: str | None = None, changes: Json | None = None, seed: int = 0
) -> dict[str, Any]:
    """Measure everything anew: without a model one is trained; what finishes is kept in the work folder.

    HDP-LEX uses no similarities, in which readings differ, so it is measured for the first reading alone.
    """
    plans = [
        Plan(
            task=TASKS["yang2015"],
            clusterers=SYSTEMS if preset == READINGS[0] else COMPARED,
            filters=("head",),
            preset=preset,
            model=model,
            changes=changes or {},
            seed=seed,
        )
        for preset in READINGS
    ]
    loaded = plans[0].load_model(corpus, work)
    folder = str(loaded.resources.folder)
    tables = [measure_ecbplus(corpus, replace(plan, model=folder), work) for plan in plans]
    return gather(coreference=tables, **measure_parts(corpus, loaded, work))
