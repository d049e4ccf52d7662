"""Find which mentions refer to the same event, within a document and across documents.

    result = samevent.resolve("news/", seed=7)
    result.to_html("report.html")
    samevent.write(result, "news.conll", unit="corpus")
    samevent.score(gold, result.clustering, unit="document").conll
    samevent.hddcrp.fit(problem, seed=7)

Names are imported when they are first used, so that `import samevent` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samevent.corpus import Argument, Clustering, Corpus, Document, Mention, Sentence, Token
    from samevent.errors import (
        ClusterError,
        CorpusError,
        DataError,
        FormatError,
        OutputExistsError,
        SameventError,
        UsageError,
    )
    from samevent.exports import write
    from samevent.formats import read
    from samevent.model import Model, Options, resolve
    from samevent.results import Event, Result
    from samevent.scoring import Scores, score

__version__ = "0.1.0"

__all__ = [
    "Argument",
    "ClusterError",
    "Clustering",
    "Corpus",
    "CorpusError",
    "DataError",
    "Document",
    "Event",
    "FormatError",
    "Mention",
    "Model",
    "Options",
    "OutputExistsError",
    "Result",
    "SameventError",
    "Scores",
    "Sentence",
    "Token",
    "UsageError",
    "read",
    "resolve",
    "score",
    "write",
]

_HOMES = ("errors", "corpus", "formats", "scoring", "results", "model")
"""The modules that the names above come from, the quickest to import first."""
_SUBPACKAGES = ("hddcrp",)
"""Subpackages that can be used without importing them first."""


def __getattr__(name: str) -> object:
    if name in _SUBPACKAGES:
        return import_module(f"samevent.{name}")
    if name == "write":  # of exports, which know the formats too
        return import_module("samevent.exports").write
    if name in __all__:
        for home in _HOMES:
            if hasattr(module := import_module(f"samevent.{home}"), name):
                return getattr(module, name)
    raise AttributeError(f"module 'samevent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
