"""Train the second reader on: all matrices of MPNet-base, its embeddings frozen, so that it points at answers.

    python -m benchmarks.reader_tokens --data READING -o rows.npz
    python -m benchmarks.train_second_reader rows.npz -o reader.safetensors [--minutes 5]

It begins with the reader that ships in `tools/reading/weights` and writes, in the form that ships, the mean of that and
of what it has become: each matrix in whole numbers by row.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

from benchmarks.reader_training import LONGEST, Layout, Net, Weights, add_arguments, chosen_device, mean_with, train
from benchmarks.row import KINDS
from tools.reading.encoder import END, FOLDER, START, WIDTH, buckets, dequantized, rounded

LAYERS = 12
HEADS, HEAD = 12, 64
INNER = 3072
SHAPES = {"attend": (3 * WIDTH, WIDTH), "merge": (WIDTH, WIDTH), "widen": (INNER, WIDTH), "narrow": (WIDTH, INNER)}
"""The matrices of a layer, (out, in): query, key and value one below the other, what leads from the heads, and the two
behind.
"""

_DROPPED = 0.1
_RATE = 6e-5


class Product(nn.Linear):
    """x W' + b in the numbers that x has; what is trained is float32."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self.weight.to(x.dtype), self.bias.to(x.dtype))


class Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(x, (WIDTH,), self.weight.to(x.dtype), self.bias.to(x.dtype), 1e-5)


class Layer(nn.Module):
    """One layer of MPNet; `bias` is what the distance of two tokens counts, and -1e4 for what is padding."""

    def __init__(self) -> None:
        super().__init__()
        for name, (rows, columns) in SHAPES.items():
            setattr(self, name, Product(columns, rows))
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
        embeddings = torch.from_numpy(dequantized(fixed["embeddings"].numpy()))
        self.register_buffer("embeddings", embeddings.bfloat16(), persistent=False)
        self.register_buffer("places", fixed["places"][2:].bfloat16(), persistent=False)
        self.register_buffer("buckets", torch.from_numpy(buckets(LONGEST)), persistent=False)
        self.first = Norm()
        self.relative = nn.Parameter(torch.zeros(32, HEADS))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.span, self.kind = nn.Linear(WIDTH, 2), nn.Linear(WIDTH, len(KINDS))
        self.load_state_dict(read_shipped(folder / "reader.safetensors"))

    def freeze(self, layers: int) -> None:
        """Lets the first so many layers, and what all share, stay as they are; 0 for none."""
        if layers:
            for part in (self.first, *self.layers[:layers]):
                part.requires_grad_(False)
            self.relative.requires_grad_(False)

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
    shipped = load_file(path)
    weight, offset = shipped.pop("heads").T, shipped.pop("heads.offset")
    found = {}
    for name, tensor in shipped.items():
        own = f"layers.{name}" if name[0].isdigit() else name
        if tensor.dtype == torch.int8:
            found[f"{own}.weight"] = (tensor.float() * shipped[f"{name}.scale"] * 127).T.contiguous()
        elif not name.endswith(".scale"):
            found[own] = tensor.float()
    for name, rows in {"span": slice(0, 2), "kind": slice(2, None)}.items():
        found |= {f"{name}.weight": weight[rows].contiguous(), f"{name}.bias": offset[rows]}
    return found


def shipped_form(weights: Weights) -> Weights:
    """The weights of a net as `tools/reading/encoder.py` reads them: whole numbers, both heads in one matrix."""
    state = dict(weights)
    heads = [torch.cat([state.pop(f"{head}.{part}") for head in ("span", "kind")]) for part in ("weight", "bias")]
    made = {"heads": heads[0].T, "heads.offset": heads[1]}
    for name, tensor in state.items():
        own = name.removeprefix("layers.")
        if tensor.ndim == 2 and own.endswith(".weight"):
            whole, scale = rounded(tensor.numpy())
            made[own.removesuffix(".weight")] = torch.from_numpy(whole)
            made[f"{own.removesuffix('.weight')}.scale"] = torch.from_numpy(np.asarray(scale))
        else:
            made[own] = tensor
    return {name: tensor.contiguous() for name, tensor in made.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--weights", type=Path, default=FOLDER, help="the folder of the reader to begin with")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="what other trainings wrote with --share 1")
    parser.add_argument(
        "--frozen", type=int, default=0, metavar="LAYERS", help="how many of the first stay as they are"
    )
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    net = ReaderNet(arguments.weights)
    net.freeze(arguments.frozen)
    begun = {name: one.clone() for name, one in net.state_dict().items()}
    net.to(chosen_device())
    beside = [read_shipped(path) for path in arguments.beside]

    def keep() -> None:
        save_file(shipped_form(mean_with(begun, net, beside, arguments.share)), arguments.out)

    train(net, arguments, arguments.rate or _RATE, keep)


if __name__ == "__main__":
    main()
