from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from parses import needs_model
from samevent.corpus import Mention
from samevent.demo import gold

ROOT = Path(__file__).parents[1]
PICTURES = sorted((ROOT / "docs" / "pictures").glob("*.svg"))
MENTIONS = {mention.id: mention for mention in gold().mentions("action")}


@pytest.mark.slow
@needs_model
def test_pictures_are_up_to_date() -> None:
    command = [sys.executable, "-m", "tools.draw_model", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr


@pytest.mark.parametrize("picture", PICTURES, ids=lambda p: p.name)
def test_picture_stands_alone_and_is_described(picture: Path) -> None:
    root = ElementTree.fromstring(picture.read_text("utf-8"))
    names = {element.tag.partition("}")[2] for element in root.iter()}
    assert {"title", "desc"} <= names
    assert not names & {"script", "image", "foreignObject", "a", "use"}
    assert re.findall(r"url\((?!#)|https?://(?!www\.w3\.org/2000/svg)", picture.read_text("utf-8")) == []
    assert "prefers-color-scheme: dark" in picture.read_text("utf-8")


@pytest.mark.parametrize("picture", PICTURES, ids=lambda p: p.name)
def test_picture_fits_its_sheet(picture: Path) -> None:
    root = ElementTree.fromstring(picture.read_text("utf-8"))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for element in root.iter():
        if "x" in element.attrib and "y" in element.attrib:
            x, y = float(element.attrib["x"]), float(element.attrib["y"])
            assert 0 <= x <= width - float(element.get("width", 0)), ElementTree.tostring(element)
            assert 0 <= y <= height - float(element.get("height", 0)), ElementTree.tostring(element)


def test_restaurants_show_every_mention_of_their_documents() -> None:
    root = _drawn("restaurants.svg")
    seated = [MENTIONS[name].text for name in _values(root, "data-customer")]
    documents = {MENTIONS[name].document for name in _values(root, "data-customer")}
    there = [mention.text for mention in MENTIONS.values() if mention.document in documents]
    assert len(documents) == 3
    assert Counter(seated) + Counter(_values(root, "data-alone")) == Counter(there)


def test_restaurants_link_customers_within_and_tables_across_documents() -> None:
    links = _links(_drawn("restaurants.svg"))
    assert {kind for kind, _, _ in links} == {"customer", "table", "inactive"}
    for kind, one, other in links:
        if kind == "customer":
            assert (one.document, one.start > other.start) == (other.document, True)
        else:
            assert one.document != other.document
    follow = {one.id for kind, one, _ in links if kind == "customer"}
    assert {one.id for kind, one, _ in links if kind == "inactive"} <= follow
    assert not {one.id for kind, one, _ in links if kind == "table"} & follow


def test_restaurants_colour_connected_customers() -> None:
    root = _drawn("restaurants.svg")
    colour = {
        element.attrib["data-customer"]: re.findall(r"(?:ink|hue)(\d)", element.attrib["class"])[0]
        for element in root.iter()
        if "data-customer" in element.attrib
    }
    group = {name: {name} for name in colour}
    for kind, one, other in _links(root):
        if kind != "inactive":
            group[one.id] |= group[other.id]
            for name in group[one.id]:
                group[name] = group[one.id]
    for name, own in colour.items():
        assert {other for other, hue in colour.items() if hue == own} == group[name]


def test_probabilities_cover_every_pair() -> None:
    root = _drawn("probabilities.svg")
    mentions = set(_values(root, "data-mention"))
    events = {MENTIONS[name].event for name in mentions}
    assert mentions == {m.id for m in MENTIONS.values() if m.event in events}
    assert 1 < len(events) < len(mentions)
    pairs = [frozenset(pair.split()) for pair in _values(root, "data-pair")]
    assert len(set(pairs)) == len(pairs) == len(mentions) * (len(mentions) - 1) / 2
    assert all(0 <= float(value) <= 1 for value in _values(root, "data-probability"))


def test_components_contain_every_mention_once() -> None:
    root = _drawn("components.svg")
    sizes = [int(size) for size in _values(root, "data-size")]
    dots = sum(element.get("r") == "4" for element in root.iter())
    (alone,) = re.findall(r"(\d+) mentions without candidate links", "".join(root.itertext()))
    assert sum(sizes) == dots == len(MENTIONS) - int(alone)
    exact = _values(root, "data-exact")
    assert f"{exact.count('True')} solved exactly" in "".join(root.itertext())
    assert f"{exact.count('False')} sampled" in "".join(root.itertext())


@pytest.mark.parametrize("name", ["doctest_blocks", "pictures.components", "pictures.svg"])
def test_doctests_of_the_drawing_tools_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    outcome = doctest.testmod(import_module(f"tools.{name}"))
    assert (outcome.failed, outcome.attempted > 0) == (0, True)


def _drawn(name: str) -> ElementTree.Element:
    return ElementTree.fromstring((ROOT / "docs" / "pictures" / name).read_text("utf-8"))


def _values(root: ElementTree.Element, attribute: str) -> list[str]:
    return [element.attrib[attribute] for element in root.iter() if attribute in element.attrib]


def _links(root: ElementTree.Element) -> list[tuple[str, Mention, Mention]]:
    return [
        (e.attrib["data-link"], MENTIONS[e.attrib["data-from"]], MENTIONS[e.attrib["data-to"]])
        for e in root.iter()
        if "data-link" in e.attrib
    ]
