"""Dates and numbers as people write them in several languages, read to what can be compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_MONTHS = (
    ("January", "januar jänner januari janvier enero gennaio janeiro января"),
    ("February", "februar februari février febrero febbraio fevereiro февраля"),
    ("March", "märz maart mars marzo março марта"),
    ("April", "avril abril aprile апреля"),
    ("May", "mai mei mayo maggio maio мая"),
    ("June", "juni juin junio giugno junho июня"),
    ("July", "juli juillet julio luglio julho июля"),
    ("August", "augustus août agosto августа"),
    ("September", "septembre septiembre setiembre settembre setembro сентября"),
    ("October", "oktober octobre octubre ottobre outubro октября"),
    ("November", "novembre noviembre novembro ноября"),
    ("December", "dezember décembre diciembre dicembre dezembro декабря"),
)
_ENGLISH = {
    spelling: english for english, others in _MONTHS for spelling in (english.casefold(), *others.casefold().split())
}
_MONTH = "|".join(sorted(_ENGLISH, key=len, reverse=True))
_OF = r"(?:de\s+|del\s+|di\s+|do\s+)?"
_DAY_MONTH = re.compile(
    rf"(?<!\w)(\d{{1,2}})(?:\.|º|°|er)?\s+{_OF}({_MONTH})\b(?:,?\s+{_OF}(\d{{3,4}})\b)?", re.IGNORECASE
)
_MONTH_YEAR = re.compile(rf"\b({_MONTH})\s+{_OF}(\d{{4}})\b", re.IGNORECASE)
_POINTED = re.compile(r"(?<![\w.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
_SLASHED = re.compile(r"(?<![\w/])(\d{1,2})/(\d{1,2})/(\d{4})\b")
_EAST_ASIAN = re.compile(r"(\d{3,4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?")
_SHORT_RANGE = re.compile(r"\b(1\d|20)(\d\d)([-–/])(\d\d)\b(?![-–]\d)")
_EASTERN = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SCRIPT_CHANGE = re.compile(
    rf"(?<=[0-9A-Za-z\u00c0-\u024f])(?=[{_EASTERN}])|(?<=[{_EASTERN}])(?=[0-9A-Za-z\u00c0-\u024f])"
)
_OPENS_WITH_MONTH = re.compile(rf"(?:{_MONTH})\b", re.IGNORECASE)
_RUN_TOGETHER = re.compile(rf"(?<!\d)([12]\d{{3}})(?=(?:\d{{1,2}}\s+)?(?:{_MONTH})\b)", re.IGNORECASE)
_SPACED_DIGITS = re.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))")

_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
ORDINALS = {word: number for number, word in enumerate(_ORDINALS) if number} | {"twenty-first": 21}
_CENTURY = re.compile(rf"\b({'|'.join(sorted(ORDINALS, key=len, reverse=True))})[\s-]century\b", re.IGNORECASE)

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: number for number, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 1e2, "dozen": 12.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_ANY_WORD = "|".join(sorted((*_WORDS, *_SCALES), key=len, reverse=True))
_SPELLED = re.compile(rf"\b(?:{_ANY_WORD})(?:[\s-]+(?:and\s+)?(?:{_ANY_WORD}))*\b", re.IGNORECASE)

_BEHIND = {
    "thousand": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3, "million": 1e6, "millions": 1e6, "millionen": 1e6,
    "mio": 1e6, "millones": 1e6, "milhões": 1e6, "milioni": 1e6, "billion": 1e9, "milliarden": 1e9, "milliards": 1e9,
    "trillion": 1e12, "hundred": 1e2, "dozen": 12.0,
}  # fmt: skip
_DIGITS = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?:st|nd|rd|th|s)?(?!\w)"
    rf"(?:\s({'|'.join(sorted(_BEHIND, key=len, reverse=True))})\b)?",
    re.IGNORECASE,
)


def comparable(text: str) -> str:
    """The text in the forms that are compared: no invisible characters, compatibility forms resolved, and dates in
    English: "4. Mai 1899", "4 de mayo de 1899", "04.05.1899" and "1899年5月4日" all give the same.

    Of "4/5/1899" only the year is kept, as nobody knows which is the month.
    """
    text = _SPACED_DIGITS.sub("", text)
    text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    text = unicodedata.normalize("NFKC", text)
    # A dash lost from "1889–10 November 1981", as in many texts taken from web pages.
    text = _RUN_TOGETHER.sub(r"\1 ", text)
    text = _EAST_ASIAN.sub(_from_east_asian, text)
    text = _POINTED.sub(lambda m: _iso(m[3], m[2], m[1]), text)
    text = _SLASHED.sub(_from_slashed, text)
    text = _SCRIPT_CHANGE.sub(" ", text)
    text = _DAY_MONTH.sub(lambda m: f"{m[1]} {_ENGLISH[m[2].casefold()]}" + (f" {m[3]}" if m[3] else ""), text)
    text = _MONTH_YEAR.sub(lambda m: f"{_ENGLISH[m[1].casefold()]} {m[2]}", text)
    text = _SHORT_RANGE.sub(r"\1\2\3\1\4", text)
    return _CENTURY.sub(lambda m: f"{ORDINALS[m[1].casefold()]}th century", text)


def opens_with_month(text: str) -> bool:
    """Whether a text begins with the name of a month: then "5." before it ends no sentence."""
    return _OPENS_WITH_MONTH.match(text) is not None


def digit_numbers(text: str) -> Iterator[tuple[int, int, frozenset[float]]]:
    """Start, end and what it may mean of each number in digits: "1.200" is 1200 or 1.2."""
    for match in _DIGITS.finditer(text):
        factor = _BEHIND[match[2].casefold()] if match[2] else 1.0
        yield match.start(), match.end(), frozenset(value * factor for value in _readings(match[1]))


def spelled_numbers(text: str) -> Iterator[tuple[int, int, float]]:
    """Start, end and value of each number in English words: "two hundred and forty", "forty-one"."""
    for match in _SPELLED.finditer(text):
        yield match.start(), match.end(), _value(re.findall(_ANY_WORD, match[0].casefold()))


def _readings(digits: str) -> Iterator[float]:
    if re.fullmatch(r"\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d+)?", digits):
        *groups, last = re.split(r"[.,'’]", digits)
        whole = "".join(groups)
        if len(last) == 3:
            yield float(whole + last)
        if len(groups) == 1 or len(last) != 3:
            yield float(f"{whole}.{last}")
    else:
        yield float(digits.replace(",", "."))


def _value(words: list[str]) -> float:
    total = current = 0.0
    for word in words:
        if word in _WORDS:
            current += _WORDS[word]
        elif word in ("hundred", "dozen"):
            current = max(current, 1.0) * _SCALES[word]
        else:
            total, current = total + max(current, 1.0) * _SCALES[word], 0.0
    return total + current


def _iso(year: str, month: str, day: str) -> str:
    return f"{int(year):04}-{int(month):02}-{int(day):02}"


def _from_east_asian(match: re.Match[str]) -> str:
    year, month, day = match.groups()
    if day:
        return f" {_iso(year, month, day)} "
    return f" {_MONTHS[int(month) - 1][0]} {year} " if month and 1 <= int(month) <= 12 else f" {year} "


def _from_slashed(match: re.Match[str]) -> str:
    first, second, year = match.groups()
    if int(first) > 12:
        return _iso(year, second, first)
    return _iso(year, first, second) if int(second) > 12 else year
