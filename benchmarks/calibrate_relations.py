"""Train tools/relations/constraint_scores.npz, the scorers of reranker.py, on the train folders: `make train`.

    python -m benchmarks.calibrate_relations [--data ../shared/data] [--work build/train]

Two small networks: of a triple, whether it states a constraint with the right value (2WikiMultihopQA's gold triples;
gold passages, answers and titles elsewhere), and of a passage, whether it is evidence (gold passages of all three
folders, candidates as retrieval itself finds them with the first network). Five-fold cross-validation by question comes
first and is printed: of the triples, how often the best is right, and for several gamma how many constraints are
resolved and how many of these rightly; of both, how far the stated chances are from the observed shares. The folds'
networks are left in the work folder for the training of the walk (benchmarks/cross_fit.py). Seeded: the same data and
versions give the same weights.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.cross_fit import FOLDS, fold_file, fold_of
from kb.build import build
from kb.name_keys import name_key, title_aliases
from kb.records import Passage, Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.constraint_recovery import retrieve_with_recovery
from tools.constraint_retrieval import ConstraintParams, effective_number, find_anchors
from tools.planning.lexicon import RELATIONS
from tools.planning.plan import Constraint, Plan, is_variable
from tools.planning.planner import plan_question
from tools.relations.alignment import Asked, PassageOdds, align, other_end, says_relation, triple_features
from tools.relations.passage_measures import passage_features
from tools.relations.reranker import NOTHING, SCORES, Network, TrainedReranker
from tools.relations.text_triples import read_values
from tools.search.passage_search import search_passages
from tools.textual_recovery import titled

FOLDERS = {"2wiki-train": 1.0, "hotpotqa-train": 2.0, "musique-train": 2.0}
"""Weight of a question: the two smaller sets would otherwise have little say."""
HIDDEN, EPOCHS, BATCH, RATE, DECAY, SEED = 16, 30, 256, 3e-3, 1e-3, 0
GAMMAS = (1.0, 1.2, 1.4, 1.6, 2.0, 2.5, 3.0)
SELDOM = (
    "composer", "producer", "screenwriter", "distributor", "sibling", "employer", "educated at", "award received",
    "cause of death", "place of burial", "production company", "record label", "founded by", "publication date",
)  # fmt: skip
"""Relations to ask for in place of the right one: a passage about something else seldom states them."""
WRONG = 0.5
"""Weight of such a constraint's candidates, since some passages do."""

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass
class Pool:
    """The candidates of one constraint: measures, shape (n, features), labels, shape (n,), weight, kind of pool."""

    question: int
    features: Floats
    labels: Floats
    weight: float = 1.0
    kind: str = ""
    says: Floats = field(default_factory=lambda: np.zeros(0))
    """Whether each fact says the relation, as the sufficiency check asks."""


@dataclass
class Recorder:
    """A reranker that notes the measures and labels of the passages that retrieval asks it about."""

    inner: TrainedReranker
    pools: list[Pool] = field(default_factory=list)
    gold: frozenset[str] = frozenset()
    question: int = 0
    weight: float = 1.0

    def score_triples(self, kb: KnowledgeBase, asked: Asked, triples: Sequence[Triple]) -> Floats:
        return self.inner.score_triples(kb, asked, triples)

    def score_passages(
        self,
        kb: KnowledgeBase,
        asked: Asked,
        passages: Sequence[Passage],
        found: PassageOdds = NOTHING,
    ) -> Floats:
        features = passage_features(kb, asked, passages, found)
        if len(passages):
            labels = self._labels(asked, passages, found)
            self.pools.append(
                Pool(self.question, features, labels, self.weight, "resolved" if found.resolved else "text")
            )
        return self.inner.passages.logits(features)

    def _labels(self, asked: Asked, passages: Sequence[Passage], found: PassageOdds) -> Floats:
        """Gold passages are right; where one of them is about the known end, the others are right for other
        constraints, unless they are about a value of this one.
        """
        gold = np.array([one.document in self.gold for one in passages])
        names = [{name_key(one.title), *title_aliases(one.title)} for one in passages]
        about = np.array([bool(asked.anchor) and name_key(asked.anchor) in own for own in names])
        if (gold & about).any():
            gold &= about | np.array([one.id in found.values for one in passages])
        return gold.astype(np.float64)


# -- triples ----------------------------------------------------------------------------------------------------------


def triple_pools(kb: KnowledgeBase, questions: Sequence[dict[str, Any]]) -> list[Pool]:
    """Of every gold triple, the facts that alignment keeps and the names read from the text, with a wrong relation now
    and then.
    """
    order = random.Random(SEED)
    known = {(head, relation) for one in questions for head, relation, _ in one.get("evidences", ())}
    pools, seen = [], set()
    for number, question in enumerate(questions):
        planned = {name_key(one.relation): one for one in plan_question(question["question"]).constraints}
        for head, relation, tail in question.get("evidences", ()):
            if (head, relation) in seen:
                continue
            seen.add((head, relation))
            asked = _asked(kb, question["question"], _constraint(head, relation, planned, order))
            pools += _pools(kb, number, asked, [tail], 1.0)
            wrong = order.choice(SELDOM)
            if (head, wrong) not in known:
                asked = _asked(kb, question["question"], _constraint(head, wrong, {}, order))
                pools += _pools(kb, number, asked, (), WRONG)
    return pools


def weak_pools(kb: KnowledgeBase, questions: Sequence[dict[str, Any]], weight: float) -> list[Pool]:
    """Where there are no gold triples: of each constraint with a constant, a candidate is right when a gold passage
    states it and it is the title of another, or the answer of the question. Pools without one tell nothing.
    """
    pools = []
    for number, question in enumerate(questions):
        gold = frozenset(question["supporting"])
        titles = {key: kb.document_passages(key)[0].title for key in sorted(gold)}
        answers = frozenset(map(name_key, (*titles.values(), *question["answers"])))
        for constraint in plan_question(question["question"]).constraints:
            if len(constraint.variables) == 1:
                asked = _asked(kb, question["question"], constraint)
                for pool in _pools(kb, number, asked, answers - {name_key(asked.anchor)}, weight, gold):
                    if pool.labels.any():
                        pools.append(replace(pool, kind="weak"))
    return pools


def _constraint(head: str, relation: str, planned: Mapping[str, Constraint], order: random.Random) -> Constraint:
    """The gold triple as a plan may put it: either way round, typed or not, under one of the relation's names."""
    told = RELATIONS.get(relation)
    like = planned.get(name_key(relation))
    variants = like.variants if like else told.variants if told else ()
    kind = like.tail_type if like else told.tail_type if told else ""
    if variants and order.random() < 0.3:
        names = [relation, *variants]
        order.shuffle(names)
        relation, variants = names[0], tuple(names[1:])
    kind = kind if order.random() < 0.8 else ""
    variable = "?" + (order.choice((kind, name_key(relation).replace(" ", "_"))) or "x")
    if order.random() < 0.3:
        return Constraint(variable, relation, head, variants, kind, "")
    return Constraint(head, relation, variable, variants, "", kind)


def _asked(kb: KnowledgeBase, question: str, constraint: Constraint) -> Asked:
    anchor = constraint.tail if is_variable(constraint.head) else constraint.head
    return Asked(question, constraint, constraint, anchor, frozenset(find_anchors(kb, [anchor], ConstraintParams())))


def _pools(
    kb: KnowledgeBase,
    number: int,
    asked: Asked,
    values: Collection[str],
    weight: float,
    gold: frozenset[str] | None = None,
) -> list[Pool]:
    params = ConstraintParams()
    facts = align(kb, asked, kb.triples_of(sorted(asked.anchors), params.neighbourhood), params.aligned)
    ids = [*titled(kb, asked.anchors), *(hit.passage.id for hit in search_passages(kb, asked.constraint.text(), 3))]
    reader, read = read_values(kb, asked, kb.passages(list(dict.fromkeys(ids))))
    found = [("facts" if values else "wrong", asked, facts), ("read", reader, read)]
    return [
        Pool(
            number,
            triple_features(kb, one, triples),
            np.array([float(_is_right(kb, each, other_end(each, one.anchors), values, gold)) for each in triples]),
            weight,
            kind,
            np.array([float(says_relation(one, each)) for each in triples]),
        )
        for kind, one, triples in found
        if triples
    ]


def _is_right(
    kb: KnowledgeBase, triple: Triple, other: str, values: Collection[str], gold: frozenset[str] | None
) -> bool:
    if not any(same_value(other, value) for value in values):
        return False
    return gold is None or kb.passage(triple.passage).document in gold


def same_value(found: str, gold: str) -> bool:
    """Whether a name is the gold value: the same words in any order, the year of a year, or nearly the whole of it."""
    a, b = name_key(found), name_key(gold)
    if re.fullmatch(r"\d{4}", b):
        return b in a.split()
    if sorted(a.split()) == sorted(b.split()):
        return True
    return len(a) > 3 and (a in b or b in a) and min(len(a), len(b)) / max(len(a), len(b), 1) > 0.6


# -- passages ---------------------------------------------------------------------------------------------------------


def passage_pools(
    kb: KnowledgeBase, questions: Sequence[dict[str, Any]], weight: float, scorer: Callable[[int], TrainedReranker]
) -> list[Pool]:
    """The candidates that retrieval reranks for each question, with its own plan and with that plan less its types."""
    import tools.constraint_recovery as recovery
    import tools.constraint_retrieval as retrieval

    pools: list[Pool] = []
    for number, question in enumerate(questions):
        recorder = Recorder(scorer(number), pools, frozenset(question["supporting"]), number, weight)
        retrieval.load_reranker = recovery.load_reranker = lambda name, recorder=recorder: recorder  # type: ignore
        plan = plan_question(question["question"])
        for one in (plan, _bare(plan)) if number % 2 else (plan,):
            retrieve_with_recovery(kb, question["question"], one)
    return pools


def _bare(plan: Plan) -> Plan:
    """The plan as a language model writes it: no types, and relations turned round now and then."""
    order = random.Random(SEED)
    bare = [replace(one, head_type="", tail_type="") for one in plan.constraints]
    return replace(
        plan,
        constraints=tuple(replace(one, head=one.tail, tail=one.head) if order.random() < 0.4 else one for one in bare),
    )


# -- training ---------------------------------------------------------------------------------------------------------


def fit(pools: Sequence[Pool]) -> Network:
    """A network of one hidden layer by binary cross-entropy."""
    torch.manual_seed(SEED)
    x = torch.tensor(np.concatenate([one.features for one in pools]), dtype=torch.float32)
    y = torch.tensor(np.concatenate([one.labels for one in pools]), dtype=torch.float32)
    w = torch.tensor(np.concatenate([np.full(len(one.labels), one.weight) for one in pools]), dtype=torch.float32)
    mean, scale = x.mean(0), x.std(0) + 1e-3
    x = (x - mean) / scale
    first, last = torch.nn.Linear(x.shape[1], HIDDEN), torch.nn.Linear(HIDDEN, 1)
    parameters = [*first.parameters(), *last.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * (len(x) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x)).split(BATCH):
            logits = last(functional.relu(first(x[rows])))[:, 0]
            loss = functional.binary_cross_entropy_with_logits(logits, y[rows], weight=w[rows])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    layers = (mean, scale, first.weight, first.bias, last.weight[0], last.bias)
    return Network(tuple(one.detach().numpy() for one in layers))


def folds(pools: Sequence[Pool]) -> list[Network]:
    """One network for each fold, fitted on the questions of the others."""
    return [fit([one for one in pools if fold_of(one.question) != fold]) for fold in range(FOLDS)]


def report_triples(pools: Sequence[Pool], networks: Sequence[Network]) -> None:
    """What the sufficiency check makes of the folds' scores."""
    params = ConstraintParams()
    rows = []
    for one in (pool for pool in pools if pool.kind in ("facts", "wrong")):
        scores = networks[fold_of(one.question)].logits(one.features)
        order = np.argsort(-scores, kind="stable")[: params.kept]
        n_eff = effective_number([float(scores[at]) for at in order])
        rows.append(
            (one.kind == "facts", n_eff, scores[order[0]], one.labels[order[0]], one.labels.any(), one.says[order[0]])
        )
    stated, n_eff, best, right, held, says = (np.array(column) for column in zip(*rows, strict=True))
    print(f"{int(stated.sum())} gold triples; the right one among R: {held[stated].mean():.3f}", end="; ")
    print(f"the best is right: {right[stated].mean():.3f}")
    for gamma in GAMMAS:
        taken = (n_eff <= gamma) & (best >= params.min_log_odds) & (says > 0)
        print(
            f"gamma {gamma}: resolved {taken[stated].mean():.3f}, of those right {right[stated & taken].mean():.3f}; "
            f"of wrong relations resolved {taken[~stated].mean():.3f}"
        )
    report_calibration("triples", [one for one in pools if one.kind != "wrong"], networks)


def report_calibration(name: str, pools: Sequence[Pool], networks: Sequence[Network]) -> None:
    """The mean distance of stated chances and observed shares over ten bins, weighed by their candidates."""
    logits = np.concatenate([networks[fold_of(one.question)].logits(one.features) for one in pools])
    labels = np.concatenate([one.labels for one in pools])
    chances = 1 / (1 + np.exp(-logits))
    bins = np.minimum((chances * 10).astype(int), 9)
    gaps = [abs(chances[bins == at].mean() - labels[bins == at].mean()) * (bins == at).mean() for at in set(bins)]
    loss = -np.mean(labels * np.log(chances + 1e-9) + (1 - labels) * np.log(1 - chances + 1e-9))
    print(f"{name}: {len(labels)} candidates, {labels.mean():.3f} right; log loss {loss:.3f}, error {sum(gaps):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("CLEW_DATA", "../shared/data")))
    parser.add_argument("--work", type=Path, default=Path("build/train"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    sets: dict[str, tuple[KnowledgeBase, list[dict[str, Any]]]] = {}
    for name in FOLDERS:
        path = options.work / f"{name}.clew"
        build([str(options.data / name / "corpus.jsonl")], path)
        lines = (options.data / name / "questions.jsonl").read_text("utf-8").splitlines()
        sets[name] = KnowledgeBase.open(path), [one for one in map(json.loads, lines) if one.get("supporting")]
    pools = triple_pools(*sets["2wiki-train"])
    for name in ("hotpotqa-train", "musique-train"):
        pools += weak_pools(*sets[name], FOLDERS[name])
    by_fold = folds(pools)
    report_triples(pools, by_fold)
    triples, nothing = fit(pools), _nothing()
    # The folds' own triple networks: what the passages' network sees of facts must be as good as it will be, no better.
    scorers = [TrainedReranker(one, nothing) for one in by_fold]
    found = []
    for name, (kb, questions) in sets.items():
        own = passage_pools(kb, questions, FOLDERS[name], lambda number: scorers[fold_of(number)])
        found += own
    passages_by_fold = folds(found)
    report_calibration("passages", found, passages_by_fold)
    for fold, networks in enumerate(zip(by_fold, passages_by_fold, strict=True)):
        save(*networks, fold_file(options.work, fold, SCORES))
    save(triples, fit(found), SCORES)
    print(f"wrote {SCORES.name}, {SCORES.stat().st_size:,} bytes")


def _nothing() -> Network:
    from tools.relations.passage_measures import PASSAGE_FEATURES

    size = len(PASSAGE_FEATURES)
    shapes = ((size,), (size,), (1, size), (1,), (1,), (1,))
    return Network(tuple(np.ones(shape, dtype=np.float32) for shape in shapes))


def save(triples: Network, passages: Network, path: Path) -> None:
    """Write the arrays that tools/relations/reranker.py reads."""
    arrays = {
        f"{kind}_{at}": layer
        for kind, network in (("triples", triples), ("passages", passages))
        for at, layer in enumerate(network.layers)
    }
    np.savez(path, **arrays)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
