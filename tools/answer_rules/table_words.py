"""Which rows and columns of a table the words of a question are about, and which of its words the table has not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kb.documents.plaintext import MONTHS
from tools.answer_rules.periods import asked_period
from tools.answer_rules.table_columns import NO, Column, Grid
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

_VERB = (
    "are|is|were|was|can|could|have|has|had|still|do|does|did|that|which|who|in|on|at|for|of|from|by|with|we|i|you|they"
    "|the|altogether|live|go|went|came|come|sit|stand|[a-z]+ed"
)
_HEAD = re.compile(
    r"\b(?:how (?:many|much)|add up) (?:of )?(?:(?:the|our|my|these|those|all|different) )*"
    rf"(?!(?:{_VERB})\b)(?P<head>(?:[\w-]+ ){{0,2}}?[\w-]+?)(?= (?:{_VERB})\b|$)",
    re.I,
)
_DENIES = re.compile(
    r"\b(?:not|never|without|no longer|nobody|none|no|yet to)\b|n['’]t\b|\bun(?=paid|finished|sold)", re.I
)
_NOBODY = re.compile(r"\b(?:nobody|no one|no-one|nothing|no|without(?: an?)?)\b", re.I)
_PART = re.compile(r"\b(?P<what>[a-z]{4,}) (?P<letter>[A-Z])\b(?!['’.])")
_DONE = frozenset(content_stems("done finished complete completed closed fixed settled repaired resolved ready"))
_PAID = frozenset(content_stems("paid pay settled settle squared"))
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
_STATES = 6
"""Ways in which a column says how far something is, at most."""

FILLER = frozenset(
    content_stems(
        "have has had do does did we us our ours my i you your they them their a an the of in on at to for from "
        "by with and or so far now yet still ever already much many all every each any some one ones thing things "
        "stuff item items altogether total together added adding up sum told since until over during this that "
        "these those there here it its take took taken takes off give gave given get got gotten make made makes "
        "bring brought put buy bought sell sold spend spent pay paid cost costs come came comes went go need use "
        "used keep kept hold held be been being is are was were can could may might will would shall should must "
        "who which what when where why how whose more most least number amount money list listed sheet table file "
        "written down everything overall whole year years people somebody anyone anybody person single also just "
        "only really out back left often times time work works done doing say says said name names called end "
        "about than not never without highest largest biggest greatest heaviest longest oldest dearest latest "
        "newest tallest best fewest lowest smallest lightest shortest youngest cheapest earliest expensive "
        "priciest piece offer care " + " ".join(MONTHS) + " "
        "live lives living itself moment marked sort rid good enough reservation stay went us them hold holds told put "
        "sheet book line lines come amount ive weve youve theyve somebodys anybodys plain worth fallen fell billed "
        "invoiced charged earned able standing count havent hasnt hadnt isnt arent wasnt werent dont didnt doesnt cant "
        "couldnt whats thats cent penny"
    )
)
"""What a question may say besides that no table has to have: it chooses no rows."""


@dataclass
class TableWords:
    """How a question is read over a table: `rows` are left of it, `found` are the words that it has, `named` the
    columns of which the question says a word of the header, those of most words first, `chosen` those that left out
    rows, and `because` says what of the rows that are left is so; `tells_denial` says that one of those columns tells
    yes from no, so that a denial in the question is a choice among its rows.
    """

    grid: Grid
    rows: list[int]
    found: set[str] = field(default_factory=set)
    named: list[Column] = field(default_factory=list)
    chosen: list[Column] = field(default_factory=list)
    because: list[str] = field(default_factory=list)
    tells_denial: bool = False

    @classmethod
    def of(cls, text: str, grid: Grid) -> TableWords:
        """Of a question in one line, over a table with rows."""
        said = cls(grid, list(grid.rows))
        text = said._in_period(text)
        asked = frozenset(content_stems(text))
        said.found |= asked & grid.table.called
        said._name_columns(asked, counted(text))
        said._choose_part(text)
        marks = said._choose_marks(text, asked)
        said._choose_values(asked - FILLER - marks)
        said._choose_states(text, asked)
        said._choose_short(text)
        return said

    @property
    def is_chosen(self) -> bool:
        """Whether some rows are left out, or could have been."""
        return len(self.rows) < len(self.grid.rows) or bool(self.chosen)

    def lacks_denial(self, text: str) -> bool:
        """Whether a question denies something of which no column tells."""
        return bool(_DENIES.search(text)) and not self.tells_denial

    def unsaid(self, text: str) -> Stems:
        """The words of a question that the table has not."""
        return frozenset(content_stems(_NOW.sub(" ", text))) - self.found - FILLER

    def _in_period(self, text: str) -> str:
        """Leave the rows of the month or year that is asked for; the question without it."""
        period = asked_period(text) or asked_period(_SEASON.sub(r"in \g<year>", text))
        kept = {id(row) for row in period.rows(self.grid.table.rows)} if period else set()
        if period is None or not kept:
            return text
        self.rows = [at for at in self.rows if id(self.grid.table.rows[at]) in kept]
        self.found |= set(content_stems(text)) - set(content_stems(period.rest))
        return period.rest

    def _name_columns(self, asked: Stems, head: Stems) -> None:
        wanted = (asked - FILLER) | asked & (_PAID | head)
        shared = [(len(one.header & wanted), one) for one in self.grid.columns]
        self.named = [one for count, one in sorted(shared, key=lambda pair: -pair[0]) if count]
        self.found.update(*(one.header & wanted for one in self.named))

    def _choose_part(self, text: str) -> None:
        """Rows by the letter that their codes begin with: "staircase B"."""
        for match in _PART.finditer(text):
            for column in self.grid.columns:
                at = [row for row, cell in column.cells.items() if cell.text.startswith(match["letter"])]
                if column.is_codes and 1 < len(at) < len(column.cells):
                    self._keep(column, at, content_stems(match.group()))
                    break

    def _choose_values(self, left: Stems) -> None:
        """Rows by what their cells say, the column first whose cells say most of the question."""
        while found := max(filter(None, (self._said_in(one, left) for one in self.grid.columns)), default=None):
            _, _, place, words = found
            column = self.grid.columns[place]
            is_header = words <= self.found and any(words & one.header for one in self.named)
            if not is_header:
                self._keep(column, [row for row, said in column.said.items() if words <= said], words)
            left -= words

    def _said_in(self, column: Column, left: Stems) -> tuple[int, float, int, Stems] | None:
        """How many words a column's cells have, which share of the cell that is, its place, and the words; None for a
        column that has none, and where each of several cells has another.
        """
        if column.is_amounts or column.is_marks or column in self.chosen or column.header & _FREE:
            return None
        shared = {at: left & column.said[at] for at in self.rows if at in column.said}
        words = max(shared.values(), key=len, default=Stems())
        if not words or any(len(one) == len(words) and one != words for one in shared.values()):
            return None
        shortest = min(len(column.said[at]) for at, one in shared.items() if one == words)
        return len(words), len(words) / shortest, self.grid.columns.index(column), words

    def _choose_marks(self, text: str, asked: Stems) -> Stems:
        """Rows by columns of yes and no that are named, or that tell what is paid; the words of their headers."""
        denies, owed, said = bool(_DENIES.search(text)), asked & _OWED, Stems()
        for column in (one for one in self.grid.columns if one.is_marks):
            is_paid = bool(column.header & _PAID and asked & (_PAID | _OWED))
            if is_paid or column.header & asked - FILLER:
                is_no = denies != bool(owed and is_paid)
                at = [row for row, cell in column.cells.items() if bool(NO.fullmatch(cell.text.strip(" *"))) == is_no]
                self._keep(column, at, asked & (_PAID | _OWED) if is_paid else ())
                self.tells_denial = True
                said |= column.header & asked
        return said

    def _choose_states(self, text: str, asked: Stems) -> None:
        """Rows by a column that some lack, that is named or tells what is paid, and by what is done."""
        denies, is_owed = bool(_DENIES.search(text)), bool(asked & _OWED)
        for column in (one for one in self.grid.columns if one not in self.chosen):
            is_named, lacking = bool(column.header & asked - FILLER), set(self.grid.rows) - set(column.cells)
            is_paid = bool(column.header & _PAID and asked & (_PAID | _OWED))
            done = [at for at, said in column.said.items() if said & _DONE]
            unpaid = lacking | {at for at in column.cells if column.is_amounts and not column.value(at)}
            if unpaid and is_paid and (denies or is_owed):
                self._keep(column, unpaid, asked & (_PAID | _OWED))
                self.tells_denial = True
            elif lacking and is_named and _NOBODY.search(text):
                self._keep(column, lacking, asked & _NONE)
                self.tells_denial = True
            elif lacking and is_named and not denies and len(lacking) >= len(column.cells) / _SPARSE:
                self._keep(column, column.cells, ())
            elif done and asked & _DONE and len(set(column.said.values())) <= _STATES:
                self._keep(column, set(self.grid.rows) - set(done) if denies else done, asked & _DONE)
                self.tells_denial = True

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
        self.because.append(because or _said_of(column, self.rows))


def _said_of(column: Column, rows: Sequence[int]) -> str:
    """What a column says of some rows: its one value, that it has several, or none."""
    values = list(dict.fromkeys(column.cells[at].text for at in rows if at in column.cells))
    told = ", ".join(values[:_TOLD]) + (", …" if len(values) > _TOLD else "")
    # A header that no row of these has is no name in them: it is written as a word.
    return f"{column.label}: {told}" if values else f"no {column.label.lower()}"


def counted(text: str) -> Stems:
    """The stems of what a question for how many or how much asks the number of."""
    head = _HEAD.search(text)
    return frozenset(content_stems(head["head"])) if head else Stems()
