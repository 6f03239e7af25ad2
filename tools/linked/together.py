"""What two lines that share a name say when they are read as one text, and how likely the likeliest of it is right."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.answer_rules.text import words
from tools.linked.line_pool import Line, LinePool
from tools.linked.pairing import link
from tools.planning.plan import Plan
from tools.reading.abbreviated import Read
from tools.reading.reckoning import asks_to_reckon, is_reckoned
from tools.reading.spans import Reading
from tools.reading.wanted_sort import fits_sort, is_named, is_unfit, wanted_sort
from tools.reading.weighing import same

SPANS = 2
"""Answers of a pair that count."""

MOST = 0.94
"""The most confidence in what two lines say together: below that of a sure answer, at the risk of the default."""

_WEIGHTS, _OFFSET = (0.405, -0.336, 0.091), -1.59
"""What the measures of an answer count: fitted to what was told of questions that describe what they ask about, over
people's own folders (`benchmarks/train_together.py`). The offset is that of questions that nothing else answers, fewer
of which are told rightly: it was -1.3 for all of them.
"""

_LEAST = -4.0
"""Log-odds below which no other words are any less likely."""


@dataclass(frozen=True, slots=True)
class ToldTogether:
    """An answer, how likely it is right (0..1), and the two lines that say it, the one that leads to it first.

    `link` is what they share, as it stands in that.
    `measures` are the log-odds, as read, that it answers, that the likeliest other words do, and that it does where the
    two lines are read as any passage is.
    """

    text: str
    confidence: float
    leading: Line
    telling: Line
    link: str
    measures: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    chance: float
    leading: int
    telling: int


def joined(first: Line, second: Line) -> str:
    """Two lines as one text, each behind the title of its passage."""
    return f"{first.shown}\n{second.shown}"


def told_together(
    question: str, plan: Plan, lines: LinePool, pairs: Sequence[tuple[int, int]], read_linked: Read, read_again: Read
) -> ToldTogether | None:
    """The likeliest answer of pairs of lines, the likelier pairs first; None where none says anything that may answer
    and that the question does not say itself. `read_again` reads the likeliest as any passage is read.
    """
    readings = read_linked([(question, "", joined(*(lines.lines[at] for at in pair))) for pair in pairs])
    said = [
        one
        for pair, reading in zip(pairs, readings, strict=True)
        for one in _said(question, plan, lines, pair, reading)
    ]
    if not said:
        return None
    best = max(said, key=lambda one: one.chance)  # of equals that of the likelier pair
    other = max((one.chance for one in said if not same(one.text, best.text)), default=0.0)
    leading, telling = lines.lines[best.leading], lines.lines[best.telling]
    plainly = _as_a_passage(question, best.text, joined(leading, telling), read_again)
    measures = (_log_odds(best.chance), max(_LEAST, _log_odds(other)), _log_odds(plainly))
    shared = link(lines, question, best.leading, best.telling)
    return ToldTogether(best.text, _likelihood(measures), leading, telling, shared, measures)


def _said(question: str, plan: Plan, lines: LinePool, pair: tuple[int, int], reading: Reading) -> Iterator[_Said]:
    first, second = (lines.lines[at] for at in pair)
    text, behind = joined(first, second), len(first.shown)
    for span in reading.spans[:SPANS]:
        told = text[span.start : span.end]
        leading, telling = pair if span.start > behind else pair[::-1]
        is_across = span.start < behind < span.end
        if words(told) and not is_across and _may_answer(question, plan, told, lines.lines[telling].text):
            yield _Said(told, reading.answered * span.probability, leading, telling)


def _may_answer(question: str, plan: Plan, text: str, line: str) -> bool:
    has_to_be_worked_out = asks_to_reckon(question, text) or is_reckoned(question, text, f"{text} {line}")
    is_no_answer = is_named(question, text) or is_unfit(question, text) or has_to_be_worked_out
    return not is_no_answer and fits_sort(wanted_sort(question, plan), text)


def _as_a_passage(question: str, answer: str, text: str, read: Read) -> float:
    """How likely an answer is where its two lines are read as any passage is, 0..1."""
    reading = read([(question, "", text)])[0]
    told = [span.probability for span in reading.spans if same(text[span.start : span.end], answer)]
    return reading.answered * sum(told)


def _log_odds(chance: float) -> float:
    kept = min(max(chance, 1e-4), 1 - 1e-4)
    return math.log(kept / (1 - kept))


def _likelihood(measures: Sequence[float]) -> float:
    odds = _OFFSET + sum(weight * one for weight, one in zip(_WEIGHTS, measures, strict=True))
    return min(MOST, 1 / (1 + math.exp(-odds)))
