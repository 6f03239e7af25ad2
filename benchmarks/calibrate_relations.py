"""Fit the weights of tools/relations.py on 2WikiMultihopQA's training questions and their gold triples.

    python -m benchmarks.calibrate_relations [--data ../shared/data] [--work build/train]

Prints what five-fold cross-validation gives (accuracy of the best candidate; share resolved and how many of those
rightly, for several gamma), then the weights to put into the module.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from kb.build import build
from kb.names import name_key
from kb.store import KnowledgeBase
from tools.constraint_retrieval import ConstraintParams, effective_number
from tools.plan import Constraint
from tools.planner import plan_question
from tools.relations import FEATURES, align, other_end, triple_features

FOLDS = 5
GAMMAS = (1.2, 1.4, 1.6, 2.0, 2.5, 3.0)


def examples(data: Path, work: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Features and labels of the aligned candidates of every gold triple, one pair of arrays each."""
    path = work / "2wiki-train.clew"
    build([str(data / "2wiki-train" / "corpus.jsonl")], path)
    lines = (data / "2wiki-train" / "questions.jsonl").read_text("utf-8").splitlines()
    found, seen = [], set()
    with KnowledgeBase.open(path) as kb:
        for question in map(json.loads, lines):
            planned = {name_key(one.relation): one for one in plan_question(question["question"]).constraints}
            for head, relation, tail in question.get("evidences", ()):
                if (head, relation) not in seen:
                    seen.add((head, relation))
                    like = planned.get(name_key(relation))
                    constraint = Constraint(
                        head, relation, "?x", like.variants if like else (), "", like.tail_type if like else ""
                    )
                    found += _example(kb, question["question"], constraint, tail)
    return found


def _example(
    kb: KnowledgeBase, question: str, constraint: Constraint, tail: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    params = ConstraintParams()
    matches = kb.find_entities(constraint.head, params.anchors)
    anchors = {match.entity.id for match in matches if match.score >= params.min_coverage}
    candidates = align(kb, constraint, kb.triples_of(sorted(anchors), params.neighbourhood), params.aligned)
    if not candidates:
        return []
    labels = np.array([_same(other_end(one, anchors), tail) for one in candidates])
    return [(triple_features(kb, question, constraint, candidates, anchors), labels)]


def _same(found: str, gold: str) -> bool:
    a, b = name_key(found), name_key(gold)
    if re.fullmatch(r"\d{4}", b):
        return b in a.split()
    return a == b or (len(a) > 3 and (a in b or b in a) and min(len(a), len(b)) / max(len(a), len(b)) > 0.6)


def fit(rows: list[tuple[np.ndarray, np.ndarray]]) -> LogisticRegression:
    model = LogisticRegression(C=10, max_iter=2000)
    return model.fit(np.concatenate([x for x, _ in rows]), np.concatenate([y for _, y in rows]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("CLEW_DATA", "../shared/data")))
    parser.add_argument("--work", type=Path, default=Path("build/train"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    rows = examples(options.data, options.work)
    print(
        f"{len(rows)} gold triples with candidates; the gold one among them: {np.mean([y.any() for _, y in rows]):.3f}"
    )
    numbers, right = [], []
    for fold in range(FOLDS):
        model = fit([one for at, one in enumerate(rows) if at % FOLDS != fold])
        for x, y in (one for at, one in enumerate(rows) if at % FOLDS == fold):
            scores = model.decision_function(x)
            order = np.argsort(-scores, kind="stable")[: ConstraintParams().kept]
            numbers.append(effective_number([float(scores[at]) for at in order]))
            right.append(bool(y[order[0]]))
    n_eff, correct = np.array(numbers), np.array(right)
    print(f"best candidate right: {correct.mean():.3f}")
    for gamma in GAMMAS:
        rightly = correct[n_eff <= gamma].mean()
        print(f"gamma {gamma}: resolved {np.mean(n_eff <= gamma):.3f}, of those right {rightly:.3f}")
    model = fit(rows)
    print(
        dict(zip(FEATURES, np.round(model.coef_[0], 2).tolist(), strict=True)),
        "bias",
        round(float(model.intercept_[0]), 2),
    )


if __name__ == "__main__":
    main()
