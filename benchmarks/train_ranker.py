"""Train tools/evidence/evidence_walk.npz on the train folders of the benchmark data: `make train`.

    python benchmarks/train_ranker.py [--data ../shared/data] [--work build/train] [--check]

Knowledge bases are built once into the work folder, and every technique whose ranking is a feature runs on every
question: on the folder's own file, on copies in which half of the facts are spoilt, with the mentions that stand for
them (kb/store/damage.py), so that the walk learns to lean on the text where the graph does not hold, and on one file of
all folders, so that it does not lean on what a larger file changes. In training each technique's ranking is hidden at
random, since the policy does not call all of them for every question. The techniques rank a question with scorers that
have not seen it (benchmarks/cross_fit.py), which the other two scripts of `make train` leave in the work folder; what
they rank is kept there for the next time.

Five-fold cross-validation comes first and is printed (recall@5 and full chain@5 on questions that neither the fold's
model nor the scorers have seen), then the model is trained on everything. Seeded: the same data and versions give the
same weights.
"""

from __future__ import annotations

import argparse
import hashlib
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

import tools
from benchmarks.cross_fit import FOLDS, fold_of, scorers_without
from kb.build import build
from kb.store.damage import MODES, damage
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence.evidence_walk import MODEL, STEPS
from tools.evidence.pool import PAIR_FEATURES, PASSAGE_FEATURES, RANKED_BY, gather
from tools.planning.planner import plan_question
from tools.registry import techniques
from tools.relations import reranker
from tools.triple_scoring import triple_model

FOLDERS = {"2wiki-train": 1.0, "hotpotqa-train": 4.0, "musique-train": 4.0}
"""Weight of a question: the two smaller sets have about as much say as the first."""
CHECKS = ("2wiki", "hotpotqa", "musique")
SEEN = (0.4, 0.15, 0.15, 0.3)
"""Chances that a question is seen in an epoch as the file of its folder has it, as each damaged copy has it, and as the
file of all folders has it."""
RHO = 0.5
HIDE = 0.35
"""Chance that a technique's ranking is hidden from a question in an epoch."""
LISTED = 20
UNUSED = {"pool.py", "bridges.py", "evidence_walk.py", "type_signs.py", "answering.py", "answer_rules"}
"""Code that no technique whose ranking is a measure runs."""
HIDDEN, EPOCHS, BATCH, RATE, DECAY, DROPOUT, SEED = 32, 20, 8, 3e-3, 1e-3, 0.25, 0


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


@dataclass(frozen=True)
class Batch:
    """Several questions as one: `questions` and `document_questions` number the one that each row belongs to."""

    passages: torch.Tensor
    pairs: torch.Tensor
    pair_features: torch.Tensor
    documents: torch.Tensor
    is_gold: torch.Tensor
    questions: torch.Tensor
    document_questions: torch.Tensor
    weights: torch.Tensor


def as_batch(examples: Sequence[Example]) -> Batch:
    sizes, documents = [len(one.passages) for one in examples], [len(one.is_gold) for one in examples]
    before, documents_before = (np.cumsum([0, *counts]).tolist() for counts in (sizes, documents))
    return Batch(
        torch.cat([one.passages for one in examples]),
        torch.cat([one.pairs + at for one, at in zip(examples, before, strict=False)]),
        torch.cat([one.pair_features for one in examples]),
        torch.cat([one.documents + at for one, at in zip(examples, documents_before, strict=False)]),
        torch.cat([one.is_gold for one in examples]),
        torch.repeat_interleave(torch.arange(len(examples)), torch.tensor(sizes)),
        torch.repeat_interleave(torch.arange(len(examples)), torch.tensor(documents)),
        torch.tensor([one.weight for one in examples]),
    )


class Walk(torch.nn.Module):
    """The model of tools/evidence/evidence_walk.py, differentiable from end to end."""

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

    def forward(self, batch: Batch) -> torch.Tensor:
        """The log of each document's mass, the documents of all questions one after another."""
        x = (batch.passages - self.passage_mean) / self.passage_scale
        e = (batch.pair_features - self.pair_mean) / self.pair_scale
        source, target = batch.pairs[:, 0], batch.pairs[:, 1]
        start = self._normalised(self.passage(x)[:, 0], batch)
        first, *rest = self.pair
        parts = torch.split(first.weight, [e.shape[1], x.shape[1], x.shape[1]], 1)
        # As one matrix over (pair, source, target), but passages, which are fewer than pairs, are multiplied once.
        steps = e @ parts[0].T + (x @ parts[1].T)[source] + (x @ parts[2].T)[target] + first.bias
        for layer in rest:
            steps = layer(steps)
        mass = start
        for _ in range(STEPS):
            arriving = mass[source] + steps[:, 0]
            highest = start.detach().scatter_reduce(0, target, arriving.detach(), "amax")
            total = torch.exp(start - highest).index_add(0, target, torch.exp(arriving - highest[target]))
            mass = self._normalised(highest + torch.log(total), batch)
        return _log_sums(mass, batch.documents, len(batch.is_gold))

    @staticmethod
    def _normalised(mass: torch.Tensor, batch: Batch) -> torch.Tensor:
        return mass - _log_sums(mass, batch.questions, len(batch.weights))[batch.questions]


def _log_sums(values: torch.Tensor, groups: torch.Tensor, count: int) -> torch.Tensor:
    """The log of the summed exponentials of each group, shape (count,); very low for an empty one."""
    highest = torch.full((count,), -1e9).scatter_reduce(0, groups, values.detach(), "amax")
    return highest + torch.log(torch.zeros(count).index_add(0, groups, torch.exp(values - highest[groups])) + 1e-30)


def _network(inputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, HIDDEN), torch.nn.ReLU(), torch.nn.Dropout(DROPOUT), torch.nn.Linear(HIDDEN, 1)
    )


Variants = tuple[Example, ...]
"""A question in the file of its folder, in the damaged copies of it, and in the file of all folders."""


def fit(questions: list[Variants]) -> Walk:
    """Each gold document against all that are not: softplus of the difference of their log-masses."""
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
            drawn = [questions[at][int(order.choice(len(SEEN), p=SEEN))] for at in shuffled[start : start + BATCH]]
            batch = _hidden(as_batch(drawn), hiding)
            loss = _loss(model(batch), batch)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return model.eval()


def _hidden(batch: Batch, generator: torch.Generator) -> Batch:
    """Each question without some of the techniques' rankings, the last columns of the passages' features."""
    shown = torch.ones(len(batch.weights), len(PASSAGE_FEATURES))
    shown[:, -len(RANKED_BY) :] = (torch.rand(len(shown), len(RANKED_BY), generator=generator) >= HIDE).float()
    return replace(batch, passages=batch.passages * shown[batch.questions])


def _loss(mass: torch.Tensor, batch: Batch) -> torch.Tensor:
    gold, questions = batch.is_gold, batch.document_questions
    rest = _log_sums(mass[~gold], questions[~gold], len(batch.weights))
    losses = functional.softplus(rest[questions[gold]] - mass[gold])
    counts = torch.bincount(questions[gold], minlength=len(batch.weights))
    means = torch.zeros(len(batch.weights)).index_add(0, questions[gold], losses) / counts
    return (batch.weights * means).mean()


def measure(model: Walk, examples: Sequence[Example], k: int = 5) -> tuple[float, float]:
    """Recall@k and full chain@k in per cent."""
    recall = full = 0.0
    with torch.no_grad():
        for one in examples:
            order = torch.argsort(-model(as_batch([one])), stable=True)
            hits = int(one.is_gold[order[:k]].sum())
            recall += hits / one.gold
            full += hits == one.gold
    return 100 * recall / len(examples), 100 * full / len(examples)


def read_questions(data: Path, name: str) -> list[dict[str, Any]]:
    """The questions of a folder whose supporting passages are known."""
    lines = (data / name / "questions.jsonl").read_text("utf-8").splitlines()
    return [one for one in map(json.loads, lines) if one.get("supporting")]


def build_files(data: Path, work: Path) -> dict[str, list[Path]]:
    """By train folder the files that its questions are asked of: its own, its damaged copies, and one of all folders
    together. Each is built where it is not there yet.
    """
    together = work / "together.clew"
    build([str(data / name / "corpus.jsonl") for name in FOLDERS], together)
    return {name: [*_build_own(data, work, name), together] for name in FOLDERS}


def _build_own(data: Path, work: Path, name: str) -> list[Path]:
    sound = work / f"{name}.clew"
    build([str(data / name / "corpus.jsonl")], sound)
    damaged = [work / f"{name}-{mode}.clew" for mode in MODES]
    for mode, path in zip(MODES, damaged, strict=True):
        if not path.exists():
            damage(sound, path, mode, RHO, SEED, mentions=True)
    return [sound, *damaged]


def load(data: Path, work: Path) -> dict[str, list[Variants]]:
    """The questions of each train folder, ranked by scorers that have not seen them."""
    jobs = [(name, path) for name, paths in build_files(data, work).items() for path in paths]
    # A file has questions for minutes, and one file does not wait for another.
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        examples = list(pool.map(partial(_seen_by_others, data, work), *zip(*jobs, strict=True)))
    found: dict[str, list[list[Example]]] = {name: [] for name in FOLDERS}
    for (name, _), some in zip(jobs, examples, strict=True):
        found[name].append(some)
    return {name: list(zip(*variants, strict=True)) for name, variants in found.items()}


def _seen_by_others(data: Path, work: Path, name: str, path: Path) -> list[Example]:
    torch.set_num_threads(1)
    questions = read_questions(data, name)
    content, found = fingerprint(path), dict[int, Example]()
    with KnowledgeBase.open(path) as kb:
        for fold in range(FOLDS):
            own = [at for at in range(len(questions)) if fold_of(at) == fold]
            with scorers_without(work, fold):
                lists = _cached_lists(kb, content, [questions[at]["question"] for at in own], work)
            for at, one in zip(own, lists, strict=True):
                found[at] = _example(kb, questions[at], one, FOLDERS[name])
    return [found[at] for at in range(len(questions))]


def load_check(data: Path, work: Path, name: str) -> list[Example]:
    """The questions of a development folder, ranked by the shipped scorers."""
    path = work / f"{name}.clew"
    build([str(data / name / "corpus.jsonl")], path)
    with KnowledgeBase.open(path) as kb:
        return [_example(kb, one, rank_lists(kb, one["question"])) for one in read_questions(data, name)]


def _cached_lists(kb: KnowledgeBase, content: str, texts: Sequence[str], work: Path) -> list[dict[str, list[int]]]:
    """`rank_lists` of each question, computed once for the same content of the file, scorers, code and questions."""
    digest = hashlib.sha256(content.encode())
    package = Path(tools.__file__).parent
    for one in (reranker.SCORES, triple_model.MODEL, *sorted(package.rglob("*.py"))):
        if not UNUSED & set(one.parts):
            digest.update(one.read_bytes())
    digest.update("\n".join(texts).encode())
    cached = work / "lists" / f"{digest.hexdigest()}.json"
    if not cached.exists():
        cached.parent.mkdir(exist_ok=True)
        cached.write_text(json.dumps([rank_lists(kb, text) for text in texts]), "utf-8")
    return list(json.loads(cached.read_text("utf-8")))


def rank_lists(kb: KnowledgeBase, question: str) -> dict[str, list[int]]:
    """What each technique finds, best first."""
    found = {one.name: one.find(kb, question, LISTED) for one in techniques() if one.name in RANKED_BY}
    return {name: [hit.passage.id for hit in hits] for name, hits in found.items()}


def _example(kb: KnowledgeBase, question: dict[str, Any], lists: dict[str, list[int]], weight: float = 1.0) -> Example:
    text, gold = question["question"], set(question["supporting"])
    pool = gather(kb, text, plan_question(text), lists)
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
    sets = load(options.data, options.work)
    cross_validate(sets)
    model = fit([one for found in sets.values() for one in found if _usable(one)])
    save(model, MODEL)
    print(f"wrote {MODEL.name}, {MODEL.stat().st_size:,} bytes")
    for name in CHECKS if options.check else ():
        recall, full = measure(model, load_check(options.data, options.work, name))
        print(f"{name:15} recall@5 {recall:5.1f}  full chain@5 {full:5.1f}")


def cross_validate(sets: dict[str, list[Variants]]) -> None:
    """Print recall@5 and full chain@5 of each fold's questions by a walk, over scorers, that have not seen them."""
    folds: dict[str, list[tuple[float, ...]]] = {name: [] for name in sets}
    for fold in range(FOLDS):
        model = fit(
            [one for found in sets.values() for at, one in enumerate(found) if fold_of(at) != fold and _usable(one)]
        )
        for name, found in sets.items():
            unseen = [one for at, one in enumerate(found) if fold_of(at) == fold]
            folds[name].append(
                tuple(value for variant in zip(*unseen, strict=True) for value in measure(model, variant))
            )
    print(f"cross-validated recall@5 / full chain@5: sound, {', '.join(f'{mode} {RHO}' for mode in MODES)}, together")
    for name, values in folds.items():
        means = np.mean(values, 0).tolist()
        print(f"{name:15}", "  ".join(f"{means[at]:5.1f} / {means[at + 1]:5.1f}" for at in range(0, len(means), 2)))


def _usable(variants: Variants) -> bool:
    """Whether there is something to learn from each: a gold passage in the pool, and one that is not gold."""
    return all(bool(one.is_gold.any()) and not bool(one.is_gold.all()) for one in variants)


if __name__ == "__main__":
    main()
