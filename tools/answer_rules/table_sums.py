"""Cells of a table that are amounts, added up or compared: only where all of them are written alike ("£850",
"12,050 kg"), or in units of one kind ("2 kg", "900 g").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tools.answer_rules.cell_figures import FIGURE, WITH_COMMA, WITH_POINT, bare_figure, has_decimal_comma, scale_of
from tools.answer_rules.docs import Found
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.values import Number, measured

MOST_ROWS = 200
"""Rows that are added up at most: all of them are cited."""
_UNIT = 8
"""Characters of the longest unit."""
_FIGURE = re.compile(FIGURE)
_ONE = Number(0, 1, "1", 1.0)
_VAGUE = 2_000_000.0
"""Seconds from which a unit of time is no fixed number of days, as a month is."""
_FINEST = 6
"""Decimals of what is told in another unit."""
_LACKING = 4
"""Rows for each that may lack a figure where some are added up."""
_MEAN_DECIMALS = 2
_PARTS = 8
"""Summands that are told one by one at most."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A cell with one number: what stands before and behind it, its value, its decimals, what parts its thousands, and
    whether a comma stands before its decimals ("1.234,50"), where it is, and how an amount like it is written.
    """

    before: str
    behind: str
    value: float
    decimals: int
    parting: str
    has_comma: bool
    found: Found
    written: str


def amounts_in(cells: Iterable[Found]) -> list[Amount]:
    """The cells that are one number, whatever stands around it. Where one of them can only have a comma before its
    decimals ("19,50"), all have.
    """
    figures = [(found, found.text.strip(" *")) for found in cells]
    single = [(found, text, match) for found, text in figures if (match := _only(text))]
    has_comma = any(has_decimal_comma(match) for _, _, match in single)
    parting, point = (".", ",") if has_comma else (",", ".")
    made = []
    for found, text, match in single:
        if (WITH_COMMA if has_comma else WITH_POINT).fullmatch(bare := bare_figure(match)):
            around = (text[: match.start()].strip().lower(), text[match.end() :].strip().lower())
            whole, _, decimals = bare.partition(point)
            value = float(f"{whole.replace(parting, '')}.{decimals or 0}")
            parts = match["gap"] or (parting if parting in whole else "")
            made.append(Amount(*around, value, len(decimals), parts, has_comma, found, text))
    return made


def in_one_unit(amounts: Sequence[Amount]) -> list[Amount]:
    """Amounts of one kind in the largest unit that one of them is in (kg, g), or without the letters for thousands and
    millions; as they are where they are of several kinds.
    """
    if len({(one.before, one.behind) for one in amounts}) < 2:
        return list(amounts)
    scaled = [_unscaled(one) for one in amounts]
    if len({(one.before, one.behind) for one in scaled}) == 1:
        return scaled
    kinds = {one.behind: measured(f"1 {one.behind}", _ONE) for one in amounts}
    measures = {measure for measure, _ in kinds.values()}
    is_vague = measures == {"time"} and any(size > _VAGUE for _, size in kinds.values())
    if len(measures) != 1 or measures == {""} or is_vague or any(one.before for one in amounts):
        return list(amounts)
    largest = next(one for one in amounts if kinds[one.behind][1] == max(size for _, size in kinds.values()))
    return [_changed(one, kinds[one.behind][1] / kinds[largest.behind][1], largest) for one in amounts]


def _unscaled(amount: Amount) -> Amount:
    """An amount without a letter for thousands or millions behind its figure."""
    match = _only(amount.written)
    if match is None:
        return amount
    before, behind = amount.written[: match.start()], amount.written[match.end() :]
    scale, rest = scale_of(before, behind, is_whole=match[0].isdecimal())
    like = replace(amount, behind=rest.strip().lower(), written=f"{before}{match[0]}{rest}")
    return _changed(amount, float(scale), like) if scale > 1 else amount


def _changed(amount: Amount, factor: float, like: Amount) -> Amount:
    """An amount in another unit, that of one like it."""
    value = round(amount.value * factor, _FINEST)
    decimals = len(f"{value:.{_FINEST}f}".rstrip("0").partition(".")[2]) if factor != 1 else amount.decimals
    return replace(amount, value=value, decimals=decimals, behind=like.behind, written=like.written)


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
    amounts = in_one_unit(amounts_in(cells))
    return bool(amounts) and len(amounts) == len(cells) and are_alike(amounts)


def written(value: float, amounts: Sequence[Amount], decimals: int = 0) -> str:
    """A value as its cells are written, with up to so many decimals more than they have."""
    decimals = max(max(one.decimals for one in amounts), decimals)
    if decimals == 1 and value == round(value):
        decimals = 0
    parting = next((one.parting for one in amounts if one.parting), "" if decimals else ",")
    figure = f"{value:,.{decimals}f}" if parting else f"{value:.{decimals}f}"
    if amounts[0].has_comma:
        figure = figure.translate({ord(","): ".", ord("."): ","})
    if parting and parting not in ".,":
        figure = figure.replace("." if amounts[0].has_comma else ",", parting)
    return _FIGURE.sub(lambda _: figure, amounts[0].written, count=1)


def added_up(
    cells: Sequence[Found | None], confidence: float, *, is_mean: bool = False, is_sparse: bool = False
) -> Recorded | None:
    """What the cells of some rows are together, or their mean, and whether some have none; None where more than every
    fourth has none, of a sparse column three of four, or they are not of one kind.
    """
    told = [cell for cell in cells if cell]
    amounts, lacking = in_one_unit(amounts_in(told)), len(cells) - len(told)
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
