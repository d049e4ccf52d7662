from __future__ import annotations

import ast
from pathlib import Path

import samevent.names as names
from samevent import clusterers, corpus, exports, extraction, formats, scoring
from samevent.experiments import protocols
from samevent.experiments.protocols import TASKS


def test_names_equal_the_registries() -> None:
    assert tuple(clusterers.CLUSTERERS) == names.CLUSTERERS
    assert tuple(clusterers.PRESETS) == names.PRESETS
    assert formats.READABLE == names.READABLE
    assert formats.WRITABLE == names.WRITABLE
    assert tuple(exports.EXPORTS) == tuple(names.EXPORTS)
    assert names.KINDS == corpus.KINDS
    assert names.UNITS == corpus.UNITS
    assert names.POINTS == extraction.POINTS
    assert names.DEFAULT_POINT == extraction.DEFAULT_POINT == TASKS["realistic"].point
    assert names.FILTERS == scoring.FILTERS
    assert names.SINGLETONS == scoring.SINGLETONS
    assert tuple(metric.name for metric in scoring.METRICS) == names.METRICS
    assert names.SPLITS == protocols.SPLITS
    assert tuple(TASKS) == names.PROTOCOLS


def test_names_import_nothing() -> None:
    tree = ast.parse(Path(names.__file__).read_text("utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [getattr(node, "module", None) for node in imported] == ["__future__"]
