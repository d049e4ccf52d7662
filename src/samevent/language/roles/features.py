"""What is known of a predicate and of each word that may fill one of its roles, as atoms.

An atom is one fact as a 64-bit code: the path through the parse from predicate to candidate, a lemma, a tag, whether
there is a comma between. `templates` combines atoms into features. Candidates are the words below the predicate
(three steps), those above it (six steps) and what hangs on these, none too far away: nearly all role fillers are
among them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from samevent.language.hashing import Codes, Indices, mix
from samevent.language.roles import facts
from samevent.language.roles.encoding import COMMA, NOMINAL, NOUN, PUNCT, SUBJECT, VERB, Encoded
from samevent.language.roles.facts import ELDER, LABEL_AHEAD, LABEL_BEHIND, LEFT, LEMMA, RIGHT, SIGNATURE

PAIRS = "path len side dist prs nxs com vrb lcab btw tl tsig nns sbt npb".split()
"""Path and its length, side, distance; labels of the candidate's siblings; commas and verbs between; whether the
candidate covers the predicate; tags between; lemma and signature where the path turns; nouns, subjects and predicates
between."""

PREDICATE_ATOMS = (*facts.PREDICATES, "pf")
"""What the predicate is by itself, and its frame."""
CANDIDATE_ATOMS = (*PAIRS, *facts.CANDIDATES)
_PREDICATE_COLUMNS, _CANDIDATE_COLUMNS = (
    np.array(list(named.values()), np.int32).T for named in (facts.PREDICATES, facts.CANDIDATES)
)

UP, DOWN = 6, 3
REACH = 60
"""How many tokens a role filler may be away: what is longer is a list or a table, and no sentence."""
TOKEN, RISE, FALL, TOP = range(4)
"""Columns of candidates: the token, steps up and down to it, where the path turns."""
COMMAS, VERBS, NOUNS, SUBJECTS, PREDICATES = range(5)
"""Columns of what is counted between predicate and candidate."""
_COUNTED = np.array([COMMA, VERB, NOMINAL, SUBJECT], np.uint32)


def atoms(encoded: Encoded, tokens: Indices, frames: Codes) -> tuple[Codes, Codes, Indices, Indices]:
    """Return the atoms of predicates, those of their candidates, the candidates, and where each predicate's start.

    `frames` is the frame code of each predicate.
    """
    e = encoded
    known = facts.known(e, *subtrees(e.head))
    found, paths, segments = _candidates(e, tokens)
    counts = np.zeros((len(e.head) + 1, 5), np.int32)
    np.cumsum((e.flags[:, None] & _COUNTED) > 0, axis=0, out=counts[1:, :PREDICATES])
    np.cumsum(e.predicate > 0, out=counts[1:, PREDICATES])
    tags = np.where(e.flags & NOUN, np.uint64(2), e.tag)
    pairs = np.empty((len(found), len(PAIRS)), np.uint64)
    _compare(tokens, segments, found, paths, *known, counts, tags, pairs)
    candidates = found[:, TOKEN].copy()
    above = np.concatenate([known.atoms(*_PREDICATE_COLUMNS)[tokens], frames[:, None]], axis=1)
    below = np.concatenate([pairs, known.atoms(*_CANDIDATE_COLUMNS)[candidates]], axis=1)
    return above, below, candidates, segments


def _candidates(e: Encoded, tokens: Indices) -> tuple[Indices, Codes, Indices]:
    """Return the candidates of predicates (see TOKEN), the paths to them, and where each predicate's start."""
    most = len(tokens) * min(len(e.head), 2 * REACH + UP)
    found, paths = np.empty((most, 4), np.int32), np.empty(most, np.uint64)
    segments, seen = np.zeros(len(tokens) + 1, np.int32), np.full(len(e.head), -1, np.int32)
    _walk(tokens, e.head, e.label, e.flags, e.child_starts, e.children, seen, found, paths, segments)
    return found[: segments[-1]], paths[: segments[-1]], segments


def subtrees(head: Indices) -> tuple[Indices, Indices]:
    """Return the first and the last token below each token, itself included."""
    left, right = np.arange(len(head), dtype=np.int32), np.arange(len(head), dtype=np.int32)
    _widen(head, left, right)
    return left, right


@njit(cache=True)
def _widen(head, left, right):  # type: ignore[no-untyped-def]
    for i in range(len(head)):
        a = i
        while head[a] != a:
            a = head[a]
            left[a] = min(left[a], i)
            right[a] = max(right[a], i)


@njit(cache=True)
def _walk(tokens, head, label, flags, child_starts, children, seen, found, paths, segments):  # type: ignore[no-untyped-def]
    """Find candidates below each predicate, then step by step above it and what hangs there, no token twice.

    `seen` is the number of the predicate that has seen a token last.
    """
    size = 0
    for number in range(len(tokens)):
        p = x = tokens[number]
        up, path, start, at = 0, np.uint64(1), size, size - 1
        seen[p] = number
        while True:
            reach = DOWN if up == 0 else 2 if up < 3 else 1
            while at < size:
                # Before the first candidate comes the predicate itself.
                node, way, down = (
                    (p, path, 0) if at < start else (found[at, TOKEN], paths[at], found[at, FALL])
                )
                at += 1
                if down >= reach:
                    continue
                for k in range(child_starts[node], child_starts[node + 1]):
                    c = children[k]
                    if seen[c] != number and not flags[c] & PUNCT and abs(c - p) <= REACH:
                        seen[c] = number
                        found[size, TOKEN], found[size, TOP] = c, x
                        found[size, RISE], found[size, FALL] = up, down + 1
                        paths[size] = mix(mix(way, np.uint64(62)), label[c])
                        size += 1
            if head[x] == x or up == UP:
                break
            path = mix(mix(path, np.uint64(60)), label[x])
            x = head[x]
            up += 1
            seen[x] = number
            found[size, TOKEN], found[size, TOP] = x, x
            found[size, RISE], found[size, FALL] = up, 0
            paths[size] = path
            size += 1
        segments[number + 1] = size


@njit(cache=True)
def _compare(tokens, segments, found, paths, nodes, codes, counts, tags, out):  # type: ignore[no-untyped-def]
    """Fill in the atoms of predicate and candidate together."""
    for number in range(len(tokens)):
        p = tokens[number]
        for i in range(segments[number], segments[number + 1]):
            c, top = found[i, TOKEN], found[i, TOP]
            low, high = min(c, p), max(c, p)
            gap = high - low
            out[i, 0] = paths[i]
            out[i, 1] = 8 * found[i, RISE] + found[i, FALL]
            out[i, 2] = 1 if c < p else 2
            out[i, 3] = gap if gap <= 3 else 4 if gap <= 5 else 6 if gap <= 9 else 10 if gap <= 19 else 20
            for side in range(2):
                sibling = nodes[c, ELDER + side]
                out[i, 4 + side] = codes[sibling, LABEL_AHEAD if sibling < p else LABEL_BEHIND]
            out[i, 6] = min(2, counts[high, COMMAS] - counts[low, COMMAS])
            out[i, 7] = min(3, counts[high, VERBS] - counts[low + 1, VERBS])
            out[i, 8] = 1 if nodes[c, LEFT] <= p and p <= nodes[c, RIGHT] else 0
            between = np.uint64(13 if gap <= 5 else 14)
            if gap <= 5:
                for j in range(low + 1, high):
                    between = mix(between, tags[j])
            out[i, 9] = between
            out[i, 10] = codes[top, LEMMA]
            out[i, 11] = codes[top, SIGNATURE]
            out[i, 12] = min(3, counts[high, NOUNS] - counts[low + 1, NOUNS])
            out[i, 13] = min(2, counts[high, SUBJECTS] - counts[low + 1, SUBJECTS])
            out[i, 14] = min(3, counts[high, PREDICATES] - counts[low + 1, PREDICATES])
