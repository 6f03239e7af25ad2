"""Train what weighs the sections of a manual for "how do I …" and "which option …" (`tools/reading/procedures.py`).

    python -m benchmarks.train_procedures RECORDED.pkl … [--kept] [-o tools/reading/procedures.npz]
    python -m benchmarks.train_procedures --record FILE.clew QUESTIONS.jsonl -o RECORDED.pkl

A recording has each such question of a file with its sentences and what both readers make of their sections. Right is a
sentence where it, its heading or those told beside it have an accepted phrase, letter for letter. Each file's questions
are answered by a model that was trained on the others', and from that it is told how often which confidence is right.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.agent.offline import extracted_answer as extraction
from assistant.conversations.session import Session, final_reply
from benchmarks.own_questions import is_said
from benchmarks.record_questions import _unread
from tools.reading.guess import ReaderPair, ReadOnce
from tools.reading.procedures import (
    FEATURES,
    Model,
    asks_for_way,
    features_of,
    read_sections,
    sections_of,
    shares_of,
    told_of,
)
from tools.reading.reader import load_reader
from tools.reading.second_reader import read_again
from tools.reading.told import Sentence

STEPS, RATE, DECAY = 400, 0.05, 0.1
OUT = Path("tools/reading/procedures.npz")


@dataclass(frozen=True)
class Asked:
    """A question with its sentences, what speaks for each, and which tell it (0 or 1), shape (sentences,)."""

    source: str
    question: str
    sentences: Sequence[Sentence]
    features: NDArray[np.float64]
    tells: NDArray[np.float64]


def record(file: Path, questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The sentences from which each question for a way would be answered, and what the readers make of them."""
    kept: list[dict[str, Any]] = []
    readers = ReaderPair(ReadOnce(load_reader().read), ReadOnce(read_again))
    own, seen = (extraction._to_read, extraction.load_reader, extraction.read_again), {}

    def remembering(kb: Any, workspace: Any) -> Any:
        hits = own[0](kb, workspace)
        seen[workspace.question] = extraction.sentences_of(kb, workspace.standalone, hits)
        return hits

    async def ask() -> None:
        with Session.open(file) as session:
            for asked in questions:
                if asks_for_way(asked["question"]):
                    await final_reply(session, asked["question"])
                    session.resume(())

    extraction._to_read = remembering
    extraction.load_reader, extraction.read_again = lambda: SimpleNamespace(read=_unread), _unread  # type: ignore
    try:
        asyncio.run(ask())
    finally:
        extraction._to_read, extraction.load_reader, extraction.read_again = own
    for asked in questions:
        if sentences := seen.get(asked["question"]):
            read = read_sections(asked["question"], sentences, readers)
            kept.append({"asked": asked, "sentences": sentences, "read": read})
    return kept


def load(path: Path) -> list[Asked]:
    made = []
    for one in pickle.loads(path.read_bytes()):
        sentences, asked = one["sentences"], one["asked"]
        features = features_of(asked["question"], sentences, one["read"])
        tells = np.array(tells_of(asked, sentences), dtype=np.float64)
        made.append(Asked(path.stem, asked["question"], sentences, features, tells))
    return made


def tells_of(asked: dict[str, Any], sentences: Sequence[Sentence]) -> list[bool]:
    """Whether each sentence, told with those around it, has an accepted phrase."""
    tells = [False] * len(sentences)
    for section in sections_of(sentences).values():
        for place, at in enumerate(section):
            shown = section[max(0, place - 1) :][:6]
            text = " ".join([sentences[at].subject, *(sentences[one].text for one in shown)])
            tells[at] = any(is_said(text, phrase) for phrase in asked["answers"])
    return tells


def train(asked: Sequence[Asked]) -> Model:
    """Weights by gradient descent (Adam) on the likelihood that a sentence that tells, or none, is chosen."""
    every = np.concatenate([one.features for one in asked])
    mean, spread = every.mean(axis=0), every.std(axis=0) + 1e-6
    inputs = [(one.features - mean) / spread for one in asked]
    weights, first, second = (np.zeros(len(FEATURES) + 1) for _ in range(3))
    for step in range(1, STEPS + 1):
        slope = DECAY * weights
        for one, rows in zip(asked, inputs, strict=True):
            scores = np.append(rows @ weights[:-1], weights[-1])
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            wanted = shares * np.append(one.tells, float(not one.tells.any()))
            error = (shares - wanted / wanted.sum()) / len(asked)
            slope += np.append(rows.T @ error[:-1], error[-1])
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        weights = weights - RATE * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return Model(weights[:-1], float(weights[-1]), mean, spread, 1.0, 0.0)


def outcomes(model: Model, asked: Sequence[Asked]) -> list[tuple[float, bool]]:
    """For each question, what is held for the section that is told, and whether that tells it."""
    made = []
    for one in asked:
        shares = shares_of(model, one.features)
        made.append((told_of(one.sentences, shares, model).confidence, bool(one.tells[int(shares.argmax())])))
    return made


def fitted(told: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """Slope and shift of the log-odds by which confidences are as often right as they say (Platt 1999)."""
    odds = np.array([math.log(share / (1 - share)) for share, _ in told])
    right = np.array([float(is_right) for _, is_right in told])
    slope, shift = 1.0, 0.0
    for _ in range(3_000):
        error = 1 / (1 + np.exp(-(slope * odds + shift))) - right
        slope, shift = slope - 0.1 * float((error * odds).mean()), shift - 0.1 * float(error.mean())
    return slope, shift


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--record", action="store_true", help="record a knowledge base's questions")
    parser.add_argument("--kept", action="store_true", help="measure the model that there is, and train none")
    parser.add_argument("-o", "--out", type=Path, default=OUT)
    options = parser.parse_args()
    if options.record:
        file, questions = options.files
        asked = [json.loads(line) for line in questions.read_text("utf-8").splitlines()]
        options.out.write_bytes(pickle.dumps(record(file, asked)))
        return
    loaded = {path.stem: load(path) for path in options.files}
    if options.kept:
        from tools.reading.procedures import load_model

        tell([one for asked in loaded.values() for one in outcomes(load_model(), asked)])
        return
    told: list[tuple[float, bool]] = []
    for source, asked in loaded.items():
        others = [one for name, some in loaded.items() if name != source for one in some]
        told += outcomes(train(others), asked)
    model = train([one for asked in loaded.values() for one in asked])
    slope, shift = fitted(told)
    tell([(1 / (1 + math.exp(-(slope * math.log(share / (1 - share)) + shift))), right) for share, right in told])
    model = replace(model, slope=slope, shift=shift)
    np.savez(
        options.out, weights=model.weights, none=model.none, mean=model.mean, spread=model.spread, slope=slope,
        shift=shift,
    )  # fmt: skip


def tell(told: Sequence[tuple[float, bool]]) -> None:
    print(f"{sum(right for _, right in told)} of {len(told)} by the likeliest section")
    for low in (0.0, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9):
        given = [right for share, right in told if share >= low]
        print(f"from {low:.2f} on {sum(given)} of {len(given)}")


if __name__ == "__main__":
    main()
