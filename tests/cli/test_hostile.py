"""Files that break readers, through `samevent run`: each is listed with its reason, and the others are read."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from loose_files import QUAKE, mail, page, pdf, rss, word, zipped
from parses import needs_model
from samevent.cli.main import cli
from samevent.errors import SameventError
from samevent.formats.files import MAX_BYTES

pytestmark = needs_model

QUAKES = " ".join(QUAKE)
ALERT = "<script>alert('gotcha')</script>"


def _locked() -> bytes:
    from pypdf import PdfWriter

    writer, stream = PdfWriter(), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret")
    writer.write(stream)
    return stream.getvalue()


GOOD = {
    "a.txt": QUAKES.encode(),
    "page.html": page(QUAKE).replace(b"</body>", f"{ALERT}<img src=x onerror=alert(1)></body>".encode()),
    "report.pdf": pdf(QUAKE),
    "memo.docx": word(QUAKE),
    "mail.eml": mail(QUAKES, html=f"<p>{QUAKES}</p>{ALERT}", attachment=("payload.exe", b"MZ gotcha")),
    "feed.rss": rss({"Quake": QUAKES}),
    "table.csv": f'id,text\r\n=1+1,"{QUAKES}"\r\n'.encode(),
}
BAD = {
    "saved.txt": (page(QUAKE), "is an HTML page"),
    "binary.txt": (bytes(range(256)) * 80, "binary file"),
    "line.txt": (b"quake " * (45_000_000 // 6), f"larger than {MAX_BYTES:,} bytes"),
    "broken.pdf": (pdf(QUAKE)[:300], "cannot be read as PDF"),
    "locked.pdf": (_locked(), "is encrypted"),
    "bomb.docx": (zipped({"word/document.xml": b"<a>" + b" " * (MAX_BYTES + 1)}), "is larger than"),
    "laughs.docx": (
        zipped({"word/document.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}),
        "document type",
    ),
    "half.docx": (word(QUAKE)[:200], "zip file is broken"),
    "none.eml": (b"", "no header"),
    "quote.csv": (b'id,text\n1,"never closed\n', "is not CSV"),
    "half.parquet": (b"PAR1 and nothing else", "cannot be read as Parquet"),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(99), "is a picture"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (inputs := tmp_path / "news").mkdir()
    for name, content in GOOD.items():
        (inputs / name).write_bytes(content)
    for name, (content, _) in BAD.items():
        (inputs / name).write_bytes(content)
    return inputs


def _run(*words: object) -> tuple[int, str, BaseException | None]:
    done = CliRunner().invoke(cli, ["run", *map(str, words), "--preset", "light"])
    return done.exit_code, done.output, done.exception


def test_hostile_files_are_listed_and_the_others_read(folder: Path) -> None:
    out = folder.parent / "out"
    code, output, error = _run(folder, "-o", out)
    assert code == 0, error
    about = json.loads((out / "run.json").read_text("utf-8"))
    reasons = {
        Path(each["file"].split(":")[0]): f"{each['reason']} {each.get('remedy', '')}"
        for each in about["unread"]
    }
    named = {next(part for part in path.parts if part in BAD): reason for path, reason in reasons.items()}
    assert named.keys() == BAD.keys()
    for name, (_, says) in BAD.items():
        assert says in named[name], name
        assert name in output
    assert len(about["documents"]) == len(GOOD)
    for file in out.iterdir():
        assert b"gotcha" not in file.read_bytes(), file.name


def test_strict_stops_at_the_first_hostile_file(folder: Path) -> None:
    code, _, error = _run(folder, "-o", folder.parent / "out", "--strict")
    assert code != 0
    assert isinstance(error, SameventError)
    assert "binary.txt" in str(error)
    assert not (folder.parent / "out").exists()
