"""`samevent train PART DATA -o MODEL`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    choice,
    emit_json,
    force_option,
    jobs_option,
    json_option,
    model_option,
    say,
    without_option,
)
from samevent.corpus import Corpus, Document
from samevent.errors import UsageError
from samevent.experiments.protocols import load_split
from samevent.formats import read
from samevent.names import PRESETS, SPLITS

output_option = click.option(
    "-o", "--output", metavar="MODEL", type=PATH, required=True, help="The model's folder."
)


@click.group("train")
def train_cli() -> None:
    """Train a part of a model on annotated data."""


@train_cli.command("roles")
@click.argument("data", type=PATH)
@output_option
@click.option(
    "--examples",
    type=PATH,
    metavar="ZIP",
    help="PropBank frame files with more training examples. Default: those of the data folder, if any.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Same seed, same bytes.")
@force_option
def roles_cli(data: Path, output: Path, examples: Path | None, seed: int, force: bool) -> None:
    """Train the role labeller on PropBank data (the folder or file DATA) and write it into MODEL."""
    from samevent.language.cache import Cache
    from samevent.language.resources import ROLES_FILE
    from samevent.language.roles.training import RoleSettings, train_file
    from samevent.training import Source, enter_files

    output.mkdir(parents=True, exist_ok=True)
    train_file(
        data,
        output / ROLES_FILE,
        examples=examples,
        settings=RoleSettings(seed=seed),
        cache=Cache(),
        overwrite=force,
        progress=say,
    )
    enter_files(output, {ROLES_FILE: Source(data.name)})
    say(f"wrote {output / ROLES_FILE}")


@train_cli.command("extractor")
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


@train_cli.command("similarity")
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
    left_out: tuple[str, ...],
    model: str,
    jobs: int,
    force: bool,
) -> None:
    """Train a pair model on corpora with events (any readable format) and write it into MODEL.

    Lexicon, vectors, roles and extractor are those of --model; the extractor finds participants, times and locations.
    """
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
    first, *others = (_events(read(path)) for path in data)
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


@train_cli.command("encoder")
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
    first, *others = (_events(read(path)) for path in data)
    documents = [d for d in first if topics is None or topics.part_of(d) in ("train", "dev")]
    documents += [d for corpus in others for d in corpus]
    figures = train_encoder(
        annotated_part(documents),
        base,
        output,
        work=work or output / "training",
        settings=TuningSettings(seed=seed),
        teaching=Teaching(folder=teacher, text=[_plain_text(path) for path in text]) if teacher else None,
        jobs=jobs,
        overwrite=force,
        progress=say,
    )
    trained = Source(f"{base.name}, tuned on {', '.join(path.name for path in data)}")
    enter_files(output, {ENCODER_FILE: trained, TOKENIZER_FILE: Source(base.name)})
    if json_file is not None:
        emit_json(figures, json_file, force=force)
    say(f"wrote {output}")


def _events(corpus: Corpus) -> Corpus:
    """Return a corpus without the chain of whatever is no event."""
    from samevent.experiments.given import catch_all

    chains = catch_all(corpus)
    return corpus.filtered(lambda mention: mention.event not in chains) if chains else corpus


def _plain_text(path: Path) -> list[Document]:
    """Read the documents of a corpus, or of PropBank data."""
    from samevent.language.roles.propbank import FILE, read_propbank

    if path.name == FILE or (path / FILE).is_file():
        return [gold.document for gold in read_propbank(path)]
    return list(read(path))


@train_cli.command("all")
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
    first, *others = (_events(read(path)) for path in data)
    train, dev = (topics.select(first, "train"), topics.select(first, "dev")) if topics else (first, ())
    more = [document for corpus in others for document in corpus]
    if base and encoders:
        train_encoder(
            annotated_part([*train, *dev, *more]),
            base,
            encoders,
            work=encoders,
            teaching=Teaching(folder=large, text=[_plain_text(path) for path in text]) if large else None,
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
