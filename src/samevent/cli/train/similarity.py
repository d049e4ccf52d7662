"""`samevent train similarity DATA -o MODEL`, and what decisions of a person teach."""

from __future__ import annotations

from dataclasses import replace
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
from samevent.cli.train.common import events_of, output_option
from samevent.errors import UsageError
from samevent.experiments.protocols import load_split
from samevent.formats import read
from samevent.names import PRESETS, SPLITS


@click.command("similarity")
@click.argument("data", type=PATH, nargs=-1)
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
    help="Decisions of `samevent review`, in the folder of the run that was reviewed, or that folder (repeatable). "
    "Without DATA, the pair model of --model learns from them alone, and a new MODEL has the other parts of --model.",
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
    Decisions of a person teach boosted trees how readily to join mentions in texts like those that were reviewed.
    """
    from samevent.similarity.model import LOG_LINEAR

    if not data and not reviewed:
        raise UsageError("there is nothing to learn from", expected="DATA, --corrections, or both")
    if reviewed and preset in LOG_LINEAR:
        raise UsageError(
            f"the pair model {preset!r} does not learn from decisions",
            expected=f"--preset {' or '.join(name for name in PRESETS if name not in LOG_LINEAR)}",
        )
    if reviewed and (encoders or large):
        raise UsageError(
            "decisions are learned with the encoder of --model, not with --encoders",
            hint="train on DATA first, then on the decisions with --model MODEL",
        )
    if data:
        _train(data, output, split, preset, encoders, large, left_out, model, jobs, force)
    if reviewed:
        _learn_decisions(reviewed, output, preset, model, jobs, trained=bool(data), force=force)


def _train(
    data: tuple[Path, ...],
    output: Path,
    split: str | None,
    preset: str,
    encoders: Path | None,
    large: Path | None,
    left_out: tuple[str, ...],
    model: str,
    jobs: int,
    force: bool,
) -> None:
    from samevent.language.cache import Cache
    from samevent.model import Model
    from samevent.similarity.model import PAIR_MODEL_FILES
    from samevent.training import (
        PAIR_MODEL_SETTINGS,
        Source,
        chooses_penalty,
        cross_fitted,
        enter_files,
        needs_large_encoder,
        same_encoder,
        train_pair_model,
    )

    settings = PAIR_MODEL_SETTINGS[preset]
    if needs_large_encoder(settings) and not (encoders and large):
        raise UsageError(
            f"the pair model {preset!r} compares vectors of the large encoder",
            expected="--encoders with its adapters, and --large",
        )
    topics = load_split(split) if split else None
    first, *others = (events_of(read(path)) for path in data)
    documents = [d for d in first if topics is None or topics.part_of(d) in ("train", "dev")]
    documents += [d for corpus in others for d in corpus]
    output.mkdir(parents=True, exist_ok=True)
    target = output / PAIR_MODEL_FILES[preset]
    say(f"reading {len(documents):,} documents")
    extractor, cache = Model.load(model).extractor_of(preset), Cache()
    fitted = (
        cross_fitted(encoders, documents, large=large, jobs=jobs, cache=cache)
        if encoders
        else same_encoder(extractor.resources.encoder, jobs=jobs, cache=cache)
    )
    train_pair_model(
        documents,
        target,
        extractor,
        learn=topics.train if topics and chooses_penalty(settings) else None,
        settings=replace(settings, without=(*settings.without, *left_out)),
        encoders=fitted,
        cache=cache,
        jobs=jobs,
        overwrite=force,
        progress=say,
    )
    enter_files(output, {target.name: Source(", ".join(path.name for path in data))})
    say(f"wrote {target}")


def _learn_decisions(
    reviewed: tuple[Path, ...],
    output: Path,
    preset: str,
    model: str,
    jobs: int,
    *,
    trained: bool,
    force: bool,
) -> None:
    """Let the pair model in OUTPUT, or else that of `model`, learn from decisions, and write it into OUTPUT."""
    from samevent.formats.files import check_absent
    from samevent.language.cache import Cache
    from samevent.model import Model
    from samevent.similarity.boosted import BoostedModel
    from samevent.similarity.judged import JudgedPairs, corrected
    from samevent.similarity.model import PAIR_MODEL_FILES
    from samevent.training import Source, enter_files, judged_pairs, reviewed_run

    base = Model.load(model, cache=Cache())
    target = output / PAIR_MODEL_FILES[preset]
    if output.exists() and not trained:
        check_absent(target, overwrite=force)
    runs = [reviewed_run(path) for path in reviewed]
    before = BoostedModel.load((output if trained else base.resources.folder) / PAIR_MODEL_FILES[preset])
    parts = []
    for file, corrections in runs:
        say(f"reading {file}: {len(corrections):,} decisions")
        prepared = base.prepare(read(file), preset=preset, corrections=corrections, jobs=jobs)
        parts.append(judged_pairs(prepared.corpus, prepared.evidence, corrections, before))
    judged = JudgedPairs.concatenate(parts)
    after = corrected(before, judged, [corrections.digest for _, corrections in runs])
    if not output.exists():
        base.save(output)
    after.save(target, overwrite=True)
    enter_files(output, {target.name: Source(f"{base.name}, corrected by a person")})
    offset = judged.offset(before.uncertainty.spread)
    say(f"{len(judged):,} pairs were decided, {int(judged.same.sum()):,} of the same event")
    say(f"the log-odds of all pairs move by {offset:+.2f}")
    say(f"wrote {target}")
