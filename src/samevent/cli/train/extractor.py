"""`samevent train extractor DATA -o MODEL`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    choice,
    force_option,
    jobs_option,
    model_option,
    say,
    without_option,
)
from samevent.cli.train.common import output_option
from samevent.experiments.protocols import load_split
from samevent.formats import read
from samevent.names import SPLITS


@click.command("extractor")
@click.argument("data", type=PATH)
@output_option
@click.option(
    "--split",
    type=choice(SPLITS),
    help="Train on the train topics of this split of ECB+; its dev topics help to choose thresholds.",
)
@click.option(
    "--encoders",
    type=PATH,
    metavar="WORK",
    help="Learn from the encoders of both halves too, in the work folder of `train encoder`.",
)
@click.option(
    "--likelihood", is_flag=True, help="Plain maximum likelihood instead of the loss-augmented objective."
)
@without_option
@model_option
@jobs_option
@force_option
def extractor_cli(
    data: Path,
    output: Path,
    split: str | None,
    encoders: Path | None,
    likelihood: bool,
    left_out: tuple[str, ...],
    model: str,
    jobs: int,
    force: bool,
) -> None:
    """Train the extractor on an annotated corpus (any readable format) and write it into MODEL.

    Lexicon, vectors and roles are those of --model. Sentences without mentions are skipped, because in partly
    annotated corpora they are not examples of sentences without events. With --encoders, the extractor is the one
    that presets with an encoder use.
    """
    from samevent.extraction.learning import LIKELIHOOD, Cost, LearningSettings
    from samevent.extraction.model import CONTEXTUAL_FILE, EXTRACTOR_FILE
    from samevent.extraction.training import ExtractorSettings, groups_without
    from samevent.language.cache import Cache
    from samevent.language.resources import resources
    from samevent.training import Source, enter_files, train_extractor

    corpus = read(data)
    learning = LearningSettings(cost=LIKELIHOOD if likelihood else Cost())
    settings = ExtractorSettings(learning=learning, groups=groups_without(left_out))
    source = Source(f"ECB+, train topics of {split}" if split else data.name)
    output.mkdir(parents=True, exist_ok=True)
    file = output / (CONTEXTUAL_FILE if encoders else EXTRACTOR_FILE)
    train_extractor(
        load_split(split).select(corpus, "train") if split else corpus,
        file,
        resources(model),
        beside=load_split(split).select(corpus, "dev") if split else (),
        encoders=encoders,
        settings=settings,
        source=source,
        jobs=jobs,
        cache=Cache(),
        overwrite=force,
        progress=say,
    )
    enter_files(output, {file.name: source})
    say(f"wrote {file}")
