"""The names that the command line offers, importing nothing, so that `--help` answers at once.

Each tuple repeats the keys of a registry that is slow to import; `tests/test_names.py` holds that they are equal.
"""

from __future__ import annotations

CLUSTERERS = (
    "lemma", "agglomerative", "hdp-lex", "hdp-1f", "hdp-flat-lf", "hdp-flat-lf-wf", "hdp-flat-lf-wf-sf", "hdp-struct",
    "ddcrp", "hddcrp-star", "hddcrp",
)  # fmt: skip
PRESETS = ("standard", "best", "light", "paper", "paper-code")
DEFAULT_PRESET = PRESETS[0]
ENCODED_PRESETS = ("standard", "best")
"""Presets that read documents with a contextual encoder."""
VERB_PRESETS = ("paper-code",)
"""Presets that take every verb which the extractor leaves out as an event."""
READABLE = (
    "jsonl", "feed", "ecbplus", "conll2012", "corefud", "brat", "corefi", "tables", "text", "html", "pdf", "docx",
    "mail", "csv", "json", "folder",
)  # fmt: skip
"""Formats of inputs."""
WRITABLE = ("jsonl", "ecbplus", "conll2012", "corefud", "brat", "corefi", "tables", "text")
"""Formats of outputs."""
EXPORTS = {
    "sqlite": "a database with full-text search, as Datasette opens it",
    "parquet": "a folder of Parquet tables (extra tables)",
    "graphml": "the graph of events, documents and entities, for Gephi",
    "graph": "the same graph as JSON, for networkx and D3",
}
"""Formats of outputs that show a result and are not read back."""
KINDS = ("action", "participant", "time", "location")
POINTS = ("precise", "balanced", "recall")
DEFAULT_POINT = POINTS[0]
"""Operating points of the extractor."""
UNITS = ("document", "subtopic", "topic", "corpus")
FILTERS = ("none", "exact", "head", "overlap")
SINGLETONS = ("keep", "drop", "drop-gold")
METRICS = ("muc", "bcubed", "ceafe", "ceafm", "blanc", "lea", "mentions")
SPLITS = ("yang2015", "cybulska")
PROTOCOLS = ("yang2015", "cybulska", "realistic")
