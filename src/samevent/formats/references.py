"""What a mention refers to as JSON, for every format that can hold a JSON object.

{"when": "2031-03-04/2031-03-04", "when_from": "sentence",
 "where": {"name": "Los Angeles", "id": 5368361, "within": ["California", "United States"], "from": "argument"},
 "quantities": [{"low": 4, "high": 4, "unit": "person"}], "entity": {"id": "e7", "name": "Ann Lee"}}
"""

from __future__ import annotations

from typing import Any

from samevent.corpus import Entity, Quantity, Reference, When, Where
from samevent.errors import FormatError
from samevent.formats.fields import Json, integer, list_of, number, string

_FIELDS = {
    "refers": frozenset("when when_from where quantities entity".split()),
    "where": frozenset("name id within from".split()),
    "quantities": frozenset("low high unit from".split()),
    "entity": frozenset("id name".split()),
}


def reference_from_json(data: Any) -> Reference | None:
    """Build a reference from its JSON object; null is none."""
    if data is None:
        return None
    data = _object(data, "refers")
    when = string(data, "when")
    quantities = list_of(data, "quantities", dict, "objects") if data.get("quantities") is not None else []
    return Reference(
        when=When.parse(when, string(data, "when_from")) if when else None,
        where=_where(data["where"]) if data.get("where") is not None else None,
        quantities=tuple(_quantity(each) for each in quantities),
        entity=_entity(data["entity"]) if data.get("entity") is not None else None,
    )


def reference_to_json(reference: Reference) -> dict[str, Any]:
    """Return a reference as a JSON object; empty fields are left out."""
    data: dict[str, Any] = {}
    if when := reference.when:
        data |= _present({"when": str(when), "when_from": when.source})
    if where := reference.where:
        data["where"] = _present(
            {"name": where.name, "id": where.id, "within": list(where.within) or None, "from": where.source}
        )
    if reference.quantities:
        data["quantities"] = [
            _present({"low": _plain(q.low), "high": _plain(q.high), "unit": q.unit or None, "from": q.source})
            for q in reference.quantities
        ]
    if entity := reference.entity:
        data["entity"] = {"id": entity.id, "name": entity.name}
    return data


def _where(data: Any) -> Where:
    data = _object(data, "where")
    id = integer(data, "id") if data.get("id") is not None else None
    within = list_of(data, "within", str, "names") if data.get("within") is not None else []
    return Where(string(data, "name", required=True), id, tuple(within), string(data, "from"))


def _quantity(data: Any) -> Quantity:
    data = _object(data, "quantities")
    return Quantity(
        number(data, "low"), number(data, "high"), string(data, "unit") or "", string(data, "from")
    )


def _entity(data: Any) -> Entity:
    data = _object(data, "entity")
    return Entity(string(data, "id", required=True), string(data, "name", required=True))


def _object(data: Any, name: str) -> Json:
    if not isinstance(data, dict):
        raise FormatError(f"the field {name!r} is {data!r}", expected="a JSON object")
    if unknown := sorted(data.keys() - _FIELDS[name]):
        raise FormatError(
            f"the field {name!r} has the field {unknown[0]!r}",
            expected=f"only {', '.join(sorted(_FIELDS[name]))}",
        )
    return data


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _plain(end: float | None) -> float | None:
    """Return whole numbers without a decimal point."""
    return int(end) if end is not None and end == int(end) else end
