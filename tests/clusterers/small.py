"""A small world of events: corpora, a lexicon and a pair model that need no files, and clusterers in a hurry."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from samevent.clusterers import Clustered, Clusterer, Evidence, clusterer
from samevent.corpus import Document
from samevent.language.annotation import Annotation
from samevent.language.wordnet import Pos
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.settings import changed
from samevent.similarity.boosted import AnyPairModel
from samevent.similarity.mentions import Annotated, compile_mentions
from samevent.similarity.model import PairModel
from similarity.tables import VECTORS, SmallLexicon

MODEL = PairModel({"head_lemma": 2.0, "words": 1.5, "context": 1.0, "arg0": 1.0}, {}, -2.5)
"""Links mentions with the same head in about half of the cases."""


class Lexicon(SmallLexicon):
    """Knows a class, a kind and a frame of some words."""

    def classes(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        return {"bomb": ("act",), "raid": ("act",), "kill": ("change",)}.get(word, ())

    def hypernyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        return {"bomb": ("attack", "act"), "raid": ("attack", "act")}.get(word, ())

    def verb(self, word: str, pos: Pos) -> str | None:
        return {"raid": "bomb"}.get(word)

    def frames(self, word: str, pos: Pos) -> tuple[str, ...]:
        return {"bomb": ("Attack",), "raid": ("Attack", "Invade")}.get(word, ())


LEXICON = Lexicon()


def evidence_of(corpus: Sequence[Annotated], model: PairModel | None = MODEL) -> Evidence:
    """Compile a corpus; the model serves every preset, but for `standard` and `best` it is twice as sure."""
    models: dict[str, AnyPairModel] = {}
    if model:
        double = {name: 2 * weight for name, weight in model.weights.items()}
        sure = replace(model, weights=double, intercept=2 * model.intercept)
        models = {"paper": model, "paper-code": model, "light": model, "standard": sure, "best": sure}
    return Evidence(compile_mentions(corpus, lexicon=LEXICON, vectors=VECTORS), models, LEXICON)


def sentence(id: str, words: str, *events: int) -> Annotated:
    """Return a document of one sentence whose words are their own lemmas, with events at these words."""
    document = Document.from_tokens(id, [words.split()])
    count = len(document.tokens)
    annotation = Annotation(
        tags=("NN",) * count,
        pos=tuple("PUNCT" if word == "..." else "NOUN" for word in words.split()),
        lemmas=tuple(words.split()),
        heads=tuple(range(count)),
        labels=("ROOT",) * count,
    )
    return document.with_mentions(document.mention("action", at, at + 1) for at in events), annotation


def in_a_hurry(name: str, *, preset: str = "light", **changes: Any) -> Clusterer:
    """Return a clusterer that runs only a few sweeps, if it runs any."""
    system = clusterer(name, preset=preset)
    few = {"runs": 2, "sweeps": 12} if system.sampled else {}
    return changed(system, few | changes)


def cluster(system: Clusterer, evidence: Evidence, **how: Any) -> Clustered:
    """Cluster without a word about chains that have not settled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return system.cluster(evidence, **how)
