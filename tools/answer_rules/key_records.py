"""What a record of `Key: value` lines tells of the one that a question describes: "account number of the cork people"
is told by `Account no: LC/0883` below "Corks", "VAT number of the engine man" beside `Trade: engines`.

A record are the lines of a document below one heading. Its other lines, its headings and its file say whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.recorded_rows import NAME, asked_words, compared
from tools.answer_rules.recorded_sides import Recorded

Stems = frozenset[str]

STATED = 0.86
"""How sure it is that the record is the one that is described."""
_LONGEST = 300
_LEAST = 2
"""Lines of a record."""
_BEGINNING = 5
"""Letters that two words of one root begin with: "insurer" and "insurance"."""
_ANYBODY = compared(
    "people person man woman men women lady guy chap bloke firm company business place lot outfit supplier contact "
    "contacts one somebody someone who which what how much number no nr is are the"
)
"""What a question may call whoever a record is of."""
_EMPTY_KEYS = compared("name firm company note notes comment comments for what title status")
"""Keys that nobody asks for by their word."""
_DECIDES = re.compile(
    r"\W*(?:and |so |why )?(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|will|would)\b", re.I
)


@dataclass
class _Record:
    """The lines below one heading: all their words, and each value with the words of its key."""

    words: set[str] = field(default_factory=set)
    values: list[tuple[Stems, Found]] = field(default_factory=list)


def find_in_record(question: str, evidence: Evidence) -> Recorded | None:
    """The value of the key that a question names, of the one record that has all else that it says; None where it
    names no key, and where none or several records fit.
    """
    text = " ".join(question.split()).strip(" ?.!")
    if len(text) > _LONGEST or _DECIDES.match(text):
        return None
    asked, records = asked_words(text), _records(evidence.docs)
    found = []
    for record in records:
        for key, value in record.values:
            rest = asked - key - _ANYBODY
            if key & asked and key - asked <= _ANYBODY and key - _EMPTY_KEYS and rest and _says(record, rest):
                found.append((len(key & asked), value))
    most = max((count for count, _ in found), default=0)
    best = [value for count, value in found if count == most]
    return Recorded(best[0].text, (best[0],), STATED) if len(best) == 1 else None


def is_of_another_record(question: str, found: Found, docs: Sequence[Doc]) -> bool:
    """Whether an answer is the value of a record that lacks what a question says of whose it is: a name, or all that
    another record has.
    """
    line = found.doc.line_at(found.start)
    if line is None or line.kind != "pair":
        return False
    records = _records(docs)
    own = next(
        (
            one
            for one in records
            if any(value.doc is found.doc and value.start <= found.start < value.end for _, value in one.values)
        ),
        None,
    )
    if own is None:
        return False
    names = compared(" ".join(NAME.findall(question)))
    if not _says(own, names):
        return True
    rest = asked_words(question) - compared(found.doc.text[slice(*line.key)]) - _ANYBODY
    return bool(rest) and not _says(own, rest) and any(_says(one, rest) for one in records if one is not own)


def _records(docs: Iterable[Doc]) -> list[_Record]:
    made: dict[tuple[str, tuple[str, ...]], _Record] = {}
    for doc in docs:
        for line in doc.lines:
            if line.kind != "pair":
                continue
            path = doc.headings(line.start)
            record = made.setdefault((doc.passage.source, path), _Record())
            above = f"{' '.join(path)} {doc.title} {doc.file_words}"
            record.words |= compared(f"{doc.text[line.start : line.end]} {above}")
            record.values += [(compared(one.relation), doc.found(one.start, one.end, STATED)) for one in line.values]
    return [one for one in made.values() if len(one.values) >= _LEAST]


def _says(record: _Record, wanted: Stems) -> bool:
    return all(any(_are_akin(one, other) for other in record.words) for one in wanted)


def _are_akin(one: str, other: str) -> bool:
    """Whether two stems are one, or both begin so: "insur" and "insuranc"."""
    return one == other or (one[:_BEGINNING] == other[:_BEGINNING] and min(len(one), len(other)) >= _BEGINNING)
