"""Which atoms of predicate and candidate go together as features of the role labeller."""

from __future__ import annotations

import numpy as np

from samevent.language import hashing
from samevent.language.hashing import Codes, Indices, Templates
from samevent.language.roles.features import CANDIDATE_ATOMS, PREDICATE_ATOMS

ATOMS = (*PREDICATE_ATOMS, *CANDIDATE_ATOMS)


def templates(text: str) -> Templates:
    """Read templates, separated by semicolons, over the joined atoms.

    >>> templates("pl; path pv").columns.tolist()
    [[0, -1], [25, 4]]
    """
    return hashing.templates(ATOMS, text)


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
