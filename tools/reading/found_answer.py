"""The answer to a question, how it was reached, and what else was likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tools.answer_rules.walk import Hop, Step
from tools.reading.considering import ALONE


class Quote(NamedTuple):
    """A sentence of a passage that answers, whichever of its words do, how likely it does (0..1), and the sentence with
    those around it in its paragraph.
    """

    passage: int
    sentence: str
    confidence: float
    around: str


class Rival(NamedTuple):
    """Words of a sentence of a passage that may answer as well, and how likely they do (0..1)."""

    text: str
    passage: int
    sentence: str
    confidence: float


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """The answer to a question and how it was reached.

    `text` is a span of a passage, one of the plan's options, "yes" or "no", or a year of a date; "" where none was
    found. `support` are the ids of the passages that it rests on, in the order of the hops. `confidence` (0..1) is the
    probability that it is right. `missing` says which hop found nothing ("when Ann Lee was born"), "" where all found
    something or nobody would put it so; with a text beside it, the text is what the question as a whole led to.
    `stated` are passages with the sentences that the answer stands in, where no hop ends there. `asked` is the fact
    that the last hop asks for, in the words of `missing`. `quote` is the sentence to tell where `text` is not likely
    enough; None where none is likelier than it. `chances` are all spans that were weighed for a look-up, each with its
    probability; `near` are the likeliest sentences, by their passages. `rivals` are the likeliest other answers.
    `is_doubtful` says that it is of another sort than what is asked for, or somebody else's, and held at `ALONE`;
    `is_beside` that it was read, and none of the hops leads to it or is told of in its sentence.
    """

    text: str
    hops: tuple[Hop, ...]
    support: tuple[int, ...]
    confidence: float
    missing: str
    reason: str
    stated: tuple[tuple[int, str], ...] = ()
    asked: str = ""
    quote: Quote | None = None
    chances: tuple[tuple[str, float], ...] = ()
    near: tuple[tuple[int, str], ...] = ()
    rivals: tuple[Rival, ...] = ()
    is_doubtful: bool = False
    is_beside: bool = False

    @property
    def leading(self) -> tuple[Hop, ...]:
        """The hops, where they lead to the answer."""
        return () if self.is_beside else self.hops


def held(answer: FoundAnswer) -> FoundAnswer:
    """The answer as one that is in doubt."""
    return replace(answer, confidence=min(answer.confidence, ALONE), quote=None, is_doubtful=True)


def hops_of(steps: Sequence[Step]) -> tuple[Hop, ...]:
    """The hops of the steps of a chain."""
    return tuple(step.hop for step in steps)


def support_of(steps: Sequence[Step]) -> tuple[int, ...]:
    """The ids of the passages that the steps of a chain rest on, in their order."""
    return tuple(dict.fromkeys(step.found.doc.passage.id for step in steps if step.found))
