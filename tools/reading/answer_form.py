"""An answer in the form that the question asks for: a year, a country, a name alone, a date for "yesterday"."""

from __future__ import annotations

import re
from datetime import date

from tools.answer_rules.countries import country_of, is_adjective
from tools.answer_rules.docs import Found
from tools.answer_rules.text import squeeze
from tools.answer_rules.values import find_dates, is_relative_time
from tools.planning.plan import Plan
from tools.reading.parts import all_named, whole_value, whole_word
from tools.reading.times import counted_from, day_of
from tools.reading.wanted_sort import wanted_sort

_IN_MARKS = re.compile(r"^<([^<>]*)>?$")

_WHO = re.compile(
    r"\W*(?:(?:and|so) )?who(?:m)?\b(?! (?:is|was) the (?:first|last|only|main|lead|chief|head)\b)", re.IGNORECASE
)

COUNTRY_ASKED = re.compile(r"\b(?:country|nation)\b|\bfrom\W*$", re.IGNORECASE)

_TITLE = re.compile(
    r"(?:Sultan|Emperor|Empress|President|Senator|Dr\.?|Professor|Prof\.|Mr\.|Mrs\.|General|Rev\.|Hon\.)\s+(?=[A-Z])"
)

_ROYAL = re.compile(r"(?:King|Queen)\s+(?=[A-Z][^ ]* ?(?!.*\bof\b))")


def answer_form(question: str, plan: Plan, found: Found) -> str:
    """A value in the form that the question asks for: a year, a country where its name is in the text, a name alone."""
    start, end = whole_word(found.doc, *whole_value(found.doc, found.start, found.end))
    if _WHO.match(question):
        start, end = all_named(found.doc, start, end)
    stretch = squeeze(found.doc.text[start:end])
    is_verbatim = found.text == squeeze(found.doc.text[found.start : found.end])
    text = stretch if is_verbatim or found.text in stretch else found.text
    text = _begun(question, found, start, _IN_MARKS.sub(r"\1", text.strip(" \"“”'’,;:")))
    if plan.answer_type == "year":
        dates = [date for date in find_dates(text) if date.year]
        year = re.search(r"\d{3,4}", dates[0].text) if dates else None
        return year.group() if year else text
    if COUNTRY_ASKED.search(question) and is_adjective(text):
        country = country_of(text)
        return country if text.startswith(country) else text
    if plan.answer_type in ("person", "text"):
        return _ROYAL.sub("", _TITLE.sub("", text, count=1), count=1)
    return text


_FROM = re.compile(r"\b(?:start|starts|begin|begins|open|opens|from when)\b", re.IGNORECASE)

_RANGE_BEFORE = re.compile(r"(\d{1,2}(?:[.:]\d\d)?)(?: ?[ap]m)?\s?(?:to|until|till|-|–|—)\s?$")


def _begun(question: str, found: Found, start: int, text: str) -> str:
    """The first time of a stretch where it is asked when something starts and the second one was read."""
    before = _RANGE_BEFORE.search(found.doc.text[max(0, start - 16) : start])
    return before[1] if before and _FROM.search(question) and text[:1].isdigit() else text


_OF_HABIT = re.compile(
    r"\W*(?:(?:and|so) )?(?:when|(?:on )?(?:what|which) (?:day|evening|night)s?) (?:do|does)\b", re.I
)
_BARE_DAY = re.compile(
    r"(?:on |every |each )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: (?:morning|afternoon|evening|night)s?)?",
    re.I,
)
_AHEAD = re.compile(r"\b(?:when|day|date|time)\s+(?:will|shall|do|does|is|are)\b|\bgoing to\b", re.IGNORECASE)


def time_as_date(time: str, found: Found, question: str) -> str:
    """A time that is told from the day of its text, as a date; "" where the text has none.

    A heading with a day, as a diary and a chat have them, is nearer than the title of the whole.
    """
    day = _day_of(found)
    return counted_from(time, day, is_past=not _AHEAD.search(question)) if day else ""


def _day_of(found: Found) -> date | None:
    passage = found.doc.passage
    return day_of(*reversed(found.doc.headings(found.start)), passage.title, passage.source)


def is_told_from_its_day(question: str, plan: Plan, found: Found, text: str) -> bool:
    """Whether an answer to "when" is told from the day of its text, in prose or talk; a record's day is not, nor a day
    of the week in a text of no day, where it is asked when something is done ("Bins: out on Sunday night").
    """
    if _OF_HABIT.match(question) and _BARE_DAY.fullmatch(text.strip()) and _day_of(found) is None:
        return False
    is_told = found.doc.kind_at(found.start) in ("", "turn")
    return is_told and wanted_sort(question, plan) == "date" and is_relative_time(text)
