"""The order in which passages are read for an answer: those first that the first reader says answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from tools.answer_rules.docs import Evidence, EvidencePassage
from tools.reading.abbreviated import Read
from tools.reading.guess import read_whole
from tools.reading.yes_or_no import asked_plainly, is_yesno

_LEAST = 1e-4
"""What keeps the logits of 0 and 1 finite."""


class Before(NamedTuple):
    """What is known of passages before they are read: what speaks for each, in logits, how many are to be kept, and the
    places of those that are kept in any case.
    """

    priors: list[float]
    kept: int
    always: frozenset[int] = frozenset()


def reading_order(question: str, passages: Sequence[EvidencePassage], before: Before, read: Read) -> list[int]:
    """The places of the passages to keep, those first that most likely answer; of equals the first. () gives [].

    `read` is the first reader, and is asked what it will be asked for the answer.
    """
    asked = asked_plainly(question) if is_yesno(question) else question
    readings = read_whole(asked, Evidence(passages).docs, read)
    scores = [
        _logit(told.answered + told.yes + told.no) + prior for told, prior in zip(readings, before.priors, strict=True)
    ]
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    return order[: before.kept] + [at for at in order[before.kept :] if at in before.always]


def _logit(likely: float) -> float:
    likely = min(max(likely, 0.0), 1.0)
    return math.log((likely + _LEAST) / (1 - likely + _LEAST))
