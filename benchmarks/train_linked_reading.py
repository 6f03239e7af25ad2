"""Teach the second reader to read two lines that share a name, by low-rank updates of its upper layers' matrices.

    python -m benchmarks.train_linked_reading -o linked.safetensors [--minutes 40]

Its own weights stay as they are, and so do its readings of passages (Hu et al. 2021, section 4.1: W + BA). The rows are
those of `benchmarks/linked_rows.py`; what is written, half floats, is `tools/reading/weights/linked.safetensors`, whose
digest stands in `tools/reading/encoder.py`. With `--minutes 0` what it begins with is scored and written.
"""

from __future__ import annotations

import argparse
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

from benchmarks.reader_training import Example, Weights, batches_of, chosen_device, fit, put_together
from benchmarks.row import KINDS, Row
from benchmarks.train_second_reader import SHAPES, ReaderNet
from tools.reading.encoder import FOLDER

COLLECTIONS = Path(__file__).with_name("collections")
BESIDE, RANK = 4, 16
"""The first layer whose matrices have an update, and the rank of each."""

_RATE = 3e-4
_ASKED, _LONGEST = 72, 224


class Updated(nn.Module):
    """x W' + b, its numbers as they are, and x A' B' besides, which is nothing before the training."""

    def __init__(self, product: nn.Linear) -> None:
        super().__init__()
        weight, bias = product.weight.detach().bfloat16(), product.bias.detach().bfloat16()
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", bias, persistent=False)
        rows, columns = weight.shape
        self.down = nn.Parameter(torch.randn(RANK, columns) / math.sqrt(columns))
        self.up = nn.Parameter(torch.zeros(rows, RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.bfloat16()
        low = functional.linear(functional.linear(x, self.down.bfloat16()), self.up.bfloat16())
        return functional.linear(x, self.weight, self.bias) + low


def updated(net: ReaderNet) -> ReaderNet:
    """The net with all but the updates and its two heads frozen."""
    net.requires_grad_(False)
    for layer in net.layers[BESIDE:]:
        for name in SHAPES:
            setattr(layer, name, Updated(getattr(layer, name)))
    for head in (net.span, net.kind):
        head.requires_grad_(True)
    return net


def updates(net: ReaderNet) -> Weights:
    """The updates and heads, each matrix as it is multiplied with from the right."""
    state = net.state_dict()
    heads = [torch.cat([state[f"{head}.{part}"] for head in ("span", "kind")]) for part in ("weight", "bias")]
    made = {"heads": heads[0].T, "heads.offset": heads[1]}
    for name, tensor in state.items():
        if name.endswith((".down", ".up")):
            made[name.removeprefix("layers.")] = tensor.T
    return {name: tensor.half().contiguous() for name, tensor in made.items()}


def take_in(net: ReaderNet, path: Path) -> None:
    """Begin with the updates and heads of a file."""
    told = {name: tensor.float() for name, tensor in load_file(path).items()}
    heads, offset = told.pop("heads").T, told.pop("heads.offset")
    state = {f"layers.{name}": tensor.T for name, tensor in told.items()}
    for name, rows in {"span": slice(0, 2), "kind": slice(2, None)}.items():
        state |= {f"{name}.weight": heads[rows], f"{name}.bias": offset[rows]}
    net.load_state_dict(state, strict=False)


def examples(rows: list[Row]) -> list[Example]:
    """The rows as the second reader puts them together; those whose answer does not fit are left out."""
    from kb.store.minilm import load_tokenizer

    tokenizer: Any = load_tokenizer()
    layout, found = ReaderNet.layout, []
    for row in rows:
        question = tokenizer.encode(row.question, add_special_tokens=False).ids[:_ASKED]
        text = tokenizer.encode(row.passage, add_special_tokens=False)
        first = len(question) + 1 + len(layout.between)
        kept, place = text.ids[: _LONGEST - first - 1], row.place(text.offsets)
        if place and place[1] >= len(kept):
            continue
        ids = put_together(np.array(question), np.array(kept), layout)
        span = (place[0] + first, place[1] + first) if place else (0, 0)
        found.append(Example(row.source, ids, first, len(ids) - 1, KINDS.index(row.kind), span))
    return found


def main() -> None:
    from benchmarks.linked_rows import linked_rows

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--begin", type=Path, help="a file of updates to begin with")
    parser.add_argument("--rate", type=float, default=_RATE)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=2048, metavar="TOKENS")
    parser.add_argument("--minutes", type=float, default=math.inf, help="end in time: read no more than that allows")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    net = updated(ReaderNet(FOLDER))
    if arguments.begin:
        take_in(net, arguments.begin)
    net.to(chosen_device())
    rows = linked_rows(COLLECTIONS / "linked", arguments.seed) if arguments.minutes else ()
    read = examples(list(rows))
    held = examples(list(linked_rows(COLLECTIONS / "linked_choosing", 1)))
    draw = random.Random(arguments.seed)
    draw.shuffle(read)
    read_once = batches_of(read, arguments.batch, draw)
    fit(net, read_once, held, arguments.rate, arguments.minutes, lambda: save_file(updates(net), arguments.out))


if __name__ == "__main__":
    main()
