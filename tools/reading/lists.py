"""Questions for several things: all members that the reading finds, and those that stand beside them in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.answer_rules.docs import Found
from tools.answer_rules.text import fold, name_score
from tools.reading.guess import Answer

_NO_PLURAL = (
    r"(?!(?:is|was|has|does|this|series|class|business|process|address|status|species|gas|lens|canvas|atlas)\b)"
)
_PLURAL = rf"{_NO_PLURAL}(?-i:[a-z]{{2,}}(?<![sui])s)\b(?!['’])"
_ALL = r"(?:(?:all|every|the|of|me|each)\s+)*(?:\w+\s+)?"
_OURS = r"(?:(?:the|our|my|your|their|these|his|her)\s+)?"
_LIST = re.compile(
    rf"^(?:please )?(?:list|name|enumerate|give me)\s+{_ALL}(?:everybody|everyone|everything|{_PLURAL})"
    rf"|^(?:(?:on|in|at|from|for|to|with|by)\s+)?(?:which|what)\s+(?:of\s+{_OURS})?(?:\w+\s+){{0,2}}?"
    rf"{_PLURAL}\s+(?:are|were|do|does|did|have|has|had|can|will|is|was|there|belong|stand|make|gave|give|use|need"
    r"|come|came|go|went|play|work|live|take|took|get|got|won|sold|sell|run|ran)\b"
    rf"|^what (?:are|were) {_OURS}(?:\w+\s+){{0,2}}?{_PLURAL}(?!\s+(?:that|which|who)\b)"
    rf"|^who (?:all )?(?:are|were) (?:all )?{_OURS}(?:\w+\s+){{0,2}}?{_PLURAL}|^who (?:all|else) (?:was|were|is|are)\b",
    re.I,
)
_NAMED = (
    r"(?:(?:Dr|Mrs?|Ms|Prof|Rev|St)\.[ \t]+)?[A-Z\d][\w'’-]*"
    r"(?:[ \t]+(?:(?:of|the|de|von|van)[ \t]+)?[A-Z\d(][\w'’)-]*){0,4}"
)
_AFTER = re.compile(rf"\s*(?:,\s*and|,|;|\band\b|&)\s+({_NAMED})")
_BEFORE = re.compile(rf"({_NAMED})\s*(?:,\s*and|,|;|\band\b|&)\s*$")

# A member's score beside the best one's, the least of any, and how many are told.
_SHARE, _LEAST, _MOST = 0.6, 0.45, 12


def asks_for_list(question: str) -> bool:
    """Whether a question asks for all of a kind: "Which suppliers are in …?", "Name everybody who …"."""
    return bool(_LIST.match(question.strip()))


def members(first: Found, answers: Sequence[Answer]) -> list[tuple[str, Found]]:
    """The members of the list that `first` belongs to, each with where it was found; `first` alone where it has none.

    `answers` are what the reading offers, best first. A name beside another one, with a comma or "and" between, belongs
    to the same list.
    """
    best = max((one.score for one in answers), default=0.0)
    near = [one.found for one in answers if one.score >= max(_LEAST, _SHARE * best)]
    kept: dict[str, tuple[str, Found]] = {}
    for found in (first, *near):
        for text in _beside(found):
            if len(kept) < _MOST and not any(name_score(text, other) >= 0.8 for other, _ in kept.values()):
                kept[fold(text)] = (text, found)
    return list(kept.values())


def _cell(found: Found) -> tuple[int, int]:
    """Where the cell begins and ends that a find stands in, all of its values together; the whole text of no cell."""
    line, value = found.doc.line_at(found.start), found.doc.value_at(found.start)
    if line is not None and line.kind == "row" and line.key[0] <= found.start < line.key[1]:
        return line.key
    if line is None or value is None:
        return 0, len(found.doc.text)
    cell = [one for one in line.values if one.relation == value.relation]
    return min(one.start for one in cell), max(one.end for one in cell)


def _beside(found: Found) -> list[str]:
    """A name with those before and behind it in its list, in order; no names beside what is none, and of a cell none
    beyond it.
    """
    text = found.doc.text
    if not found.text[:1].isupper():
        return [found.text]
    first, last = _cell(found)
    before: list[str] = []
    start, end = found.start, found.end
    while (match := _BEFORE.search(text[max(first, start - 80) : start])) and len(before) < _MOST:
        before.insert(0, match[1])
        start = max(first, start - 80) + match.start()
    after: list[str] = []
    while (match := _AFTER.match(text, end, last)) and len(after) < _MOST:
        after.append(match[1])
        end = match.end()
    return [*before, found.text, *after]
