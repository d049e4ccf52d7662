"""A result as a graph: events, the documents that report them, and the named entities that take part in them.

An edge joins an event with a document or an entity and counts the mentions it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samevent.formats.extras import missing
from samevent.results.result import Result

if TYPE_CHECKING:
    import networkx

Value = str | int | float


@dataclass(frozen=True, slots=True)
class Node:
    """An event, document or entity; `values` are what is known about it."""

    id: str
    values: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Edge:
    """An event (`source`) with a document or entity (`target`)."""

    source: str
    target: str
    values: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in the order events, documents, entities; edges in the order of their events."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the node-link form that networkx and JavaScript libraries read."""
        return {
            "directed": False,
            "multigraph": False,
            "graph": {},
            "nodes": [{"id": node.id, **node.values} for node in self.nodes],
            "edges": [{"source": edge.source, "target": edge.target, **edge.values} for edge in self.edges],
        }

    def to_networkx(self) -> networkx.Graph:
        """Return the same as a graph of networkx (extra `graph`)."""
        try:
            import networkx
        except ImportError as error:
            raise missing("a graph", "networkx", "graph") from error
        graph: networkx.Graph = networkx.Graph()
        graph.add_nodes_from((node.id, node.values) for node in self.nodes)
        graph.add_edges_from((edge.source, edge.target, edge.values) for edge in self.edges)
        return graph


def graph_of(result: Result) -> Graph:
    """Return the graph of a result."""
    named: dict[str, str] = {}
    reported: dict[tuple[str, str], int] = {}
    roles: dict[tuple[str, str], list[str]] = {}
    for document in result.corpus:
        known = {mention.id: mention for mention in document.mentions}
        for mention in document.mentions:
            if mention.kind != "action" or mention.event is None:
                continue
            link = mention.event, document.id
            reported[link] = reported.get(link, 0) + 1
            for argument in mention.arguments:
                refers = known[argument.mention].refers
                if refers and refers.entity and refers.entity.is_named:
                    named.setdefault(refers.entity.id, refers.entity.name)
                    roles.setdefault((mention.event, refers.entity.id), []).append(argument.role or "")
    order = {event.id: at for at, event in enumerate(result.events)}
    edges = [Edge(f"event:{e}", f"document:{d}", {"mentions": count}) for (e, d), count in reported.items()]
    edges += [
        Edge(
            f"event:{event}",
            f"entity:{entity}",
            {"mentions": len(played), "roles": ";".join(sorted({role for role in played if role}))},
        )
        for (event, entity), played in roles.items()
    ]
    edges.sort(key=lambda edge: order[edge.source.removeprefix("event:")])
    return Graph(tuple(_nodes(result, named)), tuple(edges))


def _nodes(result: Result, named: dict[str, str]) -> Iterator[Node]:
    for event in result.events:
        values: dict[str, Value] = {"kind": "event", "label": event.label, "mentions": len(event)}
        if event.dates:
            values |= {"first_date": event.dates[0], "last_date": event.dates[-1]}
        values |= {
            name: str(value) for name, value in (("when", event.when), ("where", event.where)) if value
        }
        if event.probability is not None:
            values["probability"] = round(event.probability, 4)
        yield Node(f"event:{event.id}", values)
    for document in result.corpus:
        values = {"kind": "document", "label": document.title or document.id}
        if date := result.dates[document.id]:
            values["first_date"] = values["last_date"] = date
        yield Node(f"document:{document.id}", values)
    for id, name in named.items():
        yield Node(f"entity:{id}", {"kind": "entity", "label": name})
