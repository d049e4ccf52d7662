"""The language resources of a model folder, each loaded on first use.

The shipped model is inside the package, under `models/`; `make model` builds it. To replace one part, copy the folder
and write a file of the same name.
"""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samevent.errors import UsageError

if TYPE_CHECKING:
    from samevent.language.encoder import Encoder
    from samevent.language.lexicon import CompiledLexicon
    from samevent.language.roles import Roles
    from samevent.language.vectors import WordVectors

DEFAULT = "en-news"
MODELS = Path(__file__).parents[1] / "models"

MANIFEST_FILE = "manifest.json"
VECTORS_FILE = "vectors.npz"
ROLES_FILE = "roles.npz"


class Resources:
    """The language part of a model: lexicon, vectors, role labeller and contextual encoder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def lexicon(self) -> CompiledLexicon:
        """WordNet and frames."""
        from samevent.language.lexicon import CompiledLexicon

        return CompiledLexicon.load(self.folder)

    @cached_property
    def vectors(self) -> WordVectors:
        """Word vectors."""
        from samevent.language.vectors import load_table

        return load_table(self.folder / VECTORS_FILE)

    @cached_property
    def roles(self) -> Roles:
        """The semantic role labeller."""
        from samevent.language.roles import Roles

        return Roles.load(self.folder / ROLES_FILE)

    @cached_property
    def encoder(self) -> Encoder:
        """The contextual encoder."""
        from samevent.language.encoder import Encoder

        return Encoder(self.folder)


def resources(model: str | Path = DEFAULT) -> Resources:
    """Return the resources of a model: a shipped one by its name, or any by its folder."""
    shipped = MODELS / str(model)
    folder = shipped if shipped.is_dir() else Path(model)
    if not folder.is_dir():
        known = ", ".join(sorted(path.parent.name for path in MODELS.glob(f"*/{MANIFEST_FILE}")))
        raise UsageError(
            f"there is no model {str(model)!r}", expected=f"a model's folder, or one of: {known}"
        )
    return Resources(folder)


def manifests() -> list[dict[str, Any]]:
    """Return the manifests of the shipped models, by name."""
    return [json.loads(file.read_text("utf-8")) for file in sorted(MODELS.glob(f"*/{MANIFEST_FILE}"))]
