"""Measure whether P(same event) of a preset is true, for several settings: the figures that settings are chosen by.

Trees of three folds of ECB+'s train and dev topics (cybulska) score the pairs of the fourth; pairs of another corpus
are scored by trees of all. Mentions are gold or extracted. Extractors, and the trees that learn from what these find,
have not seen the topics that they are measured on. Each row has CoNLL F1 over whole parts, the expected
calibration error (ECE) over pairs with P > 0 and inside events, how many pairs have P > .95 and how many of these are
true, how many events are pure by the probability they are shown with, and how pure the largest events are, which a
reader sees first: how many of them have mentions of one true event alone, and the mean share of the commonest.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from tools.tune_presets import DATA, encoded, without_chain_zero

from samevent.clusterers import Clustered, Evidence, clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.clusterers.shown import as_shown, learn_shown
from samevent.clusterers.uncertainty import estimate_uncertainty
from samevent.corpus import Corpus
from samevent.experiments.given import Given
from samevent.experiments.protocols import TASKS
from samevent.experiments.transfer import judge
from samevent.extraction.training import HeldOut, train_cross_fitted
from samevent.formats import read, write
from samevent.hddcrp import Uncertainty
from samevent.language.cache import Cache
from samevent.language.encoder import Encoder
from samevent.language.encoder.training import MEAN
from samevent.model import Model
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.linkage import average_link
from samevent.preparation import PREDICTED_ARGUMENTS, Encode, parse, prepare, read_with, with_states
from samevent.scoring import Singletons, pair, scores_of
from samevent.similarity.bags import Background, Indices
from samevent.similarity.boosted import LEAST_LINK, USUAL_UNCERTAINTY
from samevent.similarity.boosting import BoostingSettings, train_boosted, train_second_look, training_pairs
from samevent.similarity.links import LinkSettings, MentionLinks, find_links
from samevent.similarity.pairs import LabelledMentions
from samevent.similarity.shown import THE_POSTERIOR, Shown
from samevent.training import PAIR_MODEL_SETTINGS, annotated_events, averaged_encoders, cross_fitted
from samevent.training.data import extract_held_out, extracted_mentions
from samevent.training.uncertainty import (
    held_out_links,
    held_out_second_looks,
    held_out_trees,
    judged,
    looked_again,
)

ONE_POSTERIOR = {"draws": 1, "minimum_similarity": 0.55, "runs": 4, "sweeps": 400}
DEFAULT = "**integrated**"
ROWS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, float]]] = {
    "one posterior": (ONE_POSTERIOR, {"shift": 0.0, "spread": 0.0}),
    "as sampled": ({}, {}),
    DEFAULT: ({}, {}),
    "spread 1.25": ({}, {"spread": 1.25}),
    "spread 2": ({}, {"spread": 2.0}),
    "no shift": ({}, {"shift": 0.0}),
    "shift -0.8": ({}, {"shift": -0.8}),
    "cut 0.3": ({"cut": 0.3}, {}),
    "cut 0.35": ({"cut": 0.35}, {}),
    "cut 0.45": ({"cut": 0.45}, {}),
    "32 shifts": ({"draws": 32}, {}),
}
"""The rows: changes to the preset's clusterer, and to the usual uncertainty."""
LARGEST = 25
"""The events whose purity is measured."""
AS_SAMPLED = ("one posterior", "as sampled")
"""Rows that show the posterior itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Mentions, links by trees that have not seen them, their true events (-1: unknown), and the gold corpus."""

    given: Given
    evidence: Evidence
    links: MentionLinks
    event: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """Two corpora with annotated and with extracted mentions; topics of the first with different halves cannot be
    compared."""

    gold: tuple[Given, Given]
    extracted: tuple[Given, Given]
    found: LabelledMentions
    """What trees learn from beside annotated mentions."""
    half_of: Mapping[str, int] | None


def read_material(ecb: Path, other: Path, encoders: Path | None, large: Path | None) -> Material:
    """Read both corpora like `samevent train all`: with extractors of other topics."""
    task, resources = TASKS["cybulska"], Model.load(cache=Cache()).resources
    documents = [d for d in read(ecb) if task.split.part_of(d) in ("train", "dev")]
    texts, others = (
        list(parse(each, resources.roles, cache=Cache()))
        for each in (documents, map(without_chain_zero, read(other)))
    )
    fitted = cross_fitted(encoders, documents, large=large, cache=Cache()) if encoders else None
    encodes: tuple[Encode | None, Encode | None] = (None, None)
    if encoders and fitted:
        texts = list(with_states(texts, fitted.read))
        others = list(with_states(others, read_with(Encoder(encoders / MEAN), Cache())))
        encodes = fitted.encode, averaged_encoders(encoders, large=large, cache=Cache())
    extractor, held_out = train_cross_fitted(texts, resources)
    found = extracted_mentions(held_out, resources, encode=encodes[0])
    gold, extracted = [], []
    for parts, encode in zip((held_out, [HeldOut(text, extractor) for text in others]), encodes, strict=True):
        events = (each.text._replace(document=annotated_events(each.text.document)) for each in parts)
        exact = prepare(events, resources, extractor, extraction=PREDICTED_ARGUMENTS, encode=encode)
        raw, _ = extract_held_out(parts, resources, encode=encode)
        actions = exact.corpus.filtered(lambda m: m.kind == "action")
        gold.append(Given(exact, actions, Corpus([]), "gold"))
        extracted.append(Given(raw, actions, Corpus([]), "predicted"))
    half_of = fitted.half_of if fitted else None
    return Material((gold[0], gold[1]), (extracted[0], extracted[1]), found, half_of)


def labelled(given: Given, background: Background | None = None) -> LabelledMentions:
    """Return the mentions with their true events, -1 for those that match no gold mention."""
    data = encoded(given.prepared)
    table = data.table.with_background(background) if background else data.table
    return replace(data, table=table, event=given.labels(data.table.ids).astype(np.int32))


def parts(
    material: Material, given: tuple[Given, Given], how: BoostingSettings
) -> Iterator[tuple[str, Part]]:
    """Yield the parts by name: the first corpus out of fold, the other by trees of all topics."""
    training, found, half_of = labelled(material.gold[0]), material.found, material.half_of
    pairs, more = training_pairs(training, how, half_of), training_pairs(found, how, half_of)
    model = train_boosted(training, settings=how, pairs=pairs, extracted=more)
    trees = held_out_trees(pairs, more)
    annotated = judged(training, held_out_links(trees, training, training, half_of=half_of), training)
    beside = judged(found, held_out_links(trees, found, training, half_of=half_of), training)
    looks = held_out_second_looks(annotated, how, beside)
    second = train_second_look(annotated, how, beside)
    data, asked = labelled(given[0]), annotated
    if given is not material.gold:
        asked = judged(data, held_out_links(trees, data, training, half_of=half_of), training)
    yield (
        "ECB+ out of fold",
        Part(given[0], Evidence(data.table), looked_again(model, looks, asked), data.event),
    )
    model = replace(model, second=second)
    data = labelled(given[1], model.background)
    seen = find_links(data.table, model, settings=LinkSettings(minimum_similarity=LEAST_LINK))
    yield "other", Part(given[1], Evidence(data.table), seen, data.event)


def out_of_fold_links(
    data: LabelledMentions, how: BoostingSettings, half_of: Mapping[str, int] | None
) -> MentionLinks:
    """Return the links of a first look that has learned from the annotated mentions of other topics."""
    trees = held_out_trees(training_pairs(data, how, half_of))
    return held_out_links(trees, data, data, half_of=half_of)


def answer_of(part: Part, system: Hddcrp, uncertainty: Uncertainty, shown: Shown) -> Clustered:
    """Cluster a part by links that were scored out of fold."""
    mixture = system.integrated(part.evidence, part.links, uncertainty)
    labels = average_link(mixture, system.cut).astype(np.int32)
    return Clustered(part.evidence.table.ids, labels, as_shown(mixture, part.links, shown))


def figures(part: Part, answer: Clustered) -> dict[str, Any]:
    """Return the figures of one row."""
    judgement = judge(part.given, answer, seed=0)
    kept = part.given.in_scope.with_clustering(answer.clustering)
    singletons: Singletons = "keep" if part.given.mentions == "gold" else "drop"
    conll = scores_of(pair(part.given.gold, kept, unit="corpus", singletons=singletons)).conll
    return {
        "conll": round(100 * conll, 1),
        "largest": largest_events(part, answer.labels),
        **_reliability(judgement),
        "chained": _reliability(judgement["chained"]),
    }


def largest_events(part: Part, labels: Indices) -> dict[str, Any]:
    """Return how pure the largest events are: those in most documents with at least two mentions of known events."""
    document = part.evidence.table.document
    members: dict[int, list[int]] = {}
    for mention, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(mention)
    sizes, shares = [], []
    for mentions in members.values():
        known = part.event[mentions]
        counts = Counter(known[known >= 0].tolist())
        if counts.total() > 1:
            sizes.append((len(set(document[mentions].tolist())), len(mentions)))
            shares.append(counts.most_common(1)[0][1] / counts.total())
    order = sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)[:LARGEST]
    first = [shares[event] for event in order]
    mean = round(sum(first) / len(first), 2) if first else None
    return {"events": len(first), "pure": sum(share == 1 for share in first), "commonest": mean}


def _reliability(judgement: Mapping[str, Any]) -> dict[str, Any]:
    pairs, inside, events = (judgement[name] for name in ("calibration", "inside", "events"))
    return {
        "ece": round(pairs["ece"], 3),
        "inside": round(inside["ece"], 3),
        "above_95": [pairs["above_95"]["pairs"], round(pairs["above_95"]["true"] or 0, 3)],
        "events": [events["events"], round(events["ece"], 3)],
        "pure": [[b["events"], round(b["said"], 2), round(b["pure"], 2)] for b in events["bins"]],
    }


def main() -> None:
    """Print one JSON object per row."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    trees = [name for name, how in PAIR_MODEL_SETTINGS.items() if isinstance(how, BoostingSettings)]
    parser.add_argument("preset", choices=trees)
    parser.add_argument("--data", type=Path, default=DATA / "ecbplus", help="the folder of ECB+")
    parser.add_argument("--other", type=Path, default=DATA / "gvc" / "dev.jsonl", help="another gold corpus")
    parser.add_argument("--encoders", type=Path, help="the work folder of `samevent train encoder`")
    parser.add_argument("--large", type=Path, help="the folder of the large encoder")
    parser.add_argument(
        "--extracted", action="store_true", help="extracted mentions; CoNLL without singletons"
    )
    parser.add_argument("--row", action="append", choices=list(ROWS), help="rows to print (default: all)")
    parser.add_argument(
        "--answers", type=Path, help="folder for ECB+ with the events of the row **integrated**, out of fold"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    how = cast(BoostingSettings, PAIR_MODEL_SETTINGS[options.preset])
    material = read_material(options.data, options.other, options.encoders, options.large)
    system = cast(Hddcrp, clusterer("hddcrp", preset=options.preset))
    measured = dict(parts(material, material.gold, how))
    part = measured["ECB+ out of fold"]
    estimate = estimate_uncertainty(part.evidence, part.links, part.event, system)
    mixture = system.integrated(part.evidence, part.links, USUAL_UNCERTAINTY)
    shown = learn_shown(mixture, part.links, part.event)
    learned = {"estimate": estimate, "shown": shown}
    print(json.dumps({name: repr(value) for name, value in learned.items()}), flush=True)
    if options.extracted:
        measured = dict(parts(material, material.extracted, how))
    for name in options.row or ROWS:
        changes, other = ROWS[name]
        row = cast(Hddcrp, clusterer("hddcrp", changes, preset=options.preset))
        corrected = THE_POSTERIOR if name in AS_SAMPLED else shown
        for corpus, part in measured.items():
            answer = answer_of(part, row, replace(USUAL_UNCERTAINTY, **other), corrected)
            print(json.dumps({"row": name, "corpus": corpus, **figures(part, answer)}), flush=True)
            if options.answers and name == DEFAULT and part.given is material.gold[0]:
                events = part.given.in_scope.with_clustering(answer.clustering)
                write(events, options.answers / f"{options.preset}.jsonl", overwrite=True)


if __name__ == "__main__":
    main()
