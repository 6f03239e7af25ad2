"""Figures that no cell tells but that rows add up to.

"How much have we spent in total?" is the sum of a column, "How much is left for the kitchen?" what was planned for it
less what was spent, "Is the roof over budget?" which of both is more.

All rows of a table have to be there. Cells are added only where all of them are written alike ("£850", "12,050 kg").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.periods import asked_period
from tools.answer_rules.read_tables import STATED, Row, Table, tables_of
from tools.answer_rules.recorded_rows import DENIES, named_words
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.rows_marked import marked_rows
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import Number, measured

Stems = frozenset[str]

_LONGEST = 300
_UNIT = 8
"""Characters of the longest unit."""
_FIGURE = re.compile(r"\d(?:[\d,]*\d)?(?:\.\d+)?")
_ONE = Number(0, 1, "1", 1.0)
_CURRENCY = re.compile(r"[$€£¥]|\b(?:eur|gbp|usd|chf|kr)\b", re.I)
_HEAD = re.compile(
    r"\bhow many (?:\w+ )??([\w-]+)|\btotal (?:of |number of |amount of )?(?:all )?(?:the )?([\w-]+)", re.I
)
_COUNTED = re.compile(r"\W*(?:(?:and|so)\s+)?how many\b", re.I)
_IDS = frozenset(("id",))
_NUMBERED = 4
"""Rows that figures in their order number: three may be of that size by chance."""
_LACKING = 4
"""Rows for each that may lack a figure where some are added up."""
_MOST_ROWS = 200
"""Rows that are added up at most: all of them are cited."""
_TOTAL = re.compile(
    r"\b(?:in total|altogether|all together|all told|overall|in all|(?:total|sum)(?: (?:of|number|amount))?"
    r"|add(?:s|ed)? up(?: to)?|together|everything|all in$)\b",
    re.I,
)
_TOTAL_TOLD = re.compile(r"\b(?:total|sum|altogether|overall|all)\b", re.I)
_ASKS_TOTAL = re.compile(
    r"\W*(?:(?:and|so)\s+)?(?:how (?:much|many)|what(?:['’]s| is| was| are| were| do| does| did)?)\b", re.I
)
_HOW_MANY = re.compile(r"\W*(?:(?:and|so)\s+)?how (?:much|many)\b", re.I)
_SPENDS = re.compile(
    r"\W*(?:(?:and|so)\s+)?(?:how much|what) (?:have|has|did|do|does) (?:[\w'’-]+ ){1,4}?(?:pay|paid|spend|spent)\b",
    re.I,
)
_MEAN = re.compile(r"\b(?:average|mean)\b", re.I)
_EACH = re.compile(r"\b(?:per|for each|for every|(?<=for )an?|each|every) (?P<each>[\w-]+)$", re.I)
_MEAN_DECIMALS = 2
_PARTS = 8
"""Summands that are told one by one; of more it is told how many they are."""
_LEFT = re.compile(r"\b(?:left|remains?|remaining|still (?:have|got)|have (?:\w+ )?still)\b", re.I)
_BUDGET = re.compile(
    r"\b(?P<side>over|under|above|below|within) (?:the |our |its |my )?(?:budget|estimate|quote|plan)\b"
    r"|\b(?P<spent>overspent|more than (?:was )?(?:planned|budgeted|estimated|quoted))\b",
    re.I,
)
_ASKS_SIDE = re.compile(r"\W*(?:(?:and|so)\s+)?(?:is|are|was|were|have|has|did)\b", re.I)
_ASKS_WHICH = re.compile(r"\W*(?:(?:and|so)\s+)?(?:which|what)\b", re.I)
_ASKS_MUCH = re.compile(r"\W*(?:(?:and|so)\s+)?(?:by )?how (?:much|far)\b", re.I)
_PLANNED = frozenset(content_stems("planned plan budget budgeted estimate estimated quoted allocated allowed forecast"))
_SPENT = frozenset(content_stems("spent actual actually paid used cost costs spending final"))
_MONEY = frozenset(
    content_stems(
        "price cost fee amount total sum paid spent income revenue earnings takings sales gift donation eur "
        "gbp usd chf euro euros pounds dollars value"
    )
)
_MONEY_ASKED = re.compile(r"\bhow much\b|\b(?:cost|price|amount|bill|spending|expenses|pay|paid|spend|spent)\b", re.I)
_ASIDE = frozenset(
    content_stems(
        "average mean "
        "how much many what which have has had do did does is are was were be we our us my i you your there "
        "it the of for on so far now until yet still spend spent pay paid cost use used need get got buy "
        "bought money total totals sum altogether overall all together told add up amount number over under "
        "above below within budget left remain remains remaining item items thing things by in to at any "
        "budgeted come comes give gave given donate donated raise raised collect collected contribute contributed "
        "out everything hand handed date table list sheet file column"
    )
) | frozenset(("what", "how"))


@dataclass(frozen=True, slots=True)
class _Amount:
    """A cell with one number: what stands before and behind it, its value, its decimals, and where it is."""

    before: str
    behind: str
    value: float
    decimals: int
    has_commas: bool
    found: Found


def asks_for_figure(question: str) -> bool:
    """Whether a question may ask for a figure that rows add up to."""
    text = question[:_LONGEST]
    of_several = _TOTAL.search(text) or _LEFT.search(text) or _MEAN.search(text)
    is_of_some = _ASKS_TOTAL.match(text) and (of_several or (_HOW_MANY.match(text) and asked_period(text)))
    return bool(is_of_some or _BUDGET.search(text) or _SPENDS.match(text))


def is_one_of_several(question: str, found: Found) -> bool:
    """Whether a question asks for what several values are together, and one row's value was found that is no total."""
    text = question[:_LONGEST].strip(" ?.!")
    line = found.doc.line_at(found.start) if _ASKS_TOTAL.match(text) and _TOTAL.search(text) else None
    return line is not None and line.kind == "row" and not _TOTAL_TOLD.search(found.doc.text[line.start : line.end])


def find_figure(question: str, evidence: Evidence) -> Recorded | None:
    """The sum of a column, or how what was planned and what was spent differ; None where nothing or several fit."""
    text = " ".join(question.split()).strip(" ?.!")
    if len(question) > _LONGEST or not asks_for_figure(text) or DENIES.search(text):
        return None
    about = frozenset(content_stems(text)) - {"per"}
    names = named_words(text)
    tables = [one for one in tables_of(evidence) if len(one.rows) > 1]
    compared = _BUDGET.search(text) or _LEFT.search(text)
    tell = _compared if compared else _sum
    found = [(_said(text, one, about), told) for one in tables if (told := tell(text, about, names, one))]
    most = max((said for said, _ in found), default=(0, 0))
    best = [told for said, told in found if said == most]
    return best[0] if len(best) == 1 else None


def _said(text: str, table: Table, about: Stems) -> tuple[int, int]:
    """How many words of a question the table and its columns have, and how many the column that is added up."""
    column = _asked_column(text, about, table) or Stems()
    return len(about & (table.called | table.headers)), len(about & column)


def _sum(text: str, about: Stems, names: Stems, table: Table) -> Recorded | None:
    """The sum of the column that is asked for, over all rows that say what else is asked."""
    period = asked_period(text)
    if period:
        text, about = period.rest, frozenset(content_stems(period.rest))
    if each := _EACH.search(text) if _MEAN.search(text) else None:
        if not _is_row_each(each["each"], table):
            return None
        about -= frozenset(content_stems(each["each"]))
    is_of_some = bool(_SPENDS.match(text) or (period and _HOW_MANY.match(text)))
    if not _TOTAL.search(text) and not _MEAN.search(text) and not is_of_some:
        return None
    column = _asked_column(text, about, table)
    if column is None or (_COUNTED.match(text) and _is_of_money(text, column, table)):
        return None
    is_unit = bool(_unit_asked(text))
    if is_unit and (head := _HEAD.search(text)):
        about -= frozenset(content_stems(head[1] or head[2]))
    rows = _rows(about, names, table, column, is_unit=is_unit)
    rows = period.rows(rows) if period else rows
    if (marked := marked_rows(text, about, table, column)) is not None:
        known = set(map(id, marked))
        rows = [row for row in rows if id(row) in known]
    is_of_all, is_mean = len(rows) == len(table.rows), bool(_MEAN.search(text))
    if is_of_some and is_of_all and not _TOTAL.search(text) and not is_mean:
        return None
    if table.totals and not is_mean:
        cells = _amounts(table.totals[:1], column)
        if is_of_all or not cells:  # without one whoever wrote the table did not add these up
            return Recorded(cells[0].found.text, (cells[0].found,), STATED) if cells else None
    amounts = _amounts(rows, column)
    if not 2 <= len(rows) <= _MOST_ROWS or len(amounts) < len(rows) or not _are_alike(amounts):
        return None
    values = [one.value for one in amounts]
    total = told = _written(sum(values), amounts)
    parts = (
        " + ".join(one.found.text.strip(" *") for one in amounts) if len(amounts) <= _PARTS else f"{len(amounts)} rows"
    )
    if is_mean:
        told = _written(sum(values) / len(values), amounts, decimals=_MEAN_DECIMALS)
    reason = f"{parts} = {total}" + (f"; {total} / {len(values)} = {told}" if is_mean else "") + "."
    return Recorded(told, tuple(one.found for one in amounts), STATED, reason=reason)


def are_alike(cells: Sequence[Found]) -> bool:
    """Whether cells are amounts of one thing."""
    amounts = _read(cells)
    return bool(amounts) and len(amounts) == len(cells) and _are_alike(amounts)


def added_up(cells: Sequence[Found | None], confidence: float) -> Recorded | None:
    """What the cells of some rows are together, with how many rows have none; None where more than every fourth has
    none, or they are not of one kind.
    """
    told = [cell for cell in cells if cell]
    amounts, lacking = _read(told), len(cells) - len(told)
    is_whole = len(amounts) == len(told) and _LACKING * lacking <= len(cells) <= _MOST_ROWS
    if not amounts or not is_whole or not _are_alike(amounts):
        return None
    total = _written(sum(one.value for one in amounts), amounts)
    parts = (
        " + ".join(one.found.text.strip(" *") for one in amounts) if len(amounts) <= _PARTS else f"{len(amounts)} rows"
    )
    reasons = [f"{parts} = {total}."] if len(amounts) > 1 else []
    reasons += [f"Of {len(cells)} rows {lacking} tell none."] if lacking else []
    return Recorded(total, tuple(one.found for one in amounts), confidence, reason=" ".join(reasons))


def _is_of_money(text: str, column: Stems, table: Table) -> bool:
    """Whether a column is of money, for which a question for how many of something else does not ask: "children" by
    "price per child".
    """
    counted = frozenset(content_stems(" ".join(one for match in _HEAD.findall(text) for one in match)))
    is_money = column & _MONEY or any(_CURRENCY.search(one.before + one.behind) for one in _amounts(table.rows, column))
    return bool(is_money) and not counted & _MONEY


def _is_row_each(thing: str, table: Table) -> bool:
    """Whether every row is one of these things: a day of its own, or what the table is of."""
    if thing.lower() == "day":
        days = [day for row in table.rows for _, day in list(row.days())[:1]]
        return len({(day.year, day.month, day.day) for day in days}) == len(table.rows)
    return bool(frozenset(content_stems(thing)) & table.called)


def _compared(text: str, about: Stems, names: Stems, table: Table) -> Recorded | None:
    """How much of what was planned is left, or spent besides; which rows have more spent than planned, or whether."""
    planned, spent = (_only_column(table, called) for called in (_PLANNED, _SPENT))
    if planned is None or spent is None or planned == spent:
        return None
    match = _BUDGET.search(text)
    side = (match["side"] or "over").lower() if match else ""
    is_over = side in ("over", "above")
    rows = _rows(about, names, table, planned | spent)
    if _ASKS_WHICH.match(text):
        return _beyond(rows, planned, spent, is_over=is_over) if match and len(rows) > 1 else None
    if not (_ASKS_SIDE.match(text) and match) and not _ASKS_MUCH.match(text):
        return None
    is_of_all = len(rows) == len(table.rows)
    chosen = table.totals[:1] if table.totals and is_of_all else rows
    if not 0 < len(chosen) <= _MOST_ROWS or (len(chosen) > 1 and not is_of_all):
        return None
    sides = _amounts(chosen, planned), _amounts(chosen, spent)
    if not all(len(side) == len(chosen) for side in sides) or not _are_alike([*sides[0], *sides[1]]):
        return None
    if match is None and is_of_all and "budget" not in text.lower():
        return None
    sums = [_written(sum(one.value for one in side), side) for side in sides]
    left = sum(one.value for one in sides[0]) - sum(one.value for one in sides[1])
    places = tuple(one.found for pair in zip(*sides, strict=True) for one in pair)
    reason = f"Planned {sums[0]}, spent {sums[1]}."
    if _ASKS_SIDE.match(text):
        is_less = left >= 0 if side == "within" else left > 0
        told = "yes" if (left < 0 if is_over else is_less) else "no"
        return Recorded(told, places, STATED, reason=reason if len(chosen) > 1 else "")
    if match is None and left < 0:
        return None
    other = "" if (left < 0) == is_over else " under" if is_over else " over"
    told = _written(abs(left), [*sides[0], *sides[1]])
    larger, smaller = sums if left >= 0 else sums[::-1]
    reason = (f"{reason} " if len(chosen) > 1 else "") + f"{larger} - {smaller} = {told}."
    return Recorded(told + other, places, STATED, reason=reason)


def _beyond(rows: Sequence[Row], planned: Stems, spent: Stems, *, is_over: bool) -> Recorded | None:
    """The rows of which more was spent than planned, or less."""
    kept = []
    for row in rows:
        sides = _amounts([row], planned) + _amounts([row], spent)
        if len(sides) != 2 or not _are_alike(sides):
            return None
        if (sides[1].value > sides[0].value) if is_over else (sides[1].value < sides[0].value):
            kept.append(row.key())
    return Recorded(", ".join(one.text for one in kept), tuple(kept), STATED) if kept else None


def _rows(about: Stems, names: Stems, table: Table, column: Stems, *, is_unit: bool = False) -> list[Row]:
    """The rows that say what a question says besides its column and its table."""
    wanted = about - _ASIDE - table.called - column - table.headers
    said = frozenset[str]().union(*(row.said for row in table.rows))
    wanted |= about & names & said
    lost = wanted - said
    most = 2 if len(about & column) > 1 else 1  # verbs mostly, and who did it: "did Ann work", "do the cows give"
    is_about = about & (table.called | table.headers) - _ASIDE or is_unit
    if len(lost) <= most and not lost & names and is_about:
        wanted -= lost
    return _where_whole([row for row in table.rows if wanted <= row.said], wanted)


def _where_whole(rows: list[Row], wanted: Stems) -> list[Row]:
    """The rows that say these words in the columns in which some row has nothing but them: what was spent on coal are
    the rows of the category "Coal", not those of another with "bag of coal" beside it.
    """
    said = [(row, [(header, _stems(row, start, end)) for header, start, end in row.cells]) for row in rows]
    whole = {header for _, cells in said for header, stems in cells if stems and stems <= wanted}
    kept = [row for row, cells in said if wanted <= Stems().union(*(one for at, one in cells if at in whole))]
    return kept or rows


def _stems(row: Row, start: int, end: int) -> Stems:
    return frozenset(content_stems(row.doc.text[start:end]))


def _only_column(table: Table, called: Stems) -> Stems | None:
    """The one column of figures that is called so."""
    found = [header for header in table.columns if header & called and len(_amounts(table.rows, header)) > 1]
    return found[0] if len(found) == 1 else None


def _asked_column(text: str, about: Stems, table: Table) -> Stems | None:
    """The column that a question names, else the one of what was planned, or the only one of money."""
    figures = ((header, _amounts(table.rows, header)) for header in table.columns)
    numeric = [
        header for header, amounts in figures if len(amounts) > 1 and not (_is_numbering(amounts) or header & _IDS)
    ]
    named = [header for header in numeric if header & (about - _ASIDE | about & _SPENT)]
    head = frozenset(content_stems(" ".join(one for match in _HEAD.findall(text) for one in match)))
    named = [header for header in named if header & head] or named
    named = [header for header in named if header <= about] or named
    if named:
        return named[0] if len(named) == 1 else None
    if unit := _unit_asked(text):
        counted = [header for header in numeric if _measure(_amounts(table.rows, header)) == unit]
        return counted[0] if len(counted) == 1 else None
    if "budget" in text.lower():
        return _only_column(table, _PLANNED)
    if money := _only_column(table, _MONEY) if _MONEY_ASKED.search(text) else None:
        return money
    if _COUNTED.match(text):
        return None
    signed = [header for header in table.columns if _is_signed(_amounts(table.rows, header), len(table.rows))]
    return signed[0] if len(signed) == 1 else None


def _unit_asked(text: str) -> str:
    """What is measured by the unit that a question asks for: "area" of "How many hectares …"."""
    head = _HEAD.search(text)
    return measured(f"1 {head[1] or head[2]}", _ONE)[0] if head else ""


def _is_numbering(amounts: Sequence[_Amount]) -> bool:
    """Whether figures number the rows one after another, as those of invoices do: they are no amounts."""
    steps = {later.value - earlier.value for earlier, later in pairwise(amounts)}
    return steps == {1.0} and len(amounts) >= _NUMBERED


def _measure(amounts: Sequence[_Amount]) -> str:
    """What amounts are measured in; "" where that is no unit that is known, or not one."""
    found = {measured(f"1 {one.behind}", _ONE)[0] for one in amounts}
    return found.pop() if len(found) == 1 else ""


def _is_signed(amounts: Sequence[_Amount], rows: int) -> bool:
    """Whether all rows have an amount of one currency."""
    return (
        len(amounts) == rows and _are_alike(amounts) and bool(_CURRENCY.search(amounts[0].before + amounts[0].behind))
    )


def _amounts(rows: Iterable[Row], column: Stems) -> list[_Amount]:
    """The cells of a column that are one number, whatever stands around it."""
    return _read(cell for row in rows if (cell := row.cell(column)))


def _read(cells: Iterable[Found]) -> list[_Amount]:
    made = []
    for found in cells:
        text = found.text.strip(" *")
        numbers = list(_FIGURE.finditer(text))
        if len(numbers) == 1:
            before, digits, behind = text[: numbers[0].start()], numbers[0][0], text[numbers[0].end() :]
            around, value = (before.strip().lower(), behind.strip().lower()), float(digits.replace(",", ""))
            made.append(_Amount(*around, value, len(digits.partition(".")[2]), "," in digits, found))
    return made


def _are_alike(amounts: Sequence[_Amount]) -> bool:
    """Whether all are amounts of one thing: the same sign or unit stands around each, and no word but that."""
    around = {(one.before, one.behind) for one in amounts}
    return len(around) == 1 and all(len(text) <= _UNIT for text in next(iter(around)))


def _written(value: float, amounts: Sequence[_Amount], decimals: int = 0) -> str:
    """A value as its cells are written, with up to so many decimals more than they have."""
    decimals = max(max(one.decimals for one in amounts), decimals)
    figure = (
        f"{value:,.{decimals}f}" if any(one.has_commas for one in amounts) or not decimals else f"{value:.{decimals}f}"
    )
    return _FIGURE.sub(figure, amounts[0].found.text.strip(" *"), count=1)
