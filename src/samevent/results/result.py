"""The result of a run: the corpus with its events, how sure they are, why, and how the run went."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import Clustered, Evidence
from samevent.corpus import Clustering, Corpus, Document, Mention
from samevent.corpus.mention import common_class
from samevent.corpus.reference import common_who
from samevent.corrections import Mark, Renaming
from samevent.errors import UsageError, check_type, counted
from samevent.events import Belief, Event, Events, Member, PairQuestion, StoredMember, Why
from samevent.grounding.identities import JoinedEntities
from samevent.hddcrp.mixture import Mixture, largest_traces, named_traces
from samevent.hddcrp.result import ComponentPosterior
from samevent.language.dates import document_date
from samevent.partitions.posterior import Posterior
from samevent.partitions.questions import questions
from samevent.report import write_report
from samevent.results.labels import Candidate, candidate, label_of
from samevent.results.ranking import importance, is_background
from samevent.results.stored import StoredValues
from samevent.results.stories import EventLine, Head, group_documents, head_of, name_groups, tell
from samevent.similarity.copies import Signature, copies, distinct, signature
from samevent.similarity.explanation import Explanation
from samevent.stories import Stories

if TYPE_CHECKING:
    import networkx

    from samevent.results.frames import Frames

_PROBABILITY, _WHY, _BELIEF = "event_probability", "why", "event_belief"
_MARKS, _RENAMING = "corrections", "event_renamed"
_FIELDS = frozenset((_PROBABILITY, _WHY, _BELIEF, _MARKS, _RENAMING))
"""Fields of a mention in a file; the first mention of an event has what is known about the event."""
_STORY = "story"
"""The field of a document in a file."""
_QUESTIONS = 20
"""How many questions are asked at a time."""
_COLUMNS = 200
"""More columns than this cannot be seen in a plot."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How far to trust a result: a verdict in words, and traces to plot.

    Traces are named by what they show, such as `log joint` or `events`, and have one row per run; one sweep in `every`
    has a column.
    """

    verdict: str = ""
    traces: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict)
    every: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, posterior: Posterior) -> Diagnostics:
        """Return what a posterior says about its own convergence, thinned to what a plot can show.

        Of a mixture, the member in the middle is shown.
        """
        traces: dict[str, NDArray[Any]] = dict(posterior.traces)
        if isinstance(posterior, Mixture):
            traces |= named_traces(posterior.largest)
        elif isinstance(posterior, ComponentPosterior):
            traces |= named_traces(largest_traces(posterior))
        every = {name: -(-rows.shape[1] // _COLUMNS) for name, rows in traces.items()}
        thinned = {
            name: np.round(rows[:, :: every[name]].astype(np.float64), 3).tolist()
            for name, rows in traces.items()
        }
        return cls(posterior.verdict, thinned, every)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"verdict": self.verdict, "traces": dict(self.traces), "every": dict(self.every)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Diagnostics:
        """Read what `to_json` returned."""
        return cls(str(data["verdict"]), dict(data["traces"]), dict(data["every"]))


class RowParts(Protocol):
    """Rows of a result that were written elsewhere."""

    def documents(self) -> Iterator[str]:
        """Yield the lines of all documents."""

    def mentions(self, folder: Path) -> Iterator[str]:
        """Yield the rows of all mentions of events, with room for them in a folder."""


@dataclass(frozen=True, repr=False)
class Result:
    """Documents whose event mentions carry events, as `Model.resolve` returns them and `runs.open_run` reads them.

        for event in result.events.largest(5):
            print(event.label, len(event), event.documents)
        result.probability(a, b); result.explain(a, b); result.diagnostics.verdict
        result.to_html("report.html"); samevent.write(result, "out.conll")

    `member_probability` is P(same event) of a mention with the others of its event on average, and `whys` are the
    reasons why it is there, both by mention id. `beliefs` are about whole events, by the id of one of their mentions:
    how probable it is that they are one event, and which mentions may be another one. `marks` are the decisions of a
    person that hold for a mention, and `renamings` what its event is called, both by mention id. `about` holds what
    the report shows about the run: preset, seed, settings, model, versions. `clustered` has P(same event) of any two
    mentions, `evidence` what they were found from, and `rows` what has been written already. `story_of` is the story
    of each document that belongs to one, by its id; None if stories are still to be found. `entities` are who is who
    across documents, which the mentions of the corpus say already.
    """

    corpus: Corpus
    about: Mapping[str, Any] = field(default_factory=dict)
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    member_probability: Mapping[str, float] = field(default_factory=dict, repr=False)
    whys: Mapping[str, Why] = field(default_factory=dict, repr=False)
    beliefs: Mapping[str, Belief] = field(default_factory=dict, repr=False)
    clustered: Clustered | None = field(default=None, repr=False, compare=False)
    explainer: Callable[[str, str], Explanation] | None = field(default=None, repr=False, compare=False)
    evidence: Evidence | None = field(default=None, repr=False, compare=False)
    rows: RowParts | None = field(default=None, repr=False, compare=False)
    marks: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict, repr=False)
    renamings: Mapping[str, Renaming] = field(default_factory=dict, repr=False)
    story_of: Mapping[str, str] | None = field(default=None, repr=False, compare=False)
    entities: JoinedEntities | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_type(
            self.corpus, Corpus, "a corpus", hint="samevent.resolve returns the result of texts and files"
        )

    @classmethod
    def from_corpus(cls, corpus: Corpus, **fields: Any) -> Result:
        """Read what `to_corpus` returned; `fields` are the other fields of a result."""
        check_type(corpus, Corpus, "a corpus", hint="samevent.read reads one")
        extras = {m.id: m.extra for m in corpus.mentions("action")}
        told = {d.id: str(d.extra[_STORY]) for d in corpus if _STORY in d.extra}
        return cls(
            without_reasons(corpus),
            member_probability={id: e[_PROBABILITY] for id, e in extras.items() if _PROBABILITY in e},
            whys={id: Why.from_json(e[_WHY]) for id, e in extras.items() if _WHY in e},
            beliefs={id: Belief.from_json(e[_BELIEF]) for id, e in extras.items() if _BELIEF in e},
            marks={id: tuple(map(Mark.from_json, e[_MARKS])) for id, e in extras.items() if _MARKS in e},
            renamings={id: Renaming.from_json(e[_RENAMING]) for id, e in extras.items() if _RENAMING in e},
            story_of=told or None,
            **fields,
        )

    def to_corpus(self, *, lazily: bool = False) -> Corpus:
        """Return the corpus as files hold it, with probabilities and reasons as plain values on its mentions.

        Documents have the ids of their stories. If it is made `lazily`, there is never a second copy of all documents.
        """
        story_of = self.document_stories

        def plain(m: Mention) -> Mention:
            extra = dict(m.extra)
            if m.id in self.member_probability:
                extra[_PROBABILITY] = self.member_probability[m.id]
            if m.id in self.whys:
                extra[_WHY] = self.whys[m.id].to_json()
            if m.id in self.beliefs:
                extra[_BELIEF] = self.beliefs[m.id].to_json()
            if m.id in self.marks:
                extra[_MARKS] = [mark.to_json() for mark in self.marks[m.id]]
            if m.id in self.renamings:
                extra[_RENAMING] = self.renamings[m.id].to_json()
            return replace(m, extra=extra) if len(extra) > len(m.extra) else m

        def told(document: Document) -> Document:
            story = story_of.get(document.id)
            extra = document.extra if story is None else {_STORY: story, **document.extra}
            return replace(document, mentions=tuple(map(plain, document.mentions)), extra=extra)

        return (self.corpus.lazily() if lazily else self.corpus).mapped(told)

    def moved(self, corpus: Corpus) -> Result:
        """Return the result with the same documents from elsewhere; what is known about them is kept."""
        moved = replace(self, corpus=corpus)
        vars(moved).update({name: known for name, known in vars(self).items() if name in _FOUND})
        return moved

    def with_rows(self, rows: RowParts) -> Result:
        """Return the result with rows that were written elsewhere."""
        return replace(self, rows=rows).moved(self.corpus)

    @property
    def events(self) -> Events:
        """All events, numbered by their first mention; those with one mention too."""
        return self._events_and_heads[0]

    @property
    def copies(self) -> Mapping[str, str]:
        """Documents that are nearly the same text as an earlier one, with the first of these (`similarity.copies`)."""
        return self._events_and_heads[2]

    @cached_property
    def dates(self) -> Mapping[str, str | None]:
        """The date of each document, given or found in its text (ISO)."""
        return {id: head.date for id, head in self._events_and_heads[1].items()}

    @cached_property
    def stories(self) -> Stories:
        """Documents that share events, with a headline, dates and main events; those with most documents first."""
        events, heads, _ = self._events_and_heads
        return tell(self.document_stories, heads, EventLine.main(events))

    @cached_property
    def document_stories(self) -> Mapping[str, str]:
        """The id of the story of each document that belongs to one."""
        if self.story_of is not None:
            return self.story_of
        events, heads, _ = self._events_and_heads
        return name_groups(group_documents(tuple(heads), EventLine.main(events)))

    @cached_property
    def _events_and_heads(self) -> tuple[Events, dict[str, Head], dict[str, str]]:
        """All that needs every document, found in one pass."""
        members: dict[str, list[Member]] = {}
        candidates: dict[str, list[Candidate]] = {}
        heads: dict[str, Head] = {}
        signatures: dict[str, Signature] = {}
        for document in self.corpus:
            heads[document.id] = head_of(document, document_date(document))
            if (least := signature(document)) is not None:
                signatures[document.id] = least
            known = {mention.id: mention for mention in document.mentions}
            for mention in document.mentions:
                if mention.kind == "action" and mention.event is not None:
                    members.setdefault(mention.event, []).append(self._member(mention))
                    candidates.setdefault(mention.event, []).append(candidate(mention, document, known))
        groups = copies(signatures.items())
        events = Events([self._event(id, members[id], candidates[id], heads, groups) for id in members])
        return events, heads, groups

    @cached_property
    def questions(self) -> tuple[PairQuestion, ...]:
        """The pairs of mentions to ask a person about, those that should change most first."""
        if self.clustered is None or not len(self.clustered.ids):
            return ()
        asked = questions(self.clustered.posterior, self.clustered.labels, most=_QUESTIONS)
        ids = self.clustered.ids
        wanted = {ids[row] for question in asked for row in (question.left, question.right)}
        known = {m.id: m for event in self.events for m in event.mentions if m.id in wanted}
        if len(known) < len(wanted):  # some are in no event
            known = {m.id: m for m in self.corpus.mentions("action") if m.id in wanted}
        return tuple(
            PairQuestion(known[ids[q.left]], known[ids[q.right]], q.probability, q.change) for q in asked
        )

    @property
    def clustering(self) -> Clustering:
        """The events as a partition of mention ids."""
        return self.corpus.clustering()

    def probability(self, a: str, b: str) -> float:
        """Return P(same event) of two event mentions, by their ids."""
        if self.clustered is None:
            raise UsageError(
                "this result has no probabilities",
                hint="resolve documents, or open the folder of a run (samevent.runs.open_run)",
            )
        return self.clustered.probability(a, b)

    def explain(self, a: str, b: str) -> Explanation:
        """Return what speaks for and against two event mentions, by their ids, being the same event."""
        if self.explainer is None:
            raise UsageError(
                "this result has no pair model to explain pairs with",
                hint="use a clusterer that compares pairs (hddcrp, hddcrp-star, ddcrp, agglomerative)",
            )
        return self.explainer(a, b)

    def to_html(self, path: str | Path, *, overwrite: bool = False) -> list[Path]:
        """Write the report and return its pages: one that holds everything, or several if it would be very large."""
        return write_report(self, path, overwrite=overwrite)

    def to_pandas(self) -> Frames:
        """Return frames of `events` and `mentions`, with the columns of the CSV files (extra `tables`)."""
        from samevent.results.frames import frames_of

        return frames_of(self)

    def __repr__(self) -> str:
        return f"<Result: {self._summary}>"

    def _repr_html_(self) -> str:
        """Show the largest events in a notebook."""
        return Events(self.events.largest(len(self.events))).to_html(self._summary)

    @property
    def _summary(self) -> str:
        mentions = sum(map(len, self.events))
        documents, events = counted(len(self.corpus), "document"), counted(len(self.events), "event")
        return f"{documents}, {events} with {counted(mentions, 'mention')}"

    def to_networkx(self) -> networkx.Graph:
        """Return the graph of events, documents and named entities (extra `graph`)."""
        from samevent.results.graph import graph_of

        return graph_of(self).to_networkx()

    def _member(self, mention: Mention) -> Member:
        probability, marks = self.member_probability.get(mention.id), self.marks.get(mention.id, ())
        if isinstance(self.whys, StoredValues):
            return StoredMember(mention, probability, self.whys, marks)
        return Member(mention, probability, self.whys.get(mention.id), marks)

    def _event(
        self,
        id: str,
        members: Sequence[Member],
        candidates: Sequence[Candidate],
        heads: Mapping[str, Head],
        groups: Mapping[str, str],
    ) -> Event:
        within = [member.mention.document for member in members]
        documents = tuple(dict.fromkeys(within))
        belief = next((self.beliefs[m.mention.id] for m in members if m.mention.id in self.beliefs), None)
        names = [self.renamings[m.mention.id] for m in members if m.mention.id in self.renamings]
        label = max(names, key=lambda name: name.number).label if names else label_of(candidates)
        sure = [member.probability for member in members if member.probability is not None]
        return Event(
            id,
            label,
            tuple(members),
            documents,
            tuple(sorted({date for document in documents if (date := heads[document].date)})),
            belief,
            len(documents) - distinct(documents, groups),
            importance(candidates, [groups.get(document, document) for document in within], sure),
            is_background(candidates, common_class(member.mention for member in members)),
            common_who(candidate.who for candidate in candidates),
        )


_FOUND = frozenset(("_events_and_heads", "document_stories", "stories", "dates"))
"""What a result keeps once it has been found."""


def without_reasons(corpus: Corpus) -> Corpus:
    """Return a corpus without the probabilities, reasons and stories that an earlier run wrote into it."""

    def bare(m: Mention) -> Mention:
        extra = {key: value for key, value in m.extra.items() if key not in _FIELDS}
        return replace(m, extra=extra) if len(extra) < len(m.extra) else m

    def untold(document: Document) -> Document:
        if _STORY not in document.extra and not any(_FIELDS & m.extra.keys() for m in document.mentions):
            return document
        extra = {key: value for key, value in document.extra.items() if key != _STORY}
        return replace(document, mentions=tuple(map(bare, document.mentions)), extra=extra)

    return corpus.mapped(untold)


def sentence_of(document: Document, mention: Mention) -> tuple[int, int]:
    """Return the characters of the sentence that a mention begins in."""
    sentence = document.sentences[document.sentence_of(mention.start)]
    return document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end
