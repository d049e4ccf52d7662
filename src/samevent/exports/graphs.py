"""The graph of a result as GraphML (Gephi, Cytoscape, yEd) and as node-link JSON (networkx, D3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from samevent.formats.files import write_text
from samevent.results import Result
from samevent.results.graph import Graph, Value, graph_of

_TYPES = {str: "string", int: "long", float: "double"}
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may contain."""


def write_json(result: Result, path: Path, *, overwrite: bool = False) -> None:
    """Write the graph as node-link JSON, one node or edge per line."""
    graph = graph_of(result).to_json()

    def lines() -> Iterator[str]:
        yield "{\n"
        for name, value in graph.items():
            end = "\n" if name == "edges" else ",\n"
            if name not in ("nodes", "edges"):
                yield f"{json.dumps(name)}: {json.dumps(value)}{end}"
                continue
            rows = ",\n".join(json.dumps(each, ensure_ascii=False) for each in value)
            yield f"{json.dumps(name)}: [\n{rows}\n]{end}"
        yield "}\n"

    write_text(path, lines(), overwrite=overwrite)


def write_graphml(result: Result, path: Path, *, overwrite: bool = False) -> None:
    """Write the graph as GraphML."""
    write_text(path, _graphml(graph_of(result)), overwrite=overwrite)


def _graphml(graph: Graph) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for what, things in (("node", graph.nodes), ("edge", graph.edges)):
        kinds = {name: type(value) for thing in things for name, value in thing.values.items()}
        for name in sorted(kinds):
            yield (
                f'<key id="{what}-{name}" for="{what}" attr.name="{name}" attr.type="{_TYPES[kinds[name]]}"/>\n'
            )
    yield '<graph edgedefault="undirected">\n'
    for node in graph.nodes:
        yield f"<node id={_quoted(node.id)}>{_data('node', node.values)}</node>\n"
    for edge in graph.edges:
        ends = f"source={_quoted(edge.source)} target={_quoted(edge.target)}"
        yield f"<edge {ends}>{_data('edge', edge.values)}</edge>\n"
    yield "</graph>\n</graphml>\n"


def _data(what: str, values: Mapping[str, Value]) -> str:
    return "".join(
        f'<data key="{what}-{key}">{escape(_legal(value))}</data>' for key, value in values.items()
    )


def _quoted(id: str) -> str:
    return quoteattr(_legal(id), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def _legal(value: Value) -> str:
    return _NO_XML.sub("\ufffd", str(value))
