"""What the structure of the evidence states outright: the value beside a name in a line, a row or an entry.

"Who leads Warehouse?" is told by `Lead: Ana Souza` below the heading "Warehouse", by a row whose first cell is
"Warehouse", or by an entry "Warehouse: … Lead Ana Souza." of a list. The names are compared by their stems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from kb.documents.plaintext import MONTHS
from kb.documents.structure import Line, Value
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.expected_columns import EXPECTED, MEETING, OF_A_MEETING, PRESENT, WHO_IS_AWAY, WHO_IS_IN
from tools.answer_rules.others import LIVES
from tools.answer_rules.text import content_stems, says, stem, words
from tools.answer_rules.values import find_dates
from tools.planning.plan import Constraint

Stems = frozenset[str]

# What may be asked for besides the word that names a value.
_GENERAL = frozenset(content_stems("number name date day time year code amount total full current exact"))
# What a question may say besides, and what a name may add to say in what its value is measured.
_EMPTY = frozenset(
    content_stems(
        "have get need want ask do use please tell name called much many long current we our us my you your under per "
        "each every"
    )
)
_UNITS = frozenset(
    content_stems("eur gbp usd euro euros pounds dollars kg km cm mm gb mb minutes hours days percent kn knots mph kmh")
)
# Words that name the same column or measure.
_SAME = {
    stem(one): stem(same)
    for same, ones in {
        "phone": "telephone tel mobile cell ring", "kg": "kilo kilogram kilograms kilos", "eur": "euro euros",
        "ha": "hectare hectares", "km": "kilometre kilometer kilometres", "min": "minute minutes mins",
        "email": "mail", "assignee": "assigned", "child": "kid kids children", "bicycle": "bike bikes",
        "photograph": "photo photos", "fridge": "refrigerator", "laboratory": "lab labs", "toilet": "loo loos wc",
        "1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven",
        "8": "eight", "9": "nine", "10": "ten", "11": "eleven", "12": "twelve",
    }.items()
    for one in ones.split()
}  # fmt: skip
_STATE = re.compile(r"\bon (call|duty|leave|holiday|vacation|watch|shift|strike)\b", re.IGNORECASE)
"""What somebody is that the list of those who were there does not tell: "Who was on call in May?"."""
DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|without|except|neither|cannot|other than)\b|n['’]t\b", re.IGNORECASE
)
_MEASURE = re.compile(
    r"\bhow (?:hot|cold|warm|heavy|deep|wide|thick|fast|tall|high|far|big|large|old)\b", re.IGNORECASE
)
"""Asks for a measure, which a column of another name does not tell: a row may say "hot" of the weather."""
_DONE_FOR = re.compile(r"\b(?:for|of|by) (\w+ing)\b", re.IGNORECASE)
_SORT_ASKED = re.compile(r"\b(?:what|which) (?:date|day|time|year|month|number|name)\b(?! of)", re.IGNORECASE)
_CONTACT = re.compile(r"\b((?:tele)?phone|mobile|cell|fax|e-?mail|extension) (?:number|address|no)\b", re.IGNORECASE)
NAME = re.compile(r"(?<!^)\b(?:[A-Z][\w'’-]*|\w*\d\w*)")
# How sure a value is whose name and subject agree wholly, and what is left where one has words that the other lacks.
STATED = 0.95
_PART = 0.9
# What is left where several subjects agree as well and have different values.
_DISPUTED = 0.55
# Words of the longest value that an entry states, and those that stand between a name and its value.
_LONGEST = 8
_ENTRY = re.compile(
    r"^[ \t]*[-*•][ \t]+\**([A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3})\**(?=,| \()(?P<rest>[^\n]*)", re.MULTILINE
)
_BETWEEN = re.compile(r"[\s:,–—-]*(?:(?:is|are|was|were|since|in|on|at|from|by|to)\b\s*)*", re.IGNORECASE)


def named_words(text: str) -> Stems:
    """The stems of the words of a text that are written as names or have a number in them."""
    return frozenset(content_stems(" ".join(NAME.findall(text))))


def find_stated(evidence: Evidence, constraint: Constraint, subject: str, wants_tail: bool) -> list[Found]:
    """What structure states of a subject under the constraint's relation, surest first; [] where it states nothing.

    Where the head is wanted ("?who owns Ana"), also the subjects of which structure states the value `subject`.
    """
    asked = [one for one in map(compared, (constraint.relation, *constraint.variants)) if one]
    wanted = compared(subject)
    if not asked or not wanted:
        return []
    found: list[Found] = []
    for doc in evidence.docs:
        for line in doc.lines:
            found += _owners(doc, line, asked, wanted) if not wants_tail else []
            agrees = _about(doc, line, wanted)
            if agrees:
                found += _values(doc, line, asked, agrees)
        for about, start, end in _entries(doc):
            agrees = _agreement(wanted, about)
            if agrees:
                found += _told(doc, start, end, asked, agrees)
    return _weighed([one for one in found if compared(one.text) != wanted])


def find_recorded(question: str, evidence: Evidence, lacking: int = 1) -> Found | None:
    """The one value whose name, line and headings say together all that a question says; None where none does.

    "What is the rent of the practice?" is told by `Rent: 2,380 euros` in a document on the practice, however the
    question may be planned. As many words as may be `lacking` that no passage has are let pass, but no name and no
    number.
    """
    named = None if _MEASURE.search(question) else _named_value(question, evidence, lacking)
    return named or _agreed(_expected(question, evidence, lacking))


def _named_value(question: str, evidence: Evidence, lacking: int) -> Found | None:
    known = known_words(question, evidence, lacking=lacking)
    is_known = asked_words(question) == known  # else a word that nothing has may be all that tells which one is meant
    found = [
        doc.found(value.start, value.end, STATED * _PART)
        for doc in evidence.docs
        for line, value in doc.stated
        if (called := compared(value.relation)) and called - _UNITS - _EMPTY <= known and called & known
        if is_known or known - _keys(line) - _GENERAL
        if not says(question, doc.text[value.start : value.end])  # what is asked about is no answer
        if known - called - (_GENERAL if called & known - _GENERAL else Stems()) <= _around(doc, line, value)
    ]
    return _agreed(found)


def _agreed(found: Sequence[Found]) -> Found | None:
    """The first of finds that all say the same, or stand in one list; None where they do not."""
    first = next(iter(found), None)
    if first is None or any(one.text != first.text and not _is_beside(one, first) for one in found):
        return None
    return first


def _expected(question: str, evidence: Evidence, lacking: int) -> list[Found]:
    """Values of the column that a question asks for without its name ("How many …", "Where … from"), in a line that
    says all else of it.
    """
    for said, columns, besides in EXPECTED:
        if not said.search(question):
            continue
        wanted = known_words(question, evidence, besides | columns, lacking)
        is_known = asked_words(question) - besides - columns == wanted
        is_of_any = bool(OF_A_MEETING.search(question)) and not asked_words(question) - besides - columns - MEETING
        if is_of_any:
            wanted = Stems()  # the one that there is: of two, what they say differs
        told = [
            (doc.found(value.start, value.end, STATED if is_of_any else STATED * _PART * _PART), line)
            for doc in evidence.docs
            for line, value in doc.stated
            if (wanted or is_of_any) and compared(value.relation) & columns and wanted <= _around(doc, line, value)
            if is_known or is_of_any or wanted - _keys(line)
        ]
        own = [one for one, line in told if wanted and wanted <= compared(line.subject)]  # not what is beside its name
        # Where somebody lives is not told by the place of a thing that he has.
        return own if own or LIVES.match(question) else [one for one, _ in told]
    return []


def asked_words(question: str) -> Stems:
    """The stems of a question that say what is asked for, not what sort of thing it is."""
    return compared(_CONTACT.sub(r"\1", _SORT_ASKED.sub(" ", question))) - _EMPTY


def known_words(question: str, evidence: Evidence, besides: Stems = frozenset(), lacking: int = 1) -> Stems:
    """The words of a question that passages have, without those that it only says besides; none where they lack more
    than `lacking`, or a name or a number.
    """
    asked = asked_words(question) - besides
    unknown = frozenset(word for word in asked if not any(word in _said(doc) for doc in evidence.docs))
    is_lost = len(unknown) > lacking or any(compared(name) & unknown for name in NAME.findall(question))
    is_lost = is_lost or _is_told_closer(question, unknown)
    return frozenset() if is_lost else asked - unknown


def _said(doc: Doc) -> Stems:
    """The stems of a passage, as columns are compared."""
    if "recorded_stems" not in doc.notes:
        doc.notes["recorded_stems"] = alike(doc.stems) | _months(doc, " ".join((doc.title, *doc.subjects)))
    said: Stems = doc.notes["recorded_stems"]
    return said


def _is_told_closer(question: str, unknown: Stems) -> bool:
    """Whether an unknown word says which thing of a name is meant ("driver" in "the coach driver"), or what is done for
    it ("the price for clipping a rabbit").
    """
    if any(frozenset(content_stems(done)) & unknown for done in _DONE_FOR.findall(question)):
        return True
    told = [frozenset(_SAME.get(one, one) for one in content_stems(word)) for word in words(question)]
    return any(before and not before <= unknown and after & unknown for before, after in pairwise(told) if after)


def asks_for_members(question: str) -> bool:
    """Whether a question asks who is in a group, or was at a meeting or away from it: they stand in a list."""
    return re.match(f"{WHO_IS_IN}|{WHO_IS_AWAY}", question.strip(), re.IGNORECASE) is not None


def find_values(question: str, evidence: Evidence) -> list[Found]:
    """The values of one list whose name, line and headings say together all that a question says, in their order;
    [] where there are fewer than two.
    """
    asks_who = re.match(WHO_IS_IN, question.strip(), re.IGNORECASE) is not None
    if asks_who and (DENIES.search(question) or not known_words(question, evidence, PRESENT, lacking=0)):
        return []
    first = find_recorded(question, evidence)
    stated = first.doc.line_at(first.start) if first else None
    if first is None or stated is None:
        return []
    score = STATED * _PART if asks_who else first.score
    state = _STATE.search(question)
    if state and not frozenset(content_stems(state[1])) & (
        _keys(stated) | _around(first.doc, stated, stated.values[0])
    ):
        return []
    values = [first.doc.found(one.start, one.end, score) for one in stated.values]
    beside = [one for one in values if _is_beside(one, first)]
    return beside if len(beside) > 1 else []


def _keys(line: Line) -> Stems:
    """The words of all keys of a line, none of which tells whose values they are."""
    return Stems().union(*(compared(one.relation) for one in line.values))


def _around(doc: Doc, line: Line, value: Value) -> Stems:
    """The words of a line without the value itself, and of what stands above it."""
    own = doc.text[line.start : value.start] + " " + doc.text[value.end : line.end]
    above = doc.headings_at(value.start)
    return compared(f"{own} {line.subject} {above} {doc.file_words}") | _months(doc, above)


def _months(doc: Doc, above: str) -> Stems:
    """The months and years of the days in what stands above a line and in the name of its file: "February" and "2025"
    of "Board 11 Feb 2025" and of `minutes-2025-02-11.md`.
    """
    key = f"months of {above}"
    if key not in doc.notes:
        days = [*find_dates(above), *find_dates(doc.passage.source)]
        doc.notes[key] = compared(" ".join(f"{MONTHS[one.month - 1]} {one.year or ''}" for one in days if one.month))
    told: Stems = doc.notes[key]
    return told


def _is_beside(one: Found, other: Found) -> bool:
    """Whether two values are members of one list."""
    line, value = one.doc.line_at(one.start), one.doc.value_at(one.start)
    same = one.doc is other.doc and line is not None and line is other.doc.line_at(other.start)
    beside = other.doc.value_at(other.start)
    return same and value is not None and beside is not None and value.relation == beside.relation


def compared(text: str) -> Stems:
    """The stems of a text as columns are compared: "telephone" is "phone"."""
    return alike(content_stems(text))


def alike(stems: Iterable[str]) -> Stems:
    """Stems as columns are compared."""
    return frozenset(_SAME.get(one, one) for one in stems)


def _agreement(one: Stems, other: Stems) -> float:
    """1 for the same words, less where one has words that the other lacks, 0 where neither holds the other."""
    if not one or not other or not (one <= other or other <= one):
        return 0.0
    return 1.0 if one == other else _PART + (1 - _PART) * min(len(one), len(other)) / max(len(one), len(other))


def _named(asked: Sequence[Stems], name: str) -> float:
    """How well what a value is called agrees with what is asked for: "Telephone" with "telephone number", "Price eur"
    with "price", but "keeper" not with "extension of the keeper".
    """
    called = compared(name)
    return max((_agreement(one, called) for one in asked if one - called <= _GENERAL), default=0.0)


def _about(doc: Doc, line: Line, wanted: Stems) -> float:
    """How well a line's subject agrees with the one asked about: its own, or, in a row, another cell that names it."""
    own = compared(line.subject)
    best = _agreement(wanted, own)
    if line.kind == "row":
        header = compared(doc.text[line.start : line.key[0]])
        if own and own <= wanted <= own | header:
            best = 1.0
        cells = (compared(doc.text[value.start : value.end]) for value in line.values)
        best = max([best, *(_PART for cell in cells if cell == wanted)])
    return best


def _values(doc: Doc, line: Line, asked: Sequence[Stems], agrees: float) -> Iterator[Found]:
    for value in line.values:
        named = _named(asked, value.relation)
        if named:
            yield doc.found(value.start, value.end, STATED * agrees * named)


def _owners(doc: Doc, line: Line, asked: Sequence[Stems], wanted: Stems) -> Iterator[Found]:
    """The subject of a line of which a value is the known end."""
    for value in line.values:
        named = _named(asked, value.relation)
        agrees = _agreement(wanted, compared(doc.text[value.start : value.end]))
        if named and agrees and line.kind == "row":
            yield doc.found(line.key[0], line.key[1], STATED * agrees * named)


def _told(doc: Doc, start: int, end: int, asked: Sequence[Stems], agrees: float) -> Iterator[Found]:
    """What follows a name that begins a sentence of an entry: "Extension 105.", "Started in May 2012."."""
    for first, last in doc.sentences:
        first, last = max(start, first), min(end, last)
        if first >= last:
            continue
        text = doc.text[first:last]
        at = next((at for one in asked if (at := _after(text, one - _GENERAL or one))), 0)
        stop = first + len(text.rstrip(" \n.;"))
        if at and first + at < stop and len(text[at:].split()) <= _LONGEST:
            yield doc.found(first + at, stop, STATED * agrees * _PART)


def _entries(doc: Doc) -> Iterator[tuple[Stems, int, int]]:
    """Entries of lists: whom or what each is about, and where what it says starts and ends."""
    lines = {line.start for line in doc.lines}
    for line in doc.lines:
        if line.kind == "turn":
            yield compared(line.subject), line.key[1], line.end
    for match in _ENTRY.finditer(doc.text):
        if match.start() not in lines:
            yield compared(match[1]), match.start("rest"), match.end()


def _after(text: str, asked: Stems) -> int:
    """Where a sentence goes on behind a name that it begins with, 0 where it begins otherwise."""
    left, end = set(asked), 0
    for match in re.finditer(r"[^\W_]+", text):
        one = stem(words(match.group())[0]) if words(match.group()) else ""
        if one not in left:
            break
        left.discard(one)
        end = match.end()
    if left or not end:
        return 0
    between = _BETWEEN.match(text, end)
    return between.end() if between else end


def _weighed(found: Sequence[Found]) -> list[Found]:
    """Surest first, each text once; where several are as sure none is: which of the subjects is meant nobody says."""
    kept: dict[str, Found] = {}
    for one in sorted(found, key=lambda one: (-one.score, one.doc.rank, one.start)):
        kept.setdefault(one.text, one)
    ranked = list(kept.values())
    first = ranked[0] if ranked else None
    rivals = [
        one for one in ranked[1:] if first and one.score == first.score and (one.doc, one.doc.line_at(one.start)) != (
            first.doc, first.doc.line_at(first.start))
    ]  # fmt: skip
    return [_less(one, _DISPUTED) for one in ranked] if rivals else ranked


def _less(found: Found, most: float) -> Found:
    return Found(found.text, found.doc, found.start, found.end, min(found.score, most))
