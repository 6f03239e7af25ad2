"""What a text means by a span that may answer: what was put right, told as a guess, or told as not so."""

from __future__ import annotations

from typing import NamedTuple

from tools.answer_rules.docs import Found
from tools.reading.candidates import Candidate
from tools.reading.choice import Chosen
from tools.reading.considering import ALONE
from tools.reading.righted import RIGHTED, righted, told_right
from tools.reading.unreal import GUESSED, INSTEAD, reality_of, told_instead


class Meant(NamedTuple):
    """What a text means by a candidate, the most confidence in it, what it was put right from, and whether it is told
    as not so.
    """

    candidate: Candidate
    most: float = 1.0
    before: tuple[Found, ...] = ()
    is_not_so: bool = False


def as_meant(question: str, candidate: Candidate, chosen: Chosen) -> Meant:
    """A candidate, or what its text puts in its place: in the same breath, or where it was not to be."""
    right = righted(candidate.found)
    if right and right.found is None:
        return Meant(candidate, ALONE, is_not_so=True)
    if right and right.found:
        return Meant(told_right(candidate, right.found), RIGHTED, (candidate.found,))
    reality = reality_of(question, candidate.found)
    if reality != "unreal":
        return Meant(candidate, GUESSED if reality == "guessed" else 1.0)
    told = told_instead(question, candidate.found, [one for one, _ in chosen.others])
    return Meant(told_right(candidate, told), INSTEAD) if told else Meant(candidate, ALONE, is_not_so=True)
