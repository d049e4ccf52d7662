"""The entry point: finds a command, runs it, and turns errors into words and exit statuses.

Exit status: 0 done, 1 bad data, 2 bad usage, 130 interrupted. Commands are imported only when they are
called, so that `--help` answers at once.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from samevent import __version__
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
    "run": "find events in documents, and which mentions refer to the same one",
    "score": "compare a system's events with gold events",
    "train": "train a part of a model on annotated data",
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
    try:
        status = cli.main(prog_name="samevent", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as exit_:
        status = exit_.exit_code
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except SameventError as error:
        click.echo(f"samevent: {error}", err=True)
        status = error.exit_status
    except (KeyboardInterrupt, click.Abort):
        click.echo("samevent: interrupted", err=True)
        status = 130
    except BrokenPipeError:
        # The reader of our output has gone (`samevent ... | head`): there is nothing left to do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        # A full disk, most likely: also of what standard output goes to, so that it must not be flushed again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"samevent: {where}{error.strerror or error}", err=True)
        status = 1
    sys.exit(status if isinstance(status, int) else 0)
