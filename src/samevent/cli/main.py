"""The entry point: finds a command, runs it, and turns errors into words and exit statuses.

Exit status: 0 done, 1 bad data, 2 bad usage, 130 interrupted. Commands are imported only when they are
called, so that `--help` answers at once.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from importlib import import_module

import click

from samevent import __version__
from samevent.cli.common import say
from samevent.errors import SameventError

COMMANDS = {
    "check": "look for problems in a corpus",
    "cluster": "find which event mentions refer to the same event",
    "convert": "convert a corpus from one format to another",
    "demo": "resolve the bundled articles and show the report",
    "experiment": "measure quality and print the paper's tables beside ours",
    "explain": "explain why two mentions refer to the same event, or do not",
    "extract": "find events, their participants, times and locations",
    "models": "list the available models",
    "report": "write the report of a run again",
    "review": "look at a run in the browser, and correct it",
    "run": "find events in documents, and which mentions refer to the same one",
    "score": "compare a system's events with gold events",
    "train": "train a part of a model on annotated data",
    "watch": "add documents to a run whenever files arrive in a folder",
}
"""Every command with its one-line help; each has a module in this package."""


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module and return the command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"samevent.cli.{cmd_name}"), f"{cmd_name}_cli")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="samevent")
def cli() -> None:
    """Find which mentions refer to the same event, within a document and across documents."""


def main() -> None:
    """Run the command line and exit."""
    open_standard_streams()
    show_usual, warnings.showwarning = warnings.showwarning, show_warning
    try:
        status = cli.main(prog_name="samevent", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as exit_:
        status = exit_.exit_code
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except SameventError as error:
        say(str(error))
        status = error.exit_status
    except (KeyboardInterrupt, click.Abort):
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # another Ctrl-C ends the process at once
        say("interrupted")
        status = 130
    except MemoryError:
        say("the memory is full. Use fewer --jobs, or fewer or shorter documents")
        status = 1
    except BrokenPipeError:
        # The reader of our output has gone (`samevent ... | head`): there is nothing left to do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        # A full disk, most likely: also of what standard output goes to, so that it must not be flushed again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        what = "standard output is closed" if error.errno == errno.EBADF else error.strerror or str(error)
        say(f"{error.filename}: {what}" if error.filename else what)
        status = 1
    finally:
        warnings.showwarning = show_usual
    sys.exit(status if isinstance(status, int) else 0)


def show_warning(message: Warning | str, *_where: object, **_more: object) -> None:
    """Print a warning as a message for a person, without the line of code that it came from."""
    for line in str(message).splitlines():
        say(line)


def open_standard_streams() -> None:
    """Open standard streams that are closed: input is empty, messages vanish, and output is an error.

    Otherwise the next file that is opened would take their place.
    """
    for name, flags in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), "r" if name == "stdin" else "w"))
