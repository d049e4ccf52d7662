"""The pair model measured on ECB+: how well it tells same from different events, pair by pair, on given mentions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from samevent.corpus import Corpus, Document, Kind
from samevent.experiments.protocols import Part, Split
from samevent.extraction import Extractor, Parsed, associate, label_events
from samevent.formats.files import refuse_existing
from samevent.language.annotate import annotate
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache
from samevent.language.resources import Resources
from samevent.similarity.bags import Booleans, Floats
from samevent.similarity.documents import similar_documents
from samevent.similarity.labelled import Labelled, labelled
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import Pairs, across_documents, within_documents
from samevent.similarity.training import Settings, Trained, train

PAPER_WEIGHTS: Mapping[str, float] = {
    "head_vector": 4.5,
    "head_word": 2.77,
    "context": 1.75,
    "synonyms": 1.56,
    "words": 1.17,
    "arg1": 1.10,
    "arg0": 0.89,
    "participants": 0.68,
}
"""The weights that the paper prints, under our names."""

AddArguments = Callable[[Document, Annotation], Document]
Progress = Callable[[str], None]


def measure_pairs(
    corpus: Corpus,
    resources: Resources,
    *,
    split: Split,
    parts: Sequence[Part] = ("dev", "test"),
    settings: Settings | None = None,
    add_arguments: AddArguments | None = None,
    cache: Cache | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train on the train topics of a split and measure on others; C is chosen out of fold over train and dev.

    Mentions are the given actions that belong to an event. `add_arguments` gives events their arguments;
    without it they are found among the given participants, times and locations.
    """
    settings, tell = settings or Settings(), progress or (lambda _: None)

    def read(*names: Part) -> Labelled:
        documents = [document for document in corpus if split.part_of(document) in names]
        tell(f"reading the {len(documents)} documents of {' and '.join(names)}")
        return read_labelled(documents, resources, add_arguments=add_arguments, cache=cache, jobs=jobs)

    trained = train(read("train", "dev"), learn=split.train, settings=settings, progress=progress)
    measured = {part: measure_part(read(part), trained.model, settings) for part in parts}
    return measured | _described(trained)


def train_file(
    documents: Iterable[Document],
    output: Path,
    extractor: Extractor,
    *,
    learn: Collection[str] | None = None,
    settings: Settings | None = None,
    cache: Cache | None = None,
    jobs: int = 1,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Trained:
    """Train on documents with events, whose arguments the extractor finds, and write the pair model.

    `learn` names the topics to learn from; the others only help to choose C.
    """
    refuse_existing(output, overwrite=overwrite)
    add = predicted_arguments(extractor)
    data = read_labelled(documents, extractor.resources, add_arguments=add, cache=cache, jobs=jobs)
    trained = train(data, learn=learn, settings=settings, progress=progress)
    trained.model.save(output, overwrite=overwrite)
    return trained


def read_labelled(
    documents: Iterable[Document],
    resources: Resources,
    *,
    add_arguments: AddArguments | None = None,
    cache: Cache | None = None,
    jobs: int = 1,
) -> Labelled:
    """Parse documents, give their events arguments, and compile those that belong to an event."""
    add = add_arguments or arguments_by_roles(resources)
    annotated = annotate(map(given_events, documents), cache=cache, jobs=jobs)
    ready = [(add(document, annotation), annotation) for document, annotation in annotated]
    return labelled(ready, lexicon=resources.lexicon, vectors=resources.vectors)


def measure_part(
    data: Labelled, model: PairModel, settings: Settings
) -> dict[str, dict[str, float | int | None]]:
    """Score the pairs of each kind: within a document, across similar documents, across documents of a topic.

    Same and other lemmas divide the pairs within documents and across documents of a topic.
    """
    table = data.table
    within = within_documents(table)
    similar = across_documents(table, *similar_documents(table, settings.document_threshold))
    d, e = np.tril_indices(len(table.documents), -1)
    topical = data.topic[d] == data.topic[e]
    across = across_documents(table, d[topical], e[topical])
    near = Pairs.joined([within, across])
    same_lemma = near.agree(table.heads.lemma[table.head])
    kinds = {
        "within": within,
        "across_similar": similar,
        "across_topic": across,
        "same_lemma": near[same_lemma],
        "other_lemma": near[~same_lemma],
    }
    return {
        name: quality(
            model.probability(table, pairs.i, pairs.j), data.same(pairs), settings.minimum_similarity
        )
        for name, pairs in kinds.items()
    }


def quality(probability: Floats, same: Booleans, minimum: float) -> dict[str, float | int | None]:
    """Return precision, recall and F1 of what reaches the minimum, and the area under the ROC curve.

    >>> quality(np.array([0.9, 0.6, 0.1]), np.array([True, False, False]), 0.5)["precision"]
    0.5
    """
    linked = probability >= minimum
    right, said, true = int((linked & same).sum()), int(linked.sum()), int(same.sum())
    return {
        "precision": right / said if said else 0.0,
        "recall": right / true if true else 0.0,
        "f1": 2 * right / (said + true) if said + true else 0.0,
        "auc": float(roc_auc_score(same, probability)) if 0 < true < len(same) else None,
        "pairs": len(same),
        "same": true,
    }


def given_events(document: Document) -> Document:
    """Return the document without actions that belong to no event."""
    return document.with_mentions(m for m in document.mentions if m.kind != "action" or m.event is not None)


def arguments_by_roles(resources: Resources) -> AddArguments:
    """Return what gives events their arguments by semantic roles, among the argument mentions that are there."""

    def add(document: Document, annotation: Annotation) -> Document:
        return associate(document, annotation, label_events(resources.roles, document, annotation))

    return add


def predicted_arguments(extractor: Extractor) -> AddArguments:
    """Return what gives events their arguments among participants, times and places that an extractor finds."""
    kinds: tuple[Kind, ...] = ("participant", "time", "location")

    def add(document: Document, annotation: Annotation) -> Document:
        predicates = extractor.resources.roles.label(document, annotation)
        return extractor.extract(Parsed(document, annotation, predicates), kinds=kinds)

    return add


def _described(trained: Trained) -> dict[str, Any]:
    """Return what was learned, and how, as plain values."""
    model, report = trained.model, trained.report
    return {
        "weights": dict(model.weights),
        "tag_weights": {" ".join(pair): weight for pair, weight in model.tag_weights.items()},
        "intercept": model.intercept,
        "C": report.penalty,
        "trials": [asdict(trial) | {"log_loss": trial.log_loss} for trial in report.trials],
        "training": {"pairs": report.pairs, "same": report.same},
        "links_per_mention": report.links_per_mention,
        "calibration": asdict(report.calibration),
        "paper_weights": dict(PAPER_WEIGHTS),
    }
