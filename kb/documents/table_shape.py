"""Which way a table reads: a row for each thing, a column for each, or a table of keys and values of one.

What lies along a row or a column shows in two ways: its names are words for properties ("Owner", "Start date"), and its
cells are of one sort (dates, numbers, names), while the cells across it are of several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from kb.documents.plaintext import Block, one_line, record_text

_KEY_NAMES = frozenset("field property key attribute setting parameter role".split()) | {""}
_ALSO_KEY_NAMES = frozenset("name item what option".split())
_VALUE_NAMES = frozenset("value values detail details data content setting who person name".split()) | {""}
_PROPERTIES = frozenset(
    """
    address age amount approver area assignee author backup birthday born brand budget building built capacity captain
    category cause channel city code color colour comment company contact cost count country crew currency customer
    database date day deadline department depth description desk director driver due duration editor email employee
    end engine escalation fare fax fee floor founded framework frequency head height home host hour id impact job kind
    language lead leader length licence license location mail make manager material member mobile model name nickname
    note number office opened outcome owner pager phone place population port position power price priority purpose
    quantity range rating region release rent repo repository responsible result reviewer role room runtime salary
    schedule score seat serial severity shift since site size slack speed sponsor staff stage start state status stock
    storage street summary supplier support team telephone temperature time title town type url vendor version volume
    website weight width
    """.split()
)
_COUNTS = frozenset("no nr num pos rank row index".split())
"""The names of columns that count the things which another column names."""

_IDS = frozenset("id nr key".split())
"""The names of columns that do so where their cells are numbers."""

_CODE = re.compile(r"[A-Za-z]{0,4}[-_ ]?\d+")
_NUMBER = re.compile(r"\d+(?:\.\d+)*[.)]")
_LINKING = frozenset("of to in on at by for with since from".split())
_MARKED = 0.6
"""The share of names that have to be properties: one in three may be a word of the trade."""

_DRAWN = "-=:"
"""What the cells of a row hold that is a line across the table, as Markdown has above a total, and nothing else."""

_LONGEST_NAME = 4
"""Words of the name of a column that nothing but its place marks as one."""

_SMALL, _FILLED = 10_000, 4
"""Places of a table that may be empty in any case, and how many there may be to each cell of a larger one."""


class Banner(tuple[str]):
    """A row that is one cell across the whole table, and so no thing of it: its title, or what the rows below are."""

    def __new__(cls, text: str) -> Banner:
        return super().__new__(cls, (text,))


def table_blocks(header: Sequence[str], rows: Sequence[Sequence[str]], *, keys_first: bool = False) -> Iterator[Block]:
    """A table as lines: of each thing `Service: Payments; Owner: Ana`, of keys and values each `Owner: Ana`.

    `header` is () where the table has none; with `keys_first` the first cell of every row is known to be a key.
    A banner is a paragraph between the rows.
    """
    for is_banner, group in groupby(rows, key=lambda row: isinstance(row, Banner)):
        if is_banner:
            yield from (Block(one_line(text)) for (text,) in group)
        else:
            yield from _row_blocks(header, list(group), keys_first=keys_first)


def _row_blocks(header: Sequence[str], rows: Sequence[Sequence[str]], *, keys_first: bool) -> Iterator[Block]:
    rows = [row for row in rows if any(cell.strip().strip(_DRAWN) for cell in row)]
    pairs = key_values(header, rows)
    if pairs is not None:
        yield from (_pair_block(key, value) for key, value in pairs)
        return
    names: Sequence[str] = header
    if keys_first and not header and len(rows) > 1 and not _is_ragged(rows):
        names, rows = turned(rows[0], rows[1:])
    elif is_transposed(header, rows):
        names, rows = turned(header, rows)
    yield from (Block(text, "row") for row in rows if (text := row_record(names, row)))


def _pair_block(key: str, value: str) -> Block:
    """A key and its value; where it is a mere number, the item that it numbers, and without one the text alone."""
    if not key:
        return Block(value)
    return Block(f"{key} {value}" if _NUMBER.fullmatch(key) else f"{key.rstrip(':')}: {value}", "row")


def row_record(header: Sequence[str], row: Sequence[str], about: int | None = None) -> str:
    """A row as one line that begins with what the row is about: "Machine: Sifter; No: 9; Bought: 2012".

    That is its "title" or "name", else its first cell, also a number (a week, a room, a year) or a code; but where the
    first column only counts rows ("No", "#", numbers below "Id"), the first cell in words, if there is one. `about` is
    the column where that is known. "" for a row without text.
    """
    names = ["No" if name.strip() == "#" else one_line(name) for name in header]
    if about is None:
        about = _about([name.casefold().rstrip(".:") for name in names], row)
    return record_text(_with_first(about, names), _with_first(about, row))


def _about(names: Sequence[str], row: Sequence[str]) -> int:
    """Which cell of a row says what it is about."""
    columns = [at for at, (name, cell) in enumerate(zip(names, row, strict=False)) if name and cell.strip()]
    for called in ("title", "name"):
        if titles := [at for at in columns if names[at] == called]:
            return titles[0]
    counts = bool(names) and (names[0] in _COUNTS or (names[0] in _IDS and row[0].strip().isdecimal()))
    return next((at for at in columns if is_in_words(row[at])), 0) if counts else 0


def counts_rows(name: str) -> bool:
    """Whether a column of this name counts its rows or numbers them."""
    return one_line(name).casefold().rstrip(".:") in _COUNTS | _IDS | {"", "#"}


def _with_first(at: int, cells: Sequence[str]) -> Sequence[str]:
    return [cells[at], *cells[:at], *cells[at + 1 :]] if at else cells


def is_in_words(cell: str) -> bool:
    """Whether a cell has letters and is no mere code ("M9")."""
    return re.search(r"[^\W\d_]", cell) is not None and not _CODE.fullmatch(cell)


def _is_ragged(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table turned round would be empty for the most part: one long row above a thousand short ones."""
    return max(map(len, rows)) * len(rows) > _SMALL + _FILLED * sum(map(len, rows))


def turned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of the table in which every column but the first is a row."""
    corner = "" if one_line(header[0]).casefold() in _KEY_NAMES else header[0]
    columns = range(1, max(len(row) for row in (header, *rows)))
    things = [[row[at] if at < len(row) else "" for row in (header, *rows)] for at in columns]
    return [corner, *(row[0] for row in rows)], things


def key_values(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[tuple[str, str]] | None:
    """The pairs of a table of keys and values, whose header may be the first of them; None where it is another.

    A key is "" where a cell goes on below the one beside it; a key without a value says nothing.
    """
    if not rows or any(len(row) != 2 for row in rows) or len(header) not in (0, 2):
        return None
    cells = [(one_line(key), one_line(value)) for key, value in rows]
    if not header and len(cells) > 1 and cells[0][0].casefold() in _KEY_NAMES:
        header, cells = cells[0], cells[1:]
    if header:
        first, second = (one_line(name) for name in header)
        are_properties = _share([key for key, _ in cells]) >= _MARKED
        names = _KEY_NAMES | _ALSO_KEY_NAMES if are_properties else _KEY_NAMES
        if first.casefold() not in names or second.casefold() not in _VALUE_NAMES:
            if not (are_properties and is_property(first) and not is_property(second)):
                return None
            cells.insert(0, (first, second))
    return [(key, value) for key, value in cells if value]


def is_transposed(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether each column but the first is a thing, and the first has the names of what is said of it."""
    if len(header) < 3 or len(rows) < 2 or not all(row and row[0].strip() for row in rows):
        return False
    in_header = _share([name for name in header[1:] if name.strip()])
    if in_header > 1 - _MARKED or _is_ragged([header, *rows]):
        return False
    return _share([row[0] for row in rows]) >= _MARKED or _are_of_one_sort(rows)


def names_columns(header: Sequence[str], rows: Sequence[Sequence[str]], *, is_underlined: bool) -> bool:
    """Whether words in columns above others, with nothing else to tell them apart but perhaps a line, are a header.

    They are few words and no values. Where they are not underlined they begin with capitals and do not come again, and
    they are all in capitals or properties, or below one of them is a column of numbers, dates or addresses.
    """
    named = [name for name in header if name]
    if not rows or not all(header[1:]) or not all(map(_can_name_column, named)):
        return False
    if is_underlined:
        return True
    columns = [[row[at] for row in rows] for at in range(len(header))]
    is_new = all(name not in column for name, column in zip(header, columns, strict=True))
    if len(rows) < 2 or not is_new or not all(name[0].isupper() for name in named):
        return False
    if all(map(str.isupper, named)):
        return not all(cell.isupper() for row in rows for cell in row)
    if _share(named) >= _MARKED:
        return not (header[0].isupper() and all(map(str.isupper, columns[0])))
    return any(all(map(is_value, column)) for column in columns)


def _can_name_column(cell: str) -> bool:
    words = len(cell.split())
    return cell[:1].isalpha() and words <= _LONGEST_NAME and _sort(cell) == "words" and cell[-1] not in ".,;:-"


def is_property(name: str) -> bool:
    """Whether these words name what is said of a thing: "Owner", "Start date", "Date of birth", "Reports to"."""
    words = re.findall(r"[^\W\d_]+", name.replace("-", "").casefold())
    if not 0 < len(words) <= 4:
        return False
    ends = (words[-1], words[-1].removesuffix("s"), words[0] if len(words) > 1 and words[1] in _LINKING else "")
    return (len(words) > 1 and words[-1] in _LINKING) or any(word in _PROPERTIES for word in ends)


def _share(names: Sequence[str]) -> float:
    return sum(map(is_property, names)) / len(names) if names else 0.0


def _are_of_one_sort(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the cells of every row are alike and those of every column are not, in two rows or columns and more."""
    width = max(map(len, rows))
    along = [{_sort(cell) for cell in row[1:] if cell.strip()} for row in rows]
    across = [{_sort(row[at]) for row in rows if at < len(row) and row[at].strip()} for at in range(1, width)]
    return width > 2 and all(len(sorts) == 1 for sorts in along) and all(len(sorts) > 1 for sorts in across)


_SORTS = (
    ("time", re.compile(r"\d{1,2}:\d\d(?::\d\d)?|\d{4}-\d\d(?:-\d\d)?|\d{1,2}(?:[./]\d{1,2}[./]| \w{3,9} )\d{2,4}")),
    ("number", re.compile(r"[-+~$€£]?\s?\d[\d.,]*\s?(?:%|[a-zA-Z€$£]{1,4})?")),
    ("address", re.compile(r"\S+@\S+|\w+://\S+|\+?[\d ()/-]{7,20}")),
    ("choice", re.compile(r"(?i)yes|no|true|false|x|✓|✔|-|–")),
)  # fmt: skip


def is_value(cell: str) -> bool:
    """Whether a cell is a number, a date, a time or an address; not for an empty one."""
    return _sort(cell) not in ("words", "choice")


def _sort(cell: str) -> str:
    text = one_line(cell)
    return next((name for name, pattern in _SORTS if pattern.fullmatch(text)), "words")
