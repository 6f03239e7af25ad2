"""What was planned beside what was spent: "How much is left for the kitchen?" is the one less the other, "Is the roof
over budget?" which of both is more.

All rows of a table have to be there, and the cells of both columns have to be written alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.answer_rules.docs import Evidence
from tools.answer_rules.read_tables import STATED, Row, tables_of
from tools.answer_rules.recorded_rows import DENIES
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.table_columns import PLANNED, Column, Grid
from tools.answer_rules.table_sums import MOST_ROWS, Amount, amounts_in, are_alike, written
from tools.answer_rules.table_words import TableWords
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

_LONGEST = 300
_LEFT = re.compile(r"\b(?:left|remains?|remaining|still (?:have|got)|have (?:\w+ )?still)\b", re.I)
_BUDGET = re.compile(
    r"\b(?P<side>over|under|above|below|within) (?:the |our |its |my )?(?:budget|estimate|quote|plan)\b"
    r"|\b(?:go|goes|went|gone|run|ran|came|come)(?: out)? (?P<way>over|under)\b"
    r"|\b(?P<spent>overspent|more than (?:was )?(?:planned|budgeted|estimated|quoted))\b",
    re.I,
)
_FARTHEST = re.compile(r"\b(?:the )?(?:most|furthest|farthest|worst)\b", re.I)
_BY_MORE = re.compile(r"\bby (?:more|over) than (?P<least>[$€£]?\s?[\d.,]*\d|an? hundred|an? thousand)\b", re.I)
_PLAN = re.compile(r"\b(?:budget(?:ed)?|estimated?|quoted?|plan(?:ned)?|spent|money)\b", re.I)
_ASKS_SIDE = re.compile(r"\W*(?:(?:and|so)\s+)?(?:is|are|was|were|have|has|did)\b", re.I)
_ASKS_WHICH = re.compile(r"\W*(?:(?:and|so)\s+)?(?:(?:on|in|for|with) )?(?:which|what)\b", re.I)
_ASKS_MUCH = re.compile(r"\W*(?:(?:and|so)\s+)?(?:by )?how (?:much|far)\b", re.I)
_SPENT = frozenset(content_stems("spent actual actually paid used cost costs spending final"))


def asks_beside_plan(question: str) -> bool:
    """Whether a question may ask how what was spent and what was planned differ."""
    text = question[:_LONGEST]
    return bool(_BUDGET.search(text) or _LEFT.search(text))


def find_beside_plan(question: str, evidence: Evidence) -> Recorded | None:
    """How much of what was planned is left, or spent besides; which rows have more spent than planned, or whether they
    have. None where no table tells both of what is asked about, or two do.
    """
    text = " ".join(question.split()).strip(" ?.!")
    if len(question) > _LONGEST or not asks_beside_plan(text) or DENIES.search(text):
        return None
    found = [
        told for one in tables_of(evidence) if len(one.rows) > 1 and (told := _compared(text, Grid.of(one)))
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def _compared(text: str, grid: Grid) -> Recorded | None:
    planned, spent = grid.only_amounts(PLANNED), grid.only_amounts(_SPENT)
    match = _BUDGET.search(text)
    if planned is None or spent is None or planned is spent:
        return None
    asked = _PLAN.sub(" ", _LEFT.sub(" ", _BUDGET.sub(" ", _BY_MORE.sub(" ", text))))
    said = TableWords.of(_FARTHEST.sub(" ", asked) if match else asked, grid)
    if said.unsaid or said.lacks_bound or not said.rows:
        return None
    if _ASKS_WHICH.match(text):
        return _beyond(text, said, planned, spent, is_over=_is_over(match)) if match and len(said.rows) > 1 else None
    if not (_ASKS_SIDE.match(text) and match) and not _ASKS_MUCH.match(text):
        return None
    is_of_all = len(said.rows) == len(grid.rows)
    if (len(said.rows) > 1 and not is_of_all) or (match is None and is_of_all and "budget" not in text.lower()):
        return None
    sides = (_cells(said, planned, is_of_all=is_of_all), _cells(said, spent, is_of_all=is_of_all))
    is_whole = len(sides[0]) == len(sides[1]) and len(sides[0]) in (len(said.rows), len(grid.table.totals))
    if not is_whole or len(sides[0]) > MOST_ROWS or not are_alike([*sides[0], *sides[1]]):
        return None
    return _difference(text, match, sides)


def _is_over(match: re.Match[str] | None) -> bool:
    return match is None or (match["side"] or match["way"] or "over").lower() in ("over", "above")


def _difference(text: str, match: re.Match[str] | None, sides: tuple[list[Amount], list[Amount]]) -> Recorded | None:
    sums = [written(sum(one.value for one in side), side) for side in sides]
    left = sum(one.value for one in sides[0]) - sum(one.value for one in sides[1])
    places = tuple(one.found for pair in zip(*sides, strict=True) for one in pair)
    reason, is_over = f"Planned {sums[0]}, spent {sums[1]}.", _is_over(match)
    if _ASKS_SIDE.match(text) and match:
        is_less = left >= 0 if (match["side"] or "").lower() == "within" else left > 0
        told = "yes" if (left < 0 if is_over else is_less) else "no"
        return Recorded(told, places, STATED, reason=reason if len(sides[0]) > 1 else "")
    if match is None and left < 0:
        return None
    other = "" if match is None or (left < 0) == is_over else " under" if is_over else " over"
    told = written(abs(left), [*sides[0], *sides[1]])
    larger, smaller = sums if left >= 0 else sums[::-1]
    reason = (f"{reason} " if len(sides[0]) > 1 else "") + f"{larger} - {smaller} = {told}."
    return Recorded(told + other, places, STATED, reason=reason)


def _cells(said: TableWords, column: Column, *, is_of_all: bool) -> list[Amount]:
    """The amounts of the rows, those of the row that sums them up where all are meant and there is one."""
    totals: Sequence[Row] = said.grid.table.totals[:1] if is_of_all else ()
    if totals:
        return amounts_in(cell for row in totals if (cell := row.cell(column.header)))
    return amounts_in(column.cells[at] for at in said.rows if at in column.cells)


def _beyond(text: str, said: TableWords, planned: Column, spent: Column, *, is_over: bool) -> Recorded | None:
    """The rows of which more was spent than planned, or less: those by more than is said, or the one by the most."""
    beyond: dict[int, float] = {}
    for at in said.rows:
        sides = amounts_in(one.cells[at] for one in (planned, spent) if at in one.cells)
        if is_over and at not in spent.cells:
            continue  # nothing has been spent there
        if len(sides) != 2 or not are_alike(sides):
            return None
        beyond[at] = (sides[1].value - sides[0].value) * (1 if is_over else -1)
    kept = [at for at, more in beyond.items() if more > _least(text)]
    if kept and _FARTHEST.search(text):
        kept = [at for at in kept if beyond[at] == max(beyond.values())]
        if len(kept) > 1:
            return None
    keys = tuple(said.grid.table.rows[at].key() for at in kept)
    places = (*keys, *(one.cells[at] for at in kept for one in (planned, spent))) if len(kept) == 1 else keys
    return Recorded(", ".join(one.text for one in keys), places, STATED) if keys else None


def _least(text: str) -> float:
    """By how much more than planned a row has to be: as a question says, else by anything."""
    match = _BY_MORE.search(text)
    if match is None:
        return 0.0
    words = {"hundred": 100.0, "thousand": 1000.0}
    figure = re.sub(r"[^\d.]", "", match["least"]).strip(".")
    return float(figure) if figure else words[match["least"].split()[-1].lower()]
