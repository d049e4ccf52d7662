"""Updates: documents are added to a finished run.

    samevent.updates.update(lambda: samevent.read("today/"), Path("out"))      # samevent run --update out today/

Only mentions that new documents touch are linked and sampled anew (`growth`); events keep their ids (`ids`), and
whatever has not changed is copied (`splicing`). The new run takes the place of the old one at the end, so the folder
is always whole. `history.jsonl` has one line per update: what came, and what became of events that are no longer what
they were. `changes.html` shows the events that the last update touched; the whole report is written anew only if asked
for, or later (`samevent report`), because it takes longer than everything else.

Words keep the weights of the last time that everything was linked. Once documents have grown by half since then, or
where an answer has no independent components, or if asked, everything is resolved anew with the bytes of a full run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from samevent.clusterers import Clusterer, Evidence, clusterer
from samevent.corpus import Corpus, Document, Mention
from samevent.corrections import (
    CORRECTIONS_FILE,
    UNCORRECTED,
    Corrections,
    Matched,
    match,
    read_corrections,
)
from samevent.errors import UsageError, place
from samevent.exports import result_name, write
from samevent.formats import Unread
from samevent.formats.files import write_text
from samevent.formats.jsonl import RESULT_FILE, document_from_json, document_to_json
from samevent.formats.sheets import written
from samevent.formats.store import Shelf
from samevent.inputs import Survey, fingerprint, in_order
from samevent.language.cache import Cache
from samevent.model import Model, Options, Watch, batch_runtime
from samevent.results import Diagnostics, Result
from samevent.results.probabilities import SavedProbabilities
from samevent.results.result import without_reasons
from samevent.results.rows import (
    EVENT_COLUMNS,
    MENTION_COLUMNS,
    STORY_COLUMNS,
    Row,
    event_rows,
    mention_rows,
)
from samevent.runs import (
    PROBABILITIES_FILE,
    REPORT_FILE,
    RUN_FILE,
    STORIES_FILE,
    Source,
    Tell,
    begin,
    open_run,
    read_about,
    recover,
    run,
    write_json,
)
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.links import Looks
from samevent.similarity.mentions import MentionTable
from samevent.state import State, pack_documents
from samevent.updates.growth import Growth, NewLinks, grow, update_seed, with_documents
from samevent.updates.ids import named, successors
from samevent.updates.splicing import line_ids, spliced_probabilities, spliced_table
from samevent.updates.stories import Retelling, retold

HISTORY_FILE = "history.jsonl"
CHANGES_FILE = "changes.html"
MOST_GROWTH = 1.5
"""When documents have grown by this factor, words are weighted and everything is linked anew."""


@dataclass(frozen=True, slots=True)
class Update:
    """What an update did: new documents, mentions resolved anew of all, and what became of events (`ids.successors`).

    `exact` says whether everything was resolved anew.
    """

    documents: tuple[str, ...] = ()
    touched: int = 0
    mentions: int = 0
    exact: bool = False
    successors: Mapping[str, Sequence[str]] = field(default_factory=dict)


@batch_runtime()
def update(
    source: Source,
    folder: Path,
    *,
    exact: bool = False,
    model: str | Path | None = None,
    loaded: Model | None = None,
    jobs: int = 1,
    report: bool = False,
    skip_changed: bool = False,
    unread: Unread | None = None,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
) -> Update:
    """Add documents to the run in a folder; those that it has already are left out.

    The run's own options hold. `model` is the one it was made with, if that is not a shipped one; a caller that has
    `loaded` it saves the time. With `report`, the whole report is written anew. A document that the run has with
    another text is an error, or left out if `skip_changed`. What the source left `unread` is listed in run.json.
    """
    recover(folder)
    about = read_about(folder)
    known = {name: about[name] for name in ("samevent", "model", "options", "documents")}
    options = Options(**known["options"])
    new = _new(source() if callable(source) else source, about, folder, skip_changed=skip_changed, tell=tell)
    corrections = _corrections(folder)
    pending = applied(about) != (corrections.digest if corrections else None)
    if not len(new):
        tell("there are no new documents")
        return Update()
    survey = Survey.of(new)
    survey.check_readable()
    for notice in survey.notices():
        tell(notice)
    tell(f"{survey} to add")
    about = _with_unread(about, unread)
    state = State.load(folder)
    system = clusterer(options.clusterer, options.changes, preset=options.preset)
    total = len(known["documents"]) + len(new)
    if exact or pending or state.table is None or total > MOST_GROWTH * state.weighted:
        if not exact:
            reason = ", because there are new corrections" if pending else ""
            tell(f"everything is resolved anew this time{reason}")
        return _from_scratch(
            new, folder, state, options, corrections, model or known["model"], jobs, watch, tell, unread
        )
    loaded = loaded or Model.load(model or known["model"], cache=Cache())
    part = begin(folder, {**known, "update": True}, overwrite=True)
    try:
        show = watch or (lambda *_: None)
        job = _Job(folder, part.part, loaded, options, system, state, about, report, show, corrections)
        done = job.add(new, jobs)
        part.publish()
    finally:
        part.lock.release()
    return done


@batch_runtime()
def apply_corrections(
    folder: Path,
    *,
    model: str | Path | None = None,
    jobs: int = 1,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
) -> Update:
    """Resolve a finished run anew under the decisions in its folder, with the bytes of a run that is given them."""
    recover(folder)
    about = read_about(folder)
    corrections = _corrections(folder)
    if corrections is None:
        raise UsageError(
            f"has no {CORRECTIONS_FILE}",
            where=place(folder),
            hint="review the run first: samevent review OUT",
        )
    if applied(about) == corrections.digest:
        tell("all corrections have been applied already")
        return Update()
    options = Options(**about["options"])
    state = State.load(folder)
    return _from_scratch(
        Corpus([]), folder, state, options, corrections, model or about["model"], jobs, watch, tell
    )


def applied(about: Mapping[str, Any]) -> str | None:
    """Return the SHA-256 of the corrections that a run was made with, by its run.json."""
    digest: str | None = about.get("corrections", {}).get("sha256")
    return digest


def _corrections(folder: Path) -> Corrections | None:
    file = folder / CORRECTIONS_FILE
    return read_corrections(file) if file.exists() else None


def _with_unread(about: dict[str, Any], unread: Unread | None) -> dict[str, Any]:
    """Return what is known about a run, with what an update could not read after what is listed already."""
    if not unread:
        return about
    files = {entry["file"]: entry for entry in (*about.get("unread", ()), *unread.to_json())}
    return {**about, "unread": list(files.values())}


def _new(source: Corpus, about: Mapping[str, Any], folder: Path, *, skip_changed: bool, tell: Tell) -> Corpus:
    """Return the documents that a run does not have, in order."""
    prints, known = {d.id: fingerprint(d) for d in source}, about["documents"]
    changed = [id for id, mark in prints.items() if known.get(id, mark) != mark]
    if changed and not skip_changed:
        raise UsageError(
            f"the document {changed[0]!r} is in the run with another text",
            where=place(folder),
            expected="new documents",
            hint="give it another id, or run all documents anew",
        )
    if changed:
        tell(
            f"{len(changed):,} documents have changed since they were added, such as {changed[0]!r}: left out"
        )
    skipped = about.get("skipped", {})
    return in_order(Corpus(d for d in source if d.id not in known and d.id not in skipped))


def _from_scratch(
    new: Corpus,
    folder: Path,
    state: State,
    options: Options,
    corrections: Corrections | None,
    model: str | Path,
    jobs: int,
    watch: Watch | None,
    tell: Tell,
    unread: Unread | None = None,
) -> Update:
    """Resolve everything anew; the history says what each event is called now."""
    with (folder / RESULT_FILE).open("rb") as lines:
        before = {
            mention["id"]: mention["event"]
            for line in lines
            for mention in json.loads(line).get("mentions", ())
            if mention["kind"] == "action" and "event" in mention
        }
    shelf = Shelf(folder.absolute().parent)
    for document in chain(state.documents(), new):
        shelf.add(document)
    became: dict[str, list[str]] = {}

    def write_history(part: Path, result: Result) -> None:
        after = {m.id: m.event for m in result.corpus.mentions("action") if m.event is not None}
        became.update(successors(before, after))
        _add_history(folder, part, new, became, exact=True)

    result = run(
        Corpus(shelf.documents()),
        folder,
        options,
        corrections=corrections,
        model=model,
        jobs=jobs,
        formats=read_about(folder).get("formats", ()),
        overwrite=True,
        unread=unread,
        beside=write_history,
        watch=watch,
        tell=tell,
    )
    mentions = sum(1 for _ in result.corpus.mentions("action"))
    return Update(tuple(d.id for d in new), mentions, mentions, exact=True, successors=became)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """An update under way."""

    folder: Path
    part: Path
    model: Model
    options: Options
    system: Clusterer
    state: State
    about: Mapping[str, Any]
    report: bool
    show: Watch
    corrections: Corrections | None = None

    def add(self, new: Corpus, jobs: int) -> Update:
        """Add documents and write all files."""
        prepared = self.model.prepare(
            new, preset=self.options.preset, corrections=self.corrections, jobs=jobs, watch=self.show
        )
        pair_model = self.model.pair_models[self.system.pair_model or ""]
        table = prepared.table
        if isinstance(pair_model, BoostedModel) and pair_model.needs_context:
            table = replace(table, contextual=prepared.contextual())
        self.show("linking", 0, 1, f"{len(table):,} new mentions")
        table, looks, growth, matched = self._grown(table, prepared.corpus)
        self.show("writing", 0, 1, "")
        joined = self.model.join_entities(table, self.options, known=self.state.identities, jobs=jobs)
        added = without_reasons(prepared.corpus).mapped(joined.renamed)
        became, next_event = self._write(added, new, table, growth, matched)
        state = State(
            (*self.state.inputs, pack_documents(new)),
            next_event,
            self.state.weighted,
            table,
            looks,
            joined.identities,
        )
        state.save(self.part)
        return Update(tuple(d.id for d in new), int(growth.touched.sum()), len(table), successors=became)

    def _grown(self, new: MentionTable, added: Corpus) -> tuple[MentionTable, Looks, Growth, Matched]:
        """Return the table of all mentions, with their vectors as they were read, and the answer for those touched."""
        old, known = self.state.table, self.state.looks
        if old is None or known is None:
            raise TypeError("the state has no table to add to")
        models = self.model.pair_models
        background = next(m.background for m in models.values() if isinstance(m, BoostedModel))
        table = with_documents(old, new, self.model.resources, background, self.state.weighted)
        matched = self._matched(added, table)
        search = NewLinks(known, len(old.documents))
        evidence = Evidence(
            table.with_contextual(table.contextual) if table.contextual else table,
            models,
            self.model.resources.lexicon,
            search=search,
            weighted=True,
            constraints=matched.constraints,
        )
        seed = update_seed(self.options.seed, len(self.state.inputs))
        links = self.system.links(evidence)
        if links is None:
            raise TypeError("only models of linked mentions can grow")
        growth = grow(
            evidence,
            self.system,
            links,
            new=np.union1d(search.changed, np.arange(len(old), len(table))),
            seed=seed,
            min_probability=self.options.min_probability,
        )
        return table, search.looks, growth, matched

    def _matched(self, added: Corpus, table: MentionTable) -> Matched:
        """Return what a person decided about the mentions of old and new documents."""
        if self.corrections is None:
            return UNCORRECTED
        named = {mention.document for decision in self.corrections.decisions for mention in decision.mentions}
        lines = (self.folder / RESULT_FILE).read_bytes().splitlines()
        old = [line for line, id in zip(lines, line_ids(lines), strict=True) if id in named]
        documents = [*(document_from_json(json.loads(line)) for line in old), *added]
        return match(self.corrections, Corpus(documents), table.ids)

    def _write(
        self, added: Corpus, inputs: Corpus, table: MentionTable, growth: Growth, matched: Matched
    ) -> tuple[dict[str, list[str]], int]:
        """Write all files but the state; return what became of events, and the number of the next new event."""
        touched = {table.ids[row] for row in np.flatnonzero(growth.touched).tolist()}
        lines = (self.folder / RESULT_FILE).read_bytes().splitlines(keepends=True)
        ids = list(line_ids(lines))
        documents = {table.documents[number] for number in table.document[growth.touched].tolist()}
        rewritten = [at for at, id in enumerate(ids) if id in documents]
        old = [document_from_json(json.loads(lines[at])) for at in rewritten]
        changed = _answered(Corpus([*old, *added]), table, growth, matched)
        before = {m.id: m.event for d in old for m in d.mentions if m.id in touched and m.event is not None}
        events = _events(changed.corpus, table, growth, keep_singletons=self.options.keep_singletons)
        names, next_event = named(events, before, self.state.next_event)
        after = {mention: name for name, event in zip(names, events, strict=True) for mention in event}
        result = replace(changed, corpus=_renamed(changed.corpus, touched, after))
        verdict = (
            f"{int(growth.touched.sum()):,} of {len(table):,} mentions were resolved anew at the last update: "
            f"{growth.convergence.verdict}"
        )
        only = _only(result, touched, self.about["result"], verdict)
        self._write_tables(only, set(before.values()))
        all_ids = [*ids, *(document.id for document in added)]
        told = Retelling.of(self.folder / STORIES_FILE, self.part / "events.csv", all_ids)
        result, only = replace(result, story_of=told.after), replace(only, story_of=told.after)
        for at, document in zip(rewritten, result.to_corpus(), strict=False):
            lines[at] = _line(document)
        lines += [_line(document) for document in list(result.to_corpus())[len(old) :]]
        place_of = {id: at for at, id in enumerate(all_ids)}
        for id in told.changed(ids):
            lines[place_of[id]] = retold(lines[place_of[id]], told.after.get(id))
        (self.part / RESULT_FILE).write_bytes(b"".join(lines))
        rows = told.stories(all_ids, lambda id: document_from_json(json.loads(lines[place_of[id]])))
        write_text(self.part / STORIES_FILE, written(STORY_COLUMNS, (tuple(row.values()) for row in rows)))
        only.to_html(self.part / CHANGES_FILE)
        saved = SavedProbabilities.load(self.folder / PROBABILITIES_FILE)
        spliced = spliced_probabilities(saved, table.ids, growth.touched, growth.answers)
        replace(spliced, constraints=matched.constraints).save(self.part / PROBABILITIES_FILE)
        became = successors(before, after)
        _add_history(self.folder, self.part, inputs, became)
        self._write_run(inputs, verdict, matched)
        return became, next_event

    def _write_tables(self, touched: Result, gone: set[str]) -> None:
        """Write the tables of events and mentions, with the rows of touched events."""
        for name, columns, rows in (
            ("events.csv", EVENT_COLUMNS, event_rows(touched)),
            ("mentions.csv", MENTION_COLUMNS, mention_rows(touched)),
        ):
            changed: dict[str, list[Row]] = {}
            for row in rows:
                changed.setdefault(str(row["event"]), []).append(row)
            write_text(self.part / name, spliced_table(self.folder / name, columns, changed, gone))

    def _write_run(self, inputs: Corpus, verdict: str, matched: Matched) -> None:
        """Write run.json, and what shows the whole result if it is asked for: the report, and other formats."""
        documents = {**self.about["documents"], **{d.id: fingerprint(d) for d in inputs}}
        diagnostics = Diagnostics.from_json(self.about["diagnostics"])
        about = {
            **self.about,
            "documents": documents,
            "updates": len(self.state.inputs),
            "diagnostics": replace(diagnostics, verdict=verdict).to_json(),
        }
        if matched.about:
            about["result"] = {**self.about["result"], "corrections": dict(matched.about)}
        write_json(self.part / RUN_FILE, about)
        formats = self.about.get("formats", ())
        if not (self.report or formats):
            return
        whole = open_run(self.part)
        if self.report:
            whole.to_html(self.part / REPORT_FILE)
        for name in formats:
            write(whole, self.part / result_name(name), format=name, overwrite=True)


def _answered(corpus: Corpus, table: MentionTable, growth: Growth, matched: Matched) -> Result:
    """Return documents as a result in which touched mentions have what the answers say about them."""
    old = Result.from_corpus(corpus)
    touched = {table.ids[row] for row in np.flatnonzero(growth.touched).tolist()}
    probability = {id: each for id, each in old.member_probability.items() if id not in touched}
    whys = {id: each for id, each in old.whys.items() if id not in touched}
    beliefs = {id: each for id, each in old.beliefs.items() if id not in touched}
    for answer in growth.answers:
        whys |= answer.whys
        beliefs |= answer.beliefs
        for row in np.flatnonzero(~np.isnan(answer.sure)).tolist():
            probability[table.ids[answer.rows[row]]] = round(float(answer.sure[row]), 4)
    return replace(
        old,
        member_probability=probability,
        whys=whys,
        beliefs=beliefs,
        marks={**old.marks, **matched.marks},
        renamings={**old.renamings, **matched.renamings},
    )


def _events(corpus: Corpus, table: MentionTable, growth: Growth, *, keep_singletons: bool) -> list[list[str]]:
    """Return the mentions of each touched event, in the order of the documents."""
    event: dict[str, tuple[int, int]] = {}
    for number, answer in enumerate(growth.answers):
        for row, label in zip(answer.rows.tolist(), answer.labels.tolist(), strict=True):
            event[table.ids[row]] = number, label
    if keep_singletons:
        alone = {table.ids[row] for row in np.flatnonzero(growth.touched).tolist()} - event.keys()
        event |= {mention: (-1, number) for number, mention in enumerate(sorted(alone))}
    groups: dict[tuple[int, int], list[str]] = {}
    for mention in corpus.mentions("action"):
        if mention.id in event:
            groups.setdefault(event[mention.id], []).append(mention.id)
    return [group for group in groups.values() if keep_singletons or len(group) > 1]


def _renamed(corpus: Corpus, touched: set[str], names: Mapping[str, str]) -> Corpus:
    """Return documents in which touched event mentions have their new events, or none."""

    def renamed(m: Mention) -> Mention:
        return replace(m, event=names.get(m.id), within=None) if m.id in touched else m

    return corpus.mapped(lambda document: document.with_mentions(map(renamed, document.mentions)))


def _only(result: Result, touched: set[str], about: Mapping[str, Any], verdict: str) -> Result:
    """Return a result in which only touched mentions have events."""

    def without(m: Mention) -> Mention:
        return replace(m, event=None) if m.kind == "action" and m.id not in touched else m

    corpus = result.corpus.mapped(lambda document: document.with_mentions(map(without, document.mentions)))
    title = {"title": "What the last update changed"}
    return replace(result, corpus=corpus, about={**about, **title}, diagnostics=Diagnostics(verdict))


def _add_history(
    folder: Path, part: Path, new: Iterable[Document], became: Mapping[str, list[str]], *, exact: bool = False
) -> None:
    """Write the history with one more line."""
    file = folder / HISTORY_FILE
    before = file.read_text("utf-8").splitlines(keepends=True) if file.exists() else []
    line: dict[str, Any] = {"update": len(before) + 1, "documents": [d.id for d in new], "events": became}
    if exact:
        line["exact"] = True
    write_text(part / HISTORY_FILE, [*before, json.dumps(line, ensure_ascii=False) + "\n"], overwrite=True)


def _line(document: Document) -> bytes:
    return (json.dumps(document_to_json(document), ensure_ascii=False) + "\n").encode()
