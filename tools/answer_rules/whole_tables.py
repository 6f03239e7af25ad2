"""What the rows of a table come to, whatever words a question puts it in: which rows it speaks of, which column it asks
of them, and whether they are counted, added up, or the most of it is wanted.

"How many of our helpers can drive the van?" counts the rows with yes below "drives_van", "What have we paid Calder for
all their jobs so far?" adds up the money in the rows with "Calder Heating". Each word of the question is looked for in
the headers, the cells and the file's name (`table_words.py`); one that is nowhere may be what somebody calls the rows,
and takes from how sure the answer is. Of all tables the one that has most of the words is taken.
"""

from __future__ import annotations

import re
from dataclasses import replace

from kb.documents.plaintext import MONTHS
from tools.answer_rules.docs import Evidence
from tools.answer_rules.read_tables import is_of_people, people_column, tables_of
from tools.answer_rules.recorded_sides import Recorded, asked_measures
from tools.answer_rules.row_figures import added_up, are_alike
from tools.answer_rules.table_columns import Column, Grid
from tools.answer_rules.table_words import FILLER, TableWords, counted
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

SURE = 0.84
"""How sure an answer is of which the table has every word."""
_UNSAID = 0.06
"""What a word that the table has not takes of it."""
_MOST_UNSAID = 1
_LONGEST = 300
_TWO = 2

_COUNT = re.compile(r"\W*(?:(?:and|so) )?(?:(?:of|for|on|in|at|to|with) )?how many\b|\W*add up\b", re.I)
_MUCH = re.compile(r"\bhow much\b|\bwhat (?:have|has|had|did|do|does|was|is|were)\b|\W*add up\b", re.I)
_WHICH = re.compile(r"\W*(?:(?:and|so) )?(?:(?:of|for|on|in|at|to|with) )?(?:which|what|who|whose|whom)\b", re.I)
_PERIOD = re.compile(rf"\b(?:in|during|for|over) (?:{'|'.join(MONTHS)})\b", re.I)
_COMES = re.compile(
    r"\b(?:what|how much) (?:do|have|has)\b.* (?:come|came|amount) to\b|\bhow much (?:has |have )?(?:came|come) in\b",
    re.I,
)
_WITHOUT = re.compile(
    r"\b(?:before|without|excluding|excl\.?|leaving out|less|ex|net of|not counting) (?:the )?(?P<tax>vat|tax)\b", re.I
)
_SPENT = re.compile(
    r"\b(?:what|how much) (?:have|has|did) (?:[\w'’-]+ ){1,4}?(?<!to )(?:pay|paid|spend|spent|earn|earned|taken)\b",
    re.I,
)
_TAX = frozenset(content_stems("vat tax"))
_OWING = re.compile(r"\b(?:ow(?:es?|ed|ing)|outstanding|unpaid)\b", re.I)
_SUM = re.compile(
    r"\b(?:in total|al ?together|(?<!-)together|all told|overall|in all|total|sum|so far|(?:for|of) all|amounts? to"
    r"|add(?:ed|ing|s)? (?:it |them |everything )?(?:all )?up)\b",
    re.I,
)
_MONEY = re.compile(
    r"\b(?:spen[dt]|pa(?:y|id)|cost|money|earn(?:ed)?|ma[dk]e|raised?|br(?:ing|ought) (?:us )?in|bill(?:ed)?|invoiced?"
    r"|charged?|ow(?:es?|ed|ing)|took|taken|worth|donated?|g[ia]ven?)\b|[£$€]",
    re.I,
)
_MOST = re.compile(
    r"\b(?P<most>most|highest|largest|biggest|greatest|heaviest|longest|dearest|priciest|tallest)\b"
    r"|\b(?:least|fewest|lowest|smallest|lightest|shortest|cheapest)\b",
    re.I,
)
_OF_ROWS = re.compile(
    r"[^,]*? (?:are|is|were|was|can|could|have|has)(?:n['’]t)?\b|[^,]*? (?:do|did) (?:we|i|you|they) ", re.I
)
"""What a question begins with that tells something of all that it counts, so that the rows may be called anything."""
_BELONGS = re.compile(r"\b(?:do|does|did)\b(?! (?:we|i|you|they|people)\b)", re.I)
_ASIDE = re.compile(
    r"\b(?:before|after|since|until|till|between|over|under|above|below|(?:more|less|fewer) than|at (?:most|least)"
    rf"|from \w+ (?:to|until)|up to|within) (?:the )?(?:\w+ )?(?:\d|(?:{'|'.join(MONTHS)})\b)|\b(?:average|mean)\b"
    r"|\b(?:per|a|each|every) (?:day|week|month|person|head|child|hour)\b|\b(?:per|each|every) year\b",
    re.I,
)
"""What this does not follow: a bound, a share of each, a mean."""
_NAME = re.compile(r"(?<=[a-z,;'’] )[A-Z][\w-]+|\b\w*\d\w*\b")
_EACH = frozenset(content_stems("each per unit single rate hourly"))
_TOTAL = frozenset(content_stems("total sum takings"))
_PRICE = frozenset(content_stems("price fee deposit"))
_DEAR = re.compile(r"\b(?:expensive|cheap\w*|dear\w*|pric(?:e|y|i)\w*|cost\w*|money|worth|spen[dt]|pa(?:y|id))\b", re.I)
_BILL = re.compile(r"\W+(?:expensive )?(?:bills?|invoices?|prices?|fees?|costs?|amounts?|payments?|quotes?)\b", re.I)
"""What is an amount itself."""
_ONE = re.compile(r"\b(?:the|an?|this|that) (?:bill|invoice|quote|receipt|payment|order)\b", re.I)
"""What a question for one amount names."""
_TOGETHER = ("most", "least", "fewest")
"""What is asked of all that one has together: "the most money", not "the highest price"."""
_SINGLE = re.compile(r"\b(?:single|at once)\b", re.I)
_SIZE = re.compile(r"\b(?:bigg|small|larg)est\b", re.I)
_SIZES = frozenset(content_stems("pupils members people places seats guests size area capacity"))
_NAMES = frozenset(content_stems("name what item description title thing product article"))
_WHO = re.compile(r"\W*(?:who|whose|whom)\b", re.I)
_WHICH_ONE = re.compile(
    r"\W*(?:(?:and|so) )?(?:which|what) (?:of (?:our|the) |single |one )*(?!(?:is|was|are|were|has|have|had)\b)"
    r"(?P<head>[\w-]+)",
    re.I,
)
_BEHIND = re.compile(r"\W*(?:expensive )?(?P<head>[\w-]+(?: [\w-]+)?)", re.I)


def asks_of_whole(question: str) -> bool:
    """Whether a question may ask what the rows of a table come to."""
    text = question[:_LONGEST]
    is_sum = any(said.search(text) for said in (_SUM, _PERIOD, _OWING, _COMES, _SPENT))
    return bool(_COUNT.match(text) or (_MUCH.search(text) and is_sum) or _asks_most(text))


def _asks_most(text: str) -> bool:
    return bool(_WHICH.match(text) and _MOST.search(text))


def find_whole(question: str, evidence: Evidence) -> Recorded | None:
    """The count, the sum, or the row with the most of what a question asks of a table; None where no table has what it
    asks, two have it alike, or a name, a number or more than one of its words stand nowhere.

    All rows of the tables have to be in the evidence.
    """
    text = _WITHOUT.sub(" ", " ".join(question.split())).strip(" ?.!,")
    if len(text) > _LONGEST or not asks_of_whole(text) or _ASIDE.search(text):
        return None
    stems, names = frozenset(content_stems(text)), frozenset(content_stems(" ".join(_NAME.findall(text))))
    told = []
    for table in (one for one in tables_of(evidence) if len(one.rows) > 1):
        said = TableWords.of(text, Grid.of(table))
        unsaid = said.unsaid(text)
        if len(unsaid) > (_MOST_UNSAID if said.found else 0) or names - said.found or said.lacks_denial(text):
            continue
        if answer := _told(text, said, SURE - _UNSAID * len(unsaid)):
            told.append(((len(said.found), -len(unsaid), len(stems & (table.headers | table.called))), answer))
    best = [answer for rank, answer in told if rank == max(one for one, _ in told)]
    return best[0] if len(best) == 1 else None


def _told(text: str, said: TableWords, confidence: float) -> Recorded | None:
    if _asks_most(text):
        return _most(text, said, confidence)
    if not _COUNT.match(text):
        if _ONE.search(text):
            return None
        column = (_money(said) if _MONEY.search(text) else None) or _measured(text, said) or _money(said)
        is_all = bool(_SUM.search(text) or _COMES.search(text)) and not said.is_chosen and said.found
        return _sum(said, column, confidence, least=2) if column and (said.is_chosen or is_all) else None
    column = _measured(text, said)
    if column is not None and not column.is_money:
        is_sum = bool(_SUM.search(text))
        return _sum(said, column, confidence, least=2 if is_sum else 1) if is_sum or said.is_chosen else None
    if len(said.rows) < 2 or not said.is_chosen or not _is_of_rows(text, said):
        return None
    keys = tuple(said.grid.table.rows[at].key() for at in said.rows)
    return Recorded(str(len(keys)), keys, confidence, reason=f"{len(keys)} rows with {'; '.join(said.because)}.")


def _is_of_rows(text: str, said: TableWords) -> bool:
    """Whether what is counted are the rows: they are called so, or it is told of all of them; and what belongs to one
    of them, as in "how many seats does a Mirabel have", is none.
    """
    head, called = counted(text), said.grid.table.called
    if head & frozenset[str]().union(*(one.header for one in said.named)) - called:
        return False
    if head <= FILLER or head & called:
        return True
    return bool(_OF_ROWS.match(text)) and not _BELONGS.search(text) and len(head & said.found) in (0, len(head))


def _measured(text: str, said: TableWords) -> Column | None:
    """The column of amounts that "how many" or "how much" names."""
    head = counted(text)
    found = [one for one in said.named if one.is_amounts and one.header & head]
    return found[0] if len(found) == 1 else None


def _money(said: TableWords) -> Column | None:
    """The column of money; of several the one that is named, else that of sums; none of what one piece costs."""
    found = [one for one in said.grid.columns if one.is_money and not one.header & _EACH]
    found = [one for one in found if not one.header & _TAX or one in said.named] or found
    for narrower in (
        said.named,
        [one for one in found if one.header & _TOTAL],
        [one for one in found if not one.header & _PRICE],
    ):
        if len(found) > 1:
            found = [one for one in found if one in narrower] or found
    return found[0] if len(found) == 1 else None


def _price(said: TableWords) -> Column | None:
    """The one column of what a piece costs, where there is no other of money."""
    found = [one for one in said.grid.columns if one.is_amounts and one.header & _EACH]
    return found[0] if len(found) == 1 else None


def _sum(said: TableWords, column: Column, confidence: float, *, least: int) -> Recorded | None:
    rows = [column.cells.get(at) for at in said.rows]
    told = added_up(rows, confidence) if len(rows) >= least else None
    if told is None or not said.because:
        return told
    return replace(
        told, reason=f"{column.label} of {len(rows)} rows with {'; '.join(said.because)}. {told.reason}".strip()
    )


def _most(text: str, said: TableWords, confidence: float) -> Recorded | None:
    """What the row is called that has the most of a column, or whose rows have it together; or how much that is."""
    most, column = _MOST.search(text), _compared(text, said)
    if most is None or column is None:
        return None
    behind = text[most.end() :]
    is_bill = _BILL.match(behind) is not None and not text.endswith(" for")
    asked = said.grid.columns[0] if is_bill else _asked_for(text, behind, said, column)
    if asked is None or not are_alike([column.cells[at] for at in said.rows if at in column.cells]):
        return None
    way = "single" if _SINGLE.search(text) else "together" if most[0].lower() in _TOGETHER else "both"
    rows = _first(said, asked, column, way, is_most=bool(most["most"]))
    if not rows:
        return None
    if len(rows) == 1 and is_bill:
        return Recorded(column.cells[rows[0]].text, (column.cells[rows[0]], asked.cells[rows[0]]), confidence)
    places = tuple(found for at in rows for found in (asked.cells[at], column.cells[at]))
    return Recorded(asked.cells[rows[0]].text, places, confidence)


def _first(said: TableWords, asked: Column, column: Column, way: str, *, is_most: bool) -> list[int]:
    """The rows of what comes first "together", or the one that does as a "single" row, or both ways; [] where two do,
    and where the one row that does is not of what does together.
    """
    rows = [at for at in said.rows if at in column.cells and at in asked.cells]
    sums: dict[str, float] = {}
    for at in rows:
        sums[asked.cells[at].text] = sums.get(asked.cells[at].text, 0.0) + column.value(at)
    order = sorted(sums, key=lambda name: -sums[name] if is_most else sums[name])
    ends = sorted(rows, key=lambda at: (-column.value(at) if is_most else column.value(at), at))
    if len(order) < _TWO or (way != "single" and sums[order[0]] == sums[order[1]]):
        return []
    if way == "together":
        return [at for at in rows if asked.cells[at].text == order[0]]
    is_first = column.value(ends[0]) != column.value(ends[1])
    return ends[:1] if is_first and (way == "single" or asked.cells[ends[0]].text == order[0]) else []


def _compared(text: str, said: TableWords) -> Column | None:
    """The column of which the most is asked: of money, that is named, or that "heaviest" and the like are said of."""
    if _DEAR.search(text) or _BILL.search(text):
        return _money(said) or _price(said)
    wanted = frozenset[str]().union(*(one.columns for one in asked_measures(text)))
    wanted |= _SIZES if _SIZE.search(text) else frozenset()
    named = [one for one in said.named if one.is_amounts]
    found = named or [one for one in said.grid.columns if one.is_amounts and one.header & wanted]
    return found[0] if len(found) == 1 else None


def _asked_for(text: str, behind: str, said: TableWords, besides: Column) -> Column | None:
    """The column that "which customer", "whose", "who" or "the cheapest holiday" asks for: that of the header, that of
    people, else the one that names the rows.
    """
    grid = said.grid
    texts = [one for one in grid.columns if one is not besides and not (one.is_amounts or one.is_codes or one.is_days)]
    if _WHO.match(text):
        people = grid.columns[0].header if is_of_people(grid.table) else people_column(grid.table)
        return next((one for one in texts if people and one.header == people), None)
    told = _WHICH_ONE.match(text) or _BEHIND.match(behind)
    head = frozenset(content_stems(told["head"])) if told else Stems()
    called = [one for one in grid.columns if one is not besides and one.header & head]
    named = [one for one in texts if one.header & _NAMES or not one.header]  # "what" is no stem
    return next(iter((*called, *named, *texts)), None)
