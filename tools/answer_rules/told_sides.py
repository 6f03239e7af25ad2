"""Comparisons of two things of which prose or a line tells a number or a day each: "forward 180 l, aft 95 l".

What is compared is the value that stands nearest behind each name, else nearest before it, in the sentence that says
most of the question; both have to be of the same measure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import Date, date_order, find_dates, find_numbers, measured

Stems = frozenset[str]

TOGETHER, APART = 0.82, 0.72
"""How sure a comparison is whose values stand in one sentence, and one whose values stand in one passage."""

_NEAR = 300
"""Characters between two values that are told of two things in the same way, as in a list."""

_MOST = 50
"""Values looked at of each side, those of the sentences that fit best."""

_YEARS = 1000
"""From here on a number without a month is a year."""

_TIMES = re.compile(
    r"\b(?:first|earlier|later|sooner|last|older|newer|younger|oldest|newest|youngest|longer ago)\b", re.I
)
_LATER = re.compile(r"\b(?:later|last|newer|younger|newest|youngest)\b", re.I)
_UNIT = re.compile(r"\s?(?P<unit>[^\W\d_]+|%|°)")
_CURRENCY = re.compile(r"[$£€¥]")
_NO_UNIT = frozenset("and or to of in on at by for from with but the a an is was per".split())
_CLAUSE = re.compile(r"[;()]|, (?=\D)|\.\s")


@dataclass(frozen=True, slots=True)
class _Told:
    """What is told of a thing: a number with its measure, or a date; how well the sentence fits, and where it is."""

    measure: str
    value: float
    date: Date | None
    fits: float
    found: Found
    sentence: tuple[int, int]


def compare_told(
    asked: str, names: tuple[str, str], evidence: Evidence, *, is_larger: bool | None
) -> tuple[int, tuple[Found, ...], float] | None:
    """Which of two things (0 or 1) is more, or less, of what is asked; both values, and how sure that is; None where
    no values of the same measure stand beside both.

    A comparing word of time is answered by days, any other by numbers; where the word leaves open whether the larger
    one is meant (`is_larger` None), not at all.
    """
    is_time = bool(_TIMES.search(asked))
    if is_larger is None and not is_time:
        return None
    sides = [_values(name, other, asked, evidence, is_time=is_time) for name, other in (names, names[::-1])]
    pairs = [(one, other) for one in sides[0] for other in sides[1] if _is_alike(one, other)]
    pairs.sort(key=lambda pair: -(pair[0].fits + pair[1].fits + _nearness(*pair)))
    for one, other in pairs:
        if order := _order(one, other):
            larger = bool(_LATER.search(asked)) if is_time else bool(is_larger)
            return (
                int((order > 0) != larger),
                (one.found, other.found),
                TOGETHER if one.sentence == other.sentence else APART,
            )
    return None


def _is_alike(one: _Told, other: _Told) -> bool:
    """Whether two values are of one measure and stand near each other."""
    is_near = one.found.doc is other.found.doc and abs(one.found.start - other.found.start) <= _NEAR
    return is_near and one.measure == other.measure


def _order(one: _Told, other: _Told) -> int:
    if one.date and other.date:
        return date_order(one.date, other.date)
    return (one.value > other.value) - (one.value < other.value)


def _nearness(one: _Told, other: _Told) -> float:
    """1 for two values of one sentence, less for two of one passage."""
    if one.found.doc is not other.found.doc:
        return 0.0
    return 1.0 if one.sentence == other.sentence else 0.5


def _values(name: str, other: str, asked: str, evidence: Evidence, *, is_time: bool) -> list[_Told]:
    wanted, others = frozenset(content_stems(name)), frozenset(content_stems(other))
    own = wanted - others or wanted
    about = frozenset(content_stems(asked))
    told = []
    for doc in evidence.docs if wanted else ():
        for index, (start, end) in enumerate(doc.sentences):
            if doc.kind_at(start) == "row":
                continue  # what a cell measures its column says
            said = doc.sentence_stems[index]
            above = frozenset(content_stems(f"{doc.headings_at(start)} {doc.subject_at(start)}"))
            if not (own <= said or (own <= said | above and not others & said)):
                continue
            fits = len(about & (said | above)) / (len(about) or 1) + 0.5 * len(wanted & (said | above)) / len(wanted)
            value = _nearest(doc, start, end, own, others - wanted, is_time=is_time)
            if value:
                measure, amount, date, first, last = value
                near = fits + 0.3 * doc.nearness(start) - 0.01 * doc.rank
                told.append(_Told(measure, amount, date, near, doc.found(first, last, TOGETHER), (start, end)))
    return sorted(told, key=lambda one: (-one.fits, one.found.doc.rank, one.found.start))[:_MOST]


def _nearest(
    doc: Doc, start: int, end: int, own: Stems, others: Stems, *, is_time: bool
) -> tuple[str, float, Date | None, int, int] | None:
    """The value behind a name in a sentence, before the other one's; else the one before it in its clause."""
    text = doc.text[start:end]
    places: dict[str, int] = {}
    for match in re.finditer(r"[\w'’-]+", text):
        for one in content_stems(match.group()):
            if one in own:
                places.setdefault(one, match.end())
    at = max(places.values(), default=0)
    rivals = [match.start() for match in re.finditer(r"[\w'’-]+", text) if set(content_stems(match.group())) & others]
    stop = min((one for one in rivals if one > at), default=len(text))
    after = _first(text, at, stop, is_time=is_time)
    if after is None and places:
        begin = max((match.end() for match in _CLAUSE.finditer(text, 0, at)), default=0)
        after = _first(text, begin, at, is_time=is_time)
    if after is None:
        return None
    measure, amount, date, first, last = after
    return measure, amount, date, start + first, start + last


def _first(text: str, at: int, stop: int, *, is_time: bool) -> tuple[str, float, Date | None, int, int] | None:
    if is_time:
        dates = [one for one in find_dates(text) if at <= one.start < stop and one.whole]
        return ("date", 0.0, dates[0], dates[0].start, dates[0].end) if dates else None
    days = [one for one in find_dates(text) if one.month or one.year >= _YEARS]
    for number in find_numbers(text):
        if number.text.casefold() == "one":
            continue  # "the forward one"
        is_clock = text[number.end : number.end + 1] == ":" or text[max(0, number.start - 1)] == ":"
        if at <= number.start < stop and not is_clock and not any(one.start <= number.start < one.end for one in days):
            measure, amount = measured(text, number)
            return measure or _unit(text, number.start, number.end), amount, None, number.start, number.end
    return None


def _unit(text: str, start: int, end: int) -> str:
    """The word behind a number, or that it is money, as its measure; "" for none."""
    if _CURRENCY.search(text[max(0, start - 2) : end + 2]):
        return "money"
    match = _UNIT.match(text, end)
    unit = match["unit"].casefold() if match else ""
    return "" if unit in _NO_UNIT or len(unit) > 6 else unit
