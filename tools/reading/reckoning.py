"""Whether what a question asks for stands in no document and has to be worked out from what does: what is left to pay,
one's own share, what so many of something come to.

Some say so outright. Of the others a logistic regression over the words of the question and its pairs of neighbouring
words tells: people ask for such numbers in as many ways as for those that are told ("What will the wool for the wall
come to?").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from tools.answer_rules.values import find_dates

WEIGHTS = Path(__file__).with_name("reckoning.npz")

RECKONED = 0.2
"""Probability from which an amount that is read off a line is not given: of five that were, four were wrong
(docs/results.md).
"""

_LONGEST = 400
_DAY = 40
"""Characters of a text that is a day, with its time."""
_DIGIT = re.compile(r"\d")
_AMOUNT = re.compile(r"\W*(?:(?:about|around|over|under|nearly|only|just|almost) )?(?:GBP|EUR|USD|CHF)? ?\d", re.I)
_ASKS_MUCH = re.compile(r"\bhow (?:much|many)\b|\b(?:costs?|comes?|come) to\b|\bcost\b", re.I)
_STATED = re.compile(
    r"\b(?:totals?|sum|al ?together|overall|in all|so far|left|remain\w*|balance|outstanding|owes?|owed|owing|due)\b",
    re.I,
)
"""What a line says that tells such a number itself."""
_HELD = re.compile(r"\bin (?:the )?(?:bank|hand|kitty|pot|till|(?:[\w-]+ )?(?:account|fund))\b", re.I)
"""What a line says that tells how much there is."""
_AFTERWARDS = re.compile(r"\b(?:after|once|when)\b", re.I)
_SOME = r"(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|\d+)"
_SEVERAL_TOGETHER = re.compile(
    rf"\b(?:does|do|would|will|did) (?:the )?{_SOME} (?:[\w-]+ ){{1,6}}(?:cost|come to|weigh|take|make|pay)\b.*"
    r"\b(?:together|al ?together|in total|all in)\b",
    re.I,
)
_AND_BESIDES = re.compile(r"\b(?:plus|on top of)\b.*\b(?:together|al ?together|in total|in all|all in)\b", re.I)
_IF_SO_MANY = re.compile(rf"\W*(?:and )?if (?:[\w'’-]+ ){{0,4}}{_SOME}\b.*\b(?:what|how much|how many)\b", re.I)
_LEFT_OVER = re.compile(
    r"\b(?:by how much|how much (?:more|less|longer|over|under)|how many (?:more|fewer)"
    r"|how (?:much|many)(?: [\w-]+){1,3} (?:more|less|fewer)\b(?=.*\bthan\b)"
    r"|still (?:has|have|got|need)?s? ?to (?:pay|give|come|lose|find|raise)"
    r"|what(?:['’]s| is| was) left(?: over)?)\b",
    re.I,
)
_SAYS_LEFT = re.compile(
    r"\b(?:by|more|less|fewer|longer|over|under|left|remain\w*|still|rest|balance|outstanding|after)\b", re.I
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d[\d.,:]*|[£€$]")
_NUMBER, _NAME, _FIRST, _LAST = "#", "<name>", "<first>", "<last>"


def asks_to_reckon(question: str, told: str) -> bool:
    """Whether what is asked for has to be worked out of what a passage tells: what three of something cost together,
    what it would be if there were so many, by how much one is more, or what is left when the rest is taken off.
    """
    if _LEFT_OVER.search(question):
        return not _SAYS_LEFT.search(told)
    return any(asks.search(question) for asks in (_SEVERAL_TOGETHER, _AND_BESIDES)) or bool(_IF_SO_MANY.match(question))


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
    where it is asked how much, and the line tells no such one itself: `text` is what was found, `told` the line. A day
    is no amount.
    """
    if (dates := find_dates(text)) and dates[0].month and dates[0].start == 0 and len(text) <= _DAY:
        return False
    if _HELD.search(told) and not _AFTERWARDS.search(question):
        return False
    is_amount = _AMOUNT.match(text) or (_ASKS_MUCH.search(question[:_LONGEST]) and _DIGIT.search(text))
    return bool(is_amount) and not _STATED.search(told) and chance_of_reckoning(question) >= RECKONED
