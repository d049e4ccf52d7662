"""Event extraction: a semi-Markov CRF finds events, participants, times and places; roles say who belongs to what.

`load_extractor` opens a trained model, and `Extractor.extract` finds mentions in parsed documents
(`samevent.preparation` parses them).
"""

from samevent.extraction.arguments import Association, Parsed, associate, label_events
from samevent.extraction.by_roles import extract_by_roles
from samevent.extraction.model import (
    CONTEXTUAL_FILE,
    DEFAULT_POINT,
    EXTRACTOR_FILE,
    POINTS,
    Extractor,
    Point,
    load_extractor,
)

__all__ = [
    "CONTEXTUAL_FILE",
    "DEFAULT_POINT",
    "EXTRACTOR_FILE",
    "POINTS",
    "Association",
    "Extractor",
    "Parsed",
    "Point",
    "associate",
    "extract_by_roles",
    "label_events",
    "load_extractor",
]
