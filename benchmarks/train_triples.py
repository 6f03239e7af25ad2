"""Train tools/triple_scoring/triple_scorer.npz on the train folders of the benchmark data: `make train`.

    python -m benchmarks.train_triples [--data ../shared/data] [--work build/train] [--compare] [--check]

Knowledge bases are built once into the work folder. What is printed first is validation: recall of gold facts among the
best 10 and 30 and average precision on 2WikiMultihopQA's training questions, recall@5 of the passages on all, each fold
by a model that has not seen it; these are left in the work folder for the training of the walk
(benchmarks/cross_fit.py). Then the model is trained on everything. `--compare` prints the same
for each kind of label and without each part of the input; `--check` measures the passages on the development folders.
Seeded: the same data and versions give the same weights.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from benchmarks.cross_fit import FOLDS, fold_file, fold_of
from benchmarks.triple_labels import KINDS, Labeller
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from tools.search.entity_lookup import named_in
from tools.triple_scoring.triple_measures import DISTANCES, MEASURES, TripleMeasures
from tools.triple_scoring.triple_scorer import MODEL, candidate_triples, rank_triples

FOLDERS = {"2wiki-train": 1.0, "hotpotqa-train": 2.0, "musique-train": 1.5, "musique-train-openie": 1.5}
"""Weight of a question: the smaller sets would otherwise have little say. The last has facts by gpt-3.5 instead of by
rule."""
CHECKS = ("2wiki", "hotpotqa", "musique")
HIDDEN, INNER, EPOCHS, BATCH, RATE, DECAY, SEED = 32, 32, 16, 16, 2e-3, 1e-2, 0
"""The paper allows 80 epochs; with a falling rate the best checkpoint comes before 16."""
DROPOUT, VECTOR_DROPOUT, BLIND = 0.1, 0.5, 0.5
"""Of hidden units; of the vectors' components, by batch; and of questions that are shown without vectors, so that the
measures alone can do, and eight hundred questions are not learned by heart."""
VECTOR_SCALE = 3.0
"""Unit vectors of 384 components are small beside standardised measures."""
NEGATIVES = 60
"""Facts that are no evidence, drawn anew for each question and epoch; they weigh as much as all that there are."""
VALIDATION = 10
"""One question in ten chooses the checkpoint."""

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Scores = Callable[["Example"], NDArray[np.float64]]


@dataclass(frozen=True)
class Example:
    """A question's place in its folder, and its candidates: measures, vectors (float16: head, relation, tail), labels
    by kind, the gold triple that each says or -1, the key of each one's document; and the documents to be found.
    """

    folder: str
    number: int
    question: Floats
    measures: Floats
    vectors: tuple[NDArray[np.float16], ...]
    labels: dict[str, Bools]
    which: NDArray[np.int64]
    documents: NDArray[np.str_]
    supporting: frozenset[str]


class Scorer(torch.nn.Module):
    """The network of tools/triple_scoring/triple_scorer.py. `parts` are those of its input that it sees."""

    def __init__(self, mean: Floats, scale: Floats, dimension: int, parts: Sequence[str]) -> None:
        super().__init__()
        self.mean, self.scale, self.parts = torch.from_numpy(mean), torch.from_numpy(scale), parts
        self.measures = torch.nn.Linear(len(mean), HIDDEN)
        self.vectors = torch.nn.ModuleList(torch.nn.Linear(dimension, HIDDEN, bias=False) for _ in range(4))
        self.inner = torch.nn.Linear(HIDDEN, INNER)
        self.out = torch.nn.Linear(INNER, 1)
        shown = [("distances" if name in DISTANCES else "measures") in parts for name in MEASURES]
        self.shown = torch.tensor(shown, dtype=torch.float32)

    def forward(self, measures: torch.Tensor, vectors: Sequence[torch.Tensor], sighted: torch.Tensor) -> torch.Tensor:
        hidden = self.measures((measures - self.mean) / self.scale * self.shown)
        if "vectors" in self.parts:
            kept = functional.dropout(torch.ones(vectors[0].shape[1]), VECTOR_DROPOUT, self.training)
            parts = [layer(vector * kept) for layer, vector in zip(self.vectors, vectors, strict=True)]
            hidden = hidden + VECTOR_SCALE * sighted[:, None] * torch.stack(parts).sum(0)
        hidden = functional.dropout(functional.relu(hidden), DROPOUT, self.training)
        return self.out(functional.relu(self.inner(hidden)))[:, 0]


PARTS = ("measures", "distances", "vectors")


def fit(train: Sequence[Example], label: Callable[[Example], Bools], parts: Sequence[str] = PARTS) -> Scorer:
    """Binary cross-entropy over the facts; the checkpoint with the best recall on every tenth question is kept."""
    torch.manual_seed(SEED)
    order = np.random.default_rng(SEED)
    usable = [one for one in train if label(one).any()]
    validation, seen = usable[::VALIDATION], [one for at, one in enumerate(usable) if at % VALIDATION]
    rows = np.concatenate([one.measures for one in seen])
    model = Scorer(rows.mean(0), rows.std(0) + np.float32(1e-3), len(seen[0].question), parts)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * -(-len(seen) // BATCH)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    best, kept = -1.0, model.state_dict()
    for _ in range(EPOCHS):
        shuffled = order.permutation(len(seen))
        for start in range(0, len(seen), BATCH):
            loss = _loss(model.train(), [seen[at] for at in shuffled[start : start + BATCH]], label, order)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        recall = np.mean([_recall(label(one), scores_of(model)(one), k) for one in validation for k in (10, 30)])
        if recall > best:
            best, kept = float(recall), {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(kept)
    return model.eval()


def _loss(
    model: Scorer, batch: Sequence[Example], label: Callable[[Example], Bools], order: np.random.Generator
) -> torch.Tensor:
    rows, wanted, weights, sighted = [], [], [], []
    for one in batch:
        marked = label(one)
        rest = np.flatnonzero(~marked)
        drawn = order.permutation(rest)[:NEGATIVES]
        rows.append(np.concatenate([np.flatnonzero(marked), drawn]))
        wanted.append(marked[rows[-1]])
        share = np.where(wanted[-1], 1.0, len(rest) / max(len(drawn), 1))
        weights.append(FOLDERS[one.folder] * share / len(marked))
        sighted.append(np.full(len(rows[-1]), float(order.random() >= BLIND)))
    measures = np.concatenate([one.measures[at] for one, at in zip(batch, rows, strict=True)])
    questions = np.concatenate([np.tile(one.question, (len(at), 1)) for one, at in zip(batch, rows, strict=True)])
    vectors = [np.concatenate([one.vectors[n][at] for one, at in zip(batch, rows, strict=True)]) for n in range(3)]
    logits = model(_tensor(measures), [_tensor(one) for one in (questions, *vectors)], _tensor(np.concatenate(sighted)))
    losses = functional.binary_cross_entropy_with_logits(logits, _tensor(np.concatenate(wanted)), reduction="none")
    return (losses * _tensor(np.concatenate(weights))).sum() / len(batch) * 30.0


def _tensor(values: NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))


def scores_of(model: Scorer) -> Scores:
    """The model as a function of an example's candidates."""

    def score(one: Example) -> NDArray[np.float64]:
        with torch.no_grad():
            vectors = [_tensor(np.tile(one.question, (len(one.measures), 1))), *map(_tensor, one.vectors)]
            logits = model.eval()(_tensor(one.measures), vectors, torch.ones(len(one.measures)))
        return logits.numpy().astype(np.float64)

    return score


# -- measuring --------------------------------------------------------------------------------------------------------


def _recall(marked: Bools, scores: NDArray[Any], k: int) -> float:
    return float(marked[np.argsort(-scores, kind="stable")[:k]].sum() / marked.sum())


def gold_figures(score: Scores, examples: Sequence[Example]) -> tuple[float, float, float]:
    """Of gold triples: recall among the best 10 and 30 facts, and average precision of the facts that say them, in per
    cent; questions without a gold fact among their candidates do not count.
    """
    rows = []
    for one in examples:
        if one.labels["gold"].any():
            order = np.argsort(-score(one), kind="stable")
            said = [set(one.which[order[:k]].tolist()) - {-1} for k in (10, 30, len(order))]
            at = np.flatnonzero(one.labels["gold"][order]) + 1
            rows.append(
                (len(said[0]) / len(said[2]), len(said[1]) / len(said[2]), np.mean(np.arange(1, len(at) + 1) / at))
            )
    first, second, precision = 100 * np.mean(rows, axis=0)
    return float(first), float(second), float(precision)


def document_figures(score: Scores, examples: Sequence[Example], k: int = 5) -> tuple[float, float]:
    """Recall@k and full chain@k of the documents of the best facts, in per cent."""
    recall = full = 0.0
    for one in examples:
        order = np.argsort(-score(one), kind="stable")
        found = one.supporting.intersection(list(dict.fromkeys(one.documents[order].tolist()))[:k])
        recall += len(found) / len(one.supporting)
        full += len(found) == len(one.supporting)
    return 100 * recall / len(examples), 100 * full / len(examples)


def report(name: str, score: Scores, held_out: Sequence[Example]) -> None:
    """One line: gold figures on 2wiki-train, recall@5 / full chain@5 of the documents by folder."""
    gold = gold_figures(score, [one for one in held_out if one.folder == "2wiki-train"])
    line = f"{name:34} gold facts: recall@10 {gold[0]:5.1f} @30 {gold[1]:5.1f} precision {gold[2]:5.1f}; documents@5:"
    for folder in FOLDERS:
        recall, full = document_figures(score, [one for one in held_out if one.folder == folder])
        line += f" {folder} {recall:.1f}/{full:.1f}"
    print(line, flush=True)


# -- data -------------------------------------------------------------------------------------------------------------


def open_folder(data: Path, work: Path, name: str) -> KnowledgeBase:
    """The file of a folder, built where it is not there yet; "-openie" takes the facts that come with the folder."""
    folder, path = data / name.removesuffix("-openie"), work / f"{name}.clew"
    build([str(folder / "corpus.jsonl")], path, openie=folder / "openie.jsonl" if name.endswith("-openie") else None)
    return KnowledgeBase.open(path)


def read_questions(data: Path, name: str) -> list[dict[str, Any]]:
    """The questions of a folder whose supporting passages are known."""
    lines = (data / name.removesuffix("-openie") / "questions.jsonl").read_text("utf-8").splitlines()
    return [one for one in map(json.loads, lines) if one.get("supporting")]


def load(data: Path, work: Path, name: str) -> list[Example]:
    """The examples of a folder; questions without candidates are left out."""
    with open_folder(data, work, name) as kb:
        labeller = Labeller(kb)
        found = [_example(labeller, name, *one) for one in enumerate(read_questions(data, name))]
    return [one for one in found if one is not None]


def _example(labeller: Labeller, folder: str, number: int, question: dict[str, Any]) -> Example | None:
    kb, text = labeller.kb, question["question"]
    sources = sorted({one for span in named_in(kb, text) for one in span.entities})
    triples, _ = candidate_triples(kb, text, sources)
    if not triples:
        return None
    measured = TripleMeasures(kb, text, sources)
    labels, which = labeller.label(question, triples, sources)
    return Example(
        folder, number, measured.vector, measured.measures(triples),
        tuple(one.astype(np.float16) for one in measured.vectors(triples)), labels, which,
        np.array([labeller.documents[one.passage][0] for one in triples]), frozenset(question["supporting"]),
    )  # fmt: skip


# -- what is done -----------------------------------------------------------------------------------------------------


def best_label(one: Example) -> Bools:
    """Gold facts where they are known, else those that lead from one supporting passage to the next, and at least one
    of each.
    """
    return one.labels["gold" if one.folder == "2wiki-train" else "complete"]


def compare(seen: list[Example], held_out: list[Example]) -> None:
    """Scorers by kind of label, trained on 2wiki-train alone; then without each part of the input, trained on all."""
    same = [one for one in seen if one.folder == "2wiki-train"]
    for kind in KINDS:
        report(f"labels: {kind}", scores_of(fit(same, lambda one, kind=kind: one.labels[kind])), held_out)
    for without in PARTS:
        parts = [one for one in PARTS if one != without]
        report(f"without {without}", scores_of(fit(seen, best_label, parts)), held_out)


def save(model: Scorer, path: Path) -> None:
    """Write the arrays that TripleModel reads; the vectors' matrices in half precision."""
    vectors = {
        name: (VECTOR_SCALE * layer.weight.detach().numpy().T).astype(np.float16)
        for name, layer in zip(("question", "head", "relation", "tail"), model.vectors, strict=True)
    }
    layers = {"measures": model.measures, "inner": model.inner}
    weights = {name: layer.weight.detach().numpy().T for name, layer in layers.items()}
    np.savez(
        path, mean=model.mean.numpy(), scale=model.scale.numpy(), bias=model.measures.bias.detach().numpy(),
        inner_bias=model.inner.bias.detach().numpy(), out=model.out.weight.detach().numpy()[0],
        out_bias=model.out.bias.detach().numpy(), **weights, **vectors,
    )  # fmt: skip


def check(data: Path, work: Path) -> None:
    """Recall@5 and full chain@5 of what rank_triples finds, on the development folders."""
    for name in CHECKS:
        rows = read_questions(data, name)
        with open_folder(data, work, name) as kb:
            hits = [rank_triples(kb, one["question"]).hits for one in rows]
        found = [
            set(one["supporting"]).intersection(list(dict.fromkeys(hit.passage.document for hit in some))[:5])
            for one, some in zip(rows, hits, strict=True)
        ]
        shares = [len(some) / len(set(one["supporting"])) for one, some in zip(rows, found, strict=True)]
        print(
            f"{name:15} recall@5 {100 * np.mean(shares):5.1f}  full chain@5 {100 * np.mean(np.equal(shares, 1)):5.1f}"
        )


def _split(examples: list[Example], fold: int) -> tuple[list[Example], list[Example]]:
    """The examples of the other folds, and those of this one."""
    inside = [fold_of(one.number) == fold for one in examples]
    return (
        [one for one, held_out in zip(examples, inside, strict=True) if not held_out],
        [one for one, held_out in zip(examples, inside, strict=True) if held_out],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("CLEW_DATA", "../shared/data")))
    parser.add_argument("--work", type=Path, default=Path("build/train"))
    parser.add_argument("--compare", action="store_true", help="also train by other labels and without parts")
    parser.add_argument("--check", action="store_true", help="also measure on the development folders")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    folders = [load(options.data, options.work, name) for name in FOLDERS]
    examples = [one for found in folders for one in found]
    seen, held_out = _split(examples, 0)
    report("cosine of the sentence", lambda one: one.measures[:, MEASURES.index("cosine of sentence")], held_out)
    for fold in range(FOLDS):
        model = fit(_split(examples, fold)[0], best_label)
        save(model, fold_file(options.work, fold, MODEL))
        report(f"trained without fold {fold}", scores_of(model), _split(examples, fold)[1])
    if options.compare:
        compare(seen, held_out)
    save(fit(examples, best_label), MODEL)
    print(f"wrote {MODEL.name}, {MODEL.stat().st_size:,} bytes")
    if options.check:
        check(options.data, options.work)


if __name__ == "__main__":
    main()
