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
from samevent.corpus.reference import SOURCES, Entity, Quantity, Reference, Source, When, Where

__all__ = [
    "EVENT_CLASSES",
    "KINDS",
    "MATCHES",
    "SOURCES",
    "UNITS",
    "Argument",
    "Clustering",
    "Corpus",
    "Document",
    "Entity",
    "EventClass",
    "Kind",
    "Match",
    "Mention",
    "Quantity",
    "Reference",
    "Sentence",
    "Source",
    "Token",
    "Unit",
    "When",
    "Where",
    "matching",
    "mention_id",
    "unit_of",
]
