"""Features: which atoms go together, and the numbers they get.

A feature is a template and the atoms in it, hashed to 32 bits. Those seen often enough in training have a number,
which is the row of an embedding; all others are unknown (-1).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.language.roles.encoding import Codes, Indices, code
from samevent.language.roles.features import CANDIDATE_ATOMS, PREDICATE_ATOMS, mix

Template = tuple[int, ...]
Keys = NDArray[np.uint32]

ATOMS = (*PREDICATE_ATOMS, *CANDIDATE_ATOMS)


def templates(text: str) -> tuple[Template, ...]:
    """Read templates, separated by semicolons, as columns of the joined atoms.

    >>> templates("pl; path pv")
    ((0,), (25, 4))
    """
    return tuple(tuple(ATOMS.index(name) for name in part.split()) for part in text.split(";"))


PREDICATE_TEMPLATES = templates(
    "pl; plp pv; pt pv; pd gt; psig pv; ppt; gl; gl pd; gsig pd; paux; prel; pmk; pf; psub; ptm; pwm; ptp; pwp; gd pd;"
    "pw; opr pl; opr pv; gpr pd"
)
CANDIDATE_TEMPLATES = templates(
    "path; path pv; path pk ownsubj; path ownsubj prel; path psig pv; path sbt vrb; cd side pv; len side pk; cw; cl;"
    "ct; ce; xl; xt cl; xe cl; xs cd; cd pl; cmk cd; cmk path; ccs cd; rank nsame cd; prs cd; nxs cd; com path;"
    "vrb side cd; dist side; dist cd; cpw; cnw; flw; law; hd cd; hdl cd; lcab side; xd cd; ctm ct; ctp ct; btw side;"
    "tl; tsig path; nns side; pf path; xw; cpr cd; cpr path; xpr cl; opr cd pl; npb side; npb path"
)


def joined(predicates: Codes, candidates: Codes, segments: Indices) -> Codes:
    """Put the atoms of its predicate before those of each candidate."""
    return np.hstack([np.repeat(predicates, np.diff(segments), axis=0), candidates])


def hashed(atoms: Codes, chosen: tuple[Template, ...]) -> Keys:
    """Return the key of every template (columns) for every row of atoms."""
    keys: Keys = _hashed(atoms, *_packed(chosen))
    return keys


@cache
def _packed(chosen: tuple[Template, ...]) -> tuple[Indices, Codes]:
    """Return templates as rows of columns, filled up with -1, and a seed for each."""
    columns = np.full((len(chosen), max(map(len, chosen))), -1, np.int32)
    for row, template in zip(columns, chosen, strict=True):
        row[: len(template)] = template
    seeds = [code(" ".join(ATOMS[atom] for atom in template)) for template in chosen]
    return columns, np.array(seeds, np.uint64)


@njit(cache=True)
def _hashed(atoms, columns, seeds):  # type: ignore[no-untyped-def]
    keys = np.empty((len(atoms), len(seeds)), np.uint32)
    for i in range(len(atoms)):
        for t in range(len(seeds)):
            h = mix(np.uint64(1), seeds[t])
            for c in columns[t]:
                if c < 0:
                    break
                h = mix(h, atoms[i, c])
            keys[i, t] = h >> np.uint64(32)
    return keys


class Known(NamedTuple):
    """Sorted keys, and where those with each leading bits start: keys are hashes, so few share them."""

    keys: Keys
    starts: Indices
    shift: np.uint32


def known(keys: Keys) -> Known:
    """Prepare sorted keys to be looked up."""
    bits = max(1, min(20, len(keys).bit_length()))
    shift = 32 - bits
    edges = np.arange((1 << bits) + 1, dtype=np.uint64) << np.uint64(shift)
    return Known(keys, np.searchsorted(keys, edges).astype(np.int32), np.uint32(shift))


def numbered(keys: Keys, among: Known) -> Indices:
    """Return the place of each key among the known ones, or -1."""
    found: Indices = _numbered(keys, among)
    return found


@njit(cache=True)
def _numbered(keys, among):  # type: ignore[no-untyped-def]
    out = np.full(keys.shape, -1, np.int32)
    for i in range(keys.shape[0]):
        for j in range(keys.shape[1]):
            key = keys[i, j]
            bucket = key >> among.shift
            for at in range(among.starts[bucket], among.starts[bucket + 1]):
                if among.keys[at] == key:
                    out[i, j] = at
                    break
    return out


def frequent(keys: Keys, least: int) -> Keys:
    """Return the keys that occur so often, sorted."""
    found, counts = np.unique(keys, return_counts=True)
    return found[counts >= least]
