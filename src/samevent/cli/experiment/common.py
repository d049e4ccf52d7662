"""Shared by the experiments: options, formatting of figures, and the work folder of resumable experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samevent.cli.common import (
    PATH,
    Command,
    choice,
    emit_json,
    force_option,
    jobs_option,
    json_option,
    progress,
    say,
)
from samevent.formats.files import check_absent
from samevent.names import READABLE, SPLITS

if TYPE_CHECKING:
    from samevent.corpus import Corpus
    from samevent.experiments.protocols import Part
    from samevent.experiments.work import Work

data_option = click.option(
    "--data", type=PATH, required=True, metavar="DIR", help="The folder or zip of ECB+."
)
split_option = click.option(
    "--split", type=choice(SPLITS), default="yang2015", show_default=True, help="The split of the topics."
)
part_option = click.option(
    "--part", type=choice(("dev", "test")), default="test", show_default=True, help="What to measure on."
)
trained_model_option = click.option(
    "--model", help="A shipped model, or a model's folder. Default: train one on the split's train topics."
)
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same figures."
)
runs_option = click.option("--runs", type=click.IntRange(1), metavar="N", help="Runs of a sampler.")
sweeps_option = click.option("--sweeps", type=click.IntRange(1), metavar="N", help="Sweeps of each run.")
work_option = click.option(
    "--work",
    "work_folder",
    type=PATH,
    metavar="DIR",
    help="Folder for intermediate results. Default: beside the JSON file, or in the user's cache.",
)
resume_option = click.option(
    "--resume", is_flag=True, help="Continue an interrupted experiment from its work folder."
)


_GOLD_OPTIONS = (
    click.option("--data", type=PATH, required=True, metavar="GOLD", help="A corpus with gold events."),
    click.option("--format", "read_as", type=choice(READABLE), help="Format of GOLD, if not recognised."),
    click.option("--split", type=choice(SPLITS), help="Take one part of a split of ECB+."),
    click.option(
        "--part",
        type=choice(("train", "dev", "test")),
        default="test",
        show_default=True,
        help="The part of the split.",
    ),
    click.option("--topics", metavar="NAME,...", help="Take these topics only."),
    click.option(
        "--mentions",
        type=choice(("gold", "extracted")),
        default="gold",
        show_default=True,
        help="What systems are given.",
    ),
)


def gold_options(command: Command) -> Command:
    """Add the options that choose a gold corpus, a part of it, and what systems are given."""
    for option in reversed(_GOLD_OPTIONS):
        command = option(command)
    return command


def select_topics(corpus: Corpus, split: str | None, part: Part, topics: str | None) -> Corpus:
    """Return the documents of one part of a split, or of some topics."""
    from samevent.corpus import Corpus
    from samevent.errors import UsageError
    from samevent.experiments.protocols import load_split

    if split is not None:
        corpus = load_split(split).select(corpus, part)
    if topics is not None:
        names = {name.strip() for name in topics.split(",")}
        corpus = Corpus(document for document in corpus if document.topic in names)
    if not len(corpus):
        raise UsageError("the corpus has no documents of these topics")
    return corpus


@contextmanager
def working(folder: Path | None, json_file: Path | None, *, resume: bool, jobs: int) -> Iterator[Work]:
    """Yield the work folder; on interruption, print how to resume."""
    from samevent.experiments.work import Work
    from samevent.language.cache import default_folder

    if folder is None:
        beside = json_file is not None and str(json_file) != "-"
        folder = json_file.with_suffix(".work") if beside and json_file else default_folder() / "experiments"
    try:
        yield Work(folder=folder, resume=resume, jobs=jobs, log=say, progress=progress)
    except KeyboardInterrupt:
        say(f"--resume continues from {folder}")
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumable:
    """How a long experiment runs and where its figures go: the options that `resumable` adds to a command."""

    seed: int
    jobs: int
    work_folder: Path | None
    resume: bool
    json_file: Path | None
    force: bool

    def check_output_free(self) -> None:
        """Refuse to overwrite figures before hours of work, not after."""
        if self.json_file is not None and str(self.json_file) != "-":
            check_absent(self.json_file, overwrite=self.force)

    @contextmanager
    def working(self) -> Iterator[Work]:
        """Yield the work folder; on interruption, print how to resume."""
        with working(self.work_folder, self.json_file, resume=self.resume, jobs=self.jobs) as work:
            yield work

    def emit(self, figures: Mapping[str, Any], tables: Callable[[Any], None]) -> None:
        """Write the figures as JSON, if that was asked for, or print them as tables."""
        if self.json_file is not None:
            emit_json(figures, self.json_file, force=self.force)
        else:
            tables(figures)


_RESUMABLE_OPTIONS = (
    seed_option,
    jobs_option,
    work_option,
    resume_option,
    json_option,
    force_option,
)


def resumable(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a long experiment; the command gets them as `options`, a `Resumable`."""

    @wraps(command)
    def run(
        *,
        seed: int,
        jobs: int,
        work_folder: Path | None,
        resume: bool,
        json_file: Path | None,
        force: bool,
        **others: Any,
    ) -> None:
        options = Resumable(
            seed=seed, jobs=jobs, work_folder=work_folder, resume=resume, json_file=json_file, force=force
        )
        options.check_output_free()
        command(options=options, **others)

    decorated: Callable[..., None] = run
    for option in reversed(_RESUMABLE_OPTIONS):
        decorated = option(decorated)
    return decorated


def settings_of(**values: int | None) -> dict[str, int]:
    """Return the settings that were given."""
    return {name: value for name, value in values.items() if value is not None}


def percent(fraction: float | None) -> str:
    """Format a fraction as a percentage; None is empty."""
    return "" if fraction is None else f"{100 * fraction:.1f}"


def percents(figures: Mapping[str, Any], *names: str) -> list[str]:
    """Format some fractions as percentages."""
    return [percent(figures[name]) for name in names]


def spread(interval: Mapping[str, float], *, signed: bool = False) -> str:
    """Format an interval.

    >>> spread({"low": -0.01, "high": 0.025}, signed=True)
    '-1.0 – +2.5'
    """
    form = "+.1f" if signed else ".1f"
    return f"{100 * interval['low']:{form}} – {100 * interval['high']:{form}}"
