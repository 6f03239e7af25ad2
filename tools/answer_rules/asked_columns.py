"""Which column of amounts of a table a question asks for: the one to be added up, or of which the most is wanted."""

from __future__ import annotations

import re

from tools.answer_rules.bounds import alike
from tools.answer_rules.money import NAMES
from tools.answer_rules.recorded_sides import Measure
from tools.answer_rules.row_states import FILLER
from tools.answer_rules.table_columns import PLANNED, Column
from tools.answer_rules.table_words import TableWords, counted, head_of
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

COUNT = re.compile(r"\W*(?:(?:and|so) )?(?:(?:of|for|on|in|at|to|with) )?how many\b|\W*add up\b", re.I)
"""What asks for a number of things."""
SUM = re.compile(
    r"\b(?:in total|al ?together|(?<!-)together|all told|overall|in all|total|sum|so far|(?:for|of) all|amounts? to"
    r"|whole|do(?:es)? all|add(?:ed|ing|s)? (?:it |them |everything )?(?:all )?up)\b",
    re.I,
)
"""What asks for all of something."""
BILL = re.compile(r"\W+(?:expensive )?(?:bills?|invoices?|prices?|fees?|costs?|amounts?|payments?|quotes?)\b", re.I)
"""What is an amount itself."""
_MONEY = re.compile(
    r"\b(?:spen[dt]|pa(?:y|id)|cost|money|earn(?:ed)?|ma[dk]e|raised?|br(?:ing|ought) (?:us )?in|bill(?:ed)?|invoiced?"
    r"|charged?|ow(?:es?|ed|ing)|took|taken|worth|donated?|g[ia]ven?)\b|[£$€]",
    re.I,
)
_TAX = frozenset(content_stems("vat tax"))
_CURRENCIES = frozenset(content_stems(f"{NAMES} money"))
_EACH = frozenset(content_stems("each per unit single rate hourly"))
_SPANS = frozenset(content_stems("year annum quarter month week"))
_TOTAL = frozenset(content_stems("total sum takings"))
_CHARGES = frozenset(content_stems("price fee deposit"))
_PRICES = frozenset(content_stems("price cost"))
_COSTS = re.compile(r"\b(?:expensive|cheap\w*|dear(?:er|est)|pric(?:ier|iest)|costs?)\b", re.I)
_HOW_MUCH = re.compile(r"\bhow much\b", re.I)
_SPENDS = re.compile(
    r"\b(?:spen[dt]|spendings?|pa(?:y|id)|costs?|bought|buy|(?:go|went|gone) out|expenses|expenditure|outgoings)\b",
    re.I,
)
_EARNS = re.compile(
    r"\b(?:earn(?:ed)?|made|raised?|br(?:ing|ought) (?:us )?in|c[oa]me in|took|taken?|sold|receive[ds]?|income|takings)"
    r"\b",
    re.I,
)
_OUT = re.compile(r"(?:paid |money )?out(?:goings?)?|debits?|expen(?:ses?|diture)|payments?|spent", re.I)
_IN = re.compile(r"(?:paid |money )?in(?:come|comings?)?|credits?|receipts?|received|takings", re.I)
"""What the two columns of a cash book are called, which every row has one of."""
_DEAR = re.compile(r"\b(?:expensive|cheap\w*|dear\w*|pric(?:e|y|i)\w*|cost\w*|money|worth|spen[dt]|pa(?:y|id))\b", re.I)
_AT_ALL = frozenset(content_stems("highest lowest biggest largest smallest most least fewest greatest"))
"""What says nothing of what is measured, so that the question names it."""
_SIZE = re.compile(r"\b(?:bigg|small|larg)est\b", re.I)
_SIZES = frozenset(content_stems("pupils members people places seats guests size area capacity"))


def asked_column(text: str, said: TableWords) -> Column | None:
    """The column of amounts that is to be added up: the one that "how many" or "how much" names, that of what was
    planned, the one of money where it is asked for that, else the only one that is named or measured so.
    """
    head, named = counted(text), [one for one in said.named if one.is_amounts]
    of_head = [one for one in named if one.header & head]
    if COUNT.match(text):
        found = [one for one in of_head if not one.is_money or head & _CURRENCIES]
        if not found and not of_head and SUM.search(text):
            found = [one for one in named if not one.is_money] or said.grid.measured(head_of(text))
        return found[0] if len(found) == 1 else None
    stems = frozenset(content_stems(text))
    if stems & PLANNED and (planned := said.grid.only_amounts(PLANNED)):
        return planned
    if len(of_head) == 1:
        return of_head[0]
    money = money_column(text, said)
    if _MONEY.search(text) and money:
        return money
    if not named:
        return None if _HOW_MUCH.search(text) and head - FILLER else money  # "how much rain" is not asked of money
    shared = [len(alike(stems, one.header)) for one in named]
    best = [one for one, count in zip(named, shared, strict=True) if count == max(shared)]
    return best[0] if len(best) == 1 else None


def money_column(text: str, said: TableWords) -> Column | None:
    """The column of money; of several the one that is named, else that of sums; none of what one piece costs."""
    found = [one for one in said.grid.columns if one.is_money and not _is_of_each(one)]
    found = [one for one in found if not one.header & _TAX or one in said.named] or found
    asked_side = _OUT if _SPENDS.search(text) else _IN if _EARNS.search(text) else None
    for narrower in (
        said.named,
        [one for one in found if asked_side and asked_side.fullmatch(one.label)],
        [
            one
            for one in found
            if said.is_chosen and all(at in one.cells for at in said.rows) and one.label != "Balance"
        ],
        [one for one in found if one.header & _TOTAL],
        [one for one in found if one.header & price_words(text)],
        [one for one in found if not (one.header & PLANNED and _MONEY.search(text))],
        [one for one in found if not one.header & _CHARGES],
    ):
        if len(found) > 1:
            found = [one for one in found if one in narrower] or found
    return found[0] if len(found) == 1 else None


def _is_of_each(column: Column) -> bool:
    """Whether a column tells what one piece costs, which adds up to nothing; what each costs a year does."""
    return bool(column.header & _EACH) and not column.header & _SPANS


def price_column(said: TableWords) -> Column | None:
    """The one column of what a piece costs, where there is no other of money."""
    found = [one for one in said.grid.columns if one.is_amounts and one.header & _EACH]
    return found[0] if len(found) == 1 else None


def price_words(text: str) -> Stems:
    """What the column is called that tells what something costs, if that is asked."""
    return _PRICES if _COSTS.search(text) else Stems()


def compared_column(text: str, said: TableWords, measure: Measure) -> Column | None:
    """The column of which the most is asked: of money, that the question names, or that is of what "heaviest" says."""
    if _DEAR.search(text) or BILL.search(text):
        return money_column(text, said) or price_column(said)
    columns = measure.columns | (_SIZES if _SIZE.search(text) else frozenset())
    named = [one for one in said.named if one.sizes] if measure.said & _AT_ALL else []
    called = [one for one in said.grid.columns if one.header & columns and one.sizes]
    pays = [one for one in (money_column(text, said),) if one] if measure.said & _AT_ALL and _MONEY.search(text) else []
    found = next((one for one in (named, called, pays) if one), [])
    return found[0] if len(found) == 1 else None
