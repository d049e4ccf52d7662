"""Extraction measured on ECB+: gold mentions found at the operating points and at other numbers of mentions; classes.

The paper's figures are reported beside ours, and so is the role labeller alone, as SwiRL is in the paper. Figures *out
of fold* are those of extractors that were trained on other topics of the train and dev parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from samevent.corpus import EVENT_CLASSES, KINDS, Corpus, Kind, Mention
from samevent.experiments.protocols import Part, Split
from samevent.extraction import POINTS, Extractor, Parsed, extract_by_roles
from samevent.extraction.classes import is_negated
from samevent.extraction.gold import Ranking, head_of, length_limits, ranking
from samevent.extraction.model import Thresholds, is_empty
from samevent.extraction.training import (
    ExtractorSettings,
    HeldOut,
    cross_fit,
    fit,
    prepare_examples,
    rankings,
    thresholds_of,
)
from samevent.language.cache import Cache
from samevent.language.encoder import Encoder
from samevent.language.resources import Resources
from samevent.preparation import Read, parse, read_with, tagged, with_states
from samevent.training import cross_fitted

OUT_OF_FOLD = "out of fold"
PARTS: tuple[Part, ...] = ("dev", "test")
"""The parts that are measured with one extractor."""
TRAINING: tuple[Part, ...] = ("train", "dev")
CURVE = (15_000, 20_000, 27_000, 40_000, 53_429)
"""Numbers of event mentions on the test part of `yang2015`; other texts get their share by tokens."""
TEST_TOKENS = 182_617
"""Tokens of that part without URL lines."""

BUDGET: Mapping[Kind, int] = {"action": 53_429, "participant": 43_682, "time": 5_791, "location": 3_836}
"""How many mentions the paper extracted from the test part. Recall is measured on as many, the most probable ones."""

PAPER: Mapping[str, Mapping[Kind, tuple[float, int | None]]] = {
    "dev": {
        "action": (0.95, None),
        "participant": (0.90, None),
        "time": (0.94, None),
        "location": (0.74, None),
    },
    "test": {
        "action": (0.935, BUDGET["action"]),
        "participant": (0.890, BUDGET["participant"]),
        "time": (0.950, BUDGET["time"]),
        "location": (0.728, BUDGET["location"]),
    },
}
"""Head recall, and the number of mentions extracted where the paper reports it (its Section 5)."""
SWIRL: Mapping[Kind, float] = {"action": 0.56, "participant": 0.76, "time": 0.65, "location": 0.13}
"""Head recall on dev of the role labeller that the paper compares with."""

EMPTY_WORDS = frozenset(
    "be have do it that this which what one thing get go make take come can will would could should may might must "
    "use let seem way there something anything".split()
)
"""Thirty lemmas that mean little as an event: auxiliaries, pronouns, light verbs."""

Predicted = list[tuple[Parsed, Sequence[Mention]]]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An extractor to measure, what reads each part with its encoder, and documents with extractors of other folds."""

    extractor: Extractor
    read: Mapping[Part, Read]
    held_out: Sequence[HeldOut] = ()


def trained(
    corpus: Corpus,
    split: Split,
    resources: Resources,
    *,
    encoders: Path | None = None,
    jobs: int = 1,
    settings: ExtractorSettings | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Candidate:
    """Train on the train topics of a split; operating points are chosen on its train and dev topics, out of fold.

    With the work folder of an encoder that was trained on the same topics, the extractor is contextual.
    """
    settings = settings or ExtractorSettings()
    parts = [
        list(parse(split.select(corpus, part), resources.roles, jobs=jobs, cache=Cache()))
        for part in TRAINING
    ]
    read: dict[Part, Read] = {}
    if encoders:
        fitted = cross_fitted(encoders, [text.document for texts in parts for text in texts], cache=Cache())
        parts = [list(with_states(texts, fitted.read, jobs=jobs)) for texts in parts]
        read = {"dev": fitted.read, "test": read_with(Encoder(encoders / "model"), Cache())}
    train_texts, dev_texts = parts
    limits = length_limits(text.document for text in train_texts)
    held_out = list(cross_fit([*train_texts, *dev_texts], resources, limits, settings, progress))
    thresholds = thresholds_of(rankings(held_out), settings)
    examples = prepare_examples(train_texts, resources, limits, settings)
    return Candidate(fit(examples, resources, limits, settings, thresholds, progress), read, held_out)


def measure_extraction(
    corpus: Corpus,
    split: Split,
    candidate: Candidate,
    *,
    jobs: int = 1,
    progress: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """Return the figures of `measure_part` by part: out of fold if there are such, dev and test.

    `progress` is called with the number of documents done.
    """
    extractor, done = candidate.extractor, count(1)

    def held_out(part: Part) -> Iterator[HeldOut]:
        texts = parse(split.select(corpus, part), extractor.resources.roles, jobs=jobs, cache=Cache())
        if extractor.contextual:
            texts = tagged(texts, candidate.read[part], extractor.tagger, jobs=jobs)
        for text in texts:
            yield HeldOut(text, extractor)
            progress(next(done))

    parts: dict[str, Iterable[HeldOut]] = {OUT_OF_FOLD: candidate.held_out} if candidate.held_out else {}
    parts |= {part: held_out(part) for part in PARTS}
    return {name: measure_part(texts, extractor.thresholds) for name, texts in parts.items()}


def measure_part(held_out: Iterable[HeldOut], thresholds: Thresholds) -> dict[str, Any]:
    """Measure documents, each with the extractor that is to find their mentions."""
    held_out = list(held_out)
    predicted: Predicted = [(text, extractor.mentions(text)) for text, extractor in held_out]
    by_roles: Predicted = [(text, extract_by_roles(*text[:3]).mentions) for text, _ in held_out]
    ranked = {kind: _ranked(kind, predicted) for kind in KINDS}
    events = ranked["action"]
    full: Predicted = [
        (text, [m for m in found if not is_empty(text.annotation, head_of(m, text.annotation))])
        for text, found in predicted
    ]
    return {
        "recall": {
            kind: _at(each, int(BUDGET[kind] * each.tokens / TEST_TOKENS))
            | {"at_threshold": _recall(each, thresholds.recall[kind])}
            for kind, each in ranked.items()
        },
        "points": {
            point: {
                kind: _balance(
                    _ranked(kind, full) if (point, kind) == ("precise", "action") else ranked[kind],
                    thresholds.at(point)[kind],
                )
                for kind in KINDS
            }
            for point in POINTS
        },
        "empty_words": {
            point: _empty_words(full if point == "precise" else predicted, thresholds.at(point)["action"])
            for point in POINTS
        },
        "curve": [_at(events, int(size * events.tokens / TEST_TOKENS)) for size in CURVE],
        "roles": {kind: _recall(_ranked(kind, by_roles), 0.0) for kind in KINDS},
        "classes": measure_classes(held_out),
    }


def measure_classes(held_out: Iterable[HeldOut]) -> dict[str, Any]:
    """Return the accuracy of the classes of gold actions, and the F1 of each class and of negation."""
    truth: list[str] = []
    said: list[str] = []
    negated: list[tuple[bool, bool]] = []
    for text, extractor in held_out:
        gold = [m for m in text.document.mentions if m.event_class is not None]
        heads = [head_of(m, text.annotation) for m in gold]
        if not gold:
            continue
        best = extractor.class_probabilities(extractor.features(text), heads).argmax(axis=1).tolist()
        truth += [str(m.event_class) for m in gold]
        said += [EVENT_CLASSES[number] for number in best]
        negated += [
            (m.negated, is_negated(text.document, text.annotation, head))
            for m, head in zip(gold, heads, strict=True)
        ]
    right = Counter(a for a, b in zip(truth, said, strict=True) if a == b)
    sizes, answers = Counter(truth), Counter(said)
    both = sum(a and b for a, b in negated)
    return {
        "accuracy": sum(right.values()) / max(1, len(truth)),
        "most_common": max(sizes.values(), default=0) / max(1, len(truth)),
        "count": len(truth),
        "f1": {name: _f1(right[name], sizes[name], answers[name]) for name in EVENT_CLASSES},
        "negated": _f1(both, sum(a for a, _ in negated), sum(b for _, b in negated)),
    }


def _f1(right: int, gold: int, answers: int) -> float:
    return 2 * right / max(1, gold + answers)


def _empty_words(predicted: Predicted, threshold: float) -> dict[str, float]:
    """Return the share of events whose head is one of `EMPTY_WORDS`, and the number of events."""
    lemmas = [
        text.annotation.lemmas[head_of(m, text.annotation)].lower()
        for text, mentions in predicted
        for m in mentions
        if m.kind == "action" and (m.probability or 0) >= threshold
    ]
    empty = sum(lemma in EMPTY_WORDS for lemma in lemmas)
    return {"share": empty / max(1, len(lemmas)), "events": len(lemmas)}


def _ranked(kind: Kind, predicted: Iterable[tuple[Parsed, Sequence[Mention]]]) -> Ranking:
    return ranking(kind, ((text.document, text.annotation, mentions) for text, mentions in predicted))


def _recall(ranked: Ranking, threshold: float) -> dict[str, float]:
    return _at(ranked, int((ranked.probability >= threshold).sum()))


def _at(ranked: Ranking, count: int) -> dict[str, float]:
    head, exact = ranked.recall(count)
    return {"head_recall": head, "exact_recall": exact, "count": min(count, len(ranked.probability))}


def _balance(ranked: Ranking, threshold: float) -> dict[str, Any]:
    head, exact = ranked.balance(threshold)
    return asdict(head) | {"exact": asdict(exact)}
