"""What two records tell together: "Who leads the team that owns Posthorn?" by the row of the service Posthorn, whose
team has a record with its lead; and by codes, "C04" of a job being the "Id" of a customer.

Records are rows of tables and the lines `Key: value` below one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.read_tables import FULL_NAME, PEOPLE, ROLES, STATED, Table, tables_of
from tools.answer_rules.recorded_rows import DENIES, alike, compared, named_words
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems, words
from tools.planning.described import described
from tools.planning.lexicon import singular
from tools.planning.possessed import is_personal

Stems = frozenset[str]

_LONGEST = 300
"""Characters of a question that is looked at."""
_LOST = 1
"""Words for what is asked that neither its key nor its record says: "mobile" of a "mobile number"."""
_MOST_JOINED = 20_000
"""Pairs of records that are looked at."""
_ALIKE = 4
"""Letters by which the word for a column and the one in a question are held for the same."""
_SHORTEST = 3
"""Letters and figures of the shortest value that another record is known by."""
_AS_MANY = 3
"""Records of one name that a value may belong to."""
_ASIDE = frozenset(
    content_stems(
        "what which who whoever how many much when where have has get got does do did be one person thing man woman "
        "guy firm somebody someone our my your their number name exact full current old new really actually "
        "look after take charge responsible"
    )
) | frozenset(("what", "how"))
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w./-]{2,16}")
"""A code that a row is known by in its table and in others: "C04", "H-022"."""


@dataclass(frozen=True, slots=True)
class _Record:
    """A row, or the lines below a name: what it is called and where, by which codes it is known, the stems of all that
    it says and of what its table is called, and its values with the stems of their keys.
    """

    name: str
    codes: tuple[str, ...]
    key: Found
    said: Stems
    called: Stems
    values: tuple[tuple[Stems, Found], ...]
    is_person: bool = False


@dataclass(frozen=True, slots=True)
class _Joined:
    """A record with a value that another one is known by, and whether that is a code."""

    one: _Record
    by: Found
    header: Stems
    other: _Record
    is_code: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    """The stems of what is asked of something, of how that is described, and of the names in the question."""

    of: Stems
    fits: Stems
    names: Stems


def asks_of_two(question: str) -> bool:
    """Whether a question may ask for what two records tell together: it describes whom or what it asks about."""
    parts = described(question[:_LONGEST])
    return parts is not None and bool(parts.asked)


def references(evidence: Evidence) -> list[str]:
    """The codes and full names in the values of records, by which other records may be known, in their order."""
    values = (
        value.text.strip() for record in (*_rows(evidence), *_below_names(evidence)) for _, value in record.values
    )
    return list(dict.fromkeys(one for one in values if _CODE.fullmatch(one) or FULL_NAME.fullmatch(one)))


def find_joined(question: str, evidence: Evidence) -> Recorded | None:
    """The one value that is asked for of a record, where one that it belongs to, or that belongs to it, says how it is
    described.

    All rows of the tables have to be there. None where the question names what neither says, where the record itself is
    named or tells all by itself, and where several values are told.
    """
    text = " ".join(question.split()).strip(" ?.!")
    parts = described(text) if len(text) <= _LONGEST and not DENIES.search(text) else None
    if parts is None or not parts.asked:
        return None
    asked = _Asked(compared(parts.about("")) - _ASIDE, compared(parts.fits) - _ASIDE, named_words(text))
    is_who = parts.fits.lower().startswith("who")
    told: dict[tuple[bool, str], tuple[Found, Found, Found]] = {}
    for joined in _joined([*_rows(evidence), *_below_names(evidence)]):
        if joined.is_code or _is_link(joined, asked):
            for record in (joined.other, joined.one):
                for value in _values(record, joined, asked):
                    is_somebody = joined.other.is_person or not joined.is_code
                    told.setdefault((is_somebody, value.text.lower()), (value, joined.by, joined.one.key))
    found = {text: places for (is_somebody, text), places in told.items() if is_somebody or not is_who}
    if len(found) != 1:
        return None
    [(value, by, key)] = found.values()
    return Recorded(value.text, (value, by, key), STATED)


def _rows(evidence: Evidence) -> Iterator[_Record]:
    for table in tables_of(evidence):
        codes = [header for header in table.columns if _tells_apart(table, header)]
        are_people = _are_people(table)
        for row in table.rows:
            cells = tuple((alike(header), row.doc.found(start, end, STATED)) for header, start, end in row.cells[1:])
            known_by = tuple(cell.text for header in codes if (cell := row.cell(header)))
            yield _Record(row.name, known_by, row.key(), alike(row.said), alike(table.called), cells, are_people)


def _are_people(table: Table) -> bool:
    """Whether the name of a table's file says that its rows are people: one called "Name" may be of hotels."""
    names = words(table.rows[0].doc.file_words)
    return bool(table.called & (PEOPLE | ROLES)) or any(is_personal(singular(word)) for word in names)


def _tells_apart(table: Table, header: Stems) -> bool:
    """Whether the cells of a column, which most rows have, are codes, each of one row."""
    cells = [cell.text.strip() for row in table.rows if (cell := row.cell(header))]
    are_codes = 2 * len(cells) >= len(table.rows) and all(_CODE.fullmatch(cell) for cell in cells)
    return are_codes and len(set(cells)) == len(cells)


def _below_names(evidence: Evidence) -> Iterator[_Record]:
    made: dict[tuple[int, str], tuple[Doc, list[tuple[Stems, Found]]]] = {}
    for doc in evidence.docs:
        for line in doc.lines:
            if line.kind == "pair":
                _, values = made.setdefault((doc.rank, line.subject), (doc, []))
                values += [(compared(one.relation), doc.found(one.start, one.end, STATED)) for one in line.values]
    for (_, name), (doc, values) in made.items():
        if len(values) > 1:
            said = compared(" ".join([name, *(value.text for _, value in values)]))
            called = compared(f"{doc.title} {doc.file_words}") - compared(name)
            yield _Record(name, (), values[0][1], said.union(*(key for key, _ in values)), called, tuple(values))


def _joined(records: Sequence[_Record]) -> Iterator[_Joined]:
    """The records that refer to another one."""
    known: dict[str, list[_Record]] = {}
    for record in records:
        for key in {_plain(one) for one in (record.name, *record.codes)}:
            known.setdefault(key, []).append(record)
    known.pop("", None)
    pairs = 0
    for record in records:
        for header, value in record.values:
            found = known.get(_plain(value.text), ())
            for other in found if len(found) <= _AS_MANY else ():
                if other.name != record.name and (pairs := pairs + 1) <= _MOST_JOINED:
                    is_code = _CODE.fullmatch(value.text.strip()) is not None
                    yield _Joined(record, value, header, other, is_code)


def _is_link(joined: _Joined, asked: _Asked) -> bool:
    """Whether a description names the column that leads from one record to the other: "owns" by "Owner"."""
    return any(one[:_ALIKE] == other[:_ALIKE] for one in joined.header for other in asked.fits)


def _plain(value: str) -> str:
    """A value as it is compared; "" for one that is no name and no code, which belongs to nothing."""
    text = value.strip(" *").lower()
    return text if len(text) >= _SHORTEST and any(one.isalpha() for one in text) else ""


def _values(record: _Record, joined: _Joined, asked: _Asked) -> Iterator[Found]:
    """The values of one of two records that are asked for, where the other one says what describes it."""
    is_other = record is joined.other
    says = joined.one if is_other else joined.other
    fits = asked.fits - joined.header - says.called
    lost = fits - says.said
    is_named = bool(asked.fits & asked.names & says.said)
    is_told = fits & says.said and len(lost) <= max(len(fits & says.said), 2 * is_named) and not lost & asked.names
    if not is_told or asked.fits & compared(record.name) or asked.of & compared(record.name):
        return
    for header, value in record.values:
        if not header & asked.of or (value == joined.by and not is_other):
            continue
        if len(asked.of - header - record.called - record.said) > _LOST:
            continue
        if not any(header & own for own, _ in says.values):  # else its own record tells it
            yield value
