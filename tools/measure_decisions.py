"""Measure what trees learn from the decisions of a person about texts that they have not seen.

Topics of a gold corpus are dealt into three parts. The trees of one part are asked about another: the questions that
come first (`partitions.questions`) are answered by the gold events, twenty at a time, each time with the earlier
answers held. Trees learn anew from their part and the decided pairs, and the third part is resolved with them, before
and after; each part plays each role. The trees are those of the preset `light`, which need no encoder, without a second
look. `docs/results/decisions.json` is what `--output` writes, and docs/results.md shows it.
"""

from __future__ import annotations

import argparse
import json
import warnings
from itertools import permutations
from pathlib import Path
from typing import Any, cast

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
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.boosting import BoostingSettings, train_boosted
from samevent.similarity.decided import DecidedPairs
from samevent.similarity.pairs import LabelledMentions
from samevent.training import PAIR_MODEL_SETTINGS, annotated_events, labelled_mentions

PRESET = "light"
SETTINGS = cast(BoostingSettings, PAIR_MODEL_SETTINGS[PRESET])
ROUNDS, ANSWERS = 3, 20


def dealt(corpus: Corpus, seed: int) -> list[Corpus]:
    """Return the documents of three parts of the topics, dealt at random."""
    topics = sorted({str(document.topic) for document in corpus})
    places = (stream(seed, "parts of topics").permutation(len(topics)) % 3).tolist()
    part_of = dict(zip(topics, places, strict=True))
    return [Corpus(d for d in corpus if part_of[str(d.topic)] == part) for part in range(3)]


def annotated(corpus: Corpus, base: Model) -> LabelledMentions:
    """Return the mentions of a part that trees learn from."""
    extractor = base.extractor_of(PRESET)
    texts = parse(events_of(corpus), extractor.resources.roles, cache=base.cache)
    return labelled_mentions(texts, extractor.resources, extractor, events=annotated_events)


def resolved(given: Given, model: BoostedModel, held: PairConstraints = FREE) -> tuple[Evidence, Clustered]:
    """Return the mentions of a part, and which are the same event for a model and a person's answers."""
    evidence = Evidence(given.prepared.table, {PRESET: model}).constrained(held)
    system = cast(Hddcrp, clusterer("hddcrp", preset=PRESET))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return evidence, system.cluster(evidence)


def decisions(given: Given, model: BoostedModel) -> list[DecidedPairs]:
    """Return the pairs that are decided after each round of questions."""
    must: list[tuple[int, int]] = []
    cannot: list[tuple[int, int]] = []
    found, held = [], FREE
    for _ in range(ROUNDS):
        evidence, clustered = resolved(given, model, held)
        gold = given.labels(clustered.ids)
        for asked in questions(clustered.posterior, clustered.labels, most=ANSWERS):
            same = gold[asked.left] == gold[asked.right]
            (must if same else cannot).append((asked.left, asked.right))
        held = PairConstraints.reduced(must, cannot, len(evidence))
        found.append(DecidedPairs.of(given.prepared.table, SETTINGS.blocking, held))
    return found


def conll(given: Given, model: BoostedModel) -> float:
    """Return CoNLL F1 over all documents of a part."""
    _, clustered = resolved(given, model)
    system = given.kept("none").with_clustering(clustered.clustering)
    return scores_of(pair(given.gold, system, unit="corpus")).conll


def measure(corpus: Corpus, base: Model, deal: int) -> list[dict[str, Any]]:
    """Return one row per choice of parts: the score of the third before, and after each round of questions."""
    parts, ignore = dealt(corpus, deal), catch_all(corpus)
    given = [prepare_given(part, base, Work(folder=Path()), ignore=ignore, preset=PRESET) for part in parts]
    data = [annotated(part, base) for part in parts]
    models = [train_boosted(each, settings=SETTINGS) for each in data]
    rows = []
    for learned, reviewed, other in permutations(range(3)):
        row: dict[str, Any] = {"deal": deal, "learned": learned, "reviewed": reviewed}
        row["before"] = conll(given[other], models[learned])
        row["after"] = []
        for decided in decisions(given[reviewed], models[learned]):
            model = train_boosted(
                data[learned],
                settings=SETTINGS,
                more=lambda background, decided=decided: decided.rows(SETTINGS, background),  # type: ignore[misc]
            )
            counts = {"pairs": len(decided), "same": int(decided.same.sum())}
            row["after"].append({**counts, "conll": conll(given[other], model)})
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def main() -> None:
    """Measure, and store if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=DATA / "gvc" / "dev.jsonl", help="a gold corpus with topics"
    )
    parser.add_argument("--deals", type=int, default=2, help="how often topics are dealt into parts")
    parser.add_argument("--output", type=Path, help="file for the figures")
    options = parser.parse_args()
    base, corpus = Model.load("en-news", cache=Cache()), read(options.data)
    rows = [row for deal in range(options.deals) for row in measure(corpus, base, deal)]
    result = {
        "corpus": options.data.name,
        "answers": ANSWERS,
        **provenance(0, {PRESET: repr(SETTINGS)}),
        "rows": rows,
    }
    if options.output:
        options.output.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
