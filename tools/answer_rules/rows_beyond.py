"""Rows whose value lies beyond a number: "Which rooms are higher than 2.4 m?", "Who owes more than £50?", "How many
hives have at least 10 frames?".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kb.documents.plaintext import MONTHS
from tools.answer_rules.asked_rows import asks_who
from tools.answer_rules.chosen_rows import ChosenRows, kind_asked, titled, words_above
from tools.answer_rules.docs import Evidence
from tools.answer_rules.read_tables import Row, Table, is_of_people, tables_of
from tools.answer_rules.recorded_rows import DENIES, named_words
from tools.answer_rules.recorded_sides import asked_measures
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import Date, Number, find_dates, find_numbers, measured

Stems = frozenset[str]

_LONGEST = 300
_NONE: Stems = frozenset()
_BEGUN = 3
"""Letters of the longest stem that is too short to be told from others."""
_ROWS = 2
"""Rows with a value to compare that a table has at least."""
_ASKS = re.compile(r"\W*(?:(?:and|so)\s+)?(?:which|what|who|how many|list|name|show)\b", re.I)
_SIGN = r"(?P<sign>[$€£¥]\s?)?"
_BEYOND = re.compile(
    rf"\b(?:(?P<than>\w+er|more|less)(?P<what>(?: \w+){{0,2}}?) than|(?P<more>over|above|exceed(?:s|ing)?|at least"
    rf"|after|since)|(?P<less>under|below|at most|up to|before))\s+{_SIGN}(?=\d|(?:{'|'.join(MONTHS)})\b)",
    re.I,
)
_LARGER = frozenset("more greater higher larger bigger longer taller wider heavier deeper older later faster".split())
_SMALLER = frozenset("less fewer lower smaller shorter narrower lighter cheaper younger earlier slower".split())
_WITH_END = frozenset(("at least", "at most", "up to", "since"))
_TIMES = frozenset(("after", "since", "before"))
_CURRENCIES = {
    word: said[0]
    for said in ("€ eur euro euros", "£ gbp pound pounds", "$ usd dollar dollars", "¥ jpy yen")
    for word in (*said.split(), *content_stems(said))
}
_SIGNS = frozenset(_CURRENCIES.values())
_LAST_DAY = 31
_MONTH = re.compile(rf"(?:{'|'.join(MONTHS)})\b", re.I)
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_PRICED = frozenset(
    content_stems(
        "price cost fee rent fare rate amount total value paid owed due budget spent gift donation eur gbp usd chf "
        "euro euros"
    )
)
_ASIDE = frozenset(
    content_stems(
        "which what who how many much list name show all the our we us my me i you have has had do does "
        "did is are was were be get need take takes than more less over above under below at least most "
        "there of in with that a an up to pay pays spend owe owes charge charges give gives gave given donate donated"
    )
) | frozenset(("what", "who", "which"))
_THINGS = frozenset(content_stems("thing things item items entry entries row rows one ones people person persons"))


@dataclass(frozen=True, slots=True)
class _Amount:
    """The number of a question: what it measures ("length", "day", "" for a count), how much it is in units of that,
    the sign of its currency or "yearly" for a day of each year, where it ends, and the words of what is counted.
    """

    measure: str
    value: float
    of: str
    end: int
    things: str = ""


@dataclass(frozen=True, slots=True)
class _Bound:
    """What is asked: values on this side of a number; the words for its column, for all else, and of names."""

    is_larger: bool
    with_end: bool
    amount: _Amount
    columns: Stems
    about: Stems
    names: Stems

    def holds(self, value: float) -> bool:
        if value == self.amount.value:
            return self.with_end
        return (value > self.amount.value) == self.is_larger


def asks_beyond(question: str) -> bool:
    """Whether a question asks for what lies beyond a number."""
    return bool(_BEYOND.search(question[:_LONGEST]))


def find_beyond(question: str, evidence: Evidence) -> ChosenRows | None:
    """The rows of the one table that fits whose value lies beyond the number of the question.

    All rows of the tables have to be there. None where no column is meant or two tables have one, where the question
    says what neither the table nor its rows do, and where no row is beyond.
    """
    text = " ".join(question.split()).strip(" ?.!")
    bound = _read(text)
    if bound is None:
        return None
    tables = tables_of(evidence)
    kind, known = kind_asked(text), words_above(tables)
    found = [(table, *beyond) for table in tables if (beyond := _beyond(bound, kind, known, table))]
    fits = [(is_named, asks_who(text) and is_of_people(table)) for table, _, is_named in found]
    best = [(table, rows) for (table, rows, _), fit in zip(found, fits, strict=True) if fit == max(fits)]
    return ChosenRows(text, best[0][0], tuple(best[0][1])) if len(best) == 1 else None


def _read(text: str) -> _Bound | None:
    if len(text) > _LONGEST or not _ASKS.match(text) or DENIES.search(text):
        return None
    matches = list(_BEYOND.finditer(text))
    word = (matches[0]["than"] or "").lower() if matches else ""
    if len(matches) != 1 or (word and word not in _LARGER | _SMALLER):
        return None
    match = matches[0]
    side = match[0].lower().rstrip("$€£¥ ")
    amount = _time(text[match.end() :], side) if side in _TIMES else _amount(text[match.end() :], match["sign"] or "")
    if amount is None or find_numbers(text[: match.start()] + text[match.end() + amount.end :]):
        return None
    compared = [one.columns for one in asked_measures(f"{word} than")] if word else []
    rest = f"{text[: match.start()]} {match['what'] or ''} {amount.things} {text[match.end() + amount.end :]}"
    return _Bound(
        bool(match["more"]) or word in _LARGER,
        side in _WITH_END,
        amount,
        frozenset[str]().union(*compared),
        frozenset(content_stems(rest)) - _ASIDE,
        named_words(rest),
    )


def _time(text: str, side: str) -> _Amount | None:
    """The year, the month or the day that a text begins with; what is told without its year is one of each year. After
    a month is after its last day, before or since it is seen from its first.
    """
    day = next((one for one in find_dates(text)[:1] if one.month and not one.start), None) or _month(text)
    if day:
        edge = day if day.day else replace(day, day=_LAST_DAY if side == "after" else 1)
        return _Amount("day", float(_day(edge)), "yearly" if not day.year else "", day.end)
    year = _YEAR.match(text)
    return _Amount("year", float(year[0]), "", year.end()) if year else None


def _month(text: str) -> Date | None:
    """The month that a text begins with, without its year."""
    match = _MONTH.match(text)
    return Date(0, match.end(), match[0], 0, MONTHS.index(match[0].capitalize()) + 1) if match else None


def _day(date: Date) -> int:
    return (date.year * 12 + date.month) * 31 + date.day


def _amount(text: str, sign: str) -> _Amount | None:
    """The number that a text begins with, in the units of what it measures, or the currency that it is of."""
    number = next((one for one in find_numbers(text)[:1] if not one.start), None)
    if number is None:
        return None
    measure, value = measured(text, number)
    unit = re.match(r"\s*([^\W\d_]+)", text[number.end :])
    money = sign.strip() or _CURRENCIES.get(unit[1].lower() if unit else "", "")
    end = number.end + (unit.end() if unit and (measure or (money and not sign)) else 0)
    things = "" if measure else re.sub(r"[^a-z]+", " ", number.text, flags=re.I)
    return _Amount(measure, value if measure else number.value, money, end, things)


def _beyond(bound: _Bound, kind: Stems, known: Stems, table: Table) -> tuple[list[Row], bool] | None:
    """The rows of a table beyond the bound, and whether the question names their column; None where the table is not
    meant. A word of a `kind` may be one that no row says, but not another table's.
    """
    values = {header: found for header in table.columns if len(found := _values(bound, table, header)) >= _ROWS}
    column = _column(bound, values)
    if column is None:
        return None
    is_about = bool(bound.about & (table.called | table.headers | _THINGS))
    wanted = bound.about - table.called - table.headers - column - _THINGS - (_PRICED if column & _PRICED else _NONE)
    unknown = wanted - frozenset[str]().union(*(row.said | titled(row) for row in table.rows))
    is_named = bool(_alike(column, bound.about))
    lost = unknown - (kind - known) - _alike(bound.about, column)
    is_measured = bound.amount.measure not in ("", "day", "year")
    if not (is_about or wanted or bound.amount.of in _SIGNS) or lost & (bound.names | kind):
        return None
    if len(lost) > int(is_about or is_measured):
        return None
    wanted -= unknown
    rows = [row for row, value in values[column] if bound.holds(value) and wanted <= row.said | titled(row)]
    return (rows, is_named) if rows else None


def _alike(ones: Stems, others: Stems) -> Stems:
    """The stems that are among others, or begin as one of them does: "weigh" and "weight"."""
    return frozenset(
        one
        for one in ones
        for other in others
        if one == other or (len(min(one, other, key=len)) > _BEGUN and (one.startswith(other) or other.startswith(one)))
    )


def _column(bound: _Bound, values: dict[Stems, list[tuple[Row, float]]]) -> Stems | None:
    """The one column that the question names, or whose measure the comparing word is of, or the only one of money."""
    named = [header for header in values if _alike(header, bound.about)]
    called = [header for header in values if header & bound.columns]
    priced = [header for header in values if header & _PRICED] if bound.amount.of in _SIGNS else []
    for found in (named, called, priced, list(values) if bound.amount.of or bound.amount.measure else []):
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _values(bound: _Bound, table: Table, header: Stems) -> list[tuple[Row, float]]:
    """The rows that have one number of what is asked about below a header, and that number in the bound's units."""
    cells = [(row, found.text.strip(" *")) for row in table.rows if (found := row.cell(header))]
    asked = bound.amount
    if asked.measure == "year":
        years = [(row, frozenset(_YEAR.findall(cell))) for row, cell in cells]
        return [(row, float(*found)) for row, found in years if len(found) == 1]
    if asked.measure == "day":
        days = [(row, [one for one in find_dates(cell) if one.month and one.day]) for row, cell in cells]
        dated = [(row, found[0]) for row, found in days if len(found) == 1]
        if asked.of == "yearly" and len({day.year for _, day in dated}) > 1:
            return []
        return [(row, float(_day(replace(day, year=0) if asked.of else day))) for row, day in dated]
    units = (measured(f"1 {word}", Number(0, 1, "1", 1.0)) for word in sorted(header))
    unit = next((one for one in units if one[0]), ("", 1.0))
    currencies = frozenset(_CURRENCIES[word] for word in header if word in _CURRENCIES)
    is_unsaid = header & _PRICED and not currencies and not any(sign in cell for sign in _SIGNS for _, cell in cells)
    is_priced = asked.of in currencies or bool(is_unsaid)
    told = []
    for row, cell in cells:
        numbers = find_numbers(cell)
        if len(numbers) != 1 or (asked.of and asked.of not in cell and not is_priced):
            continue
        measure, value = measured(cell, numbers[0])
        if not measure:
            measure, value = unit[0], value * unit[1]
        if measure == asked.measure or not asked.measure:
            told.append((row, value if asked.measure else numbers[0].value))
    return told
