"""Small corpora built by hand, and hypothesis strategies for arbitrary ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from samevent.corpus import (
    EVENT_CLASSES,
    KINDS,
    SOURCES,
    Argument,
    Corpus,
    Document,
    Entity,
    Mention,
    Quantity,
    Reference,
    When,
    Where,
)

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).parents[2] / "shared" / "data")


def needs_data(*parts: str) -> pytest.MarkDecorator:
    """Mark a test that reads the data folder; without the folder it is skipped, and says so."""
    path = DATA.joinpath(*parts)
    return pytest.mark.skipif(not path.exists(), reason=f"needs {path} (set SAMEVENT_DATA)")


FULL_REFERENCE = Reference(
    When("2031-03-04", "2031-03-05"),
    Where("Yida", 7, ("Sudan",)),
    (Quantity(10, 10, "person"),),
    Entity("e1", "Ann"),
)


def document(
    id: str = "d1", words: str = "Sudan bombs Yida . The raid killed ten .", **fields: Any
) -> Document:
    """Build a document from words with spaces between them; a full stop ends a sentence."""
    sentences: list[list[str]] = [[]]
    for word in words.split(" "):
        sentences[-1].append(word)
        if word == ".":
            sentences.append([])
    return Document.from_tokens(id, [s for s in sentences if s], **fields)


def annotated(id: str = "d1", **fields: Any) -> Document:
    """Build a document with events, arguments, a head, a tag and a discontinuous mention."""
    d = document(id, "Sudan bombs Yida . The raid on Thursday killed ten people off .", **fields)
    sudan = d.mention("participant", 0, 1, event="sudan", tag="HUMAN_PART_GPE", head=0)
    yida = d.mention("location", 2, 3, tag="LOC_GEO", head=2)
    thursday = d.mention("time", 7, 8, tag="TIME_DATE")
    arguments = [Argument(sudan.id, "ARG0"), Argument(yida.id)]
    mentions = [
        d.mention(
            "action",
            1,
            2,
            event="raid",
            tag="ACTION_OCCURRENCE",
            event_class="occurrence",
            head=1,
            arguments=arguments,
            probability=0.75,
        ),
        d.mention(
            "action",
            5,
            6,
            event="raid",
            tag="ACTION_OCCURRENCE",
            event_class="occurrence",
            arguments=[Argument(thursday.id, "AM-TMP")],
        ),
        d.mention(
            "action",
            8,
            12,
            event=f"kill {id}",
            tokens=(8, 11),
            tag="NEG_ACTION_OCCURRENCE",
            event_class="occurrence",
            negated=True,
            head=8,
        ),
    ]
    return d.with_mentions([sudan, yida, thursday, *mentions])


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)
"""Words that every format can hold: no white space, no control characters."""


def event_fields(m: Mention) -> st.SearchStrategy[dict[str, Any]]:
    """Draw what only actions have."""
    if m.kind != "action":
        return st.just({})
    classes = st.none() | st.sampled_from(EVENT_CLASSES)
    return st.fixed_dictionaries({"event_class": classes, "negated": st.booleans()})


@st.composite
def corpora(draw: st.DrawFn, *, words: st.SearchStrategy[str] = WORDS, gaps: bool = True) -> Corpus:
    """Draw a corpus of one to three documents with mentions of all kinds and events across documents.

    No two mentions of one kind and document share a covering span.
    """
    documents = []
    for i in range(draw(st.integers(1, 3))):
        sentences = draw(st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=4))
        base = Document.from_tokens(
            f"doc-{i}",
            sentences,
            topic=draw(st.sampled_from(["1", "2"])),
            subtopic=draw(st.sampled_from(["ecb", "ecbplus"])),
        )
        documents.append(base.with_mentions(draw(_mentions(base, gaps=gaps))))
    return Corpus(documents)


@st.composite
def _mentions(draw: st.DrawFn, base: Document, *, gaps: bool) -> list[Mention]:
    seen: set[tuple[int, int, str]] = set()
    mentions = []
    for _ in range(draw(st.integers(0, 8))):
        sentence = draw(st.sampled_from(base.sentences))
        start = draw(st.integers(sentence.start, sentence.end - 1))
        end = draw(st.integers(start + 1, sentence.end))
        kind = draw(st.sampled_from(KINDS))
        if (start, end, kind) in seen:
            continue
        seen.add((start, end, kind))
        inner = draw(st.sets(st.integers(start, end - 1))) if gaps else set(range(start, end))
        event = draw(st.none() | st.sampled_from([f"{kind}-1", f"{kind}-2", f"{kind}-3"]))
        mentions.append(base.mention(kind, start, end, tokens={start, end - 1} | inner, event=event))
    return mentions


@st.composite
def references(draw: st.DrawFn, mention: Mention) -> Reference | None:
    """Draw what a mention may refer to."""
    names = st.text('Ab é,("', min_size=1, max_size=4)
    days = st.dates().map(lambda day: day.isoformat())
    source = draw(st.none() | st.sampled_from(SOURCES)) if mention.kind == "action" else None
    low, high = sorted(draw(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2)))
    start, end = sorted(draw(st.lists(days, min_size=2, max_size=2)))
    whens = [
        When(start, end, source=source),
        When(None, end, source=source),
        When(duration="P1Y2M", source=source),
    ]
    quantities = [Quantity(low, high, "km", source), Quantity(low, None, "", source)]
    reference = Reference(
        draw(st.none() | st.sampled_from(whens)),
        draw(
            st.none() | st.builds(Where, names, st.none() | st.integers(), st.tuples(names), st.just(source))
        ),
        tuple(draw(st.lists(st.sampled_from(quantities), max_size=2))),
        draw(st.none() | st.builds(Entity, names, names)),
    )
    return reference or None
