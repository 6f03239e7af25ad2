"""Which rows of a table lie in a month or on a day of the week: "Which licences run out in December?" by the rows of
"31 December 2025" below "Valid until", "Who works on Saturdays?" by those of "Tue-Sat" below "Days".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kb.documents.plaintext import MONTHS
from tools.answer_rules.asked_columns import COUNT
from tools.answer_rules.asked_rows import asks_who
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.read_tables import PEOPLE, STATED, Row, Table, is_of_people, tables_of
from tools.answer_rules.recorded_rows import DENIES
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems, words
from tools.answer_rules.values import find_dates
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
_MONTH = re.compile(
    rf"\b(?:in|(?:at|by|before|towards?) the (?:end|beginning|start|middle) of|(?:at )?(?:the )?end of|this)"
    rf" (?P<month>{'|'.join(MONTHS)})(?:,? (?P<year>[12]\d{{3}}))?\b(?! \d)",
    re.I,
)
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
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
    """The time of a question: what of it stands there, and whether a cell lies in it."""

    span: tuple[int, int]
    holds: Callable[[str], bool]
    tells: Callable[[str], bool]


def find_in_time(question: str, evidence: Evidence) -> Recorded | None:
    """The first cells of the rows whose one column of times lies in the month or on the day of the week of a question,
    or how many there are; all rows of the tables have to be there.

    None where the question says what neither the table nor all of these rows say, or two tables or columns fit.
    """
    text = " ".join(question[:_LONGEST].split()).strip(" ?.!")
    asked = _ASKS.match(text)
    time = _asked_time(text)
    if asked is None or time is None or DENIES.search(text):
        return None
    rest = f"{text[: time.span[0]]} {text[time.span[1] :]}"
    found = [rows for table in tables_of(evidence) if (rows := _rows_in(rest, asked, time, table))]
    if len(found) != 1:
        return None
    keys = list({one.text: one for one, _ in found[0]}.values())
    places = tuple(place for pair in found[0] for place in pair)
    told = str(len(found[0])) if COUNT.match(text) else ", ".join(one.text for one in keys)
    return Recorded(told, places, STATED)


def _asked_time(text: str) -> _Time | None:
    if (day := _ON_DAY.search(text)) and not find_dates(text):
        at = _DAYS.index(day["day"][:3].lower())
        return _Time(day.span(), lambda cell: at in days_of(cell), lambda cell: bool(days_of(cell)))
    month = _MONTH.search(text)
    if month is None or len(_MONTH.findall(text)) > 1 or any(one.day for one in find_dates(text)):
        return None
    number = [one.casefold() for one in MONTHS].index(month["month"].casefold()) + 1
    years = {0, int(month["year"])} if month["year"] else None

    def holds(cell: str) -> bool:
        return any(one.month == number and (years is None or one.year in years) for one in find_dates(cell))

    return _Time(month.span(), holds, lambda cell: any(one.month for one in find_dates(cell)))


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
        first = _DAYS.index(match["one"][:3].lower())
        last = _DAYS.index(match["other"][:3].lower()) if match["other"] else first
        days |= {(first + more) % 7 for more in range((last - first) % 7 + 1)}
    return frozenset(days)


def _rows_in(rest: str, asked: re.Match[str], time: _Time, table: Table) -> list[tuple[Found, Found]]:
    """The first cell of each row that lies in the time, with the cell that says so; [] where the table does not fit."""
    about = _stems(rest) - _ASIDE
    column = _column(about, time, table)
    if not column:
        return []
    called = table.called | table.headers
    kind = _stems(asked["kind"] or "")
    of_people = is_of_people(table) and (asks_who(rest) or bool(kind & PEOPLE))
    is_whose = bool(asked["whose"] and about & _stems(column))
    if not (kind & called or of_people or is_whose):
        return []
    header = frozenset(words(column))
    ended = (_ENDS if header & _UNTIL else Stems()) | (_BEGINS if header & _SINCE else Stems())
    wanted = about - called - ended - PEOPLE - (_stems(column) if is_whose else Stems())
    rows = [(row, cell) for row in table.rows for cell in _cells(row, column)]
    return [(row.key(), cell) for row, cell in rows if time.holds(cell.text) and wanted <= row.said]


def _stems(text: str) -> Stems:
    """The stems of a text, those of things in the plural as of one: "birthdays" as "birthday"."""
    return frozenset(content_stems(" ".join(singular(word) if content_stems(word) else word for word in words(text))))


def _column(about: Stems, time: _Time, table: Table) -> str:
    """The header of the one column of such times: the one that is named, or of the end or the beginning that is asked
    about, or that there is alone; "" for none.
    """
    headers = dict.fromkeys(value.relation for row in table.rows for value in row.line.values)
    of_times = [header for header in headers if _is_of_times(header, time, table)]
    if len(of_times) == 1:
        return of_times[0]
    named = [one for one in of_times if _stems(one) & about]
    ends = [one for one in of_times if _UNTIL & frozenset(words(one))] if about & _ENDS else []
    begins = [one for one in of_times if _SINCE & frozenset(words(one))] if about & _BEGINS else []
    return next((found[0] for found in (named, ends, begins) if len(found) == 1), "")


def _is_of_times(header: str, time: _Time, table: Table) -> bool:
    cells = [cell.text for row in table.rows for cell in _cells(row, header)]
    return len(table.rows) > 1 and sum(map(time.tells, cells)) > _SHARE * len(cells)


def _cells(row: Row, header: str) -> list[Found]:
    """The whole cell below a header, of which a list is several values; [] for none."""
    values = [one for one in row.line.values if one.relation == header]
    return [row.doc.found(values[0].start, values[-1].end, STATED)] if values else []
