"""Which mentions tell of the same event, within a document and across documents.

    corpus = samevent.read("news/")
    result = samevent.Model.load("en-news").resolve(corpus, seed=7)
    result.to_html("report.html")
    samevent.write(result, "news.conll", unit="corpus")
    samevent.score(gold, result.clustering, unit="document").conll
    samevent.hddcrp.fit(problem, seed=7)

Names are imported when first used, so that `import samevent` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samevent.corpus import Argument, Clustering, Corpus, Document, Mention, Sentence, Token
    from samevent.errors import (
        CorpusError,
        DataError,
        FormatError,
        OutputExistsError,
        SameventError,
        UsageError,
    )
    from samevent.formats import read, write
    from samevent.model import Model, Options
    from samevent.results import Event, Result
    from samevent.scoring import Scores, score

__version__ = "0.1.0"

_HOMES = {
    "corpus": ("Argument", "Clustering", "Corpus", "Document", "Mention", "Sentence", "Token"),
    "errors": ("CorpusError", "DataError", "FormatError", "OutputExistsError", "SameventError", "UsageError"),
    "formats": ("read", "write"),
    "model": ("Model", "Options"),
    "results": ("Event", "Result"),
    "scoring": ("Scores", "score"),
}

__all__ = [
    "Argument",
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
    "score",
    "write",
]


_ROOMS = ("hddcrp",)
"""Subpackages that people use as they are."""


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"samevent.{name}")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"samevent.{home}"), name)
    raise AttributeError(f"module 'samevent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
