"""`samevent train encoder DATA -o MODEL`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    choice,
    emit_json,
    force_option,
    jobs_option,
    json_option,
    say,
)
from samevent.cli.train.common import events_of, output_option, plain_text
from samevent.experiments.protocols import load_split
from samevent.formats import read
from samevent.names import SPLITS


@click.command("encoder")
@click.argument("data", type=PATH, nargs=-1, required=True)
@output_option
@click.option(
    "--base",
    type=PATH,
    metavar="FOLDER",
    required=True,
    help="The encoder to start from: config.json, model.safetensors and tokenizer.json of a BERT or MPNet.",
)
@click.option(
    "--split",
    type=choice(SPLITS),
    help="Of the first DATA, train on the train and dev topics of this split of ECB+. Default: on all topics.",
)
@click.option("--teacher", type=PATH, metavar="FOLDER", help="A larger encoder to tune, too.")
@click.option(
    "--text",
    type=PATH,
    metavar="CORPUS",
    multiple=True,
    help="Text (or PropBank data) to learn the teacher's cosines on; its annotation is not used. Can be repeated.",
)
@click.option(
    "--work",
    type=PATH,
    metavar="FOLDER",
    help="Where finished stages, the encoders of both halves and the teacher's adapters are kept. "
    "Default: MODEL/training.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same figures.")
@jobs_option
@json_option
@force_option
def encoder_cli(
    data: tuple[Path, ...],
    output: Path,
    base: Path,
    split: str | None,
    teacher: Path | None,
    text: tuple[Path, ...],
    work: Path | None,
    seed: int,
    jobs: int,
    json_file: Path | None,
    force: bool,
) -> None:
    """Tune a contextual encoder on corpora with events (any readable format) and write it into MODEL.

    Mentions of annotated sentences count, those without a chain as events of their own. Where a corpus says which
    sentences are annotated, the encoder also learns to tag their tokens. One encoder is tuned on each half of the
    topics and scored on the other (with two jobs, both at once); their mean is written. If interrupted, run the same
    command again. Needs the extra: pip install 'samevent[train]'.
    """
    from samevent.language.encoder import ENCODER_FILE, TOKENIZER_FILE
    from samevent.language.encoder.training import Teaching, annotated_part, train_encoder
    from samevent.language.encoder.tuning import TuningSettings, import_torch
    from samevent.training import Source, enter_files

    import_torch()
    topics = load_split(split) if split else None
    first, *others = (events_of(read(path)) for path in data)
    documents = [d for d in first if topics is None or topics.part_of(d) in ("train", "dev")]
    documents += [d for corpus in others for d in corpus]
    figures = train_encoder(
        annotated_part(documents),
        base,
        output,
        work=work or output / "training",
        settings=TuningSettings(seed=seed),
        teaching=Teaching(folder=teacher, text=[plain_text(path) for path in text]) if teacher else None,
        jobs=jobs,
        overwrite=force,
        progress=say,
    )
    trained = Source(f"{base.name}, tuned on {', '.join(path.name for path in data)}")
    enter_files(output, {ENCODER_FILE: trained, TOKENIZER_FILE: Source(base.name)})
    if json_file is not None:
        emit_json(figures, json_file, force=force)
    say(f"wrote {output}")
