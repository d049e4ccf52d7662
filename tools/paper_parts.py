"""Measure what `samevent experiment paper` shows beside coreference, and write `docs/results/paper-parts.json`.

    python -m tools.paper_parts MODEL

MODEL is a model of the train topics of `yang2015` (`samevent train all DATA --split yang2015 -o MODEL`). If it has no
pair models of the paper's readings, the weights that are stored stay.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from samevent.experiments.paper_view import measure_parts
from samevent.experiments.work import Work, provenance
from samevent.formats import read
from samevent.language.cache import Cache
from samevent.model import Model

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SAMEVENT_DATA") or ROOT.parent / "shared" / "data")
TARGET = ROOT / "docs" / "results" / "paper-parts.json"


def main() -> None:
    """Measure and write."""
    model = Model.load(sys.argv[1], cache=Cache())
    with tempfile.TemporaryDirectory() as folder:
        parts = measure_parts(read(DATA / "ecbplus", format="ecbplus"), model, Work(folder=Path(folder)))
    if not parts["weights"] and TARGET.exists():
        parts["weights"] = json.loads(TARGET.read_text("utf-8"))["weights"]
    TARGET.write_text(json.dumps(parts | provenance(0, {}), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
