"""Train the second reader on: low-rank updates of MPNet-base's matrices, so that it points at answers.

    python -m benchmarks.reader_tokens --data READING -o rows.npz
    python -m benchmarks.train_second_reader rows.npz -o reader.safetensors [--minutes 7]

It begins with the reader that ships in `tools/reading/weights`, whose matrices stay as they are, in blocks of 4 bits;
only the updates, the norms, the biases and the heads change, and are what it writes, in the form that ships.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

from benchmarks.reader_training import LONGEST, Layout, Net, add_arguments, chosen_device, train
from benchmarks.row import KINDS
from tools.reading.encoder import END, FOLDER, START, WIDTH, buckets, dequantized
from tools.reading.encoder import SCALE as UPDATE_SCALE

LAYERS = 12
HEADS, HEAD = 12, 64
RANK = 32
PARTS = ("attend", "merge", "widen", "narrow")
"""The matrices of a layer: query, key and value one below the other, what leads from the heads, and the two behind."""

_DROPPED = 0.1
_RATE = 6e-4

Weights = dict[str, torch.Tensor]


class Updated(nn.Module):
    """A frozen matrix, shape (out, in), with a trained update: x W' + scale x down' up' + b (LoRA, equation 3)."""

    weight: torch.Tensor

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", weight.bfloat16().contiguous(), persistent=False)
        self.bias = nn.Parameter(torch.zeros(weight.shape[0]))
        self.down = nn.Parameter(torch.randn(RANK, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.up = nn.Parameter(torch.zeros(weight.shape[0], RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        update = functional.linear(functional.linear(x, self.down.to(x.dtype)), (self.up * UPDATE_SCALE).to(x.dtype))
        return functional.linear(x, self.weight, self.bias.to(x.dtype)) + update


class Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(x, (WIDTH,), self.weight.to(x.dtype), self.bias.to(x.dtype), 1e-5)


class Layer(nn.Module):
    """One layer of MPNet; `bias` is what the distance of two tokens counts, and -1e4 for what is padding."""

    def __init__(self, matrices: Weights) -> None:
        super().__init__()
        for name in PARTS:
            setattr(self, name, Updated(matrices[name]))
        self.between, self.after = Norm(), Norm()

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        rows, tokens, _ = x.shape
        parts = self.attend(x).chunk(3, -1)
        query, key, value = (part.view(rows, tokens, HEADS, HEAD).transpose(1, 2) for part in parts)
        weights = ((query * HEAD**-0.5) @ key.transpose(-1, -2) + bias).softmax(-1)
        found = (weights @ value).transpose(1, 2).reshape(rows, tokens, WIDTH)
        x = self.between(x + self._some(self.merge(found)))
        return self.after(x + self._some(self.narrow(functional.gelu(self.widen(x)))))

    def _some(self, x: torch.Tensor) -> torch.Tensor:
        return functional.dropout(x, _DROPPED, self.training)


class ReaderNet(Net):
    """The layers, a start and an end for each token, and by the first one whether the text answers, and how.

    `folder` holds the files of the reader to begin with.
    """

    layout = Layout(START, (END, END), END, padding=1, shift=4)
    embeddings: torch.Tensor
    places: torch.Tensor
    buckets: torch.Tensor

    def __init__(self, folder: Path) -> None:
        super().__init__()
        fixed = load_file(folder / "mpnet.safetensors")
        places = fixed.pop("places")[2:]
        whole = {name: torch.from_numpy(dequantized(blocks.numpy())) for name, blocks in fixed.items()}
        self.register_buffer("embeddings", whole["embeddings"].bfloat16(), persistent=False)
        self.register_buffer("places", places.bfloat16(), persistent=False)
        self.register_buffer("buckets", torch.from_numpy(buckets(LONGEST)), persistent=False)
        self.first = Norm()
        self.relative = nn.Parameter(torch.zeros(32, HEADS))
        self.layers = nn.ModuleList(Layer({name: whole[f"{at}.{name}"] for name in PARTS}) for at in range(LAYERS))
        self.span, self.kind = nn.Linear(WIDTH, 2), nn.Linear(WIDTH, len(KINDS))
        self.load_state_dict(widened(read_shipped(folder / "reader.safetensors"), self.state_dict()))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, text: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        tokens = ids.shape[1]
        x = self.first(functional.embedding(ids, self.embeddings) + self.places[:tokens])
        near = functional.embedding(self.buckets[:tokens, :tokens], self.relative).permute(2, 0, 1)[None]
        bias = (near + torch.where(mask.bool(), 0.0, -1e4)[:, None, None, :]).to(x.dtype)
        for layer in self.layers:
            x = layer(x, bias)
        told = x.float()
        return self.span(told), self.kind(told[:, 0])


def read_shipped(path: Path) -> Weights:
    """The trained weights of the reader.safetensors that ships, by their names here."""
    shipped = {name: tensor.float() for name, tensor in load_file(path).items()}
    weight, offset = shipped.pop("heads").T, shipped.pop("heads.offset")
    found = {f"layers.{name}" if name[0].isdigit() else name: tensor for name, tensor in shipped.items()}
    for name, rows in {"span": slice(0, 2), "kind": slice(2, None)}.items():
        found |= {f"{name}.weight": weight[rows].contiguous(), f"{name}.bias": offset[rows]}
    return found


def widened(trained: Weights, fresh: Weights) -> Weights:
    """Updates of a lower rank with `fresh` ones beside them, which change nothing yet; all else as it was trained."""
    made = dict(trained)
    for name, tensor in trained.items():
        if name.endswith(".down"):
            made[name] = torch.cat([tensor, fresh[name][len(tensor) :]])
        if name.endswith(".up"):
            made[name] = torch.cat([tensor, fresh[name][:, tensor.shape[1] :]], 1)
    return made


def shipped_form(net: ReaderNet) -> Weights:
    """What was trained as `tools/reading/encoder.py` reads it: the updates in float16, both heads in one matrix."""
    state = {name: tensor.detach().float().cpu() for name, tensor in net.state_dict().items()}
    heads = [torch.cat([state.pop(f"{head}.{part}") for head in ("span", "kind")]) for part in ("weight", "bias")]
    kept = {
        name.removeprefix("layers."): tensor.half() if name.endswith((".up", ".down")) else tensor
        for name, tensor in state.items()
    }
    made = {**kept, "heads": heads[0].T, "heads.offset": heads[1]}
    return {name: tensor.contiguous() for name, tensor in made.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--weights", type=Path, default=FOLDER, help="the folder of the reader to begin with")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    net = ReaderNet(arguments.weights).to(chosen_device())
    train(net, arguments, arguments.rate or _RATE, lambda: save_file(shipped_form(net), arguments.out))


if __name__ == "__main__":
    main()
