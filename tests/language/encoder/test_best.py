"""The preset best with the large encoder that is installed; `make best` installs it and runs these tests."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from parses import needs_model
from samevent import Corpus, write
from samevent.cli.main import cli
from samevent.demo import articles, gold
from samevent.language.encoder import Encoder, mention_vectors
from samevent.language.resources import resources
from samevent.runs import open_run
from samevent.scoring import score
from samevent.similarity.mentions import LARGE_CONTEXTUAL
from samevent.similarity.model import BEST_FILE

pytestmark = [
    pytest.mark.best,
    pytest.mark.skipif(
        not resources().has_large_encoder, reason="not installed: samevent models install best"
    ),
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return resources().large_encoder


def test_large_encoder_has_vectors_of_both_branches(encoder: Encoder) -> None:
    corpus = gold()
    mentions = list(corpus.mentions("action"))[:12]
    vectors = mention_vectors(encoder, corpus, mentions)
    assert tuple(vectors) == LARGE_CONTEXTUAL
    for name, rows in vectors.items():
        assert rows.shape == (len(mentions), 768), name
        assert np.isfinite(rows).all()
    assert not np.array_equal(vectors["large_last"], vectors["frozen_last"])


def test_large_vectors_are_the_same_for_any_number_of_jobs(encoder: Encoder) -> None:
    corpus = gold()
    mentions = list(corpus.mentions("action"))[:20]
    one, two = (mention_vectors(encoder, corpus, mentions, jobs=jobs) for jobs in (1, 2))
    assert all(one[name].tobytes() == two[name].tobytes() for name in one)


def test_large_encoder_puts_mentions_of_an_event_together(encoder: Encoder) -> None:
    corpus = gold()
    mentions = [m for m in corpus.mentions("action") if m.event is not None]
    rows = mention_vectors(encoder, corpus, mentions)["large_last"].astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows @ rows.T
    same = np.array([[a.event == b.event for b in mentions] for a in mentions])
    others = ~np.eye(len(mentions), dtype=bool)
    assert cosines[same & others].mean() > cosines[~same].mean() + 0.3


@needs_model
@pytest.mark.skipif(not (resources().folder / BEST_FILE).exists(), reason="the model has no such pair model")
def test_run_with_the_preset_best_resolves_the_demo(tmp_path: Path) -> None:
    news = tmp_path / "news.jsonl"
    write(Corpus(articles()), news)
    out = tmp_path / "out"
    ended = CliRunner().invoke(cli, ["run", str(news), "-o", str(out), "--preset", "best"])
    assert ended.exit_code == 0, ended.exception or ended.output
    assert "preset best" in ended.output
    about = json.loads((out / "run.json").read_text("utf-8"))
    assert about["options"]["preset"] == "best"
    assert "advice" not in about
    result = open_run(out)
    assert any(len(event.documents) > 1 for event in result.events)
    assert score(gold(), result.corpus, unit="corpus", singletons="drop").conll > 0.4
