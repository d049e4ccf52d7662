"""Break valid inputs for as long as you like, and see whether any reader fails in another way than by a clear error.

    python tools/fuzz.py --seconds 600 [--only jsonl,brat] [--findings FOLDER]

Where atheris is installed, coverage guides what is tried; elsewhere inputs are changed at random. Each kind of failure
is printed once, as a JSON object, and its input is kept in the folder of findings. The status is 1 if there was any.
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

HANGS_AFTER = 20
"""Seconds."""
MEMORY = 4 << 30
"""Bytes of address space."""


class Hang(BaseException):
    """Reading takes too long."""


class Session:
    """Tries inputs and remembers what went wrong."""

    def __init__(self, names: Sequence[str], findings: Path, scratch: Path) -> None:
        from trust.samples import samples

        self.samples = [(name, samples()[name]) for name in names or samples()]
        self.findings, self.scratch = findings, scratch
        self.tried = 0
        self.refused = 0
        self.seen: set[tuple[str, ...]] = set()

    def seeds(self) -> list[bytes]:
        """Return the valid inputs: two bytes that say which file of which sample, then what is in it."""
        return [
            bytes((i, j)) + data
            for i, (_, sample) in enumerate(self.samples)
            for j, data in enumerate(sample.files.values())
        ]

    def attempt(self, packed: bytes) -> None:
        """Try one input, packed like the seeds."""
        from samevent import SameventError
        from trust.samples import Sample, read_or_refused

        i, j = (*packed[:2], 0, 0)[:2]
        name, sample = self.samples[i % len(self.samples)]
        file = list(sample.files)[j % len(sample.files)]
        path = Sample(sample.format, {**sample.files, file: packed[2:]}, sample.entry).put(
            self.scratch / name
        )
        self.tried += 1
        signal.alarm(HANGS_AFTER)
        try:
            self.refused += isinstance(read_or_refused(path, sample.format), SameventError)
        except (Exception, Hang) as error:  # noqa: BLE001  whatever it is, it is a finding
            self._keep(error, name, file, packed[2:])
        finally:
            signal.alarm(0)

    def sum_up(self, *, guided: bool) -> None:
        """Print how much was tried, and how many kinds of failure there were."""
        found = {"inputs": self.tried, "refused": self.refused, "findings": len(self.seen), "guided": guided}
        print(json.dumps(found), flush=True)

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
        found = {"sample": name, "file": file, "error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({**found, "frames": frames[-3:], "input": str(kept)}), flush=True)


def changed(packed: bytes, draw: random.Random) -> bytes:
    """Return an input with some changes."""
    from trust.samples import MUTATIONS, Mutation

    data = packed[2:]
    for _ in range(draw.choice((1, 1, 2, 3, 5))):
        data = Mutation(draw.choice(list(MUTATIONS)), *(draw.randrange(1 << 30) for _ in range(3)))(data)
    return packed[:2] + data


def at_random(session: Session, seconds: float, seed: int) -> None:
    """Change valid inputs for so many seconds."""
    draw = random.Random(seed)
    seeds = session.seeds()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        session.attempt(changed(draw.choice(seeds), draw))


def by_coverage(atheris: Any, session: Session, seconds: float, seed: int) -> None:
    """Let libFuzzer look for inputs that reach new code. It never comes back, so the process ends in here."""
    until = time.monotonic() + seconds

    def attempt(data: bytes) -> None:
        session.attempt(data)
        if time.monotonic() > until:
            session.sum_up(guided=True)
            shutil.rmtree(session.scratch, ignore_errors=True)
            os._exit(bool(session.seen))

    def mutator(data: bytes, most: int, drawn: int) -> bytes:
        draw = random.Random(drawn)
        return bytes(atheris.Mutate(data, most) if draw.random() < 0.5 else changed(data, draw)[:most])

    corpus = session.scratch / "seeds"
    corpus.mkdir()
    for number, data in enumerate(session.seeds()):
        (corpus / str(number)).write_bytes(data)
    words = [f"-seed={seed + 1}", "-max_len=20000", f"-rss_limit_mb={MEMORY >> 20}", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *words, str(corpus)], attempt, custom_mutator=mutator)
    atheris.Fuzz()


def main() -> None:
    """Fuzz, and say what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="names of samples, with commas between them")
    parser.add_argument("--findings", type=Path, default=Path(gettempdir()) / "samevent-fuzz")
    parser.add_argument("--random", action="store_true", help="leave atheris alone")
    options = parser.parse_args()

    def too_long(_number: int, _frame: FrameType | None) -> None:
        raise Hang(f"more than {HANGS_AFTER} seconds")

    signal.signal(signal.SIGALRM, too_long)
    atheris: Any = None
    if not options.random and find_spec("atheris"):
        atheris = __import__("atheris")
        with atheris.instrument_imports(include=["samevent"]):
            import samevent.formats  # noqa: F401  what is imported later is not measured
    else:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        session = Session([name for name in options.only.split(",") if name], options.findings, Path(scratch))
        if atheris:
            by_coverage(atheris, session, options.seconds, options.seed)
        at_random(session, options.seconds, options.seed)
        session.sum_up(guided=False)
    sys.exit(bool(session.seen))


if __name__ == "__main__":
    main()
