"""Train tools/evidence_walk.npz on the train folders of the benchmark data: `make train`.

    python benchmarks/train_ranker.py [--data ../shared/data] [--work build/train] [--check]

Knowledge bases are built once into the work folder, and every technique whose ranking is a feature runs on every
question: on the sound files, and on copies in which half of the facts are spoilt, with the mentions that stand for them
(kb/damage.py), so that the walk learns to lean on the text where the graph does not hold. In training each technique's
ranking is hidden at random, since the policy does not call all of them for every question. Five-fold cross-validation
comes first and is printed (recall@5 and full chain@5 on questions that the fold's model has not seen), then the model
is trained on everything. Seeded: the same data and versions give the same weights. The scorers of triples and
constraints, whose rankings are measures here, are trained before (`make train` does so).
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from kb.build import build
from kb.damage import MODES, damage
from kb.store import KnowledgeBase
from tools.evidence_pool import PAIR_FEATURES, PASSAGE_FEATURES, RANKED_BY, Pool, gather
from tools.evidence_walk import MODEL, STEPS
from tools.planner import plan_question
from tools.registry import techniques

FOLDERS = {"2wiki-train": 1.0, "hotpotqa-train": 2.0, "musique-train": 2.0}
"""Weight of a question: the two smaller sets would otherwise have little say."""
CHECKS = ("2wiki", "hotpotqa", "musique")
SOUND = 0.5
"""Chance that a question is seen as the sound file has it in an epoch, else as one of the damaged copies."""
RHO = 0.5
HIDE = 0.35
"""Chance that a technique's ranking is hidden from a question in an epoch."""
LISTED = 20
HIDDEN, EPOCHS, BATCH, RATE, DECAY, DROPOUT, FOLDS, SEED = 32, 20, 8, 3e-3, 1e-3, 0.1, 5, 0


@dataclass(frozen=True)
class Example:
    """A question's pool as tensors, with the number of each passage's document, which documents are gold, and how many
    gold documents there are in all.
    """

    passages: torch.Tensor
    pairs: torch.Tensor
    pair_features: torch.Tensor
    documents: torch.Tensor
    is_gold: torch.Tensor
    gold: int
    weight: float


class Walk(torch.nn.Module):
    """The model of tools/evidence_walk.py, differentiable from end to end."""

    def __init__(self) -> None:
        super().__init__()
        passage, pair = len(PASSAGE_FEATURES), len(PAIR_FEATURES)
        self.passage = _network(passage)
        self.pair = _network(pair + 2 * passage)
        for name, size in (("passage", passage), ("pair", pair)):
            self.register_buffer(f"{name}_mean", torch.zeros(size))
            self.register_buffer(f"{name}_scale", torch.ones(size))

    def standardise(self, examples: list[Example]) -> None:
        for name, field in (("passage", "passages"), ("pair", "pair_features")):
            rows = torch.cat([getattr(one, field) for one in examples])
            getattr(self, f"{name}_mean").copy_(rows.mean(0))
            getattr(self, f"{name}_scale").copy_(rows.std(0) + 1e-3)

    def forward(self, example: Example) -> torch.Tensor:
        x = (example.passages - self.passage_mean) / self.passage_scale
        e = (example.pair_features - self.pair_mean) / self.pair_scale
        source, target = example.pairs[:, 0], example.pairs[:, 1]
        start = functional.log_softmax(self.passage(x)[:, 0], 0)
        steps = self.pair(torch.cat([e, x[source], x[target]], 1))[:, 0]
        mass = start
        for _ in range(STEPS):
            arriving = mass[source] + steps
            highest = torch.full_like(start, -1e9).scatter_reduce(0, target, arriving.detach(), "amax")
            highest = torch.maximum(highest, start.detach())
            total = torch.zeros_like(start).scatter_add(0, target, torch.exp(arriving - highest[target]))
            mass = functional.log_softmax(highest + torch.log(total + torch.exp(start - highest)), 0)
        return _documents_mass(mass, example)


def _documents_mass(mass: torch.Tensor, example: Example) -> torch.Tensor:
    """The log of the summed mass of each document's passages."""
    count = len(example.is_gold)
    highest = torch.full((count,), -1e9).scatter_reduce(0, example.documents, mass.detach(), "amax")
    total = torch.zeros(count).scatter_add(0, example.documents, torch.exp(mass - highest[example.documents]))
    return highest + torch.log(total)


def _network(inputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, HIDDEN), torch.nn.ReLU(), torch.nn.Dropout(DROPOUT), torch.nn.Linear(HIDDEN, 1)
    )


Variants = tuple[Example, ...]
"""A question in the sound file, then in the damaged copies."""


def fit(questions: list[Variants]) -> Walk:
    """Each gold passage against all that are not: softplus of the difference of their log-masses."""
    torch.manual_seed(SEED)
    order = np.random.default_rng(SEED)
    hiding = torch.Generator().manual_seed(SEED)
    model = Walk()
    model.standardise([one for variants in questions for one in variants])
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * (len(questions) // BATCH))
    for _ in range(EPOCHS):
        shuffled = order.permutation(len(questions))
        for start in range(0, len(shuffled) - BATCH + 1, BATCH):
            batch = [_variant(questions[at], order) for at in shuffled[start : start + BATCH]]
            loss = torch.stack([_loss(model(_hidden(one, hiding)), one) for one in batch]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return model.eval()


def _variant(variants: Variants, order: np.random.Generator) -> Example:
    damaged = variants[1:]
    return variants[0] if not damaged or order.random() < SOUND else damaged[order.integers(len(damaged))]


def _hidden(example: Example, generator: torch.Generator) -> Example:
    """The example without some of the techniques' rankings, the last columns of the passages' features."""
    shown = torch.ones(len(PASSAGE_FEATURES))
    shown[-len(RANKED_BY) :] = (torch.rand(len(RANKED_BY), generator=generator) >= HIDE).float()
    return replace(example, passages=example.passages * shown)


def _loss(mass: torch.Tensor, example: Example) -> torch.Tensor:
    gold, rest = mass[example.is_gold], mass[~example.is_gold]
    return example.weight * functional.softplus(torch.logsumexp(rest, 0) - gold).mean()


def measure(model: Walk, examples: Sequence[Example], k: int = 5) -> tuple[float, float]:
    """Recall@k and full chain@k in per cent."""
    recall = full = 0.0
    with torch.no_grad():
        for one in examples:
            hits = int(one.is_gold[torch.argsort(-model(one), stable=True)[:k]].sum())
            recall += hits / one.gold
            full += hits == one.gold
    return 100 * recall / len(examples), 100 * full / len(examples)


def load(data: Path, work: Path, name: str, weight: float = 1.0, *, damaged: bool = False) -> list[Variants]:
    """The questions of a folder, building its knowledge base and its damaged copies where they are not there yet."""
    sound = work / f"{name}.clew"
    build([str(data / name / "corpus.jsonl")], sound)
    paths = [sound]
    for mode in MODES if damaged else ():
        paths.append(work / f"{name}-{mode}.clew")
        if not paths[-1].exists():
            damage(sound, paths[-1], mode, RHO, SEED, mentions=True)
    questions = [json.loads(line) for line in (data / name / "questions.jsonl").read_text("utf-8").splitlines()]
    questions = [one for one in questions if one.get("supporting")]
    # Each file has questions for minutes, and one file does not wait for another.
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(partial(_examples, questions=questions, weight=weight), paths))
    return list(zip(*found, strict=True))


def _examples(path: Path, questions: list[dict[str, Any]], weight: float) -> list[Example]:
    torch.set_num_threads(1)
    found = []
    with KnowledgeBase.open(path) as kb:
        for one in questions:
            text = one["question"]
            pool = gather(kb, text, plan_question(text), _lists(kb, text))
            found.append(_example(pool, set(one["supporting"]), weight))
    return found


def _lists(kb: KnowledgeBase, question: str) -> dict[str, list[int]]:
    """What each technique finds, best first."""
    found = {one.name: one.find(kb, question, LISTED) for one in techniques() if one.name in RANKED_BY}
    return {name: [hit.passage.id for hit in hits] for name, hits in found.items()}


def _example(pool: Pool, gold: set[str], weight: float) -> Example:
    keys = sorted({one.document for one in pool.passages})
    place = {key: at for at, key in enumerate(keys)}
    documents = torch.tensor([place[one.document] for one in pool.passages])
    is_gold = torch.tensor([key in gold for key in keys])
    return Example(
        torch.from_numpy(pool.features), torch.from_numpy(pool.pairs), torch.from_numpy(pool.pair_features),
        documents, is_gold, len(gold), weight,
    )  # fmt: skip


def save(model: Walk, path: Path) -> None:
    """Write the arrays that EvidenceModel reads."""
    arrays: dict[str, Any] = {name: value.numpy() for name, value in model.named_buffers()}
    for name in ("passage", "pair"):
        first, last = getattr(model, name)[0], getattr(model, name)[3]
        for at, value in enumerate((first.weight, first.bias, last.weight, last.bias)):
            arrays[f"{name}_{at}"] = value.detach().numpy()
    np.savez(path, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("CLEW_DATA", "../shared/data")))
    parser.add_argument("--work", type=Path, default=Path("build/train"))
    parser.add_argument("--check", action="store_true", help="also measure on the development folders")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    sets = {name: load(options.data, options.work, name, weight, damaged=True) for name, weight in FOLDERS.items()}
    folds: dict[str, list[tuple[float, ...]]] = {name: [] for name in sets}
    for fold in range(FOLDS):
        model = fit(
            [one for found in sets.values() for at, one in enumerate(found) if at % FOLDS != fold and _usable(one)]
        )
        for name, found in sets.items():
            unseen = [one for at, one in enumerate(found) if at % FOLDS == fold]
            folds[name].append(
                tuple(value for variant in zip(*unseen, strict=True) for value in measure(model, variant))
            )
    print("cross-validated recall@5 / full chain@5: sound, " + ", ".join(f"{mode} {RHO}" for mode in MODES))
    for name, values in folds.items():
        means = np.mean(values, 0).tolist()
        print(f"{name:15}", "  ".join(f"{means[at]:5.1f} / {means[at + 1]:5.1f}" for at in range(0, len(means), 2)))
    model = fit([one for found in sets.values() for one in found if _usable(one)])
    save(model, MODEL)
    print(f"wrote {MODEL.name}, {MODEL.stat().st_size:,} bytes")
    for name in CHECKS if options.check else ():
        recall, full = measure(model, [one[0] for one in load(options.data, options.work, name)])
        print(f"{name:15} recall@5 {recall:5.1f}  full chain@5 {full:5.1f}")


def _usable(variants: Variants) -> bool:
    """Whether there is something to learn from each: a gold passage in the pool, and one that is not gold."""
    return all(bool(one.is_gold.any()) and not bool(one.is_gold.all()) for one in variants)


if __name__ == "__main__":
    main()
