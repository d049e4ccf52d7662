"""Writing ONNX files: the few messages of the format that an encoder needs, in protocol buffers.

The library `onnx` is not needed, so that an encoder can be assembled where only `onnxruntime` is installed. The same
graph gives the same bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

RUNTIME = "com.microsoft"
"""The domain of operators that onnxruntime adds to those of ONNX."""
OPSETS = {"": 20, RUNTIME: 1}
_OF_RUNTIME = frozenset(("MatMulIntegerToFloat",))
_IR = 9
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Wire types of protocol buffers."""
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "float16": 10}
FLOAT = _TYPES["float32"]
"""What the attribute `to` of the operator `Cast` can be."""

Attribute = int | float | Sequence[int]


@dataclass(frozen=True, slots=True)
class Node:
    """An operator with the names of what it reads and writes."""

    kind: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of a graph; a dimension that varies has a name."""

    name: str
    type: str
    shape: Sequence[int | str]


def model_bytes(
    nodes: Iterable[Node],
    inputs: Iterable[Port],
    outputs: Iterable[Port],
    constants: Mapping[str, NDArray[np.generic]],
) -> bytes:
    """Return an ONNX file."""
    graph = (
        *(_message(1, _node(node)) for node in nodes),
        _text(2, "encoder"),
        *(_message(5, _tensor(name, array)) for name, array in constants.items()),
        *(_message(11, _port(port)) for port in inputs),
        *(_message(12, _port(port)) for port in outputs),
    )
    opsets = [_message(8, (_text(1, name), _number(2, version))) for name, version in OPSETS.items()]
    return b"".join((_number(1, _IR), _text(2, "samevent"), _message(7, graph), *opsets))


def _node(node: Node) -> Iterable[bytes]:
    yield from (_text(1, name) for name in node.inputs)
    yield from (_text(2, name) for name in node.outputs)
    yield _text(4, node.kind)
    if node.kind in _OF_RUNTIME:
        yield _text(7, RUNTIME)
    for name, value in sorted(node.attributes.items()):
        yield _message(5, (_text(1, name), *_attribute(value)))


def _attribute(value: Attribute) -> Iterable[bytes]:
    if isinstance(value, int):
        return _number(3, value), _number(20, 2)
    if isinstance(value, float):
        return _key(2, _FIXED32), struct.pack("<f", value), _number(20, 1)
    return *(_number(8, item) for item in value), _number(20, 7)


def _tensor(name: str, array: NDArray[np.generic]) -> Iterable[bytes]:
    yield from (_number(1, size) for size in array.shape)
    yield _number(2, _TYPES[str(array.dtype)])
    yield _text(8, name)
    yield from _delimited(9, array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())


def _port(port: Port) -> Iterable[bytes]:
    shape = (
        _message(1, (_text(2, size) if isinstance(size, str) else _number(1, size),)) for size in port.shape
    )
    tensor = _message(1, (_number(1, _TYPES[port.type]), _message(2, shape)))
    return _text(1, port.name), _message(2, (tensor,))


def _message(field: int, parts: Iterable[bytes]) -> bytes:
    return b"".join(_delimited(field, b"".join(parts)))


def _text(field: int, text: str) -> bytes:
    return b"".join(_delimited(field, text.encode()))


def _delimited(field: int, content: bytes) -> tuple[bytes, bytes, bytes]:
    return _key(field, _BYTES), _varint(len(content)), content


def _number(field: int, value: int) -> bytes:
    return _key(field, _VARINT) + _varint(value)


def _key(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(value: int) -> bytes:
    """Return a whole number, seven bits per byte, the lowest first; negative ones are 64-bit complements."""
    value &= (1 << 64) - 1
    digits = []
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes((*digits, value))
