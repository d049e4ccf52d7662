from __future__ import annotations

from xml.etree import ElementTree

from samevent.experiments.diagrams import reliability_diagram

BINS = [
    {"low": 0.1, "high": 0.2, "pairs": 1000, "said": 0.15, "true": 0.1},
    {"low": 0.9, "high": 1.0, "pairs": 10, "said": 0.95, "true": 0.5},
]
_SVG = "{http://www.w3.org/2000/svg}"


def test_diagram_places_points_by_what_is_shown_and_true() -> None:
    root = ElementTree.fromstring(reliability_diagram("a < b", {"P": BINS, "f": BINS[:1]}))
    assert root.findtext(f"{_SVG}title") == "a < b"
    points = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in root.iter(f"{_SVG}circle")]
    assert len(points) == 3
    diagonal = next(line for line in root.iter(f"{_SVG}line") if line.get("class") == "diagonal")
    x0, y0, x1, y1 = (float(diagonal.attrib[name]) for name in ("x1", "y1", "x2", "y2"))
    for (x, y), each in zip(points[:2], BINS, strict=True):
        assert abs((x - x0) / (x1 - x0) - each["said"]) < 0.001
        assert abs((y - y0) / (y1 - y0) - each["true"]) < 0.001


def test_diagram_without_pairs_is_drawn() -> None:
    root = ElementTree.fromstring(reliability_diagram("nothing", {"P": []}))
    assert "no pairs" in str(root.findtext(f"{_SVG}desc"))
