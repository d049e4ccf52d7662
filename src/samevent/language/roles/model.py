"""The role labeller: finds predicates in a parsed document and labels their arguments."""

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
from samevent.language.hashing import Codes, Indices, Known, code, hashed, known, numbered, steps, summed
from samevent.language.roles.base import Predicate, RoleArgument, kind_of_tag
from samevent.language.roles.encoding import Encoded, encoded, with_predicates
from samevent.language.roles.features import atoms, subtrees
from samevent.language.roles.network import Batch, Network
from samevent.language.roles.predicates import find
from samevent.language.roles.statistics import Statistics
from samevent.language.roles.templates import CANDIDATE_TEMPLATES, PREDICATE_TEMPLATES, joined
from samevent.storage import damaged_table, pack_strings, quantized, read_table, unpack_strings, write_table

KIND = "roles"
SCHEMA = 1
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Inventory:
    """What the model knows by name: features, statistics, frames of words, and the roles it tells apart."""

    roles: tuple[str, ...]
    """The role of each class; the first is no role."""
    predicate_features: Known
    candidate_features: Known
    statistics: Statistics
    frames: Mapping[str, int]
    """The code of the roles that a word such as `v:set_up` takes."""

    def batch(self, predicates: Codes, candidates: Codes, segments: Indices) -> Batch:
        """Turn atoms into what the network reads."""
        everything = joined(predicates, candidates, segments)
        below = numbered(hashed(everything, CANDIDATE_TEMPLATES), self.candidate_features)
        above = numbered(hashed(predicates, PREDICATE_TEMPLATES), self.predicate_features)
        offset = len(self.candidate_features.keys)
        return Batch(
            predicates=np.where(above < 0, -1, above + offset).astype(np.int32),
            candidates=below,
            statistics=self.statistics.features(everything),
            segments=segments,
        )

    def frame_codes(self, annotation: Annotation, tokens: Collection[int]) -> Codes:
        """Return the frame code of predicates: of the verb with its particle, else of the word alone."""
        particles = {
            annotation.heads[i]: annotation.lemmas[i] for i, x in enumerate(annotation.labels) if x == "prt"
        }
        found = np.zeros(len(tokens), np.uint64)
        for number, token in enumerate(tokens):
            pos = {"V": "v", "N": "n"}.get(annotation.tags[token][:1], "a")
            word = f"{pos}:{annotation.lemmas[token].lower()}"
            particle = self.frames.get(f"{word}_{particles[token].lower()}") if token in particles else None
            found[number] = particle if particle is not None else self.frames.get(word, 0)
        return found


class Roles:
    """A trained labeller."""

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
        """Return the predicates of a document with their arguments; given predicates are not looked for."""
        bare = encoded(document, annotation)
        tokens = self.find(bare) if predicates is None else np.array(sorted(set(predicates)), np.int32)
        if not len(tokens):
            return ()
        marked = with_predicates(bare, annotation, tokens.tolist())
        frames = self.inventory.frame_codes(annotation, tokens.tolist())
        above, below, candidates, segments = atoms(marked, tokens, frames)
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
                    for role, head in sorted(found, key=lambda item: item[1])
                ),
            )
            for token, found in zip(tokens.tolist(), arguments, strict=True)
        )

    def find(self, bare: Encoded) -> Indices:
        """Return the predicates of an encoded document."""
        return find(bare, self._weights, self._bias)

    def probabilities(self, batch: Batch) -> Floats:
        """Return the distribution over roles of every candidate, the mean of all networks."""
        mean: Floats = np.mean([network.probabilities(batch) for network in self.networks], axis=0)
        return mean

    def decode(self, probabilities: Floats, segments: Indices) -> NDArray[np.int64]:
        """Return the class of every candidate: the likeliest, but no numbered role twice for a predicate.

        Of candidates that want the same role the one keeps it that would lose most; the others take their next best.
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
        """Write the labeller as one table; embeddings are rounded to 8 bits."""
        i = self.inventory
        arrays: dict[str, NDArray[Any]] = {
            "roles": pack_strings(i.roles),
            "predicate_keys": steps(i.predicate_features.keys),
            "candidate_keys": steps(i.candidate_features.keys),
            "statistics_keys": steps(i.statistics.known.keys),
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
                predicate_features=known(summed(a["predicate_keys"])),
                candidate_features=known(summed(a["candidate_keys"])),
                statistics=Statistics(
                    known(summed(a["statistics_keys"])), a["statistics_counts"], a["statistics_prior"]
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
    """Return the code of the numbered roles of a roleset, given as number and function."""
    return code(" ".join(sorted({f"{number}{function}" for number, function in roles if number.isdigit()})))


def _span(head: Indices, left: Indices, right: Indices, filler: int, predicate: int) -> tuple[int, int]:
    """Return the tokens of a filler: all below it, but not the branch that the predicate is on."""
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
