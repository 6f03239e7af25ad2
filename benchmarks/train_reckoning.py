"""Train what tells a question for a number that has to be worked out from one for a number that a document tells.

    python -m benchmarks.train_reckoning [-o tools/reading/reckoning.npz]

Read are questions for an amount of the collections whose questions may be looked at: those of `folders/` are to be
worked out where no file of their folder has the answer, the others are told by their quotes. Prints, by five folds over
sets, how many of those above some probabilities are to be worked out, and the area under the curve.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.reading.reckoning import WEIGHTS, question_words

COLLECTIONS = Path(__file__).parent / "collections"
TOLD = ("choosing", "from_memory", "from_memory_choosing", "strangers_choosing")
LEAST, PENALTY, FOLDS, STEPS = 3, 3.0, 5, 12
"""Questions that a word has to be in; what the squares of the weights cost; folds; steps of Newton's method."""
LEVELS = (0.1, 0.2, 0.5)

_ASKS = re.compile(r"\b(?:how (?:much|many|long|old|far)|what|total|sum|number|price|cost)\b", re.I)
_NO_AMOUNT = re.compile(
    r"\b(?:phone|mobile|number to ring|code|what day|what date|what time|which day|when|room|address|email|birthday"
    r"|year)\b",
    re.I,
)
_NUMBER = re.compile(r"\d[\d,. ]*\d|\d")


class Question(NamedTuple):
    """The set that it is from, its words, and whether its number has to be worked out."""

    source: str
    words: frozenset[str]
    is_reckoned: bool


def _asks_amount(asked: dict[str, Any]) -> bool:
    question = asked["question"]
    is_number = any(_NUMBER.search(one) for one in asked["answers"])
    return is_number and bool(_ASKS.search(question)) and not _NO_AMOUNT.search(question)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _bare(number: str) -> str:
    return number.replace(",", "").replace(" ", "").rstrip(".")


def _of_folders() -> Iterator[Question]:
    for path in sorted((COLLECTIONS / "folders").glob("*.jsonl")):
        files = (one for one in sorted(path.with_suffix("").rglob("*")) if one.is_file())
        text = "\n".join(one.read_text(encoding="utf-8", errors="ignore") for one in files)
        numbers, low = {_bare(one.group()) for one in _NUMBER.finditer(text)}, text.lower()
        for asked in filter(_asks_amount, _lines(path)):
            answers = filter(_NUMBER.search, asked["answers"])
            is_told = any(
                one.lower() in low or all(_bare(part.group()) in numbers for part in _NUMBER.finditer(one))
                for one in answers
            )
            yield Question(path.stem, question_words(asked["question"]), not is_told)


def _told() -> Iterator[Question]:
    for name in TOLD:
        for path in sorted((COLLECTIONS / name).glob("*.jsonl")):
            for asked in filter(_asks_amount, _lines(path)):
                if asked["type"] == "plain" and asked["answers"][0].lower() in asked["quote"].lower():
                    yield Question(f"{name}/{path.stem}", question_words(asked["question"]), False)


def _matrix(questions: Sequence[Question], words: Sequence[str]) -> NDArray[np.float64]:
    places = {word: at for at, word in enumerate(words)}
    made = np.zeros((len(questions), len(words) + 1))
    made[:, -1] = 1.0
    for row, one in enumerate(questions):
        made[row, [places[word] for word in one.words if word in places]] = 1.0
    return made


def train(questions: Sequence[Question]) -> tuple[list[str], NDArray[np.float64]]:
    """The words that count and their weights, with the offset behind them, by Newton's method."""
    counts = Counter(word for one in questions for word in one.words)
    words = sorted(word for word, count in counts.items() if count >= LEAST)
    rows, is_reckoned = _matrix(questions, words), np.array([one.is_reckoned for one in questions], dtype=np.float64)
    penalty = np.eye(len(words) + 1) * PENALTY
    penalty[-1, -1] = 1e-6
    weights = np.zeros(len(words) + 1)
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-rows @ weights))
        curvature = (rows.T * (chances * (1 - chances) + 1e-6)) @ rows + penalty
        weights -= np.linalg.solve(curvature, rows.T @ (chances - is_reckoned) + penalty @ weights)
    return words, weights


def _crossed(questions: Sequence[Question]) -> NDArray[np.float64]:
    sources = sorted({one.source for one in questions})
    fold = {source: at % FOLDS for at, source in enumerate(sources)}
    chances = np.zeros(len(questions))
    for out in range(FOLDS):
        held = np.array([fold[one.source] == out for one in questions])
        words, weights = train([one for one, is_held in zip(questions, held, strict=True) if not is_held])
        kept = [one for one, is_held in zip(questions, held, strict=True) if is_held]
        chances[held] = 1 / (1 + np.exp(-_matrix(kept, words) @ weights))
    return chances


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    questions = [*_of_folders(), *_told()]
    chances = _crossed(questions)
    is_reckoned = np.array([one.is_reckoned for one in questions])
    is_folder = np.array(["/" not in one.source for one in questions])
    for name, some in (("all", np.ones(len(questions), dtype=bool)), ("folders", is_folder)):
        told, chance = is_reckoned[some], chances[some]
        ranks = np.argsort(np.argsort(chance, kind="stable"), kind="stable")
        count = int(told.sum())
        area = (ranks[told].sum() - count * (count - 1) / 2) / (count * (len(told) - count))
        above = [
            f"{int(told[chance >= least].sum())} of {int((chance >= least).sum())} from {least}" for least in LEVELS
        ]
        print(f"{name}: {count} of {len(told)} reckoned; area {area:.3f}; {', '.join(above)}")
    words, weights = train(questions)
    np.savez_compressed(
        arguments.out,
        words=np.array(words),
        weights=weights[:-1].astype(np.float32),
        offset=np.float32(weights[-1]),
    )
    print(f"{len(words)} words -> {arguments.out}")


if __name__ == "__main__":
    main()
