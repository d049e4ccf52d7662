"""Training on annotated documents: extractors, pair models, and whole models.

Documents are parsed and prepared as everywhere (`preparation`); a whole model parses each document once.
"""

from samevent.training.data import annotated_events, labelled_mentions, linked_events
from samevent.training.decisions import decided_pairs, reviewed_run
from samevent.training.encoders import Encoders, averaged_encoders, cross_fitted, same_encoder
from samevent.training.folder import (
    WITH_ENCODER,
    Source,
    check_linked,
    enter_files,
    train_extractor,
    train_files,
    train_model,
    write_manifest,
)
from samevent.training.pair_models import (
    PAIR_MODEL_SETTINGS,
    chooses_penalty,
    needs_encoder,
    needs_large_encoder,
    train_pair_model,
)

__all__ = [
    "PAIR_MODEL_SETTINGS",
    "WITH_ENCODER",
    "Encoders",
    "Source",
    "annotated_events",
    "averaged_encoders",
    "check_linked",
    "chooses_penalty",
    "cross_fitted",
    "decided_pairs",
    "enter_files",
    "labelled_mentions",
    "linked_events",
    "needs_encoder",
    "needs_large_encoder",
    "reviewed_run",
    "same_encoder",
    "train_extractor",
    "train_files",
    "train_model",
    "train_pair_model",
    "write_manifest",
]
