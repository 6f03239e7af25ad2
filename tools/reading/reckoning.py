"""Whether what a question asks for stands in no document and has to be worked out from what does: what is left to pay,
one's own share, what so many of something come to.

A logistic regression over the words of the question and its pairs of neighbouring words. No rule says it: people ask
for such numbers in as many ways as for those that are told ("What will the wool for the wall come to?").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

WEIGHTS = Path(__file__).with_name("reckoning.npz")

RECKONED = 0.2
"""Probability from which an amount that is read off a line is not given: of five that were, four were wrong
(docs/results.md).
"""

_LONGEST = 400
_DIGIT = re.compile(r"\d")
_AMOUNT = re.compile(r"\W*(?:(?:about|around|over|under|nearly|only|just|almost) )?(?:GBP|EUR|USD|CHF)? ?\d", re.I)
_ASKS_MUCH = re.compile(r"\bhow (?:much|many)\b|\b(?:costs?|comes?|come) to\b|\bcost\b", re.I)
_STATED = re.compile(
    r"\b(?:totals?|sum|al ?together|overall|in all|so far|left|remain\w*|balance|outstanding|owes?|owed|owing|due)\b",
    re.I,
)
"""What a line says that tells such a number itself."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d[\d.,:]*|[£€$]")
_NUMBER, _NAME, _FIRST, _LAST = "#", "<name>", "<first>", "<last>"


def question_words(question: str) -> frozenset[str]:
    """What a question is judged by: its words and pairs of neighbours; all numbers are one word, all names another."""
    words = [_FIRST]
    for at, match in enumerate(_WORD.finditer(question[:_LONGEST])):
        word = match.group().replace("’", "'")
        if word[0] in "£€$" or word[0].isdigit():
            words.append(_NUMBER)
        else:
            words.append(_NAME if at and word[0].isupper() and len(word) > 1 else word.lower())
    words.append(_LAST)
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    return frozenset((*words[1:-1], *pairs))


@lru_cache(maxsize=1)
def _load() -> tuple[Mapping[str, float], float]:
    with np.load(WEIGHTS) as arrays:
        weights = dict(zip(arrays["words"].tolist(), arrays["weights"].tolist(), strict=True))
        return weights, float(arrays["offset"])


def chance_of_reckoning(question: str) -> float:
    """How likely (0..1) a question for a number asks for one that has to be worked out; of a text without a known word
    as likely as of one that says nothing.
    """
    weights, offset = _load()
    # Summed in a fixed order, as the sum of floats depends on it and that of a set on the process.
    total = offset + sum(weights.get(word, 0.0) for word in sorted(question_words(question)))
    return float(1 / (1 + np.exp(-total)))


def is_reckoned(question: str, text: str, told: str) -> bool:
    """Whether an amount is asked for that has to be worked out, and what was found is an amount, or a sentence with one
    where it is asked how much, and the line tells no such one itself: `text` is what was found, `told` the line.
    """
    is_amount = _AMOUNT.match(text) or (_ASKS_MUCH.search(question[:_LONGEST]) and _DIGIT.search(text))
    return bool(is_amount) and not _STATED.search(told) and chance_of_reckoning(question) >= RECKONED
