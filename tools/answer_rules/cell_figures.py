"""Figures as cells have them: thousands apart by a blank or an apostrophe ("1 234,50", "1'234.50"), a comma before the
decimals, and a letter for thousands or millions ("1.5k", "£2.3M").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

_GROUPED = r"\d{1,3}(?:(?P<gap>['’ ])\d{3}(?:(?P=gap)\d{3})*)(?!\d)(?:[.,]\d+)?"
"""A figure of at least four digits whose thousands stand apart."""

FIGURE = rf"(?P<figure>{_GROUPED}|\d(?:[\d.,]*\d)?)"
_ONLY_COMMA = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d+,(?:\d{1,2}|\d{4,})")
"""A figure whose comma can stand before its decimals alone."""

WITH_POINT, WITH_COMMA = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?"), re.compile(r"\d+(?:\.\d{3})*(?:,\d+)?")

_CELL = re.compile(rf"(?P<before>[^\d]{{0,8}}){FIGURE}(?P<behind>[^\d]{{0,16}})")
_SCALE = re.compile(r"([kKMBm]|\s?(?:bn|mn))(?![^\W\d_])")
_SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "mn": 10**6, "m": 10**6, "B": 10**9, "bn": 10**9}
_SIGN = re.compile(r"[$€£¥]\s?-?$")


def plain_cells(cells: Mapping[int, str]) -> dict[int, str]:
    """Cells with their one figure as it is written without all that: "1234.50", "£2300000". Where one of them can only
    have a comma before its decimals, all have; where others cannot, the cells are left as they are.
    """
    read = {at: _CELL.fullmatch(text) for at, text in cells.items()}
    has_comma = any(has_decimal_comma(match) for match in read.values() if match)
    if has_comma and not all(WITH_COMMA.fullmatch(bare_figure(match)) for match in read.values() if match):
        return dict(cells)
    return {at: _plain(match, has_comma=has_comma) if (match := read[at]) else text for at, text in cells.items()}


def scale_of(before: str, behind: str, *, is_whole: bool = True) -> tuple[int, str]:
    """How many a letter right behind a figure stands for, and what stands behind it: 1 for none. An "m" is of millions
    behind a currency's sign alone, else it is of metres, and so is a capital behind a whole figure: "2B" is a flat.
    """
    match = _SCALE.match(behind)
    needs_sign = match is not None and (match[1] == "m" or (is_whole and match[1] in "BKM"))
    if match is None or (needs_sign and not _SIGN.search(before)):
        return 1, behind
    return _SCALES[match[1].strip()], behind[match.end() :]


def bare_figure(match: re.Match[str]) -> str:
    """A figure without what parts its thousands."""
    return re.sub(r"['’ ]", "", match["figure"])


def has_decimal_comma(match: re.Match[str]) -> bool:
    """Whether the comma of a figure can only stand before its decimals."""
    bare = bare_figure(match)
    return _ONLY_COMMA.fullmatch(bare) is not None or (match["gap"] is not None and "," in bare)


def _plain(match: re.Match[str], *, has_comma: bool) -> str:
    bare = bare_figure(match)
    scale, behind = scale_of(match["before"], match["behind"], is_whole=bare.isdecimal())
    if not (WITH_COMMA if has_comma else WITH_POINT).fullmatch(bare):
        return match[0]
    if has_comma:
        bare = bare.translate({ord("."): None, ord(","): "."})
    value = Decimal(bare.replace(",", "")) * scale
    if scale > 1:
        value = value.normalize()
    return match[0] if bare == match["figure"] and scale == 1 else f"{match['before']}{value:f}{behind}"
