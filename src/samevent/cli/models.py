"""`samevent models list`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import emit_json, emit_table, force_option, json_option


@click.group("models")
def models_cli() -> None:
    """Show the available models."""


@models_cli.command("list")
@json_option
@force_option
def list_cli(json_file: Path | None, force: bool) -> None:
    """List shipped models with their parts, sizes, sources and licences."""
    from samevent.language.resources import manifests

    models = manifests()
    if json_file:
        emit_json(models, json_file, force=force)
        return
    for manifest in models:
        emit_table(
            f"{manifest['name']} ({manifest['language']})",
            ["part", "kB", "source", "licence"],
            [
                (name, f"{part['bytes'] / 1000:,.0f}", part["source"], part["licence"])
                for name, part in manifest["files"].items()
            ],
        )
