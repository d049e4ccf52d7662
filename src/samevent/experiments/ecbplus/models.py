"""The model of a protocol: extractor and pair models that learned from its own train topics, the rest as shipped."""

from __future__ import annotations

import shutil
from pathlib import Path

from samevent.corpus import Corpus
from samevent.experiments.ecbplus.tasks import Task
from samevent.experiments.work import Work, digest_of_corpus, digest_of_files
from samevent.extraction import EXTRACTOR_FILE
from samevent.extraction.training import train_file
from samevent.language.cache import Cache
from samevent.language.resources import DEFAULT, resources
from samevent.similarity.model import LIGHT_FILE, SIMILARITY_FILE
from samevent.similarity.training import LIGHT, PairTrainingSettings
from samevent.training import train_similarity

PAIR_MODELS = {SIMILARITY_FILE: PairTrainingSettings(), LIGHT_FILE: LIGHT}
"""The pair models of a folder, and how they are trained."""


def trained_model(task: Task, corpus: Corpus, work: Work) -> Path:
    """Train on the train topics of a task's split; its dev topics help to choose thresholds and penalties."""
    shipped, split = resources(DEFAULT).folder, task.split
    parts = {part: split.select(corpus, part) for part in ("train", "dev")}
    learned = Corpus(document for part in parts.values() for document in part)
    others = [path for path in shipped.iterdir() if path.name not in (EXTRACTOR_FILE, *PAIR_MODELS)]
    gold = task.gold(learned)
    folder = work.place(
        "model", split.name, digest_of_corpus(learned), digest_of_corpus(gold), digest_of_files(others)
    )
    if work.has(folder):
        return folder
    work.tell(f"training on the {len(parts['train'])} documents of {split.name}'s train topics")
    under_way = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(under_way, ignore_errors=True)
    under_way.mkdir()
    for path in others:
        shutil.copyfile(path, under_way / path.name)
    extractor = train_file(
        parts["train"],
        under_way / EXTRACTOR_FILE,
        resources(under_way),
        beside=parts["dev"],
        source=f"ECB+, train topics of {split.name}",
        jobs=work.jobs,
        cache=Cache(),
        progress=work.tell,
    )
    for name, settings in PAIR_MODELS.items():
        train_similarity(
            gold,
            under_way / name,
            extractor,
            learn=split.train,
            settings=settings,
            cache=Cache(),
            jobs=work.jobs,
            progress=work.tell,
        )
    shutil.rmtree(folder, ignore_errors=True)
    under_way.rename(folder)
    return folder
