"""`samevent experiment NAME`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from samevent.cli.common import (
    PATH,
    choice,
    emit_json,
    emit_table,
    force_option,
    jobs_option,
    json_option,
    model_option,
    progress,
    say,
    without_option,
)
from samevent.experiments.protocols import SPLITS, load_split
from samevent.experiments.statistics import PAPER, Statistics, statistics
from samevent.formats import read

ROWS = {
    "documents": "documents",
    "sentences": "sentences",
    "mentions": "annotated event mentions",
    "cross_chains": "cross-document chains",
    "within_chains": "within-document chains",
}


@click.group("experiment")
def experiment_cli() -> None:
    """Measure quality on annotated data and print the paper's tables beside ours."""


@experiment_cli.command("statistics")
@click.option("--data", type=PATH, required=True, metavar="DIR", help="The folder or zip of ECB+.")
@click.option(
    "--split", type=choice(SPLITS), default="yang2015", show_default=True, help="How topics are divided."
)
@json_option
@force_option
def statistics_cli(data: Path, split: str, json_file: Path | None, force: bool) -> None:
    """Count what ECB+ holds, as the paper's Table 2 does."""
    found = statistics(read(data, format="ecbplus"), load_split(split))
    if json_file is not None:
        emit_json({part: asdict(counts) for part, counts in found.items()}, json_file, force=force)
    else:
        paper = PAPER if split == "yang2015" else {}
        columns = ["", *(name for part in found for name in (part, "paper")[: 2 if paper else 1])]
        rows = [[title, *_cells(name, found, dict(paper))] for name, title in ROWS.items()]
        emit_table(f"ECB+, split {split}", columns, rows)


@experiment_cli.command("roles")
@click.option("--data", type=PATH, required=True, metavar="DIR", help="The folder with PropBank on EWT.")
@click.option("--model", default="en-news", show_default=True, help="A shipped model, or a model's folder.")
@click.option(
    "--part", type=choice(("dev", "test")), default="test", show_default=True, help="What to measure on."
)
@json_option
@force_option
def roles_cli(data: Path, model: str, part: str, json_file: Path | None, force: bool) -> None:
    """Measure the role labeller: F1 by role, an argument being found when its role and head word are right."""
    from samevent.experiments.roles import measure_roles
    from samevent.language.resources import resources

    labeller = resources(model).roles
    with progress("parsing", None) as done:
        found = measure_roles(data, labeller, part=part, progress=done)
    if json_file is not None:
        emit_json(found, json_file, force=force)
        return
    rules, whole = found["rules"], found["end_to_end"]
    systems = {
        "verbal": found["verbal"],
        "verbal, rules": rules,
        "verbal, end to end": whole["verbal"],
        "nominal": found["nominal"],
        "nominal, rules": rules["nominal"],
        "nominal, end to end": whole["nominal"],
    }
    names = list(found["nominal"])
    rows = [[name, *(f"{100 * scores[column]:.1f}" for column in names)] for name, scores in systems.items()]
    emit_table(f"EWT {part}: F1 of roles, head match", ["predicates", "all", *names[1:]], rows)
    rows = [
        [kind, *(f"{100 * x:.1f}" for x in scores.values())] for kind, scores in whole["predicates"].items()
    ]
    emit_table("Finding predicates", ["", "precision", "recall", "F1"], rows)


@experiment_cli.command("extraction")
@click.option("--data", type=PATH, required=True, metavar="DIR", help="The folder or zip of ECB+.")
@click.option(
    "--model", help="A shipped model, or a model's folder. Default: train one on the split's train topics."
)
@click.option(
    "--split", type=choice(SPLITS), default="yang2015", show_default=True, help="How topics are divided."
)
@jobs_option
@json_option
@force_option
def extraction_cli(
    data: Path, model: str | None, split: str, jobs: int, json_file: Path | None, force: bool
) -> None:
    """Measure the extractor: gold mentions found at both operating points, and how that grows with their number."""
    from samevent.experiments.extraction import measure_extraction, parsed_parts, trained
    from samevent.extraction import load_extractor
    from samevent.language.resources import resources

    corpus, topics = read(data, format="ecbplus"), load_split(split)
    extractor = (
        load_extractor(model) if model else trained(corpus, topics, resources(), jobs=jobs, progress=say)
    )
    with progress("parsing", None) as done:
        parts = parsed_parts(corpus, topics, extractor.resources.roles, jobs=jobs, progress=done)
    with progress("extracting", sum(map(len, parts.values()))) as done:
        found = measure_extraction(extractor, parts, done)
    if json_file is not None:
        emit_json(found, json_file, force=force)
    else:
        _extraction_tables(found, split)


def _extraction_tables(found: dict[str, Any], split: str) -> None:
    from samevent.experiments.extraction import PAPER, PARTS, SWIRL

    rows = []
    for part in PARTS:
        for kind, ours in found["recall"][part].items():
            head, count = PAPER[part][kind] if split == "yang2015" else (None, None)
            alone = found["roles"][part][kind]
            rows.append(
                [
                    f"{part} {kind}",
                    _percent(ours["head_recall"]),
                    _percent(ours["exact_recall"]),
                    f"{ours['count']:,}",
                    _percent(ours["at_threshold"]["head_recall"]),
                    f"{ours['at_threshold']['count']:,}",
                    _percent(head),
                    "" if count is None else f"{count:,}",
                    _percent(alone["head_recall"]),
                    f"{alone['count']:,}",
                    _percent(SWIRL[kind]) if part == "dev" and head else "",
                ]
            )
    columns = [
        "",
        "head",
        "exact",
        "mentions",
        "at the point",
        "mentions",
        "paper",
        "mentions",
        "roles alone",
    ]
    title = f"ECB+, split {split}: % of linked mentions found among as many as the paper has, and at the point recall"
    emit_table(title, [*columns, "mentions", "SwiRL"], rows)
    rows = [
        [
            part,
            *(
                f"{at['count']:,}: {_percent(at['head_recall'])} / {_percent(at['exact_recall'])}"
                for at in curve
            ),
        ]
        for part, curve in found["curve"].items()
    ]
    emit_table("Events found (head / exact) among the most probable mentions", [""] * len(rows[0]), rows)
    rows = [
        [
            f"{part} {kind}",
            *(_percent(ours[name]) for name in ("precision", "recall", "f1")),
            *(_percent(ours["exact"][name]) for name in ("precision", "recall", "f1")),
        ]
        for part in PARTS
        for kind, ours in found["balanced"][part].items()
    ]
    columns = ["", "precision", "recall", "F1", "exact: precision", "recall", "F1"]
    emit_table(
        "Point balanced: all mentions of validated sentences, by head and by exact span", columns, rows
    )


def _percent(fraction: float | None) -> str:
    return "" if fraction is None else f"{100 * fraction:.1f}"


@experiment_cli.command("pairs")
@click.option("--data", type=PATH, required=True, metavar="DIR", help="The folder or zip of ECB+.")
@click.option(
    "--split", type=choice(SPLITS), default="yang2015", show_default=True, help="How topics are divided."
)
@click.option(
    "--arguments",
    type=choice(("predicted", "gold")),
    default="predicted",
    show_default=True,
    help="Participants, times and places: found by the extractor, or those of the annotators.",
)
@without_option
@model_option
@jobs_option
@json_option
@force_option
def pairs_cli(
    data: Path,
    split: str,
    arguments: str,
    left_out: tuple[str, ...],
    model: str,
    jobs: int,
    json_file: Path | None,
    force: bool,
) -> None:
    """Train the pair model on the split's train topics and measure how well it tells same events from others.

    Mentions are the annotators'. Lexicon, vectors, roles and extractor are those of --model.
    """
    from samevent.experiments.pairs import measure_pairs, predicted_arguments
    from samevent.extraction import load_extractor
    from samevent.language.cache import Cache
    from samevent.language.resources import resources
    from samevent.similarity.training import Settings

    add = predicted_arguments(load_extractor(model)) if arguments == "predicted" else None
    found = measure_pairs(
        read(data, format="ecbplus"),
        resources(model),
        split=load_split(split),
        settings=Settings(without=left_out),
        add_arguments=add,
        cache=Cache(),
        jobs=jobs,
        progress=say,
    )
    if json_file is not None:
        emit_json(found, json_file, force=force)
    else:
        _pair_tables(found, split)


def _pair_tables(found: dict[str, Any], split: str) -> None:
    rows = [
        [
            f"{part} {kind.replace('_', ' ')}",
            f"{ours['pairs']:,}",
            f"{ours['same']:,}",
            *(_percent(ours[name]) for name in ("precision", "recall", "f1", "auc")),
        ]
        for part in ("dev", "test")
        for kind, ours in found[part].items()
    ]
    emit_table(
        f"ECB+, split {split}: pairs of mentions at f of at least 0.5",
        ["", "pairs", "same event", "precision", "recall", "F1", "ROC AUC"],
        rows,
    )
    weights, paper = found["weights"], found["paper_weights"]
    rows = [
        [name, f"{weight:.2f}", f"{paper[name]:.2f}" if name in paper else ""]
        for name, weight in sorted(weights.items(), key=lambda item: (-paper.get(item[0], 0), -item[1]))
    ]
    emit_table("Weights", ["", "ours", "paper"], [*rows, ["intercept", f"{found['intercept']:.2f}", ""]])
    calibration = found["calibration"]
    rows = [
        [
            f"{bin_['low']:.1f} – {bin_['high']:.1f}",
            f"{bin_['pairs']:,}",
            _percent(bin_["said"]),
            _percent(bin_["true"]),
        ]
        for bin_ in calibration["bins"]
    ]
    emit_table(
        f"Calibration out of fold, Brier score {calibration['brier']:.4f}",
        ["f", "pairs", "mean f", "same event"],
        rows,
    )
    say(f"C = {found['C']:g}, {found['links_per_mention']:.1f} candidate links a mention")


def _cells(name: str, found: dict[str, Statistics], paper: dict[str, Statistics]) -> list[str]:
    sides = [(found[part], paper.get(part)) for part in found]
    return [f"{getattr(counts, name):,}" for pair in sides for counts in pair if counts is not None]
