"""`samevent experiment extraction`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samevent.cli.common import (
    PATH,
    emit_json,
    emit_table,
    force_option,
    jobs_option,
    json_option,
    progress,
    say,
)
from samevent.cli.experiment.common import (
    data_option,
    percent,
    percents,
    split_option,
    trained_model_option,
)
from samevent.experiments.protocols import load_split
from samevent.formats import read
from samevent.names import POINTS

if TYPE_CHECKING:
    from samevent.corpus import Corpus
    from samevent.experiments.extraction import Candidate
    from samevent.experiments.protocols import Split

_BALANCE = ("precision", "recall", "f1")

Figures = dict[str, dict[str, Any]]
"""The figures of an extractor by part."""


@click.command("extraction")
@data_option
@trained_model_option
@click.option(
    "--encoders",
    type=PATH,
    metavar="WORK",
    help="Also train an extractor on the encoders of both halves of the same topics (`train encoder --work WORK`).",
)
@split_option
@jobs_option
@json_option
@force_option
def extraction_cli(
    data: Path,
    model: str | None,
    encoders: Path | None,
    split: str,
    jobs: int,
    json_file: Path | None,
    force: bool,
) -> None:
    """Measure the extractors, with an encoder and without.

    Prints the gold mentions found at each operating point and at other numbers of mentions, the classes of events, and
    how many events are words that mean little. Extractors that are trained here are also measured out of fold.
    """
    from samevent.experiments.extraction import PARTS, measure_extraction
    from samevent.experiments.work import provenance

    corpus, topics = read(data, format="ecbplus"), load_split(split)
    size = sum(len(topics.select(corpus, part)) for part in PARTS)
    figures: dict[str, Figures] = {}
    for name, candidate in _candidates(corpus, topics, model, encoders, jobs).items():
        with progress(f"extracting {name}", size) as done:
            figures[name] = measure_extraction(corpus, topics, candidate, jobs=jobs, progress=done)
    if json_file is not None:
        about = {"split": split, "model": Path(model).name if model else "trained"}
        emit_json({"extractors": figures} | provenance(0, about), json_file, force=force)
        return
    for name, parts in figures.items():
        _recall_table(parts, f"{split}, {name}")
        _curve_table(parts)
        _balance_table(parts)
        _class_table(parts)


def _candidates(
    corpus: Corpus, split: Split, model: str | None, encoders: Path | None, jobs: int
) -> dict[str, Candidate]:
    """Return the extractors of a model, or newly trained ones, by name."""
    from samevent.experiments.extraction import Candidate, trained
    from samevent.language.cache import Cache
    from samevent.language.resources import resources
    from samevent.model import Model
    from samevent.preparation import read_with

    if model:
        opened = Model.load(model)
        found = {"without an encoder": Candidate(opened.extractor, {})}
        if opened.contextual_extractor.contextual:
            own = read_with(opened.resources.encoder, Cache())
            found["with an encoder"] = Candidate(opened.contextual_extractor, {"dev": own, "test": own})
        return found
    found = {"without an encoder": trained(corpus, split, resources(), jobs=jobs, progress=say)}
    if encoders:
        found["with an encoder"] = trained(
            corpus, split, resources(), encoders=encoders, jobs=jobs, progress=say
        )
    return found


def _recall_table(parts: Figures, title: str) -> None:
    from samevent.experiments.extraction import PAPER, SWIRL

    rows = []
    for part, figures in parts.items():
        for kind, ours in figures["recall"].items():
            known = part in PAPER and title.startswith("yang2015")
            head, count = PAPER[part][kind] if known else (None, None)
            point, alone = ours["at_threshold"], figures["roles"][kind]
            rows.append(
                [
                    f"{part} {kind}",
                    *percents(ours, "head_recall", "exact_recall"),
                    f"{ours['count']:,}",
                    percent(point["head_recall"]),
                    f"{point['count']:,}",
                    percent(head),
                    "" if count is None else f"{count:,}",
                    percent(alone["head_recall"]),
                    f"{alone['count']:,}",
                    percent(SWIRL[kind]) if part == "dev" and head else "",
                ]
            )
    columns = ["head", "exact", "mentions", "at the point", "mentions", "paper", "mentions", "roles alone"]
    about = "% of linked mentions found among as many as the paper has, and at the point recall"
    emit_table(f"ECB+, {title}: {about}", ["", *columns, "mentions", "SwiRL"], rows)


def _curve_table(parts: Figures) -> None:
    rows = [
        [
            part,
            *(
                f"{at['count']:,}: {percent(at['head_recall'])} / {percent(at['exact_recall'])}"
                for at in figures["curve"]
            ),
        ]
        for part, figures in parts.items()
    ]
    emit_table("Events found (head / exact) among the most probable mentions", [""] * len(rows[0]), rows)


def _balance_table(parts: Figures) -> None:
    rows = []
    for part, figures in parts.items():
        for point in POINTS:
            for kind, ours in figures["points"][point].items():
                empty = figures["empty_words"][point]["share"] if kind == "action" else None
                found = [*percents(ours, *_BALANCE), *percents(ours["exact"], *_BALANCE), percent(empty)]
                rows.append([f"{part} {point} {kind}", *found])
    emit_table(
        "All mentions of validated sentences at each point, by head and by exact span; share of empty words (be, it)",
        ["", "precision", "recall", "F1", "exact: precision", "recall", "F1", "empty words"],
        rows,
    )


def _class_table(parts: Figures) -> None:
    from samevent.corpus import EVENT_CLASSES

    rows = []
    for part, figures in parts.items():
        ours = figures["classes"]
        rows.append(
            [
                part,
                f"{ours['count']:,}",
                *percents(ours, "accuracy", "most_common"),
                *percents(ours["f1"], *EVENT_CLASSES),
                percent(ours["negated"]),
            ]
        )
    columns = ["", "actions", "accuracy", "most common class", *EVENT_CLASSES, "negated"]
    emit_table("Classes of gold actions: % right, F1 of each class and of negation", columns, rows)
