from __future__ import annotations

from pathlib import Path

import pytest

from parses import parsed
from samevent.errors import CorpusError, FormatError
from samevent.language.roles.columns import attach_roles, read_columns

PARSE = """
    Sudan NNP nsubj bombed
    bombed VBD ROOT bombed bomb
    Yida NNP dobj bombed
    on IN prep bombed
    Thursday NNP pobj on
"""
CONLL2005 = "Sudan - (A0*)\nbombed bomb (V*)\nYida - (A1*)\non - (AM-TMP*\nThursday - *)\n\n"
CONLL2012 = """#begin document (a); part 000
a 0 0 Sudan NNP (TOP(S(NP*) - - - - (GPE) (ARG0*) (3)
a 0 1 bombed VBD (VP* bomb 01 1 - * (V*) -
a 0 2 Yida NNP (NP*) - - - - (GPE) (ARG1*) -
a 0 3 on IN (PP* - - - - * (ARGM-TMP* -
a 0 4 Thursday NNP (NP*)))) - - - - (DATE) *) -

#end document
"""
CONLL2009 = "\n".join(
    "\t".join([str(i + 1), word, *["_"] * 10, mark, sense, role])
    for i, (word, mark, sense, role) in enumerate(
        [
            ("Sudan", "_", "_", "A0"),
            ("bombed", "Y", "bomb.01", "_"),
            ("Yida", "_", "_", "A1"),
            ("on", "_", "_", "AM-TMP"),
            ("Thursday", "_", "_", "_"),
        ]
    )
)


@pytest.mark.parametrize("content", [CONLL2005, CONLL2012, CONLL2009])
def test_all_column_styles_give_the_same_roles(tmp_path: Path, content: str) -> None:
    path = tmp_path / "roles.txt"
    path.write_text(content)
    document, annotation = parsed(PARSE)
    (predicate,) = attach_roles(document, annotation, read_columns(path))
    assert (predicate.token, predicate.kind) == (1, "verbal")
    assert [(a.role, a.head) for a in predicate.arguments] == [("ARG0", 0), ("ARG1", 2), ("AM-TMP", 3)]


def test_two_predicates_have_one_column_each(tmp_path: Path) -> None:
    path = tmp_path / "roles.txt"
    path.write_text("He - (A0*) (A0*)\ncame come (V*) *\nand - * *\nleft leave * (V*)\n")
    (sentence,) = read_columns(path)
    assert sentence.predicates == ((1, (("ARG0", 0, 1),)), (3, (("ARG0", 0, 1),)))


def test_sentence_without_predicates_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "roles.txt"
    path.write_text("Hello -\n! -\n\n" + CONLL2005)
    assert [(s.size, len(s.predicates)) for s in read_columns(path)] == [(2, 0), (5, 1)]


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("a - *)\nb b (V*)\n", 1, "ends before it starts"),
        ("a - (A0*\nb b (V*)\n", 1, "A0 starts but never ends"),
        ("a - A0\nb b (V*)\n", 1, "role column has 'A0'"),
        ("a - *\nb b\n", 2, "has 2 columns"),
        (CONLL2009.replace("\tY\t", "\t_\t"), 1, "0 predicates and 1 columns"),
    ],
)
def test_broken_columns_are_named_by_line(tmp_path: Path, content: str, line: int, says: str) -> None:
    path = tmp_path / "roles.txt"
    path.write_text(content)
    with pytest.raises(FormatError, match=says) as caught:
        read_columns(path)
    assert caught.value.where == f"{path}:{line}"


def test_mismatched_sentences_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "roles.txt"
    path.write_text(CONLL2005 * 2)
    with pytest.raises(CorpusError, match="from sentence 1 on"):
        attach_roles(*parsed(PARSE), read_columns(path))
