"""The row of a table that has the most of something, or whose rows have it together; or of which there are the most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from tools.answer_rules.asked_columns import BILL, compared_column
from tools.answer_rules.docs import Found
from tools.answer_rules.read_tables import is_of_people, people_column
from tools.answer_rules.recorded_sides import Measure, Recorded, asked_measures
from tools.answer_rules.table_columns import BY, Column
from tools.answer_rules.table_sums import are_one_kind
from tools.answer_rules.table_words import TableWords
from tools.answer_rules.text import content_stems
from tools.planning.lexicon import singular
from tools.planning.possessed import is_personal

Stems = frozenset[str]
_Way = Literal["single", "together", "both"]
"""Whether the most of one row is meant, of all rows that are called alike, or what is both."""

_MOST = re.compile(
    r"\b(?:worth (?:the )?)?(?P<sum>(?<!at )most|(?<!at )least|fewest)(?: (?:expensive|valuable|money))?\b"
    r"|\b(?!(?:test|rest|west|guest|forest|interest|request|contest|protest|honest|latest news)\b)[a-z]{2,}est\b"
    r"|\b(?:best|worst)\b|(?<=[a-z] )(?:first|last)$",
    re.I,
)
_OTHERS = re.compile(
    r"\b(?:second|third|fourth|fifth|last(?!$)|next|other|else|but|almost|nearly|ten|two|three|four|five)\b"
    r"|\d(?:st|nd|rd|th)\b|\b(?:the|an?) [\w-]+ of the (?:\w+ ){0,2}(?:\w+est|most|least)\b",
    re.I,
)
"""What means another than the first, or something of the first: "the price of the cheapest"."""
_STAYED = re.compile(r"\b(?:been|worked|served|sung|played|lived)\b", re.I)
_NUMBER_OF = re.compile(r"\W*(?:number|amount|count|quantity) of\b", re.I)
_SINGLE = re.compile(r"\b(?:single|at once)\b", re.I)
_NAMES = frozenset(content_stems("name what item description title thing product article"))
_VERB = (
    "is|was|are|were|has|have|had|did|does|do|can|will|costs?|took|takes?|brought|brings?|made|makes?|gave|gives?|got|gets?"
    "|weighs?|weighed|earned|earns?|sold|sells?|needs?|comes?|came|went|goes|in|on|of|at|for|with|that"
    "|[a-z]{3,}ed"
)
_WHICH_ONE = re.compile(
    rf"\W*(?:(?:and|so) )?(?:(?:of|for|on|in|at|to|with) )?(?:which|what) (?:of (?:our|the) |single |one )*"
    rf"(?:(?!(?:{_VERB})\b)[\w-]+ ){{0,2}}?"
    rf"(?!(?:{_VERB})\b)(?P<head>[\w-]+)(?= (?:{_VERB})\b|$)",
    re.I,
)
"""The last word of what is asked for: "visit" of "which vet visit cost the most"."""
_NARROWS = re.compile(r"\b(?:with|without|of|from|near|that|which)\b", re.I)
_PLACE = re.compile(r"first|last", re.I)
_WHAT_IS = re.compile(r"\W*(?:(?:and|so) )?(?:which|what)(?:['’]s| is| was| are| were)\b.*?(?P<head>[\w-]+)$", re.I)
_OF_IT = re.compile(r"\W*(?:(?:and|so) )?what (?:do|does|did)\b(?!.* (?:most|least)(?: money)? on$)", re.I)
_SPENT_ON = re.compile(r"\bspen[dt] (?:the )?(?:most|least)(?: money)? on$", re.I)
_PLACED = frozenset(content_stems("place made make did do put"))
_OF_AGE = re.compile(r"(?:the )?(?:old|young|new)", re.I)
_OF_PEOPLE = frozenset(content_stems("age born birth"))
_DAY = frozenset(content_stems("day date"))
_BEHIND = re.compile(r"\W*(?:expensive )?(?P<head>[\w-]+(?: [\w-]+)?)", re.I)
_WHICH = re.compile(r"\W*(?:(?:and|so) )?(?:(?:of|for|on|in|at|to|with) )?(?:which|what|who|whose|whom)\b", re.I)
_WHO = re.compile(r"\W*(?:who|whose|whom)\b", re.I)
_LONGEST = 300
_BY_ROWS = 0.06
"""How much less sure it is that rows are to be counted than that a column is to be compared, and where one of its cells
cannot be.
"""


def asks_most(question: str) -> bool:
    """Whether a question may ask what has the most or the least of something."""
    text = question[:_LONGEST]
    return bool(_WHICH.match(text) and _MOST.search(text))


def most_of(text: str, said: TableWords, confidence: float) -> Recorded | None:
    """What the row is called that has the most of a column, or whose rows have it together; or how much that is."""
    most = _MOST.search(text)
    if most is None or _OTHERS.search(text) or _OF_IT.match(text) or said.unsaid - head_asked(text) - _does(text, most):
        return None
    is_asked = head_asked(text) or _WHO.match(text) or _SPENT_ON.search(text)
    if not (said.found - frozenset(content_stems(most.group())) or is_asked):
        return None
    behind = text[most.end() :]
    which = _WHICH_ONE.match(text)
    head = frozenset(content_stems(which["head"])) - _DAY if which else Stems()
    if head & said.unsaid and not most["sum"] and frozenset(content_stems(behind)) & said.grid.table.called:
        return None  # which crew has the oldest vessel is not told by vessels
    measures = _measures(text, most)
    meant = [(column, one.is_larger) for one in measures if (column := compared_column(text, said, one))]
    if _PLACE.fullmatch(most[0]):
        meant = [(column, is_larger) for column, is_larger in meant if column in said.named and not column.is_money]
    if not meant:
        is_of_rows = most["sum"] == most[0]  # "the most expensive" is told by no number of rows
        return _of_most_rows(text, behind, said, confidence, is_most=most[0].lower() == "most") if is_of_rows else None
    if len({id(column) for column, _ in meant}) != 1:
        return None
    column, is_most = meant[0]
    is_bill = BILL.match(behind) is not None and not text.endswith(" for")
    is_value = (is_bill and (which is None or bool(BILL.match(f" {which['head']}")))) or bool(_NUMBER_OF.match(behind))
    asked = said.grid.columns[0] if is_value else _asked_for(text, behind, said, column)
    sizes = column.sizes
    is_mixed = column.is_amounts and not are_one_kind([column.cells[at] for at in said.rows if at in column.cells])
    if asked is None or not sizes or is_mixed:
        return None
    way: _Way = "single" if _SINGLE.search(text) or not column.is_amounts else "together" if most["sum"] else "both"
    rows = _first(said, asked, sizes, way, is_most=is_most)
    if not rows:
        return None
    lacking = column.lacking(said.rows, sizes)
    confidence -= _BY_ROWS if lacking else 0
    if len(rows) == 1 and is_value:
        places: tuple[Found, ...] = (column.cells[rows[0]], asked.cells[rows[0]])
        return Recorded(column.cells[rows[0]].text, places, confidence, reason=lacking)
    places = (asked.cells[rows[0]], *(column.cells[at] for at in rows))
    return Recorded(asked.cells[rows[0]].text, places, confidence, reason=lacking)


def _does(text: str, most: re.Match[str]) -> Stems:
    """What stands between what is asked for and the words for the most: verbs, which no table need have."""
    which = _WHICH_ONE.match(text) or _WHO.match(text)
    between = text[which.end() : most.start()] if which else ""
    return Stems() if _NARROWS.search(between) else frozenset(content_stems(between))


def measure_words(text: str, said: TableWords) -> Stems:
    """The stems of what says the most in a question, where a column can tell it: they are not unsaid."""
    most = _MOST.search(text)
    if most is None or not (said.found | head_asked(text) or _SPENT_ON.search(text)):
        return Stems()
    is_told = any(compared_column(text, said, one) for one in _measures(text, most))
    return frozenset(content_stems(most.group())) if is_told else Stems()


def _measures(text: str, most: re.Match[str]) -> list[Measure]:
    """What the words for the most may measure; of somebody "the oldest" is of his age alone."""
    found = asked_measures(f"{'been ' if _STAYED.search(text) else ''}{most[0]}")
    told = (_WHICH_ONE.match(text), _BEHIND.match(text[most.end() :]))
    kinds = [singular(match["head"].split()[0].lower()) for match in told if match]
    if _OF_AGE.match(most[0]) and (_WHO.match(text) or any(map(is_personal, kinds))):
        return [replace(one, columns=one.columns & _OF_PEOPLE) for one in found]
    return found


def head_asked(text: str) -> Stems:
    """The stems of what is asked for."""
    head = _WHICH_ONE.match(text) or _WHAT_IS.match(text)
    return frozenset(content_stems(head["head"])) if head and not _MOST.fullmatch(head["head"]) else Stems()


def _of_most_rows(text: str, behind: str, said: TableWords, confidence: float, *, is_most: bool) -> Recorded | None:
    """Who or what has most rows of a table that is called what the question has the most of: "Who does the most
    shifts?". None where two have as many.
    """
    told = _BEHIND.match(behind)
    things = frozenset(content_stems(told["head"])) if told else Stems()
    asked = _asked_for(text, behind, said, None)
    if asked is None or not things & said.grid.table.called - asked.header:
        return None
    rows = [at for at in said.rows if at in asked.cells]
    counts = Counter(asked.cells[at].text for at in rows).most_common()
    counts = counts if is_most else counts[::-1]
    if len(counts) < 2 or counts[0][1] == counts[1][1]:
        return None
    places = tuple(asked.cells[at] for at in rows if asked.cells[at].text == counts[0][0])
    return Recorded(counts[0][0], places, confidence - _BY_ROWS)


def _first(said: TableWords, asked: Column, sizes: Mapping[int, float], way: _Way, *, is_most: bool) -> list[int]:
    """The rows of what comes first "together", or the one that does as a "single" row, or both ways; [] where two do,
    and where the one row that does is not of what does together.
    """
    rows = [at for at in said.rows if at in sizes and at in asked.cells]
    sums: dict[str, float] = {}
    for at in rows:
        sums[asked.cells[at].text] = sums.get(asked.cells[at].text, 0.0) + sizes[at]
    order = sorted(sums, key=lambda name: -sums[name] if is_most else sums[name])
    ends = sorted(rows, key=lambda at: (-sizes[at] if is_most else sizes[at], at))
    if len(order) < 2 or (way != "single" and sums[order[0]] == sums[order[1]]):
        return []
    if way == "together":
        return [at for at in rows if asked.cells[at].text == order[0]]
    is_first = sizes[ends[0]] != sizes[ends[1]]
    return ends[:1] if is_first and (way == "single" or asked.cells[ends[0]].text == order[0]) else []


def _doers(text: str, texts: Sequence[Column]) -> Column | None:
    """The one column of those who have done what a question asks who did: "ordered by" for "Who placed the most
    expensive order?".
    """
    by, does = [one for one in texts if BY.search(one.label)], frozenset(content_stems(" ".join(text.split()[1:3])))
    if len(by) != 1:
        return None
    is_done = by[0].header & does or (does & _PLACED and by[0].header <= frozenset(content_stems(text)))
    return by[0] if is_done or not by[0].header else None


def _asked_for(text: str, behind: str, said: TableWords, besides: Column | None) -> Column | None:
    """The column that "which customer", "whose", "who" or "the cheapest holiday" asks for: that of the header, that of
    people, else the one that names the rows.
    """
    grid = said.grid
    texts = [one for one in grid.columns if one is not besides and not (one.is_amounts or one.is_codes or one.is_days)]
    if _WHO.match(text):
        people = grid.columns[0].header if is_of_people(grid.table) else people_column(grid.table)
        of_people = next((one for one in texts if people and one.header == people), None)
        return of_people or _doers(text, texts)
    told = _WHICH_ONE.match(text) or _BEHIND.match(behind)
    head = frozenset(content_stems(told["head"])) if told else Stems()
    called = [
        one
        for one in grid.columns
        if one is not besides and one.header & head and not (one.is_codes and one.header != head)
        if not BY.search(one.label)  # who has ordered something is no order
    ]
    called += [one for one in grid.columns if head & _DAY and one.is_days]
    named = [one for one in texts if one.header & _NAMES or not one.header]  # "what" is no stem
    return next(iter((*called, *named, *texts)), None)
