"""A small ECB+: a few documents in the dev and test topics of `yang2015`, and systems in a hurry."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from samevent.corpus import Corpus, Document
from samevent.experiments.ecbplus import Plan
from samevent.experiments.protocols import TASKS
from samevent.experiments.work import Work

TOPICS = {
    "23": (("bombed", "Sudan"), ("raid", "Khartoum")),
    "24": (("stole", "Robbers"), ("heist", "Paris")),
    "25": (("placed", "Saints"), ("signed", "Giants")),
}
BORROWED = {"26": "23", "27": "24", "28": "25"}
"""Test topics, and the topics whose words they use."""


def report(topic: str, subtopic: str, number: int) -> Document:
    """Return a document with two events of its topic, one of them told twice, and one that stands in no chain."""
    (first, who), (second, where) = TOPICS[BORROWED.get(topic, topic)]
    document = Document.from_tokens(
        f"{topic}_{number}{subtopic}",
        [
            [who, first, "the", "town", "on", "Monday", "."],
            ["The", second, "in", where, "shocked", "people", "."],
            ["They", first, "it", "again", "."],
        ],
        topic=topic,
        subtopic=subtopic,
    )
    event = f"{topic}{subtopic}"
    return document.with_mentions(
        [
            document.mention("action", 1, 2, event=f"{event}-1"),
            document.mention("action", 8, 9, event=f"{event}-2"),
            document.mention("action", 11, 12),
            document.mention("action", 15, 16, event=f"{event}-1"),
            document.mention("participant", 0, 1, event=f"{event}-who"),
        ]
    )


def reports(topics: Iterable[str] = TOPICS) -> Corpus:
    """Return two documents for each sub-topic."""
    return Corpus(
        report(topic, subtopic, number)
        for topic in topics
        for subtopic in ("ecb", "ecbplus")
        for number in (1, 2)
    )


def hasty(**fields: Any) -> Plan:
    """Return a plan of few sweeps with the shipped model on gold mentions of the dev part."""
    given: dict[str, Any] = {
        "task": TASKS["yang2015"],
        "part": "dev",
        "mentions": ("gold",),
        "clusterers": ("lemma", "agglomerative", "hddcrp"),
        "model": "en-news",
        "changes": {"runs": 2, "sweeps": 10},
    }
    return Plan(**given | fields)


def work_in(folder: Path, **fields: Any) -> Work:
    """Return a place to work in."""
    return Work(folder=folder / "work", **fields)
