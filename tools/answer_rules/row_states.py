"""Rows of a table by what a question says is so of them: what a column marks with yes or no, how far something is, what
is paid and what is owed, and of what there is too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tools.answer_rules.table_columns import NO, YES, Column, Grid
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

DENIES = re.compile(r"\b(?:not|never|without|no longer|nobody|none|no|yet to)\b|n['’]t\b|\bun(?=finished|sold)", re.I)
_ABLE = re.compile(
    r"\b(?:to|can|could|may|must|who|that)(?:n['’]t| not)? (?P<verb>[a-z]+) (?:(?:the|an?|our|their) )?"
    r"(?P<thing>[\w-]+)",
    re.I,
)
_BARE = frozenset(content_stems("is are was were be have has had do does did we our us of the a an to for on in i my"))
"""What is asked of every column, and names none of yes and no."""
_NOBODY = re.compile(r"\b(?:nobody|no one|no-one|nothing|no|without(?: an?)?)\b", re.I)
_DONE = frozenset(content_stems("done finished complete completed closed fixed settled repaired resolved ready"))
PAID = frozenset(content_stems("paid pay settled settle squared"))
TO_PAY = frozenset(content_stems("price fee due cost total amount share rate owed bill invoice"))
_OWES = re.compile(
    r"(?:n['’]t|\bnot) (?:yet )?(?:fully (?:paid|settled)|(?:paid|settled) (?:up|in full|everything|the rest))"
    r"|\bpaid (?P<full>in full|everything)|\bow(?:es?|ed|ing)\b|\boutstanding\b|\bmissing\b|\bbehind\b"
    r"|\bstill (?:have )?to (?:pay|come)\b|\bleft to pay\b",
    re.I,
)
OWED = frozenset(content_stems("owe owed owing owes outstanding unpaid due"))
_SHORT = re.compile(
    r"\b(?:order more|re-?order\w*|(?:run|running|ran) (?:low|short|out)|(?:fewer|less)(?: \w+){0,2} than we should"
    r"|(?:below|under|beneath) (?:the|its|their|our) (?:minimum|level|limit|mark)|go shopping|too (?:few|little)"
    r"|need(?:s|ing)? (?:ordering|restocking|buying))\b",
    re.I,
)
_LEAST = frozenset(content_stems("reorder minimum min least target"))
_STOCK = frozenset(content_stems("quantity qty stock hand left board count have pieces"))
_NONE = frozenset(content_stems("nobody no one nothing"))
_SPARSE = 4
"""A column that this share of the rows lacks says of the others that they have it: who has borrowed them."""
_TOLD = 2
"""Values of a column that are told for all that the rows have."""
_NOT_SO = re.compile(
    r"\b(?:is|are|was|were|has|have)(?:n['’]t|(?: still)? not)(?: been)?(?: yet| still)? (?P<state>[a-z]{3,})\b"
    r"|\b(?:is|are|was|were|still|yet) un(?P<other>[a-z]{4,})\b",
    re.I,
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
class RowStates:
    """The rows that are left of a table, and what chose them.

    `rows` are left of it, `found` are the words of the question that it has, `chosen` the columns that left out rows,
    and `because` says what of the rows that are left is so. `tells_denial` says that one of those columns tells yes
    from no, so that a denial in the question is a choice among its rows; `is_told` that rows are chosen by a bound or
    by what is so of them, and not by what they are called; `owing` are the columns of what is to be paid and of what
    is, where the rows are those that owe something.
    """

    grid: Grid
    rows: list[int]
    found: set[str] = field(default_factory=set)
    chosen: list[Column] = field(default_factory=list)
    because: list[str] = field(default_factory=list)
    tells_denial: bool = False
    is_told: bool = False
    owing: tuple[Column, Column] | None = None

    def choose_owing(self, text: str) -> Stems:
        """Rows of which less is paid than is to be paid, or, for what is "paid in full", no less; the words for it."""
        match = _OWES.search(text)
        to_pay = [one for one in self.grid.columns if one.is_amounts and one.header & TO_PAY and not one.header & PAID]
        paid = [one for one in self.grid.columns if one.is_amounts and one.header & PAID]
        if match is None or len(to_pay) != 1 or len(paid) != 1:
            return Stems()
        owes = match["full"] is None or bool(DENIES.search(text))
        rows = [at for at in to_pay[0].cells if (paid[0].value(at) < to_pay[0].value(at)) == owes]
        words = frozenset(content_stems(match.group()))
        self.keep(paid[0], rows, words, f"{paid[0].label} {'below' if owes else 'as'} {to_pay[0].label}")
        self.chosen.append(to_pay[0])
        self.owing = (to_pay[0], paid[0]) if owes else None
        self.is_told = self.tells_denial = True
        return words

    def choose_marks(self, text: str, asked: Stems) -> Stems:
        """Rows by columns of yes and no that are named, or that tell what is paid; the words of their headers."""
        denies, owed, said = bool(DENIES.search(text)), asked & OWED, Stems()
        for column in (one for one in self.grid.columns if one.is_marks):
            is_paid = bool(column.header & PAID and asked & (PAID | OWED))
            if is_paid or column.header & asked - _BARE:
                mark = NO if denies != bool(owed and is_paid) else YES
                at = [row for row, cell in column.cells.items() if mark.fullmatch(cell.text.strip(" *"))]
                self.keep(column, at, asked & (PAID | OWED) if is_paid else ())
                self.tells_denial = self.is_told = True
                said |= column.header & asked
        return said

    def done_with(self, text: str, marks: Stems) -> Stems:
        """The verb of what somebody can do with a thing whose column says yes or no: "drive" in "can drive the van"."""
        verbs = [verb for verb, thing in _ABLE.findall(text) if marks & frozenset(content_stems(thing))]
        self.found.update(content_stems(" ".join(verbs)))
        return frozenset(content_stems(" ".join(verbs)))

    def choose_states(self, text: str, asked: Stems) -> None:
        """Rows by a column that some lack, that is named or tells what is paid, and by what is done."""
        denies, is_owed = bool(DENIES.search(text)), bool(asked & OWED)
        for column in (one for one in self.grid.columns if one not in self.chosen):
            is_named, lacking = bool(column.header & asked - FILLER), set(self.grid.rows) - set(column.cells)
            is_paid = bool(column.header & PAID and asked & (PAID | OWED))
            done = [at for at, said in column.said.items() if said & _DONE]
            unpaid = lacking | {at for at in column.cells if column.is_amounts and not column.value(at)}
            is_sparse = column.is_days or len(lacking) >= len(column.cells) / _SPARSE
            if unpaid and is_paid and (denies or is_owed):
                self.keep(column, unpaid, asked & (PAID | OWED))
            elif lacking and is_named and (_NOBODY.search(text) or (denies and column.is_days)):
                self.keep(column, lacking, asked & _NONE)
            elif lacking and is_named and not denies and is_sparse:
                self.keep(column, column.cells, (), column.label if column.is_amounts else "")
            elif done and asked & _DONE and len(set(column.said.values())) <= _STATES:
                self.keep(column, set(self.grid.rows) - set(done) if denies else done, asked & _DONE)
            else:
                continue
            self.is_told = True
            self.tells_denial |= denies or is_owed

    def choose_denied(self, text: str) -> Stems:
        """Rows that are not what a column says of some, and the words for it: "aren't closed yet", "are unsold"."""
        match = _NOT_SO.search(text)
        state = frozenset(content_stems(match["state"] or match["other"])) if match else Stems()
        words = state | frozenset(content_stems(f"un{match['other']}")) if match and match["other"] else state
        for column in self.grid.columns if state else ():
            states = set(column.said.values())
            if len(states) <= _STATES < len(column.cells) and any(state <= one for one in states):
                self.keep(column, [at for at, said in column.said.items() if not state & said], words)
                self.is_told = self.tells_denial = True
                return words
        return Stems()

    def choose_short(self, text: str) -> None:
        """Rows of which there is less than there should be: "below the level at which we order more"."""
        least = [one for one in self.grid.columns if one.is_amounts and one.header & _LEAST]
        stock = [one for one in self.grid.columns if one.is_amounts and one.header & _STOCK and one not in least]
        match = _SHORT.search(text)
        if match and len(least) == len(stock) == 1:
            both = set(least[0].cells) & set(stock[0].cells)
            words = content_stems(text[match.start() :])
            is_short = f"{stock[0].label} below {least[0].label}"
            self.tells_denial = True
            self.keep(least[0], [at for at in both if stock[0].value(at) < least[0].value(at)], words, is_short)

    def keep(self, column: Column, rows: Iterable[int], words: Iterable[str], because: str = "") -> None:
        """Leave these rows, chosen by a column for words of the question."""
        kept = set(rows)
        self.rows = [at for at in self.rows if at in kept]
        self.chosen.append(column)
        self.found.update(words)
        if (told := because or _said_of(column, self.rows)) not in self.because:
            self.because.append(told)


def _said_of(column: Column, rows: Sequence[int]) -> str:
    """What a column says of some rows: its one value, that it has several, or none."""
    values = list(dict.fromkeys(column.cells[at].text for at in rows if at in column.cells))
    told = ", ".join(values[:_TOLD]) + (", …" if len(values) > _TOLD else "")
    # A header that no row of these has is no name in them: it is written as a word.
    return f"{column.label}: {told}" if values else f"no {column.label.lower()}"
