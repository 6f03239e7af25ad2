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
from tools.answer_rules.asked_columns import COUNT, SUM, asked_column, price_words
from tools.answer_rules.asked_rows import asks_who, is_counted_by_sentence
from tools.answer_rules.chosen_rows import ChosenRows, kind_asked, words_above
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.money import CURRENCY_NAMES
from tools.answer_rules.most_of_rows import asks_most, head_asked, measure_words, most_of
from tools.answer_rules.read_tables import is_of_people, people_column, tables_of
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.row_states import DENIES, FILLER, PAID
from tools.answer_rules.table_columns import Column, Grid
from tools.answer_rules.table_sums import MOST_ROWS, added_up, amounts_in, are_alike, are_one_kind, written
from tools.answer_rules.table_words import TITLE, TableWords, counted, head_of
from tools.answer_rules.text import content_stems, says

Stems = frozenset[str]

SURE = 0.84
"""How sure an answer is of which the table has every word."""
_UNSAID = 0.06
"""What a word that the table has not takes of it."""
_MOST_UNSAID = 1
_LONGEST = 300

_MUCH = re.compile(r"\bhow much\b|\bwhat (?:have|has|had|did|do|does|was|is|were)\b|\W*add up\b", re.I)
_ASKS = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may)\b", re.I
)
_HOW_MUCH = re.compile(r"\bhow much\b", re.I)
_ROWS_ASKED = re.compile(r"\W*(?:(?:and|so) )?(?:which|what|whose|who|how many|list|name|show)\b", re.I)
_IS_ONE = re.compile(r"\W*(?:(?:and|so) )?what(?:['’]s| is| was) (?:the|our|my|your)\b", re.I)
_OF_MONEY = re.compile(
    r"\W*(?:(?:and|so) )?what (?:do|does|did|have|has|had)\b.*"
    r"\b(?:pay|paid|cost|owe|owed|earn|earned|charge|charged)\b(?! for$)",
    re.I,
)
"""Asks for an amount, which no name of a row is: "What did each of us pay for the tour?"."""
_PERIOD = re.compile(rf"\b(?:in|during|for|over) (?:{'|'.join(MONTHS)})\b", re.I)
_COMES = re.compile(
    r"\b(?:what|how much) (?:do|have|has)\b.* (?:come|came|amount) to\b"
    r"|\b(?:what|how much) (?:has |have )?(?:came|come) in\b"
    r"|\bwhat (?:do|did|have|has)\b.* br(?:ing|ought) in\b",
    re.I,
)
_LISTED = re.compile(
    r"\W*(?:(?:and|so) )?(?:please )?(?:which|what|(?:list|name|show)(?: me| us)?)(?: all| every)?(?: of)?"
    r"(?: the| our| my)? (?P<kind>(?!(?:is|was|has|does|this)\b)[a-z][\w-]+(?<![sui])s|people|men|women|children)(?= )"
    r"(?! (?:more|less|most|least|first|last|best|worst)\b)",
    re.I,
)
"""Asks for all of a kind of which something is so; a verb in its place is followed by "first" or "more"."""
_THAT = re.compile(r"^ (?:that|which|who)\b", re.I)
_TELLS = re.compile(r"\s*(?:is|are|was|were|has|have|had|do|does|did|can|could|will|still)\b", re.I)
_WITHOUT = re.compile(
    r"\b(?:before|without|excluding|excl\.?|leaving out|less|ex|net of|not counting) (?:the )?(?P<tax>vat|tax)\b", re.I
)
_SPENT = re.compile(
    r"\b(?:what|how much) (?:have|has|did) (?:[\w'’-]+ ){1,4}?(?<!to )(?:pay|paid|spend|spent|earn|earned|taken)\b",
    re.I,
)
_CASH_FLOWS = re.compile(
    r"\W*(?:(?:and|so) )?(?:how much|what)(?: money)? "
    r"(?:(?:(?:did|do|have|has) (?:we|i|they|you) )?(?:taken? in|took in|c[ao]me in|earn(?:ed)?|raised?|received?"
    r"|spen[dt]|pa(?:y|id) out|(?:go|went|gone) out)|(?:is|was|are|were) (?:the |our |my )?(?:total )?(?:income|takings"
    r"|expenses|expenditure|spendings?|outgoings))\b",
    re.I,
)
"""What asks for all that came in or went out, unless it goes on."""
_IN_ALL = re.compile(
    r"(?: (?:in total|al ?together|all told|overall|in all|so far|up to now|until now|(?:up )?to date))*", re.I
)
_OURS = re.compile(r"\b(?:we|i|our|my|they|their)\b", re.I)
_OWING = re.compile(r"\b(?:ow(?:es?|ed|ing)|outstanding|unpaid|missing|behind)\b", re.I)
_TOGETHER = re.compile(
    r"\b(?:in total|al ?together|all told|overall|in all|(?:total|sum)(?: (?:of|number|amount))?"
    r"|add(?:s|ed)? up(?: to)?|together|everything|all in$)\b",
    re.I,
)
_TOTAL_TOLD = re.compile(r"\b(?:totals?|sum|al ?together|overall|all|everything|in the end|come to|came to)\b", re.I)
_AND_MORE = re.compile(
    r"[^.;:\n\d]{0,60}?,? (?:and|plus) (?:another |a further )?[$€£]?\d[\d,.]*(?: [\w-]+)?"
    r" (?:on|in|at|from|by|for|to|of)\b",
    re.I,
)
"""What follows a part of a sum: "214 came on Saturday and 180 on Sunday"."""
_ASKS_MUCH = re.compile(r"\W*(?:(?:and|so) )?(?:how (?:much|many)|what)\b", re.I)
_OF_ROWS = re.compile(
    r"[^,]*? (?:are|is|were|was|can|could|have|has)(?:n['’]t)?\b|[^,]*? (?:do|did) (?:we|i|you|they) ", re.I
)
"""What a question begins with that tells something of all that it counts, so that the rows may be called anything."""
_BELONGS = re.compile(r"\b(?:do|does|did)\b(?! (?:we|i|you|they|people)\b)", re.I)
_SHARE = re.compile(
    r"\b(?:per|for each|for every|(?:each|every)(?= (?:day|week|month|year|person|head|child|hour)\b)) "
    r"(?P<each>[\w-]+)",
    re.I,
)
"""A share of what is asked for."""
_FOR_A = re.compile(r"\bfor an? (?P<each>[\w-]+)$", re.I)
_TIMES_A = re.compile(r"\ba (?:day|week|month|person|head|child|hour)\b|\bwithin (?:the )?(?:\w+ )?\d", re.I)
"""What is not followed."""
_DOERS = re.compile(
    r"\b(?:did|does|has|had) (?:(?:the|my|our|an?) )?(\w+)|\b(?:the|my|our) (\w+) (?:did|does|has|had)\b", re.I
)
"""Whom something is told of: no other word for what is counted."""
_ALL_OF = re.compile(r"\ball (?:of )?(?:our|the|my|these) (\w+)", re.I)
_WHO_DOES = re.compile(r"\W*(?:(?:and|so) )?who(?:['’]s)?\b(?: (?:has|have|had|is|are|was|were|did))? ?(\w*)", re.I)
_QUANTITY = frozenset(content_stems("qty quantity pieces pcs copies units"))
_HELD = frozenset(content_stems("own owned hold held stock sold"))
"""What a column is called that says how many of a thing a row is of."""
_BEST = re.compile(r"\W*(?:(?:and|so) )?(?:what|how much) (?:was|were|did)\b.*\b(?P<way>best|worst)\b", re.I)
_TAKINGS = frozenset(content_stems("takings sales income revenue turnover receipts taken"))
"""What a column is called of which more is better."""
_MEAN = re.compile(r"\b(?:average|mean)\b", re.I)
_NAME = re.compile(r"(?<=[a-z,;'’] )[A-Z][\w-]+|\b\w*\d\w*\b")
_ONE = re.compile(r"\b(?:the|an?|this|that) (?:bill|invoice|quote|receipt|payment|order)\b", re.I)
"""What a question for one amount names."""


def asks_of_whole(question: str) -> bool:
    """Whether a question may ask what the rows of a table come to."""
    text = question[:_LONGEST]
    is_sum = any(said.search(text) for said in (SUM, _PERIOD, _OWING, _COMES, _SPENT, _MEAN, _CASH_FLOWS))
    is_much = _MUCH.search(text) or _ASKS_MUCH.match(text) or not _ASKS.search(text)
    return bool(COUNT.match(text) or (is_much and is_sum) or asks_most(text))


def asks_for_sum(question: str) -> bool:
    """Whether a question asks for what several rows are together, or each of them by and large."""
    text = question[:_LONGEST]
    of_several = any(said.search(text) for said in (SUM, _COMES, _SPENT, _MEAN))
    return bool(of_several and (COUNT.match(text) or _MUCH.search(text)))


def is_one_of_several(question: str, found: Found) -> bool:
    """Whether a question asks for what several values are together, and what was found is told by a row or a sentence
    that speaks of no total.
    """
    text = question[:_LONGEST].strip(" ?.!")
    if _asks_all_cash(text):  # what a stall took in is not what we did
        is_ours = _OURS.search(found.sentence) and found.doc.kind_at(found.start) != "row"
        return not (is_ours or _TOTAL_TOLD.search(found.sentence))
    if not (_ASKS_MUCH.match(text) and _TOGETHER.search(text)):
        return False
    line = found.doc.line_at(found.start)
    if line is None:
        if _AND_MORE.match(found.doc.text, found.end):
            return True
        return bool(SUM.search(text)) and not _TOTAL_TOLD.search(found.sentence)
    return line.kind == "row" and not _TOTAL_TOLD.search(found.doc.text[line.start : line.end])


def _asks_all_cash(text: str) -> bool:
    """Whether a question asks for all that came in or went out, of whatever it was: "How much did we take in?"."""
    flow = _CASH_FLOWS.match(text)
    return flow is not None and _IN_ALL.fullmatch(text, flow.end()) is not None


def _cash_words(text: str, said: TableWords) -> Stems:
    """What a question calls the money that came in or went out, where a table has a column of that."""
    flow = _CASH_FLOWS.match(text)
    return frozenset(content_stems(flow[0])) if flow and any(one.is_cash for one in said.grid.columns) else Stems()


def find_whole(question: str, evidence: Evidence) -> Recorded | None:
    """The count, the sum, the mean, or the row with the most of what a question asks of a table; None where no table
    has what it asks, two have it alike, or a name, a number or more than one of its words stand nowhere.

    All rows of the tables have to be in the evidence.
    """
    text = _WITHOUT.sub(" ", " ".join(question.split())).strip(" ?.!,")
    if len(text) > _LONGEST or not asks_of_whole(text) or _TIMES_A.search(text):
        return None
    stems = frozenset(content_stems(text))
    share, doers = (
        _SHARE.search(text),
        frozenset(content_stems(" ".join(one for found in _DOERS.findall(text) for one in found))),
    )
    told = []
    tables = tables_of(evidence)
    known = frozenset[str]().union(*(one.called | one.headers for one in tables))
    for table in (one for one in tables if len(one.rows) > 1):
        said = TableWords.of(text, Grid.of(table))
        names = _names(said.rest)
        said.found |= measure_words(text, said) | _cash_words(text, said)
        if share:
            said.found |= set(content_stems(share[0]))
        if said.lacks_denial or said.lacks_bound or names - said.found:
            continue
        if len(said.unsaid) > (_MOST_UNSAID if said.found else 0):
            continue
        if COUNT.match(text) and said.unsaid & doers - counted(said.rest):
            continue
        if asks_most(text) and head_asked(text) & said.unsaid & known:
            continue  # hotels are those of another table
        column = asked_column(said.rest, said)
        if share and not _is_told_so(share["each"], column, said, is_mean=bool(_MEAN.search(text))):
            continue
        answer = _told(said.rest, said, column, SURE - _UNSAID * len(said.unsaid))
        if answer and not _is_counted_otherwise(text, answer, evidence):
            in_header = len((stems | price_words(text)) & column.header) if column else 0
            is_of_them = asks_most(text) and bool(head_asked(text) & table.called)
            rank = (
                is_of_them,
                len(said.found),
                -len(said.unsaid),
                in_header,
                len(stems & (table.headers | table.called)),
            )
            told.append((rank, answer))
    best = [answer for rank, answer in told if rank == max(one for one, _ in told)]
    return best[0] if len(best) == 1 else None


def _is_counted_otherwise(text: str, answer: Recorded, evidence: Evidence) -> bool:
    """Whether rows were counted, and a sentence tells another number of what is asked."""
    is_count = COUNT.match(text) and answer.text == str(len(answer.places))
    return bool(is_count) and is_counted_by_sentence(text, len(answer.places), evidence)


def _names(text: str) -> Stems:
    """The stems of what a question writes as names, or with a figure; "in Total" is none."""
    return frozenset(content_stems(" ".join(_NAME.findall(TITLE.sub("", SUM.sub(" ", text))))))


def _is_told_so(each: str, column: Column | None, said: TableWords, *, is_mean: bool) -> bool:
    """Whether a share of each is what a column says of every row ("milk per day"), or a mean is that of such rows."""
    stems = frozenset(content_stems(each))
    if column is not None and stems <= column.header:
        return True
    rows = said.grid.table.rows
    if is_mean and each.lower() == "day":
        days = [day for row in rows for _, day in list(row.days())[:1]]
        return len({(day.year, day.month, day.day) for day in days}) == len(rows)
    return is_mean and bool(stems & said.grid.table.called)


def asks_of_chosen(question: str) -> bool:
    """Whether a question may ask for rows by what is so of them."""
    return bool(_ROWS_ASKED.match(question[:_LONGEST]))


def find_chosen(question: str, evidence: Evidence) -> ChosenRows | None:
    """The rows that a question asks for by a bound, or by what a column says is so of them or not; None as in
    `find_whole`. What the rows are called nobody need have written above them, nor what somebody does: "Who owes ...?".

    All rows of the tables have to be in the evidence.
    """
    text = " ".join(question.split()).strip(" ?.!,")
    if len(text) > _LONGEST or not _ROWS_ASKED.match(text) or _IS_ONE.match(text) or asks_most(text):
        return None
    if _OF_MONEY.match(text):  # no name of a row is an amount
        return None
    tables = tables_of(evidence)
    does = _WHO_DOES.match(text)
    unsaid = (kind_asked(text) | frozenset(content_stems(does[1] if does else ""))) - words_above(tables)
    told = []
    for table in (one for one in tables if len(one.rows) > 1):
        said = TableWords.of(text, Grid.of(table))
        names = _names(said.rest)
        of_people = bool(does) and (is_of_people(table) or bool(people_column(table)))
        if not said.is_told or not said.rows or said.lacks_denial or said.lacks_bound or names - said.found:
            continue
        if not said.unsaid - unsaid:
            rank = (of_people, len(said.found))
            told.append((rank, ChosenRows(text, table, tuple(table.rows[at] for at in said.rows), said.lacking)))
    best = [rows for rank, rows in told if rank == max(one for one, _ in told)]
    if len(best) != 1 or all(_is_asked_about(text, one.text) for one in best[0].named):
        return None
    return best[0]


def find_counted(question: str, evidence: Evidence) -> tuple[Found, ...]:
    """The rows that a question lists and that are counted where it is asked how many: "Which goats are in milk?" by
    "How many goats are in milk?". () where none are.

    All rows of the tables have to be in the evidence.
    """
    text = " ".join(question.split()).strip(" ?.!,")
    listed = _LISTED.match(text) if len(text) <= _LONGEST else None
    if listed is None or asks_most(text) or DENIES.search(text):
        return ()
    rest = _THAT.sub(" ", text[listed.end("kind") :])
    is_told = _TELLS.match(rest) is not None
    counted_rows = find_whole(f"how many {listed['kind']}{rest if is_told else f' are{rest}'}", evidence)
    return counted_rows.places if counted_rows and counted_rows.text == str(len(counted_rows.places)) else ()


def _is_asked_about(text: str, name: str) -> bool:
    """Whether a question says a name, of whom it asks who it is any of it: "Who is Jarek's mentor?" is not Jarek."""
    is_of_who = asks_who(text) and frozenset(content_stems(text)) & frozenset(content_stems(name))
    return bool(is_of_who) or says(text, name)


def _told(text: str, said: TableWords, column: Column | None, confidence: float) -> Recorded | None:
    if best := _of_best(text, said, column, confidence):
        return best
    if asks_most(text):
        return most_of(text, said, confidence)
    if said.owing and _HOW_MUCH.search(text):
        return _owed(said, *said.owing, confidence)
    is_all = bool(SUM.search(text) or _COMES.search(text))
    if _MEAN.search(text):
        return _sum(said, column, confidence, least=2, is_mean=True) if column else None
    if column and column.is_cash and _asks_all_cash(text) and not said.unsaid:
        return _sum(said, column, confidence, least=2)
    if column and not COUNT.match(text):
        if not (column.is_money or is_all or _HOW_MUCH.search(text)):
            return None  # what something was need not be what its rows add up to
        is_named = (
            bool(column.header & frozenset(content_stems(text)) - FILLER) and _SPENT.search(text) and not said.unsaid
        )
        is_meant = said.unsaid <= _all_of(text) or len(frozenset(content_stems(text)) & column.header) > 1
        is_spoken_of = bool(said.found & (said.grid.table.headers | said.grid.table.called))
        is_whole = is_all and not said.is_chosen and is_spoken_of and is_meant
        is_of_some = said.is_chosen and not _ONE.search(text)
        return _sum(said, column, confidence, least=2) if is_of_some or is_whole or is_named else None
    if column:
        least = 2 if is_all or said.is_in_period else 1
        return _sum(said, column, confidence, least=least) if is_all or said.is_chosen else None
    if COUNT.match(text) and said.is_chosen and (quantity := _quantity(text, said)):
        return _sum(said, quantity, confidence, least=1)
    if not COUNT.match(text) or len(said.rows) < 2 or not said.is_chosen or not _is_of_rows(text, said):
        return None
    keys = tuple(said.grid.table.rows[at].key() for at in said.rows)
    reason = f"Rows with {'; '.join(said.because)}. {said.lacking}".strip()
    return Recorded(str(len(keys)), keys, confidence - (_UNSAID if said.lacking else 0), reason=reason)


def _of_best(text: str, said: TableWords, column: Column | None, confidence: float) -> Recorded | None:
    """The most or the least that was taken in one of the rows: "What were the takings on the best Saturday?"."""
    way = _BEST.match(text)
    if way is None or column is None or not said.is_chosen or not column.header & _TAKINGS:
        return None
    if said.unsaid - frozenset(content_stems(way["way"])):
        return None
    sizes = {at: column.value(at) for at in said.rows if at in column.cells}
    order = sorted(sizes, key=lambda at: (-sizes[at] if way["way"].lower() == "best" else sizes[at], at))
    cells = [column.cells[at] for at in order]
    if len(order) < 2 or sizes[order[0]] == sizes[order[1]] or not are_one_kind(cells):
        return None
    return Recorded(cells[0].text, (cells[0], said.grid.table.rows[order[0]].key()), confidence)


def _is_of_rows(text: str, said: TableWords) -> bool:
    """Whether what is counted are the rows: they are called so, or it is told of all of them; and what belongs to one
    of them, as in "how many seats does a Mirabel have", is none.
    """
    head, called = counted(text), said.grid.table.called
    if head & frozenset[str]().union(*(one.header for one in said.named)) - called:
        return False
    is_of_kind = head <= said.found and not any(one.is_money for one in said.grid.columns)
    if head <= FILLER or head & called or (is_of_kind and not _BELONGS.search(text)):
        return True
    known = head & said.found
    is_of_all = known in (Stems(), head) or (_is_of_some(head_of(text), known) and len(said.because) > 1)
    return bool(_OF_ROWS.match(text)) and not _BELONGS.search(text) and is_of_all


def _is_of_some(head: str, known: Stems) -> bool:
    """Whether all words of what is counted are known but the last, which is a word of one's own for the rows."""
    *before, last = head.split()
    return frozenset(content_stems(" ".join(before))) == known and not frozenset(content_stems(last)) & known


def _quantity(text: str, said: TableWords) -> Column | None:
    """The column that says how many of a thing each row is of, where a question counts the things and not the rows."""
    head = counted(text) - FILLER
    held = frozenset(content_stems(text)) & _HELD  # "How many do we own?" by a column "Owned"
    amounts = [one for one in said.grid.columns if one.is_amounts and one.header]
    found = [one for one in amounts if one.header & _QUANTITY or one.header <= held]
    return found[0] if len(found) == 1 and head and not head & said.grid.table.called else None


def _all_of(text: str) -> Stems:
    """What a question asks all of, which may be its own word for the rows: "all our machines"."""
    match = _ALL_OF.search(text)
    return frozenset(content_stems(match[1])) if match else Stems()


def _owed(said: TableWords, to_pay: Column, paid: Column, confidence: float) -> Recorded | None:
    """How much less than is to be paid has been paid in the rows."""
    cells = [one.cells[at] for at in said.rows for one in (to_pay, paid) if at in one.cells]
    amounts = amounts_in(cells)
    if not amounts or len(amounts) < len(cells) or not are_alike(amounts) or len(said.rows) > MOST_ROWS:
        return None
    sums = [sum(one.value(at) for at in said.rows) for one in (to_pay, paid)]
    told = [written(one, amounts) for one in (sums[0] - sums[1], *sums)]
    reason = f"{to_pay.label} {told[1]}, {paid.label} {told[2]}: {told[1]} - {told[2]} = {told[0]}."
    return Recorded(told[0], tuple(cells), confidence, reason=reason)


def _mixes_currencies(said: TableWords) -> bool:
    """Whether the rows are told in several currencies by a column that says which."""
    told = ({cell.text.strip().lower() for at in said.rows if (cell := one.cells.get(at))} for one in said.grid.columns)
    return any(len(names) > 1 and names <= CURRENCY_NAMES for names in told)


def _sum(said: TableWords, column: Column, confidence: float, *, least: int, is_mean: bool = False) -> Recorded | None:
    rows, table = [column.cells.get(at) for at in said.rows], said.grid.table
    if _mixes_currencies(said):
        return None
    if table.totals and not is_mean:
        total = table.totals[0].cell(column.header)
        is_told = total is not None and are_one_kind([total])
        if len(rows) == len(table.rows) or not is_told:
            # Without a total whoever wrote the table did not add these up.
            return Recorded(total.text, (total,), confidence) if total and is_told else None
    is_sparse = bool(column.header & PAID) or column.is_cash  # who has no cell there has paid nothing
    told = added_up(rows, confidence, is_mean=is_mean, is_sparse=is_sparse) if len(rows) >= least else None
    if told is None or not said.because:
        return told
    return replace(told, reason=f"{column.label} of rows with {'; '.join(said.because)}. {told.reason}".strip())
