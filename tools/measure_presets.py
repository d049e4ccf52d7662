"""Train a model per split of ECB+ and measure the presets on what it has not seen: the tables of `docs/results.md`.

    python -m tools.measure_presets WORK --encoders ENCODERS --large MPNET [--only TEXT ...] [--store]

ENCODERS has the work folder of `samevent train encoder --split SPLIT` for each split, under the split's name. Models
lie in WORK, measurements in WORK/results. What is there already is not computed again: an interrupted measurement goes
on where it was, and a model that is to be trained anew has to be removed, with what was measured of it. `--only` takes
the models and measurements whose names contain one of these texts. `--store` copies the measurements to `docs/results`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.make_results import FOLDER
from tools.tune_presets import DATA

SPLITS = ("cybulska", "yang2015")
PRESETS = ("standard", "light", "best")
"""In the order of their importance."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """An experiment under the name of its file: the arguments of `samevent experiment`, and the split of its model."""

    name: str
    split: str
    arguments: tuple[str, ...]


def measurements(ecbplus: Path, gvc: Path) -> Iterator[Measurement]:
    """Yield everything that is measured, short experiments first."""
    for preset in PRESETS:
        ending = "" if preset == "standard" else f"-{preset}"
        gold = ("--clusterers", "lemma,agglomerative,ddcrp,hddcrp", "--mentions", "gold")
        yield _table("cybulska", preset, ecbplus, *gold)
        yield _transfer(f"transfer-ecbplus{ending}", preset, ecbplus, "--split", "cybulska")
        yield _transfer(f"transfer-gvc{ending}", preset, gvc)
    raw = ("--mentions", "extracted", "--raw-text")
    yield _transfer("transfer-gvc-raw", "standard", gvc, *raw)
    yield _transfer("transfer-ecbplus-raw", "standard", ecbplus, "--split", "cybulska", *raw)
    for preset in ("standard", "light"):
        yield _stories(f"stories-ecbplus-{preset}", preset, ecbplus, "--split", "cybulska")
        yield _stories(f"stories-gvc-{preset}", preset, gvc)
    for protocol in ("realistic", "yang2015"):
        for preset in PRESETS:
            yield _table(protocol, preset, ecbplus, "--clusterers", "lemma,hddcrp")


def _table(protocol: str, preset: str, ecbplus: Path, *more: str) -> Measurement:
    split = protocol if protocol in SPLITS else "cybulska"
    arguments = ("ecbplus", "--data", str(ecbplus), "--protocol", protocol, "--preset", preset, *more)
    return Measurement(f"{protocol}-{preset}", split, arguments)


def _transfer(name: str, preset: str, data: Path, *more: str) -> Measurement:
    return Measurement(name, "cybulska", ("transfer", "--data", str(data), "--preset", preset, *more))


def _stories(name: str, preset: str, data: Path, *more: str) -> Measurement:
    return Measurement(name, "cybulska", ("stories", "--data", str(data), "--preset", preset, *more))


def samevent(*arguments: str | Path) -> None:
    """Run a command, and stop if it fails."""
    print("samevent", *arguments, file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "samevent", *map(str, arguments)], check=True)


def main() -> None:
    """Train and measure what is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("work", type=Path, help="folder for models and measurements")
    parser.add_argument("--encoders", type=Path, required=True, help="folder with the encoders of each split")
    parser.add_argument("--large", type=Path, required=True, help="the folder of the large encoder")
    parser.add_argument("--data", type=Path, default=DATA, help="the data folder")
    parser.add_argument("--only", nargs="+", default=[""], help="texts, of which one is in the name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", action="store_true", help="copy the measurements to docs/results")
    options = parser.parse_args()
    ecbplus, gvc = options.data / "ecbplus", options.data / "gvc" / "dev.jsonl"
    chosen = [each for each in measurements(ecbplus, gvc) if any(text in each.name for text in options.only)]
    results = options.work / "results"
    results.mkdir(parents=True, exist_ok=True)
    for split in (split for split in SPLITS if any(each.split == split for each in chosen)):
        if not (options.work / split).exists():
            encoders = options.encoders / split
            samevent(
                "train", "all", ecbplus, "-o", options.work / split, "--split", split, "--encoders", encoders,
                "--large", options.large, "--jobs", str(options.jobs),
            )  # fmt: skip
    for each in chosen:
        file = results / f"{each.name}.json"
        if not file.exists():
            model = options.work / each.split
            resume = ("--resume",) if each.arguments[0] == "ecbplus" else ()
            samevent(
                "experiment", *each.arguments, "--model", model, "--jobs", str(options.jobs), "--json", file, *resume
            )  # fmt: skip
        if options.store:
            shutil.copyfile(file, FOLDER / file.name)


if __name__ == "__main__":
    main()
