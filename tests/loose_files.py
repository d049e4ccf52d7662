"""Small files of every kind that people have, made by hand: web pages, PDF, Word, mail, feeds, tables, JSON."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from html import escape
from xml.sax.saxutils import escape as escape_xml

QUAKE = (
    "A strong earthquake struck the harbour town of Kestry early on Tuesday, killing two people.",
    "The mayor said that the town would rebuild, and thanked the crews who came at dawn.",
    "Rescue workers searched the ruins of the old school for two days and found nobody else.",
)
STRIKE = (
    "Dockers at the port of Brannoch began a strike on Monday after talks about pay collapsed.",
    "The union said that the walkout would last until the company made a better offer to its members.",
    "Ships waited outside the harbour, and the company warned that food would soon become scarce.",
)


def page(paragraphs: Sequence[str], *, title: str = "Quake hits Kestry", date: str = "2031-03-04") -> bytes:
    """Return a web page with a menu, a footer and a script around its article."""
    body = "".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    return f"""<!doctype html><html><head><meta charset="utf-8"><title>{escape(title)} - The Gull</title>
<meta property="og:title" content="{escape(title)}">
<meta property="article:published_time" content="{date}T10:00:00Z"><script>alert('head')</script></head>
<body><nav><a href="/">Home</a> <a href="/news">News</a></nav><article><h1>{escape(title)}</h1>{body}
<script>alert('body')</script></article><footer>Copyright The Gull. Subscribe now!</footer></body></html>""".encode()


def pdf(lines: Sequence[str], *, title: str | None = None, trailer: str = "") -> bytes:
    """Return a PDF of one page with these lines of ASCII."""
    escapes: dict[str, str | int | None] = {character: f"\\{character}" for character in "()\\"}
    shown = "".join(f"({line.translate(str.maketrans(escapes))}) Tj T*\n" for line in lines)
    stream = f"BT /F1 12 Tf 14 TL 72 720 Td\n{shown}ET".encode()
    about = f"<< /Title ({title}) /CreationDate (D:20310304100000Z) >>" if title else "<< >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        about.encode(),
    ]
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"xref\n0 7\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % at for at in places)
    end = f"trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R {trailer}>>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + table + end.encode()


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word(paragraphs: Sequence[str], *, title: str = "Quake", more: str = "") -> bytes:
    """Return a Word document; `more` is XML after its paragraphs."""
    body = "".join(f"<w:p><w:r><w:t>{escape_xml(text)}</w:t></w:r></w:p>" for text in paragraphs)
    core = (
        '<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t">'
        f"<dc:title>{escape_xml(title)}</dc:title><dcterms:created>2031-03-05T08:00:00Z</dcterms:created>"
        "</cp:coreProperties>"
    )
    return zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "word/document.xml": f"<w:document {_W}><w:body>{body}{more}</w:body></w:document>".encode(),
            "docProps/core.xml": core.encode(),
        }
    )


def mail(text: str, *, html: str | None = None, attachment: tuple[str, bytes] | None = None) -> bytes:
    """Return a message; with `html` it has that form too."""
    message = EmailMessage()
    message["From"] = "desk@gull.example"
    message["Subject"] = "Quake hits Kestry"
    message["Date"] = "Tue, 04 Mar 2031 10:00:00 +0000"
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    if attachment:
        name, data = attachment
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return bytes(message)


def rss(texts: Mapping[str, str]) -> bytes:
    """Return an RSS feed with an item for each title."""
    items = "".join(
        f"<item><title>{escape_xml(title)}</title><description>{escape_xml(f'<p>{text}</p>')}</description>"
        "<pubDate>Tue, 04 Mar 2031 10:00:00 +0000</pubDate></item>"
        for title, text in texts.items()
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>Gull</title>{items}</channel></rss>'.encode()


def atom(texts: Mapping[str, str]) -> bytes:
    """Return an Atom feed with an entry for each title."""
    entries = "".join(
        f'<entry><id>tag:{n}</id><title>{escape_xml(title)}</title><link href="https://gull.example/{n}"/>'
        f'<updated>2031-03-04T10:00:00Z</updated><content type="html">{escape_xml(f"<p>{text}</p>")}</content></entry>'
        for n, (title, text) in enumerate(texts.items(), 1)
    )
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'.encode()


def objects(texts: Sequence[str]) -> bytes:
    """Return a JSON array of articles."""
    return json.dumps(
        [{"id": f"n{i}", "body": text, "source": "Gull"} for i, text in enumerate(texts, 1)]
    ).encode()


def zipped(entries: Mapping[str, bytes]) -> bytes:
    """Return a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()
