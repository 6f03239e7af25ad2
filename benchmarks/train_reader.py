"""Train the first reader on: all six layers of the bundled MiniLM, its embeddings frozen, to point at answers.

    python -m benchmarks.reader_tokens --data READING -o rows.npz
    python -m benchmarks.train_reader rows.npz -o reader.pt [--minutes 2]

It begins with the reader.onnx that ships (which takes `pip install onnx transformers`); `benchmarks/export_reader.py`
makes another of what it writes, the mean of what it began with and of what that has become.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn

from benchmarks.reader_training import Layout, Net, add_arguments, chosen_device, mean_with, train
from benchmarks.row import KINDS

MODEL = Path(__file__).parents[1] / "kb/store/weights/minilm.safetensors"
SHIPPED = Path(__file__).parents[1] / "tools/reading/reader.onnx"

_RATE = 2e-4
_DROPPED = 0.05
_MATRICES = (
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    "intermediate.dense", "output.dense",
)  # fmt: skip
"""The matrices of a layer in the order in which the exported graph has them; it keeps no names of matrices."""


class ReaderNet(Net):
    """The encoder, a start and an end for each token, and whether the passage answers and with yes or no.

    `model` holds the embeddings, which are frozen.
    """

    layout = Layout(101, (102,), 102, padding=0)

    def __init__(self, model: Path = MODEL) -> None:
        super().__init__()
        from transformers import BertConfig, BertModel

        config = BertConfig(
            hidden_size=384,
            num_hidden_layers=6,
            intermediate_size=1536,
            attention_probs_dropout_prob=0.0,
            hidden_dropout_prob=_DROPPED,
            attn_implementation="sdpa",
        )
        self.bert = BertModel(config, add_pooling_layer=False)
        fixed = {name: tensor for name, tensor in load_file(model).items() if name.startswith("embeddings.")}
        unknown = self.bert.load_state_dict({name: one.float() for name, one in fixed.items()}, strict=False)[1]
        assert not unknown, unknown
        self.bert.embeddings.requires_grad_(False)
        self.span = nn.Linear(384, 2)
        self.kind = nn.Sequential(nn.Linear(384, 384), nn.Tanh(), nn.Linear(384, len(KINDS)))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, text: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        types = text.long()
        types[:, 0] = 0  # where "none" is pointed at
        with torch.autocast(ids.device.type, dtype=torch.bfloat16):
            hidden = self.bert(input_ids=ids, token_type_ids=types, attention_mask=mask.long()).last_hidden_state
            return self.span(hidden).float(), self.kind(hidden[:, 0]).float()


def read_shipped(path: Path = SHIPPED) -> dict[str, torch.Tensor]:
    """The trained weights, as far as 8 bits tell them, of the reader.onnx that ships."""
    import onnx

    kept = {one.name: torch.tensor(onnx.numpy_helper.to_array(one)) for one in onnx.load(path).graph.initializer}
    layers = [f"bert.encoder.layer.{layer}.{name}.weight" for layer in range(6) for name in _MATRICES]
    unnamed = iter([*layers, "span.weight"])
    found = {}
    for name, tensor in kept.items():
        if name.endswith("_quantized"):
            one = name.removesuffix("_quantized")
            assert not kept[f"{one}_zero_point"].any(), "weights are rounded around 0"
            weight = (tensor.float() * kept[f"{one}_scale"]).T.contiguous()
            found[one.removeprefix("net.") if one.startswith("net.") else next(unnamed)] = weight
        elif name.startswith("net.") and not name.endswith(("_scale", "_zero_point")):
            found[name.removeprefix("net.")] = tensor
    return found


def begun(model: Path, shipped: Path) -> ReaderNet:
    """The reader that ships, with the embeddings of `model`."""
    net = ReaderNet(model)
    missing, unknown = net.load_state_dict(read_shipped(shipped), strict=False)
    assert not unknown, unknown
    assert all("embeddings" in name for name in missing), "the embeddings are the model's own"
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--model", type=Path, default=MODEL, help="what holds the embeddings")
    parser.add_argument("--init", type=Path, default=SHIPPED, help="the reader.onnx to begin with")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    net = begun(arguments.model, arguments.init)
    before = {name: one.clone() for name, one in net.state_dict().items()}
    net.to(chosen_device())

    def keep() -> None:
        mean = mean_with(before, net, (), arguments.share)
        state = {name: one.half() for name, one in mean.items() if "embeddings" not in name}
        torch.save(state, arguments.out)

    train(net, arguments, arguments.rate or _RATE, keep)


if __name__ == "__main__":
    main()
