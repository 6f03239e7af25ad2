"""What the training of both readers has in common: rows as they are read, batches, the loss, and the steps.

Batches of rows of one length each, in an order that the seed decides; AdamW, a rate that rises and falls by how much is
read, or how much of the time is gone where that is more; bfloat16; on a GPU where there is one. What has been learnt
is written every two thousand steps, and the next run may begin with it. It needs torch and numpy alone, so that it runs
where clew is not installed.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from benchmarks.reader_tokens import TokenRow, read_rows
from benchmarks.row import KINDS, stretch_of
from tools.reading.spans import SPAN

Weights = dict[str, torch.Tensor]

LENGTHS = (40, 56, 72, 96, 128, 160, 192, 224)
LONGEST = LENGTHS[-1]
_AT_ONCE = 20000  # rows that are cut and put into batches together
_WARM = 0.02
_KEPT_EVERY = 2000


@dataclass(frozen=True, slots=True)
class Layout:
    """How a question and a text are put together; `shift` is what is added to BERT's ids."""

    start: int
    between: tuple[int, ...]
    end: int
    padding: int
    shift: int = 0


class Net(nn.Module):
    """A reader to be trained: from the parts of `collated`, shape (batch, tokens) each, to logits of start and end,
    (batch, tokens, 2), and of the kinds, (batch, kinds). What it says of places where no span may stand is not minded.
    """

    layout: Layout


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids as the reader puts them together; the text's are [first, behind), `span` (0, 0) where none is."""

    source: str
    ids: NDArray[np.int64]
    first: int
    behind: int
    kind: int
    span: tuple[int, int]


def example_of(row: TokenRow, layout: Layout, draw: random.Random) -> Example | None:
    """A row as it is read this time: a window of its passage, often a short one; None where the answer is too long."""
    first = len(row.question) + 1 + len(layout.between)
    stretch = stretch_of(len(row.passage), row.place, LONGEST - first - 1, draw, span=row.span)
    if not stretch:
        return None
    read = row.passage[stretch.start : stretch.stop]
    ids = put_together(row.question, read, layout)
    at = first - stretch.start
    span = (row.place[0] + at, row.place[1] + at) if row.place and row.span else (0, 0)
    return Example(row.source, ids, first, len(ids) - 1, row.kind, span)


def put_together(question: NDArray[Any], text: NDArray[Any], layout: Layout) -> NDArray[np.int64]:
    """The token ids of a question and a text, which are BERT's, as one row of a layout's."""
    own = [part.astype(np.int64) + layout.shift for part in (question, text)]
    return np.concatenate([[layout.start], own[0], layout.between, own[1], [layout.end]]).astype(np.int64)


def batches(
    rows: Sequence[TokenRow], layout: Layout, tokens: int, draw: random.Random
) -> Iterator[tuple[float, int, list[Example]]]:
    """Each row as often as it says, in batches of one length and at most so many tokens: the share of all that has been
    read when a batch is due, the length, and the examples.
    """
    order = [at for at, row in enumerate(rows) for _ in range(row.times)]
    draw.shuffle(order)
    for begun in range(0, len(order), _AT_ONCE):
        examples = [one for at in order[begun : begun + _AT_ONCE] if (one := example_of(rows[at], layout, draw))]
        made = list(_of_one_length(examples, tokens, draw))
        for at, (length, batch) in enumerate(made):
            yield min(1.0, (begun + _AT_ONCE * at / len(made)) / len(order)), length, batch


def batches_of(examples: Sequence[Example], tokens: int, draw: random.Random) -> list[tuple[float, int, list[Example]]]:
    """As `batches`, of examples that are each read once."""
    made = _of_one_length(examples, tokens, draw)
    return [(at / len(made), length, batch) for at, (length, batch) in enumerate(made)]


def _of_one_length(examples: Sequence[Example], tokens: int, draw: random.Random) -> list[tuple[int, list[Example]]]:
    groups: dict[int, list[Example]] = defaultdict(list)
    for one in examples:
        groups[next(length for length in LENGTHS if len(one.ids) <= length)].append(one)
    made = []
    for length, group in sorted(groups.items()):
        count = tokens // length
        made += [(length, group[at : at + count]) for at in range(0, len(group), count)]
    draw.shuffle(made)
    return made


def collated(batch: Sequence[Example], length: int, padding: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, what is no padding, and where a span may start and end, shape (batch, length) each."""
    ids = np.full((len(batch), length), padding)
    mask, allowed = np.zeros((len(batch), length), bool), np.zeros((len(batch), length), bool)
    for i, one in enumerate(batch):
        ids[i, : len(one.ids)] = one.ids
        mask[i, : len(one.ids)] = True
        allowed[i, one.first : one.behind] = allowed[i, 0] = True
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(allowed)


def loss_of(net: Net, batch: Sequence[Example], length: int, device: torch.device) -> torch.Tensor:
    """Cross-entropy of start, end (the first token where there is none) and kind; yes and no have no span."""
    parts = collated(batch, length, net.layout.padding)
    ids, mask, allowed = (one.to(device, non_blocking=True) for one in parts)
    kinds = torch.tensor([one.kind for one in batch]).to(device, non_blocking=True)
    spans = torch.tensor([one.span for one in batch]).to(device, non_blocking=True)
    span, kind = net(ids, mask, allowed)
    span = span.masked_fill(~allowed.unsqueeze(-1), -1e4)
    placed = (kinds < 2).float()
    ends = sum(functional.cross_entropy(span[:, :, k], spans[:, k], reduction="none") for k in (0, 1))
    return functional.cross_entropy(kind, kinds) + 0.5 * (ends * placed).sum() / placed.sum().clamp(min=1)


@torch.no_grad()
def score(net: Net, examples: Sequence[Example], device: torch.device) -> dict[str, tuple[float, int]]:
    """Of 100 the exact spans and the kinds that are right, by source and kind, each with how many there are."""
    net.eval()
    right: dict[str, list[bool]] = defaultdict(list)
    ordered = sorted(examples, key=lambda one: len(one.ids))
    for at in range(0, len(ordered), 32):
        batch = ordered[at : at + 32]
        parts = collated(batch, max(len(one.ids) for one in batch), net.layout.padding)
        span, kind = (one.cpu() for one in net(*(part.to(device) for part in parts)))
        for i, one in enumerate(batch):
            right[f"{one.source} {KINDS[one.kind]}"].append(int(kind[i].argmax()) == one.kind)
            if KINDS[one.kind] == "span":
                right[f"{one.source} exact"].append(_best_span(span[i], one) == one.span)
    net.train()
    return {name: (round(100 * float(np.mean(told)), 1), len(told)) for name, told in sorted(right.items())}


def _best_span(span: torch.Tensor, example: Example) -> tuple[int, int]:
    inside = span[example.first : example.behind]
    both = inside[:, None, 0] + inside[None, :, 1]
    allowed = torch.ones_like(both).triu().tril(SPAN - 1).bool()
    best = int(both.masked_fill(~allowed, -1e9).argmax())
    return best // len(inside) + example.first, best % len(inside) + example.first


def mean_with(begun: Weights, net: nn.Module, beside: Sequence[Weights], share: float) -> Weights:
    """On the way from the weights that a net began with to the mean of those that it has and of those that other
    trainings of it came to (Wortsman et al. 2022, section 3), at `share` (0..1) of it: what was learnt is there, and
    less is forgotten of what the new rows do not show.
    """
    ended = [{name: one.detach().float().cpu() for name, one in net.state_dict().items()}, *beside]
    return {
        name: (1 - share) * one + share * sum(end[name] for end in ended) / len(ended) for name, one in begun.items()
    }


def share_of_rate(gone: float) -> float:
    """What share of the rate counts when such a share is gone: it rises evenly, then falls as half a cosine does."""
    if gone < _WARM:
        return (gone + 1e-3) / (_WARM + 1e-3)
    return 0.5 + 0.5 * math.cos(math.pi * min(1.0, (gone - _WARM) / (1 - _WARM)))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What both trainers are told."""
    parser.add_argument("rows", type=Path, help="a file of benchmarks/reader_tokens.py")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.5, help="of the way to what is trained: what is written")
    parser.add_argument("--batch", type=int, default=16384, metavar="TOKENS")
    parser.add_argument("--minutes", type=float, default=math.inf, help="end in time: read no more than that allows")


def train(net: Net, arguments: argparse.Namespace, rate: float, keep: Callable[[], None]) -> None:
    """Trains what of the net is not frozen with the rows of a file."""
    draw = random.Random(arguments.seed)
    rows = read_rows(arguments.rows)
    held = [one for row in rows if not row.times and (one := example_of(row, net.layout, random.Random(1)))]
    print(f"{sum(row.times for row in rows)} rows", flush=True)
    fit(net, batches(rows, net.layout, arguments.batch, draw), held, rate, arguments.minutes, keep)


def fit(
    net: Net,
    read: Iterable[tuple[float, int, list[Example]]],
    held: Sequence[Example],
    rate: float,
    minutes: float,
    keep: Callable[[], None],
) -> None:
    """Trains what of the net is not frozen with batches as `batches` gives them, for at most so many minutes; `held`
    are scored before and after, `keep` is called every two thousand steps and at the end.
    """
    began = time.monotonic()
    device = next(net.parameters()).device
    trained = [one for one in net.parameters() if one.requires_grad]
    optimiser: Any = torch.optim.AdamW(
        trained, lr=rate, weight_decay=0.01, betas=(0.9, 0.98), fused=device.type == "cuda"
    )
    print(f"before: {score(net, held, device)}", flush=True)
    started, losses = time.monotonic(), []
    for step, (share, length, batch) in enumerate(read):
        gone = max(share, (time.monotonic() - began) / (60 * minutes))
        if gone >= 1:
            break
        optimiser.param_groups[0]["lr"] = rate * share_of_rate(gone)
        loss = loss_of(net, batch, length, device)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        losses.append(loss.detach())
        if step % 100 == 0:
            mean = torch.stack(losses[-100:]).mean().item()
            print(f"step {step} {share:.3f} {gone:.3f} loss {mean:.3f} {time.monotonic() - started:.0f} s", flush=True)
        if step % _KEPT_EVERY == _KEPT_EVERY - 1:
            keep()
    keep()
    print(score(net, held, device), flush=True)


def chosen_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
