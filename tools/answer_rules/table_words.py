"""Which rows and columns of a table the words of a question are about, and which of its words the table has not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tools.answer_rules.bounds import alike, bounds_in
from tools.answer_rules.periods import Period, asked_period
from tools.answer_rules.read_tables import is_of_people, people_column
from tools.answer_rules.recorded_rows import compared
from tools.answer_rules.table_columns import NO, YES, Column, Grid
from tools.answer_rules.text import content_stems, words

Stems = frozenset[str]

_VERB = (
    "are|is|were|was|can|could|have|has|had|still|do|does|did|that|which|who|in|on|at|for|of|from|by|with|we|i|you|they"
    "|the|altogether|weighs?|costs?|live|go|went|came|come|sit|stand|[a-z]+ed"
)
_HEAD = re.compile(
    r"\b(?:how (?:many|much)|add up|(?:total|average|mean)(?: number| amount)?|(?:most|fewest|least)) (?:of )?"
    r"(?:(?:the|our|my|these|those|all|different) )*"
    rf"(?!(?:{_VERB})\b)(?P<head>(?:[\w-]+ ){{0,2}}?[\w-]+?)(?= (?:{_VERB})\b|$)",
    re.I,
)
_DENIES = re.compile(r"\b(?:not|never|without|no longer|nobody|none|no|yet to)\b|n['’]t\b|\bun(?=finished|sold)", re.I)
_UN = re.compile(r"\bun([a-z]{4,})\b", re.I)
_ABLE = re.compile(
    r"\b(?:to|can|could|may|must|who|that)(?:n['’]t| not)? (?P<verb>[a-z]+) (?:(?:the|an?|our|their) )?"
    r"(?P<thing>[\w-]+)",
    re.I,
)
_BARE = frozenset(content_stems("is are was were be have has had do does did we our us of the a an to for on in i my"))
"""What is asked of every column, and names none of yes and no."""
_NUMBERED = re.compile(r"\b(?P<what>[a-z]{3,}) (?P<number>\d+[a-z]?)\b(?![.,:/-]\d)", re.I)
_CODES = re.compile(r"\b([A-Z]+\d+)s\b")
_CODE = re.compile(r"(?:[A-Z]{1,4}[-.]?0*)?(?P<number>\d{1,6}[a-z]?)")
_EITHER = re.compile(r"\b(\w+) (?:and|or|&) (?:the |our )?(\w+)", re.I)
_NOBODY = re.compile(r"\b(?:nobody|no one|no-one|nothing|no|without(?: an?)?)\b", re.I)
_PART = re.compile(r"\b(?P<what>[a-z]{4,}) (?P<letter>[A-Z])\b(?!['’.])")
_DONE = frozenset(content_stems("done finished complete completed closed fixed settled repaired resolved ready"))
PAID = frozenset(content_stems("paid pay settled settle squared"))
_TO_PAY = frozenset(content_stems("price fee due cost total amount share rate owed bill invoice"))
_OWES = re.compile(
    r"(?:n['’]t|\bnot) (?:yet )?(?:fully (?:paid|settled)|(?:paid|settled) (?:up|in full|everything|the rest))"
    r"|\bpaid (?P<full>in full|everything)|\bow(?:es?|ed|ing)\b|\boutstanding\b|\bmissing\b|\bbehind\b"
    r"|\bstill (?:have )?to (?:pay|come)\b|\bleft to pay\b",
    re.I,
)
_SPENT = frozenset(content_stems("spent cost costs"))
_OWED = frozenset(content_stems("owe owed owing owes outstanding unpaid due"))
_NOW = re.compile(r"\bthis (?:year|term|season|month|winter|spring|summer|autumn|quarter)(?:['’]s)?\b", re.I)
"""What all rows are of, mostly."""
_SEASON = re.compile(r"\b(?:in|over|during|for|of) (?:the |all |our )?(?P<year>(?:19|20)\d\d) \w+", re.I)
"""A year that is told as that of something: "in the 2024 season"."""
_SHORT = re.compile(
    r"\b(?:order more|re-?order\w*|(?:run|running|ran) (?:low|short|out)|(?:fewer|less)(?: \w+){0,2} than we should"
    r"|(?:below|under|beneath) (?:the|its|their|our) (?:minimum|level|limit|mark)|go shopping|too (?:few|little)"
    r"|need(?:s|ing)? (?:ordering|restocking|buying))\b",
    re.I,
)
_LEAST = frozenset(content_stems("reorder minimum min least target"))
_STOCK = frozenset(content_stems("quantity qty stock hand left board count have pieces"))
_FREE = frozenset(content_stems("note notes remark remarks comment comments"))
"""Columns in which anything may be said: that a word stands there says nothing of the other rows."""
_NONE = frozenset(content_stems("nobody no one nothing"))
_SPARSE = 4
"""A column that this share of the rows lacks says of the others that they have it: who has borrowed them."""
_TOLD = 2
"""Values of a column that are told for all that the rows have."""
_NOT_SO = re.compile(
    r"\b(?:is|are|was|were|has|have)(?:n['’]t| not)(?: been)?(?: yet| still)? (?P<state>[a-z]{3,})\b", re.I
)
_STATES = 6
"""Ways in which a column says how far something is, at most."""

FILLER = frozenset(
    content_stems(
        "have has had do does did we us our ours my i you your they them their a an the of in on at to for from by "
        "with and or so far now yet still ever already much many all every each any some one ones thing things stuff "
        "item items altogether total together added adding up sum told since until over during this that these those "
        "there here it its take took taken takes off give gave given get got gotten make made makes bring brought put "
        "buy bought sell sold spend spent pay paid cost costs come came comes went go need use used keep kept hold "
        "held be been being is are was were can could may might will would shall should must who which what when "
        "where why how whose more most least number amount money list listed sheet table file written down everything "
        "overall whole year years people somebody anyone anybody person single also just only really out back left "
        "often times time work works done doing say says said name names called end about than not never without "
        "highest largest biggest greatest heaviest longest oldest dearest latest newest tallest best fewest lowest "
        "smallest lightest shortest youngest cheapest earliest expensive priciest piece offer average mean going "
        "according whatever both straight away entirely right beginning start quite please become became sent "
        "live lives living itself moment marked sort rid good enough reservation stay holds book line lines ive weve "
        "youve theyve somebodys anybodys plain worth fallen fell billed invoiced charged earned able standing count "
        "havent hasnt hadnt isnt arent wasnt werent dont didnt doesnt cant couldnt whats thats cent penny"
    )
) | frozenset(("what", "who", "which", "where"))
"""What a question may say besides that no table has to have: it chooses no rows."""


@dataclass
class TableWords:
    """How a question is read over a table.

    `rows` are left of it, `found` are the words that it has, `named` the columns of which the question says a word of
    the header, those of most words first, `chosen` those that left out rows, and `because` says what of the rows that
    are left is so. `tells_denial` says that one of those columns tells yes from no, so that a denial in the question
    is a choice among its rows; `is_told` that rows are chosen by a bound or by what is so of them, and not by what they
    are called; `owing` are the columns of what is to be paid and of what is, where the rows are those that owe
    something; `lacks_bound` that a bound is of no column. `rest` is the question without its periods and bounds.
    """

    grid: Grid
    rows: list[int]
    rest: str = ""
    found: set[str] = field(default_factory=set)
    named: list[Column] = field(default_factory=list)
    chosen: list[Column] = field(default_factory=list)
    because: list[str] = field(default_factory=list)
    tells_denial: bool = False
    is_told: bool = False
    is_in_period: bool = False
    owing: tuple[Column, Column] | None = None
    bounded: set[str] = field(default_factory=set)
    lacks_bound: bool = False

    @classmethod
    def of(cls, text: str, grid: Grid) -> TableWords:
        """Of a question in one line, over a table with rows."""
        said = cls(grid, list(grid.rows))
        text = said._as_written(text)
        text = said.rest = said._denied(said._in_period(said._in_bounds(text)))
        asked = frozenset(content_stems(text))
        said.found |= asked & grid.table.called
        said.found |= counted(text) if grid.measured(head_of(text)) else Stems()
        said._name_columns(asked, counted(text))
        said._choose_part(text)
        said._choose_numbered(text)
        asked -= said.bounded | said._choose_owing(text)
        marks = said._choose_marks(text, asked)
        left = asked - FILLER - marks - said._choose_denied(text) - said._done_with(text, marks)
        said._choose_values(left - said._choose_either(text, left))
        said._choose_states(text, asked)
        said._choose_short(text)
        return said

    @property
    def is_chosen(self) -> bool:
        """Whether some rows are left out, or could have been."""
        return len(self.rows) < len(self.grid.rows) or bool(self.chosen)

    @property
    def lacks_denial(self) -> bool:
        """Whether the question denies something of which no column tells."""
        return bool(_DENIES.search(self.rest)) and not self.tells_denial

    @property
    def unsaid(self) -> Stems:
        """The words of the question that the table has not."""
        return frozenset(content_stems(_NOW.sub(" ", self.rest))) - self.found - FILLER

    def _as_written(self, text: str) -> str:
        """The question with the words of the table for its own: "kg" for "kilos", "cashbook" for "cash book"."""
        known = self.grid.table.called | self.grid.table.headers
        text = _CODES.sub(r"\1", text)
        for one, other in pairwise(words(text)):
            if frozenset(content_stems(one + other)) & known:
                text = re.sub(rf"\b{re.escape(one)}[ -]{re.escape(other)}\b", one + other, text, flags=re.I)
        same = {key: stem for stem in known for key in compared(stem)}
        for word in words(text):
            stems = frozenset(content_stems(word))
            if stems and not stems & known and (found := [same[one] for one in compared(word) if one in same]):
                text = re.sub(rf"\b{re.escape(word)}\b", found[0], text, flags=re.I)
        return text

    def _in_period(self, text: str) -> str:
        """Leave the rows of the month or year that is asked for; the question without it."""
        period = asked_period(text) or asked_period(_SEASON.sub(r"in \g<year>", text))
        kept = {id(self.grid.table.rows[at]) for at in self._held(period, text)} if period else set()
        self.lacks_bound |= period is not None and any(one.is_days for one in self.grid.columns) and not kept
        if period is None or not kept:
            return text
        self.is_in_period = True
        self.rows = [at for at in self.rows if id(self.grid.table.rows[at]) in kept]
        self.found |= set(content_stems(text)) - set(content_stems(period.rest))
        return " ".join(period.rest.split())

    def _held(self, period: Period, text: str) -> list[int]:
        """The rows in a period, by the day that the question names ("delivered in May"), else by their first one."""
        asked = frozenset(content_stems(period.rest))
        named = [one for one in self.grid.columns if one.is_days and one.header & asked]
        if len(named) == 1:
            days = {at: day for at in named[0].cells if (day := named[0].day(at))}
            return [at for at, day in days.items() if period.holds(day)]
        rows = self.grid.table.rows
        held = set(map(id, period.rows(rows)))
        return [at for at in self.grid.rows if id(rows[at]) in held]

    def _in_bounds(self, text: str) -> str:
        """Leave the rows within what the question bounds; the question without it."""
        told = bounds_in(text)
        if told is None:
            self.lacks_bound = True
            return text
        bounds, rest = told
        about = frozenset(content_stems(rest))
        for bound in bounds:
            found = bound.column(self.grid, about)
            if found is None:
                self.lacks_bound = True
                break
            column, values = found
            within = [at for at, value in values.items() if bound.holds(value)]
            words = alike(about, column.header) | (about & (PAID | _OWED) if bound.is_of_money else Stems())
            self._keep(column, within, words, f"{column.label} {bound.said}")
            self.bounded |= words
            self.is_told = True
        return rest

    def _denied(self, text: str) -> str:
        """The question with "not registered" for "unregistered", where a column says who is registered."""
        headers, known = self.grid.table.headers, self.grid.table.headers | _OWED

        def parted(match: re.Match[str]) -> str:
            whole, part = frozenset(content_stems(match[0])), frozenset(content_stems(match[1]))
            return f"not {match[1]}" if part & headers and not whole & known else match[0]

        return _UN.sub(parted, text)

    def _name_columns(self, asked: Stems, head: Stems) -> None:
        wanted = (asked - FILLER) | asked & (PAID | _SPENT | head)
        shared = [(alike(wanted, one.header) if one.is_amounts else one.header & wanted, one)
                  for one in self.grid.columns]  # fmt: skip
        self.named = [one for words, one in sorted(shared, key=lambda pair: -len(pair[0])) if words]
        self.found.update(*(words for words, _ in shared))

    def _choose_part(self, text: str) -> None:
        """Rows by the letter that their codes begin with: "staircase B"."""
        for match in _PART.finditer(text):
            for column in self.grid.columns:
                at = [row for row, cell in column.cells.items() if cell.text.startswith(match["letter"])]
                if column.is_codes and 1 < len(at) < len(column.cells):
                    self._keep(column, at, content_stems(match.group()))
                    break

    def _choose_owing(self, text: str) -> Stems:
        """Rows of which less is paid than is to be paid, or, for what is "paid in full", no less; the words for it."""
        match = _OWES.search(text)
        to_pay = [one for one in self.grid.columns if one.is_amounts and one.header & _TO_PAY and not one.header & PAID]
        paid = [one for one in self.grid.columns if one.is_amounts and one.header & PAID]
        if match is None or len(to_pay) != 1 or len(paid) != 1:
            return Stems()
        owes = match["full"] is None or bool(_DENIES.search(text))
        rows = [at for at in to_pay[0].cells if (paid[0].value(at) < to_pay[0].value(at)) == owes]
        words = frozenset(content_stems(match.group()))
        self._keep(paid[0], rows, words, f"{paid[0].label} {'below' if owes else 'as'} {to_pay[0].label}")
        self.chosen.append(to_pay[0])
        self.owing = (to_pay[0], paid[0]) if owes else None
        self.is_told = self.tells_denial = True
        return words

    def _choose_numbered(self, text: str) -> None:
        """Rows by a number behind the header that it is of: "week 16"."""
        for match in _NUMBERED.finditer(text):
            stems = frozenset(content_stems(match["what"]))
            for column in (one for one in self.grid.columns if one.header & stems):
                at = [row for row, cell in column.cells.items() if _is_numbered(cell.text, match["number"])]
                if at:
                    self._keep(column, at, content_stems(match.group()))
                    break

    def _choose_either(self, text: str, left: Stems) -> Stems:
        """Rows of one or the other of two that a column tells apart, and the words for them: "goats and sheep"."""
        for one, other in _EITHER.findall(text):
            first, second = frozenset(content_stems(one)), frozenset(content_stems(other))
            if not (first and second and first | second <= left):
                continue
            for column in (it for it in self.grid.columns if not (it.is_amounts or it.is_marks or it.header & _FREE)):
                rows = [[at for at in self.rows if words <= column.said.get(at, Stems())] for words in (first, second)]
                if all(rows) and not set(rows[0]) & set(rows[1]):
                    self._keep(column, [*rows[0], *rows[1]], first | second)
                    return first | second
        return Stems()

    def _choose_values(self, left: Stems) -> None:
        """Rows by what their cells say, the column first whose cells say most of the question."""
        while found := max(filter(None, (self._said_in(one, left) for one in self.grid.columns)), default=None):
            *_, place, words = found
            column = self.grid.columns[place]
            is_header = words <= self.found and any(words & one.header for one in self.named)
            if not is_header:
                self._keep(column, [row for row, said in column.said.items() if words <= said], words)
            left -= words

    def _said_in(self, column: Column, left: Stems) -> tuple[int, bool, bool, float, int, Stems] | None:
        """How many words a column's cells have, whether the question names it, whether it says whom the rows are of,
        which share of the cell the words are, its place, and the words; None for a column that has none, and where each
        of several cells has another.
        """
        if column.is_amounts or column.is_marks or column in self.chosen or column.header & _FREE:
            return None
        shared = {at: left & column.said[at] for at in self.rows if at in column.said}
        words = max(shared.values(), key=len, default=Stems())
        if not words or any(len(one) == len(words) and one != words for one in shared.values()):
            return None
        shortest = min(len(column.said[at]) for at, one in shared.items() if one == words)
        is_of_people = column.header == self._people
        return (
            len(words),
            column in self.named,
            is_of_people,
            len(words) / shortest,
            self.grid.columns.index(column),
            words,
        )

    @property
    def _people(self) -> Stems | None:
        """The header of whom the rows are of, or belong to."""
        table = self.grid.table
        return self.grid.columns[0].header if is_of_people(table) else people_column(table) or None

    def _choose_marks(self, text: str, asked: Stems) -> Stems:
        """Rows by columns of yes and no that are named, or that tell what is paid; the words of their headers."""
        denies, owed, said = bool(_DENIES.search(text)), asked & _OWED, Stems()
        for column in (one for one in self.grid.columns if one.is_marks):
            is_paid = bool(column.header & PAID and asked & (PAID | _OWED))
            if is_paid or column.header & asked - _BARE:
                mark = NO if denies != bool(owed and is_paid) else YES
                at = [row for row, cell in column.cells.items() if mark.fullmatch(cell.text.strip(" *"))]
                self._keep(column, at, asked & (PAID | _OWED) if is_paid else ())
                self.tells_denial = self.is_told = True
                said |= column.header & asked
        return said

    def _done_with(self, text: str, marks: Stems) -> Stems:
        """The verb of what somebody can do with a thing whose column says yes or no: "drive" in "can drive the van"."""
        verbs = [verb for verb, thing in _ABLE.findall(text) if marks & frozenset(content_stems(thing))]
        self.found.update(content_stems(" ".join(verbs)))
        return frozenset(content_stems(" ".join(verbs)))

    def _choose_states(self, text: str, asked: Stems) -> None:
        """Rows by a column that some lack, that is named or tells what is paid, and by what is done."""
        denies, is_owed = bool(_DENIES.search(text)), bool(asked & _OWED)
        for column in (one for one in self.grid.columns if one not in self.chosen):
            is_named, lacking = bool(column.header & asked - FILLER), set(self.grid.rows) - set(column.cells)
            is_paid = bool(column.header & PAID and asked & (PAID | _OWED))
            done = [at for at, said in column.said.items() if said & _DONE]
            unpaid = lacking | {at for at in column.cells if column.is_amounts and not column.value(at)}
            is_sparse = column.is_days or len(lacking) >= len(column.cells) / _SPARSE
            if unpaid and is_paid and (denies or is_owed):
                self._keep(column, unpaid, asked & (PAID | _OWED))
            elif lacking and is_named and (_NOBODY.search(text) or (denies and column.is_days)):
                self._keep(column, lacking, asked & _NONE)
            elif lacking and is_named and not denies and is_sparse:
                self._keep(column, column.cells, (), column.label if column.is_amounts else "")
            elif done and asked & _DONE and len(set(column.said.values())) <= _STATES:
                self._keep(column, set(self.grid.rows) - set(done) if denies else done, asked & _DONE)
            else:
                continue
            self.is_told = True
            self.tells_denial |= denies or is_owed

    def _choose_denied(self, text: str) -> Stems:
        """Rows that are not what a column says of some, and the words for it: "aren't closed yet"."""
        match = _NOT_SO.search(text)
        state = frozenset(content_stems(match["state"])) if match else Stems()
        for column in self.grid.columns if state else ():
            states = set(column.said.values())
            if len(states) <= _STATES < len(column.cells) and any(state <= one for one in states):
                self._keep(column, [at for at, said in column.said.items() if not state & said], state)
                self.is_told = self.tells_denial = True
                return state
        return Stems()

    def _choose_short(self, text: str) -> None:
        """Rows of which there is less than there should be: "below the level at which we order more"."""
        least = [one for one in self.grid.columns if one.is_amounts and one.header & _LEAST]
        stock = [one for one in self.grid.columns if one.is_amounts and one.header & _STOCK and one not in least]
        match = _SHORT.search(text)
        if match and len(least) == len(stock) == 1:
            both = set(least[0].cells) & set(stock[0].cells)
            words = content_stems(text[match.start() :])
            is_short = f"{stock[0].label} below {least[0].label}"
            self.tells_denial = True
            self._keep(least[0], [at for at in both if stock[0].value(at) < least[0].value(at)], words, is_short)

    def _keep(self, column: Column, rows: Iterable[int], words: Iterable[str], because: str = "") -> None:
        kept = set(rows)
        self.rows = [at for at in self.rows if at in kept]
        self.chosen.append(column)
        self.found.update(words)
        if (told := because or _said_of(column, self.rows)) not in self.because:
            self.because.append(told)


def _is_numbered(cell: str, number: str) -> bool:
    """Whether a cell is this number, or a code of letters and it: "B10" is barrel 10."""
    code = _CODE.fullmatch(cell.strip(" *#"))
    return code is not None and code["number"] == number


def _said_of(column: Column, rows: Sequence[int]) -> str:
    """What a column says of some rows: its one value, that it has several, or none."""
    values = list(dict.fromkeys(column.cells[at].text for at in rows if at in column.cells))
    told = ", ".join(values[:_TOLD]) + (", …" if len(values) > _TOLD else "")
    # A header that no row of these has is no name in them: it is written as a word.
    return f"{column.label}: {told}" if values else f"no {column.label.lower()}"


def head_of(text: str) -> str:
    """What a question for how many, how much, the total or the mean asks that of."""
    head = _HEAD.search(text)
    return head["head"] if head else ""


def counted(text: str) -> Stems:
    """The stems of that."""
    return frozenset(content_stems(head_of(text)))
