"""A small result written by hand: four documents on a raid and what came of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from samevent.corpus import Argument, Corpus, Document, Kind, Mention
from samevent.report import page
from samevent.results import Diagnostics, Result

KINDS: dict[str, Kind] = {"p": "participant", "t": "time", "l": "location"}

STORIES = {
    "reuters": (
        "Sudan bombs refugee camp",
        "2011-11-10",
        "[Sudan|p] <bombed|raid> [a refugee camp|l] in [Yida|l] on [Thursday|t] . [Witnesses|p] <said|said> "
        "at least [twelve people|p] were <killed|kill> in [the camp|l] . The <raid|raid> was <condemned|condemn> by "
        "[the United States|p] .",
    ),
    "bbc": (
        "Air raid on South Sudan camp",
        "2011-11-11",
        "[Aircraft|p] <dropped|raid> bombs on [Yida|l] on [Thursday|t] . [The United Nations|p] <confirmed|confirm> "
        "the <attack|raid> , in which [a dozen people|p] <died|kill> .",
    ),
    "white-house": (
        None,
        "2011-11-11",
        "[The White House|p] strongly <condemned|condemn> the aerial <bombardment|raid> . [It|p] <called|call> "
        "on [Khartoum|p] to <halt|halt> its attacks .",
    ),
    "letter": (
        "A letter without a date",
        None,
        "We still <mourn|mourn> those who were <killed|kill> , and the <strike|raid> is not forgotten .",
    ),
}

SURE = {"strike": 0.38, "bombardment": 0.81, "dropped": 0.64}
"""Mentions that belong to their event with less certainty; the others have 0.95."""

ABOUT = {
    "version": "0.1.0",
    "preset": "default",
    "seed": 7,
    "settings": {"alpha_within": 1.0, "hddcrp": {"runs": 2, "sweeps": 40}},
    "resumed": False,
}

TRACES = {
    "log joint": [[-900.0 + 8 * min(s, 20) for s in range(40)], [-950.0 + 9 * min(s, 22) for s in range(40)]],
    "events": [[12.0 - s // 8 for s in range(40)], [11.0 - s // 10 for s in range(40)]],
}

SPLIT_BYTES = len(page(Result(Corpus([]))).encode()) + 45_000
"""A limit at which dozens of documents do not fit on one page beside its scripts and styles."""


def annotated(id: str, words: str, **fields: Any) -> Document:
    """Build a document from words in which `<raid|e1>` is a mention of event e1 and `[Sudan|p]` a participant.

    Every event mention takes the arguments of its sentence; `.` ends one.
    """
    pieces = [m.groups() for m in re.finditer(r"<([^|>]*)\|([^>]*)>|\[([^|\]]*)\|(\w)\]|([^ ]+)", words)]
    sentences: list[list[str]] = [[]]
    spans: list[tuple[int, int, str | None, str | None]] = []
    count = 0
    for trigger, event, filler, kind, word in pieces:
        text = (trigger or filler or word).split(" ")
        if not word:
            spans.append((count, count + len(text), event, kind))
        sentences[-1] += text
        count += len(text)
        if word == ".":
            sentences.append([])
    document = Document.from_tokens(id, [s for s in sentences if s], **fields)
    fillers = [document.mention(KINDS[k], a, b) for a, b, _, k in spans if k is not None]
    actions = [_action(document, a, b, e, fillers) for a, b, e, _ in spans if e is not None]
    return document.with_mentions([*fillers, *actions])


def _action(document: Document, start: int, end: int, event: str, fillers: list[Mention]) -> Mention:
    home = document.sentence_of(start)
    near = [filler for filler in fillers if document.sentence_of(filler.start) == home]
    roles = {"participant": "ARG0", "time": "AM-TMP", "location": None}
    arguments = [
        Argument(f.id, "ARG1" if f.start > start and f.kind == "participant" else roles[f.kind]) for f in near
    ]
    return document.mention("action", start, end, event=event, arguments=arguments)


def with_reasons(documents: list[Document], sure: Mapping[str, float] = SURE) -> Corpus:
    """Number the events, and give the mentions of events with several a probability and a reason each."""
    corpus = Corpus(documents)
    corpus = corpus.with_clustering(corpus.clustering())
    events: dict[str, list[Mention]] = {}
    for mention in corpus.mentions("action"):
        events.setdefault(str(mention.event), []).append(mention)

    def known(mention: Mention, document: Document) -> Mention:
        others = [m for m in events.get(str(mention.event), []) if m.id != mention.id]
        if mention.kind != "action" or not others:
            return mention
        closest = others[0]
        same = 2.1 if closest.text == mention.text else -0.9
        reasons = [
            ["heads with the same lemma", same],
            ["arguments in common (Yida)", 0.8],
            ["different times", -0.3],
        ]
        why = {"mention": closest.id, "similarity": 0.7, "probability": 0.93, "reasons": reasons}
        extra: dict[str, Any] = {"event_probability": sure.get(mention.text, 0.95), "why": why}
        if mention.id == events[str(mention.event)][0].id:
            extra["event_belief"] = belief(events[str(mention.event)], sure)
        return document.mention(
            mention.kind,
            mention.start,
            mention.end,
            event=mention.event,
            arguments=mention.arguments,
            extra=extra,
        )

    return corpus.mapped(lambda d: d.with_mentions(known(m, d) for m in d.mentions))


def belief(members: list[Mention], sure: Mapping[str, float]) -> dict[str, Any]:
    """Return how probable it is that an event is one, and the least sure members as an alternative."""
    doubtful = [m.id for m in members if sure.get(m.text, 0.95) < 0.7]
    whole = min(sure.get(m.text, 0.95) for m in members)
    if not doubtful or len(members) < 3:
        return {"probability": whole}
    return {"probability": whole, "alternative": {"mentions": doubtful, "probability": 1 - whole}}


def small_result(**changes: Any) -> Result:
    """Return the result; what is given takes the place of a part of it."""
    documents = [annotated(id, words, title=title, date=date) for id, (title, date, words) in STORIES.items()]
    parts: dict[str, Any] = {
        "corpus": with_reasons(documents),
        "about": ABOUT,
        "diagnostics": Diagnostics("All runs agree: the sampler has settled.", TRACES),
    }
    return Result.from_corpus(**(parts | changes))
