"""Fuzz the readers: corrupt valid inputs, and report every failure that is not a clear error.

    python tools/fuzz.py --seconds 600 [--only jsonl,brat] [--findings FOLDER]

With atheris installed, coverage guides the search; otherwise inputs are mutated at random. Each kind of failure is
printed once, as a JSON object, and its input is kept in the findings folder. The exit status is 1 if there was any.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

TIMEOUT = 20
"""Seconds per input."""
MEMORY = 4 << 30
"""Bytes of address space."""


class Hang(BaseException):
    """Reading took too long."""


class Session:
    """Tries inputs and records failures."""

    def __init__(self, names: Sequence[str], findings: Path, scratch: Path) -> None:
        from trust.samples import samples

        self.samples = [(name, samples()[name]) for name in names or samples()]
        self.findings, self.scratch = findings, scratch
        self.tried = 0
        self.rejected = 0
        self.seen: set[tuple[str, ...]] = set()

    def seeds(self) -> list[bytes]:
        """Return the valid inputs: two bytes for sample and file, then the contents of the file."""
        return [
            bytes((i, j)) + data
            for i, (_, sample) in enumerate(self.samples)
            for j, data in enumerate(sample.files.values())
        ]

    def attempt(self, packed: bytes) -> None:
        """Try one input, in the format of the seeds."""
        from samevent import SameventError
        from trust.samples import Sample, read_or_rejected

        i, j = (*packed[:2], 0, 0)[:2]
        name, sample = self.samples[i % len(self.samples)]
        file = list(sample.files)[j % len(sample.files)]
        path = Sample(sample.format, {**sample.files, file: packed[2:]}, sample.entry).put(
            self.scratch / name
        )
        self.tried += 1
        signal.alarm(TIMEOUT)
        try:
            self.rejected += isinstance(read_or_rejected(path, sample.format), SameventError)
        except (Exception, Hang) as error:  # noqa: BLE001  any exception is a finding
            self._keep(error, name, file, packed[2:])
        finally:
            signal.alarm(0)

    def print_summary(self, *, guided: bool) -> None:
        """Print the number of inputs and of kinds of failures."""
        summary = {
            "inputs": self.tried,
            "rejected": self.rejected,
            "findings": len(self.seen),
            "guided": guided,
        }
        print(json.dumps(summary), flush=True)

    def _keep(self, error: BaseException, name: str, file: str, data: bytes) -> None:
        origin = error.__cause__ or error
        frames = [f"{Path(f.filename).name}:{f.name}" for f in traceback.extract_tb(origin.__traceback__)]
        kind = (type(error).__name__, *frames[-3:])
        if kind in self.seen:
            return
        self.seen.add(kind)
        self.findings.mkdir(parents=True, exist_ok=True)
        kept = self.findings / f"{name}-{len(self.seen)}-{Path(file).name}"
        kept.write_bytes(data)
        finding = {"sample": name, "file": file, "error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({**finding, "frames": frames[-3:], "input": str(kept)}), flush=True)


def mutate(packed: bytes, draw: random.Random) -> bytes:
    """Return an input with some mutations."""
    from trust.samples import MUTATIONS, Mutation

    data = packed[2:]
    for _ in range(draw.choice((1, 1, 2, 3, 5))):
        data = Mutation(draw.choice(list(MUTATIONS)), *(draw.randrange(1 << 30) for _ in range(3)))(data)
    return packed[:2] + data


def fuzz_randomly(session: Session, seconds: float, seed: int) -> None:
    """Mutate valid inputs for a number of seconds."""
    draw = random.Random(seed)
    seeds = session.seeds()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        session.attempt(mutate(draw.choice(seeds), draw))


def fuzz_by_coverage(atheris: Any, session: Session, seconds: float, seed: int) -> None:
    """Let libFuzzer search for inputs that reach new code. It never returns, so the process exits here."""
    until = time.monotonic() + seconds

    def attempt(data: bytes) -> None:
        session.attempt(data)
        if time.monotonic() > until:
            session.print_summary(guided=True)
            shutil.rmtree(session.scratch, ignore_errors=True)
            os._exit(bool(session.seen))

    def mutator(data: bytes, max_size: int, seed: int) -> bytes:
        draw = random.Random(seed)
        return bytes(atheris.Mutate(data, max_size) if draw.random() < 0.5 else mutate(data, draw)[:max_size])

    corpus = session.scratch / "seeds"
    corpus.mkdir()
    for number, data in enumerate(session.seeds()):
        (corpus / str(number)).write_bytes(data)
    words = [f"-seed={seed + 1}", "-max_len=20000", f"-rss_limit_mb={MEMORY >> 20}", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *words, str(corpus)], attempt, custom_mutator=mutator)
    atheris.Fuzz()


def main() -> None:
    """Fuzz, and print a summary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="comma-separated names of samples")
    parser.add_argument("--findings", type=Path, default=Path(gettempdir()) / "samevent-fuzz")
    parser.add_argument("--random", action="store_true", help="do not use atheris")
    options = parser.parse_args()

    def too_long(_number: int, _frame: FrameType | None) -> None:
        raise Hang(f"more than {TIMEOUT} seconds")

    signal.signal(signal.SIGALRM, too_long)
    atheris: Any = None
    if not options.random and find_spec("atheris"):
        atheris = __import__("atheris")
        with atheris.instrument_imports(include=["samevent"]):
            import samevent.formats  # noqa: F401  later imports are not instrumented
    else:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        session = Session([name for name in options.only.split(",") if name], options.findings, Path(scratch))
        if atheris:
            fuzz_by_coverage(atheris, session, options.seconds, options.seed)
        fuzz_randomly(session, options.seconds, options.seed)
        session.print_summary(guided=False)
    sys.exit(bool(session.seen))


if __name__ == "__main__":
    main()
