"""The order in which passages are read for an answer: those first that the first reader says answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tools.answer_rules.docs import Evidence, EvidencePassage
from tools.reading.abbreviated import Read
from tools.reading.yes_or_no import asked_plainly, is_yesno

_READ = 1_000  # characters of a question that are read
_LEAST = 1e-4


def reading_order(question: str, passages: Sequence[EvidencePassage], priors: Sequence[float], read: Read) -> list[int]:
    """The places of the passages, those first that most likely answer; of equals the first. () gives [].

    `priors` is what speaks for each before it is read, in logits: (passages,). `read` is the first reader.
    """
    asked = asked_plainly(question) if is_yesno(question) else question
    readings = read([(asked[:_READ], doc.heading, doc.text) for doc in Evidence(passages).docs])
    scores = [_logit(told.answered + told.yes + told.no) + prior for told, prior in zip(readings, priors, strict=True)]
    return sorted(range(len(scores)), key=lambda at: (-scores[at], at))


def _logit(likely: float) -> float:
    likely = min(max(likely, 0.0), 1.0)
    return math.log((likely + _LEAST) / (1 - likely + _LEAST))
