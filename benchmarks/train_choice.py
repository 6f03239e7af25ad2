"""Train the choice among candidates and the probability that it is right, from questions that the reader has not seen.

    python -m benchmarks.train_choice RECORDED... -o tools/reading/choice.npz [--check] [--tune] [--part claims]

RECORDED are files of `benchmarks/record_questions.py`: what was asked, planned and found; the reading is done here.
`--check` cross-validates over the questions, five folds, and prints how right the answers are by probability. `--tune`
begins with what OUT holds and stays near it: for readers that have changed a little, or more ways of asking.
"""

from __future__ import annotations

import argparse
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from assistant.evaluation.evaluate import best_f1, contains_answer, exact_match, normalise
from tools.reading.answer_form import answer_form
from tools.reading.choice import ChoiceModel, Place, likeliest, load_choice, place_of
from tools.reading.considering import consider
from tools.reading.guess import ReadOnce
from tools.reading.reader import load_reader
from tools.reading.reading_order import reading_order
from tools.reading.second_reader import load_second_reader
from tools.reading.telling import offer, told_features
from tools.reading.yes_or_no import is_yesno

Floats = NDArray[np.float32]
Train = Callable[[Sequence["Asked"]], dict[str, Floats]]
SIDES = ("yes", "no")
UNITS, LAYERS, STEPS, FOLDS = 16, 6, 150, 5
SMALL = 2e-2
# How much the squares of the weights cost: chosen by cross-validated likelihood among 3e-3, 1e-2 and 2e-2.
TUNED, TUNED_CLAIMS = 3e-2, 0.1
# How much the squares of the distances from the weights that tuning begins with cost: of 1e-3 to 0.3 the likeliest.
ARTICLES, ARTICLES_COUNT = ("2wiki-all", "hotpotqa-train", "musique-train"), 3.0
KINDS, KINDS_COUNT = "kinds", 3.0
# Of questions for yes or no those count thrice that are asked as people ask them: the sets whose names begin so.
WITHOUT, QUOTED = 4, 0.75
# Of each fourth question the sentences that tell are left out once more; share of the quoted words that a sentence has.
PARTS = ("span", "compared", "claims", "told")
# The sets of several hops over encyclopaedia articles are three of 37. Where they count like any other, fewer of their
# answers are right, and of those over people's documents no more.


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: its set, the vectors of its candidates, and how right each is (0..1)."""

    source: str
    part: str
    spans: tuple[Place, ...]
    features: Floats
    right: Floats
    exact: Floats


def rightness(text: str, gold: Sequence[str]) -> tuple[float, float]:
    """How right an answer is to train on (less where it says too much or too little), and whether it is exactly so."""
    if not gold:
        return 0.0, 0.0
    if exact_match(text, gold):
        return 1.0, 1.0
    f1 = best_f1(text, gold)
    overlaps = contains_answer(text, gold) or any(contains_answer(one, [text]) for one in gold)
    return (0.9 if overlaps and f1 >= 0.5 else 0.5 if overlaps and f1 >= 0.25 else 0.0), 0.0


def consider_all(path: Path) -> list[Asked]:
    """Every recorded question with its candidates weighed; those of which nothing was found are left out."""
    read, read_again = load_reader().read, load_second_reader().read
    made = []
    for place, one in enumerate(pickle.loads(path.read_bytes())):
        made += _told(path.stem, one, without=place % WITHOUT == 0)
        if not one["last"]:
            continue
        question, plan, passages, bindings, before = one["last"]
        gold = one["q"]["answers"]
        gold = [gold] if isinstance(gold, str) else gold
        once = ReadOnce(read)
        if before:
            passages = [passages[at] for at in reading_order(question, passages, before, once)]
        considered = consider(question, plan, passages, bindings, once, ReadOnce(read_again))
        if considered.judged is not None:
            judged = considered.judged
            if is_yesno(question) and judged.by_reading and judged.weighed is not None:
                sides = np.array([gold[:1] == [side] for side in SIDES], dtype=np.float32)
                features = judged.weighed.features
                made.append(Asked(path.stem, "claims", tuple(map(Place, SIDES)), features, sides, sides))
                continue
            spans, features, part = (Place(judged.text),), judged.features[None, :], "compared"
            if not judged.text:
                continue
        elif considered.candidates:
            spans = tuple(place_of(c.found, answer_form(question, plan, c.found)) for c in considered.candidates)
            features, part = np.stack([c.features for c in considered.candidates]), "span"
        else:
            continue
        told = np.array([rightness(text, gold) for text in (span.text for span in spans)], dtype=np.float32)
        made.append(Asked(path.stem, part, spans, features, told[:, 0], told[:, 1]))
    return made


def _told(source: str, one: dict[str, Any], *, without: bool) -> list[Asked]:
    """The sentences that might tell why, how or what happened, and, `without` the ones that do, the others alone."""
    kind, question, sentences = one.get("told") or ("", "", ())
    offered = offer(kind, question, sentences) if kind in ("why", "how", "happened") else []
    if not offered:
        return []
    right = [_tells(sentence.text, one["q"]) for sentence in offered]
    sets = [(offered, right)]
    if without and any(right) and not all(right):
        sets.append(
            ([said for said, tells in zip(offered, right, strict=True) if not tells], [False] * right.count(False))
        )
    made = []
    for some, tells in sets:
        told = np.array(tells, dtype=np.float32)
        places = tuple(Place(str(place)) for place in range(len(some)))
        made.append(Asked(source, "told", places, told_features(kind, question, some), told, told))
    return made


def _tells(sentence: str, asked: dict[str, Any]) -> bool:
    """Whether a sentence has an accepted phrase, or most of the words that are quoted as the answer's."""
    said, quoted = set(normalise(sentence).split()), set(normalise(asked.get("quote", "")).split())
    is_quoted = len(quoted) > 3 and len(said & quoted) > QUOTED * min(len(said), len(quoted))
    return bool(asked["answers"]) and (contains_answer(sentence, asked["answers"]) or is_quoted)


def fit(asked: Sequence[Asked]) -> dict[str, Floats]:
    """Weights of the hidden layer, by cross-entropy over each question's candidates and "none of them".

    What is right in part counts in part, and leaves the rest to "none". A set of questions counts as much as the square
    root of its size. Several small layers, each trained on a draw of the questions with replacement, stand side by
    side, and the mean of their scores is the score: alone each one follows the few questions that it has seen too far.
    """
    features, right, there = _padded(asked)
    weight = _weights(asked)
    mean, scale = features[there].mean(0), features[there].std(0) + 1e-2
    x = torch.from_numpy(np.asarray((features - mean) / scale, dtype=np.float32))
    draw = np.random.default_rng(0)
    layers = []
    for seed in range(LAYERS):
        drawn = np.bincount(draw.integers(0, len(asked), len(asked)), minlength=len(asked))
        counted = torch.from_numpy(np.asarray(weight * drawn, dtype=np.float32))
        layers.append(_fit_layer(seed, x, torch.from_numpy(right), torch.from_numpy(there), counted))
    found = {
        "mean": mean,
        "scale": scale,
        "hidden": np.concatenate([first.weight.detach().numpy().T for first, _ in layers], axis=1),
        "hidden_offset": np.concatenate([first.bias.detach().numpy() for first, _ in layers]),
        "out": np.concatenate([last.weight.detach().numpy()[0] for _, last in layers]) / LAYERS,
        "out_offset": np.mean([last.bias.item() for _, last in layers]),
    }
    return {name: np.asarray(array, dtype=np.float32) for name, array in found.items()}


def tune(asked: Sequence[Asked], model: ChoiceModel) -> dict[str, Floats]:
    """The weights of a model that has been fitted, moved as little as these questions ask for (`TUNED`).

    Features that were not there when it was fitted stand behind the others, and begin with counting nothing.
    """
    features, right, there = map(torch.from_numpy, _padded(asked))
    model = _grown(model, features[there].numpy())
    weight = torch.from_numpy(np.asarray(_weights(asked), dtype=np.float32))
    x = (features - torch.from_numpy(model.mean)) / torch.from_numpy(model.scale)
    # What a unit counts is kept divided by the layers: its distance is that of the layer's own weight.
    names, counts = ("hidden", "hidden_offset", "out", "out_offset"), (1, 1, LAYERS, LAYERS)
    begun = [torch.as_tensor(getattr(model, name)).clone() for name in names]
    cost = TUNED_CLAIMS if asked[0].part == "claims" else TUNED
    moved = [one.clone().requires_grad_() for one in begun]
    optimiser = torch.optim.Adam(moved, lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for _ in range(STEPS):
        hidden, hidden_offset, out, out_offset = moved
        scores = (torch.tanh(x @ hidden + hidden_offset) @ out + out_offset).masked_fill(~there, -1e4)
        far = [((now - then) * count).square().sum() for now, then, count in zip(moved, begun, counts, strict=True)]
        loss = (_errors(scores, right) * weight).mean() + cost / LAYERS * torch.stack(far).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    found = {name: one.detach().numpy() for name, one in zip(names, moved, strict=True)}
    return {"mean": model.mean, "scale": model.scale, **found}


def _grown(model: ChoiceModel, rows: Floats) -> ChoiceModel:
    """The same model over all features that the rows have."""
    new = rows[:, len(model.mean) :]
    return replace(
        model,
        mean=np.concatenate([model.mean, new.mean(0)]),
        scale=np.concatenate([model.scale, new.std(0) + 1e-2]),
        hidden=np.concatenate([model.hidden, np.zeros((new.shape[1], model.hidden.shape[1]), dtype=np.float32)]),
    )


def _weights(asked: Sequence[Asked]) -> NDArray[np.float64]:
    """How much each question counts, on average 1: a set as much as the square root of its size."""
    sizes = Counter(one.source for one in asked)
    weight = np.array([_count(one) * sizes[one.source] ** -0.5 for one in asked])
    return np.asarray(weight / weight.mean(), dtype=np.float64)


def _count(one: Asked) -> float:
    """How often a question counts."""
    if one.part == "claims" and one.source.startswith(KINDS):
        return KINDS_COUNT
    return ARTICLES_COUNT if one.source in ARTICLES else 1.0


def _fit_layer(
    seed: int, x: torch.Tensor, right: torch.Tensor, there: torch.Tensor, weight: torch.Tensor
) -> tuple[torch.nn.Linear, torch.nn.Linear]:
    """One hidden layer and what its units count; `x` is of shape (questions, candidates, features)."""
    torch.manual_seed(seed)
    first, last = torch.nn.Linear(x.shape[-1], UNITS), torch.nn.Linear(UNITS, 1)
    net = torch.nn.Sequential(first, torch.nn.Tanh(), last)
    optimiser = torch.optim.Adam(net.parameters(), lr=0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for _ in range(STEPS):
        scores = net(x)[..., 0].masked_fill(~there, -1e4)
        size = first.weight.square().sum() + last.weight.square().sum()
        loss = (_errors(scores, right) * weight).mean() + SMALL * size
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return first, last


def _padded(asked: Sequence[Asked]) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Features (questions, candidates, features), how right each candidate is, and which are there at all."""
    most = max(len(one.right) for one in asked)
    features = np.zeros((len(asked), most, asked[0].features.shape[1]), dtype=np.float32)
    right, there = np.zeros((len(asked), most), dtype=np.float32), np.zeros((len(asked), most), dtype=bool)
    for i, one in enumerate(asked):
        features[i, : len(one.right)], right[i, : len(one.right)] = one.features, one.right
        there[i, : len(one.right)] = True
    return features, right, there


def _errors(scores: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of each question: all candidates that are right count together, by how right they are."""
    nothing = torch.zeros(len(scores), 1)
    total = torch.logsumexp(torch.cat([scores, nothing], dim=1), dim=1)
    best = right.max(dim=1).values
    shares = torch.where(right > 0, torch.log((right / best.clamp_min(1e-6)[:, None]).clamp_min(1e-6)), -1e4)
    found = torch.logsumexp(scores + shares, dim=1) - total
    return -(best * torch.where(best > 0, found, torch.zeros_like(found)) - (1 - best) * total)


def check(asked: Sequence[Asked], train: Train) -> None:
    """Cross-validated: of each set, the share right of all, and of the answers from each probability on."""
    order = np.random.default_rng(0).permutation(len(asked))
    told: list[tuple[str, float, float, float]] = []
    for fold in range(FOLDS):
        out = set(order[fold::FOLDS].tolist())
        model = ChoiceModel(**train([one for i, one in enumerate(asked) if i not in out]))
        for i in sorted(out):
            one = asked[i]
            best, together = likeliest(model.probabilities(one.features), one.spans)
            told.append((one.source, together, float(one.exact[best]), float(one.right[best] > 0)))
    for source in ["all", *sorted({one[0] for one in told})]:
        of = sorted((one for one in told if source in ("all", one[0])), key=lambda one: -one[1])
        exact, containing = np.mean([one[2] for one in of]), np.mean([one[3] for one in of])
        print(f"{source}: {len(of)} questions, exact {exact:.3f}, containing {containing:.3f}")
        for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
            some = [one for one in of if one[1] >= least]
            if some:
                print(
                    f"   from {least}: {len(some) / len(of):.2f} answered, exact {np.mean([o[2] for o in some]):.2f}, "
                    f"containing {np.mean([o[3] for o in some]):.2f}, said {np.mean([o[1] for o in some]):.2f}"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", type=Path, nargs="+")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--part", choices=PARTS, action="append", help="train this part alone, and keep the others")
    parser.add_argument("--tune", action="store_true", help="begin with what OUT holds")
    arguments = parser.parse_args()
    asked = [one for path in arguments.recorded for one in consider_all(path)]
    arrays = dict(np.load(arguments.out)) if arguments.out.exists() else {}
    for part in arguments.part or PARTS:
        of = [one for one in asked if one.part == part]
        if not of:
            continue
        print(part, len(of), "questions")
        train: Train = partial(tune, model=load_choice(part, arguments.out)) if arguments.tune else fit
        if arguments.check:
            check(of, train)
        arrays |= {f"{part}_{name}": array for name, array in train(of).items()}
    np.savez(arguments.out, **arrays)


if __name__ == "__main__":
    main()
