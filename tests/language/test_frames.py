from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from tools.compile_tables import compile_frames, compile_wordnet

from builders import DATA, needs_data
from lexicons import BOMB_XML, write_frames, write_wordnet
from samevent.errors import FormatError, OutputExistsError
from samevent.language.lexicon import CompiledLexicon, Frames, Lexicon, Role, Roleset
from samevent.language.roles.propbank import MALFORMED

BROKEN_EXAMPLE = BOMB_XML.replace("<text>They bombed it .</text>", "<text>They\n bombed it .</tex>")


def compiled(folder: Path, files: dict[str, str | bytes] | None = None) -> Frames:
    compile_frames(write_frames(folder / "frames.zip", files), folder / "frames.json.xz", overwrite=True)
    return Frames.load(folder / "frames.json.xz")


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> CompiledLexicon:
    folder = tmp_path_factory.mktemp("lexicon")
    compiled(folder)
    compile_wordnet([write_wordnet(folder / "dict")], folder / "wordnet.npz")
    return CompiledLexicon.load(folder)


def test_rolesets_have_roles_with_their_frame_elements(tmp_path: Path) -> None:
    assert compiled(tmp_path).rolesets("bombing", "n") == (
        Roleset(
            "bomb.01",
            "attack with bombs",
            ("Attack",),
            (
                Role("0", "PAG", "attacker, agent", (("Attack", "assailant"),)),
                Role("1", "PPT", "entity bombed", (("Attack", "victim"),)),
                Role("M", "MNR", "means", ()),
            ),
            ("attack-60.1",),
        ),
    )


def test_frames_and_their_roles_come_from_all_rolesets_of_the_word(lexicon: Lexicon) -> None:
    assert lexicon.frames("bomb", "v") == ("Attack", "Success_or_failure")
    assert lexicon.frames("bombing", "n") == ("Attack",)
    assert lexicon.frame_roles("bomb", "v") == ("Attack.assailant", "Attack.victim")


def test_frames_are_found_for_inflected_words(lexicon: Lexicon) -> None:
    assert lexicon.frames("Bombings", "n") == ("Attack",)
    assert lexicon.frames("bombed", "v") == ("Attack", "Success_or_failure")


def test_frames_do_not_need_the_word_to_be_in_wordnet(tmp_path: Path) -> None:
    compiled(tmp_path, {"frames/blitz.xml": BOMB_XML.replace(">bomb<", ">blitz<")})
    compile_wordnet([write_wordnet(tmp_path / "dict")], tmp_path / "wordnet.npz")
    lexicon = CompiledLexicon.load(tmp_path)
    assert lexicon.base("blitzed", "v") is None
    assert lexicon.frames("blitzed", "v") == ("Attack", "Success_or_failure")


def test_constructions_are_verbs_and_aliases_of_arguments_are_not_words(lexicon: CompiledLexicon) -> None:
    assert [roleset.id for roleset in lexicon.rolesets("drop bomb", "v")] == ["bomb.01"]
    assert lexicon.rolesets("bomber", "n") == ()


def test_repeated_alias_has_its_roleset_once(lexicon: CompiledLexicon) -> None:
    assert [roleset.id for roleset in lexicon.rolesets("bomb", "v")] == ["bomb.01", "bomb.02"]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    manifest = compiled(tmp_path).manifest
    assert manifest["aliases_left_out"] == {"p": 1}
    assert (manifest["rolesets"], manifest["words"], manifest["words_with_frame"]) == (2, 3, 3)
    assert manifest["read_without_examples"] == []


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_known_malformed_files_are_read_without_examples_and_listed(tmp_path: Path, name: str) -> None:
    frames = compiled(tmp_path, {f"frames/{name}": BROKEN_EXAMPLE})
    assert frames.manifest["read_without_examples"] == [name]
    assert frames.rolesets("bomb", "v") == compiled(tmp_path).rolesets("bomb", "v")


def test_any_other_malformed_file_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"not well-formed.*Only check\.xml and rend\.xml") as caught:
        compiled(tmp_path, {"frames/ok.xml": BOMB_XML, "frames/other.xml": BROKEN_EXAMPLE})
    line = 1 + BROKEN_EXAMPLE[: BROKEN_EXAMPLE.index("</tex>")].count("\n")
    assert caught.value.where == f"{tmp_path / 'frames.zip' / 'frames/other.xml'}:{line}"
    assert not (tmp_path / "frames.json.xz").exists()


def test_malformed_outside_the_examples_is_an_error_even_in_the_known_files(tmp_path: Path) -> None:
    bad = BROKEN_EXAMPLE.replace("</predicate>", "</predicat>")
    with pytest.raises(FormatError, match="not well-formed") as caught:
        compiled(tmp_path, {"frames/check.xml": bad})
    assert str(caught.value.where).endswith(f"check.xml:{1 + bad[: bad.index('</predicat>')].count(chr(10))}")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"README.txt": "nothing"}, "contains no XML file"),
        ({"a.xml": '<!DOCTYPE f [<!ENTITY a "b">]><f>&a;</f>'}, "defines entities"),
        ({"a.xml": "<frameset><roleset/></frameset>"}, "no id"),
        ({"a.xml": b"\xff\xfe\xff"}, "not well-formed"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, files: dict[str, str | bytes], says: str) -> None:
    with pytest.raises(FormatError, match=says):
        compiled(tmp_path, files)


def test_invalid_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "frames.zip").write_text("no zip")
    for name in ("frames.zip", "absent.zip"):
        with pytest.raises(FormatError, match="cannot be read as a zip archive"):
            compile_frames(tmp_path / name, tmp_path / "frames.json.xz")


def test_table_bytes_do_not_depend_on_the_order_in_the_archive(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "frames/bomb.xml": BOMB_XML,
        "frames/blitz.xml": BOMB_XML.replace("bomb.0", "blitz.0"),
    }
    compiled(tmp_path, files)
    once = (tmp_path / "frames.json.xz").read_bytes()
    compiled(tmp_path, dict(reversed(files.items())))
    assert (tmp_path / "frames.json.xz").read_bytes() == once


def test_compiling_does_not_overwrite(tmp_path: Path) -> None:
    compiled(tmp_path)
    with pytest.raises(OutputExistsError):
        compile_frames(tmp_path / "frames.zip", tmp_path / "frames.json.xz")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no table", "cannot be read as a table"),
        (lzma.compress(b"[]"), "cannot be read as a table"),
        (lzma.compress(b"{}"), "cannot be read as a table"),
        (
            lzma.compress(json.dumps({"manifest": {"kind": "frames", "schema": 0}}).encode()),
            "schema 0; expected",
        ),
    ],
)
def test_damaged_table_is_one_clear_error(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "frames.json.xz"
    with pytest.raises(FormatError, match="make model"):
        Frames.load(path)
    path.write_bytes(content)
    with pytest.raises(FormatError, match=says):
        Frames.load(path)


@pytest.mark.slow
@needs_data("frames", "propbank-frames.zip")
def test_release_34_has_two_malformed_files_and_its_words_have_frames(tmp_path: Path) -> None:
    compile_frames(DATA / "frames" / "propbank-frames.zip", tmp_path / "frames.json.xz")
    frames = Frames.load(tmp_path / "frames.json.xz")
    assert frames.manifest["read_without_examples"] == ["check.xml", "rend.xml"]
    assert frames.manifest["rolesets"] > 11_000
    assert frames.manifest["words_with_frame"] > 6_000
    assert "Attack" in frames.rolesets("bomb", "v")[0].frames
    assert any("Inspecting" in roleset.frames for roleset in frames.rolesets("check", "v"))
    assert frames.rolesets("murder", "n")[0].roles[0].elements == (
        ("Killing", "cause"),
        ("Killing", "killer"),
    )


def test_verb_classes_stand_for_their_subclasses(tmp_path: Path) -> None:
    folder, links = tmp_path, 'class="attack-60.1" confidence="1.0" resource="VerbNet" version="verbnet3.4"/>'
    more = f'{links}<lexlink class="throw-17.1-1-1" resource="VerbNet" version="verbnet3.3"/>'
    compiled(folder, {"frames/bomb.xml": BOMB_XML.replace(links, more, 1)})
    compile_wordnet([write_wordnet(folder / "dict")], folder / "wordnet.npz")
    lexicon = CompiledLexicon.load(folder)
    assert lexicon.verb_classes("bombed", "v") == ("attack-60.1", "throw-17.1")
    assert lexicon.verb_classes("bombing", "n") == ("attack-60.1", "throw-17.1")
    assert lexicon.verb_classes("raid", "n") == ()


def test_verb_is_the_predicate_of_a_noun(lexicon: CompiledLexicon) -> None:
    assert lexicon.verb("bombings", "n") == "bomb"
    assert lexicon.verb("table", "n") is None
