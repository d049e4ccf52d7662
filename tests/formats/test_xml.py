from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samevent.errors import FormatError
from samevent.formats.xml import MAX_DEPTH, parse

BILLION_LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE lolz [
 <!ENTITY lol "lol">
 <!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
 <!ENTITY lol3 "&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;">
]>
<lolz>&lol3;</lolz>"""


def test_tree_knows_tags_attributes_texts_and_lines() -> None:
    root = parse(b'<a x="1">\n <b>one &amp; two</b>\n\n <b\n y="&lt;"/></a>', "f.xml")
    assert (root.tag, root.attributes, root.line) == ("a", {"x": "1"}, 1)
    assert [(b.tag, b.text, b.where) for b in root.children] == [
        ("b", "one & two", "f.xml:2"),
        ("b", "", "f.xml:4"),
    ]
    assert root.children[1].attributes == {"y": "<"}


def test_text_is_kept_exactly_across_comments_and_character_data_sections() -> None:
    assert parse(b"<a> \t<!-- no --><![CDATA[<&]]>\xe2\x80\x89</a>", "f").text == " \t<&\u2009"


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf<a>\xc3\xa9</a>",
        "<a>é</a>".encode("utf-16"),
        b'<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>',
        b'<?xml version="1.0" encoding="cp1252"?><a>\xe9</a>',
    ],
)
def test_declared_encodings_are_followed(data: bytes) -> None:
    assert parse(data, "f").text == "é"


def test_named_encoding_overrides_the_declared_one() -> None:
    data = '<?xml version="1.0" encoding="utf-8"?><a>中</a>'.encode("gb2312")
    assert parse(data, "f", encoding="gb2312").text == "中"


@pytest.mark.parametrize(
    ("data", "line", "says"),
    [
        (b"", 1, "no element found"),
        (b"<a>\n<b>\n", 3, "no element found"),
        (b"<a>\n<b", 2, "unclosed token"),
        (b"<a>\n<b>\n</a>", 3, "mismatched tag"),
        (b"<a/>\n<b/>", 2, "junk"),
        (b"<a>\n&what;</a>", 2, "undefined entity"),
        (b'<a x="1"\n x="2"/>', 2, "duplicate attribute"),
        (b"<a>\n\x01</a>", 2, "not well-formed"),
        (b"<a>\n\nol\xe9</a>", 3, r"byte 7 \(0xe9\) is not valid UTF-8"),
        (b"<a>\nol\xe9", 2, r"byte 6 \(0xe9\) is not valid UTF-8"),
        (b'<?xml version="1.0" encoding="utf-8"?>\n<a>\xff</a>', 2, "is not valid UTF-8"),
        (b'<?xml version="1.0" encoding="us-ascii"?>\n<a>\xc3\xa9</a>', 2, "not well-formed"),
        (
            b'<?xml version="1.0" encoding="utf-16"?><a/>',
            1,
            "encoding specified in XML declaration is incorrect",
        ),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', 1, "declares the encoding 'klingon'"),
        (b'<?xml version="1.0" encoding="gb2312"?><a/>', 1, "declares the encoding 'gb2312'"),
        (BILLION_LAUGHS, 2, "document type"),
        (b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 1, "document type"),
        (b'\n<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', 2, "document type"),
        (b"<a>\n" + b"<b>" * MAX_DEPTH + b"</b>" * MAX_DEPTH + b"</a>", 2, "nested too deep"),
        (b"<a>" * 1_000_000, 1, "nested too deep"),
    ],
)
def test_bad_xml_is_rejected_with_its_line(data: bytes, line: int, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        parse(data, "f.xml")
    assert caught.value.where == f"f.xml:{line}"


@given(st.binary(max_size=60) | st.text("<>/a&;!?[]-= \"'", max_size=60).map(str.encode))
def test_any_bytes_give_a_tree_or_one_clear_error(data: bytes) -> None:
    try:
        where = parse(data, "f.xml").where
    except FormatError as error:
        where = error.where or ""
    assert where.startswith("f.xml:")


def test_attributes_are_asked_for_by_name() -> None:
    root = parse(b'<a n="12" word="x" empty=""/>', "f.xml")
    assert (root.number("n"), root.required("word")) == (12, "x")
    for name in ("missing", "empty"):
        with pytest.raises(FormatError, match=f"<a> has no {name}"):
            root.required(name)


@pytest.mark.parametrize("value", ["x", "-1", "1.0", "１", "²", "9" * 5000])
def test_numbers_are_plain_whole_numbers(value: str) -> None:
    root = parse(f'<a n="{value}"/>'.encode(), "f.xml")
    with pytest.raises(FormatError, match="<a> has the n") as caught:
        root.number("n")
    assert caught.value.where == "f.xml:1"
