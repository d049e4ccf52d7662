"""Compile the files of WordNet (manual page wndb(5WN)) into the table that `wordnet` reads.

The table does not depend on where synsets stand in the files, so two editions of the same WordNet that differ
in byte offsets give the same table. Words are lower-cased, the syntactic markers of adjectives are cut off, and
kind-of and instance-of count alike. Glosses and all other relations are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import DataError, FormatError, place
from samevent.formats.files import read_lines
from samevent.language.lexicon.base import PARTS, Pos
from samevent.language.lexicon.wordnet import CLASSES, KIND, SCHEMA, synset_name
from samevent.storage import Rows, pack_strings, write_table

_FILES: dict[Pos, str] = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_HYPERNYMS = frozenset(("@", "@i"))
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
_VERSION = re.compile(r"WordNet (\d+\.\d+) Copyright")

# WordNet 3.0 as first published has these two as kinds of each other; Debian's edition has put it right.
_ERRATA = {("inhibit.v.04", "restrain.v.01"): "suppress.v.04"}

_Place = tuple[str, int]
"""Part of speech and byte offset: how the files point at a synset."""


@dataclass(frozen=True, slots=True)
class _Synset:
    where: str
    place: _Place
    lexicographer: int
    words: tuple[str, ...]
    hypernyms: tuple[_Place, ...]


def compile_wordnet(folders: Sequence[Path], output: Path, *, overwrite: bool = False) -> None:
    """Write the table of the WordNet whose files stand in these folders.

    Each of `data.*`, `index.*` and `*.exc` is taken from the first folder that has it, since some packages
    keep the exception lists apart.
    """
    synsets = [synset for pos in PARTS for synset in _synsets(_find(folders, f"data.{_FILES[pos]}"), pos)]
    number = {synset.place: i for i, synset in enumerate(synsets)}
    senses: dict[str, list[int]] = {}
    for pos in PARTS:
        senses.update(_senses(_find(folders, f"index.{_FILES[pos]}"), pos, number))
    words, ranks = _words(synsets, senses)
    exceptions = [line for pos in PARTS for line in _exceptions(_find(folders, f"{_FILES[pos]}.exc"), pos)]

    arrays: dict[str, NDArray[Any]] = {
        "lemmas": pack_strings(list(senses)),
        "exceptions": pack_strings(exceptions),
        "classes": np.array([synset.lexicographer for synset in synsets], np.uint8),
        "ranks": np.array(ranks, np.uint8),
    }
    rows = {
        "senses": list(senses.values()),
        "words": words,
        "hypernyms": _hypernyms(synsets, ranks, number),
    }
    for name, lists in rows.items():
        arrays[f"{name}_lengths"], arrays[name] = Rows.pack(lists)
    manifest = {
        "source": f"WordNet {_version(_find(folders, 'data.noun'))}",
        "licence": "WordNet licence, Princeton University",
        "lemmas": len(senses),
        "synsets": len(synsets),
        "exceptions": len(exceptions),
    }
    write_table(output, KIND, SCHEMA, manifest, arrays, overwrite=overwrite)


def _find(folders: Sequence[Path], name: str) -> Path:
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise FormatError(
        f"there is no {name}",
        where=", ".join(map(str, folders)),
        expected="data, index and exception files of WordNet for nouns, verbs, adjectives and adverbs",
        hint="name also the folder that holds it",
    )


def _version(path: Path) -> str:
    found = (_VERSION.search(line) for _, line in read_lines(path))
    return next((match[1] for match in found if match), "of unknown version")


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Go through the lines of a file as fields; the licence at its top is indented."""
    for number, line in read_lines(path):
        if line.strip() and not line.startswith(" "):
            yield number, line.split()


@contextmanager
def _reading(where: str, fields: list[str], expected: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, IndexError, KeyError) as error:
        found = " ".join(fields)
        raise FormatError(f"cannot understand {found[:60]!r}", where=where, expected=expected) from error


def _synsets(path: Path, pos: Pos) -> Iterator[_Synset]:
    for line, fields in _records(path):
        where = place(path, line)
        with _reading(where, fields, "offset, class, part of speech, words and pointers of a synset"):
            words_end = 4 + 2 * int(fields[3], 16)
            pointers_end = words_end + 1 + 4 * int(fields[words_end])
            pointers = fields[words_end + 1 : pointers_end]
            synset = _Synset(
                where,
                (pos, int(fields[0])),
                int(fields[1]),
                tuple(_MARKER.sub("", word).lower() for word in fields[4:words_end:2]),
                tuple(
                    (part, int(offset))
                    for symbol, offset, part in zip(
                        pointers[::4], pointers[1::4], pointers[2::4], strict=True
                    )
                    if symbol in _HYPERNYMS
                ),
            )
            if not synset.words or synset.lexicographer >= len(CLASSES) or len(fields) < pointers_end:
                raise ValueError
        yield synset


def _senses(path: Path, pos: Pos, number: Mapping[_Place, int]) -> Iterator[tuple[str, list[int]]]:
    for line, fields in _records(path):
        with _reading(place(path, line), fields, "a word and the places of its synsets"):
            numbers = [number[pos, int(offset)] for offset in fields[6 + int(fields[3]) :]]
            if not len(numbers) == int(fields[2]) > 0:
                raise ValueError
        yield f"{pos}:{fields[0]}", numbers


def _exceptions(path: Path, pos: Pos) -> Iterator[str]:
    bases: dict[str, list[str]] = {}
    for line, fields in _records(path):
        with _reading(place(path, line), fields, "an inflected word and its base forms"):
            form, first, *others = fields
        bases.setdefault(form, []).extend((first, *others))
    for form, found in bases.items():
        yield " ".join((f"{pos}:{form}", *found))


def _words(synsets: Sequence[_Synset], senses: Mapping[str, list[int]]) -> tuple[list[list[int]], list[int]]:
    """Return for each synset its words as entries of the index, and which sense of its first word it is."""
    entry = {lemma: i for i, lemma in enumerate(senses)}
    words, ranks = [], []
    for number, synset in enumerate(synsets):
        lemmas = [f"{synset.place[0]}:{word}" for word in dict.fromkeys(synset.words)]
        for lemma in lemmas:
            if number not in senses.get(lemma, ()):
                raise DataError(
                    f"{lemma[2:]!r} has no such sense in the index",
                    where=synset.where,
                    expected="data and index files of the same WordNet",
                )
        words.append([entry[lemma] for lemma in lemmas])
        ranks.append(senses[lemmas[0]].index(number) + 1)
    return words, ranks


def _hypernyms(
    synsets: Sequence[_Synset], ranks: Sequence[int], number: Mapping[_Place, int]
) -> list[list[int]]:
    names = [synset_name(s.words[0], s.place[0], rank) for s, rank in zip(synsets, ranks, strict=True)]
    named = {name: i for i, name in enumerate(names)}
    hypernyms = []
    for name, synset in zip(names, synsets, strict=True):
        if unknown := [target for target in synset.hypernyms if target not in number]:
            raise DataError(f"points at {unknown[0]}, where there is no synset", where=synset.where)
        above = [names[number[target]] for target in synset.hypernyms]
        hypernyms.append([named[_ERRATA.get((name, hypernym), hypernym)] for hypernym in above])
    try:
        TopologicalSorter(dict(enumerate(hypernyms))).prepare()
    except CycleError as error:
        circle = ", ".join(names[i] for i in error.args[1][:-1])
        raise DataError(f"{circle} are kinds of each other", expected="hypernyms without circles") from error
    return hypernyms
