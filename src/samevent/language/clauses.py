"""The clause of an event mention, shortened: who did what to whom, in the words of its own sentence and in their order.

    Jets of the Sudanese army, which denied it, on Thursday bombed a camp in Yida.  ->  Jets of the Sudanese army bombed
    a camp in Yida

A verb takes along its subject, auxiliaries, negation, particle, objects and one prepositional phrase; a noun its
modifiers and what it is joined to by prepositions (*the bombing of Yida*), or the clause of a verb that only says that
it took place (*an earthquake struck Kestry*, *drivers went on strike*) or that somebody is accused of it. Subordinate
clauses, adverbs, appositions, quotes and parentheses are left out. What would make an event of a condition, a wish or
an accusation stays: *if Sudan bombs Yida*, *Sudan plans to bomb Yida*, *accused of bombing Yida*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from samevent.corpus import Document, Mention
from samevent.language.annotation import Annotation

LONGEST = 90
"""The length of a clause in characters, at most."""
_HIGHEST = 3
"""How many governors a verb without a subject may take along."""
_DEEPEST = 2
"""How many complements may lie inside each other."""
_NESTED = 8
"""How many modifiers may: no clause has more, but a text without an end may."""

_SUBJECTS = frozenset("nsubj nsubjpass expl".split())
_HELPERS = frozenset("aux auxpass neg prt".split())
_OBJECTS = frozenset("dobj dative attr oprd".split())
_BEFORE_NOUN = frozenset("det predet amod compound poss nummod quantmod nmod npadvmod neg case".split())
_BRIEF_BEFORE_NOUN = _BEFORE_NOUN - {"amod", "nmod"}
_ASIDE = frozenset("relcl acl appos advcl ccomp parataxis conj cc punct dep intj".split())
"""Dependents of a modifier that are left out."""
_CONDITIONS = frozenset("if unless whether".split())
_PARTICLES = frozenset("up down out off away back over apart together aside".split())
_BARE = frozenset("after before while since by in upon on despite during through when than".split())
"""Prepositions that begin a circumstance: their gerund stands alone (*bombing Yida*)."""
_DENIALS = frozenset("deny doubt dispute refute reject fear threaten warn".split())
"""Verbs whose complement is not said to have happened."""
_LIGHT = frozenset(
    "make take carry give have hold launch conduct commit do get suffer stage undergo mount undertake".split()
)
_OCCURS = frozenset("strike hit shake rock jolt rattle occur happen erupt devastate ravage".split())
"""Verbs that say of their subject that it took place."""
_ENTERS = frozenset(("go", "be"))
"""Verbs that say of their subject that it does what *on* or *under* leads to (*went on strike*)."""
_ACCUSES = frozenset("accuse acquit arrest charge convict indict suspect".split())
"""Verbs that do not say that what *of*, *with* or *for* leads to took place."""
_RELATIVE = frozenset("who which that whom".split())
_TIMES = frozenset(("DATE", "TIME"))
_MEASURES = frozenset(("PERCENT", "MONEY", "QUANTITY", "CARDINAL"))
_JOINTS = frozenset("-–/&%$#")
_NO_SPACE_BEFORE = re.compile(r" (?=(?:['’]s\b|['’](?:re|ve|ll|d|m)\b|n['’]t\b|%|,|['’](?: |$)))")
_MARKS = re.compile(r"[\[\]{}()<>\"“”„«»`]+|''")
_QUOTED = re.compile(r"(?<!\w)['‘](?!s )([^'’]{1,60})['’](?!\w)")
_LOOSE_HYPHEN = re.compile(r"(?<=\w) - (?=\w)")
_LOOSE_DOLLAR = re.compile(r"(?<=\$) (?=\d)")


def with_clauses(document: Document, annotation: Annotation) -> Document:
    """Return the document with a clause on each event mention; clauses that mentions already have stay."""
    mentions = document.mentions
    if all(m.kind != "action" or m.clause is not None for m in mentions):
        return document
    parse = _Parse(document, annotation)
    return replace(
        document,
        mentions=tuple(
            replace(m, clause=parse.clause(m)) if m.kind == "action" and m.clause is None else m
            for m in mentions
        ),
    )


class _Parse:
    """A parsed document with the dependents of each token."""

    def __init__(self, document: Document, annotation: Annotation) -> None:
        self.document, self.annotation = document, annotation
        self.words = [token.text.lower() for token in document.tokens]
        self.below: list[list[int]] = [[] for _ in annotation.heads]
        for token, governor in enumerate(annotation.heads):
            if governor != token:
                self.below[governor].append(token)
        self.timed = {
            t for start, end, name in annotation.entities if name in _TIMES for t in range(start, end)
        }
        self.measured = {
            t for start, end, name in annotation.entities if name in _MEASURES for t in range(start, end)
        }

    def clause(self, mention: Mention) -> str:
        """Return the clause of a mention, shorter and shorter until it fits."""
        own = mention.tokens
        at = mention.head if mention.head is not None else own[-1]
        text = ""
        for brevity in range(4):
            tokens = self._around(at, brevity)
            tokens.update(own if len(own) <= 4 else (at,))
            text = self._written(sorted(tokens))
            if len(text) <= LONGEST:
                return text or mention.text
        return text[:LONGEST].rpartition(" ")[0].rstrip(" ,") + "…"

    def _around(self, at: int, brevity: int) -> set[int]:
        """Return the tokens of the clause of a word."""
        annotation = self.annotation
        label, governor = annotation.labels[at], annotation.heads[at]
        if self._is_verb(at):
            if label in ("amod", "compound", "nmod") and not self._is_verb(governor):
                return self._noun(governor, brevity, joined=True)
            return self._verb_clause(at, brevity)
        if label in ("acomp", "oprd") and self._is_verb(governor):
            return self._verb_clause(governor, brevity)
        if label in ("amod", "compound", "nmod", "nummod") and governor != at:
            return self._noun(governor, brevity, joined=True)
        if (
            label in ("dobj", "nsubjpass")
            and annotation.lemmas[governor] in _LIGHT
            and self._subject(governor) is not None
        ):
            return self._verb_clause(governor, brevity) | self._noun(at, brevity, joined=True)
        if (verb := self._telling_verb(at)) is not None:
            return self._verb_clause(verb, brevity) | self._path_up(at, verb)
        return self._noun(at, brevity, joined=True)

    def _telling_verb(self, noun: int) -> int | None:
        """Return the verb that says whether what a noun names took place."""
        labels, heads, lemmas = self.annotation.labels, self.annotation.heads, self.annotation.lemmas
        governor = heads[noun]
        if labels[noun] == "nsubj":
            return governor if lemmas[governor] in _OCCURS and self._is_verb(governor) else None
        verb = heads[governor]
        if labels[noun] != "pobj" or not self._is_verb(verb) or self._subject(verb) is None:
            return None
        word = self.words[governor]
        entered = lemmas[verb] in _ENTERS and word in ("on", "under")
        accused = lemmas[verb] in _ACCUSES and word in ("of", "with", "for", "on")
        return verb if entered or accused else None

    def _path_up(self, noun: int, verb: int) -> set[int]:
        """Return a noun with its modifiers, and the prepositions up to a verb."""
        tokens = self._noun(noun, 1, joined=False)
        at = self.annotation.heads[noun]
        while at != verb:
            tokens.add(at)
            at = self.annotation.heads[at]
        return tokens

    def _is_verb(self, at: int) -> bool:
        return self.annotation.pos[at] in ("VERB", "AUX") or self.annotation.tags[at].startswith("VB")

    def _children(self, at: int, *labels: str) -> Iterator[int]:
        return (child for child in self.below[at] if self.annotation.labels[child] in labels)

    def _subject(self, verb: int) -> int | None:
        """Return the subject of a verb, or of the verb that it is joined to."""
        for _ in range(_HIGHEST):
            for child in self.below[verb]:
                if self.annotation.labels[child] in _SUBJECTS:
                    return child
            if self.annotation.labels[verb] != "conj" or not self._is_verb(self.annotation.heads[verb]):
                return None
            verb = self.annotation.heads[verb]
        return None

    def _verb_clause(self, verb: int, brevity: int) -> set[int]:
        tokens = self._predicate(verb, brevity)
        subject = self._subject(verb)
        if subject is not None:
            return tokens | self._subject_tokens(verb, subject, brevity) | self._frame(verb, brevity)
        return tokens | self._frame(verb, brevity)

    def _subject_tokens(self, verb: int, subject: int, brevity: int) -> set[int]:
        """Return the subject; a relative pronoun is replaced by what it refers to."""
        labels, heads = self.annotation.labels, self.annotation.heads
        first = verb
        while labels[first] == "conj" and self._is_verb(heads[first]):
            first = heads[first]
        if self.words[subject] in _RELATIVE and labels[first] == "relcl":
            return self._noun(heads[first], max(brevity, 1), joined=False)
        return self._noun(subject, brevity, joined=False)

    def _frame(self, verb: int, brevity: int) -> set[int]:
        """Return what a verb stands in: its condition, the verb that it completes, the noun that it describes."""
        labels, heads = self.annotation.labels, self.annotation.heads
        tokens = {mark for mark in self._children(verb, "mark") if self.words[mark] in _CONDITIONS}
        has_subject = self._subject(verb) is not None
        first = verb
        while labels[first] == "conj" and self._is_verb(heads[first]):
            first = heads[first]
            tokens |= {mark for mark in self._children(first, "mark") if self.words[mark] in _CONDITIONS}
        label, governor = labels[first], heads[first]
        if label == "ccomp" and self.annotation.lemmas[governor] in _DENIALS:
            return tokens | self._governor(governor, brevity, _HIGHEST)
        if has_subject and label != "relcl":
            return tokens
        if label == "relcl" and has_subject:
            object_of = [c for c in self._children(first, "dobj", "pobj") if self.words[c] in _RELATIVE]
            if object_of:
                return tokens | self._noun(governor, 1, joined=False)
            return tokens
        if label == "xcomp" or (label == "ccomp" and not has_subject):
            return tokens | self._governor(governor, brevity, _HIGHEST)
        if label == "pcomp":
            return tokens | self._through_preposition(governor, brevity)
        if label in ("acl", "relcl"):
            return tokens | self._noun(governor, max(brevity, 1), joined=False)
        return tokens

    def _through_preposition(self, preposition: int, brevity: int) -> set[int]:
        """Return the preposition before a gerund, and what it belongs to, unless it begins a circumstance."""
        if self.words[preposition] in _BARE:
            return set()
        governor = self.annotation.heads[preposition]
        if governor == preposition or self.words[preposition] == "without":
            return {preposition}
        if self._is_verb(governor) or self.annotation.pos[governor] == "ADJ":
            return {preposition} | self._governor(governor, brevity, _HIGHEST)
        return {preposition} | self._noun(governor, 1, joined=False)

    def _governor(self, at: int, brevity: int, steps: int) -> set[int]:
        """Return a governing verb or adjective, with its subject or what governs it in turn."""
        labels, heads = self.annotation.labels, self.annotation.heads
        if not self._is_verb(at):
            tokens = {at, *self._children(at, "neg")}
            return (
                tokens | self._governor(heads[at], brevity, steps - 1)
                if steps and heads[at] != at
                else tokens
            )
        tokens = self._core(at)
        for child in self._children(at, "dobj", "acomp"):
            tokens |= self._noun(child, 1, joined=False)
        subject = self._subject(at)
        if subject is not None:
            return tokens | self._subject_tokens(at, subject, brevity)
        first = at
        while labels[first] == "conj" and self._is_verb(heads[first]):
            first = heads[first]
        if labels[first] in ("acl", "relcl"):
            return tokens | self._noun(heads[first], 1, joined=False)
        if steps and labels[first] == "xcomp":
            return tokens | self._governor(heads[first], brevity, steps - 1)
        return tokens

    def _core(self, verb: int) -> set[int]:
        """Return a verb with its auxiliaries, negation and particle, those it shares with a verb before it too."""
        labels, heads, tags = self.annotation.labels, self.annotation.heads, self.annotation.tags
        tokens = {verb}
        for child in self.below[verb]:
            if labels[child] in _HELPERS or (
                labels[child] == "advmod" and child == verb + 1 and self.words[child] in _PARTICLES
            ):
                tokens.add(child)
        first = verb
        while labels[first] == "conj" and self._is_verb(heads[first]) and not any(self._helping(first)):
            first = heads[first]
        if first != verb and tags[first] == tags[verb] and tags[verb] in ("VB", "VBN", "VBG"):
            tokens.update(self._helping(first))  # *was arrested and charged*
        return tokens

    def _helping(self, verb: int) -> Iterator[int]:
        return self._children(verb, "aux", "auxpass", "neg")

    def _predicate(self, verb: int, brevity: int, depth: int = 0) -> set[int]:
        """Return a verb with what completes it."""
        labels = self.annotation.labels
        tokens = self._core(verb)
        phrases: list[int] = []
        completed = False
        for child in self.below[verb]:
            label = labels[child]
            if label in _OBJECTS or label == "acomp":
                if self.words[child] in _RELATIVE and child < verb:
                    continue
                tokens |= self._complement(child, brevity, depth)
                completed = True
            elif label in ("agent", "prep") and child > verb:
                phrases.append(child)
            elif label == "npadvmod" and child in self.measured and child > verb:
                tokens |= self._noun(child, 1, joined=False)
                completed = True
            elif label == "xcomp" and depth < _DEEPEST and brevity < 3 and child > verb:
                tokens |= self._predicate(child, brevity, depth + 1)
                completed = True
            elif (
                label == "ccomp"
                and depth == 0
                and brevity < 2
                and child > verb
                and not completed
                and self._is_verb(child)
                and child - verb < 12
            ):
                subject = self._subject(child)
                if subject is not None and verb < subject < min(self._core(child)):
                    tokens |= self._predicate(child, max(brevity, 1), _DEEPEST)
                    tokens |= self._noun(subject, 1, joined=False)
                    tokens |= {mark for mark in self._children(child, "mark") if mark > verb}
        return tokens | self._chosen_phrases(phrases, brevity, completed=completed)

    def _chosen_phrases(self, phrases: Sequence[int], brevity: int, *, completed: bool) -> set[int]:
        """Return the agent of a passive, and the first prepositional phrase that tells more than the time."""
        tokens: set[int] = set()
        for phrase in phrases:
            if self.annotation.labels[phrase] == "agent":
                tokens |= self._phrase(phrase, brevity)
        if brevity > (0 if completed else 2):
            return tokens
        for phrase in phrases:
            if self.annotation.labels[phrase] == "prep" and self._tells(phrase):
                return tokens | self._phrase(phrase, max(brevity, 1))
        return tokens

    def _tells(self, preposition: int, *, outermost: bool = True) -> bool:
        """Return whether a prepositional phrase has an object that is no time and no pronoun."""
        if self.words[preposition] in (
            "according",
            "because",
            "despite",
            "amid",
            "while",
            "as",
            "like",
            "since",
        ):
            return False
        for child in self._children(preposition, "pobj"):
            return child not in self.timed and self.annotation.pos[child] not in ("PRON", "DET")
        if self.words[preposition] in ("of", "with", "for", "from", "to") and any(
            self._children(preposition, "pcomp")
        ):
            return True
        inner = next(self._children(preposition, "prep"), None)  # *out of the house*
        return inner is not None and outermost and self._tells(inner, outermost=False)

    def _complement(self, at: int, brevity: int, depth: int) -> set[int]:
        """Return an object or predicate; an adjective takes along what completes it."""
        if self.annotation.pos[at] == "ADP":
            return self._phrase(at, brevity)
        if self.annotation.pos[at] not in ("ADJ", "VERB", "ADV"):
            return self._noun(at, brevity, joined=brevity == 0)
        tokens = {at, *self._children(at, "neg", "det")}
        for child in self._children(at, "prep", "xcomp"):
            if self.annotation.labels[child] == "prep" and self._tells(child) and brevity < 2:
                return tokens | self._phrase(child, 1)
            if self.annotation.labels[child] == "xcomp" and depth < _DEEPEST:
                return tokens | self._predicate(child, max(brevity, 1), depth + 1)
        return tokens

    def _phrase(self, preposition: int, brevity: int, nested: int = 0) -> set[int]:
        """Return a preposition with its object."""
        tokens = {preposition}
        if nested > _NESTED:
            return tokens
        for child in self.below[preposition]:
            label = self.annotation.labels[child]
            if label == "pobj":
                tokens |= self._noun(child, max(brevity, 1), joined=False, nested=nested + 1)
            elif label == "pcomp" and self._is_verb(child):
                tokens |= self._predicate(child, max(brevity, 1), _DEEPEST)
            elif label == "prep":
                tokens |= self._phrase(child, brevity, nested + 1)
        return tokens

    def _noun(self, at: int, brevity: int, *, joined: bool, nested: int = 0) -> set[int]:
        """Return a noun with its modifiers and *of ...*; if `joined`, with one more prepositional phrase."""
        labels = self.annotation.labels
        before = _BEFORE_NOUN if brevity < 2 else _BRIEF_BEFORE_NOUN
        tokens = {at}
        if nested > _NESTED:
            return tokens
        extra = joined and brevity < 2
        for child in self.below[at]:
            label = labels[child]
            if child < at and label in before:
                self._take_in(child, tokens, nested)
            elif label in ("prep", "agent") and child > at:
                if self.words[child] == "of" or (extra and self._tells(child)):
                    extra = extra and self.words[child] == "of"
                    tokens |= self._phrase(child, max(brevity, 1), nested + 1)
            elif label == "conj" and not joined and not self._is_verb(child):
                other = self._noun(child, max(brevity, 1), joined=False, nested=nested + 1)
                tokens |= other | {cc for cc in self._children(at, "cc") if cc < child}
                if self.words[min(other) - 1] == ",":
                    tokens.add(min(other) - 1)
            elif label in ("nummod", "neg") or (label == "case" and child > at):
                tokens.add(child)
        first = min(tokens)
        tokens.update(t for t in range(first + 1, at) if self.words[t] in _JOINTS)
        return tokens

    def _take_in(self, at: int, tokens: set[int], nested: int) -> None:
        """Add a modifier with its own modifiers."""
        labels = self.annotation.labels
        tokens.add(at)
        aside = _ASIDE - {"conj", "cc"} if labels[at] in ("nummod", "amod") else _ASIDE
        for child in self.below[at]:
            if nested < _NESTED and (labels[child] not in aside or self.words[child] in _JOINTS):
                self._take_in(child, tokens, nested + 1)

    def _written(self, tokens: Iterable[int]) -> str:
        """Return tokens as text, with spaces where the text has white space or something is left out."""
        text, all_tokens = self.document.text, self.document.tokens
        parts: list[str] = []
        end = -1
        for at in tokens:
            token = all_tokens[at]
            between = text[end : token.start] if end >= 0 else ""
            # What is left out inside a word (*8.6-magnitude*) stays.
            parts.append(" " if any(map(str.isspace, between)) else between)
            parts.append(token.text)
            end = token.end
        return tidied("".join(parts))


def tidied(text: str) -> str:
    """Return words as they are printed, without quotes, and where a corpus has spaces around clitics and hyphens.

    >>> tidied("Sudan 's army did n't fire 20 - year - old shells")
    "Sudan's army didn't fire 20-year-old shells"
    """
    text = _NO_SPACE_BEFORE.sub("", " ".join(_QUOTED.sub(r"\1", _MARKS.sub(" ", text)).split()))
    return _LOOSE_DOLLAR.sub("", _LOOSE_HYPHEN.sub("-", text))
