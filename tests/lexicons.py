"""Small lexicons for tests: files in the formats of WordNet and PropBank, written from plain values."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


@dataclass(frozen=True)
class Synset:
    """A synset as a test thinks of it; relations are positions in the list of synsets."""

    pos: str
    words: tuple[str, ...]
    hypernyms: tuple[int, ...] = ()
    instance_of: tuple[int, ...] = ()
    lexicographer: int = 4
    satellite_of: tuple[int, ...] = ()


SMALL = (
    Synset("n", ("entity",), lexicographer=3),
    Synset("n", ("event",), (0,), lexicographer=3),
    Synset("n", ("attack", "onslaught"), (1,)),
    Synset("n", ("bombing", "bombardment"), (2,)),
    Synset("n", ("bomb",), (0,), lexicographer=6),
    Synset("n", ("London", "capital_of_the_UK"), (), (6,), lexicographer=15),
    Synset("n", ("city",), (0,), lexicographer=15),
    Synset("v", ("attack", "assail"), lexicographer=33),
    Synset("v", ("bombard", "bomb"), (7,), lexicographer=33),
    Synset("v", ("fail", "bomb"), lexicographer=41),
    Synset("v", ("bore", "drill"), lexicographer=35),
    Synset("v", ("bear", "carry"), lexicographer=38),
    Synset("n", ("boxful", "box"), (0,), lexicographer=23),
    Synset("n", ("light",), lexicographer=19),
    Synset("v", ("take_place", "come_to_light", "light_up", "have_on"), lexicographer=30),
    Synset("a", ("near",), lexicographer=0),
    Synset("a", ("tight(p)", "close(ip)", "large"), lexicographer=0, satellite_of=(15,)),
)  # fmt: skip
EXCEPTIONS = {
    "n": ("oxen ox", "axes axe axis"),
    "v": ("bore bear", "took take", "came come"),
    "a": ("best good",),
}


def write_wordnet(
    folder: Path,
    synsets: Sequence[Synset] = SMALL,
    exceptions: Mapping[str, Sequence[str]] = EXCEPTIONS,
    *,
    licence: str = "  1 WordNet 3.0 Copyright 2006 by nobody.\n",
) -> Path:
    """Write data, index and exception files; a longer licence moves the offsets of all synsets."""
    folder.mkdir(exist_ok=True)
    places = _places(synsets, len(licence))
    for pos, name in FILES.items():
        numbers = [i for i, synset in enumerate(synsets) if synset.pos == pos]
        lines = [_line(synsets, i, places) for i in numbers]
        (folder / f"data.{name}").write_text(licence + "".join(lines))
        index: dict[str, dict[int, None]] = {}
        for i in numbers:
            for word in synsets[i].words:
                index.setdefault(word.partition("(")[0].lower(), {})[places[i]] = None
        entries = (
            f"{word} {pos} {len(found)} 2 @ ~ {len(found)} 0 {' '.join(f'{p:08}' for p in found)}  \n"
            for word, found in sorted(index.items())
        )
        (folder / f"index.{name}").write_text(licence + "".join(entries))
        (folder / f"{name}.exc").write_text("".join(f"{line}\n" for line in exceptions.get(pos, ())))
    return folder


def _places(synsets: Sequence[Synset], start: int) -> list[int]:
    at = dict.fromkeys(FILES, start)
    places = []
    for i, synset in enumerate(synsets):
        places.append(at[synset.pos])
        at[synset.pos] += len(_line(synsets, i, [0] * len(synsets)))
    return places


def _line(synsets: Sequence[Synset], number: int, places: Sequence[int]) -> str:
    synset = synsets[number]
    related = {"@": synset.hypernyms, "@i": synset.instance_of, "&": synset.satellite_of, "~": (number,)}
    pointers = [(symbol, i) for symbol, targets in related.items() for i in targets]
    fields = [
        f"{places[number]:08}",
        f"{synset.lexicographer:02}",
        "s" if synset.satellite_of else synset.pos,
        f"{len(synset.words):02x}",
        *(f"{word} 0" for word in synset.words),
        f"{len(pointers):03}",
        *(f"{symbol} {places[i]:08} {synsets[i].pos} 0000" for symbol, i in pointers),
    ]
    return " ".join(fields) + (" 01 + 02 00" if synset.pos == "v" else "") + " | a gloss  \n"


BOMB_XML = """<?xml version="1.0" encoding="utf-8" standalone="no"?>
<!DOCTYPE frameset PUBLIC "-//PB//PropBank Frame v3.4 Transitional//EN" "frameset.dtd">
<frameset><predicate lemma="bomb">
  <roleset id="bomb.01" name="attack with bombs">
    <aliases><alias pos="v">bomb</alias><alias pos="n">bombing</alias><alias pos="l">Drop_bomb</alias>
      <alias pos="v">bomb</alias><alias pos="p">under_bombs</alias><argalias pos="n" arg="0">bomber</argalias></aliases>
    <roles>
      <role descr="attacker, agent" f="pag" n="0"><rolelinks>
        <rolelink class="Attack" resource="FrameNet" version="1.7">assailant</rolelink>
        <rolelink class="attack-60.1" resource="VerbNet" version="verbnet3.4">agent</rolelink>
        <rolelink class="Guessed" resource="FrameNet" version="UNK">assailant</rolelink></rolelinks></role>
      <role descr="entity bombed" f="PPT" n="1"><rolelinks>
        <rolelink class="Attack" resource="Framenet" version="1.7">victim</rolelink></rolelinks></role>
      <role descr="means" f="MNR" n="m"/>
    </roles>
    <lexlinks><lexlink class="Attack" confidence="0.8" resource="FrameNet" version="1.7"/>
      <lexlink class="attack-60.1" confidence="1.0" resource="VerbNet" version="verbnet3.4"/></lexlinks>
    <example name="x"><text>They bombed it .</text></example>
  </roleset>
  <roleset id="bomb.02" name="fail">
    <aliases><alias pos="v">bomb</alias></aliases>
    <roles><role descr="failing thing" f="PPT" n="1"/></roles>
    <lexlinks><lexlink class="bomb-n: Success_or_failure" resource="FrameNet" version="1.7"/></lexlinks>
  </roleset>
</predicate></frameset>
"""


def write_frames(path: Path, files: Mapping[str, str | bytes] | None = None) -> Path:
    """Write an archive of PropBank frame files."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (files or {"frames/bomb.xml": BOMB_XML}).items():
            archive.writestr(name, content)
    return path
