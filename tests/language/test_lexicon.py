from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.compile_tables import compile_frames, compile_wordnet

from lexicons import FILES, Synset, write_frames, write_wordnet
from samevent.errors import DataError, FormatError, OutputExistsError
from samevent.language.lexicon import CompiledLexicon, Lexicon
from samevent.language.wordnet import CLASSES, PARTS, Morphology, Pos, WordNet

REAL = Path(os.environ.get("SAMEVENT_WORDNET", "/usr/share/wordnet"))
needs_wordnet = pytest.mark.skipif(
    not (REAL / "data.noun").exists(),
    reason=f"needs WordNet in {REAL} (Debian wordnet-base, or set SAMEVENT_WORDNET)",
)


def compiled(folder: Path, *args: Any, **options: Any) -> WordNet:
    compile_wordnet(
        [write_wordnet(folder / "dict", *args, **options)], folder / "wordnet.npz", overwrite=True
    )
    return WordNet.load(folder / "wordnet.npz")


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return compiled(tmp_path_factory.mktemp("wordnet"))


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Lexicon:
    folder = tmp_path_factory.mktemp("lexicon")
    compiled(folder)
    compile_frames(write_frames(folder / "frames.zip"), folder / "frames.json.xz")
    return CompiledLexicon.load(folder)


# --- WordNet


def test_synonyms_are_of_all_senses_or_of_the_first(wordnet: WordNet) -> None:
    assert wordnet.synonyms("bomb", "v") == ("bombard", "fail")
    assert wordnet.synonyms("bomb", "v", senses=1) == ("bombard",)
    assert wordnet.synonyms("bomb", "n") == ()


def test_senses_are_named_after_their_first_word(wordnet: WordNet) -> None:
    assert wordnet.synsets("bomb", "v") == ("bombard.v.01", "fail.v.01")
    assert wordnet.synsets("onslaught", "n") == ("attack.n.01",)


def test_hypernyms_reach_the_root_nearest_first(wordnet: WordNet) -> None:
    assert wordnet.hypernyms("bombing", "n") == ("attack.n.01", "event.n.01", "entity.n.01")
    assert wordnet.hypernyms("entity", "n") == ()
    assert wordnet.hypernyms("bomb", "v", senses=1) == ("attack.v.01",)


def test_hypernyms_include_instance_of(wordnet: WordNet) -> None:
    assert wordnet.hypernyms("London", "n") == ("city.n.01", "entity.n.01")


def test_classes_are_lexicographer_files(wordnet: WordNet) -> None:
    assert wordnet.classes("bomb", "v") == ("verb.competition", "verb.social")
    assert wordnet.classes("bomb", "v", senses=1) == ("verb.competition",)
    assert wordnet.classes("city", "n") == ("noun.location",)


def test_words_are_found_in_any_case_and_with_spaces(wordnet: WordNet) -> None:
    assert wordnet.synonyms("Capital of the UK", "n") == ("london",)


def test_adjectives_lose_their_markers_and_satellites_are_adjectives(wordnet: WordNet) -> None:
    assert wordnet.synonyms("large", "a") == ("tight", "close")
    assert wordnet.synsets("large", "a") == ("tight.a.01",)


@pytest.mark.parametrize(
    "word", ["", " ", "_", "-", "s", "ful", "zzz", "bomb ", "bomb:v", "\ud800", "é" * 300, "a-" * 500]
)
@pytest.mark.parametrize("pos", PARTS)
def test_unknown_words_have_empty_answers(lexicon: CompiledLexicon, word: str, pos: Pos) -> None:
    assert lexicon.base(word, pos) is None
    for method in (lexicon.synsets, lexicon.synonyms, lexicon.hypernyms, lexicon.classes, lexicon.frames,
                   lexicon.frame_roles, lexicon.rolesets):  # fmt: skip
        assert method(word, pos) == ()


@st.composite
def wordnets(draw: st.DrawFn) -> list[Synset]:
    """Draw synsets that share words, with hypernyms that come earlier in the list."""
    synsets: list[Synset] = []
    for i in range(draw(st.integers(1, 12))):
        pos = draw(st.sampled_from(sorted(FILES)))
        words = draw(
            st.lists(st.sampled_from(["zap", "Zap", "hit", "to_do", "x-y", "yaw"]), min_size=1, max_size=4)
        )
        same = [j for j in range(i) if synsets[j].pos == pos]
        above = draw(st.lists(st.sampled_from(same), unique=True, max_size=3)) if same else []
        cut = draw(st.integers(0, len(above)))
        synsets.append(
            Synset(pos, tuple(words), tuple(above[:cut]), tuple(above[cut:]), draw(st.integers(0, 44)))
        )
    return synsets


class Reference:
    """Slow answers straight from the list of synsets."""

    def __init__(self, synsets: list[Synset]) -> None:
        self.all = synsets

    def senses(self, word: str, pos: str) -> list[int]:
        return [i for i, s in enumerate(self.all) if s.pos == pos and word in {w.lower() for w in s.words}]

    def name(self, i: int) -> str:
        first = self.all[i].words[0].lower()
        return f"{first}.{self.all[i].pos}.{self.senses(first, self.all[i].pos).index(i) + 1:02}"

    def above(self, i: int) -> set[int]:
        direct = {*self.all[i].hypernyms, *self.all[i].instance_of}
        return direct.union(*map(self.above, direct)) if direct else direct


@settings(max_examples=40, deadline=None)
@given(wordnets())
def test_compiled_wordnet_agrees_with_a_slow_reference(
    tmp_path_factory: pytest.TempPathFactory, synsets: list[Synset]
) -> None:
    reference = Reference(synsets)
    wordnet = compiled(tmp_path_factory.mktemp("random"), synsets, {})
    for pos in PARTS:
        for word in ("zap", "hit", "to_do", "x-y", "yaw"):
            senses = reference.senses(word, pos)
            assert (wordnet.base(word, pos) == word) == bool(senses)
            for kept in (1, 2, None):
                some = senses[:kept]
                words = {w.lower() for i in some for w in synsets[i].words} - {word}
                above = set().union(*map(reference.above, some))
                assert wordnet.synsets(word, pos, senses=kept) == tuple(map(reference.name, some))
                assert sorted(wordnet.synonyms(word, pos, senses=kept)) == sorted(words)
                assert sorted(wordnet.hypernyms(word, pos, senses=kept)) == sorted(map(reference.name, above))
                assert set(wordnet.classes(word, pos, senses=kept)) == {
                    CLASSES[synsets[i].lexicographer] for i in some
                }


def test_table_has_the_same_bytes_for_editions_with_other_offsets(tmp_path: Path) -> None:
    longer = "  1 WordNet 3.0 Copyright 2006 by nobody, nobody and nobody.\n"
    first, second = write_wordnet(tmp_path / "one"), write_wordnet(tmp_path / "two", licence=longer)
    assert (first / "data.verb").read_text() != (second / "data.verb").read_text()
    for folder in (first, second):
        compile_wordnet([folder], folder.with_suffix(".npz"))
    assert first.with_suffix(".npz").read_bytes() == second.with_suffix(".npz").read_bytes()


def test_files_may_be_in_several_folders(tmp_path: Path) -> None:
    whole, rest = write_wordnet(tmp_path / "dict"), tmp_path / "exceptions"
    rest.mkdir()
    for name in FILES.values():
        (whole / f"{name}.exc").rename(rest / f"{name}.exc")
    with pytest.raises(FormatError, match=r"noun\.exc is missing"):
        compile_wordnet([whole], tmp_path / "wordnet.npz")
    compile_wordnet([whole, rest], tmp_path / "wordnet.npz")
    assert WordNet.load(tmp_path / "wordnet.npz").manifest["source"] == "WordNet 3.0"


def test_cycle_of_hypernyms_is_refused(tmp_path: Path) -> None:
    cycle = [Synset("v", ("up",), (1,)), Synset("v", ("down",), (0,))]
    with pytest.raises(DataError, match=r"(up|down)\.v\.01, (up|down)\.v\.01 are hypernyms of each other"):
        compiled(tmp_path, cycle, {})
    assert not (tmp_path / "wordnet.npz").exists()


def test_known_cycle_of_wordnet_30_is_fixed(tmp_path: Path) -> None:
    fillers = [Synset("v", ("inhibit",))] * 3 + [Synset("v", ("suppress",))] * 3
    synsets = [
        *fillers,
        Synset("v", ("suppress", "repress")),
        Synset("v", ("restrain", "keep"), (8,)),
        Synset("v", ("inhibit", "bottle_up"), (7,)),
    ]
    wordnet = compiled(tmp_path, synsets, {})
    assert wordnet.hypernyms("restrain", "v") == ("inhibit.v.04", "suppress.v.04")
    assert wordnet.hypernyms("bottle_up", "v") == ("suppress.v.04",)


@pytest.mark.parametrize(
    ("file", "old", "new", "says", "line"),
    [
        ("data.noun", "n 01 entity 0", "n 0z entity 0", "cannot parse", 2),
        ("data.noun", "n 01 entity 0", "n 00 entity 0", "cannot parse", 2),
        ("data.noun", " 03 n 01 entity", " 99 n 01 entity", "cannot parse", 2),
        ("data.verb", " 001 ~", " 007 ~", "cannot parse", 2),
        ("data.verb", "fail 0 bomb", "fail 0 bombs", "the index lacks this sense of 'bombs'", 4),
        ("data.noun", "@ 000", "@ 001", "which is not a synset", 3),
        ("index.noun", "n 1 2", "n 2 2", "cannot parse", 2),
        ("index.noun", " 0000", " 0090", "cannot parse", 2),
        ("noun.exc", "oxen ox", "oxen", "expected an inflected word and its base forms", 1),
    ],
)
def test_malformed_wordnet_file_error_names_file_and_line(
    tmp_path: Path, file: str, old: str, new: str, says: str, line: int
) -> None:
    path = write_wordnet(tmp_path / "dict") / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError, match=says) as caught:
        compile_wordnet([path.parent], tmp_path / "wordnet.npz")
    assert caught.value.where == f"{path}:{line}"
    assert not (tmp_path / "wordnet.npz").exists()


def test_compiling_does_not_overwrite(tmp_path: Path) -> None:
    compiled(tmp_path)
    with pytest.raises(OutputExistsError):
        compile_wordnet([tmp_path / "dict"], tmp_path / "wordnet.npz")


def test_compiled_lexicon_can_be_sent_to_another_process(lexicon: CompiledLexicon) -> None:
    copied: CompiledLexicon = pickle.loads(pickle.dumps(lexicon))
    assert copied.hypernyms("bombings", "n") == lexicon.hypernyms("bombings", "n") != ()
    assert copied.frames("bombed", "v") == lexicon.frames("bombed", "v") != ()


# --- base forms


@pytest.mark.parametrize(
    ("word", "pos", "base"),
    [
        ("bombs", "n", "bomb"), ("bombed", "v", "bomb"), ("bombing", "v", "bomb"), ("Bombs", "v", "bomb"),
        ("attacking", "v", "attack"), ("carries", "v", "carry"), ("larger", "a", "large"), ("largest", "a", "large"),
        ("tighter", "a", "tight"), ("cities", "n", "city"), ("boxesful", "n", "boxful"), ("boxes", "n", "box"),
        ("took place", "v", "take_place"), ("came_to_light", "v", "come_to_light"),
        ("comes to lights", "v", "come_to_light"), ("lighting_up", "v", "light_up"), ("having on", "v", "have_on"),
        ("bombing", "n", "bombing"),  # in the lexicon as it is
        ("bore", "v", "bore"),  # its own verb comes before that of which it is the past
        ("light_ups", "v", None),  # it is the verb that is inflected
        ("oxen", "n", None),  # an exception to a word that the lexicon does not have
        ("bombly", "r", None), ("bombss", "n", None), ("larges", "a", None), ("os", "n", None),
    ],
)  # fmt: skip
def test_base_form(wordnet: WordNet, word: str, pos: Pos, base: str | None) -> None:
    assert wordnet.base(word, pos) == base


@pytest.mark.parametrize("most", [1, 100])
def test_base_forms_are_the_same_when_asked_again(
    wordnet: WordNet, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("samevent.language.wordnet._MOST_BASES", most)
    words: list[tuple[str, Pos]] = [("bombs", "n"), ("bombs", "r"), ("drilled", "v"), ("Attacks", "n")]
    for _ in range(2):
        assert [wordnet.base(*word) for word in words] == ["bomb", None, "drill", "attack"]


def test_ambiguous_form_yields_all_base_forms_itself_first() -> None:
    known = {("v", "bore"), ("v", "bear"), ("n", "axe"), ("n", "axis")}
    morphology = Morphology(
        {"v:bore": ("bear",), "n:axes": ("axe", "axis", "axen")}, lambda word, pos: (pos, word) in known
    )
    assert list(morphology.bases("bore", "v")) == ["bore", "bear"]
    assert list(morphology.bases("axes", "n")) == ["axe", "axis"]


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("bass", None),  # not bas + s
        ("os", None),  # too short to take anything off
        ("oes", "oe"),
        ("axes-o", "axe-o"),  # of several exceptions, a piece takes the first
        ("oes_axes", None),
    ],
)
def test_short_nouns_and_double_s_are_not_stripped(form: str, base: str | None) -> None:
    known = {"bas", "o", "oe", "axe-o", "axis-o"}
    morphology = Morphology({"n:axes": ("axe", "axis")}, lambda word, pos: pos == "n" and word in known)
    assert morphology.base(form, "n") == base


# --- the real WordNet


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    path = tmp_path_factory.mktemp("real") / "wordnet.npz"
    compile_wordnet([REAL], path)
    return WordNet.load(path)


def seek(pos: str, offset: str) -> tuple[str, list[str], list[tuple[str, str]]]:
    """Read one synset where it stands: class, words, hypernyms."""
    with (REAL / f"data.{FILES[pos]}").open("rb") as stream:
        stream.seek(int(offset))
        fields = stream.readline().decode().split(" | ")[0].split()
    count = int(fields[3], 16)
    pointers = fields[5 + 2 * count :]
    ends = range(0, 4 * int(fields[4 + 2 * count]), 4)
    hypernyms = [(pointers[i + 2], pointers[i + 1]) for i in ends if pointers[i] in ("@", "@i")]
    return (
        CLASSES[int(fields[1])],
        [w.split("(")[0].lower() for w in fields[4 : 4 + 2 * count : 2]],
        hypernyms,
    )


def real_entries(every: int) -> Iterator[tuple[Pos, str, list[str]]]:
    for pos in PARTS:
        lines = (REAL / f"index.{FILES[pos]}").read_text().splitlines()
        entries = [line.split() for line in lines if line[0] != " "]
        yield from ((pos, fields[0], fields[-int(fields[2]) :]) for fields in entries[::every])


@needs_wordnet
def test_real_wordnet_agrees_with_its_files(real: WordNet) -> None:
    assert real.manifest["source"] == "WordNet 3.0"
    assert (real.manifest["synsets"], real.manifest["lemmas"]) == (117_659, 155_287)  # as wnstats(7WN) says
    for pos, word, offsets in real_entries(every=97):
        senses = [seek(pos, offset) for offset in offsets]
        assert real.base(word, pos) == word
        assert real.classes(word, pos) == tuple(dict.fromkeys(sense[0] for sense in senses))
        assert set(real.synonyms(word, pos)) == {w for sense in senses for w in sense[1]} - {word}
        assert set(real.synonyms(word, pos, senses=1)) == set(senses[0][1]) - {word}
        above, left = set(), [place for sense in senses for place in sense[2]]
        while left:
            place = left.pop()
            if place not in above:
                above.add(place)
                left += seek(*place)[2]
        assert len(real.hypernyms(word, pos)) == len(above)
        firsts = {seek(*place)[1][0] for place in above}
        assert {name.rsplit(".", 2)[0] for name in real.hypernyms(word, pos)} == firsts


@needs_wordnet
@pytest.mark.parametrize(
    ("word", "pos", "base"),
    [
        ("geese", "n", "goose"), ("slain", "v", "slay"), ("struck", "v", "strike"),
        ("asking for it", "v", "ask_for_it"),
        ("attorneys general", "n", "attorney_general"), ("worse", "a", "worse"), ("earthquakes", "n", "earthquake"),
    ],
)  # fmt: skip
def test_real_wordnet_knows_base_forms(real: WordNet, word: str, pos: Pos, base: str) -> None:
    assert real.base(word, pos) == base
