"""Measure what a pair model learns from the decisions of a person about texts that it has not seen.

Topics of a gold corpus are dealt into three parts. Trees are trained on one. In another, a reviewer answers the
questions that come first (`partitions.questions`) from the gold events, twenty at a time, each time with the earlier
answers held. The trees learn from the answers, and the third part is resolved with them before and after; each part
plays each role. With a PAIR_MODEL that has not learned from the corpus, nothing is trained.
`docs/results/review.json` is what `--output` writes, and `--show` prints it.
"""

from __future__ import annotations

import argparse
import json
import warnings
from itertools import permutations
from pathlib import Path
from typing import Any, cast

import numpy as np
from tools.tune_presets import DATA

from samevent.cli.train.common import events_of
from samevent.clusterers import Clustered, Evidence, clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.corpus import Corpus
from samevent.experiments.given import Given, catch_all, prepare_given
from samevent.experiments.work import Work, provenance
from samevent.formats import read
from samevent.language.cache import Cache
from samevent.model import Model
from samevent.partitions.constraints import FREE, PairConstraints
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.questions import questions
from samevent.preparation import parse
from samevent.scoring import pair, scores_of
from samevent.seeds import stream
from samevent.similarity.boosted import LEAST_LINK, BoostedModel
from samevent.similarity.judged import JudgedPairs, corrected
from samevent.training import PAIR_MODEL_SETTINGS, annotated_events, labelled_mentions
from samevent.training.pair_models import fit_pair_model

PRESET = "light"
"""Its trees need no encoder, which would have to be tuned anew."""
ROUNDS, ANSWERS = 3, 20


def dealt(corpus: Corpus, seed: int = 0) -> list[Corpus]:
    """Return the documents of three parts of the topics, dealt at random."""
    topics = sorted({str(document.topic) for document in corpus})
    part_of = dict(
        zip(topics, (stream(seed, "parts of topics").permutation(len(topics)) % 3).tolist(), strict=True)
    )
    return [
        Corpus(document for document in corpus if part_of[str(document.topic)] == part) for part in range(3)
    ]


def trained(corpus: Corpus, base: Model) -> BoostedModel:
    """Train the preset's trees on a part."""
    extractor = base.extractor_of(PRESET)
    texts = parse(events_of(corpus), extractor.resources.roles, cache=base.cache)
    data = labelled_mentions(texts, extractor.resources, extractor, events=annotated_events)
    model = fit_pair_model(data, PAIR_MODEL_SETTINGS[PRESET])
    return cast(BoostedModel, model)


def resolved(given: Given, model: BoostedModel, held: PairConstraints = FREE) -> tuple[Evidence, Clustered]:
    """Return the mentions of a half, and which are the same event for a model and a person's answers."""
    evidence = Evidence(given.prepared.evidence.table, {PRESET: model}).constrained(held)
    system = cast(Hddcrp, clusterer("hddcrp", preset=PRESET))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return evidence, system.cluster(evidence)


def answers(given: Given, model: BoostedModel) -> list[JudgedPairs]:
    """Return the pairs that are judged after each round of questions."""
    must: list[tuple[int, int]] = []
    cannot: list[tuple[int, int]] = []
    judged = []
    held = FREE
    for _ in range(ROUNDS):
        evidence, clustered = resolved(given, model, held)
        gold = given.labels(clustered.ids)
        for asked in questions(clustered.posterior, clustered.labels, most=ANSWERS):
            same = gold[asked.left] == gold[asked.right]
            (must if same else cannot).append((asked.left, asked.right))
        held = PairConstraints.reduced(must, cannot, len(evidence))
        judged.append(JudgedPairs.of(evidence.links(LEAST_LINK, pair_model=PRESET), held, len(evidence)))
    return judged


def conll(given: Given, model: BoostedModel) -> dict[str, float]:
    """Return CoNLL F1 with and without singletons, each document by itself and all together."""
    _, clustered = resolved(given, model)
    system = given.kept("none").with_clustering(clustered.clustering)
    return {
        f"{unit} {singletons}": scores_of(pair(given.gold, system, unit=unit, singletons=singletons)).conll
        for unit in ("document", "corpus")
        for singletons in ("keep", "drop")
    }


def measure(corpus: Corpus, base: Model, model: BoostedModel | None = None) -> list[dict[str, Any]]:
    """Return one row per choice of parts: what was learned from one, and the scores of another."""
    parts, ignore = dealt(corpus), catch_all(corpus)
    given = [prepare_given(part, base, Work(folder=Path()), ignore=ignore, preset=PRESET) for part in parts]
    models = [model or trained(part, base) for part in parts]
    rows = []
    for learned, reviewed, other in permutations(range(3)):
        before = models[learned]
        row: dict[str, Any] = {
            "learned": learned,
            "reviewed": reviewed,
            "before": conll(given[other], before),
        }
        row["after"] = [
            {
                "pairs": len(judged),
                "same": int(judged.same.sum()),
                "offset": judged.offset(before.uncertainty.spread),
                "scores": conll(given[other], corrected(before, judged)),
            }
            for judged in answers(given[reviewed], before)
        ]
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def show(result: dict[str, Any]) -> None:
    """Print the mean scores of the other half before and after each round of questions."""
    rows = result["rows"]
    print(
        f"{'questions':>9} {'pairs':>6} {'offset':>7} {'CoNLL':>6} {'without singletons':>19} {'better':>7}"
    )
    before = [row["before"] for row in rows]
    for step in range(ROUNDS + 1):
        after = [row["after"][step - 1] for row in rows] if step else []
        scores = [each["scores"] for each in after] or before
        better = sum(new["corpus keep"] > old["corpus keep"] for new, old in zip(scores, before, strict=True))
        pairs, offset = (
            np.mean([each[name] for each in after]) if after else 0.0 for name in ("pairs", "offset")
        )
        means = [100 * np.mean([each[f"corpus {which}"] for each in scores]) for which in ("keep", "drop")]
        halves = f"{better}/{len(rows)}" if step else ""
        print(
            f"{step * ANSWERS:>9} {pairs:>6.0f} {offset:>+7.2f} {means[0]:>6.1f} {means[1]:>19.1f} {halves:>7}"
        )


def main() -> None:
    """Measure and store, or show what was stored."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "pair_model", type=Path, nargs="?", help="trees that have not learned from the corpus"
    )
    parser.add_argument(
        "--data", type=Path, default=DATA / "gvc" / "dev.jsonl", help="a gold corpus with topics"
    )
    parser.add_argument("--output", type=Path, help="file for the figures")
    parser.add_argument("--show", type=Path, help="print the figures of a file")
    options = parser.parse_args()
    if options.show:
        show(json.loads(options.show.read_text("utf-8")))
        return
    model = BoostedModel.load(options.pair_model) if options.pair_model else None
    rows = measure(read(options.data), Model.load("en-news", cache=Cache()), model)
    result = {
        "corpus": options.data.name,
        "trained": model is None,
        **provenance(0, {PRESET: repr(clusterer("hddcrp", preset=PRESET))}),
        "rows": rows,
    }
    if options.output:
        options.output.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    show(result)


if __name__ == "__main__":
    main()
