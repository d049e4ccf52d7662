"""Training the role labeller on PropBank data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from samevent.errors import check_absent
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache
from samevent.language.hashing import Codes, Indices, KeyTable, frequent_keys, hash_templates
from samevent.language.heads import highest_token, token_depths
from samevent.language.lexicon import FRAMES_FILE, Frames
from samevent.language.resources import DEFAULT, MODELS
from samevent.language.roles.base import ROLES
from samevent.language.roles.encoding import encode
from samevent.language.roles.features import (
    CANDIDATE_TEMPLATES,
    PREDICATE_TEMPLATES,
    extract_atoms,
    join_atoms,
)
from samevent.language.roles.finder import find_predicates, finder_features, learn_finder
from samevent.language.roles.model import Inventory, Roles, frame_code
from samevent.language.roles.network import HIDDEN, Adam, Batch, Network
from samevent.language.roles.propbank import (
    AUXILIARIES,
    GoldDocument,
    fingerprint,
    read_examples,
    read_propbank,
)
from samevent.language.roles.statistics import CLASSES, FOLDS, Statistics, collect
from samevent.seeds import stream

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSettings:
    """Hyperparameters. Rare features and roles get no weights; examples weigh less than real text."""

    networks: int = 2
    epochs: int = 8
    batch: int = 32
    rate: float = 0.0012
    feature_dropout: float = 0.15
    hidden_dropout: float = 0.3
    least_candidate_feature: int = 60
    least_predicate_feature: int = 20
    least_role: int = 40
    example_weight: float = 0.5
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows:
    """Training data as arrays: the atoms of predicates and candidates, and the role of each candidate."""

    predicates: Codes
    candidates: Codes
    segments: Indices
    roles: tuple[str, ...]
    weights: NDArray[np.float32]
    folds: NDArray[np.int64]
    """The fold of each candidate's document."""


def train_file(
    data: Path,
    output: Path,
    *,
    frames: Path | None = None,
    examples: Path | None = None,
    settings: RoleSettings | None = None,
    cache: Cache | None = None,
    overwrite: bool = False,
    progress: Progress = lambda _: None,
) -> Roles:
    """Train on the train split of a data file or folder (and on example sentences) and write the labeller.

    `frames` is the compiled frame table (default: the shipped one), `examples` the archive of frame files (default:
    that of the data folder, if any).
    """
    settings = settings or RoleSettings()
    frames = frames or MODELS / DEFAULT / FRAMES_FILE
    beside = (data if data.is_dir() else data.parent).parent / "frames" / "propbank-frames.zip"
    examples = examples or (beside if beside.is_file() else None)
    check_absent(output, overwrite=overwrite)
    gold = read_propbank(data)
    train = [g for g in gold if g.split == "train"]
    if examples is not None:
        held_out = {
            fingerprint(g.document.words(s)) for g in gold if g.split != "train" for s in g.document.sentences
        }
        train += read_examples(examples, held_out)
    progress(f"parsing {len(train):,} documents")
    annotated = [a for _, a in Annotator().annotate((g.document for g in train), cache=cache)]
    # The matrices are small, and several threads would change the order of additions, hence the last bits.
    with threadpool_limits(1):
        roles = train_roles(train, annotated, Frames.load(frames), settings, progress)
    manifest = {
        "source": "PropBank on UD English EWT"
        + (" and the examples of the PropBank frame files" if examples else ""),
        "licence": "CC BY-SA 4.0",
        "seed": settings.seed,
    }
    roles.save(output, manifest, overwrite=overwrite)
    return Roles.load(output)


def train_roles(
    gold: Sequence[GoldDocument],
    annotations: Sequence[Annotation],
    frames: Frames,
    settings: RoleSettings,
    progress: Progress = lambda _: None,
) -> Roles:
    """Train on parsed documents."""
    weights, bias = _finder([(g, a) for g, a in zip(gold, annotations, strict=True) if g.split == "train"])
    progress("trained the predicate finder")
    codes = {
        f"{pos}:{word}": frame_code(
            [(role.number, role.function) for role in frames.rolesets(word, pos)[0].roles]
        )
        for pos, word in frames
    }
    nothing = KeyTable.of(np.zeros(0, np.uint32))
    no_counts = np.zeros((0, CLASSES), np.uint16)
    draft = Inventory(
        ("",), nothing, nothing, Statistics(nothing, no_counts, np.zeros(CLASSES, np.float32)), codes
    )
    rows = _rows(gold, annotations, draft, weights, bias, settings)
    everything = join_atoms(rows.predicates, rows.candidates, rows.segments)
    names, counts = np.unique(rows.roles, return_counts=True)
    kept = [n for n, c in zip(names.tolist(), counts.tolist(), strict=True) if n and c >= settings.least_role]
    classes = ("", *(name for name in kept if not name.startswith("C-")))
    numbers = {name: i for i, name in enumerate(classes)}
    coarse = {"": 0, **{role: i + 1 for i, role in enumerate(ROLES)}}
    statistics, own = collect(
        everything, np.array([coarse.get(r, CLASSES - 1) for r in rows.roles]), rows.folds
    )
    above = frequent_keys(
        hash_templates(rows.predicates, PREDICATE_TEMPLATES), settings.least_predicate_feature
    )
    below = frequent_keys(hash_templates(everything, CANDIDATE_TEMPLATES), settings.least_candidate_feature)
    inventory = Inventory(
        roles=classes,
        predicate_features=KeyTable.of(above),
        candidate_features=KeyTable.of(below),
        statistics=statistics,
        frames=codes,
    )
    progress(
        f"{len(rows.segments) - 1:,} predicates, {len(everything):,} candidates, {len(below):,} + {len(above):,} "
        f"features, {len(statistics.table.keys):,} statistics, {len(classes)} classes"
    )
    batch = inventory.batch(rows.predicates, rows.candidates, rows.segments)
    batch = Batch(batch.predicates, batch.candidates, own, batch.segments)
    answers = np.array([numbers.get(role, 0) for role in rows.roles])
    networks: list[Network] = []
    for number in range(settings.networks):
        random = stream(settings.seed, "roles", number)
        network = Network.fresh(len(below) + len(above), batch.statistics.shape[1], len(classes), random)
        losses = _epochs(network, batch, answers, rows.weights, settings, random)
        for epoch, loss in enumerate(losses, 1):
            progress(f"network {number + 1}, epoch {epoch} of {settings.epochs}: loss {loss:.4f}")
        networks.append(network)
    return Roles(inventory, networks, weights, bias)


def _finder(gold: Sequence[tuple[GoldDocument, Annotation]]) -> tuple[NDArray[np.float32], float]:
    ends, buckets, answers, size = [], [], [], 0
    for g, annotation in gold:
        tokens, own_ends, own_buckets = finder_features(encode(g.document, annotation))
        true = {p.token for p in g.predicates if p.sense not in AUXILIARIES}
        ends.append(own_ends + size)
        buckets.append(own_buckets)
        answers += [int(token) in true for token in tokens]
        size += len(own_buckets)
    weights, bias = learn_finder(np.concatenate(ends), np.concatenate(buckets), np.array(answers))
    return weights.astype(np.float16).astype(np.float32), bias


def _rows(
    gold: Sequence[GoldDocument],
    annotations: Sequence[Annotation],
    draft: Inventory,
    weights: NDArray[np.float32],
    bias: float,
    settings: RoleSettings,
) -> TrainingRows:
    above, below, sizes, roles, importance, folds = [], [], [0], [], [], []
    for number, (g, annotation) in enumerate(zip(gold, annotations, strict=True)):
        depths = token_depths(annotation)
        predicates = {p.token: p for p in g.predicates if p.sense not in AUXILIARIES}
        all_predicates = set(predicates)
        if g.split != "train":  # only some predicates of an example are annotated
            all_predicates |= set(find_predicates(encode(g.document, annotation), weights, bias).tolist())
        tokens = np.array(sorted(predicates), np.int32)
        marked = encode(g.document, annotation, all_predicates)
        a, b, candidates, segments = extract_atoms(
            marked, tokens, draft.frame_codes(annotation, tokens.tolist())
        )
        full = np.flatnonzero(np.diff(segments))
        above.append(a[full])
        below.append(b)
        for i in full.tolist():
            heads: dict[int, str] = {}
            for role, start, end in predicates[int(tokens[i])].arguments:
                head = highest_token(annotation, start, end, depths)
                if head not in heads or role in ROLES:
                    heads[head] = role
            roles += [heads.get(c, "") for c in candidates[segments[i] : segments[i + 1]].tolist()]
            sizes.append(int(segments[i + 1] - segments[i]))
            importance.append(1.0 if g.split == "train" else settings.example_weight)
        folds.append(np.full(len(b), number % FOLDS))
    return TrainingRows(
        predicates=np.concatenate(above),
        candidates=np.concatenate(below),
        segments=np.cumsum(sizes).astype(np.int32),
        roles=tuple(roles),
        weights=np.array(importance, np.float32),
        folds=np.concatenate(folds),
    )


def _epochs(
    network: Network,
    data: Batch,
    answers: NDArray[np.int64],
    weights: NDArray[np.float32],
    settings: RoleSettings,
    random: np.random.Generator,
) -> Iterator[float]:
    """Train a network; yield the mean loss of each epoch."""
    adam = Adam(network)
    count = len(data.segments) - 1
    steps = settings.epochs * -(-count // settings.batch)
    for _ in range(settings.epochs):
        order = random.permutation(count)
        total = 0.0
        for start in range(0, count, settings.batch):
            chosen = np.sort(order[start : start + settings.batch])
            batch, rows = _part(data, chosen)
            batch = _dropped(batch, settings.feature_dropout, random)
            keep = tuple(_mask(len(rows), settings.hidden_dropout, random) for _ in range(2))
            loss, d_first, dense = network.gradients(
                batch, answers[rows], weights[chosen], (keep[0], keep[1])
            )
            adam.step(settings.rate * (1 - adam.steps / steps), batch, d_first, dense)
            total += loss * len(chosen)
        yield total / count


def _part(data: Batch, chosen: NDArray[np.int64]) -> tuple[Batch, NDArray[np.int64]]:
    """Return the batch of some predicates, and their rows."""
    starts, ends = data.segments[chosen], data.segments[chosen + 1]
    rows = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
    segments = np.concatenate([[0], np.cumsum(ends - starts)]).astype(np.int32)
    return Batch(data.predicates[chosen], data.candidates[rows], data.statistics[rows], segments), rows


def _dropped(batch: Batch, share: float, random: np.random.Generator) -> Batch:
    def without(numbers: Indices) -> Indices:
        return np.where(random.random(numbers.shape, dtype=np.float32) < share, np.int32(-1), numbers)

    return Batch(without(batch.predicates), without(batch.candidates), batch.statistics, batch.segments)


def _mask(rows: int, share: float, random: np.random.Generator) -> NDArray[np.float32]:
    kept = random.random((rows, HIDDEN), dtype=np.float32) >= share
    return kept.astype(np.float32) / np.float32(1 - share)
