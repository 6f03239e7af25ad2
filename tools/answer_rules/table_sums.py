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
_FIGURE = re.compile(r"\d(?:[\d,]*\d)?(?:\.\d+)?")
_LACKING = 4
"""Rows for each that may lack a figure where some are added up."""
_MEAN_DECIMALS = 2
_PARTS = 8
"""Summands that are told one by one at most."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A cell with one number: what stands before and behind it, its value, its decimals, and where it is."""

    before: str
    behind: str
    value: float
    decimals: int
    has_commas: bool
    found: Found


def amounts_in(cells: Iterable[Found]) -> list[Amount]:
    """The cells that are one number, whatever stands around it."""
    made = []
    for found in cells:
        text = found.text.strip(" *")
        numbers = list(_FIGURE.finditer(text))
        if len(numbers) == 1:
            before, digits, behind = text[: numbers[0].start()], numbers[0][0], text[numbers[0].end() :]
            around, value = (before.strip().lower(), behind.strip().lower()), float(digits.replace(",", ""))
            made.append(Amount(*around, value, len(digits.partition(".")[2]), "," in digits, found))
    return made


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
    figure = (
        f"{value:,.{decimals}f}" if any(one.has_commas for one in amounts) or not decimals else f"{value:.{decimals}f}"
    )
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
