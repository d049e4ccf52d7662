"""The language resources of a model folder, each loaded on first use.

The shipped model is inside the package, under `models/`; `make model` builds it. To replace one part, copy the folder
and write a file of the same name with `samevent train`, which enters its hash into the manifest: a file with another
hash is damaged and not loaded.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samevent.errors import FormatError, UsageError, check_type, place

if TYPE_CHECKING:
    from samevent.language.encoder import Encoder
    from samevent.language.gazetteer import Gazetteer
    from samevent.language.lexicon import CompiledLexicon
    from samevent.language.roles import Roles
    from samevent.language.vectors import WordVectors

DEFAULT = "en-news"
MODELS = Path(__file__).parents[1] / "models"

MANIFEST_FILE = "manifest.json"
VECTORS_FILE = "vectors.npz"
ROLES_FILE = "roles.npz"
ADAPTER_FILE = "adapter.npz"
"""The adapter of the large encoder."""
LARGE_FOLDER = "large"
"""The large encoder of a model that was trained here; that of a shipped model is installed."""

_SHA256 = re.compile("[0-9a-f]{64}")
_RESTORE = "restore it from where the model came from, or build the model again"


class Resources:
    """The language part of a model: lexicon, vectors, gazetteer, role labeller and contextual encoder.

    `verify` is False for a model in the making, whose manifest is that of another.
    """

    def __init__(self, folder: Path, *, verify: bool = True) -> None:
        self.folder = folder
        self._verify = verify

    @cached_property
    def _hashes(self) -> dict[str, str]:
        """The hash of each file that the manifest lists."""
        if not self._verify or not (self.folder / MANIFEST_FILE).exists():
            return {}
        return {name: about["sha256"] for name, about in read_manifest(self.folder)["files"].items()}

    def file(self, name: str) -> Path:
        """Return the path of a file of the model; raise if it is not the one that the manifest lists."""
        path = self.folder / name
        if name in self._hashes and path.is_file() and sha256(path) != self._hashes[name]:
            raise FormatError(
                f"is not the file that {MANIFEST_FILE} lists",
                where=place(path),
                expected=f"SHA-256 {self._hashes[name]}",
                hint=f"{_RESTORE}; if you replaced the file on purpose, remove its entry from {MANIFEST_FILE}",
            )
        return path

    @cached_property
    def lexicon(self) -> CompiledLexicon:
        """WordNet and frames."""
        from samevent.language.lexicon import FRAMES_FILE, WORDNET_FILE, CompiledLexicon

        self.file(WORDNET_FILE), self.file(FRAMES_FILE)
        return CompiledLexicon.load(self.folder)

    @cached_property
    def vectors(self) -> WordVectors:
        """Word vectors."""
        from samevent.language.vectors import load_table

        return load_table(self.file(VECTORS_FILE))

    @cached_property
    def gazetteer(self) -> Gazetteer | None:
        """Places by name; None if the model has no file of them."""
        from samevent.language.gazetteer import GAZETTEER_FILE, Gazetteer

        path = self.file(GAZETTEER_FILE)
        return Gazetteer(path) if path.is_file() else None

    @cached_property
    def roles(self) -> Roles:
        """The semantic role labeller."""
        from samevent.language.roles import Roles

        return Roles.load(self.file(ROLES_FILE))

    @cached_property
    def encoder(self) -> Encoder:
        """The contextual encoder."""
        from samevent.language.encoder import ENCODER_FILE, TOKENIZER_FILE, Encoder

        self.file(ENCODER_FILE), self.file(TOKENIZER_FILE)
        return Encoder(self.folder)

    @cached_property
    def large_encoder(self) -> Encoder:
        """The large encoder of the preset `best`: in the folder `large` of the model, or installed."""
        from samevent.language.encoder import Encoder
        from samevent.language.encoder.installation import encoder_folder

        if not self.has_large_encoder:
            raise UsageError(
                "the preset 'best' needs the large encoder, which is not installed",
                hint=f"install it with: {self.install_command}; or choose another preset",
            )
        own = self.folder / LARGE_FOLDER
        return Encoder(own if own.is_dir() else encoder_folder(self.file(ADAPTER_FILE)))

    @property
    def has_large_encoder(self) -> bool:
        """Whether the large encoder can be used."""
        from samevent.language.encoder.installation import is_installed

        adapter = self.folder / ADAPTER_FILE
        return (self.folder / LARGE_FOLDER).is_dir() or (adapter.is_file() and is_installed(adapter))

    def large_encoder_state(self) -> str:
        """Return in words whether there is a large encoder."""
        if self.has_large_encoder:
            return f"in {self.large_encoder.folder}"
        if (self.folder / ADAPTER_FILE).is_file():
            return f"not installed ({self.install_command})"
        return "none"

    @property
    def install_command(self) -> str:
        """The command that installs the large encoder."""
        return "samevent models install best" + ("" if self.name == DEFAULT else f" --model {self.name}")

    @property
    def name(self) -> str:
        """How `resources` finds the model: the name of a shipped one, or its folder."""
        return self.folder.name if self.folder.parent == MODELS else str(self.folder)


def resources(model: str | Path = DEFAULT) -> Resources:
    """Return the resources of a model: a shipped one by its name, or any by its folder."""
    check_type(model, str | Path, "the name or the folder of a model")
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
    return [read_manifest(file.parent) for file in sorted(MODELS.glob(f"*/{MANIFEST_FILE}"))]


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a model; raise if it is damaged."""
    file = folder / MANIFEST_FILE
    try:
        manifest = json.loads(file.read_text("utf-8"))
        sound = isinstance(manifest["name"], str) and all(
            isinstance(about["bytes"], int)
            and _SHA256.fullmatch(about["sha256"])
            and isinstance(about["source"], str)
            and isinstance(about["licence"], str)
            for about in manifest["files"].values()
        )
    except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError) as error:
        raise _damaged_manifest(file) from error
    if not sound:
        raise _damaged_manifest(file)
    return dict(manifest)


def sha256(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _damaged_manifest(file: Path) -> FormatError:
    return FormatError(
        "is damaged",
        where=place(file),
        expected="the name of a model, and bytes, sha256, source and licence of its files",
        hint=_RESTORE,
    )
