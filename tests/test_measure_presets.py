"""tools/measure_presets.py: what is trained and measured, and what is not computed again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools import measure_presets
from tools.make_results import FOLDER

Call = tuple[str, ...]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """Commands, which write their output and do nothing else."""
    called: list[Call] = []

    def run(*arguments: str | Path) -> None:
        texts = tuple(map(str, arguments))
        called.append(texts)
        Path(texts[texts.index("-o" if texts[0] == "train" else "--json") + 1]).write_text("{}")

    monkeypatch.setattr(measure_presets, "samevent", run)
    return called


def measure(monkeypatch: pytest.MonkeyPatch, work: Path, *more: str) -> None:
    arguments = ["measure_presets", str(work), "--encoders", "encoders", "--large", "large", *more]
    monkeypatch.setattr("sys.argv", arguments)
    measure_presets.main()


def test_measurements_are_those_that_are_stored() -> None:
    names = [each.name for each in measure_presets.measurements(Path("ecbplus"), Path("gvc"))]
    assert len(names) == len(set(names))
    presets = ("standard", "light", "best")
    ablations = ("grounding-", "joint-")
    stored = {path.stem for path in FOLDER.glob("*.json") if path.stem.endswith(presets)}
    stored = {name for name in stored if not name.startswith(ablations)}
    stored |= {path.stem for path in FOLDER.glob("transfer-*.json")}
    assert stored == set(names)


def test_measuring_trains_each_model_once_and_before_it_is_measured(
    calls: list[Call], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure(monkeypatch, tmp_path)
    models = [call[call.index("-o") + 1] for call in calls if call[0] == "train"]
    assert models == [str(tmp_path / split) for split in measure_presets.SPLITS]
    assert all(call[call.index("--model") + 1] in models for call in calls if call[0] == "experiment")


def test_measuring_again_computes_only_what_is_missing(
    calls: list[Call], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure(monkeypatch, tmp_path, "--only", "gvc")
    calls.clear()
    (tmp_path / "results" / "transfer-gvc-light.json").unlink()
    measure(monkeypatch, tmp_path, "--only", "gvc")
    assert [call[call.index("--preset") + 1] for call in calls] == ["light"]
