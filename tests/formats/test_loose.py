"""Files that people have: each kind is read by what it is, and hostile ones end in one clear error."""

from __future__ import annotations

import json
import os
import quopri
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from loose_files import QUAKE, STRIKE, atom, mail, page, pdf, rss, word, zipped
from samevent import Document, FormatError, SameventError, UsageError, read
from samevent.errors import UnreadWarning
from samevent.formats import Unread, files, stream

needs = pytest.importorskip


def put(folder: Path, contents: Mapping[str, bytes | str]) -> Path:
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def one(folder: Path, name: str, content: bytes | str) -> Document:
    (document,) = read(put(folder, {name: content}) / name, strict=True)
    return document


def _walk_without(shut: Path) -> Callable[..., Iterator[tuple[str, list[str], list[str]]]]:
    """Return a walk for which a folder is shut, also for a superuser, whom permissions do not stop."""
    walk = os.walk

    def closed(
        folder: Path, onerror: Callable[[OSError], None]
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        for root, folders, names in walk(folder):
            if Path(root) == shut:
                onerror(PermissionError(13, "Permission denied", str(shut)))
            else:
                yield root, folders, names

    return closed


class TestWebPages:
    def test_page_is_its_article_with_title_and_date(self, tmp_path: Path) -> None:
        document = one(tmp_path, "gull.html", page(QUAKE))
        assert (document.id, document.title, document.date) == (
            "gull.html",
            "Quake hits Kestry",
            "2031-03-04",
        )
        assert all(sentence in document.text for sentence in QUAKE)
        assert not any(word in document.text for word in ("alert", "Subscribe", "Home"))

    def test_scripts_that_are_quoted_are_text_and_nothing_else(self, tmp_path: Path) -> None:
        document = one(tmp_path, "a.html", page([*QUAKE, "He wrote <script>alert(1)</script> on the wall."]))
        assert "<script>alert(1)</script> on the wall" in document.text

    def test_declared_encoding_is_used(self, tmp_path: Path) -> None:
        data = page(["The café of Señor Núñez burnt down.", *QUAKE]).decode().replace("utf-8", "latin-1")
        assert "café of Señor Núñez" in one(tmp_path, "a.html", data.encode("latin-1")).text

    @pytest.mark.parametrize(
        "content", [b"", b"<html></html>", b"<div>" * 50_000, b"\0\1\2" * 99, b"<!--" * 9_999]
    )
    def test_page_without_a_text_is_rejected(self, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(FormatError, match=r"a\.html: (has no main text|cannot be read)"):
            one(tmp_path, "a.html", content)

    def test_missing_library_is_named_with_its_command(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for library in ("trafilatura", "pypdf"):
            monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(UsageError, match=r"a\.html: HTML needs trafilatura.*'samevent\[web\]'"):
            one(tmp_path, "a.html", page(QUAKE))
        with pytest.raises(UsageError, match=r"a\.pdf: PDF needs pypdf.*'samevent\[pdf\]'"):
            one(tmp_path, "a.pdf", pdf(QUAKE))

    @pytest.mark.parametrize("name", ["a.mhtml", "a.MHT"])
    def test_page_saved_as_a_single_file_is_its_article(self, tmp_path: Path, name: str) -> None:
        head = (
            b"From: <Saved by a browser>\nSubject: Quake\nMIME-Version: 1.0\n"
            b'Content-Type: multipart/related; type="text/html"; boundary="B"\n\n--B\n'
        )
        quoted = quopri.encodestring(page(["The café burnt down.", *QUAKE]))
        part = b"Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n" + quoted
        style = b"\n--B\nContent-Type: text/css\n\np { color: red }\n--B--\n"
        document = one(tmp_path, name, head + part + style)
        assert (document.title, document.date) == ("Quake hits Kestry", "2031-03-04")
        assert all(sentence in document.text for sentence in ("The café burnt down.", *QUAKE))
        with pytest.raises(FormatError, match="has no page; expected a web page saved as a single file"):
            one(tmp_path, name, head + style)


class TestPdf:
    def test_lines_become_paragraphs_and_divided_words_whole(self, tmp_path: Path) -> None:
        lines = [
            "7",
            "A strong quake struck the har-",
            "bour town of Kestry and killed two.",
            "It was Tuesday.",
            "Rain (heavy) fell.",
        ]
        document = one(tmp_path, "2031-03-04.pdf", pdf(lines, title="Quake at Kestry"))
        assert document.text.split("\n\n") == [
            "A strong quake struck the harbour town of Kestry and killed two. It was Tuesday.",
            "Rain (heavy) fell.",
        ]
        assert (document.title, document.date, document.extra) == (
            "Quake at Kestry", "2031-03-04", {"created": "2031-03-04"},
        )  # fmt: skip

    def test_encrypted_document_is_named_as_that(self, tmp_path: Path) -> None:
        from pypdf import PdfReader, PdfWriter

        put(tmp_path, {"open.pdf": pdf(QUAKE)})
        writer = PdfWriter(clone_from=PdfReader(tmp_path / "open.pdf"))
        writer.encrypt("secret", algorithm="RC4-128")
        writer.write(tmp_path / "shut.pdf")
        with pytest.raises(FormatError, match=r"shut\.pdf: is encrypted; .*without its password"):
            read(tmp_path / "shut.pdf", strict=True)

    def test_document_that_only_its_owner_may_change_is_read(self, tmp_path: Path) -> None:
        needs("cryptography")
        from pypdf import PdfReader, PdfWriter

        put(tmp_path, {"open.pdf": pdf(QUAKE)})
        for name, password in (("owner.pdf", ""), ("shut.pdf", "secret")):
            writer = PdfWriter(clone_from=PdfReader(tmp_path / "open.pdf"))
            writer.encrypt(password, "owner", algorithm="AES-256")
            writer.write(tmp_path / name)
        (document,) = read(tmp_path / "owner.pdf", strict=True)
        assert QUAKE[0] in document.text
        with pytest.raises(FormatError, match=r"shut\.pdf: is encrypted; .*without its password"):
            read(tmp_path / "shut.pdf", strict=True)

    def test_missing_library_for_encrypted_documents_is_named_with_its_command(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from pypdf import _encryption
        from pypdf.errors import DependencyError

        def refuse(*_arguments: bytes) -> bytes:
            raise DependencyError("cryptography>=3.1 is required for AES algorithm")

        monkeypatch.setattr(_encryption, "aes_cbc_encrypt", refuse)  # as it is without the library
        long, short = "6c" * 48, "6c" * 32
        encrypted = (
            f"/Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 /P -4 /O <{long}> /U <{long}> "
            f"/OE <{short}> /UE <{short}> /Perms <{'6c' * 16}> /StmF /StdCF /StrF /StdCF "
            "/CF << /StdCF << /CFM /AESV3 /AuthEvent /DocOpen /Length 32 >> >> >> /ID [<00> <00>] "
        )
        with pytest.raises(
            UsageError, match=r"a\.pdf: .*encrypted with AES.*cryptography.*'samevent\[pdf\]'"
        ):
            one(tmp_path, "a.pdf", pdf(QUAKE, trailer=encrypted))

    def test_scanned_document_is_named_as_that(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match=r"no text on its 1 page.*ocrmypdf"):
            one(tmp_path, "a.pdf", pdf([]))

    @pytest.mark.parametrize(
        "content", [b"", b"%PDF-1.4", b"%PDF-1.4\nstartxref\n9\n%%EOF", pdf(QUAKE)[:300], b"x"]
    )
    def test_broken_document_is_one_error(self, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(FormatError, match=r"a\.pdf: "):
            one(tmp_path, "a.pdf", content)


class TestWord:
    def test_paragraphs_title_and_day_are_read(self, tmp_path: Path) -> None:
        document = one(tmp_path, "a.docx", word(QUAKE))
        assert document.text.split("\n\n") == list(QUAKE)
        assert (document.id, document.title, document.extra) == ("a.docx", "Quake", {"created": "2031-03-05"})

    def test_deleted_text_is_left_out_and_tables_and_boxes_are_read_once(self, tmp_path: Path) -> None:
        more = (
            "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>"
            "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t><w:tab/><w:t>two</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
            "<w:p><w:r><w:t>out</w:t><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></w:r></w:p>"
        )
        assert one(tmp_path, "a.docx", word([], more=more)).text == "new\n\ncell two\n\nout\n\nbox"

    def test_bomb_is_rejected_before_it_grows(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files, "MAX_BYTES", 1_000_000)
        put(tmp_path, {"a.docx": zipped({"word/document.xml": b"<a>" + b" " * 50_000_000})})
        tracemalloc.start()
        try:
            with pytest.raises(FormatError, match="larger than 1,000,000 bytes"):
                read(tmp_path / "a.docx", strict=True)
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (b"PK\3\4", "the zip file is broken"),
            (b"\xd0\xcf\x11\xe0" + bytes(99), "protected with a password.* save it as .docx without"),
            (zipped({"a.xml": b"<a/>"}), r"has no word/document\.xml; expected a Word document"),
            (zipped({"word/document.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "document type"),
            (zipped({"word/document.xml": b"<w:p>" * 200}), "nested too deeply"),
            (zipped({"../x": b"", "word/document.xml": b"<a/>"}), "leads out of its folder"),
        ],
    )
    def test_hostile_document_is_one_error(self, tmp_path: Path, content: bytes, says: str) -> None:
        with pytest.raises(FormatError, match=says):
            one(tmp_path, "a.docx", content)


class TestMail:
    def test_subject_date_and_plain_form_are_read(self, tmp_path: Path) -> None:
        document = one(tmp_path, "a.eml", mail(QUAKE[0], html="<p>not this one"))
        assert document.text.strip() == QUAKE[0]
        assert (document.title, document.date) == ("Quake hits Kestry", "2031-03-04")
        assert document.extra == {"from": "desk@gull.example"}

    def test_html_form_is_read_if_there_is_no_other(self, tmp_path: Path) -> None:
        content = b"From: a@b\nContent-Type: text/html; charset=nonsense\n\n<p>Quake &amp; fire<script>x()</script>\n"
        assert one(tmp_path, "a.eml", content).text == "Quake & fire"

    def test_attachments_are_named_and_not_opened(self, tmp_path: Path) -> None:
        document = one(tmp_path, "a.eml", mail(QUAKE[0], attachment=("../../run.exe", b"MZ\0")))
        assert document.extra["attachments"] == ["../../run.exe"]
        assert [path.name for path in tmp_path.rglob("*")] == ["a.eml"]

    def test_file_without_a_header_is_rejected(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match=r"a\.eml: has no header"):
            one(tmp_path, "a.eml", "\nJust words.")


class TestFeeds:
    @pytest.mark.parametrize("name", ["a.rss", "a.xml"])
    def test_items_are_documents(self, tmp_path: Path, name: str) -> None:
        put(tmp_path, {name: rss({"Quake": QUAKE[0], "Strike & more": STRIKE[0]})})
        first, second = read(tmp_path / name)
        assert (first.id, first.text, first.title, first.date) == (
            f"{name}/1",
            QUAKE[0],
            "Quake",
            "2031-03-04",
        )
        assert second.title == "Strike & more"

    def test_content_in_xhtml_is_its_words(self, tmp_path: Path) -> None:
        content = (
            '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Two <b>men</b> fell &amp; died,'
            " 1 &lt; 2.</p><script>alert(1)</script><p>Nobody else did.</p></div></content>"
        )
        feed = f"<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>Fall</title>{content}<id>x</id></entry></feed>"
        document = one(tmp_path, "a.atom", feed)
        assert document.text == "Two men fell & died, 1 < 2.\n\nNobody else did."
        assert document.title == "Fall"

    def test_entries_of_atom_have_their_own_ids(self, tmp_path: Path) -> None:
        document = one(tmp_path, "a.atom", atom({"Quake": QUAKE[0]}))
        assert (document.id, document.text, document.date) == ("tag:1", QUAKE[0], "2031-03-04")
        assert document.extra == {"url": "https://gull.example/1"}

    def test_entities_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="document type"):
            one(tmp_path, "a.rss", '<!DOCTYPE rss [<!ENTITY b "c">]><rss><channel><item/></channel></rss>')

    def test_entry_without_text_is_left_out_and_the_others_read(self, tmp_path: Path) -> None:
        content = rss({"Quake": QUAKE[0]}).replace(b"<item>", b"<item><title>no</title></item><item>", 1)
        unread = Unread()
        (document,) = stream(put(tmp_path, {"a.rss": content}) / "a.rss", unread=unread)
        assert document.id == "a.rss/2"
        assert [error.where for error in unread.errors] == [f"{tmp_path / 'a.rss'}:1"]


class TestTables:
    def test_columns_are_found_by_their_usual_names(self, tmp_path: Path) -> None:
        table = f"Headline;Body;Published;Source\nQuake;{QUAKE[0]};Tue, 04 Mar 2031 10:00:00 +0000;Gull\n"
        document = one(tmp_path, "a.csv", table)
        assert (document.id, document.text) == ("a.csv/1", QUAKE[0])
        assert (document.title, document.date, document.extra) == ("Quake", "2031-03-04", {"Source": "Gull"})

    def test_columns_can_be_named(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.tsv": "key\tnote\ttext\nk1\tIt fell.\tnot this\n"})
        (document,) = read(tmp_path / "a.tsv", columns={"text": "note", "id": "key"})
        assert (document.id, document.text) == ("k1", "It fell.")

    @pytest.mark.parametrize(
        ("columns", "says"),
        [
            ({}, r"no column holds the text; there are 'a', 'b'; .*--text-column"),
            ({"text": "c"}, r"there is no column 'c'; expected one of 'a', 'b'"),
        ],
    )
    def test_table_without_a_text_is_one_error(
        self, tmp_path: Path, columns: dict[str, str], says: str
    ) -> None:
        put(tmp_path, {"a.csv": "a,b\n1,2\n3,4\n"})
        with pytest.raises(FormatError, match=says):
            read(tmp_path / "a.csv", columns=columns)

    def test_bad_rows_are_left_out_and_listed(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.csv": "id,text\n1,It fell.\n2\n3,It rose.\n"})
        with pytest.warns(UnreadWarning, match=r"a\.csv:3: the row has 1 cells"):
            assert [document.id for document in read(tmp_path / "a.csv")] == ["1", "3"]
        with pytest.raises(FormatError, match=r"a\.csv:3: the row has 1 cells"):
            read(tmp_path / "a.csv", strict=True)

    def test_rows_with_the_same_id_are_all_read(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.csv": "id,text\n1,It fell.\n1,It rose.\n2,It sank.\n"})
        for path in (tmp_path / "a.csv", tmp_path):
            assert [(d.id, d.text) for d in read(path, strict=True)] == [
                ("1", "It fell."), ("a.csv/2", "It rose."), ("2", "It sank."),
            ]  # fmt: skip

    def test_row_that_breaks_the_table_says_what_is_lost(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.csv": 'id,text\n1,It fell.\n2,"It "rose"."\n3,It sank.\n'})
        with pytest.warns(
            UnreadWarning, match=r"a\.csv:3: .*the rows from here on are not read.*save it as CSV"
        ):
            assert [document.id for document in read(tmp_path)] == ["1"]

    def test_encoding_that_was_guessed_is_recorded(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.csv": "id,text\n1,The café fell.\n".encode("cp1252")})
        assert [document.extra for document in read(tmp_path)] == [{"encoding": "cp1252"}]
        put(tmp_path, {"a.csv": "id\ttext\n1\tThe café fell.\n".encode("utf-16")})
        assert [document.extra for document in read(tmp_path)] == [{}]

    def test_table_in_another_encoding_is_read(self, tmp_path: Path) -> None:
        assert (
            one(tmp_path, "a.csv", "id,text\n1,The café’s “fire”.\n".encode("cp1252")).text
            == "The café’s “fire”."
        )

    def test_table_is_read_row_by_row(self, tmp_path: Path) -> None:
        row = f'1,"{" ".join(QUAKE)}"\n'
        put(tmp_path, {"a.csv": "id,text\n" + row * 4_000})  # 1 MB
        tracemalloc.start()
        try:
            assert sum(1 for _ in stream(tmp_path / "a.csv")) == 4_000
            assert tracemalloc.get_traced_memory()[1] < 3_000_000
        finally:
            tracemalloc.stop()

    def test_parquet_of_another_making_is_read_by_its_columns(self, tmp_path: Path) -> None:
        arrow = needs("pyarrow")
        needs("pyarrow.parquet").write_table(
            arrow.Table.from_pylist([{"headline": "Quake", "body": QUAKE[0], "published": "2031-03-04"}]),
            tmp_path / "a.parquet",
        )
        (document,) = read(tmp_path / "a.parquet")
        assert (document.id, document.text, document.title, document.date) == (
            "a.parquet/1", QUAKE[0], "Quake", "2031-03-04",
        )  # fmt: skip


class TestJson:
    @pytest.mark.parametrize(
        "content",
        [
            [{"id": 1, "body": "It fell."}, {"id": 2, "body": "It rose."}],
            {
                "status": "ok",
                "articles": [{"id": 1, "content": "It fell."}, {"id": 2, "content": "It rose."}],
            },
        ],
    )
    def test_objects_are_documents(self, tmp_path: Path, content: object) -> None:
        put(tmp_path, {"a.json": json.dumps(content)})
        assert [(d.id, d.text) for d in read(tmp_path / "a.json")] == [("1", "It fell."), ("2", "It rose.")]

    def test_strings_and_objects_one_after_another_are_documents(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.json": '["It fell.", "It rose."]', "b.json": '{"text": "A"}\n{"text": "B"}\n'})
        assert [d.text for name in ("a.json", "b.json") for d in read(tmp_path / name)] == [
            "It fell.", "It rose.", "A", "B",
        ]  # fmt: skip

    def test_native_objects_keep_their_mentions(self, tmp_path: Path) -> None:
        native = {"id": "a", "text": "It fell.", "mentions": [{"char_start": 3, "char_end": 7}]}
        assert [m.text for m in one(tmp_path, "a.json", json.dumps([native])).mentions] == ["fell"]

    def test_array_is_read_object_by_object(self, tmp_path: Path) -> None:
        items = ",\n".join(json.dumps({"text": " ".join(QUAKE)}) for _ in range(4_000))
        put(tmp_path, {"a.json": f"[{items}]"})
        tracemalloc.start()
        try:
            assert sum(1 for _ in stream(tmp_path / "a.json")) == 4_000
            assert tracemalloc.get_traced_memory()[1] < 3_000_000
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize(
        "content",
        ["[", "[1, 2]", "[]", '[{"text": "a"', "[" * 100_000, '{"a": 1}', '[{"text": ["a"]}]', "nonsense"],
    )
    def test_hostile_json_is_one_error(self, tmp_path: Path, content: str) -> None:
        with pytest.raises(SameventError, match=r"a\.json"):
            one(tmp_path, "a.json", content)


class TestFolders:
    def test_each_file_is_read_by_its_kind(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            {
                "a.html": page(QUAKE),
                "sub/a.pdf": pdf(QUAKE),
                "sub/b.docx": word(STRIKE),
                "c.eml": mail(QUAKE[0]),
                "sub/d.rss": rss({"x": STRIKE[0]}),
                "sub/e.csv": "id,text\n7,It fell.\n",
                "f.json": '[{"text": "It fell."}]',
                "sub/g.jsonl": '{"id": "g", "text": "It rose."}\n',
                "h.txt": "It rose.",
            },
        )
        assert [document.id for document in read(tmp_path, strict=True)] == [
            "a.html", "c.eml", "f.json/1", "h", "sub/a.pdf", "sub/b.docx", "sub/d.rss/1", "sub/7", "sub/g",
        ]  # fmt: skip

    def test_what_cannot_be_read_is_left_out_and_listed(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            {
                "a.txt": "It fell.",
                "b.txt": "It ro\0se.",
                "c.pdf": b"%PDF-1",
                "d.png": b"\x89PNG",
                "e.png": b"\x89PNG",
                ".f": b"\0",
            },
        )
        with pytest.warns(UnreadWarning, match="4 files or rows could not be read") as caught:
            assert [document.id for document in read(tmp_path)] == ["a"]
        assert f"{tmp_path / 'd.png'} and 1 more: is a picture" in str(caught[0].message)
        with pytest.raises(FormatError, match=r"b\.txt:1: character 5 is a NUL"):
            read(tmp_path, strict=True)

    def test_files_without_documents_are_listed(self, tmp_path: Path) -> None:
        empty: dict[str, bytes | str] = {
            "a.csv": "",
            "b.csv": "id,text\n",
            "c.jsonl": "",
            "d.rss": rss({}),
            "e.json": "[]",
        }
        put(tmp_path, {**empty, "f.txt": "It fell."})
        with pytest.warns(UnreadWarning, match="5 files or rows could not be read") as caught:
            assert [document.id for document in read(tmp_path)] == ["f"]
        assert "a.csv and 2 more: contains no documents" in str(caught[0].message)
        with pytest.raises(FormatError, match=r"a\.csv: contains no documents"):
            read(tmp_path, strict=True)

    @pytest.mark.parametrize("format", [None, "text"])
    def test_folder_that_may_not_be_listed_does_not_stop_the_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str | None
    ) -> None:
        put(tmp_path, {"a.txt": "It fell.", "shut/b.txt": "It rose.", "z.txt": "It sank."})
        monkeypatch.setattr("samevent.formats.files.os.walk", _walk_without(tmp_path / "shut"))
        with pytest.warns(UnreadWarning, match=r"shut: cannot be read \(Permission denied\)"):
            assert [document.id for document in read(tmp_path, format=format)] == ["a", "z"]
        with pytest.raises(FormatError, match=r"shut: cannot be read \(Permission denied\)"):
            read(tmp_path, format=format, strict=True)

    def test_corpus_among_the_files_must_be_whole(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.txt": "It fell.", "b.jsonl": '{"id": "b", "text": "x"}\n{"id": 5'})
        with pytest.raises(FormatError, match=r"b\.jsonl:2: is not valid JSON"):
            read(tmp_path)

    def test_ids_that_clash_begin_with_their_file(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            {
                "x/a.csv": "id,text\n1,It fell.\n",
                "x/b.csv": "id,text\n1,It rose.\n",
                "a.text": "A",
                "a.txt": "B",
            },
        )
        assert [(d.id, d.text) for d in read(tmp_path)] == [
            ("a", "A"), ("a.txt", "B"), ("x/1", "It fell."), ("x/b.csv/1", "It rose."),
        ]  # fmt: skip

    def test_nothing_readable_is_an_error_with_the_first_reason(self, tmp_path: Path) -> None:
        put(tmp_path, {"a.pdf": b"no", "b.pdf": b"no"})
        with pytest.raises(
            FormatError, match=r"none of the 2 files or rows can be read; .*a\.pdf: cannot be read"
        ):
            read(tmp_path)
