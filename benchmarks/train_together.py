"""Fit what the measures of an answer count that two lines tell together (`tools/linked/together.py`).

    python -m benchmarks.train_together [NAME...]

Asked are the described questions of `benchmarks/collections/folders/` and `steps/`, or of those of these names; each
folder is built into a temporary file. Prints the weights and the offset, and, by eight folds of whole folders, how many
of the answers from some probabilities on are right.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.agent.offline.two_lines import told_by_lines
from assistant.evaluation.evaluate import contains_answer
from benchmarks.reading_rows import read_lines
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.planner import plan_question
from tools.reading.second_reader import read_again, read_linked

COLLECTIONS = Path(__file__).with_name("collections")
FOLDERS = ("folders", "steps")
FOLDS, PENALTY, STEPS, RATE = 8, 0.01, 4000, 0.3
"""Folds; what the squares of the weights cost, of scaled measures; steps of gradient descent, and their size."""
LEAST = -1.5
"""Log-odds of the likeliest words from which answers count: all below are as good as none."""
LEVELS = (0.6, 0.7, 0.75, 0.8, 0.85)

Floats = NDArray[np.float64]


def asked(questions: Path) -> Iterator[tuple[tuple[float, ...], bool]]:
    """What speaks for the answer to each question of a file over its folder, and whether it is right."""
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "folder.clew"
        build([str(questions.with_suffix(""))], file)
        with KnowledgeBase.open(file) as kb:
            for one in read_lines(questions):
                question, gold = one["question"], one["answers"]
                plan = plan_question(question)
                told = told_by_lines(kb, question, plan, (), read_linked, read_again)
                if told is not None and plan.kind in ("lookup", "count") and told.measures[0] >= LEAST:
                    yield told.measures, is_right(told.text, gold)


def is_right(text: str, gold: list[str]) -> bool:
    """Whether an answer has a gold one, or is a part of one."""
    return contains_answer(text, gold) or any(contains_answer(one, [text]) for one in gold)


def fit(measures: Floats, right: Floats) -> tuple[Floats, float]:
    """The weights and the offset of the likeliest logistic model."""
    middle, spread = measures.mean(axis=0), measures.std(axis=0) + 1e-9
    scaled = np.c_[(measures - middle) / spread, np.ones(len(measures))]
    weights = np.zeros(scaled.shape[1])
    for _ in range(STEPS):
        error = 1 / (1 + np.exp(-scaled @ weights)) - right
        weights -= RATE * (scaled.T @ error / len(right) + PENALTY * np.append(weights[:-1], 0.0))
    own = weights[:-1] / spread
    return own, float(weights[-1] - middle @ own)


def main() -> None:
    files = [one for folder in FOLDERS for one in sorted((COLLECTIONS / folder).glob("*.jsonl"))]
    files = [one for one in files if one.stem in sys.argv[1:] or not sys.argv[1:]]
    found = [(measures, right, at % FOLDS) for at, one in enumerate(files) for measures, right in asked(one)]
    measures = np.array([one for one, _, _ in found])
    right = np.array([one for _, one, _ in found], dtype=np.float64)
    fold = np.array([one for _, _, one in found])
    weights, offset = fit(measures, right)
    print(f"{len(found)} answers, {int(right.sum())} right; weights {weights.round(3)}, offset {offset:.3f}")
    likely = np.zeros(len(found))
    for at in set(fold.tolist()):
        kept = fold == at
        own, zero = fit(measures[~kept], right[~kept])
        likely[kept] = 1 / (1 + np.exp(-(measures[kept] @ own + zero)))
    for level in LEVELS:
        print(f"from {level}: {int(right[likely >= level].sum())} of {int((likely >= level).sum())}")


if __name__ == "__main__":
    main()
