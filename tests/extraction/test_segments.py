"""Atoms of segments against their definitions, on random parses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from extraction_builders import text_of
from parses import random_annotations
from samevent.corpus import Document
from samevent.extraction.arguments import Parsed
from samevent.extraction.features import TOKEN_ATOMS as TOKEN_ATOMS
from samevent.extraction.features import token_atoms
from samevent.extraction.segments import SEGMENT_ATOMS, segment_atoms
from samevent.language.annotation import Annotation
from samevent.language.hashing import code
from samevent.language.heads import head, token_depths
from samevent.language.roles import Predicate, RoleArgument

FUNCTION = frozenset("ADP AUX CCONJ DET PART PUNCT SCONJ SPACE SYM".split())
Atoms = dict[tuple[int, int], dict[str, int]]
"""The atoms of each segment by its span; `head` is where its head is."""


def read(text: Parsed, longest: int) -> Atoms:
    document, annotation, predicates = text[:3]
    tokens, e = token_atoms(document, annotation, predicates, ["x"] * len(annotation))
    atoms, heads = segment_atoms(annotation, predicates, tokens, TOKEN_ATOMS, e, longest)
    assert len(atoms) == len(heads) == len(annotation) * longest
    found = {}
    for row, (values, offset) in enumerate(zip(atoms.tolist(), heads.tolist(), strict=True)):
        start, length = divmod(row, longest)
        if any(values):
            own = dict(zip(SEGMENT_ATOMS, values, strict=True))
            found[start, start + length + 1] = own | {"head": start + offset}
    return found


def one_sentence(annotation: Annotation) -> Parsed:
    return Parsed(Document.from_tokens("d", [["w"] * len(annotation)]), annotation, ())


def relation(segment: set[int], span: set[int] | None) -> int:
    """Return how a segment overlaps a span."""
    if span is None:
        return 0
    if segment == span:
        return 1
    if segment < span:
        return 2 if max(segment) == max(span) else 3 if min(segment) == min(span) else 4
    return 5 if span < segment else 6


@settings(max_examples=150, deadline=None)
@given(random_annotations())
def test_head_is_the_head_of_the_span_where_that_is_not_in_doubt(annotation: Annotation) -> None:
    """It is if the highest token is a content word, and if there is just one content word in the segment."""
    content = [
        pos not in FUNCTION and lemma != "be"
        for pos, lemma in zip(annotation.pos, annotation.lemmas, strict=True)
    ]
    depth = token_depths(annotation)
    for (start, end), atoms in read(one_sentence(annotation), 6).items():
        inside = range(start, end)
        highest = min(inside, key=lambda i: (depth[i], i))
        if content[highest] or sum(content[i] for i in inside) == 1 or len(inside) == 1:
            assert atoms["head"] == head(annotation, start, end)
        assert start <= atoms["head"] < end
        assert content[atoms["head"]] or not any(content[i] for i in inside)


def test_head_of_ordinary_phrases_is_that_of_the_span() -> None:
    text = text_of("""
        Sudan PROPN nsubj bombed
        has AUX aux bombed have
        bombed VERB ROOT bombed bomb
        the DET det camp
        refugee NOUN compound camp
        camp NOUN dobj bombed
        in ADP prep bombed
        Yida PROPN pobj in
        on ADP prep bombed
        Thursday PROPN pobj on
    """)
    found = read(text, 4)
    for span in [(0, 1), (1, 3), (2, 3), (2, 6), (3, 6), (4, 6), (6, 8), (8, 10), (3, 4), (6, 10)]:
        assert found[span]["head"] == head(text.annotation, *span), span


@settings(max_examples=100, deadline=None)
@given(random_annotations(longest=9))
def test_segment_atoms_match_their_description(annotation: Annotation) -> None:
    n, longest = len(annotation), 5
    text = one_sentence(annotation)
    tags, labels, heads = annotation.tags, annotation.labels, annotation.heads
    depth = token_depths(annotation)
    below = {i: {j for j in range(n) if i in above(heads, j)} for i in range(n)}
    chunk_of = {t: set(range(a, b)) for a, b in annotation.chunks for t in range(a, b)}
    found = read(text, longest)
    assert set(found) == {(a, b) for a in range(n) for b in range(a + 1, min(n, a + longest) + 1)}
    for (a, b), atoms in found.items():
        inside = set(range(a, b))
        top, h = min(inside, key=lambda i: (depth[i], i)), atoms["head"]
        assert atoms["tops"] == min(3, sum(heads[i] not in inside or heads[i] == i for i in inside))
        assert (atoms["top.t"], atoms["head.t"], atoms["head.d"]) == tuple(
            map(code, (tags[top], tags[h], labels[h]))
        )
        assert atoms["head.at"] == min(3, b - 1 - h)
        first, last = min(below[top]), max(below[top])
        assert atoms["left"] == (0 if first == a else 1 if first < a else 2)
        assert atoms["right"] == (0 if last == b - 1 else 1 if last >= b else 2)
        assert (atoms["first.t"], atoms["last.t"]) == (code(tags[a]), code(tags[b - 1]))
        assert atoms["before.t"] == code(tags[a - 1] if a else "^")
        assert atoms["after.t"] == code(tags[b] if b < n else "^")
        for name, beside in (("before.d", a - 1), ("after.d", b)):
            if 0 <= beside < n:
                assert atoms[name] == (code(labels[beside]) if heads[beside] in inside else 1)
        assert atoms["chunk"] == relation(inside, chunk_of.get(h))


def above(heads: tuple[int, ...], token: int) -> set[int]:
    """Return a token and all that it hangs on."""
    found = {token}
    while heads[token] not in found:
        token = heads[token]
        found.add(token)
    return found


def test_segments_end_with_their_sentence() -> None:
    text = text_of("a X ROOT a\nb X dep a", "", "c X ROOT c", "d X ROOT d\ne X dep d\nf X dep d")
    assert set(read(text, 3)) == {
        (0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (3, 6), (4, 5), (4, 6), (5, 6)
    }  # fmt: skip


def test_words_and_tags_tell_sequences_apart() -> None:
    rows = "\n".join(f"{word} {tag} dep a" for word, tag in zip("abcdefgh", "XYXYZXYX", strict=True))
    found = read(text_of(rows), 8)
    assert found[0, 2]["tags"] == found[2, 4]["tags"] == found[5, 7]["tags"]
    assert len({found[span]["tags"] for span in [(0, 1), (1, 2), (0, 2), (1, 3), (0, 3), (0, 4)]}) == 6
    assert len({atoms["words"] for atoms in found.values()}) == len(found)
    assert found[0, 7]["tags"] == found[0, 8]["tags"] == found[1, 8]["tags"]  # too long to be told apart


def test_commas_are_counted_up_to_two() -> None:
    rows = "\n".join(f"{word} X dep a {lemma}" for word, lemma in zip("abcdef", "a,b,,c", strict=True))
    found = read(text_of(rows), 6)
    assert [found[span]["commas"] for span in [(0, 1), (0, 2), (0, 4), (0, 6), (5, 6)]] == [0, 1, 2, 2, 0]


def test_role_is_that_of_the_filler_with_or_without_its_first_token() -> None:
    document, annotation, *_ = text_of("a X ROOT a\nb X dep a\nc X dep a\nd X dep a", "e X ROOT e")
    arguments = (
        RoleArgument("AM-TMP", 1, 1, 4),
        RoleArgument("ARG1", 1, 1, 2),
        RoleArgument("ARG0", 0, 0, 1),
    )
    found = read(Parsed(document, annotation, (Predicate(0, "verbal", arguments),)), 4)
    with_role = {span: atoms["role"] for span, atoms in found.items() if atoms["role"]}
    assert set(with_role) == {(1, 4), (2, 4), (0, 1)}
    assert len(set(with_role.values())) == 3


def test_role_of_the_last_token_is_not_that_of_the_whole_text() -> None:
    document, annotation, *_ = text_of("a X ROOT a\nb X dep a")
    found = read(Parsed(document, annotation, (Predicate(0, "verbal", (RoleArgument("ARG1", 1, 1, 2),)),)), 2)
    assert [span for span, atoms in found.items() if atoms["role"]] == [(1, 2)]


@pytest.mark.parametrize("longest", [1, 3])
def test_a_text_without_tokens_has_no_segments(longest: int) -> None:
    assert read(text_of(""), longest) == {}


def test_a_chain_of_2000_tokens_is_encoded() -> None:
    n = 2000
    chain = Annotation(
        tags=("NN",) * n, pos=("NOUN",) * n, lemmas=("x",) * n, heads=(0, *range(n - 1)), labels=("dep",) * n
    )
    found = read(one_sentence(chain), 2)
    assert len(found) == 2 * n - 1
    assert all(atoms["head"] == start for (start, _), atoms in found.items())
    assert {span for span, atoms in found.items() if atoms["right"] == 0} == {(n - 2, n), (n - 1, n)}
