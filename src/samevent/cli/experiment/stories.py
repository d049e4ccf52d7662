"""`samevent experiment stories`."""

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
    preset_option,
)
from samevent.cli.experiment.common import percent, seed_option, select_topics, working
from samevent.names import READABLE, SPLITS


@click.command("stories")
@click.option(
    "--data", type=PATH, required=True, metavar="GOLD", help="A corpus with gold events and topics."
)
@click.option("--format", "read_as", type=choice(READABLE), help="Format of GOLD, if not recognised.")
@click.option("--split", type=choice(SPLITS), help="Take one part of a split of ECB+.")
@click.option(
    "--part",
    type=choice(("train", "dev", "test")),
    default="test",
    show_default=True,
    help="The part of the split.",
)
@click.option("--topics", metavar="NAME,...", help="Take these topics only.")
@preset_option("Settings of the run.")
@model_option
@seed_option
@jobs_option
@json_option
@force_option
def stories_cli(
    data: Path,
    read_as: str | None,
    split: str | None,
    part: Any,
    topics: str | None,
    preset: str,
    model: str,
    seed: int,
    jobs: int,
    json_file: Path | None,
    force: bool,
) -> None:
    """Measure stories and ranking on a gold corpus that the model has not learned from, from raw text.

    Stories are compared with the corpus's topics and sub-topics (B-cubed and V-measure over documents) beside average
    linkage of tf-idf cosines, at several cuts. Of the events that lead, the share is shown that are main events: chains
    that at least half of the documents of a sub-topic mention.
    """
    from samevent.experiments.stories import StoryPlan, measure_stories
    from samevent.formats import read
    from samevent.formats.files import check_absent

    if json_file is not None and str(json_file) != "-":
        check_absent(json_file, overwrite=force)
    corpus = select_topics(read(data, format=read_as), split, part, topics)
    plan = StoryPlan(preset=preset, model=model, seed=seed)
    with working(None, json_file, resume=False, jobs=jobs) as work:
        figures = {"corpus": "/".join(data.resolve().parts[-2:]), **measure_stories(corpus, plan, work)}
    if json_file is not None:
        emit_json(figures, json_file, force=force)
        return
    used = figures["cuts"]
    emit_table(
        "Stories and topics",
        ["", "", "cut", "groups", "found", "B3 recall", "precision", "F1", "V-measure"],
        [
            (
                row["groups"],
                row["system"],
                f"{row['cut']:.2f}{' *' if row['cut'] == used[row['system']] else ''}",
                str(row["gold"]),
                str(row["found"]),
                *(percent(row["bcubed"][name]) for name in ("recall", "precision", "f1")),
                percent(row["v_measure"]),
            )
            for row in figures["rows"]
        ],
    )
    leading = figures["leading"]
    emit_table(
        f"Main events among the first {leading['count']}",
        ["ranked by importance", "by mentions"],
        [(percent(leading["ranked"]), percent(leading["by mentions"]))],
    )
