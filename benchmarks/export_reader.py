"""From a checkpoint of `benchmarks/train_reader.py` to the file that ships: an ONNX graph with int8 weights.

    python -m benchmarks.export_reader reader.pt -o tools/reading/reader.onnx      (needs: pip install onnx)

The graph takes the embedded tokens, whose table comes with the bundled embedding model, so that it need not ship twice.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from pathlib import Path

import torch
from torch import nn

import kb.networks  # noqa: F401 - before ONNX Runtime is imported: that it reports nothing
from benchmarks.train_reader import ReaderNet


class _Shipped(nn.Module):
    """The trained layers without the embeddings: hidden states and a mask of 1 and 0 in, logits out."""

    def __init__(self, net: ReaderNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        bias = (1.0 - mask[:, None, None, :]) * -1e4
        for layer in self.net.bert.encoder.layer:
            hidden = _layer(layer, hidden, bias)
        return self.net.span(hidden), self.net.kind(hidden[:, 0])


def _layer(layer: nn.Module, hidden: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """One layer of BERT, written out: a graph of plain products, which quantises well."""
    own = layer.attention.self
    heads, size = 12, 32

    def split(x: torch.Tensor) -> torch.Tensor:
        return x.reshape(x.shape[0], -1, heads, size).transpose(1, 2)

    query, key, value = (split(part(hidden)) for part in (own.query, own.key, own.value))
    weights = torch.softmax(query @ key.transpose(2, 3) * (size**-0.5) + bias, dim=-1)
    context = (weights @ value).transpose(1, 2).reshape(hidden.shape[0], -1, heads * size)
    out = layer.attention.output
    hidden = out.LayerNorm(out.dense(context) + hidden)
    inner = nn.functional.gelu(layer.intermediate.dense(hidden))
    return layer.output.LayerNorm(layer.output.dense(inner) + hidden)


def export(checkpoint: Path, out: Path) -> str:
    """Write the quantised graph; the SHA-256 of the file."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    net = ReaderNet()
    trained = {name: one.float() for name, one in torch.load(checkpoint, weights_only=True, map_location="cpu").items()}
    net.load_state_dict(trained, strict=False)
    net.eval()
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "reader.onnx"
        torch.onnx.export(
            _Shipped(net),
            (torch.zeros(2, 16, 384), torch.ones(2, 16)),
            str(plain),
            input_names=["hidden", "mask"],
            output_names=["span", "kind"],
            dynamic_axes={"hidden": {0: "rows", 1: "tokens"}, "mask": {0: "rows", 1: "tokens"}},
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(str(plain), str(out), weight_type=QuantType.QInt8, per_channel=True)
    return hashlib.sha256(out.read_bytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    print(export(arguments.checkpoint, arguments.out))


if __name__ == "__main__":
    main()
