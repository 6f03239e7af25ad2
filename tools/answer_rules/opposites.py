"""Yes or no by a word opposite to the one asked for: "works" of "broken", "isn't lost" of "found"."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
_LASTS = frozenset(map(stem, "stay remain continue".split()))
_MISS, _OPEN_SIDES, _RUN = stem("miss"), frozenset((stem("open"), stem("close"))), frozenset((stem("run"),))
_BY_DEGREES = frozenset(map(stem, "full empty win".split()))
"""What is not so need not be its opposite: half full, a draw."""
_STATE = re.compile(r"\b(?:open|closed|shut|locked)\b", re.I)
_SINCE = r"(?:not|all|still|now|already|yet|again|no longer|currently)"
_BE = re.compile(
    rf"\b(?:is|are|was|were|be|been|being|stays?|stayed|remains?|remained)(?:n['’]t)?(?: {_SINCE})*$", re.I
)
_WAS = re.compile(r"\b(?:was|were|had)\b", re.I)
_HAS = re.compile(
    r"(?: (?:has|have|had|do|does|did)(?:n['’]t)?)?(?: (?:not|never|now|already|just|still|no longer))*$", re.I
)
_NO_MORE = re.compile(
    r"(?: (?:again|yet|now|already|after all|any ?(?:longer|more)))*(?:(?<=again) (?:after|since)\b.*)?\W*", re.I
)
_SCOPE = re.compile(r"\W*(?:on|in|at|during|to|for|from|every)\b", re.I)
_RUNS = re.compile(r"\brun(?:s|ning)?(?:$| (?:on|in|at|to|from|between|every)\b)", re.I)
"""What runs itself, and nobody runs it."""
_ANYONE = re.compile(r"\W*(?:(?:and|but|so) )?(?:we|they|i|you|he|she|it|there)\b", re.I)


def _opposites() -> dict[str, Stems]:
    found: dict[str, Stems] = {}
    for pair in _PAIRS:
        sides = [frozenset(map(stem, side.split())) for side in pair.split("/")]
        for one, other in (sides, sides[::-1]):
            found |= {word: found.get(word, frozenset()) | other for word in one}
    return found


_OPPOSITES = _opposites()


def opposite_sense(asked: AskedClaim, clause: str, sentence: str) -> Verdict:
    """ "The heating works again" for "is it broken", "the key isn't lost" for "has it been found": of the very one that
    is asked for, and with no more said of it.
    """
    if is_past(asked, clause) or (asked.aux in ("has", "have") and _WAS.search(clause)):
        return ""
    said = stems_of(sentence)
    for word in sorted(asked.stems - said):
        others, opposite = asked.stems - {word}, _OPPOSITES.get(word, frozenset()) & said - asked.stems
        if len(others) < 1 + (_MISS in {word, *opposite}):
            continue  # who misses the bus says nothing of its coming
        is_state = bool(_OPEN_SIDES & {word, *opposite})
        if is_state and not (asked.aux in ("is", "are", "was", "were") and _STATE.search(asked.text)):
            continue  # whether it closes
        if _is_said(others, opposite, clause, is_state=is_state):
            is_not = bool(NOT.search(clause))
            return "" if is_not and {word, *opposite} & _BY_DEGREES else "yes" if is_not else "no"
    return ""


def _is_said(others: Stems, opposite: Stems, clause: str, *, is_state: bool) -> bool:
    """Whether a clause says one of some words, and nothing beyond, of what is asked for."""
    for one in re.finditer(r"[\w'’-]+", clause):
        if not stems_of(one[0]) & opposite:
            continue
        before, behind = clause[: one.start()].strip(), clause[one.end() :]
        is_bare = bool(_NO_MORE.fullmatch(behind))
        scope = Stems() if is_bare else stems_of(behind)
        if not is_bare and not (_SCOPE.match(behind) and scope and scope <= others):
            continue
        be = _BE.search(before)
        if be is None and (is_state or stems_of(before[: _start(before)].rpartition(" ")[2]) - others):
            continue
        if is_state and not _STATE.fullmatch(one[0]):
            continue  # "is closing"
        if stems_of(before[: be.start()] if be else before) == others - scope:
            return True
    return False


def _start(before: str) -> int:
    """Where the auxiliaries before a verb start."""
    match = _HAS.search(before)
    return match.start() if match else len(before)


def lasting_sense(asked: AskedClaim, clause: str) -> Verdict:
    """ "We won't stop the lunches", "Sylt stays": whether there still are any."""
    dropped = _GOING_ON if _RUNS.search(asked.text) else _GOING_ON - _RUN
    thing = asked.stems - dropped
    if not re.search(r"\bstill\b", asked.text, re.I) or not thing or is_past(asked, clause):
        return ""
    is_not = bool(NOT.search(clause))
    for one in re.finditer(r"[\w'’-]+", clause):
        verb, before, behind = stems_of(one[0]) - thing, stems_of(clause[: one.start()]), stems_of(clause[one.end() :])
        is_all = before == thing and bool(_NO_MORE.fullmatch(clause[one.end() :]))
        if verb & _LASTS and is_all:
            return "no" if is_not else "yes"
        is_stopped = not before and behind == thing and bool(_ANYONE.match(clause))
        if verb & _ENDS and is_not and (is_all or is_stopped):
            return "yes"  # a bus that stops at the church still runs
    return ""


def is_bounded(asked: AskedClaim, clauses: Iterable[str]) -> bool:
    """Whether a part of a sentence says when or where the rest is so: "On Mondays, the shop is closed"."""
    return any(_SCOPE.match(one) and not stems_of(one) <= asked.stems for one in clauses)
