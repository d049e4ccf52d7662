"""Extraction measured on ECB+: gold mentions found at both operating points and at other numbers of mentions.

The paper's figures are reported beside ours, and so is the role labeller alone, as SwiRL is in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import count
from typing import Any

from samevent.corpus import KINDS, Corpus, Kind, Mention
from samevent.experiments.protocols import Part, Split
from samevent.extraction import Extractor, Parsed, extract_by_roles
from samevent.extraction.gold import Ranking, ranking
from samevent.extraction.training import ExtractorSettings, train
from samevent.language.cache import Cache
from samevent.language.resources import Resources
from samevent.preparation import parse

PARTS: tuple[Part, ...] = ("dev", "test")
"""The parts that are measured."""
TRAINING: tuple[Part, ...] = ("train", "dev")
CURVE = (15_000, 20_000, 27_000, 40_000, 53_429)
"""Numbers of event mentions on the test part of `yang2015`; other texts get their share by tokens."""
TEST_TOKENS = 182_617
"""Tokens of that part without URL lines."""

BUDGET: Mapping[Kind, int] = {"action": 53_429, "participant": 43_682, "time": 5_791, "location": 3_836}
"""How many mentions the paper extracted from the test part. Recall is measured on as many, the most probable ones."""

PAPER: Mapping[Part, Mapping[Kind, tuple[float, int | None]]] = {
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

Predicted = list[tuple[Parsed, Sequence[Mention]]]


def trained(
    corpus: Corpus,
    split: Split,
    resources: Resources,
    *,
    jobs: int = 1,
    settings: ExtractorSettings | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Extractor:
    """Train on the train topics of a split; operating points are chosen on its train and dev topics."""
    train_texts, dev_texts = (
        list(parse(split.select(corpus, part), resources.roles, jobs=jobs, cache=Cache()))
        for part in TRAINING
    )
    return train(train_texts, resources, beside=dev_texts, settings=settings, progress=progress)


def measure_extraction(
    corpus: Corpus,
    split: Split,
    extractor: Extractor,
    *,
    jobs: int = 1,
    progress: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """Return recall, balance and the curve of each part, and the role labeller's own figures.

    `progress` is called with the number of documents done.
    """
    figures: dict[str, Any] = {"recall": {}, "balanced": {}, "curve": {}, "roles": {}}
    done = count(1)

    def counted(texts: Iterable[Parsed]) -> Iterator[Parsed]:
        for text in texts:
            yield text
            progress(next(done))

    for part in PARTS:
        documents = split.select(corpus, part)
        texts = parse(documents, extractor.resources.roles, jobs=jobs, cache=Cache())
        for name, measured in measure_part(extractor, counted(texts)).items():
            figures[name][part] = measured
    return figures


def measure_part(extractor: Extractor, texts: Iterable[Parsed]) -> dict[str, Any]:
    """Measure on some documents."""
    predicted: Predicted = [(text, extractor.mentions(text)) for text in texts]
    by_roles: Predicted = [(text, extract_by_roles(*text).mentions) for text, _ in predicted]
    ranked = {kind: _ranked(kind, predicted) for kind in KINDS}
    events, thresholds = ranked["action"], extractor.thresholds
    return {
        "recall": {
            kind: _at(each, int(BUDGET[kind] * each.tokens / TEST_TOKENS))
            | {"at_threshold": _recall(each, thresholds.recall[kind])}
            for kind, each in ranked.items()
        },
        "balanced": {kind: _balance(ranked[kind], thresholds.balanced[kind]) for kind in KINDS},
        "curve": [_at(events, int(size * events.tokens / TEST_TOKENS)) for size in CURVE],
        "roles": {kind: _recall(_ranked(kind, by_roles), 0.0) for kind in KINDS},
    }


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
