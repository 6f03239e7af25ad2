"""What a record of `Key: value` lines tells of the one that a question describes: "account number of the cork people"
is told by `Account no: LC/0883` below "Corks", "VAT number of the engine man" beside `Trade: engines`.

A record are the lines of a document below one heading. Its other lines, its headings and its file say whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kb.documents.structure import Line
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.recorded_rows import asked_words, compared
from tools.answer_rules.recorded_sides import Recorded

Stems = frozenset[str]

STATED = 0.86
"""How sure it is that the record is the one that is described."""
_LONGEST = 300
_LONGEST_VALUE = 8
"""Words of a value that may be told."""
_LEAST = 2
"""Lines of a record."""
_CALLED = 2
"""The first values of a record, which may be what it is called."""
_BEGINNING = 5
"""Letters that two words of one root begin with: "insurer" and "insurance"."""
_ANYBODY = compared(
    "people person man woman men women lady guy chap bloke firm company business place lot outfit supplier contact "
    "contacts one somebody someone who which what how much number no nr is are the"
)
"""What a question may call whoever a record is of."""
_EMPTY_KEYS = compared("name firm company note notes comment comments for what title status")
"""Keys that nobody asks for by their word."""
_NAME_KEYS = compared("name firm company title")
"""Keys whose value is what the record is called."""
_DECIDES = re.compile(
    r"\W*(?:and |so |why )?(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|will|would)\b", re.I
)


@dataclass
class _Record:
    """The lines below one heading: all their words, those of what they are called, which are the heading and the first
    two values, and of what they are surely called, the heading and a name; and each value with the words of its key.
    """

    words: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    values: list[tuple[Stems, Found]] = field(default_factory=list)


def find_in_record(question: str, evidence: Evidence) -> Recorded | None:
    """The value of the key that a question names, of the one record that has all else that it says; None where it
    names no key, and where none or several records fit.
    """
    text = " ".join(question.split()).strip(" ?.!")
    if len(text) > _LONGEST or _DECIDES.match(text):
        return None
    asked, records = asked_words(text), _records(evidence.docs)
    names = {line.subject for doc in evidence.docs for line in doc.lines}
    subjects = [subject for name in sorted(names) if asked & (subject := compared(name))]
    found = []
    for record in records:
        for key, value in record.values:
            rest = asked - key - _ANYBODY
            if len(value.text.split()) > _LONGEST_VALUE:
                continue  # more than the value is told there
            is_asked = key & asked and key - asked <= _ANYBODY and key - _EMPTY_KEYS
            if not (is_asked and rest and _are_in(rest, record.words)):
                continue
            # Where a row or record is called so, one that only speaks of it is not meant: "Stands in: Jonas Wick".
            if _are_in(rest, record.named) or not any(rest <= subject for subject in subjects):
                found.append((len(key & asked), value))
    most = max((count for count, _ in found), default=0)
    best = [value for count, value in found if count == most]
    return Recorded(best[0].text, (best[0],), STATED) if len(best) == 1 else None


def is_of_another_record(question: str, found: Found, docs: Sequence[Doc]) -> bool:
    """Whether an answer is the value of a record that has nothing of what a question says besides its key, and another
    one of the document is called so and lacks that key: "VAT number of the roofer" is not the electrician's.
    """
    line = found.doc.line_at(found.start)
    if line is None or line.kind != "pair":
        return False
    source = found.doc.passage.source
    records = _records(doc for doc in docs if doc.passage.source == source)
    key = compared(found.doc.text[slice(*line.key)])
    rest = asked_words(question) - key - _ANYBODY
    own = next((one for one in records if any(_holds(value, found) for _, value in one.values)), None)
    if own is None or not rest or any(_are_akin(one, other) for one in rest for other in own.words):
        return False
    return any(_are_in(rest, one.called) and not any(key & name for name, _ in one.values) for one in records)


def _holds(value: Found, found: Found) -> bool:
    return value.doc is found.doc and value.start <= found.start < value.end


def _records(docs: Iterable[Doc]) -> list[_Record]:
    """The lines below each heading, where no two have one key: of several things below one nobody says which has it."""
    below: dict[tuple[str, tuple[str, ...]], list[tuple[Doc, Line]]] = {}
    for doc in docs:
        for line in (one for one in doc.lines if one.kind == "pair"):
            if path := doc.headings(line.start):  # what stands below none is of the whole document
                below.setdefault((doc.passage.source, path), []).append((doc, line))
    return [_as_record(lines) for lines in below.values() if len(lines) >= _LEAST and _are_of_one(lines)]


def _are_of_one(lines: Sequence[tuple[Doc, Line]]) -> bool:
    keys = [doc.text[slice(*line.key)].casefold() for doc, line in lines]
    return len(set(keys)) == len(keys)


def _as_record(lines: Sequence[tuple[Doc, Line]]) -> _Record:
    record = _Record()
    for doc, line in lines:
        path, told = doc.headings(line.start), doc.text[line.start : line.end]
        if len(record.values) < _CALLED:
            record.called |= compared(f"{told} {' '.join(path[-1:])}")
        is_name = compared(doc.text[slice(*line.key)]) & _NAME_KEYS
        record.named |= compared(f"{told if is_name else ''} {' '.join(path[-1:])}")
        record.words |= compared(f"{told} {' '.join(path)} {doc.title} {doc.file_words}")
        record.values += [(compared(one.relation), doc.found(one.start, one.end, STATED)) for one in line.values]
    return record


def _are_in(wanted: Stems, words: Iterable[str]) -> bool:
    said = list(words)
    return all(any(_are_akin(one, other) for other in said) for one in wanted)


def _are_akin(one: str, other: str) -> bool:
    """Whether two stems are one, or both begin so: "insur" and "insuranc"."""
    return one == other or (one[:_BEGINNING] == other[:_BEGINNING] and min(len(one), len(other)) >= _BEGINNING)
