"""What somebody puts right in the same breath: "We bought the van in 2003, no, wait, 2004".

Talks, mails and chats keep the first version beside the one that is meant. Where a value of the same kind stands right
behind the words that take the first one back, that is what is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tools.answer_rules.docs import Doc, Found
from tools.answer_rules.text import content_stems
from tools.reading.candidates import Candidate
from tools.reading.told_values import Value, is_near, is_year, people_of, values_of, values_of_kind

RIGHTED = 0.9
"""The most confidence in what was put right: never sure."""
_BEHIND = 90
"""Letters behind the words that take a value back in which the one that is meant begins and ends."""
_FAR, _FEW = 200, 4
"""Letters of the text behind a value that are looked at, and words of a turn that tells nothing else."""

_STOP = r"(?:\.{2,}|…|[.,;(–—]| -)"
_BACK = re.compile(
    rf"(?P<gap>[^\n;:!?*.…]{{0,40}}?)(?:['’\"”]?{_STOP} ?(?:or,? (?!rather))?| or,? (?!rather|no\b)| (?=or rather))"
    r"(?:(?:er|um|uh|oh|ah|well),? )*"
    r"(?:no(?=,|\.\.|…| ?[–—-] |,? (?:wait|sorry|that|it|make|i)\b)(?P<cannot>,? that can['’]?(?:t|not) be\b)?"
    r"|(?P<sorry>sorry)(?!:| (?:for|about|to|if|that|but|we|you|I)\b)|wait(?=[,.…])|hang on|hold on"
    r"|i mean(?:t(?! to))?|make it|correction|rather"
    r"|(?P<away>scratch that|strike that|make that|or rather|i meant to (?:say|write))"
    r"|(?:(?:that|this|it|which) )?should (?:be|read|have been|have read|say))\b",
    re.I,
)
"""What takes back the value before it, with what else of the clause stands between."""
_NEXT = re.compile(
    r"[^\n]{0,40}\n(?P<who>(?:[^\n:*]{1,8}:\d\d[^\n:*]{0,20}? )?[^\n:*]{1,30}: )?"
    r"(?:\*(?=\w|[£$€])|(?:no|sorry|oops|i mean(?:t)?|make (?:that|it)|correction|(?:or )?rather)\b)",
    re.I,
)
"""The same at the beginning of the next turn of a chat: "*9"."""
_SMALL = re.compile(
    r"(?:[ ,:;…–—'\"“‘(*-]|\.{2,}|\b(?:no|wait|sorry|it|that|this|was|is|were|i|think|mean|meant|to|say|rather"
    r"|of course|hang on|on|the|an?|at|in|from|by|for|about|my|his|her|our|your|their|uncle|aunt|cousin"
    r"|mr|mrs|ms|dr|be|or|only|really|actually|must|have|been)\b|['’]s)*",
    re.I,
)
"""What may stand between those words and the value that is meant."""
_AGAIN = re.compile(r"(?: [\w'’]+){0,4}(?=,)")
"""What may be told of the old one said again: "no, Alan came later, it was Steve"."""
_END = r"['’\"”]?\s*(?:[.,;:!?…)\n–—]|$)|['’\"”]? (?:from|at|in|on|to|of|for|and|an?|per|with)\b"
_ENDS, _UNIT_ENDS = re.compile(_END, re.I), re.compile(rf"(?: \d\w*)?(?: [\w'’]+)?(?:{_END})", re.I)
"""What follows the value that is meant: the end of the clause, or what the first one was told with."""
_APART = (",", "…", ".")
"""What stands behind "sorry" before another name; without it that is whom one says it to."""
_NO_UNIT = re.compile(r"\s(?:in|at|on|from|for|of|per|by|with|a|an)$", re.I)
"""What a number has behind it that is no unit."""


class Righted(NamedTuple):
    """What takes the place of an answer that was taken back; None where nobody says what is meant."""

    found: Found | None


def righted(found: Found) -> Righted | None:
    """What the text right behind an answer puts in its place; None where it does not take it back."""
    values = values_of(found.text)
    if len(values) != 1 or not _is_named(found.text, values[0]):
        return None
    old, text = values[0], found.doc.text
    for begin, end, is_gone in _taken_back(found.doc, old, found.start + old.end):
        if meant := _meant(text[begin:end], old):
            at, last = begin + meant.start, begin + meant.end
            return Righted(found.doc.found(at, last, found.score))
        if is_gone:
            return Righted(None)
    return None


def _taken_back(doc: Doc, old: Value, start: int) -> Iterator[tuple[int, int, bool]]:
    """Where what is meant may stand behind a value, and whether the value is gone all the same."""
    back, turn = (pattern.match(doc.text, start, start + _FAR) for pattern in (_BACK, _NEXT))
    is_to_somebody = back and back["sorry"] and old.kind == "person" and doc.text[back.end() :][:1] not in _APART
    if back and not is_to_somebody and not values_of_kind(back["gap"], old):
        yield back.end(), min(back.end() + _BEHIND, _line_end(doc, back.end())), bool(back["cannot"] or back["away"])
    if turn and doc.kind_at(start - 1) == "turn":
        end = _line_end(doc, turn.end())
        if len(doc.text[turn.end() : end].split()) <= _FEW:
            yield turn.end(), end, False


def _line_end(doc: Doc, start: int) -> int:
    end = doc.text.find("\n", start)
    return len(doc.text) if end < 0 else end


def _meant(text: str, old: Value) -> Value | None:
    """The value of the same kind that a text begins with, but for small words and the old one said again."""
    lead = 0
    for one in values_of_kind(text, old):
        if not _SMALL.fullmatch(text, lead, one.start):
            return None
        if one.what != old.what:
            ends = _ENDS if old.kind == "person" else _UNIT_ENDS
            one = _without_preposition(text, one)
            is_meant = one.differs(old) and _is_like(one, old) and ends.match(text, one.end)
            return one if is_meant and _is_named(text, one) else None
        again = _AGAIN.match(text, one.end)
        lead = again.end() if again else one.end
    return None


def _is_named(text: str, one: Value) -> bool:
    """Whether a word with a capital is a name: "We" is none, nor is "Friday"."""
    said = text[one.start : one.end]
    return one.kind != "person" or (bool(content_stems(said)) and values_of(said)[:1] == people_of(said)[:1])


def _without_preposition(text: str, one: Value) -> Value:
    unit = _NO_UNIT.search(text, one.start, one.end)
    return replace(one, end=unit.start(), unit="") if unit else one


def _is_like(one: Value, old: Value) -> bool:
    """Whether a number may be meant for another one: both are years, or neither."""
    return one.kind != "number" or (is_year(one) == is_year(old) and is_near(one, old))


def told_right(candidate: Candidate, meant: Found) -> Candidate:
    """A candidate with what is meant in the place of what was taken back, at the end of its chain too."""
    chain = candidate.chain
    if chain is not None and chain.steps:
        chain = replace(chain, steps=(*chain.steps[:-1], replace(chain.steps[-1], found=meant)))
    return replace(candidate, found=meant, chain=chain)
