"""The values of a text that may be told otherwise later: days, times, codes, numbers, days of the week and people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.documents.plaintext import MONTHS
from tools.answer_rules.money import CURRENCIES
from tools.answer_rules.table_words import TITLE
from tools.answer_rules.text import words
from tools.answer_rules.values import find_dates, find_numbers, measured

_SIGN, _SIGNED = re.compile(r"[$€£¥]\s?$"), re.compile(r"[$€£¥]")
_UNIT = re.compile(r"\s?(?P<unit>%|[€£$]|(?!(?:to|and|or|not|instead|now)\b)[^\W\d_]{1,12})")
_CLOCK = re.compile(
    r"(?<![\d.:$€£¥])(?P<hour>[01]?\d|2[0-4])(?P<sign>[:.])(?P<minute>[0-5]\d)(?![\d.:]\d)"
    r"(?:\s?(?:[–-]|to|until)\s?\d{1,2}(?P=sign)\d\d)?(?: ?[ap]\.?m\b|(?<=:\d\d))",
    re.I,
)
WEEKDAY = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?(?:days?)?\b", re.I)
_WEEKDAYS = re.compile(rf"{WEEKDAY.pattern}(?:(?:,? and |, ?| & | ){WEEKDAY.pattern})*", re.I)
_SMALL_MONEY = re.compile(r"(?<![\d.,])(?P<figure>\d{1,4}(?:\.\d+)?) ?(?:p|pence|ct|cents?)\b")
_SPAN = re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: (?:{'|'.join(MONTHS)}))?\s?(?:[–-]|to|until)\s?$", re.I)
_SEASON = re.compile(
    r"(?<!\d )(?<!\d(?:st|nd|rd|th) )\b(?:(?:early|mid|late)[- ])?"
    rf"(?P<season>{'|'.join(MONTHS)}|spring|summer|autumn|winter|Easter|Christmas)"
    r"\b(?! \d{1,2}\b(?!\d))(?:,? (?:of )?(?P<year>(?:19|20)\d\d))?",
    re.I,
)
_TAKES = re.compile(r" (?:takes|took|is taking|has taken|will take) over (?:from )?(?P<what>[^.;,\n]+)", re.I)
_PERSON = re.compile(r"(?:(?:Dr|Mrs?|Ms|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,3}")
_OWNS = re.compile(r"['’]s?$")
_PHONE = r"\+?\d(?:[ ()/-]{0,2}\d){6,14}"
_CODE = re.compile(
    rf"(?<![\w.,-])(?:(?P<phone>{_PHONE})|\d{{1,4}}(?:-\d{{1,4}}){{2,7}}|[A-Z]{{1,4}}-?\d{{2,8}}[A-Z]?)(?![\w-])"
)
"""A number to ring, or a code: "0555 870 144", "4-7-1-9", "KD-4417"."""
_TIMES = 4.0
"""How many times as much as before what is announced may be, and as little."""
_FIGURES = 4
"""Figures from which on a number without a unit may be a code, which none of as many is nearer to than another."""


@dataclass(frozen=True, slots=True)
class Value:
    """A day, a code, a number or a person at [start, end) of a text: which, and what of; the unit of a code is its
    form.
    """

    start: int
    end: int
    kind: str
    what: tuple[float | str, ...]
    unit: str = ""

    def differs(self, other: Value) -> bool:
        """Whether it could be told for the other one, and is another."""
        of_one = self.kind == other.kind and (self.unit == other.unit or not (self.unit and other.unit))
        return of_one and self.what != other.what


def values_of(text: str) -> list[Value]:
    """The days of a text; where there are none its times of day, its numbers, its days of the week, its people: those
    of the first of these kinds that it has any of. A text that is a code is that alone.
    """
    if _CODE.fullmatch(text.strip()):
        return _codes(text)
    days = [one for one in find_dates(text) if one.month and one.day]
    found = [Value(_begin(text, one.start), one.end, "day", (one.month, one.day)) for one in days]
    spans = [one for one in found if not any(later.start < one.end <= later.end and later != one for later in found)]
    clock = [Value(*one.span(), "time", (int(one["hour"]), int(one["minute"]))) for one in _CLOCK.finditer(text)]
    return spans or clock or list(_amounts(text)) or _weekdays(text) or people_of(text)


def _codes(text: str) -> list[Value]:
    found = ((one, "phone" if one["phone"] else _form(one.group())) for one in _CODE.finditer(text))
    return [Value(*one.span(), "code", (one.group(),), form) for one, form in found]


def _form(code: str) -> str:
    """A code with 9 for each figure and A for each letter."""
    return re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", code))


def _weekdays(text: str) -> list[Value]:
    """The days of the week of a text as one value, where it has nothing else between them."""
    match = _WEEKDAYS.search(text)
    named = tuple(sorted({one[:3].lower() for one in WEEKDAY.findall(match[0])})) if match else ()
    return [Value(*match.span(), "weekdays", named)] if match else []


def _begin(text: str, start: int) -> int:
    """Where the time begins that ends on a day: "25–27 June", "29 July to 9 August"."""
    before = _SPAN.search(text, 0, start)
    return before.start() if before else start


def _amounts(text: str) -> Iterator[Value]:
    for match in _SMALL_MONEY.finditer(text):
        yield Value(*match.span(), "number", (float(match["figure"]),), "p")
    for one in find_numbers(text):
        measure, value = measured(text, one)
        unit, sign = _UNIT.match(text, one.end), _SIGN.search(text[: one.start]) or _SIGNED.match(text, one.start)
        start, end = sign.start() if sign else one.start, unit.end() if unit and not sign else one.end
        told = sign.group().strip() if sign else unit["unit"].casefold() if unit else ""
        yield Value(start, end, "number", (value,), measure or CURRENCIES.get(told, told))


def people_of(text: str) -> list[Value]:
    """Everything that is written as a name, by its first word: who is "Ana Souza" at first is "Ana" afterwards; what
    stands before it, as in "Mr Feld", is nobody's.
    """
    spans = [(one.start(), one.start() + len(_OWNS.sub("", one.group()))) for one in _PERSON.finditer(text)]
    return [Value(start, end, "person", tuple(words(TITLE.sub("", text[start:end]))[:1])) for start, end in spans]


def takes_from_another(text: str, who: Value, old: Value) -> bool:
    """Whether somebody takes over what is neither an old one's nor nobody's: "Nadja takes over Beatrix's houses"."""
    taken = _TAKES.match(text, who.end)
    whose = [one.what for one in people_of(taken["what"])] if taken else []
    return bool(whose) and old.what not in whose


def values_of_kind(text: str, old: Value) -> list[Value]:
    """The values of a text that are of the kind of another one."""
    if old.kind in ("person", "weekdays"):
        return people_of(text) if old.kind == "person" else _weekdays(text)
    if old.kind in ("code", "season"):
        return _codes(text) if old.kind == "code" else seasons_of(text)
    return [one for one in values_of(text) if one.kind == old.kind]


def kinds_of(text: str) -> list[Value]:
    """The one value of a text, and the days of the week beside it: "Tuesdays at 7 pm"; none where it has several."""
    values = values_of(text)
    days = _weekdays(text) if values and values[0].kind in ("number", "time") else []
    return [*values, *days] if len(values) == 1 else days


def all_of_kind(text: str, old: Value) -> list[Value]:
    """The values of a text that are of the kind of another one, whatever else it tells: the £5 of "£5 from 1 June"."""
    if old.kind != "number":
        return values_of_kind(text, old)
    days = [(one.start, one.end) for one in find_dates(text) if one.month]
    found = (one for one in _amounts(text) if not is_year(one))
    return [one for one in found if not any(start < one.end and one.start < end for start, end in days)]


def seasons_of(text: str) -> list[Value]:
    """The months and seasons of a text that name no day, each with its year if that is told: "the autumn of 2024"."""
    found = (one for one in _SEASON.finditer(text) if one["season"] != "may")
    return [Value(*one.span(), "season", (one["season"].casefold(), one["year"] or "")) for one in found]


def is_year(one: Value) -> bool:
    """Whether a number is a year between 1900 and 2099."""
    return one.kind == "number" and not one.unit and one.end - one.start == 4 and 1900 <= float(one.what[0]) < 2100


def is_near(one: Value, other: Value) -> bool:
    """Whether a number is of the size of another one, or has as many figures and no unit, as codes have."""
    figures = one.end - one.start
    if one.kind != "number" or (not one.unit and not other.unit and figures == other.end - other.start >= _FIGURES):
        return True
    mine, its = float(one.what[0]), float(other.what[0])
    return its / _TIMES <= mine <= its * _TIMES
