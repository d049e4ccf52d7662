"""What is known of each token by itself, as a predicate and as a candidate for a role.

Every such atom is a code of a token in some relation: the lemma of the governor, the word before. So there is a table
that says which token stands in each relation to each, and one with the codes of each token. Two more rows of the
tables, the last, stand for no token at all and for one beyond the sentence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from samevent.language.hashing import Codes, Indices, code, mix
from samevent.language.roles import encoding
from samevent.language.roles.encoding import Encoded

RELATIONS = 23
PARTICLE, MARK, OBJECT, SUBJECT, DETERMINER, OPENER, RELATIVE, COMPLEMENT, NESTED, VOICED = range(10)
"""Relations: the first children by kind."""
SELF, PARENT, GOVERNOR, BEFORE, AFTER, LEFT, RIGHT, ELDER, YOUNGER = range(10, 19)
"""The token itself, what it hangs on (a root: itself, or no token), its neighbours in the sentence, the first and last
token below it, the siblings next to it, punctuation left out."""
CONTENT, ARTICLE, OPENING, CLAUSE = range(19, 23)
"""The content word (the object of a preposition, also of a doubled one), its determiner, what opens the phrase, and the
token that heads its relative clause or any other."""

CODES = 21
WORD, LEMMA, SUFFIX, TAG, LABEL, ENTITY, PREDICATE, KIND, EXISTS = range(9)
"""Codes: by the encoding, verb or noun or other, 1."""
WORD_TAG, LABEL_AHEAD, LABEL_BEHIND = range(9, 12)
"""Word and tag together; the label of a token before the predicate, and behind it.

Models know them rounded, as floats."""
SIGNATURE, PHRASAL, VOICE, AUXILIARIES, CONNECTION, LABELS, RANK, EQUALS, ABOVE = range(12, 21)
"""The core labels below, a bit each; the lemma with its particle; 0 for no verb, 1 active, 2 passive, 3 a bare
participle; the auxiliaries; the relative word, or what a clause has instead; the labels below; the rank among siblings
of the same label, and how many there are; the label above."""

Named = dict[str, tuple[int, int]]

PREDICATES: Named = {
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
"""Predicate: lemma, with particle, tag, label, voice, kind, signature, particle; its governor's lemma, tag, label,
signature; auxiliaries, relative clause, mark, subject, neighbours' tags and words, word; whether its object and
governor are predicates; whether it has a subject of its own."""

CANDIDATES: Named = {
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
"""Candidate: label, word, lemma, tag, entity; its content word by lemma, tag, entity, suffix, word; its mark, labels
below, rank among equal siblings and their number; neighbouring, first and last words; its governor's label and lemma;
its determiner; neighbouring tags; whether it or its content word is a predicate."""

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


class Tokens(NamedTuple):
    """The tables; a row each for every token, for none and for one beyond the sentence."""

    nodes: Indices
    """Which token stands in each relation."""
    codes: Codes

    def atoms(self, relations: Indices, codes: Indices) -> Codes:
        """Return, for every token, these codes of those that stand in these relations."""
        return self.codes[self.nodes[:-2, relations], codes]


def known(e: Encoded, left: Indices, right: Indices) -> Tokens:
    """Fill the tables of a document; `left` and `right` are the first and last token below each."""
    n = len(e.head)
    nodes, codes = np.full((n + 2, RELATIONS), n, np.int32), np.zeros((n + 2, CODES), np.uint64)
    for column, values in enumerate((e.word, e.lemma, e.suffix, e.tag, e.label, e.entity)):
        codes[:n, column] = values
    codes[:n, PREDICATE] = e.predicate
    codes[n, PREDICATE] = 9  # unlike that of a token that is no predicate
    codes[n + 1] = code("^")
    _relate(nodes, e.flags, e.head, e.first, e.last, left, right, e.child_starts, e.children)
    _describe(nodes, codes, e.flags, e.core, e.child_starts, e.children)
    return Tokens(nodes, codes)


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
            if not flags[c] & _PUNCT:  # c comes next for all before it that still have none
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
    """Fill in the codes that follow from others and from relations."""
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
