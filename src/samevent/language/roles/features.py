"""What is known of a predicate and of each word that may fill one of its roles, as atoms.

An atom is one fact as a 64-bit code: the path through the parse from predicate to candidate, a lemma, a tag, whether
there is a comma between. `templates` combines atoms into features. Candidates are the words below the predicate
(three steps), those above it (six steps) and what hangs on these, none too far away: nearly all role fillers are
among them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.language.hashing import Codes, Indices, code, mix
from samevent.language.roles.encoding import (
    COMMA,
    NOMINAL,
    NOUN,
    PUNCT,
    RELATIVE,
    SUBJECT,
    VERB,
    Encoded,
)

PREDICATE_ATOMS = tuple(
    "pl plp pt pd pv pk psig ppt gl gt gd gsig paux prel pmk pf psub ptm pwm ptp pwp pw opr gpr ownsubj".split()
)
"""Predicate: lemma, with particle, tag, label, voice, kind, signature, particle; its governor's lemma, tag, label,
signature; auxiliaries, relative clause, mark, frame, subject, neighbours' tags and words, word; whether its object
and governor are predicates; whether it has a subject of its own."""

CANDIDATE_ATOMS = (
    "path len cd cw cl ct ce side dist xl xt xe xs xw cmk ccs rank nsame prs nxs com vrb cpw cnw flw law hd hdl lcab "
    "xd ctm ctp btw tl tsig nns sbt cpr xpr npb"
).split()
"""Candidate: path and its length, label, word, lemma, tag, entity, side, distance; its content word (the object of
a preposition) by lemma, tag, entity, suffix, word; its mark, labels below, rank among equal siblings and their
number, siblings' labels; commas and verbs between; neighbouring, first and last words; its governor's label and
lemma; whether it covers the predicate; its determiner; neighbouring tags, tags between; lemma and signature where
the path turns; nouns and subjects between; whether it or its content word is a predicate; predicates between."""

UP, DOWN = 6, 3
REACH = 60
"""How many tokens a role filler may be away: what is longer is a list or a table, and no sentence."""
_ABOVE, _BELOW = len(PREDICATE_ATOMS), len(CANDIDATE_ATOMS)
_PRT, _AUX, _AUXPASS, _NSUBJPASS, _MARK, _DOBJ = (
    code(x) for x in "prt aux auxpass nsubjpass mark dobj".split()
)
_DET, _POSS, _NUMMOD, _CASE, _PREP, _AGENT = (code(x) for x in "det poss nummod case prep agent".split())
_DATIVE, _POBJ, _PCOMP, _CONJ, _XCOMP, _CCOMP = (
    code(x) for x in "dative pobj pcomp conj xcomp ccomp".split()
)
_RELCL, _ADVCL, _ACL, _TO, _MD, _VBN, _IN = (code(x) for x in "relcl advcl acl TO MD VBN IN".split())
_HAVE, _BE, _GET, _THAT = (code(x) for x in "have be get that".split())
_EDGE = code("^")


class _Around(NamedTuple):
    """What follows from the parse of a whole document."""

    signature: Codes
    """The core labels below each token, a bit each."""
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    commas: NDArray[np.int64]
    """How many there are before each token; likewise the others."""
    verbs: NDArray[np.int64]
    nouns: NDArray[np.int64]
    subjects: NDArray[np.int64]
    predicates: NDArray[np.int64]


class _Queue(NamedTuple):
    """Candidates of one predicate as they are found: token, path, steps up and down, where the path turns."""

    token: Indices
    path: Codes
    up: Indices
    down: Indices
    top: Indices
    seen: Indices
    """The number of the predicate that has seen a token last."""


def atoms(encoded: Encoded, tokens: Indices, frames: Codes) -> tuple[Codes, Codes, Indices, Indices]:
    """Return the atoms of predicates, those of their candidates, the candidates, and where each predicate's start.

    `frames` is the frame code of each predicate.
    """
    found: tuple[Codes, Codes, Indices, Indices] = _atoms(tokens, frames, encoded)
    return found


@njit(cache=True)
def subtrees(head):  # type: ignore[no-untyped-def]
    """Return the first and the last token below each token, itself included."""
    left, right = np.arange(len(head)), np.arange(len(head))
    for i in range(len(head)):
        a = i
        while head[a] != a:
            a = head[a]
            left[a] = min(left[a], i)
            right[a] = max(right[a], i)
    return left, right


@njit(cache=True)
def _running(values, mask):  # type: ignore[no-untyped-def]
    """Return how many tokens before each have one of the bits of a mask."""
    out = np.zeros(len(values) + 1, np.int64)
    for i in range(len(values)):
        out[i + 1] = out[i] + (1 if values[i] & mask else 0)
    return out


@njit(cache=True)
def _around(e):  # type: ignore[no-untyped-def]
    signature = np.zeros(len(e.head), np.uint64)
    for i in range(len(e.head)):
        if e.head[i] != i:
            signature[e.head[i]] |= np.uint64(e.core[i])
    left, right = subtrees(e.head)
    commas, verbs, nouns = _running(e.flags, COMMA), _running(e.flags, VERB), _running(e.flags, NOMINAL)
    subjects, predicates = _running(e.flags, SUBJECT), _running(e.predicate, 255)
    return _Around(signature, left, right, commas, verbs, nouns, subjects, predicates)


@njit(cache=True)
def _atoms(tokens, frames, e):  # type: ignore[no-untyped-def]
    n = len(e.word)
    around = _around(e)
    queue = _Queue(
        np.zeros(n, np.int32), np.zeros(n, np.uint64), np.zeros(n, np.int32), np.zeros(n, np.int32),
        np.zeros(n, np.int32), np.zeros(n, np.int32),
    )  # fmt: skip
    above = np.zeros((len(tokens), _ABOVE), np.uint64)
    capacity = 64 * len(tokens) + n
    rows = np.zeros((capacity, _BELOW), np.uint64)
    found = np.zeros(capacity, np.int32)
    segments = np.zeros(len(tokens) + 1, np.int32)
    size = 0
    for number in range(len(tokens)):
        p = tokens[number]
        _predicate(p, frames[number], above[number], e, around.signature)
        count = _candidates(p, number + 1, queue, e)
        while size + count > capacity:
            rows, found = (
                np.concatenate((rows, np.zeros_like(rows))),
                np.concatenate((found, np.zeros_like(found))),
            )
            capacity *= 2
        for i in range(count):
            _candidate(p, i, queue, rows[size], e, around)
            found[size] = queue.token[i]
            size += 1
        segments[number + 1] = size
    return above, rows[:size].copy(), found[:size].copy(), segments


@njit(cache=True)
def _candidates(p, stamp, queue, e):  # type: ignore[no-untyped-def]
    """Fill the queue: below the predicate, then step by step above it and what hangs there, no token twice."""
    queue.seen[p] = stamp
    x, up, path = p, 0, np.uint64(1)
    count = _below(p, p, path, 0, 0, p, queue, 0, stamp, e)
    at = 0
    while True:
        reach = DOWN if up == 0 else 2 if up < 3 else 1
        while at < count:
            if queue.down[at] < reach:
                count = _below(
                    p, queue.token[at], queue.path[at], up, queue.down[at], x, queue, count, stamp, e
                )
            at += 1
        if e.head[x] == x or up == UP:
            return count
        path = mix(mix(path, np.uint64(60)), e.label[x])
        x = e.head[x]
        up += 1
        queue.seen[x] = stamp
        queue.token[count], queue.path[count] = x, path
        queue.up[count], queue.down[count], queue.top[count] = up, 0, x
        count += 1


@njit(cache=True)
def _below(p, node, path, up, down, top, queue, count, stamp, e):  # type: ignore[no-untyped-def]
    for k in range(e.child_starts[node], e.child_starts[node + 1]):
        c = e.children[k]
        if queue.seen[c] != stamp and not e.flags[c] & PUNCT and abs(c - p) <= REACH:
            queue.seen[c] = stamp
            queue.token[count], queue.path[count] = c, mix(mix(path, np.uint64(62)), e.label[c])
            queue.up[count], queue.down[count], queue.top[count] = up, down + 1, top
            count += 1
    return count


@njit(cache=True)
def _child(node, labels, e):  # type: ignore[no-untyped-def]
    """Return the first child with one of some labels, or -1."""
    for k in range(e.child_starts[node], e.child_starts[node + 1]):
        for wanted in labels:
            if e.label[e.children[k]] == wanted:
                return e.children[k]
    return -1


@njit(cache=True)
def _voice(p, e):  # type: ignore[no-untyped-def]
    """Return 0 for no verb, 1 active, 2 passive, 3 a bare participle."""
    if e.tag[p] != _VBN:
        return 1 if e.flags[p] & VERB else 0
    for k in range(e.child_starts[p], e.child_starts[p + 1]):
        c = e.children[k]
        if e.label[c] in (_AUXPASS, _NSUBJPASS):
            return 2
        if e.label[c] == _AUX:
            if e.lemma[c] == _HAVE:
                return 1
            if e.lemma[c] in (_BE, _GET):
                return 2
    return 3


@njit(cache=True)
def _relative(v, e, signature):  # type: ignore[no-untyped-def]
    """Return a code for the relative word in a clause, or for what the clause has instead."""
    for k in range(e.child_starts[v], e.child_starts[v + 1]):
        c = e.children[k]
        if e.flags[c] & RELATIVE or (e.word[c] == _THAT and e.label[c] != _MARK and e.label[c] != _DET):
            return mix(mix(np.uint64(5), e.word[c]), e.label[c])
        for m in range(e.child_starts[c], e.child_starts[c + 1]):
            g = e.children[m]
            if e.flags[g] & RELATIVE:
                return mix(mix(mix(np.uint64(6), e.word[g]), e.label[c]), e.label[g])
    return mix(np.uint64(7), signature[v])


@njit(cache=True)
def _predicate(p, frame, out, e, signature):  # type: ignore[no-untyped-def]
    g = e.head[p]
    root = g == p
    particle = _child(p, (_PRT,), e)
    subject, mark, object_ = -1, _child(p, (_MARK,), e), _child(p, (_DOBJ,), e)
    auxiliaries = np.uint64(3)
    for k in range(e.child_starts[p], e.child_starts[p + 1]):
        c = e.children[k]
        if e.label[c] in (_AUX, _AUXPASS):
            auxiliaries = mix(auxiliaries, e.tag[c] if e.tag[c] in (_TO, _MD) else e.lemma[c])
        if subject < 0 and e.flags[c] & SUBJECT:
            subject = c
    top = p
    while e.label[top] in (_CONJ, _XCOMP, _CCOMP, _AUX, _AUXPASS) and e.head[top] != top:
        top = e.head[top]
    relative = np.uint64(0)
    if e.label[top] == _RELCL:
        relative = _relative(top, e, signature)
    elif e.label[top] in (_CCOMP, _ADVCL, _ACL, _PCOMP):
        relative = _relative(p, e, signature)
    before, after = p > e.first[p], p + 1 < e.last[p]
    out[0] = e.lemma[p]
    out[1] = mix(e.lemma[p], e.lemma[particle]) if particle >= 0 else e.lemma[p]
    out[2] = e.tag[p]
    out[3] = e.label[p]
    out[4] = _voice(p, e)
    out[5] = 1 if e.flags[p] & VERB else 2 if e.flags[p] & NOUN else 3
    out[6] = signature[p]
    out[7] = e.lemma[particle] if particle >= 0 else 0
    out[8] = 0 if root else e.lemma[g]
    out[9] = 0 if root else e.tag[g]
    out[10] = 0 if root else e.label[g]
    out[11] = 0 if root else signature[g]
    out[12] = auxiliaries
    out[13] = relative
    out[14] = e.word[mark] if mark >= 0 else 0
    out[15] = frame
    out[16] = mix(e.word[subject], e.tag[subject]) if subject >= 0 else 0
    out[17] = e.tag[p - 1] if before else _EDGE
    out[18] = e.word[p - 1] if before else _EDGE
    out[19] = e.tag[p + 1] if after else _EDGE
    out[20] = e.word[p + 1] if after else _EDGE
    out[21] = e.word[p]
    out[22] = 9 if object_ < 0 else e.predicate[object_]
    out[23] = 9 if root else e.predicate[g]
    out[24] = 1 if subject >= 0 else 0


@njit(cache=True)
def _content(c, e):  # type: ignore[no-untyped-def]
    """Return the object of a preposition, also of a doubled one, for the preposition."""
    if e.label[c] in (_PREP, _AGENT, _DATIVE) or e.tag[c] in (_IN, _TO):
        k = _child(c, (_POBJ, _PCOMP, _PREP), e)
        if k >= 0 and e.label[k] == _PREP:
            inner = _child(k, (_POBJ, _PCOMP), e)
            return inner if inner >= 0 else k
        return k if k >= 0 else c
    return c


@njit(cache=True)
def _siblings(p, c, out, e):  # type: ignore[no-untyped-def]
    rank, same, before, after = 0, 0, -1, -1
    parent = e.head[c]
    if parent != c:
        for k in range(e.child_starts[parent], e.child_starts[parent + 1]):
            s = e.children[k]
            if s == c or e.flags[s] & PUNCT:
                continue
            if e.label[s] == e.label[c]:
                same += 1
                rank += s < c
            if s < c:
                before = s
            elif after < 0:
                after = s
    out[16] = rank
    out[17] = min(same, 3)
    out[18] = 0 if before < 0 else mix(e.label[before], np.uint64(1 if before < p else 2))
    out[19] = 0 if after < 0 else mix(e.label[after], np.uint64(1 if after < p else 2))


@njit(cache=True)
def _inside(c, out, e):  # type: ignore[no-untyped-def]
    mark = _child(c, (_MARK,), e)
    kinds = np.uint64(0)
    for k in range(e.child_starts[c], e.child_starts[c + 1]):
        s = e.children[k]
        if mark < 0 and (e.tag[s] == _TO or e.flags[s] & RELATIVE):
            mark = s
        fresh = not e.flags[s] & PUNCT
        for m in range(e.child_starts[c], k):
            fresh = fresh and e.label[e.children[m]] != e.label[s]
        if fresh:
            kinds += mix(np.uint64(11), e.label[s])
    out[14] = e.word[mark] if mark >= 0 else 0
    out[15] = kinds


@njit(cache=True)
def _between(p, c, out, e, around):  # type: ignore[no-untyped-def]
    low, high = min(c, p), max(c, p)
    gap = high - low
    tags = np.uint64(14)
    if gap <= 5:
        tags = np.uint64(13)
        for i in range(low + 1, high):
            tags = mix(tags, np.uint64(2) if e.flags[i] & NOUN else e.tag[i])
    out[7] = 1 if c < p else 2
    out[8] = gap if gap <= 3 else 4 if gap <= 5 else 6 if gap <= 9 else 10 if gap <= 19 else 20
    out[20] = min(2, around.commas[high] - around.commas[low])
    out[21] = min(3, around.verbs[high] - around.verbs[low + 1])
    out[32] = tags
    out[35] = min(3, around.nouns[high] - around.nouns[low + 1])
    out[36] = min(2, around.subjects[high] - around.subjects[low + 1])
    out[39] = min(3, around.predicates[high] - around.predicates[low + 1])


@njit(cache=True)
def _candidate(p, i, queue, out, e, around):  # type: ignore[no-untyped-def]
    c, top = queue.token[i], queue.top[i]
    x, parent = _content(c, e), e.head[c]
    before, after = c > e.first[c], c + 1 < e.last[c]
    determiner = _child(x, (_DET, _POSS, _NUMMOD, _CASE), e)
    _siblings(p, c, out, e)
    _inside(c, out, e)
    _between(p, c, out, e, around)
    out[0] = queue.path[i]
    out[1] = 8 * queue.up[i] + queue.down[i]
    out[2] = e.label[c]
    out[3] = e.word[c]
    out[4] = e.lemma[c]
    out[5] = e.tag[c]
    out[6] = e.entity[c]
    out[9] = e.lemma[x]
    out[10] = e.tag[x]
    out[11] = e.entity[x]
    out[12] = e.suffix[x]
    out[13] = e.word[x]
    out[22] = e.word[c - 1] if before else _EDGE
    out[23] = e.word[c + 1] if after else _EDGE
    out[24] = e.word[around.left[c]]
    out[25] = e.word[around.right[c]]
    out[26] = e.label[parent] if parent != c else 1
    out[27] = e.lemma[parent]
    out[28] = 1 if around.left[c] <= p and p <= around.right[c] else 0
    out[29] = e.word[determiner] if determiner >= 0 else 0
    out[30] = e.tag[c - 1] if before else _EDGE
    out[31] = e.tag[c + 1] if after else _EDGE
    out[33] = e.lemma[top]
    out[34] = around.signature[top]
    out[37] = e.predicate[c]
    out[38] = e.predicate[x]
