from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from encoders import WORDS, story, write_tokenizer
from samevent.errors import FormatError
from samevent.language.encoder.units import CONTEXT, LONGEST, SENTENCE, UnitReader, window_start

QUAKE = story(
    "a", "quake hit the city .", "police said ten people killed .", "storms flooded the town",
    actions={(1, 2): "hit", (6, 7): "said", (9, 10): "killed", (11, 12): "storm"},
)  # fmt: skip


@pytest.fixture
def reader(tmp_path: Path) -> UnitReader:
    write_tokenizer(tmp_path / "tokenizer.json")
    return UnitReader(tmp_path / "tokenizer.json")


def words(pieces: tuple[int, ...]) -> list[str]:
    return [["[PAD]", "[CLS]", "[SEP]", "[UNK]", *WORDS][piece] for piece in pieces]


def test_unit_is_a_sentence_with_the_lead_as_context(reader: UnitReader) -> None:
    units, places = reader.read(QUAKE, QUAKE.mentions)
    assert words(units[1].pieces) == (
        "[CLS] police said ten people killed . [SEP] quake hit the city . [SEP]".split()
    )
    assert [place.unit for place in places] == [0, 1, 1, 2]
    assert words(units[1].pieces)[1 : units[1].stop] == "police said ten people killed .".split()


def test_unit_of_the_lead_has_the_next_sentence_as_context(reader: UnitReader) -> None:
    units, _ = reader.read(QUAKE, QUAKE.mentions[:1])
    assert words(units[0].pieces)[7:] == "police said ten people killed . [SEP]".split()


def test_unit_of_a_lone_sentence_has_no_context(reader: UnitReader) -> None:
    lone = story("b", "quake hit", actions={(0, 1): "quake"})
    assert words(reader.read(lone, lone.mentions)[0][0].pieces) == ["[CLS]", "quake", "hit", "[SEP]"]


def test_address_of_a_page_is_no_lead(reader: UnitReader) -> None:
    first, *others = QUAKE.sentences
    page = replace(QUAKE, sentences=(replace(first, is_url=True), *others))
    units, _ = reader.read(page, QUAKE.mentions[3:])
    assert words(units[0].pieces)[7:-1] == "police said ten people killed .".split()


def test_mpnet_separates_sentence_and_context_twice(tmp_path: Path) -> None:
    write_tokenizer(tmp_path / "tokenizer.json", "mpnet")
    unit = UnitReader(tmp_path / "tokenizer.json").read(QUAKE, QUAKE.mentions[:1])[0][0]
    assert (unit.pieces[0], unit.pieces[6:8], unit.pieces[-1]) == (0, (2, 2), 2)


def test_place_has_all_pieces_of_a_mention_and_no_others(reader: UnitReader) -> None:
    units, places = reader.read(QUAKE, QUAKE.mentions[3:])
    assert [words(units[0].pieces)[i] for i in places[0].pieces] == ["storm", "##s"]


def test_place_leaves_out_the_gap_of_a_discontinuous_mention(reader: UnitReader) -> None:
    mention = QUAKE.mention("action", 5, 8, tokens=[5, 7])
    units, places = reader.read(QUAKE, [mention])
    assert [words(units[0].pieces)[i] for i in places[0].pieces] == ["police", "ten"]


def test_place_is_empty_if_the_tokeniser_drops_the_mention(reader: UnitReader) -> None:
    odd = story("c", "quake \u200b hit", actions={(1, 2): "nothing"})
    assert reader.read(odd, odd.mentions)[1][0].pieces == ()


def test_long_sentence_is_read_in_a_window_around_each_mention(reader: UnitReader) -> None:
    long = story(
        "d", "the " * 149 + "quake " + "the " * 150, "storm " * 90, actions={(149, 150): "x", (299, 300): "y"}
    )
    units, places = reader.read(long, long.mentions)
    assert len(units) == 2
    assert all(len(unit.pieces) == SENTENCE + CONTEXT + 3 <= LONGEST for unit in units)
    (piece,) = places[0].pieces
    assert words(units[0].pieces)[piece] == "quake"
    assert 25 <= piece <= 76
    assert words(units[1].pieces)[places[1].pieces[0]] == "the"


def test_tokens_are_read_as_mentions_of_one_token_are(reader: UnitReader) -> None:
    long = story("d", "quakes hit \u200b", "the " * 149 + "storms " + "the " * 150, "police said")
    mentions = [long.mention("action", i, i + 1) for i in range(len(long.tokens))]
    assert reader.read_tokens(long) == reader.read(long, mentions)
    tail = [m for m in mentions if long.sentence_of(m.start) == 2]
    assert reader.read_tokens(long, [2]) == reader.read(long, tail)


def test_window_contains_the_middle_of_its_mention() -> None:
    for length in (101, 149, 150, 151, 400):
        for piece in range(length):
            start = window_start(length, [piece])
            assert start <= piece < min(start + SENTENCE, length)
            assert start % (SENTENCE // 2) == 0


def test_damaged_tokeniser_is_an_error_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(FormatError, match=r"tokenizer\.json.*tokeniser"):
        UnitReader(tmp_path / "tokenizer.json")
