"""The paper's Table 3, under our names, as fractions of 1."""

from __future__ import annotations

from collections.abc import Mapping

_ORDER = ("muc", "bcubed", "ceafe")

_PERCENT: Mapping[str, Mapping[str, str]] = {
    "subtopic": {
        "lemma": "75.1 55.4 63.8  71.7 39.6 51.0  36.2 61.1 45.5  53.4",
        "hdp-lex": "75.5 63.5 69.0  65.6 43.7 52.5  34.8 60.2 44.1  55.2",
        "agglomerative": "78.3 59.2 67.4  73.2 40.2 51.9  30.2 65.6 41.4  53.6",
        "ddcrp": "79.6 58.2 67.1  78.1 39.6 52.6  31.8 69.4 43.6  54.4",
        "hddcrp-star": "77.5 66.4 71.5  69.0 48.1 56.7  38.2 63.0 47.6  58.6",
        "hddcrp": "80.3 67.1 73.1  78.5 40.6 53.5  38.6 68.9 49.5  58.7",
    },
    "document": {
        "lemma": "60.9 30.2 40.4  78.9 57.3 66.4  63.6 69.0 66.2  57.7",
        "hdp-lex": "50.0 39.1 43.9  74.7 67.6 71.0  66.2 71.4 68.7  61.2",
        "agglomerative": "61.9 39.2 48.0  80.7 67.6 73.5  65.6 76.0 70.4  63.9",
        "ddcrp": "71.2 36.4 48.2  85.4 64.9 73.8  61.8 76.1 68.2  63.4",
        "hddcrp-star": "58.1 42.8 49.3  78.4 68.7 73.2  67.6 74.5 70.9  64.5",
        "hddcrp": "74.3 41.7 53.4  85.6 67.3 75.4  65.1 79.8 71.7  66.8",
    },
}
"""Precision, recall and F1 of MUC, B3 and CEAFe, and CoNLL F1, on the extracted test mentions that match gold ones."""

Figures = Mapping[str, Mapping[str, float] | float]


def paper_figures(unit: str, clusterer: str) -> Figures | None:
    """Return the paper's scores of a system for a unit, if any.

    >>> paper_figures("document", "hddcrp")["conll"]
    0.668
    """
    line = _PERCENT.get(unit, {}).get(clusterer)
    if line is None:
        return None
    values = [round(float(value) / 100, 3) for value in line.split()]
    rows = zip(_ORDER, (values[k : k + 3] for k in (0, 3, 6)), strict=True)
    metrics = {name: dict(zip(("precision", "recall", "f1"), row, strict=True)) for name, row in rows}
    return {**metrics, "conll": values[-1]}
