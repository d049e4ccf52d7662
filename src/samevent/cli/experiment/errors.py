"""`samevent experiment errors`."""

from __future__ import annotations

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
)
from samevent.cli.experiment.common import gold_options, seed_option, select_topics, working
from samevent.names import PRESETS


@click.command("errors")
@gold_options
@click.option(
    "--preset",
    "presets",
    type=choice(PRESETS),
    multiple=True,
    help="Whose errors to count (repeatable). Default: light and standard.",
)
@click.option(
    "--answer",
    "answers",
    type=PATH,
    multiple=True,
    metavar="FILE",
    help="GOLD's mentions with the events of another system (repeatable), named after the file.",
)
@click.option("--sentences", is_flag=True, help="Add sentences that show the errors to the JSON.")
@model_option
@seed_option
@jobs_option
@json_option
@force_option
def errors_cli(
    data: Path,
    read_as: str | None,
    split: str | None,
    part: Any,
    topics: str | None,
    mentions: str,
    presets: tuple[str, ...],
    answers: tuple[Path, ...],
    sentences: bool,
    model: str,
    seed: int,
    jobs: int,
    json_file: Path | None,
    force: bool,
) -> None:
    """Count missed and wrong links by kind, preset by preset, on a gold corpus.

    A missed link is a pair of mentions of one event that is left apart, a wrong link a pair of two events that is
    joined. Kinds are explained in docs/errors.md; the first that applies counts.
    """
    from samevent.experiments.errors import ErrorPlan, measure_errors
    from samevent.formats import read
    from samevent.formats.files import check_absent

    if json_file is not None and str(json_file) != "-":
        check_absent(json_file, overwrite=force)
    plan = ErrorPlan(
        presets=presets or (() if answers else ("light", "standard")),
        answers={path.stem: read(path) for path in answers},
        mentions="predicted" if mentions == "extracted" else "gold",
        model=model,
        sentences=sentences,
        seed=seed,
    )
    corpus = select_topics(read(data, format=read_as), split, part, topics)
    with working(None, json_file, resume=False, jobs=jobs) as work:
        figures = {"corpus": "/".join(data.resolve().parts[-2:]), **measure_errors(corpus, plan, work)}
    if json_file is not None:
        emit_json(figures, json_file, force=force)
    else:
        _tables(figures)


def _tables(figures: dict[str, Any]) -> None:
    from samevent.experiments.errors import KINDS, SIDES

    answers = figures["answers"]
    for side in SIDES:
        rows = []
        for kind in KINDS:
            found = [answer[side].get(kind) for answer in answers.values()]
            if any(found):
                rows.append([kind, *(cell for each in found for cell in _cells(each)), _words(found[-1])])
        columns = ["", *(cell for name in answers for cell in (f"{name}: within", "across")), "head lemmas"]
        emit_table(f"{figures['corpus']}: {side} links of {figures['mentions']} mentions", columns, rows)
    right = ", ".join(f"{name} {answer['right']:,}" for name, answer in answers.items())
    click.echo(f"pairs of one event that are together: {right}")


def _cells(found: dict[str, Any] | None) -> tuple[str, str]:
    return ("0", "0") if found is None else (f"{found['within']:,}", f"{found['across']:,}")


def _words(found: dict[str, Any] | None) -> str:
    words = found["words"] if found else []
    return ", ".join(f"{' / '.join(pair)} ({count})" for *pair, count in words[:3])
