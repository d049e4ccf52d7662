"""The example of the paper's discussion: *unveiled* and *announced* refer to one event, the new MacBook Pro.

The two sentences that the paper quotes stand in small documents of our own, beside one about something else that is
announced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from samevent.clusterers import clusterer
from samevent.corpus import Corpus, Document
from samevent.model import Model

TEXTS = {
    "keynote": "Apple's Phil Schiller unveiled a revamped MacBook Pro today in San Francisco. The new 13-inch MacBook "
    "Pro has a Retina display and starts at $1,699. Schiller said the laptop is the second best selling Mac.",
    "lineup": "This notebook isn't the only laptop Apple announced for the MacBook Pro lineup today. The 13-inch "
    "MacBook Pro now comes with a Retina display. Apple also showed a smaller iPad at the event in San Francisco.",
    "storm": "A storm hit the coast of Norway on Monday. The police announced that the bridge would stay closed.",
}
FIRST, SECOND = ("keynote", "unveiled"), ("lineup", "announced")
"""The two mentions that are one event."""
SYSTEMS = (("paper", "agglomerative"), ("paper", "hdp-lex"), ("paper", "hddcrp"), ("standard", "hddcrp"))
"""The paper's two that fail, the paper's model, and the default."""

Place = tuple[str, str]


def documents() -> Corpus:
    """Return the documents, without mentions."""
    return Corpus(Document.from_text(id, text) for id, text in TEXTS.items())


def measure_discussion(model: Model, systems: Sequence[tuple[str, str]] = SYSTEMS) -> dict[str, Any]:
    """Cluster the same extracted mentions with several systems, and return the events of several mentions."""
    extracted = model.extract(documents())
    place: dict[str, Place] = {m.id: (m.document, m.text) for m in extracted.mentions("action")}
    rows = []
    for preset, name in systems:
        clustering = model.cluster(extracted, clusterer(name, preset=preset)).clustering
        groups = [sorted(place[id] for id in members) for members in clustering if len(members) > 1]
        rows.append(
            {
                "preset": preset,
                "clusterer": name,
                "events": [[f"{word} ({document})" for document, word in group] for group in groups],
                "joined": any(FIRST in group and SECOND in group for group in groups),
            }
        )
    return {"texts": TEXTS, "mentions": sorted(map(list, place.values())), "systems": rows}
