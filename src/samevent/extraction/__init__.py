"""Event extraction: a semi-Markov CRF finds events, participants, times and places; roles say who belongs to what.

`parsed` reads documents, `load_extractor` opens a trained model, and `Extractor.extract` does the rest.
"""

from samevent.extraction.arguments import Association, associate, label_events
from samevent.extraction.by_roles import extract_by_roles
from samevent.extraction.model import EXTRACTOR_FILE, POINTS, Extractor, Point, load_extractor
from samevent.extraction.parsed import Parsed, parsed

__all__ = [
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
    "parsed",
]
