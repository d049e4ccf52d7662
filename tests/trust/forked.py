"""Run the command line repeatedly, in processes forked from one that has all modules loaded.

A scenario is a line of JSON on stdin, its outcome a line of JSON on stdout. `at` names a moment (a stage, the first
line of a file being written, or `rename`, when the folder gets its name) and `do` what happens then: a signal,
`SIGINT again and again`, once more whenever something is said, `full`, as if the disk were full, or `memory`.
"""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from samevent.cli import main, run
from samevent.demo import articles
from samevent.formats import files
from samevent.language.cache import Cache
from samevent.model import Model


class Impatient(io.TextIOWrapper):
    """Standard error of a user who presses Ctrl-C whenever something is said."""

    def write(self, text: str) -> int:
        """Write the text, and interrupt."""
        written = super().write(text)
        if written:  # click writes nothing to see whether it can
            os.kill(os.getpid(), signal.SIGINT)
        return written


def act(what: str) -> None:
    """Send the signal, or raise as a full disk would."""
    if what == "full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if what == "memory":
        raise MemoryError
    if what == "SIGINT again and again":
        sys.stderr = Impatient(io.FileIO(2, "w", closefd=False), "utf-8", line_buffering=True)
        what = "SIGINT"
    os.kill(os.getpid(), signal.Signals[what])


def arm(at: str, do: str) -> None:
    """Prepare the fault in this process."""

    @contextmanager
    def stages() -> Iterator[Callable[..., None]]:
        yield lambda stage, *_: act(do) if stage == at else None

    setattr(run, "stages", stages)  # noqa: B010  a module's name, which mypy takes for private
    fill, rename = files._fill, Path.rename

    def struck_fill(path: Path, chunks: Iterable[str]) -> None:
        def cut() -> Iterator[str]:
            for number, chunk in enumerate(chunks):
                yield chunk[: len(chunk) // 2] if f".{at}." in path.name else chunk
                if number == 0 and f".{at}." in path.name:
                    act(do)

        fill(path, cut())

    def struck_rename(self: Path, target: Path) -> Path:
        if at == "rename" and self.suffix == ".part":
            act(do)
        return rename(self, target)

    files._fill = struck_fill
    Path.rename = struck_rename  # type: ignore[assignment, method-assign]


def child(scenario: dict[str, Any], out: int, err: int) -> None:
    """Run the command line, and exit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", line_buffering=True)
        for number in (1, 2)
    )
    if scenario.get("at"):
        arm(scenario["at"], scenario["do"])
    sys.argv = ["samevent", *scenario["words"]]
    status = 1
    try:
        main.main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001  as Python itself would
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


def played(scenario: dict[str, Any]) -> dict[str, Any]:
    """Run a scenario in a forked process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdout = out.fileno()
        if scenario.get("stdout") == "closed pipe":
            reader, stdout = os.pipe()
            os.close(reader)
        elif scenario.get("stdout"):
            stdout = os.open(scenario["stdout"], os.O_WRONLY)
        process = os.fork()
        if not process:
            child(scenario, stdout, err.fileno())
        if stdout != out.fileno():
            os.close(stdout)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        err.seek(0)
        return {"status": status, "said": err.read().decode()}


def warm(home: str) -> None:
    """Load everything that a run needs: the model, compiled code and the parser."""
    os.environ["XDG_CACHE_HOME"] = f"{home}/cache"
    loaded = Model.load(cache=Cache())
    loaded.resolve(articles())
    Model.load = lambda *_, **__: loaded  # type: ignore[method-assign]


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    warm(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(played(json.loads(line))), file=answers, flush=True)
