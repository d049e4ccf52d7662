"""Measure what comparing when, where, how many and who adds to a preset's pair model.

Trees of three folds of ECB+'s train and dev topics (cybulska) score the pairs of the fourth; pairs of another corpus
are scored by trees of all. For each set of columns: average precision over pairs (first look only), where a pair of one
event that no link reaches counts as missed. `docs/results/grounding-<preset>.json` is what `--output` writes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
from sklearn.metrics import average_precision_score
from tools.reliability import labelled, out_of_fold_links, read_material
from tools.tune_presets import DATA

from samevent.experiments.work import provenance
from samevent.similarity.boosted import LEAST_LINK
from samevent.similarity.boosting import BoostingSettings, train_boosted, training_pairs
from samevent.similarity.links import LinkSettings, MentionLinks, find_links
from samevent.similarity.pairs import LabelledMentions
from samevent.similarity.tree_features import GROUNDING_GROUP, TREE_FEATURES
from samevent.training import PAIR_MODEL_SETTINGS

PARTS: Mapping[str, tuple[str, ...]] = {
    "when": ("stated_days_between", "stated_time_overlap"),
    "where": ("stated_place",),
    "how many": ("least_same_quantity", "most_same_quantity"),
    "who": ("same_agent", "same_patient", "same_participant"),
}
"""The columns of each part."""


def variants() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield sets of columns by name, and the columns that each leaves out."""
    grounding = [feature.name for feature in TREE_FEATURES if feature.group == GROUNDING_GROUP]
    yield "none", tuple(grounding)
    yield "all", ()
    for part, names in PARTS.items():
        yield part, tuple(name for name in grounding if name not in names)
    for part, names in PARTS.items():
        yield f"all but {part}", names


def average_precision(data: LabelledMentions, links: MentionLinks) -> float:
    """Return the average precision of links whose events are known."""
    event, pairs = data.event, links.pairs
    known = (event[pairs.i] >= 0) & (event[pairs.j] >= 0)
    same = (event[pairs.i] == event[pairs.j])[known]
    sizes = np.unique(event[event >= 0], return_counts=True)[1].astype(np.int64)
    reached = same.sum() / max((sizes * (sizes - 1) // 2).sum(), 1)
    return float(average_precision_score(same, links.similarity[known]) * reached)


def main() -> None:
    """Print one JSON object per set of columns, and store them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "preset", choices=[name for name in PAIR_MODEL_SETTINGS if name in ("light", "standard")]
    )
    parser.add_argument("--data", type=Path, default=DATA / "ecbplus", help="the folder of ECB+")
    parser.add_argument("--other", type=Path, default=DATA / "gvc" / "dev.jsonl", help="another gold corpus")
    parser.add_argument("--encoders", type=Path, help="the work folder of `samevent train encoder`")
    parser.add_argument("--columns", action="append", help="names of sets of columns (default: all)")
    parser.add_argument("--output", type=Path, help="file for all rows")
    options = parser.parse_args()
    settings = cast(BoostingSettings, PAIR_MODEL_SETTINGS[options.preset])
    material = read_material(options.data, options.other, options.encoders, None)
    (ours, other), half_of = material.gold, material.half_of
    training = labelled(ours)
    result = {"preset": options.preset, **provenance(0, {options.preset: repr(settings)}), "rows": []}
    for name, without in variants():
        if options.columns and name not in options.columns:
            continue
        how = replace(settings, without=(*settings.without, *without))
        row = {
            "columns": name,
            "ecb": average_precision(training, out_of_fold_links(training, how, half_of)),
        }
        trees = train_boosted(training, settings=how, pairs=training_pairs(training, how, half_of))
        data = labelled(other, trees.background)
        links = find_links(data.table, trees, settings=LinkSettings(minimum_similarity=LEAST_LINK))
        row["other"] = average_precision(data, links)
        print(json.dumps(row), flush=True)
        result["rows"].append(row)
        if options.output:
            options.output.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
