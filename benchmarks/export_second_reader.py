"""From a checkpoint of `benchmarks/train_second_reader.py` to the files that ship.

A graph, the matrices of the model, and the updates.

    python -m benchmarks.export_second_reader reader.pt --model MODEL.gguf --tokenizer tokenizer.json -o FOLDER

It needs `pip install onnx gguf`; MODEL is SmolLM2-135M-Instruct.Q4_1.gguf, FOLDER tools/reading/weights.

Prints the digests for `tools/reading/encoder.py`. The matrices are copied as they are published, in blocks of 4 bits,
and the embeddings, of 8 bits there, are rounded to the same blocks; only the updates change when the reader is trained
again.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

from benchmarks.train_second_reader import HEAD, HEADS, INNER, KEYS, LAYERS, WIDTH, halved

_SHAPES = {
    "attend": (WIDTH + 2 * KEYS * HEAD, WIDTH),
    "merge": (WIDTH, WIDTH),
    "widen": (2 * INNER, WIDTH),
    "narrow": (WIDTH, INNER),
}
_MICROSOFT = "com.microsoft"
_PLACES = 512


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

    def model(self, output: str) -> bytes:
        self._nodes.append(helper.make_node("Identity", [output], ["logits"]))
        graph = helper.make_graph(
            self._nodes,
            "reader",
            [
                helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", "tokens", WIDTH]),
                helper.make_tensor_value_info("bias", TensorProto.FLOAT, ["rows", 1, 1, "tokens"]),
                helper.make_tensor_value_info("pos", TensorProto.INT64, ["rows", "tokens"]),
            ],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", "tokens", 6])],
            self._initialisers,
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 9
        return bytes(model.SerializeToString())


def graph() -> bytes:
    """The reader without its weights: `x` embedded tokens, `bias` -1e4 for what is padding, `pos` places; logits."""
    g = Graph()
    for name, value in {"most": 127.0, "middle": 128.0, "least": 1e-6, "by_head": HEAD**-0.5}.items():
        g.constant(name, np.float32(value))
    g.constant("zero", np.uint8(128))
    angles = np.outer(np.arange(_PLACES), 100_000.0 ** (-np.arange(0, HEAD, 2) / HEAD))
    g.constant("cos", np.cos(angles).astype(np.float32))
    g.constant("sin", np.sin(angles).astype(np.float32))
    shapes = {
        "parts": [WIDTH, KEYS * HEAD, KEYS * HEAD],
        "halves": [INNER, INNER],
        "as_queries": [0, -1, HEADS, HEAD],
        "as_keys": [0, -1, KEYS, HEAD],
        "by_key": [0, KEYS, -1, HEAD],
        "apart": [0, HEADS, -1, HEAD],
        "joined": [0, -1, WIDTH],
    }
    for name, shape in shapes.items():
        g.constant(name, np.array(shape, dtype=np.int64))
    x = "x"
    for at in range(LAYERS):
        x = g.node("Add", x, _attended(g, x, f"{at}"))
        wide = _product(g, _normed(g, x, f"{at}.between"), f"{at}.widen")
        gate, up = g.split("Split", 2, wide, "halves", axis=-1)
        gate = g.node("QuickGelu", gate, domain=_MICROSOFT, alpha=1.0)  # with 1.0 it is SiLU
        x = g.node("Add", x, _product(g, g.node("Mul", gate, up), f"{at}.narrow"))
    told = g.node("MatMul", _normed(g, x, "after"), g.weight("heads", (WIDTH, 6)))
    return g.model(g.node("Add", told, g.weight("heads.offset", (6,))))


def _normed(g: Graph, x: str, name: str) -> str:
    return g.node("SimplifiedLayerNormalization", x, g.weight(name, (WIDTH,)), epsilon=1e-5, axis=-1)


def _product(g: Graph, x: str, name: str) -> str:
    """x W' in whole numbers: each token's vector is rounded to int8 by its own largest value."""
    rows, columns = _SHAPES[name.split(".")[1]]
    largest = g.node("Max", g.node("ReduceMax", g.node("Abs", x), axes=[-1], keepdims=1), "least")
    scaled = g.node("Round", g.node("Mul", x, g.node("Div", "most", largest)))
    whole = g.node("Cast", g.node("Add", scaled, "middle"), to=TensorProto.UINT8)
    weight = g.weight(name, (columns, rows), TensorProto.INT8)
    product = g.node("Cast", g.node("MatMulInteger", whole, weight, "zero"), to=TensorProto.FLOAT)
    return g.node("Mul", g.node("Mul", product, largest), g.weight(f"{name}.scale", (rows,)))


def _attended(g: Graph, x: str, layer: str) -> str:
    merged = _product(g, _normed(g, x, f"{layer}.before"), f"{layer}.attend")
    query, key, value = g.split("Split", 3, merged, "parts", axis=-1)

    def heads(part: str, shape: str, *, turned: bool) -> str:
        part = g.node("Transpose", g.node("Reshape", part, shape), perm=[0, 2, 1, 3])
        return g.node("RotaryEmbedding", part, "pos", "cos", "sin", domain=_MICROSOFT) if turned else part

    queries = g.node("Reshape", heads(query, "as_queries", turned=True), "by_key")
    keys = g.node("Transpose", heads(key, "as_keys", turned=True), perm=[0, 1, 3, 2])
    scores = g.node("Add", g.node("Mul", g.node("MatMul", queries, keys), "by_head"), "bias")
    found = g.node("MatMul", g.node("Softmax", scores, axis=-1), heads(value, "as_keys", turned=False))
    found = g.node("Transpose", g.node("Reshape", found, "apart"), perm=[0, 2, 1, 3])
    return _product(g, g.node("Reshape", found, "joined"), f"{layer}.merge")


def published(path: Path) -> dict[str, Any]:
    """The model's matrices in their blocks, uint8 of shape (out, bytes), and its embeddings in the same ones."""
    import gguf

    raw = {str(tensor.name): tensor for tensor in gguf.GGUFReader(path).tensors}

    def blocks(layer: int, name: str) -> Any:
        tensor = raw[f"blk.{layer}.{name}.weight"]
        assert tensor.tensor_type == gguf.GGMLQuantizationType.Q4_1, tensor.tensor_type
        return np.array(tensor.data)

    kept = {}
    for at in range(LAYERS):
        query, key = halved(blocks(at, "attn_q"), HEADS), halved(blocks(at, "attn_k"), KEYS)
        kept[f"{at}.attend"] = np.concatenate([query, key, blocks(at, "attn_v")])
        kept[f"{at}.merge"] = blocks(at, "attn_output")
        kept[f"{at}.widen"] = np.concatenate([blocks(at, "ffn_gate"), blocks(at, "ffn_up")])
        kept[f"{at}.narrow"] = blocks(at, "ffn_down")
    embeddings = raw["token_embd.weight"]
    floats = np.asarray(gguf.quants.dequantize(embeddings.data, embeddings.tensor_type), dtype=np.float32)
    kept["embeddings"] = gguf.quants.quantize(floats, gguf.GGMLQuantizationType.Q4_1)
    return {name: np.ascontiguousarray(array, dtype=np.uint8) for name, array in kept.items()}


def trained(checkpoint: Path) -> dict[str, Any]:
    """The updates as float16, and what is small as it was trained."""
    state = torch.load(checkpoint, weights_only=True)
    kept = {}
    for name, tensor in state.items():
        array = tensor.float().numpy()
        if name.endswith((".up", ".down")):
            array = array.astype(np.float16)
        if not name.startswith(("span", "kind")):
            kept[name.removeprefix("layers.")] = array
    heads = [
        np.concatenate([state[f"{head}.{part}"].float().numpy() for head in ("span", "kind")])
        for part in ("weight", "bias")
    ]
    return {**kept, "heads": np.ascontiguousarray(heads[0].T), "heads.offset": heads[1]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(exist_ok=True)
    (arguments.out / "reader.onnx").write_bytes(graph())
    save_file(published(arguments.model), arguments.out / "smollm2.safetensors")
    save_file(trained(arguments.checkpoint), arguments.out / "reader.safetensors")
    packed = gzip.compress(arguments.tokenizer.read_bytes(), 9, mtime=0)
    (arguments.out / "tokenizer.json.gz").write_bytes(packed)
    for path in sorted(arguments.out.iterdir()):
        print(f'    "{path.name}": "{hashlib.sha256(path.read_bytes()).hexdigest()}",')


if __name__ == "__main__":
    main()
