"""Rows whose value lies beyond a number: "Which rooms are higher than 2.4 m?", "Who owes more than £50?", "How many
hives have at least 10 frames?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.answer_rules.asked_rows import Row, Table, tables_of
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.recorded_rows import DENIES, NAME
from tools.answer_rules.recorded_sides import asked_measures
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import Number, find_numbers, measured

Stems = frozenset[str]

STATED = 0.86
"""How sure it is that the column is the one that is meant."""

_LONGEST = 300
_ROWS = 2
"""Rows with a value to compare that a table has at least."""
_ASKS = re.compile(r"\W*(?:(?:and|so)\s+)?(?:which|what|who|how many|list|name|show)\b", re.I)
_SIGN = r"(?P<sign>[$€£¥]\s?)?"
_BEYOND = re.compile(
    rf"\b(?:(?P<than>\w+er|more|less)(?P<what>(?: \w+){{0,2}}?) than|(?P<more>over|above|exceed(?:s|ing)?|at least"
    rf"|after|since)|(?P<less>under|below|at most|up to|before))\s+{_SIGN}(?=\d)",
    re.I,
)
_LARGER = frozenset("more greater higher larger bigger longer taller wider heavier deeper older later faster".split())
_SMALLER = frozenset("less fewer lower smaller shorter narrower lighter cheaper younger earlier slower".split())
_WITH_END = frozenset(("at least", "at most", "up to", "since"))
_YEARS = frozenset(("after", "since", "before"))
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_PRICED = frozenset(
    content_stems(
        "price cost fee rent fare rate amount total value paid owed due budget spent eur gbp usd chf euro euros"
    )
)
_ASIDE = frozenset(
    content_stems(
        "which what who how many much list name show all the our we us my me i you have has had do does "
        "did is are was were be get need take takes than more less over above under below at least most "
        "there of in with that a an up to pay pays spend owe owes charge charges"
    )
) | frozenset(("what", "who", "which"))
_WHO = re.compile(r"\W*who\b", re.I)
_NAME, _CODE = re.compile(r"[^\W\d_]{2}"), re.compile(r"[^\W\d_]")
_THINGS = frozenset(content_stems("thing things item items entry entries row rows one ones people person persons"))


@dataclass(frozen=True, slots=True)
class _Bound:
    """What is asked: values on this side of a number; the words for its column, for all else, and of names."""

    is_larger: bool
    with_end: bool
    is_year: bool
    sign: str
    measure: str
    value: float
    columns: Stems
    about: Stems
    names: Stems

    def holds(self, value: float) -> bool:
        if value == self.value:
            return self.with_end
        return (value > self.value) == self.is_larger


def asks_beyond(question: str) -> bool:
    """Whether a question asks for what lies beyond a number."""
    return bool(_BEYOND.search(question[:_LONGEST]))


def count_beyond(question: str, evidence: Evidence) -> list[Found]:
    """The first cell of each of the rows that `find_beyond` names."""
    found = _rows_beyond(question, evidence)
    return [row.doc.found(*row.line.key, STATED) for row in found[1]] if found else []


def find_beyond(question: str, evidence: Evidence) -> list[Found]:
    """The first cells of the rows of the one table that fits whose value lies beyond the number of the question.

    All rows of the tables have to be there. [] where no column is meant or two tables have one, where the question says
    what neither the table nor its rows do, and where no row is beyond.
    """
    found = _rows_beyond(question, evidence)
    return _named(*found, asks_who=bool(_WHO.match(question))) if found else []


def _rows_beyond(question: str, evidence: Evidence) -> tuple[Table, Sequence[Row], Stems] | None:
    """The one table with rows beyond the number, these, and what the question says of them."""
    bound = _read(" ".join(question.split()).strip(" ?.!"))
    if bound is None:
        return None
    found = [(table, rows, bound.about) for table in tables_of(evidence) if (rows := _beyond(bound, table))]
    return found[0] if len(found) == 1 else None


def _named(table: Table, rows: Sequence[Row], about: Stems, *, asks_who: bool) -> list[Found]:
    """What rows are called: by their first cells, each once where it is asked who; else, where rows share one, by the
    first column that tells all rows apart, best one that the question names.
    """
    firsts = [row.doc.found(*row.line.key, STATED) for row in rows]
    if asks_who:
        return list({one.text: one for one in firsts}.values())
    if len({row.doc.text[slice(*row.line.key)] for row in table.rows}) == len(table.rows):
        return firsts
    headers = dict.fromkeys(header for row in table.rows for header, _, _ in row.cells[1:])
    for header in sorted(headers, key=lambda header: not header & about):
        cells = [(row, start, end) for row in table.rows for own, start, end in row.cells[1:] if own == header]
        texts = {row.doc.text[start:end] for row, start, end in cells}
        name = _CODE if header & about else _NAME
        if len(texts) == len(table.rows) == len(cells) and all(name.match(text) for text in texts):
            return [row.doc.found(start, end, STATED) for row, start, end in cells if row in rows]
    return []


def _read(text: str) -> _Bound | None:
    if len(text) > _LONGEST or not _ASKS.match(text) or DENIES.search(text):
        return None
    matches = list(_BEYOND.finditer(text))
    if len(matches) != 1:
        return None
    match = matches[0]
    word = (match["than"] or "").lower()
    if word and word not in _LARGER | _SMALLER:
        return None
    number = next((one for one in find_numbers(text) if one.end > match.end()), None)
    if number is None or find_numbers(text)[-1].end != number.end:
        return None
    number = Number(match.end(), number.end, text[match.end() : number.end], number.value)
    measure, value = measured(text, number)
    side = match[0].lower().rstrip("$€£¥ ")
    if side in _YEARS and not _YEAR.fullmatch(number.text):
        return None
    unit = re.match(r"\s*[^\W\d_]+", text[number.end :]) if measure else None
    things = "" if measure else re.sub(r"[^a-z]+", " ", number.text, flags=re.I)
    after = text[number.end + (unit.end() if unit else 0) :]
    rest = f"{text[: match.start()]} {match['what'] or ''} {things} {after}"
    compared = [one.columns for one in asked_measures(f"{word} than")] if word else []
    return _Bound(
        bool(match["more"]) or word in _LARGER,
        side in _WITH_END,
        side in _YEARS,
        (match["sign"] or "").strip(),
        measure,
        value,
        frozenset[str]().union(*compared),
        frozenset(content_stems(rest)) - _ASIDE,
        frozenset(one for name in NAME.findall(rest) for one in content_stems(name)),
    )


def _beyond(bound: _Bound, table: Table) -> list[Row]:
    """The rows of a table beyond the bound, [] where the table is not meant."""
    headers = dict.fromkeys(header for row in table.rows for header, _, _ in row.cells[1:])
    values = {header: found for header in headers if len(found := _values(bound, table, header)) >= _ROWS}
    column = _column(bound, values)
    if column is None:
        return []
    is_about = bool(bound.about & (table.called | table.headers | _THINGS))
    wanted = bound.about - table.called - table.headers - column - _THINGS - (_PRICED if column & _PRICED else _NONE)
    lost = wanted - frozenset[str]().union(*(row.said for row in table.rows))
    if not (is_about or wanted) or len(lost) > int(is_about) or lost & bound.names:
        return []
    wanted -= lost
    return [row for row, value in values[column] if bound.holds(value) and wanted <= row.said]


_NONE: Stems = frozenset()


def _column(bound: _Bound, values: dict[Stems, list[tuple[Row, float]]]) -> Stems | None:
    """The one column that the question names, or whose measure the comparing word is of, or the only one of money."""
    named = [header for header in values if header & bound.about]
    called = [header for header in values if header & bound.columns]
    priced = [header for header in values if header & _PRICED] if bound.sign else []
    for found in (named, called, priced, list(values) if bound.sign or bound.measure else []):
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _values(bound: _Bound, table: Table, header: Stems) -> list[tuple[Row, float]]:
    """The rows that have one number of what is asked about below a header, and that number in the bound's units."""
    unit = next(
        (one for word in sorted(header) if (one := measured(f"1 {word}", Number(0, 1, "1", 1.0)))[0]), ("", 1.0)
    )
    found = []
    for row in table.rows:
        for start, end in [(start, end) for own, start, end in row.cells[1:] if own == header][:1]:
            cell = row.doc.text[start:end].strip(" *")
            if bound.is_year:
                years = frozenset(_YEAR.findall(cell))
                found += [(row, float(year)) for year in years if len(years) == 1]
                continue
            numbers = find_numbers(cell)
            if len(numbers) != 1 or (bound.sign and bound.sign not in cell):
                continue
            measure, value = measured(cell, numbers[0])
            if not measure:
                measure, value = unit[0], value * unit[1]
            if measure == bound.measure or not bound.measure:
                found.append((row, value if bound.measure else numbers[0].value))
    return found
