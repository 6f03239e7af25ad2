"""Yes or no by a word opposite to the one asked for: "works" of "broken", "isn't lost" of "found"."""

from __future__ import annotations

import re

from tools.answer_rules.asked_claims import NOT, AskedClaim, Stems, Verdict, is_past, stems_of
from tools.answer_rules.text import stem

_GOING_ON = frozenset(map(stem, "go have hold take place happen exist run be".split()))
_PAIRS = (
    "work function run repair fix mend/break broken defective",
    "find recover return/lose miss missing disappear vanish steal",
    "open/close shut lock",
    "come attend appear arrive/miss skip absent",
    "pass/fail",
    "win/lose",
    "full/empty",
    "clean/dirty",
)
_ENDS = frozenset(map(stem, "stop end close cancel drop abolish discontinue scrap cease abandon".split()))
_LASTS = frozenset(map(stem, "stay remain continue keep".split()))
_MISS, _OPEN_SIDES = stem("miss"), frozenset((stem("open"), stem("close")))
_STATE = re.compile(
    r"\b(?:is|are|was|were|be|been|stays?|stayed|remains?|remained)(?:n['’]t)?\b[^\d]*\b(?:open|closed|shut|locked)\b",
    re.I,
)


def _opposites() -> dict[str, Stems]:
    found: dict[str, Stems] = {}
    for pair in _PAIRS:
        sides = [frozenset(map(stem, side.split())) for side in pair.split("/")]
        for one, other in (sides, sides[::-1]):
            found |= {word: found.get(word, frozenset()) | other for word in one}
    return found


_OPPOSITES = _opposites()


def opposite_sense(asked: AskedClaim, clause: str) -> Verdict:
    """ "The heating works again" for "is it broken", "the key isn't lost" for "has it been found"."""
    said = stems_of(clause)
    if is_past(asked, clause):
        return ""
    for word in sorted(asked.stems):
        others, opposite = asked.stems - {word}, _OPPOSITES.get(word, frozenset()) & said - asked.stems
        is_lone = len(others) < 1 + (_MISS in {word, *opposite})  # who misses the bus says nothing of its coming
        if not is_lone and others <= said and word not in said and opposite:
            if _OPEN_SIDES & {word, *opposite} and not _STATE.search(clause):
                continue  # "closes at six"
            return "yes" if NOT.search(clause) or "longer" in clause else "no"
    return ""


def lasting_sense(asked: AskedClaim, clause: str) -> Verdict:
    """ "We won't stop the lunches", "Sylt stays": whether there still are any."""
    said = stems_of(clause)
    thing = asked.stems - _GOING_ON
    if not re.search(r"\bstill\b", asked.text, re.I) or not thing or not thing <= said:
        return ""
    is_ending, is_lasting, is_not = bool(said & _ENDS - thing), bool(said & _LASTS - thing), bool(NOT.search(clause))
    if is_ending == is_lasting or (is_ending and not is_not) or is_past(asked, clause):
        return ""  # a bus that stops at the church still runs
    return "yes" if is_lasting != is_not else "no"
