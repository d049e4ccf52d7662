"""`samevent train all DATA -o MODEL`."""

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
)
from samevent.cli.train.common import events_of, output_option, plain_text
from samevent.errors import UsageError
from samevent.experiments.protocols import load_split
from samevent.formats import read
from samevent.names import SPLITS


@click.command("all")
@click.argument("data", type=PATH, nargs=-1, required=True)
@output_option
@click.option(
    "--split",
    type=choice(SPLITS),
    help="Of the first DATA, learn from the train topics of this split of ECB+; its dev topics help to choose "
    "parameters, and encoders and boosted trees learn from them too. Default: all topics.",
)
@click.option(
    "--encoders",
    type=PATH,
    metavar="FOLDER",
    help="The work folder of `samevent train encoder` on the same data. Default: the encoder of --model stays; it must "
    "not have been tuned on the data.",
)
@click.option(
    "--base",
    type=PATH,
    metavar="FOLDER",
    help="Tune this encoder first, with --encoders as its work folder; see `samevent train encoder`.",
)
@click.option(
    "--large",
    type=PATH,
    metavar="FOLDER",
    help="The large encoder as it was published: it is tuned with --base, and the preset best is trained with it.",
)
@click.option(
    "--text", type=PATH, metavar="CORPUS", multiple=True, help="With --large: more text. Can be repeated."
)
@model_option
@jobs_option
@force_option
def all_cli(
    data: tuple[Path, ...],
    output: Path,
    split: str | None,
    encoders: Path | None,
    base: Path | None,
    large: Path | None,
    text: tuple[Path, ...],
    model: str,
    jobs: int,
    force: bool,
) -> None:
    """Train a whole model on corpora with events (any readable format): encoder, extractor and pair models.

    From the second DATA on, only encoders and boosted trees learn: their sentences may be annotated in part. Lexicon,
    vectors and roles are those of --model.
    """
    from samevent.language.cache import Cache
    from samevent.language.encoder.training import Teaching, annotated_part, train_encoder
    from samevent.language.resources import resources
    from samevent.training import Source, train_model

    if base and not encoders:
        raise UsageError("an encoder is tuned in steps", expected="a folder for them: --encoders FOLDER")
    topics = load_split(split) if split else None
    first, *others = (events_of(read(path)) for path in data)
    train, dev = (topics.select(first, "train"), topics.select(first, "dev")) if topics else (first, ())
    more = [document for corpus in others for document in corpus]
    if base and encoders:
        train_encoder(
            annotated_part([*train, *dev, *more]),
            base,
            encoders,
            work=encoders,
            teaching=Teaching(folder=large, text=[plain_text(path) for path in text]) if large else None,
            jobs=jobs,
            overwrite=True,
            progress=say,
        )
    names = ", ".join(path.name for path in data)
    train_model(
        train,
        output,
        resources(model),
        beside=dev,
        more=more,
        encoders=encoders,
        large=large,
        source=Source(f"{names}, train topics of {split}" if split else names),
        jobs=jobs,
        cache=Cache(),
        overwrite=force,
        progress=say,
    )
    say(f"wrote {output}: use it with --model {output}")
