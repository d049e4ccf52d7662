"""The shipped tables: facts that anyone can look up in WordNet, FrameNet or a thesaurus."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from samevent.errors import FormatError, UsageError
from samevent.language.resources import DEFAULT, MODELS, Resources, read_manifest, resources

MODEL = resources()


def test_wordnet_knows_senses_classes_and_hypernyms() -> None:
    lexicon = MODEL.lexicon
    assert lexicon.synsets("bombing", "n", senses=1) == ("bombing.n.01",)
    assert "attack.n.01" in lexicon.hypernyms("bombing", "n")
    assert lexicon.classes("earthquake", "n", senses=1) == ("noun.event",)
    assert "purchase" in lexicon.synonyms("bought", "v")
    assert "verb.social" in lexicon.classes("murder", "v")


@pytest.mark.parametrize(
    ("word", "pos", "base"),
    [
        ("sank", "v", "sink"),
        ("struck", "v", "strike"),
        ("thieves", "n", "thief"),
        ("arrests", "v", "arrest"),
        ("qxzzy", "n", None),
    ],
)
def test_irregular_forms_have_their_base(word: str, pos: str, base: str | None) -> None:
    assert MODEL.lexicon.base(word, pos) == base  # type: ignore[arg-type]


def test_frames_of_a_verb_and_its_noun() -> None:
    assert "Attack" in MODEL.lexicon.frames("bombed", "v")
    assert any(role.startswith("Attack.") for role in MODEL.lexicon.frame_roles("bombed", "v"))
    assert MODEL.lexicon.frames("attack", "n")


def test_vectors_of_related_words_are_close() -> None:
    vectors = MODEL.vectors
    assert vectors.dimension == 100
    assert len(vectors) == 60_000
    assert (
        vectors.similarity("earthquake", "quake") > 0.7 > 0.3 > vectors.similarity("earthquake", "contract")
    )
    assert "Earthquake" in vectors
    assert not np.any(vectors.vector("qxzzy"))


def test_manifest_matches_every_file() -> None:
    folder = MODELS / DEFAULT
    manifest = json.loads((folder / "manifest.json").read_text())
    assert set(manifest["files"]) == {p.name for p in folder.iterdir()} - {"manifest.json", "NOTICE"}
    for name, told in manifest["files"].items():
        data = (folder / name).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (told["bytes"], told["sha256"])
    notice = (folder / "NOTICE").read_text()
    assert all(told["source"].split()[0] in notice for told in manifest["files"].values())


def test_unknown_model_is_refused() -> None:
    with pytest.raises(UsageError, match=r"there is no model 'fr-news'.*en-news"):
        resources("fr-news")


def test_missing_part_is_an_error_on_first_use(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"roles\.npz: the table does not exist"):
        _ = resources(tmp_path).roles


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with the manifest and the vectors of the shipped model."""
    for name in ("manifest.json", "vectors.npz"):
        shutil.copyfile(MODELS / DEFAULT / name, tmp_path / name)
    return tmp_path


def test_a_file_that_the_manifest_does_not_list_so_is_not_loaded(copy: Path) -> None:
    assert len(resources(copy).vectors) == 60_000
    data = bytearray((copy / "vectors.npz").read_bytes())
    data[-1] ^= 1  # in the comment of the archive, which has no checksum
    (copy / "vectors.npz").write_bytes(data)
    with pytest.raises(FormatError, match=r"vectors\.npz: is not the file that manifest\.json lists"):
        _ = resources(copy).vectors
    assert Resources(copy, verify=False).file("vectors.npz").exists()
    manifest = json.loads((copy / "manifest.json").read_text())
    del manifest["files"]["vectors.npz"]
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert resources(copy).file("vectors.npz").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-100],
        lambda text: text.replace('"files"', '"fi1es"'),
        lambda text: text.replace('"licence"', '"license"', 1),
        lambda text: text.replace('"sha256": "', '"sha256": "?', 1),
        lambda text: text.replace('"bytes": ', '"bytes": "many", "": ', 1),
        lambda _: "[]",
    ],
)
def test_a_damaged_manifest_is_an_error(copy: Path, damage: Callable[[str], str]) -> None:
    text = (copy / "manifest.json").read_text()
    assert read_manifest(copy)["name"] == DEFAULT
    (copy / "manifest.json").write_text(damage(text))
    with pytest.raises(FormatError, match=r"manifest\.json: is damaged"):
        _ = resources(copy).vectors
    with pytest.raises(FormatError, match="is damaged"):
        read_manifest(copy)
