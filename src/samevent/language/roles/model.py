"""The role labeller: finds the predicates of a parsed document and labels their arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document
from samevent.language.annotation import Annotation
from samevent.language.hashing import (
    Codes,
    Indices,
    KeyTable,
    code,
    hash_templates,
    key_gaps,
    keys_from_gaps,
    look_up,
)
from samevent.language.roles.base import Predicate, RoleArgument, kind_of_tag
from samevent.language.roles.encoding import Encoded, encode, mark_predicates, subtrees
from samevent.language.roles.features import (
    CANDIDATE_TEMPLATES,
    PREDICATE_TEMPLATES,
    extract_atoms,
    join_atoms,
)
from samevent.language.roles.finder import find_predicates
from samevent.language.roles.network import Batch, Network
from samevent.language.roles.statistics import Statistics
from samevent.storage import damaged_table, pack_strings, quantized, read_table, unpack_strings, write_table

KIND = "roles"
SCHEMA = 1
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Inventory:
    """What the model has seen in training: features, statistics, frames of words, and roles."""

    roles: tuple[str, ...]
    """The role of each class; the first means no role."""
    predicate_features: KeyTable
    candidate_features: KeyTable
    statistics: Statistics
    frames: Mapping[str, int]
    """The code of the numbered roles of a word such as `v:set_up`."""

    def batch(self, predicates: Codes, candidates: Codes, segments: Indices) -> Batch:
        """Convert atoms to the input of the network."""
        everything = join_atoms(predicates, candidates, segments)
        below = look_up(hash_templates(everything, CANDIDATE_TEMPLATES), self.candidate_features)
        above = look_up(hash_templates(predicates, PREDICATE_TEMPLATES), self.predicate_features)
        offset = len(self.candidate_features.keys)
        return Batch(
            predicates=np.where(above < 0, -1, above + offset).astype(np.int32),
            candidates=below,
            statistics=self.statistics.features(everything),
            segments=segments,
        )

    def frame_codes(self, annotation: Annotation, tokens: Collection[int]) -> Codes:
        """Return the frame codes of predicates: of the verb with its particle, else of the word alone."""
        particles = {
            annotation.heads[i]: annotation.lemmas[i] for i, x in enumerate(annotation.labels) if x == "prt"
        }
        codes = np.zeros(len(tokens), np.uint64)
        for number, token in enumerate(tokens):
            pos = {"V": "v", "N": "n"}.get(annotation.tags[token][:1], "a")
            word = f"{pos}:{annotation.lemmas[token].lower()}"
            particle = self.frames.get(f"{word}_{particles[token].lower()}") if token in particles else None
            codes[number] = particle if particle is not None else self.frames.get(word, 0)
        return codes


class Roles:
    """A trained role labeller."""

    def __init__(
        self, inventory: Inventory, networks: Sequence[Network], weights: Floats, bias: float
    ) -> None:
        self.inventory = inventory
        self.networks = tuple(networks)
        self._weights = weights
        self._bias = bias
        self._unique = np.array([role.startswith("ARG") for role in inventory.roles])

    def label(
        self, document: Document, annotation: Annotation, predicates: Collection[int] | None = None
    ) -> tuple[Predicate, ...]:
        """Return the predicates of a document with their arguments; without `predicates`, they are found first."""
        bare = encode(document, annotation)
        tokens = self.find(bare) if predicates is None else np.array(sorted(set(predicates)), np.int32)
        if not len(tokens):
            return ()
        marked = mark_predicates(bare, annotation, tokens.tolist())
        frames = self.inventory.frame_codes(annotation, tokens.tolist())
        above, below, candidates, segments = extract_atoms(marked, tokens, frames)
        arguments: list[list[tuple[str, int]]] = [[] for _ in tokens]
        full = np.flatnonzero(np.diff(segments))
        if len(full):
            batch = self.inventory.batch(
                above[full], below, np.concatenate([[0], segments[full + 1]]).astype(np.int32)
            )
            chosen = self.decode(self.probabilities(batch), batch.segments)
            for number, start, end in zip(full, batch.segments[:-1], batch.segments[1:], strict=True):
                for i in start + np.flatnonzero(chosen[start:end]):
                    arguments[number].append((self.inventory.roles[chosen[i]], int(candidates[i])))
        left, right = subtrees(marked.head)
        return tuple(
            Predicate(
                token,
                kind_of_tag(annotation.tags[token]),
                tuple(
                    RoleArgument(role, head, *_span(marked.head, left, right, head, token))
                    for role, head in sorted(labelled, key=lambda item: item[1])
                ),
            )
            for token, labelled in zip(tokens.tolist(), arguments, strict=True)
        )

    def find(self, bare: Encoded) -> Indices:
        """Return the predicates of an encoded document."""
        return find_predicates(bare, self._weights, self._bias)

    def probabilities(self, batch: Batch) -> Floats:
        """Return the distribution over roles of each candidate, the mean over all networks."""
        mean: Floats = np.mean([network.probabilities(batch) for network in self.networks], axis=0)
        return mean

    def decode(self, probabilities: Floats, segments: Indices) -> NDArray[np.int64]:
        """Return the class of each candidate: the most probable one, but no numbered role twice per predicate.

        If several candidates claim a role, the one that would lose most keeps it; the others take their next best.
        """
        chosen: NDArray[np.int64] = probabilities.argmax(axis=1)
        owner = np.repeat(np.arange(len(segments) - 1), np.diff(segments))
        wanted = self._unique[chosen]
        claims = Counter((owner[wanted] * len(self._unique) + chosen[wanted]).tolist())
        for number in sorted({claim // len(self._unique) for claim, times in claims.items() if times > 1}):
            start, end = segments[number], segments[number + 1]
            chosen[start:end] = self._without_repeats(
                np.log(probabilities[start:end] + 1e-12), chosen[start:end]
            )
        return chosen

    def _without_repeats(self, scores: Floats, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        chosen = chosen.copy()
        while True:
            taken = Counter(c for c in chosen.tolist() if self._unique[c])
            repeated = next((role for role, times in taken.items() if times > 1), None)
            if repeated is None:
                return chosen
            rivals = np.flatnonzero(chosen == repeated)
            free = ~self._unique | np.array([c not in taken for c in range(len(self._unique))])
            others = np.where(free, scores[rivals], -np.inf)
            loss = scores[rivals, repeated] - others.max(axis=1)
            for i in np.delete(rivals, loss.argmax()):
                chosen[i] = int(np.where(free, scores[i], -np.inf).argmax())

    def save(self, path: Path, manifest: Mapping[str, Any], *, overwrite: bool = False) -> None:
        """Write the labeller as one table; embeddings are quantized to 8 bits."""
        i = self.inventory
        arrays: dict[str, NDArray[Any]] = {
            "roles": pack_strings(i.roles),
            "predicate_keys": key_gaps(i.predicate_features.keys),
            "candidate_keys": key_gaps(i.candidate_features.keys),
            "statistics_keys": key_gaps(i.statistics.table.keys),
            "statistics_counts": i.statistics.counts,
            "statistics_prior": i.statistics.prior,
            "frame_words": pack_strings(list(i.frames)),
            "frame_codes": np.array(list(i.frames.values()), np.uint32),
            "finder": self._weights.astype(np.float16),
            "finder_bias": np.array([self._bias], np.float32),
        }
        for number, network in enumerate(self.networks):
            levels, scales = quantized(network.embeddings)
            arrays |= {f"levels_{number}": levels, f"scales_{number}": scales}
            arrays |= {f"dense_{number}_{name}": weights for name, weights in network.dense.items()}
        write_table(
            path, KIND, SCHEMA, {**manifest, "networks": len(self.networks)}, arrays, overwrite=overwrite
        )

    @classmethod
    def load(cls, path: Path) -> Roles:
        """Read a labeller."""
        table = read_table(path, KIND, SCHEMA)
        a = table.arrays
        try:
            inventory = Inventory(
                roles=tuple(unpack_strings(a["roles"])),
                predicate_features=KeyTable.of(keys_from_gaps(a["predicate_keys"])),
                candidate_features=KeyTable.of(keys_from_gaps(a["candidate_keys"])),
                statistics=Statistics(
                    KeyTable.of(keys_from_gaps(a["statistics_keys"])),
                    a["statistics_counts"],
                    a["statistics_prior"],
                ),
                frames=dict(zip(unpack_strings(a["frame_words"]), a["frame_codes"].tolist(), strict=True)),
            )
            networks = []
            for number in range(table.manifest["networks"]):
                prefix = f"dense_{number}_"
                dense = {name.removeprefix(prefix): a[name] for name in a if name.startswith(prefix)}
                networks.append(Network(a[f"levels_{number}"] * a[f"scales_{number}"], dense))
            return cls(inventory, networks, a["finder"].astype(np.float32), float(a["finder_bias"][0]))
        except (KeyError, ValueError, TypeError) as error:
            raise damaged_table(path, error) from error


def frame_code(roles: Sequence[tuple[str, str]]) -> int:
    """Return the code of the numbered roles of a roleset; `roles` are pairs of number and function."""
    return code(" ".join(sorted({f"{number}{function}" for number, function in roles if number.isdigit()})))


def _span(head: Indices, left: Indices, right: Indices, filler: int, predicate: int) -> tuple[int, int]:
    """Return the span of a filler: its subtree without the branch of the predicate."""
    start, end = int(left[filler]), int(right[filler]) + 1
    if not start <= predicate < end:
        return start, end
    branch = predicate
    while head[branch] != filler and head[branch] != branch:
        branch = int(head[branch])
    if branch > filler:
        end = max(filler + 1, int(left[branch]))
    else:
        start = min(filler, int(right[branch]) + 1)
    return start, end
