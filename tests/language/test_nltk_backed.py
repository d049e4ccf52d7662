from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lexicons import SMALL, write_wordnet
from samevent.errors import UsageError
from samevent.language.lexicon import Lexicon
from samevent.language.lexicon.base import PARTS
from samevent.language.lexicon.compile_wordnet import compile_wordnet
from samevent.language.lexicon.nltk_backed import NltkLexicon
from samevent.language.lexicon.wordnet import CLASSES, WordNet

FRAMENET = {
    "frameIndex.xml": '<frameIndex><frame ID="1" name="Attack"/></frameIndex>',
    "luIndex.xml": """<luIndex><lu ID="7" name="bomb.v" frameID="1" frameName="Attack" status="Created"/>
        <lu ID="8" name="air strike.n" frameID="1" frameName="Attack" status="Created"/></luIndex>""",
    "frRelation.xml": "<frameRelations/>",
    "frame/Attack.xml": """<frame ID="1" name="Attack"><FE ID="2" name="Assailant" coreType="Core"/>
        <FE ID="3" name="Time" coreType="Peripheral"/><lexUnit ID="7" name="bomb.v" POS="V" status="Created"/>
        <lexUnit ID="8" name="air strike.n" POS="N" status="Created"/></frame>""",
}


@pytest.fixture(scope="module")
def nltk_lexicon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NltkLexicon]:
    nltk = pytest.importorskip("nltk", reason="needs nltk, which is no dependency")
    readers = importlib.import_module("nltk.corpus.reader")
    root = tmp_path_factory.mktemp("nltk")
    (root / "corpora").mkdir()
    dict_folder = write_wordnet(root / "corpora" / "wordnet")
    (dict_folder / "lexnames").write_text("".join(f"{i:02}\t{name}\t1\n" for i, name in enumerate(CLASSES)))
    (dict_folder / "index.sense").write_text("")
    (root / "frame").mkdir()
    for name, content in FRAMENET.items():
        (root / name).write_text(content)
    nltk.data.path.insert(0, str(root))
    with pytest.warns(UserWarning, match="multilingual"):
        wordnet = readers.WordNetCorpusReader(str(dict_folder), None)
    yield NltkLexicon(wordnet, readers.FramenetCorpusReader(str(root), list(FRAMENET)))
    nltk.data.path.remove(str(root))
    for stream in wordnet._data_file_map.values():  # nltk leaves them open
        stream.close()


def test_nltk_gives_the_same_answers(nltk_lexicon: Lexicon, tmp_path: Path) -> None:
    compile_wordnet([write_wordnet(tmp_path / "dict")], tmp_path / "wordnet.npz")
    ours = WordNet.load(tmp_path / "wordnet.npz")
    words = {word.partition("(")[0] for synset in SMALL for word in synset.words}
    for word in sorted(words | {"bombed", "cities", "zzz"}):
        for pos in PARTS:
            assert nltk_lexicon.base(word, pos) == ours.base(word, pos)
            for kept in (1, None):
                for method in ("synsets", "synonyms", "hypernyms", "classes"):
                    theirs = getattr(nltk_lexicon, method)(word, pos, senses=kept)
                    assert theirs == getattr(ours, method)(word, pos, senses=kept), (method, word, pos)


def test_nltk_gives_frames_and_their_core_elements(nltk_lexicon: NltkLexicon) -> None:
    assert nltk_lexicon.frames("bombed", "v") == ("Attack",)
    assert nltk_lexicon.frame_roles("bombed", "v") == ("Attack.assailant",)
    assert nltk_lexicon.frames("air strike", "n") == ("Attack",)
    assert nltk_lexicon.frames("bombed", "n") == ()


def test_nltk_that_is_not_there_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("importlib.import_module", absent)
    with pytest.raises(UsageError, match="pip install nltk"):
        NltkLexicon.load()


def test_nltk_without_its_corpora_is_told_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def __getattr__(self, name: str) -> Any:
            raise LookupError(name)

    monkeypatch.setattr("importlib.import_module", lambda name: Missing())
    with pytest.raises(UsageError, match=r"nltk\.downloader wordnet framenet_v17"):
        NltkLexicon.load()
