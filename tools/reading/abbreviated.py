"""Short names of what a record says, read as the question says them: "Ext.: 141" where it asks for an extension."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tools.answer_rules.text import stem, words
from tools.reading.spans import Reading

Read = Callable[[Sequence[tuple[str, str, str]]], list[Reading]]

_MEANT = {
    "acc": "account", "acct": "account", "addr": "address", "amt": "amount", "approx": "approximate",
    "appt": "appointment", "asst": "assistant", "avg": "average", "bal": "balance", "cap": "capacity",
    "cat": "category", "cert": "certificate", "desc": "description", "dept": "department", "dep": "departure",
    "dia": "diameter", "dob": "date of birth", "est": "estimate", "exp": "expiry", "ext": "extension",
    "freq": "frequency", "ht": "height", "inv": "invoice", "lic": "licence", "loc": "location", "max": "maximum",
    "mfr": "manufacturer", "mgr": "manager", "min": "minimum", "mob": "mobile", "no": "number", "nr": "number",
    "org": "organisation", "pos": "position", "pw": "password", "pwd": "password", "qty": "quantity",
    "qual": "qualification", "ref": "reference", "reg": "registration", "req": "required", "sec": "secretary",
    "spec": "specification", "sup": "supervisor", "tel": "telephone", "temp": "temperature", "vol": "volume",
    "wt": "weight",
}  # fmt: skip
"""What the names of columns and fields are cut to, and what is meant. Readers have hardly seen them: of 36 such
fields the first reads 17 and the second 29, and both all where the word stands in full (docs/results.md).
"""
_KEY = re.compile(r"(?:^|[\n;|])[ \t]*(?:[-*•][ \t]+)?(?P<key>[^\W\d_][^\n:;|]{0,30})(?=[ \t]*:(?:\s|$))")
_SHORT = re.compile(rf"\b(?:{'|'.join(_MEANT)})\b\.?", re.I)


@dataclass(frozen=True, slots=True)
class Spelt:
    """A text with some of its short names in full. `ends` are where each of them ends in it, `shifts` by how many
    characters what follows stands further on than in the text itself, and `began` where each begins in that.
    """

    text: str
    ends: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()
    began: tuple[int, ...] = ()

    def place(self, at: int) -> int:
        """Where a character of it stands in the text itself; one of a short name stands where that begins or ends."""
        after = bisect_right(self.ends, at)
        before = at - (self.shifts[after - 1] if after else 0)
        return min(before, self.began[after]) if after < len(self.began) else before


def spelt_for(question: str, text: str) -> Spelt:
    """A text with the names of its fields in full that a question asks for in full; "" for ""."""
    asked = _asked(question)
    if not asked:
        return Spelt(text)
    found = [
        (key.start("key") + short.start(), key.start("key") + short.end(), meant)
        for key in _KEY.finditer(text)
        for short in _SHORT.finditer(key["key"])
        if (meant := _MEANT[short[0].rstrip(".").lower()]) in asked
    ]
    pieces, ends, shifts, at, length = [], [], [], 0, 0
    for start, end, meant in found:
        pieces += [text[at:start], meant]
        length += start - at + len(meant)
        ends.append(length)
        shifts.append(length - end)
        at = end
    return Spelt("".join((*pieces, text[at:])), tuple(ends), tuple(shifts), tuple(start for start, _, _ in found))


@lru_cache(maxsize=256)  # one question is held against many passages
def _asked(question: str) -> frozenset[str]:
    """What short names may stand for that a question says in full."""
    said = frozenset(map(stem, words(question)))
    return frozenset(meant for meant in _MEANT.values() if {stem(word) for word in words(meant)} <= said)


def reading_in_full(read: Read, pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
    """What a reader says to (question, title, text) with the short names in full; spans are those of the texts."""
    spelt = [spelt_for(question, text) for question, _, text in pairs]
    told = read([(question, title, one.text) for (question, title, _), one in zip(pairs, spelt, strict=True)])
    return [_placed(one, reading) for one, reading in zip(spelt, told, strict=True)]


def _placed(spelt: Spelt, reading: Reading) -> Reading:
    if not spelt.ends:
        return reading
    placed = [replace(span, start=spelt.place(span.start), end=spelt.place(span.end)) for span in reading.spans]
    return replace(reading, spans=tuple(span for span in placed if span.start < span.end))
