"""Documents, mentions and clusterings: frozen values, standard library only."""

from samevent.corpus.clustering import Clustering
from samevent.corpus.corpus import UNITS, Corpus, Unit, unit_of
from samevent.corpus.document import Document, Sentence, Token
from samevent.corpus.mention import (
    EVENT_CLASSES,
    KINDS,
    MATCHES,
    Argument,
    EventClass,
    Kind,
    Match,
    Mention,
    matching,
    mention_id,
)

__all__ = [
    "EVENT_CLASSES",
    "KINDS",
    "MATCHES",
    "UNITS",
    "Argument",
    "Clustering",
    "Corpus",
    "Document",
    "EventClass",
    "Kind",
    "Match",
    "Mention",
    "Sentence",
    "Token",
    "Unit",
    "matching",
    "mention_id",
    "unit_of",
]
