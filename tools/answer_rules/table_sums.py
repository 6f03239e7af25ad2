"""Cells of a table that are amounts, added up or compared: only where all of them are written alike ("£850",
"12,050 kg").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tools.answer_rules.docs import Found
from tools.answer_rules.recorded_sides import Recorded

MOST_ROWS = 200
"""Rows that are added up at most: all of them are cited."""
_UNIT = 8
"""Characters of the longest unit."""
_FIGURE = re.compile(r"\d(?:[\d.,]*\d)?")
_WITH_POINT, _WITH_COMMA = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?"), re.compile(r"\d+(?:\.\d{3})*(?:,\d+)?")
_ONLY_COMMA = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d+,(?:\d{1,2}|\d{4,})")
"""A figure whose comma can stand before its decimals alone."""
_LACKING = 4
"""Rows for each that may lack a figure where some are added up."""
_MEAN_DECIMALS = 2
_PARTS = 8
"""Summands that are told one by one at most."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A cell with one number: what stands before and behind it, its value, its decimals, whether its thousands are
    parted and whether a comma stands before its decimals ("1.234,50"), and where it is.
    """

    before: str
    behind: str
    value: float
    decimals: int
    is_parted: bool
    has_comma: bool
    found: Found


def amounts_in(cells: Iterable[Found]) -> list[Amount]:
    """The cells that are one number, whatever stands around it. Where one of them can only have a comma before its
    decimals ("19,50"), all have.
    """
    figures = [(found, found.text.strip(" *")) for found in cells]
    single = [(found, text, match) for found, text in figures if (match := _only(text))]
    has_comma = any(_ONLY_COMMA.fullmatch(match[0]) for _, _, match in single)
    parting, point = (".", ",") if has_comma else (",", ".")
    made = []
    for found, text, match in single:
        if (_WITH_COMMA if has_comma else _WITH_POINT).fullmatch(match[0]):
            around = (text[: match.start()].strip().lower(), text[match.end() :].strip().lower())
            whole, _, decimals = match[0].partition(point)
            value = float(f"{whole.replace(parting, '')}.{decimals or 0}")
            made.append(Amount(*around, value, len(decimals), parting in whole, has_comma, found))
    return made


def _only(text: str) -> re.Match[str] | None:
    """The one number of a text; None where it has several or none."""
    numbers = list(_FIGURE.finditer(text))
    return numbers[0] if len(numbers) == 1 else None


def are_alike(amounts: Sequence[Amount]) -> bool:
    """Whether all are amounts of one thing: the same sign or unit stands around each, and no word but that."""
    around = {(one.before, one.behind) for one in amounts}
    return len(around) == 1 and all(len(text) <= _UNIT for text in next(iter(around)))


def are_one_kind(cells: Sequence[Found]) -> bool:
    """Whether cells are amounts of one thing."""
    amounts = amounts_in(cells)
    return bool(amounts) and len(amounts) == len(cells) and are_alike(amounts)


def written(value: float, amounts: Sequence[Amount], decimals: int = 0) -> str:
    """A value as its cells are written, with up to so many decimals more than they have."""
    decimals = max(max(one.decimals for one in amounts), decimals)
    if decimals == 1 and value == round(value):
        decimals = 0
    is_parted = any(one.is_parted for one in amounts) or not decimals
    figure = f"{value:,.{decimals}f}" if is_parted else f"{value:.{decimals}f}"
    if amounts[0].has_comma:
        figure = figure.translate({ord(","): ".", ord("."): ","})
    return _FIGURE.sub(figure, amounts[0].found.text.strip(" *"), count=1)


def added_up(
    cells: Sequence[Found | None], confidence: float, *, is_mean: bool = False, is_sparse: bool = False
) -> Recorded | None:
    """What the cells of some rows are together, or their mean, and whether some have none; None where more than every
    fourth has none, of a sparse column three of four, or they are not of one kind.
    """
    told = [cell for cell in cells if cell]
    amounts, lacking = amounts_in(told), len(cells) - len(told)
    may_lack = len(cells) * (_LACKING - 1 if is_sparse else 1) / _LACKING
    is_whole = len(amounts) == len(told) and lacking <= may_lack and len(cells) <= MOST_ROWS
    if not amounts or not is_whole or not are_alike(amounts):
        return None
    values = [one.value for one in amounts]
    total = answer = written(sum(values), amounts)
    parts = " + ".join(one.found.text.strip(" *") for one in amounts)
    # No number of rows is told: where they stand in one passage nothing that is cited would have it.
    reason = f"{parts} = {total}" if len(amounts) <= _PARTS else f"Added up: {total}"
    if is_mean:
        answer = written(sum(values) / len(values), amounts, decimals=_MEAN_DECIMALS)
        reason += f", on average {answer}"
    reasons = [f"{reason}."] if len(amounts) > 1 else []
    reasons += ["Some of the rows tell none."] if lacking else []
    return Recorded(answer, tuple(one.found for one in amounts), confidence, reason=" ".join(reasons))
