"""The corpora that growth is measured on: `benchmarks/corpus.py`."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def benchmark(name: str) -> ModuleType:
    """Import a benchmark."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


corpus = benchmark("corpus")
growth = benchmark("growth")


def test_a_smaller_corpus_is_the_beginning_of_a_larger_one() -> None:
    small, large = list(corpus.documents(600)), list(corpus.documents(1200))
    assert large[: len(small)] == small
    assert list(corpus.documents(600, seed=1)) != small


@pytest.mark.parametrize("seed", [0, 1])
def test_corpora_are_like_news(seed: int) -> None:
    documents = [document for document, _ in corpus.documents(12_000, seed=seed)]
    events = Counter(m.event for document in documents for m in document.mentions if m.kind == "action")
    assert 0.9 < sum(events.values()) / 12_000 < 1.1
    stories = Counter(document.topic for document in documents)
    sizes = sorted(stories.values(), reverse=True)
    assert sizes[0] > 20 * sizes[len(sizes) // 2]
    assert 0.3 < sum(size == 1 for size in sizes) / len(sizes) < 0.8
    words = Counter(word for document in documents for word in {token.text for token in document.tokens})
    assert sum(count == 1 for count in words.values()) > len(words) / 4
    sayings = sum("said" in {token.text for token in document.tokens} for document in documents)
    assert sayings > len(documents) / 2
    texts = Counter(document.text.split("\n")[0] for document in documents)
    assert sum(count - 1 for count in texts.values()) > len(documents) / 20
    assert max(document.date or "" for document in documents) > "2031-01-09"


def test_famous_names_are_in_several_stories_and_new_ones_in_one() -> None:
    stories: dict[str, set[str | None]] = {}
    for document, _ in corpus.documents(6_000):
        for mention in document.mentions:
            if mention.refers and mention.refers.entity:
                assert mention.refers.entity.name in mention.text
                stories.setdefault(mention.refers.entity.id, set()).add(document.topic)
    assert max(map(len, stories.values())) > 5
    assert sum(len(each) == 1 for each in stories.values()) > len(stories) / 2


def test_events_are_told_in_several_words() -> None:
    words: dict[str, set[str]] = {}
    for document, _ in corpus.documents(6_000):
        for mention in document.mentions:
            if mention.kind == "action" and "/said/" not in str(mention.event):
                words.setdefault(str(mention.event), set()).add(mention.text)
    assert sum(len(spellings) > 1 for spellings in words.values()) > len(words) / 4


def test_the_page_shows_what_was_measured() -> None:
    docs = BENCHMARKS.parent / "docs"
    stored = (docs / "growth.json").read_text("utf-8").splitlines()
    page = (docs / "growth.md").read_text("utf-8")
    shown = page.partition("<!-- growth -->\n")[2].partition("<!-- end")[0]
    assert shown == growth.table([json.loads(line) for line in stored])


def test_exponents_are_slopes_in_double_logarithmic_scale() -> None:
    rows = [
        {"mentions": 10**k, "stages": {"gate": {"cpu_s": 10.0 ** (1.5 * k), "peak_mb": 7 * k}}}
        for k in (2, 3)
    ]
    first, second = growth.with_exponents(rows)
    assert "exponent" not in first["stages"]["gate"]
    assert second["stages"]["gate"]["exponent"] == 1.5
    assert (second["total"]["exponent"], second["total"]["peak_mb"]) == (1.5, 21)
