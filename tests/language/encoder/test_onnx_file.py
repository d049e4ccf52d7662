from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from samevent.language.encoder.onnx_file import OPSETS, RUNTIME, Node, Port, model_bytes
from samevent.language.encoder.runtime import open_session


def test_file_is_what_the_library_onnx_writes() -> None:
    table = np.arange(-3, 3, dtype=np.float32).reshape(2, 3)
    nodes = [
        Node("Gather", ["table", "rows"], ["x"], {"axis": 0}),
        Node("LayerNormalization", ["x", "one"], ["y"], {"axis": -1, "epsilon": 0.5}),
        Node("MatMulIntegerToFloat", ["a", "b", "s", "t"], ["unused"]),
        Node("Transpose", ["y"], ["z"], {"perm": (1, 0)}),
    ]
    constants = {"table": table, "one": np.ones(3, np.float32), "unused": np.int64(-5)}
    ours = onnx.load_from_string(
        model_bytes(
            nodes, [Port("rows", "int64", ("n",))], [Port("z", "float32", (3, "n"))],
            {name: np.asarray(array) for name, array in constants.items()},
        )
    )  # fmt: skip
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "rows"], ["x"], axis=0),
            helper.make_node("LayerNormalization", ["x", "one"], ["y"], axis=-1, epsilon=0.5),
            helper.make_node("MatMulIntegerToFloat", ["a", "b", "s", "t"], ["unused"], domain=RUNTIME),
            helper.make_node("Transpose", ["y"], ["z"], perm=[1, 0]),
        ],
        "encoder",
        [helper.make_tensor_value_info("rows", TensorProto.INT64, ["n"])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [3, "n"])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    theirs = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid(name, version) for name, version in OPSETS.items()],
        ir_version=9,
        producer_name="samevent",
    )
    assert ours == theirs


def test_products_of_the_largest_bytes_are_exact() -> None:
    width = 64
    constants = {"w": np.full((width, 8), 127, np.int8), "zero": np.asarray(np.uint8(0))}
    nodes = [Node("MatMulInteger", ["x", "w", "zero"], ["y"])]
    session = open_session(
        model_bytes(nodes, [Port("x", "uint8", ("n", width))], [Port("y", "int32", ("n", 8))], constants)
    )
    (product,) = session.run(None, {"x": np.full((3, width), 255, np.uint8)})
    assert (product == 255 * 127 * width).all()
