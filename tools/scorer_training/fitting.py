"""Fitting the network of `triple_model.py` to examples (ReG, appendix D.3: binary cross-entropy).

It begins anew, as for the one that ships, or goes on from a network that is there, as for a user's own questions: some
dozens of these are too few to begin with. Seeded: the same examples and versions give the same weights.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from tools.scorer_training.examples import Example, Scores, recall
from tools.triple_scoring.triple_measures import DISTANCES, MEASURES
from tools.triple_scoring.triple_model import TripleModel

HIDDEN, INNER, EPOCHS, BATCH, RATE, DECAY, SEED = 32, 32, 16, 16, 2e-3, 1e-2, 0
"""The paper allows 80 epochs; with a falling rate the best checkpoint comes before 16."""
SMALL_BATCH = 4
"""Of questions that a network goes on with: of twenty, sixteen are but one step an epoch, which is too few."""
DROPOUT, VECTOR_DROPOUT, BLIND = 0.1, 0.5, 0.5
"""Of hidden units; of the vectors' components, by batch; and of questions that are shown without vectors, so that the
measures alone can do, and eight hundred questions are not learned by heart."""
VECTOR_SCALE = 3.0
"""Unit vectors of 384 components are small beside standardised measures."""
NEGATIVES = 60
"""Facts that are no evidence, drawn anew for each question and epoch; they weigh as much as all that there are."""
VALIDATION = 10
"""One question in ten chooses the checkpoint."""
DEPTHS = (10, 30)
"""Facts among which recall is counted for that."""

PARTS = ("measures", "distances", "vectors")
BLIND_PARTS = ("measures", "distances")
"""For files with another embedding model than the one that ships."""

Tell = Callable[[int, int], None]


class Network(torch.nn.Module):  # type: ignore[misc]
    """The network of TripleModel, to be fitted. `parts` are those of its input that it sees."""

    def __init__(
        self, mean: NDArray[np.float32], scale: NDArray[np.float32], dimension: int, parts: Sequence[str] = PARTS
    ) -> None:
        super().__init__()
        self.mean, self.scale, self.parts = torch.tensor(mean), torch.tensor(scale), parts
        self.measures = torch.nn.Linear(len(mean), HIDDEN)
        self.vectors = torch.nn.ModuleList(torch.nn.Linear(dimension, HIDDEN, bias=False) for _ in range(4))
        self.inner = torch.nn.Linear(HIDDEN, INNER)
        self.out = torch.nn.Linear(INNER, 1)
        shown = [("distances" if name in DISTANCES else "measures") in parts for name in MEASURES]
        self.shown = torch.tensor(shown, dtype=torch.float32)

    @classmethod
    def of(cls, model: TripleModel, parts: Sequence[str] = PARTS) -> Network:
        """The network with these weights."""
        network = cls(model.mean, model.scale, len(model.question), parts)
        network.measures = torch.nn.Linear(*model.measures.shape)
        network.vectors = torch.nn.ModuleList(
            torch.nn.Linear(*model.question.shape, bias=False) for _ in range(len(network.vectors))
        )
        network.inner, network.out = torch.nn.Linear(*model.inner.shape), torch.nn.Linear(len(model.out), 1)
        with torch.no_grad():
            for layer, weight, bias in (
                (network.measures, model.measures.T, model.bias),
                (network.inner, model.inner.T, model.inner_bias),
                (network.out, model.out[None], model.out_bias),
            ):
                layer.weight.copy_(torch.tensor(weight))
                layer.bias.copy_(torch.tensor(bias))
            vectors = (model.question, model.head, model.relation, model.tail)
            for layer, weight in zip(network.vectors, vectors, strict=True):
                layer.weight.copy_(torch.tensor(weight.T / VECTOR_SCALE))
        return network

    def forward(self, measures: torch.Tensor, vectors: Sequence[torch.Tensor], sighted: torch.Tensor) -> torch.Tensor:
        """Log-odds, shape (n,); `vectors` of question, head, relation and tail count where `sighted`, 0 or 1, is 1."""
        hidden = self.measures((measures - self.mean) / self.scale * self.shown)
        if "vectors" in self.parts:
            kept = functional.dropout(torch.ones(vectors[0].shape[1]), VECTOR_DROPOUT, self.training)
            parts = [layer(vector * kept) for layer, vector in zip(self.vectors, vectors, strict=True)]
            hidden = hidden + VECTOR_SCALE * sighted[:, None] * torch.stack(parts).sum(0)
        hidden = functional.dropout(functional.relu(hidden), DROPOUT, self.training)
        return self.out(functional.relu(self.inner(hidden)))[:, 0]

    def trained(self) -> TripleModel:
        """Its weights as they are kept: the vectors' matrices in half precision."""
        question, head, relation, tail = (
            (VECTOR_SCALE * layer.weight.detach().numpy().T).astype(np.float16).astype(np.float32)
            for layer in self.vectors
        )
        return TripleModel(
            mean=self.mean.numpy(), scale=self.scale.numpy(),
            measures=_kept(self.measures.weight.T), bias=_kept(self.measures.bias),
            question=question, head=head, relation=relation, tail=tail,
            inner=_kept(self.inner.weight.T), inner_bias=_kept(self.inner.bias),
            out=_kept(self.out.weight[0]), out_bias=_kept(self.out.bias),
        )  # fmt: skip


def fit(examples: Sequence[Example], parts: Sequence[str] = PARTS) -> Network:
    """A new network: the one with the best recall, after any epoch, on every tenth of the examples that have evidence;
    at least two must have some.
    """
    torch.manual_seed(SEED)
    order = np.random.default_rng(SEED)
    usable = [one for one in examples if one.evidence.any()]
    validation, seen = usable[::VALIDATION], [one for at, one in enumerate(usable) if at % VALIDATION]
    rows = np.concatenate([one.measures for one in seen])
    network = Network(rows.mean(0), rows.std(0) + np.float32(1e-3), len(seen[0].question), parts)
    best, kept = -1.0, network.state_dict()
    for _ in _epochs(network, seen, BATCH, order):
        if (found := _recall(network, validation)) > best:
            best, kept = found, {name: value.clone() for name, value in network.state_dict().items()}
    network.load_state_dict(kept)
    network.eval()
    return network


def go_on(
    examples: Sequence[Example],
    start: TripleModel,
    parts: Sequence[str] = PARTS,
    tell: Tell = lambda done, total: None,
) -> Network:
    """The network that `start` becomes over the examples; at least one must have evidence.

    None is spared to choose a checkpoint by: the rate falls to nothing, and what came last was as good or better on
    three sets of notes. `tell` is called with epochs done and in all.
    """
    torch.manual_seed(SEED)
    network, seen = Network.of(start, parts), [one for one in examples if one.evidence.any()]
    for epoch in _epochs(network, seen, SMALL_BATCH, np.random.default_rng(SEED)):
        tell(epoch, EPOCHS)
    network.eval()
    return network


def _epochs(network: Network, seen: Sequence[Example], size: int, order: np.random.Generator) -> Iterator[int]:
    """Trains in batches of `size`; after each epoch its number, from 1."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * -(-len(seen) // size))
    for epoch in range(EPOCHS):
        shuffled = order.permutation(len(seen))
        for at in range(0, len(seen), size):
            loss = _loss(network.train(), [seen[one] for one in shuffled[at : at + size]], order)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        yield epoch + 1


def scores_of(network: Network) -> Scores:
    """The network as a function of an example's candidates."""

    def score(one: Example) -> NDArray[np.float64]:
        with torch.no_grad():
            vectors = [_tensor(np.tile(one.question, (len(one.measures), 1))), *map(_tensor, one.vectors)]
            logits = network.eval()(_tensor(one.measures), vectors, torch.ones(len(one.measures)))
        return np.asarray(logits.numpy().astype(np.float64))

    return score


def written(model: TripleModel) -> bytes:
    """The file that `triple_model.read_model` reads; the same weights give the same bytes."""
    vectors = ("question", "head", "relation", "tail")
    arrays = {one.name: getattr(model, one.name) for one in fields(model)}
    buffer = io.BytesIO()
    np.savez(buffer, **{name: one.astype(np.float16) if name in vectors else one for name, one in arrays.items()})
    return buffer.getvalue()


def _recall(network: Network, validation: Sequence[Example]) -> float:
    score = scores_of(network)
    return float(np.mean([recall(one.evidence, score(one), k) for one in validation for k in DEPTHS]))


def _loss(network: Network, batch: Sequence[Example], order: np.random.Generator) -> torch.Tensor:
    rows, wanted, weights, sighted = [], [], [], []
    for one in batch:
        rest = np.flatnonzero(~one.evidence)
        drawn = order.permutation(rest)[:NEGATIVES]
        rows.append(np.concatenate([np.flatnonzero(one.evidence), drawn]))
        wanted.append(one.evidence[rows[-1]])
        share = np.where(wanted[-1], 1.0, len(rest) / max(len(drawn), 1))
        weights.append(one.weight * share / len(one.evidence))
        sighted.append(np.full(len(rows[-1]), float(order.random() >= BLIND)))
    measures = np.concatenate([one.measures[at] for one, at in zip(batch, rows, strict=True)])
    questions = np.concatenate([np.tile(one.question, (len(at), 1)) for one, at in zip(batch, rows, strict=True)])
    vectors = [np.concatenate([one.vectors[n][at] for one, at in zip(batch, rows, strict=True)]) for n in range(3)]
    shown = [_tensor(one) for one in (questions, *vectors)]
    logits = network(_tensor(measures), shown, _tensor(np.concatenate(sighted)))
    losses = functional.binary_cross_entropy_with_logits(logits, _tensor(np.concatenate(wanted)), reduction="none")
    return (losses * _tensor(np.concatenate(weights))).sum() / len(batch) * 30.0


def _kept(values: torch.Tensor) -> NDArray[np.float32]:
    return np.array(values.detach().numpy(), dtype=np.float32)


def _tensor(values: NDArray[np.generic]) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
