"""Every entrance takes the same path: the same documents give the same mention table, byte by byte.

Tables are recorded where they are used, in clusterers and in the training of pair models, so that an entrance with a
path of its own would be noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from click.testing import CliRunner
from spacy.tokens import Doc

from parses import needs_model
from samevent import training
from samevent.adapters.spacy_component import resolve_docs
from samevent.cli.cluster import cluster_cli
from samevent.cli.extract import extract_cli
from samevent.cli.run import run_cli
from samevent.clusterers.linked import Hddcrp
from samevent.corpus import Corpus, Document
from samevent.experiments import ablations, pairs
from samevent.experiments.ecbplus import Plan, run_systems
from samevent.experiments.protocols import GOLD, PREDICTED, TASKS, Split
from samevent.experiments.work import Work
from samevent.extraction import load_extractor
from samevent.formats import write
from samevent.language.annotate import DEFAULT_MODEL
from samevent.language.annotate_spacy import parse as parse_with_spacy
from samevent.model import Model
from samevent.preparation import load_pair_models
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.mentions import MentionTable
from samevent.training import pair_models

pytestmark = needs_model

SENTENCES = (
    "Sixers Hire Maurice Cheeks as Head Coach",
    "Police arrested two men on Monday after the raid in Paris .",
    "The bombing killed twelve people , said the army of Sudan .",
)
EVENTS = {"Hire": "hiring", "arrested": "arrest", "raid": "raid", "bombing": "bombing", "killed": "deaths"}


def news() -> Corpus:
    """Return articles of two topics with tokens, sentences and events."""

    def article(number: int) -> Document:
        sentences = [sentence.split() for sentence in SENTENCES[number % 2 :]]
        document = Document.from_tokens(f"doc-{number}", sentences, topic=str(22 + (number + 1) // 2))
        document = replace(
            document, sentences=tuple(replace(s, annotated=True) for s in document.sentences), subtopic="ecb"
        )
        return document.with_mentions(
            document.mention("action", at, at + 1, event=f"{document.topic} {EVENTS[token.text]}")
            for at, token in enumerate(document.tokens)
            if token.text in EVENTS
        )

    return Corpus(map(article, range(1, 5)))


def bare() -> Corpus:
    return news().mapped(lambda document: document.with_mentions(()))


class RecordedError(Exception):
    """Ends an entrance once its table is known."""


class Recorder:
    """The tables that clusterers and training were given."""

    def __init__(self) -> None:
        self.tables: list[MentionTable] = []

    def cluster(self, _: Any, evidence: Any, **__: Any) -> None:
        self.tables.append(evidence.table)
        raise RecordedError

    def train(self, data: Any, **_: Any) -> None:
        self.tables.append(data.table)
        raise RecordedError

    def held_out(self, prepared: Any, _: Any) -> None:
        self.tables.append(prepared.table)
        raise RecordedError

    def of(self, entrance: Callable[[], Any]) -> bytes:
        """Return the bytes of the one table that an entrance makes, weighed as clusterers see it."""
        self.tables.clear()
        try:
            done = entrance()
        except RecordedError:
            pass
        else:
            assert isinstance(done.exception, RecordedError), done.exception
        [table] = self.tables
        return b"".join(frozen(weighed(table)))


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    found = Recorder()
    monkeypatch.setattr(
        Hddcrp, "cluster", lambda system, evidence, **how: found.cluster(system, evidence, **how)
    )
    for module in (pair_models, pairs):
        monkeypatch.setattr(module, "train", found.train)
    monkeypatch.setattr(ablations, "held_out", found.held_out)
    return found


def weighed(table: MentionTable) -> MentionTable:
    """Weigh words by the background of the shipped pair model, as evidence does and training does not.

    Contextual vectors are left out: they are added when a pair model asks for them, which not all of these do.
    """
    light = load_pair_models(Model.load().resources.folder)["light"]
    assert isinstance(light, BoostedModel)
    return table.with_contextual({}).with_background(light.background)


def frozen(value: Any) -> Iterator[bytes]:
    """Yield a table as bytes: names, kinds, shapes and contents of everything in it."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield value.tobytes()
    elif is_dataclass(value):
        for each in fields(value):
            yield each.name.encode()
            yield from frozen(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for name in sorted(value):
            yield str(name).encode()
            yield from frozen(value[name])
    else:
        yield repr(value).encode()


def file(corpus: Corpus, folder: Path) -> Path:
    path = folder / "corpus.jsonl"
    write(corpus, path, overwrite=True)
    return path


def command(cli: Any, *words: object) -> Any:
    return CliRunner().invoke(cli, list(map(str, words)))


def experiment(name: str, protocol: str, folder: Path) -> Any:
    plan = Plan(task=TASKS[protocol], part="dev", clusterers=("hddcrp",), preset="light", model="en-news")
    topics = {"yang2015": {}, "cybulska": {"23": "2", "24": "5"}}[TASKS[protocol].split_name]
    corpus = news().mapped(lambda d: replace(d, topic=topics.get(str(d.topic), d.topic)))
    return run_systems(name, plan.documents(corpus), plan, Model.load(), Work(folder=folder / "work"))


def as_docs() -> list[Doc]:
    vocab = spacy.blank("en").vocab
    return [
        Doc(
            vocab,
            words=[token.text for token in document.tokens],
            sent_starts=[
                at in {sentence.start for sentence in document.sentences}
                for at in range(len(document.tokens))
            ],
        )
        for document in bare()
    ]


def extract_then_cluster(folder: Path) -> Any:
    done = command(extract_cli, file(bare(), folder), "-o", folder / "mentions.jsonl")
    assert done.exit_code == 0, done.exception
    return command(cluster_cli, folder / "mentions.jsonl", "-o", folder / "out.jsonl")


def test_raw_documents_have_one_table_whichever_way_they_enter(recorder: Recorder, tmp_path: Path) -> None:
    expected = recorder.of(partial(Model.load().resolve, bare()))
    entrances: dict[str, Callable[[], Any]] = {
        "run": partial(command, run_cli, file(bare(), tmp_path), "-o", tmp_path / "out"),
        "extract and cluster": partial(extract_then_cluster, tmp_path),
        "experiment on predicted mentions": partial(experiment, PREDICTED, "realistic", tmp_path),
        "spaCy component": partial(resolve_docs, as_docs()),
    }
    for name, entrance in entrances.items():
        assert recorder.of(entrance) == expected, name


def test_given_events_have_one_table_whichever_way_they_enter(recorder: Recorder, tmp_path: Path) -> None:
    expected = recorder.of(partial(Model.load().resolve, news()))
    extractor = load_extractor()
    resources, split = extractor.resources, Split("small", "", train=("23",), dev=("24",), test=())
    entrances: dict[str, Callable[[], Any]] = {
        "run": partial(command, run_cli, file(news(), tmp_path), "-o", tmp_path / "out"),
        "cluster": partial(command, cluster_cli, file(news(), tmp_path), "-o", tmp_path / "out.jsonl"),
        "train similarity": partial(
            training.train_pair_model, news(), tmp_path / "similarity.npz", extractor
        ),
        "train all": partial(
            training.train_model, news(), tmp_path / "model", resources, source=training.Source("news")
        ),
        "experiment on gold mentions": partial(experiment, GOLD, "yang2015", tmp_path),
        "experiment pairs": partial(pairs.measure_pairs, news(), resources, extractor, split=split),
        "experiment ablations": partial(
            ablations.measure_ablations, news(), Work(folder=tmp_path / "work"), model="en-news"
        ),
    }
    for name, entrance in entrances.items():
        assert recorder.of(entrance) == expected, name


def test_tables_are_made_from_corrected_parses() -> None:
    """The documents above have a verb that the tagger takes for a noun: tables without the correction would differ."""
    document = next(document for document in bare() if document.tokens[1].text == "Hire")
    _, annotation = parse_with_spacy(document, DEFAULT_MODEL, entities=True)
    assert annotation.tags[1] == "NNP"
    prepared = Model.load().prepare([document])
    assert prepared.annotations[document.id].tags[1] == "VBP"
    heads = prepared.table.heads
    assert ("hire", "VBP") in {
        (heads.words[w], heads.tags[t]) for w, t in zip(heads.word, heads.tag, strict=True)
    }
