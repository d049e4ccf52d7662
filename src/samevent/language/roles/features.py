"""The features of role labelling: facts about predicates and candidates, and the templates that combine them.

A fact ("atom") is a 64-bit code: the path through the parse from predicate to candidate, a lemma, a tag, whether there
is a comma between. Most atoms are a code of a token in some relation: the lemma of the governor, the word before. So
one table holds the token in each relation to each token, another the codes of each token. Their last two rows stand
for "no token" and "beyond the sentence".

Candidates are the words below the predicate (three steps), those above it (six steps) and their dependents, none too
far away. They cover nearly all role fillers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from samevent.language import hashing
from samevent.language.hashing import Codes, Indices, Templates, code, mix
from samevent.language.roles import encoding
from samevent.language.roles.encoding import Encoded, subtrees

_RELATIONS = 23
PARTICLE, MARK, OBJECT, SUBJECT, DETERMINER, OPENER, RELATIVE, COMPLEMENT, NESTED, VOICED = range(10)
"""Relations: the first child of each kind."""
SELF, PARENT, GOVERNOR, BEFORE, AFTER, LEFT, RIGHT, ELDER, YOUNGER = range(10, 19)
"""The token, its head (of a root: itself, or no token), its neighbours in the sentence, the first and last token of its
subtree, the siblings next to it (punctuation skipped)."""
CONTENT, ARTICLE, OPENING, CLAUSE = range(19, 23)
"""The content word (the object of a preposition, also of a double one), its determiner, the word that opens the phrase,
and the head of the relative or other clause."""

_CODES = 21
WORD, LEMMA, SUFFIX, TAG, LABEL, ENTITY, PREDICATE, KIND, EXISTS = range(9)
"""Codes: those of the encoding; verb, noun or other; 1."""
WORD_TAG, LABEL_AHEAD, LABEL_BEHIND = range(9, 12)
"""Word and tag; the label of a token before the predicate, and after it.

Models were trained with these rounded to floats."""
SIGNATURE, PHRASAL, VOICE, AUXILIARIES, CONNECTION, LABELS, RANK, EQUALS, ABOVE = range(12, 21)
"""The core labels of the children, one bit each; the lemma with its particle; 0 for no verb, 1 active, 2 passive,
3 bare participle; the auxiliaries; the relative word or its substitute; the labels of the children; the rank among
siblings of the same label, and their number; the label of the head."""

_Named = dict[str, tuple[int, int]]

PREDICATE_FACTS: _Named = {
    "pl": (SELF, LEMMA),
    "plp": (SELF, PHRASAL),
    "pt": (SELF, TAG),
    "pd": (SELF, LABEL),
    "pv": (SELF, VOICE),
    "pk": (SELF, KIND),
    "psig": (SELF, SIGNATURE),
    "ppt": (PARTICLE, LEMMA),
    "gl": (GOVERNOR, LEMMA),
    "gt": (GOVERNOR, TAG),
    "gd": (GOVERNOR, LABEL),
    "gsig": (GOVERNOR, SIGNATURE),
    "paux": (SELF, AUXILIARIES),
    "prel": (CLAUSE, CONNECTION),
    "pmk": (MARK, WORD),
    "psub": (SUBJECT, WORD_TAG),
    "ptm": (BEFORE, TAG),
    "pwm": (BEFORE, WORD),
    "ptp": (AFTER, TAG),
    "pwp": (AFTER, WORD),
    "pw": (SELF, WORD),
    "opr": (OBJECT, PREDICATE),
    "gpr": (GOVERNOR, PREDICATE),
    "ownsubj": (SUBJECT, EXISTS),
}
"""Predicate: lemma, lemma with particle, tag, label, voice, kind, signature, particle; lemma, tag, label and
signature of the governor; auxiliaries, relative clause, mark, subject, tags and words of the neighbours, word;
whether the object and the governor are predicates; whether it has its own subject."""

CANDIDATE_FACTS: _Named = {
    "cd": (SELF, LABEL),
    "cw": (SELF, WORD),
    "cl": (SELF, LEMMA),
    "ct": (SELF, TAG),
    "ce": (SELF, ENTITY),
    "xl": (CONTENT, LEMMA),
    "xt": (CONTENT, TAG),
    "xe": (CONTENT, ENTITY),
    "xs": (CONTENT, SUFFIX),
    "xw": (CONTENT, WORD),
    "cmk": (OPENING, WORD),
    "ccs": (SELF, LABELS),
    "rank": (SELF, RANK),
    "nsame": (SELF, EQUALS),
    "cpw": (BEFORE, WORD),
    "cnw": (AFTER, WORD),
    "flw": (LEFT, WORD),
    "law": (RIGHT, WORD),
    "hd": (SELF, ABOVE),
    "hdl": (PARENT, LEMMA),
    "xd": (ARTICLE, WORD),
    "ctm": (BEFORE, TAG),
    "ctp": (AFTER, TAG),
    "cpr": (SELF, PREDICATE),
    "xpr": (CONTENT, PREDICATE),
}
"""Candidate: label, word, lemma, tag, entity; lemma, tag, entity, suffix and word of its content word; mark, labels of
the children, rank among equal siblings and their number; neighbouring, first and last words; label and lemma of the
governor; determiner; neighbouring tags; whether it or its content word is a predicate."""

PAIRS = "path len side dist prs nxs com vrb lcab btw tl tsig nns sbt npb".split()
"""Path and its length, side, distance; labels of the siblings; commas and verbs between; whether the candidate covers
the predicate; tags between; lemma and signature where the path turns; nouns, subjects and predicates between."""

PREDICATE_ATOMS = (*PREDICATE_FACTS, "pf")
"""The facts of the predicate, and its frame."""
CANDIDATE_ATOMS = (*PAIRS, *CANDIDATE_FACTS)
_PREDICATE_COLUMNS, _CANDIDATE_COLUMNS = (
    np.array(list(named.values()), np.int32).T for named in (PREDICATE_FACTS, CANDIDATE_FACTS)
)

UP, DOWN = 6, 3
REACH = 60
"""The maximal distance of a role filler in tokens: anything longer is a list or a table, not a sentence."""
TOKEN, RISE, FALL, TOP = range(4)
"""Columns of candidates: the token, steps up and down the path, the token where the path turns."""
COMMAS, VERBS, NOUNS, SUBJECTS, PREDICATES = range(5)
"""Columns of the counts between predicate and candidate."""
_COUNTED = np.array([encoding.COMMA, encoding.VERB, encoding.NOMINAL, encoding.SUBJECT], np.uint32)


_FIRST_CHILDREN = np.array(
    [
        encoding.PARTICLE,
        encoding.MARK,
        encoding.OBJECT,
        encoding.SUBJECT,
        encoding.DETERMINER,
        encoding.INFINITIVE | encoding.RELATIVE,
        encoding.RELATIVE,
        encoding.COMPLEMENT,
        encoding.COMPLEMENT | encoding.NESTED,
        encoding.PASSIVE | encoding.PERFECT,
    ],
    np.uint32,
)
_AUXILIARY, _CHAINED, _CLAUSE, _RELCL = (
    encoding.AUXILIARY, encoding.CHAINED, encoding.CLAUSE, encoding.RELCL
)  # fmt: skip
_MODAL, _PARTICIPLE, _PASSIVE, _PREPOSITION = (
    encoding.MODAL, encoding.PARTICIPLE, encoding.PASSIVE, encoding.PREPOSITION
)  # fmt: skip
_NESTED, _PUNCT, _VERB, _NOUN, _CONNECTING = (
    encoding.NESTED, encoding.PUNCT, encoding.VERB, encoding.NOUN, encoding.RELATIVE | encoding.THAT
)  # fmt: skip


def templates(text: str) -> Templates:
    """Parse templates, separated by semicolons, over the joined atoms.

    >>> templates("pl; path pv").columns.tolist()
    [[0, -1], [25, 4]]
    """
    return hashing.parse_templates((*PREDICATE_ATOMS, *CANDIDATE_ATOMS), text)


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


class _Facts(NamedTuple):
    """The tables, one row per token, plus one for "no token" and one for "beyond the sentence"."""

    nodes: Indices
    """The token in each relation."""
    codes: Codes

    def atoms(self, relations: Indices, codes: Indices) -> Codes:
        """Return, for each token, these codes of the tokens in these relations."""
        return self.codes[self.nodes[:-2, relations], codes]


def extract_atoms(e: Encoded, tokens: Indices, frames: Codes) -> tuple[Codes, Codes, Indices, Indices]:
    """Return the atoms of predicates, the atoms of their candidates, the candidates, and where each predicate's start.

    `frames` is the frame code of each predicate.
    """
    left, right = subtrees(e.head)
    facts = _token_facts(e, left, right)
    candidates, paths, segments = _find_candidates(e, tokens)
    counts = np.zeros((len(e.head) + 1, 5), np.int32)
    np.cumsum((e.flags[:, None] & _COUNTED) > 0, axis=0, out=counts[1:, :PREDICATES])
    np.cumsum(e.predicate > 0, out=counts[1:, PREDICATES])
    tags = np.where(e.flags & encoding.NOUN, np.uint64(2), e.tag)
    pairs = np.empty((len(candidates), len(PAIRS)), np.uint64)
    _compare(tokens, segments, candidates, paths, *facts, counts, tags, pairs)
    heads = candidates[:, TOKEN].copy()
    above = np.concatenate([facts.atoms(*_PREDICATE_COLUMNS)[tokens], frames[:, None]], axis=1)
    below = np.concatenate([pairs, facts.atoms(*_CANDIDATE_COLUMNS)[heads]], axis=1)
    return above, below, heads, segments


def join_atoms(predicates: Codes, candidates: Codes, segments: Indices) -> Codes:
    """Prepend the atoms of the predicate to those of each of its candidates."""
    return np.hstack([np.repeat(predicates, np.diff(segments), axis=0), candidates])


def _token_facts(e: Encoded, left: Indices, right: Indices) -> _Facts:
    n = len(e.head)
    nodes, codes = np.full((n + 2, _RELATIONS), n, np.int32), np.zeros((n + 2, _CODES), np.uint64)
    for column, values in enumerate((e.word, e.lemma, e.suffix, e.tag, e.label, e.entity)):
        codes[:n, column] = values
    codes[:n, PREDICATE] = e.predicate
    codes[n, PREDICATE] = 9  # differs from a token that is not a predicate
    codes[n + 1] = code("^")
    _relate(nodes, e.flags, e.head, e.first, e.last, left, right, e.child_starts, e.children)
    _describe(nodes, codes, e.flags, e.core, e.child_starts, e.children)
    return _Facts(nodes, codes)


def _find_candidates(e: Encoded, tokens: Indices) -> tuple[Indices, Codes, Indices]:
    """Return the candidates of predicates (see TOKEN), the paths to them, and where each predicate's start."""
    most = len(tokens) * min(len(e.head), 2 * REACH + UP)
    candidates, paths = np.empty((most, 4), np.int32), np.empty(most, np.uint64)
    segments, seen = np.zeros(len(tokens) + 1, np.int32), np.full(len(e.head), -1, np.int32)
    _walk(tokens, e.head, e.label, e.flags, e.child_starts, e.children, seen, candidates, paths, segments)
    return candidates[: segments[-1]], paths[: segments[-1]], segments


@njit(cache=True)
def _relate(nodes, flags, head, first, last, left, right, child_starts, children):  # type: ignore[no-untyped-def]
    """Fill in the relations."""
    none, beyond = len(flags), len(flags) + 1
    for t in range(len(flags)):
        nodes[t, SELF], nodes[t, PARENT] = t, head[t]
        nodes[t, GOVERNOR] = head[t] if head[t] != t else none
        nodes[t, BEFORE] = t - 1 if t > first[t] else beyond
        nodes[t, AFTER] = t + 1 if t + 1 < last[t] else beyond
        nodes[t, LEFT], nodes[t, RIGHT] = left[t], right[t]
        elder = none
        for k in range(child_starts[t], child_starts[t + 1]):
            c = children[k]
            for relation in range(len(_FIRST_CHILDREN)):
                if nodes[t, relation] == none and flags[c] & _FIRST_CHILDREN[relation]:
                    nodes[t, relation] = c
            nodes[c, ELDER] = elder
            if not flags[c] & _PUNCT:  # c is the next sibling of all before it that still lack one
                for j in range(child_starts[t], k):
                    if nodes[children[j], YOUNGER] == none:
                        nodes[children[j], YOUNGER] = c
                elder = c
    for t in range(len(flags)):
        content = t
        if flags[t] & _PREPOSITION and nodes[t, NESTED] != none:
            content = nodes[t, NESTED]
            if flags[content] & _NESTED and nodes[content, COMPLEMENT] != none:
                content = nodes[content, COMPLEMENT]
        nodes[t, CONTENT] = content
        nodes[t, ARTICLE] = nodes[content, DETERMINER]
        nodes[t, OPENING] = nodes[t, MARK] if nodes[t, MARK] != none else nodes[t, OPENER]
        top = t
        while flags[top] & _CHAINED and head[top] != top:
            top = head[top]
        if flags[top] & _RELCL:
            nodes[t, CLAUSE] = top
        elif flags[top] & _CLAUSE:
            nodes[t, CLAUSE] = t


@njit(cache=True)
def _describe(nodes, codes, flags, core, child_starts, children):  # type: ignore[no-untyped-def]
    """Fill in the codes derived from other codes and from relations."""
    none = len(flags)
    for t in range(len(flags)):
        codes[t, EXISTS] = 1
        codes[t, KIND] = 1 if flags[t] & _VERB else 2 if flags[t] & _NOUN else 3
        codes[t, WORD_TAG] = np.float64(mix(codes[t, WORD], codes[t, TAG]))
        codes[t, LABEL_AHEAD] = np.float64(mix(codes[t, LABEL], np.uint64(1)))
        codes[t, LABEL_BEHIND] = np.float64(mix(codes[t, LABEL], np.uint64(2)))
        lemma, particle, voiced = codes[t, LEMMA], nodes[t, PARTICLE], nodes[t, VOICED]
        codes[t, PHRASAL] = lemma if particle == none else mix(lemma, codes[particle, LEMMA])
        codes[t, ABOVE] = 1 if nodes[t, PARENT] == t else codes[nodes[t, PARENT], LABEL]
        if flags[t] & _PARTICIPLE:
            codes[t, VOICE] = 3 if voiced == none else 2 if flags[voiced] & _PASSIVE else 1
        elif flags[t] & _VERB:
            codes[t, VOICE] = 1
        auxiliaries, connection = np.uint64(3), np.uint64(0)
        for k in range(child_starts[t], child_starts[t + 1]):
            c = children[k]
            label, inner = codes[c, LABEL], nodes[c, RELATIVE]
            codes[t, SIGNATURE] |= np.uint64(core[c])
            if flags[c] & _AUXILIARY:
                auxiliaries = mix(auxiliaries, codes[c, TAG if flags[c] & _MODAL else LEMMA])
            if connection == 0 and flags[c] & _CONNECTING:
                connection = mix(mix(np.uint64(5), codes[c, WORD]), label)
            elif connection == 0 and inner != none:
                connection = mix(mix(mix(np.uint64(6), codes[inner, WORD]), label), codes[inner, LABEL])
            if flags[c] & _PUNCT:
                continue
            for j in range(child_starts[t], k):
                if codes[children[j], LABEL] == label:
                    codes[children[j], EQUALS] += np.uint64(codes[children[j], EQUALS] < 3)
                    codes[c, RANK] += np.uint64(1)
            codes[c, EQUALS] = min(codes[c, RANK], np.uint64(3))
            if codes[c, RANK] == 0:
                codes[t, LABELS] += mix(np.uint64(11), label)
        codes[t, AUXILIARIES] = auxiliaries
        codes[t, CONNECTION] = connection or mix(np.uint64(7), codes[t, SIGNATURE])


@njit(cache=True)
def _walk(tokens, head, label, flags, child_starts, children, seen, candidates, paths, segments):  # type: ignore[no-untyped-def]
    """Find the candidates below each predicate, then above it step by step with their dependents, no token twice.

    `seen` is the number of the last predicate that reached a token.
    """
    size = 0
    for number in range(len(tokens)):
        p = x = tokens[number]
        up, path, start, at = 0, np.uint64(1), size, size - 1
        seen[p] = number
        while True:
            reach = DOWN if up == 0 else 2 if up < 3 else 1
            while at < size:
                # The predicate itself precedes its first candidate.
                node, way, down = (
                    (p, path, 0) if at < start else (candidates[at, TOKEN], paths[at], candidates[at, FALL])
                )
                at += 1
                if down >= reach:
                    continue
                for k in range(child_starts[node], child_starts[node + 1]):
                    c = children[k]
                    if seen[c] != number and not flags[c] & _PUNCT and abs(c - p) <= REACH:
                        seen[c] = number
                        candidates[size, TOKEN], candidates[size, TOP] = c, x
                        candidates[size, RISE], candidates[size, FALL] = up, down + 1
                        paths[size] = mix(mix(way, np.uint64(62)), label[c])
                        size += 1
            if head[x] == x or up == UP:
                break
            path = mix(mix(path, np.uint64(60)), label[x])
            x = head[x]
            up += 1
            seen[x] = number
            candidates[size, TOKEN], candidates[size, TOP] = x, x
            candidates[size, RISE], candidates[size, FALL] = up, 0
            paths[size] = path
            size += 1
        segments[number + 1] = size


@njit(cache=True)
def _compare(tokens, segments, candidates, paths, nodes, codes, counts, tags, out):  # type: ignore[no-untyped-def]
    """Fill in the atoms of pairs of predicate and candidate."""
    for number in range(len(tokens)):
        p = tokens[number]
        for i in range(segments[number], segments[number + 1]):
            c, top = candidates[i, TOKEN], candidates[i, TOP]
            low, high = min(c, p), max(c, p)
            gap = high - low
            out[i, 0] = paths[i]
            out[i, 1] = 8 * candidates[i, RISE] + candidates[i, FALL]
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
