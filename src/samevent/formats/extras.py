"""Optional libraries: what to install if one is missing, and hostile files that make it fail."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from samevent.errors import FormatError, SameventError, UsageError


def missing(what: str, library: str, extra: str) -> UsageError:
    """Return the error for a file that needs a library which is not installed."""
    return UsageError(
        f"{what} needs {library}, which is not installed",
        hint=f"install it with: python -m pip install 'samevent[{extra}]'",
    )


@contextmanager
def guarded_library(what: str, *loggers: str) -> Iterator[None]:
    """Silence a library that reads a file, and turn whatever it raises into an error about the file.

    A broken or hostile file makes parsers fail in ways that they do not document.
    """
    levels = {name: logging.getLogger(name).level for name in loggers}
    for name in loggers:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (SameventError, MemoryError):
        raise
    except Exception as error:
        raise FormatError(
            f"cannot be read as {what} ({type(error).__name__}: {error})",
            hint="open it in the program that it was made with, and save its text as .txt",
        ) from error
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
