"""`samevent experiment analysis`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samevent.cli.common import emit_table
from samevent.cli.experiment.common import (
    Resumable,
    data_option,
    part_option,
    resumable,
    trained_model_option,
)
from samevent.formats import read

if TYPE_CHECKING:
    from samevent.corpus import Corpus

KINDS = {
    "hddcrp links": "only hddcrp links them, rightly",
    "hddcrp parts": "only hddcrp keeps them apart, rightly",
    "other links": "only the other links them, rightly",
    "other parts": "only the other keeps them apart, rightly",
}


@click.command("analysis")
@data_option
@part_option
@trained_model_option
@resumable
def analysis_cli(
    data: Path,
    part: Any,
    model: str | None,
    options: Resumable,
) -> None:
    """Compare the HDDCRP with AGGLOMERATIVE and HDP-LEX pair by pair, and find the causes of its errors.

    Protocol yang2015, preset paper. Counted are pairs of mentions of a sub-topic. With the work folder of `samevent
    experiment ecbplus` and --resume, what ran there is used.
    """
    from samevent.experiments.analysis import measure_analysis

    corpus = read(data, format="ecbplus")
    with options.working() as work:
        figures = measure_analysis(corpus, work, part=part, model=model, seed=options.seed)
    options.emit(figures, lambda figures: _tables(figures, corpus))


def _tables(figures: dict[str, Any], corpus: Corpus) -> None:
    for other, kinds in figures["comparisons"].items():
        _comparison(other, kinds, corpus)
    _words(figures["words"], corpus)
    _causes(figures["causes"])


def _comparison(other: str, kinds: dict[str, Any], corpus: Corpus) -> None:
    rows = []
    for kind, about in kinds.items():
        rows.append([KINDS[kind], f"{about['pairs']:,}", ""])
        rows += [
            [f"  {' / '.join(e['lemmas'])}", f"{e['pairs']:,}", _sentences(e["example"], corpus)]
            for e in about["examples"]
        ]
    emit_table(f"hddcrp and {other}, gold mentions", ["", "pairs", "for example"], rows)


def _words(words: dict[str, Any], corpus: Corpus) -> None:
    rows = [
        [name, f"{linked['same']} of {words['same']}", f"{linked['different']} of {words['pairs'] - words['same']}"]
        for name, linked in words["linked"].items()
    ]  # fmt: skip
    emit_table(f"{' / '.join(words['lemmas'])}", ["", "same event, linked", "different events, linked"], rows)
    rows = [[f"{e['f']:.3f}", _sentences(e["pair"], corpus)] for e in words["examples"]]
    emit_table("Their most similar pairs of one event", ["f", ""], rows)


def _causes(causes: dict[str, Any]) -> None:
    names = sorted(set(causes["missed"]) | set(causes["spurious"]))
    rows = [
        [name, *(f"{causes[side].get(name, {'pairs': 0})['pairs']:,}" for side in ("missed", "spurious"))]
        for name in names
    ]
    emit_table(
        f"hddcrp, extracted mentions: {causes['right']:,} pairs of one event are together; errors by cause",
        ["", "missed pairs", "spurious pairs"],
        rows,
    )


def _sentences(ids: list[str], corpus: Corpus) -> str:
    """Show mentions of the corpus where they stand."""
    texts = []
    for id in ids:
        document = corpus[id.split(":", maxsplit=1)[0]]
        mention = next(m for m in document.mentions if m.id == id)
        sentence = document.sentences[document.sentence_of(mention.start)]
        words = [t.text for t in document.tokens[sentence.start : sentence.end]]
        at = mention.start - sentence.start
        size = mention.end - mention.start
        words[at : at + size] = [f"*{mention.text}*"]
        texts.append(" ".join(words[max(0, at - 6) : at + 7]))
    return " | ".join(texts)
