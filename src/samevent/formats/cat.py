"""CAT XML, the stand-off annotation of one ECB+ document.

Tokens come first, then markables (with `token_anchor`s: mentions; without: instances, the targets of
relations), then relations. A CROSS_DOC_COREF names an instance of the whole corpus and becomes `Mention.event`; an
INTRA_DOC_COREF is a chain of one document, and its `r_id` becomes `Mention.within`. No mention may be in two relations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

from samevent.corpus import EVENT_CLASSES, Document, EventClass, Kind, Mention, Sentence
from samevent.corpus.corpus import event_key
from samevent.corpus.document import reading_order, shortened
from samevent.errors import FormatError, located
from samevent.formats.xml import Element, parse

_KINDS: dict[str, Kind] = {
    "ACTION": "action",
    "NEG": "action",
    "TIME": "time",
    "LOC": "location",
    "HUMAN": "participant",
    "NON_HUMAN": "participant",
}
"""The kinds of mentions, by the prefixes of their tags."""

_BARE_TAGS: dict[Kind, str] = {"action": "ACTION", "time": "TIME", "location": "LOC", "participant": "HUMAN"}
"""Tags for mentions that have none; those of ECB+ itself are always more specific."""

_NEGATED = "NEG_"

# Parsers turn white space in attributes into blanks, and carriage returns anywhere into line feeds, unless they
# are written as references.
_ESCAPES = {ord(c): f"&#{ord(c)};" for c in '&<>"\t\n\r'}
_NAME = re.compile("([0-9]+)_[0-9]+(ecb|ecbplus)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def document_from_xml(data: bytes, file: str, *, encoding: str | None = None) -> Document:
    """Read a document; `file` is the location in errors, and names a document that has no name of its own."""
    with located(file):
        return _document(parse(data, file, encoding=encoding))


def document_to_xml(document: Document) -> str:
    """Return a document as XML that reads back equal; raise if that is impossible."""
    d = document
    if len({(m.kind, m.span) for m in d.mentions}) < len(d.mentions):
        raise FormatError(
            f"document {d.id!r} has two mentions of one kind and span",
            expected="every span once",
            hint="write JSON Lines, which keeps both",
        )
    implied = _implied_fields(d.id)
    fields = {name: getattr(d, name) or "" for name in implied if getattr(d, name) != implied[name]}
    xml = _element(
        "Document",
        *_token_elements(d),
        *_annotation(d),
        doc_name=f"{d.id}.xml",
        doc_id=d.extra.get("doc_id"),
        **fields,
    )
    if illegal := _NOT_XML.search(xml):
        raise FormatError(
            f"document {d.id!r} contains the character U+{ord(illegal[0]):04X}, which XML cannot contain",
            expected="characters that XML allows",
            hint="replace it, or write JSON Lines",
        )
    return xml


def class_of_tag(tag: str) -> EventClass | None:
    """Return the class that a tag of ECB+ gives an action.

    >>> class_of_tag("NEG_ACTION_REPORTING"), class_of_tag("ACTION"), class_of_tag("LOC_GEO")
    ('reporting', None, None)
    """
    name = tag.removeprefix(_NEGATED).removeprefix("ACTION_").lower()
    return next((each for each in EVENT_CLASSES if each == name and _kind(tag) == "action"), None)


def is_negated(tag: str) -> bool:
    """Return whether a tag of ECB+ marks an action as negated."""
    return tag.startswith(_NEGATED)


def full_sentences(document: Document) -> list[Sentence]:
    """Return the sentences that have tokens; CAT numbers only these."""
    return [s for s in document.sentences if s.start < s.end]


def _document(root: Element) -> Document:
    if root.tag != "Document":
        raise FormatError(f"the root element is <{root.tag}>", where=root.where, expected="<Document>")
    parts: dict[str, list[Element]] = {"token": [], "Markables": [], "Relations": []}
    for child in root.children:
        if child.tag not in parts:
            raise FormatError(
                f"<Document> contains <{child.tag}>",
                where=child.where,
                expected="token, Markables or Relations",
            )
        parts[child.tag] += [child] if child.tag == "token" else child.children

    id = (root.attributes.get("doc_name") or Path(root.file).name).removesuffix(".xml")
    fields = {name: root.attributes.get(name, value) or None for name, value in _implied_fields(id).items()}
    extra = {"doc_id": doc_id} if (doc_id := root.attributes.get("doc_id")) else {}
    words = _words(parts["token"])
    document = Document.from_tokens(id, words, **fields)
    sentences = list(document.sentences)
    if words and (url := "".join(words[0])).startswith(("http://", "https://")):
        extra["url"] = url
        sentences[0] = replace(sentences[0], is_url=True)
    mentions = sorted(_mentions(document, parts), key=reading_order)
    return replace(document, sentences=tuple(sentences), mentions=tuple(mentions), extra=extra)


def _implied_fields(id: str) -> dict[str, str | None]:
    """Return the fields that a document's name implies."""
    match = _NAME.fullmatch(id)
    topic, subtopic = match.groups() if match else (None, None)
    return {"title": None, "date": None, "topic": topic, "subtopic": subtopic}


def _words(tokens: Iterable[Element]) -> list[list[str]]:
    sentences: list[list[str]] = []
    for token in tokens:
        number = token.number("sentence")
        if number == len(sentences):
            sentences.append([])
        elif number != len(sentences) - 1:
            raise FormatError(
                f"a token of sentence {number} comes after {len(sentences)} sentences",
                where=token.where,
                expected="sentences in order, numbered 0, 1, 2 and so on",
            )
        if not token.text:
            raise FormatError("a token is empty", where=token.where, expected="its text")
        sentences[number].append(token.text)
    return sentences


def _mentions(document: Document, parts: Mapping[str, list[Element]]) -> Iterator[Mention]:
    positions = {t_id: i for i, t_id in enumerate(_by_id("t_id", parts["token"]))}
    markables = _by_id("m_id", parts["Markables"])
    links = _links(_by_id("r_id", parts["Relations"]).values(), markables)
    lines: dict[str, int] = {}
    for m_id, markable in markables.items():
        if not markable.children:
            continue
        with located(markable.file, markable.line):
            kind = _kind(markable.tag)
            if kind is None:
                raise FormatError(
                    f"a mention has the tag <{markable.tag}>",
                    expected=f"a tag that begins with {', '.join(_KINDS)}",
                )
            tokens = {positions[_known(anchor, "t_id", positions)] for anchor in markable.children}
            link = links.get(m_id, {})
            extra = {
                "m_id": m_id,
                "note": markable.attributes.get("note"),
                "descriptor": link.get("descriptor"),
            }
            mention = document.mention(
                kind,
                min(tokens),
                max(tokens) + 1,
                tokens=tokens,
                event=link.get("event"),
                within=link.get("within"),
                tag=None if markable.tag in _BARE_TAGS.values() else markable.tag,
                event_class=class_of_tag(markable.tag),
                negated=is_negated(markable.tag),
                extra={name: value for name, value in extra.items() if value},
            )
            if mention.id in lines:
                raise FormatError(
                    f"{shortened(mention.text)!r} is already marked as {kind} on line {lines[mention.id]}",
                    expected="every span once",
                )
        lines[mention.id] = markable.line
        yield mention


def _links(relations: Iterable[Element], markables: Mapping[str, Element]) -> dict[str, dict[str, str]]:
    """Return the event or chain of each linked markable, with the annotators' descriptor."""
    links: dict[str, dict[str, str]] = {}
    for relation in relations:
        match relation.tag:
            case "CROSS_DOC_COREF":
                link = {"event": relation.required("note")}
            case "INTRA_DOC_COREF":
                link = {"within": relation.required("r_id")}
            case _:
                raise FormatError(
                    f"unknown relation <{relation.tag}>",
                    where=relation.where,
                    expected="CROSS_DOC_COREF or INTRA_DOC_COREF",
                )
        for end in relation.children:
            m_id = _known(end, "m_id", markables)
            if end.tag == "target":
                link["descriptor"] = markables[m_id].attributes.get("TAG_DESCRIPTOR", "")
            elif m_id in links:
                raise FormatError(
                    f"markable {m_id!r} is in two relations",
                    where=end.where,
                    expected="one event or chain per mention",
                )
            elif not markables[m_id].children:
                raise FormatError(
                    f"markable {m_id!r} is a source but has no tokens",
                    where=end.where,
                    expected="a mention",
                )
            else:
                links[m_id] = link
    return links


def _by_id(name: str, elements: Iterable[Element]) -> dict[str, Element]:
    by_id: dict[str, Element] = {}
    for element in elements:
        id = element.required(name)
        if id in by_id:
            raise FormatError(
                f"the {name} {id!r} is already used on line {by_id[id].line}",
                where=element.where,
                expected=f"every {name} once",
            )
        by_id[id] = element
    return by_id


def _known(element: Element, name: str, ids: Mapping[str, object]) -> str:
    id = element.required(name)
    if id not in ids:
        raise FormatError(
            f"<{element.tag}> points at the {name} {id!r}, which does not exist",
            where=element.where,
            expected=f"a {name} of this document",
        )
    return id


def _kind(tag: str) -> Kind | None:
    return next((kind for prefix, kind in _KINDS.items() if tag.startswith(prefix)), None)


def _token_elements(d: Document) -> Iterator[str]:
    for number, sentence in enumerate(full_sentences(d)):
        for i in range(sentence.start, sentence.end):
            text = d.tokens[i].text.translate(_ESCAPES)
            yield f'<token t_id="{i + 1}" sentence="{number}" number="{i - sentence.start}">{text}</token>\n'


def _annotation(d: Document) -> tuple[str, str]:
    """Return the markables and the relations: first the mentions, then an instance for each chain."""
    fresh = _unused(str(m.extra.get("m_id")) for m in d.mentions)
    mentions: dict[str, Mention] = {}
    chains: dict[tuple[str, ...], list[str]] = {}
    for m in d.mentions:
        m_id = m.extra.get("m_id")
        if not isinstance(m_id, str) or not m_id or m_id in mentions:
            m_id = next(fresh)
        mentions[m_id] = m
        if m.event is not None or m.within is not None:
            chains.setdefault(event_key(m), []).append(m_id)

    markables = []
    for m_id, m in mentions.items():
        anchors = (_element("token_anchor", t_id=token + 1) for token in m.tokens)
        markables.append(_element(_tag(m), *anchors, m_id=m_id, note=m.extra.get("note")))
    relations = []
    r_ids = _unused(m.within for m in d.mentions if m.within is not None)
    for (level, *_, name), members in chains.items():
        first, target = mentions[members[0]], next(fresh)
        descriptor = first.extra.get("descriptor", "")
        ends = [_element("source", m_id=m_id) for m_id in members] + [_element("target", m_id=target)]
        if level == "event":
            tag, instance = _tag(first), {"instance_id": name}
            relation = _element("CROSS_DOC_COREF", *ends, r_id=next(r_ids), note=name)
        else:
            tag, instance = "UNKNOWN_INSTANCE_TAG", {}
            relation = _element("INTRA_DOC_COREF", *ends, r_id=name)
        markables.append(_element(tag, m_id=target, RELATED_TO="", TAG_DESCRIPTOR=descriptor, **instance))
        relations.append(relation)
    return _element("Markables", *markables), _element("Relations", *relations)


def _element(tag: str, /, *inner: str, **attributes: object) -> str:
    escaped = (
        (name, str(value).translate(_ESCAPES)) for name, value in attributes.items() if value is not None
    )
    start = tag + "".join(f' {name}="{value}"' for name, value in escaped)
    return "".join([f"<{start}>\n", *inner, f"</{tag}>\n"]) if inner else f"<{start}/>\n"


def _unused(ids: Iterable[str]) -> Iterator[str]:
    """Yield 1, 2, ... as strings, skipping ids in use."""
    used = set(ids)
    return (id for id in map(str, count(1)) if id not in used)


def _tag(m: Mention) -> str:
    """Return the mention's own tag if it is one of ECB+ and says what its fields say, otherwise one made from these."""
    own = m.tag or ""
    valid = re.fullmatch("[A-Z_]+", own) and _kind(own) == m.kind
    if valid and (class_of_tag(own), is_negated(own)) == (m.event_class, m.negated):
        return own
    if m.kind != "action" or (m.event_class is None and not m.negated):
        return own if valid else _BARE_TAGS[m.kind]
    return (_NEGATED if m.negated else "") + "_".join(filter(None, ("ACTION", (m.event_class or "").upper())))
