"""Numbers, days and times of a workbook as it shows them, by the format codes of its cells ("0.00%", "000", "[h]:mm").

What is not understood of a code (conditions, fractions, exponents) leaves the
number as it is kept.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

from kb.documents.plaintext import MONTHS, one_line

_LARGEST = 10.0**15
"""From here on a workbook keeps no single digits."""

_MOST_PLACES = 40
_EXACT = Context(prec=80)
_SECTION = re.compile(r'((?:"[^"]*"|\\.|[^;"\\])*)(?:;|$)')

_PIECE = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]'
    r"|\[(?:Black|Blue|Cyan|Green|Magenta|Red|White|Yellow|Color ?\d+)\]"
    r"|(?P<places>[0#?][0#?,]*(?:\.[0#?]*)?,*|\.[0#?]+)|(?P<sign>%)|(?P<plain>[-+$€£¥()!&'~{}<>=^: ])",
    re.IGNORECASE | re.DOTALL,
)


def shown_number(value: float, code: str) -> str:
    """A number as a cell with this format code shows it."""
    value = value + 0  # of True, 1
    pieces, is_for_negatives = _section(code, value)
    places = [piece for kind, piece in pieces if kind == "places"]
    percent = sum(kind == "sign" for kind, _ in pieces)
    if not places or not abs(value) < _LARGEST or sum(map(len, places)) > _MOST_PLACES or percent > 1:
        return plain_number(value)
    exact = abs(Decimal(str(value))) * 100**percent
    digits = [_digits(exact, places[0])] if len(places) == 1 else _parted(exact, places)
    if digits is None:
        return plain_number(value)
    following = iter(digits)
    text = one_line("".join(next(following) if kind == "places" else piece for kind, piece in pieces))
    is_negative = value < 0 and re.search("[1-9]", "".join(digits)) is not None
    if is_for_negatives and is_negative:
        # Nobody would take brackets, or red, for less than nothing in a line of text.
        return f"-{text.strip('()- ')}"
    if is_for_negatives:
        return text.strip("()- ")
    return f"-{text}" if is_negative else text


def plain_number(value: float) -> str:
    """As a person writes it: without the noise of binary fractions, and without an exponent where it can be."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST:
        return str(int(value))
    return str(value) if isinstance(value, int) else f"{value:.15g}"


def _section(code: str, value: float) -> tuple[Sequence[tuple[str, str]], bool]:
    """The pieces of that part of a code which is for such values, none where it is not understood; and whether it is
    for negative ones alone.
    """
    sections = _SECTION.findall(code)[:-1]
    if len(sections) > 1 and value < 0:
        return _pieces(sections[1]), True
    if len(sections) > 2 and value == 0:
        return _pieces(sections[2]), False
    return _pieces(sections[0]) if sections else (), False


@lru_cache(maxsize=256)
def _pieces(section: str) -> tuple[tuple[str, str], ...]:
    """What stands in a section, in order: `places` for digits, a `sign` for per cent, and words."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(section):
        piece = _PIECE.match(section, at)
        if piece is None:
            return ()
        kind = piece.lastgroup or ""
        if kind:
            found.append((kind, piece[kind]))
        elif piece[0][0] == "_":
            found.append(("plain", " "))
        at = piece.end()
    return tuple(found)


def _digits(value: Decimal, places: str) -> str:
    """The digits of a number in places such as "#,##0.00", of which commas behind the last stand for thousands."""
    whole, _, fraction = places.rstrip(",").partition(".")
    scaled = value / 1000 ** (len(places) - len(places.rstrip(",")))
    rounded = scaled.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP, _EXACT)
    before, _, behind = f"{rounded:f}".partition(".")
    least = len(fraction.rstrip("#?"))
    behind = behind[:least] + behind[least:].rstrip("0")
    zeros = whole.count("0")
    before = before.lstrip("0").rjust(zeros, "0")
    if "," in whole:
        before = f"{int(before or 0):,}".rjust(zeros, "0") if before else ""
    return f"{before}.{behind}" if behind else before or "0"


def _parted(value: Decimal, places: Sequence[str]) -> list[str] | None:
    """The digits of a number whose places have signs between them, as "000-00-0000" has; None for other such codes."""
    if any(set(one) - set("0#?") for one in places):
        return None
    digits = f"{value.quantize(Decimal(1), ROUND_HALF_UP):f}".rjust(sum(one.count("0") for one in places), "0")
    parts: list[str] = []
    for one in reversed(places[1:]):
        parts.insert(0, digits[-len(one) :] if digits else "")
        digits = digits[: -len(one)]
    return [digits, *parts]


def shown_time(value: datetime.datetime | datetime.date | datetime.time | datetime.timedelta, code: str) -> str:
    """A day as 2025-04-03, with its time where it has one; of a code without days or months what that shows."""
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(round(abs(value.total_seconds())), 60)
        sign = "-" if value < datetime.timedelta() else ""
        return f"{sign}{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    if isinstance(value, datetime.time):
        return f"{value:%H:%M:%S}" if value.second else f"{value:%H:%M}"
    letters = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", code.partition(";")[0]).casefold()
    if isinstance(value, datetime.datetime) and value.time() != datetime.time():
        return f"{value:%Y-%m-%d %H:%M:%S}" if value.second else f"{value:%Y-%m-%d %H:%M}"
    if "y" in letters and not set(letters) & set("dhs"):
        return f"{MONTHS[value.month - 1]} {value.year}" if "m" in letters else str(value.year)
    return f"{value:%Y-%m-%d}"
