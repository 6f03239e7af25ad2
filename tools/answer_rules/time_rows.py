"""Which rows of a table lie in a month or on a day of the week: "Which licences run out in December?" by the rows of
"31 December 2025" below "Valid until", "Who works on Saturdays?" by those of "Tue-Sat" below "Days".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tools.answer_rules.asked_columns import COUNT
from tools.answer_rules.asked_rows import asks_who
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.periods import asked_period
from tools.answer_rules.read_tables import PEOPLE, STATED, Table, is_of_people, tables_of
from tools.answer_rules.recorded_rows import DENIES
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.table_columns import Column, Grid
from tools.answer_rules.text import content_stems, words
from tools.answer_rules.values import WEEKDAYS, Date, find_dates
from tools.planning.lexicon import singular

Stems = frozenset[str]

_LONGEST = 300
_SHARE = 0.5
"""Share of a column's cells that tell a time, if it is one of times."""
_ASKS = re.compile(
    r"\W*(?:(?:and|so) )?(?:(?P<whose>whose)|who\b|(?:which|what|how many) (?:(?:of )?(?:the|our|my) )?"
    r"(?P<kind>[\w-]+(?: [\w-]+)?))(?=['’]s\b| |$)",
    re.I,
)
_EDGE = re.compile(r"\b(?:(?:at |by |before |towards? )?the (?:end|beginning|start|middle) of|this)(?= [A-Z])")
"""A part of a month, of which the whole is taken."""
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\.?"
_ON_DAY = re.compile(rf"\bon (?:an? |the )?(?P<day>{_DAY})\b", re.I)
_SPAN = re.compile(rf"\b(?P<one>{_DAY})(?:\s?(?:-|–|to|until|till)\s?(?P<other>{_DAY}))?(?![\w])", re.I)
_JOINTS = re.compile(r"[\s,&+/;.]|\band\b", re.I)
_EVERY = re.compile(r"(?:daily|every day|all week|all days)", re.I)
_ENDS = frozenset(
    content_stems(
        "end ends ending expire expires expired run runs out due renew renewed renewing renewal finish finishes valid "
        "up"
    )
)
_BEGINS = frozenset(content_stems("start starts started begin begins began join joined come came arrive"))
"""What a question says of the end and of the beginning of something."""
_UNTIL = frozenset("until till end ends expires expiry expiration due renewal renew valid to runs deadline out".split())
_SINCE = frozenset("start starts started since from begin begins joined beginning".split())
"""Words of the headers that tell it."""
_ASIDE = frozenset(
    content_stems(
        "have has need needs do does did is are was were be in on work works working there fall falls we us our how "
        "many which what whose who"
    )
)
"""What a question says besides."""


@dataclass(frozen=True, slots=True)
class _Time:
    """The time of a question: the question without it, and whether a cell lies in it, or tells such a time at all."""

    rest: str
    holds: Callable[[str], bool]
    tells: Callable[[str], bool]


def find_in_time(question: str, evidence: Evidence) -> Recorded | None:
    """The first cells of the rows whose one column of times lies in the month or on the day of the week of a question,
    or how many there are; all rows of the tables have to be there.

    None where the question says what neither the table nor all of these rows say, or two tables or columns fit.
    """
    text = " ".join(question[:_LONGEST].split()).strip(" ?.!")
    asked, time = _ASKS.match(text), _asked_time(text)
    if asked is None or time is None or DENIES.search(text):
        return None
    found = [rows for table in tables_of(evidence) if (rows := _rows_in(asked, time, table))]
    if len(found) != 1:
        return None
    keys = dict.fromkeys(key.text for key, _ in found[0])
    places = tuple(place for pair in found[0] for place in pair)
    return Recorded(str(len(found[0])) if COUNT.match(text) else ", ".join(keys), places, STATED)


def _asked_time(text: str) -> _Time | None:
    if (day := _ON_DAY.search(text)) and not find_dates(text):
        at = WEEKDAYS.index(day["day"][:3].lower())
        rest = f"{text[: day.start()]} {text[day.end() :]}"
        return _Time(rest, lambda cell: at in days_of(cell), lambda cell: bool(days_of(cell)))
    period = asked_period(_EDGE.sub("in", text))
    if period is None or not period.month:
        return None
    return _Time(period.rest, lambda cell: any(map(period.holds, _months(cell))), lambda cell: bool(_months(cell)))


def _months(cell: str) -> list[Date]:
    """The days and months that a cell tells."""
    return [one for one in find_dates(cell) if one.month]


def days_of(cell: str) -> frozenset[int]:
    """The days of the week, 0 for Monday, of a cell that tells nothing else: "Tue-Fri", "Mon and Thu", "daily".

    >>> sorted(days_of("Fri-Mon, Wed"))
    [0, 2, 4, 5, 6]
    """
    text = cell.strip()
    if _EVERY.fullmatch(text):
        return frozenset(range(7))
    if _JOINTS.sub("", _SPAN.sub("", text)):
        return frozenset()
    days: set[int] = set()
    for match in _SPAN.finditer(text):
        first = WEEKDAYS.index(match["one"][:3].lower())
        last = WEEKDAYS.index(match["other"][:3].lower()) if match["other"] else first
        days |= {(first + more) % 7 for more in range((last - first) % 7 + 1)}
    return frozenset(days)


def _rows_in(asked: re.Match[str], time: _Time, table: Table) -> list[tuple[Found, Found]]:
    """The first cell of each row that lies in the time, with the cell that says so; [] where the table does not fit."""
    about = _stems(time.rest) - _ASIDE
    column = _column(about, time, table)
    if column is None:
        return []
    called = table.called | table.headers
    kind = _stems(asked["kind"] or "")
    of_people = is_of_people(table) and (asks_who(time.rest) or bool(kind & PEOPLE))
    is_whose = bool(asked["whose"] and about & _stems(column.label))
    if not (kind & called or of_people or is_whose):
        return []
    header = frozenset(words(column.label))
    ended = (_ENDS if header & _UNTIL else Stems()) | (_BEGINS if header & _SINCE else Stems())
    wanted = about - called - ended - PEOPLE - (_stems(column.label) if is_whose else Stems())
    rows = [(table.rows[at], cell) for at, cell in column.cells.items() if time.holds(cell.text)]
    return [(row.key(), cell) for row, cell in rows if wanted <= row.said]


def _stems(text: str) -> Stems:
    """The stems of a text, those of things in the plural as of one: "birthdays" as "birthday"."""
    return frozenset(content_stems(" ".join(singular(word) if content_stems(word) else word for word in words(text))))


def _column(about: Stems, time: _Time, table: Table) -> Column | None:
    """The one column of such times beside the first: the one that is named, or of the end or the beginning that is
    asked about, or that there is alone; None for none.
    """
    columns = Grid.of(table).columns[1:] if len(table.rows) > 1 else ()
    of_times = [one for one in columns if _is_of_times(one, time)]
    if len(of_times) == 1:
        return of_times[0]
    named = [one for one in of_times if _stems(one.label) & about]
    ends = [one for one in of_times if _UNTIL & frozenset(words(one.label))] if about & _ENDS else []
    begins = [one for one in of_times if _SINCE & frozenset(words(one.label))] if about & _BEGINS else []
    return next((found[0] for found in (named, ends, begins) if len(found) == 1), None)


def _is_of_times(column: Column, time: _Time) -> bool:
    cells = [cell.text for cell in column.cells.values()]
    return sum(map(time.tells, cells)) > _SHARE * len(cells)
