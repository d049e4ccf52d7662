"""`samevent train similarity DATA -o MODEL`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

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
from samevent.cli.train.common import events_of, output_option
from samevent.errors import UsageError
from samevent.experiments.protocols import load_split
from samevent.formats import read
from samevent.names import PRESETS, SPLITS


@click.command("similarity")
@click.argument("data", type=PATH, nargs=-1, required=True)
@output_option
@click.option(
    "--split",
    type=choice(SPLITS),
    help="Of the first DATA, learn from the train topics of this split of ECB+; its dev topics help to choose C, or "
    "are learned from too.",
)
@click.option(
    "--preset",
    type=choice(PRESETS),
    default="paper",
    show_default=True,
    help="Which pair model: the paper's, or boosted trees; those of standard compare contextual vectors too, and those "
    "of best vectors of the large encoder.",
)
@click.option(
    "--encoders",
    type=PATH,
    metavar="FOLDER",
    help="The work folder of `samevent train encoder` on the same data. Default: the encoder of --model, which must "
    "not have been tuned on the data.",
)
@click.option("--large", type=PATH, metavar="FOLDER", help="For best: the large encoder as it was published.")
@click.option(
    "--corrections",
    "reviewed",
    type=PATH,
    multiple=True,
    metavar="FILE",
    help="Learn from decisions of `samevent review` too: corrections.jsonl in the folder of the run that was "
    "reviewed, or that folder (repeatable).",
)
@without_option
@model_option
@jobs_option
@force_option
def similarity_cli(
    data: tuple[Path, ...],
    output: Path,
    split: str | None,
    preset: str,
    encoders: Path | None,
    large: Path | None,
    reviewed: tuple[Path, ...],
    left_out: tuple[str, ...],
    model: str,
    jobs: int,
    force: bool,
) -> None:
    """Train a pair model on corpora with events (any readable format) and write it into MODEL.

    Lexicon, vectors, roles and extractor are those of --model; the extractor finds participants, times and locations.
    Boosted trees also learn from the decisions of a person: the pairs of mentions that these are about count beside
    those of DATA. With decisions, a new MODEL also gets all else that --model has, so that it can be used at once.
    """
    from samevent.language.cache import Cache
    from samevent.model import Model
    from samevent.similarity.boosting import BoostingSettings
    from samevent.similarity.model import PAIR_MODEL_FILES
    from samevent.training import (
        PAIR_MODEL_SETTINGS,
        Source,
        averaged_encoders,
        check_linked,
        chooses_penalty,
        cross_fitted,
        decided_pairs,
        enter_files,
        needs_encoder,
        needs_large_encoder,
        reviewed_run,
        same_encoder,
        train_pair_model,
    )

    settings = PAIR_MODEL_SETTINGS[preset]
    if needs_large_encoder(settings) and not (encoders and large):
        raise UsageError(
            f"the pair model {preset!r} compares vectors of the large encoder",
            expected="--encoders with its adapters, and --large",
        )
    if reviewed and not isinstance(settings, BoostingSettings):
        raise UsageError(
            f"the pair model {preset!r} does not learn from decisions",
            expected=f"--preset {', '.join(n for n, how in PAIR_MODEL_SETTINGS.items() if not chooses_penalty(how))}",
        )
    runs = [reviewed_run(path) for path in reviewed]
    topics = load_split(split) if split else None
    first, *others = (events_of(read(path)) for path in data)
    documents = [d for d in first if topics is None or topics.part_of(d) in ("train", "dev")]
    documents += [d for corpus in others for d in corpus]
    check_linked(documents)
    say(f"reading {len(documents):,} documents")
    cache = Cache()
    base = Model.load(model, cache=cache)
    extractor = base.extractor_of(preset)
    fitted = (
        cross_fitted(encoders, documents, large=large, jobs=jobs, cache=cache)
        if encoders
        else same_encoder(extractor.resources.encoder, jobs=jobs, cache=cache)
    )
    settings = replace(settings, without=(*settings.without, *left_out))
    decided = []
    if isinstance(settings, BoostingSettings):
        for file, corrections in runs:
            prepared = base.prepare(read(file), preset=preset, corrections=corrections, jobs=jobs)
            if encoders:
                prepared = replace(
                    prepared, encode=averaged_encoders(encoders, large=large, jobs=jobs, cache=cache)
                )
            vectors = prepared.contextual() if needs_encoder(settings) else {}
            pairs = decided_pairs(prepared.corpus, prepared.table, vectors, corrections, settings.blocking)
            say(f"{file.parent}: {len(pairs):,} decided pairs, {int(pairs.same.sum()):,} of the same event")
            decided.append(pairs)
    train = partial(
        train_pair_model,
        documents,
        extractor=extractor,
        learn=topics.train if topics and chooses_penalty(settings) else None,
        settings=settings,
        encoders=fitted,
        decided=decided,
        cache=cache,
        jobs=jobs,
        progress=say,
    )
    written = PAIR_MODEL_FILES[preset]
    sources = {
        written: Source(", ".join([path.name for path in data] + ["decisions of a person"] * bool(runs)))
    }
    if runs and not output.exists():
        output.absolute().parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=output.absolute().parent, prefix=".") as temporary:
            whole = Path(temporary) / output.name
            base.save(whole)
            train(whole / written, overwrite=True)
            enter_files(whole, sources)
            whole.rename(output)
    else:
        output.mkdir(parents=True, exist_ok=True)
        train(output / written, overwrite=force)
        enter_files(output, sources)
    say(f"wrote {output / written}")
