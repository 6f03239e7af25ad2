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
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.cross_fit import FOLDS, fold_file, fold_of
from benchmarks.triple_labels import KINDS, known_answer, label
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from tools.scorer_training.evidence_labels import Labeller
from tools.scorer_training.examples import Example, Scores, average_precision, documents_found, example_of
from tools.scorer_training.fitting import PARTS, fit, scores_of, written
from tools.search.entity_lookup import named_in
from tools.triple_scoring.triple_measures import MEASURES
from tools.triple_scoring.triple_model import MODEL
from tools.triple_scoring.triple_scorer import candidate_triples, rank_triples

FOLDERS = {"2wiki-train": 1.0, "hotpotqa-train": 2.0, "musique-train": 1.5, "musique-train-openie": 1.5}
"""Weight of a question: the smaller sets would otherwise have little say. The last has facts by gpt-3.5 instead of by
rule."""
CHECKS = ("2wiki", "hotpotqa", "musique")

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class TrainingExample(Example):
    """An example with its question's place in its folder, labels of every kind, and the gold triple that each candidate
    says, or -1. Its evidence is gold facts where they are known, else those that lead from one supporting passage to
    the next, and at least one of each.
    """

    folder: str = ""
    number: int = 0
    labels: dict[str, Bools] = field(default_factory=dict)
    which: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def by_kind(examples: Sequence[TrainingExample], kind: str) -> list[TrainingExample]:
    """The examples with the labels of this kind as their evidence."""
    return [replace(one, evidence=one.labels[kind]) for one in examples]


# -- measuring --------------------------------------------------------------------------------------------------------


def gold_figures(score: Scores, examples: Sequence[TrainingExample]) -> tuple[float, float, float]:
    """Of gold triples: recall among the best 10 and 30 facts, and average precision of the facts that say them, in per
    cent; questions without a gold fact among their candidates do not count.
    """
    rows = []
    for one in examples:
        if one.labels["gold"].any():
            order = np.argsort(-score(one), kind="stable")
            said = [set(one.which[order[:k]].tolist()) - {-1} for k in (10, 30, len(order))]
            precision = average_precision(one.labels["gold"], score(one))
            rows.append((len(said[0]) / len(said[2]), len(said[1]) / len(said[2]), precision))
    first, second, precision = 100 * np.mean(rows, axis=0)
    return float(first), float(second), float(precision)


def document_figures(score: Scores, examples: Sequence[TrainingExample], k: int = 5) -> tuple[float, float]:
    """Recall@k and full chain@k of the documents of the best facts, in per cent."""
    shares = [documents_found(one, score(one), k) for one in examples]
    return 100 * float(np.mean(shares)), 100 * float(np.mean(np.equal(shares, 1.0)))


def report(name: str, score: Scores, held_out: Sequence[TrainingExample]) -> None:
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


def load(data: Path, work: Path, name: str) -> list[TrainingExample]:
    """The examples of a folder; questions without candidates are left out."""
    with open_folder(data, work, name) as kb:
        labeller = Labeller(kb)
        found = [_example(labeller, name, *one) for one in enumerate(read_questions(data, name))]
    return [one for one in found if one is not None]


def _example(labeller: Labeller, folder: str, number: int, question: dict[str, Any]) -> TrainingExample | None:
    kb, text = labeller.kb, question["question"]
    made = example_of(labeller, known_answer(question))
    if made is None:
        return None
    sources = sorted({one for span in named_in(kb, text) for one in span.entities})
    triples, _ = candidate_triples(kb, text, sources)
    labels, which = label(labeller, question, triples, sources)
    given = {one.name: getattr(made, one.name) for one in fields(made)}
    given |= {"evidence": labels["gold" if folder == "2wiki-train" else "complete"], "weight": FOLDERS[folder]}
    return TrainingExample(**given, folder=folder, number=number, labels=labels, which=which)


# -- what is done -----------------------------------------------------------------------------------------------------


def compare(seen: list[TrainingExample], held_out: list[TrainingExample]) -> None:
    """Scorers by kind of label, trained on 2wiki-train alone; then without each part of the input, trained on all."""
    same = [one for one in seen if one.folder == "2wiki-train"]
    for kind in KINDS:
        report(f"labels: {kind}", scores_of(fit(by_kind(same, kind))), held_out)
    for without in PARTS:
        parts = [one for one in PARTS if one != without]
        report(f"without {without}", scores_of(fit(seen, parts=parts)), held_out)


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


def _split(examples: list[TrainingExample], fold: int) -> tuple[list[TrainingExample], list[TrainingExample]]:
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
        model = fit(_split(examples, fold)[0])
        fold_file(options.work, fold, MODEL).write_bytes(written(model.trained()))
        report(f"trained without fold {fold}", scores_of(model), _split(examples, fold)[1])
    if options.compare:
        compare(seen, held_out)
    MODEL.write_bytes(written(fit(examples).trained()))
    print(f"wrote {MODEL.name}, {MODEL.stat().st_size:,} bytes")
    if options.check:
        check(options.data, options.work)


if __name__ == "__main__":
    main()
