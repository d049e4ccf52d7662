"""`samevent experiment NAME`."""

from __future__ import annotations

import click


@click.group("experiment")
def experiment_cli() -> None:
    """Measure quality on annotated data and print the paper's tables beside ours."""
