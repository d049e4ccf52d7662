"""Training of the pair models of a model's folder, each in its own way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from samevent.corpus import Document
from samevent.extraction import Extractor
from samevent.formats.files import check_absent
from samevent.language.cache import Cache
from samevent.preparation import parse
from samevent.similarity.bags import Background
from samevent.similarity.blocking import Blocking
from samevent.similarity.boosted import USUAL_UNCERTAINTY, AnyPairModel
from samevent.similarity.boosting import BoostingSettings, PairRows, train_boosted, training_pairs
from samevent.similarity.code_features import CODE_NAMES
from samevent.similarity.decided import DecidedPairs
from samevent.similarity.pairs import LabelledMentions
from samevent.similarity.training import PairTrainingSettings, train
from samevent.similarity.tree_features import CONTEXT_GROUP, LARGE_GROUP
from samevent.training.data import EventFilter, annotated_events, labelled_mentions, linked_events
from samevent.training.encoders import Encoders
from samevent.training.uncertainty import with_reliability

Progress = Callable[[str], None]
PairModelSettings = PairTrainingSettings | BoostingSettings

PAIR_MODEL_SETTINGS: Mapping[str, PairModelSettings] = {
    "paper": PairTrainingSettings(),
    "paper-code": PairTrainingSettings(features=CODE_NAMES, tag_length=1),
    "light": BoostingSettings(
        without=(CONTEXT_GROUP, LARGE_GROUP),
        blocking=Blocking(contextual=None),
        uncertainty=replace(USUAL_UNCERTAINTY, spread=1.7),
    ),
    "standard": BoostingSettings(without=(LARGE_GROUP,)),
    "best": BoostingSettings(),
}
"""How each pair model of a model's folder is trained."""


def chooses_penalty(settings: PairModelSettings) -> bool:
    """Return whether dev topics help to choose C; otherwise, they are learned from."""
    return isinstance(settings, PairTrainingSettings)


def default_events(settings: PairModelSettings) -> EventFilter:
    """Return the event mentions that a pair model learns from unless others are chosen."""
    return annotated_events if isinstance(settings, BoostingSettings) else linked_events


def needs_encoder(settings: PairModelSettings) -> bool:
    """Return whether a pair model compares contextual vectors."""
    return isinstance(settings, BoostingSettings) and CONTEXT_GROUP not in settings.without


def needs_large_encoder(settings: PairModelSettings) -> bool:
    """Return whether a pair model compares vectors of the large encoder."""
    return isinstance(settings, BoostingSettings) and LARGE_GROUP not in settings.without


def train_pair_model(
    documents: Iterable[Document],
    output: Path,
    extractor: Extractor,
    *,
    learn: Collection[str] | None = None,
    settings: PairModelSettings | None = None,
    encoders: Encoders | None = None,
    decided: Sequence[DecidedPairs] = (),
    jobs: int = 1,
    cache: Cache | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> AnyPairModel:
    """Train a pair model on documents with events and write it; arguments are the extractor's.

    `learn` names the topics to learn from; the others only help to choose C. Trees that compare contextual vectors
    need `encoders`. Trees also learn from pairs that a person has `decided`.
    """
    check_absent(output, overwrite=overwrite)
    settings = settings or PairTrainingSettings()
    data = labelled_mentions(
        parse(documents, extractor.resources.roles, jobs=jobs, cache=cache),
        extractor.resources,
        extractor,
        events=default_events(settings),
        encode=encoders.encode if encoders and needs_encoder(settings) else None,
        read=encoders.read if encoders else None,
    )
    model = fit_pair_model(data, settings, learn=learn, encoders=encoders, decided=decided, progress=progress)
    model.save(output, overwrite=overwrite)
    return model


def fit_pair_model(
    data: LabelledMentions,
    settings: PairModelSettings,
    *,
    learn: Collection[str] | None = None,
    encoders: Encoders | None = None,
    extracted: LabelledMentions | None = None,
    decided: Sequence[DecidedPairs] = (),
    progress: Progress | None = None,
) -> AnyPairModel:
    """Train a pair model on mentions with events; boosted trees with their reliability on unseen topics.

    Trees also learn from mentions `extracted` from the same documents, as they do from `decided` pairs.
    """
    if isinstance(settings, BoostingSettings):
        half_of = encoders.half_of if encoders and needs_encoder(settings) else None

        def decided_rows(background: Background) -> PairRows:
            return PairRows.concatenate([each.rows(settings, background) for each in decided])

        pairs = training_pairs(data, settings, half_of)
        found = training_pairs(extracted, settings, half_of) if extracted else None
        model = train_boosted(
            data,
            learn=learn,
            settings=settings,
            pairs=pairs,
            extracted=found,
            more=decided_rows if decided else None,
            progress=progress,
        )
        return with_reliability(model, pairs, found, half_of=half_of)
    return train(data, learn=learn, settings=settings, progress=progress).model
