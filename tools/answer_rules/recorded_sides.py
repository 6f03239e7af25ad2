"""Comparisons, and yes or no, that structure decides outright: two rows with the same column, a line's own value.

"Which is bigger, Mill Field or Chapel Piece?" is told by the column `ha` of their rows; "Is a calculator allowed in
the French exam?" by `Calculator: no` in the row of French; "Is the shop open on Thursday?" by a list of the days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.documents.structure import Line, Value
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.money import NAMES
from tools.answer_rules.text import content_stems, fold
from tools.answer_rules.told_sides import compare_told
from tools.answer_rules.values import find_dates, find_numbers, measured

Stems = frozenset[str]

STATED = 0.87
"""How sure such an answer is: likely, for a question may mean another thing than the column does."""

_BEFORE_NUMBER = 4
"""Characters before the number of a value: a sign or a currency."""

_MONTH = re.compile(r"(\d{4})-(\d\d)")
_LONGEST = 300
"""Characters of a question that is looked at: what is longer compares no two columns."""
_EITHER = re.compile(
    r"^(?P<asked>.+?)(?:[,:]|\s[-–—])\s*(?:the |an? )?(?P<one>[^,:]+?),?\s+or\s+(?:the |an? )?(?P<other>[^,:]+)$", re.I
)
_THAN = re.compile(
    r"^(?:is|are|was|were|does|do|did|has|have)\s+(?:the |an? )?(?P<one>.+?)\s+"
    r"(?P<asked>(?:\w+ )?(?:more|less|fewer|\w+er)\b.*?)\s+than\s+(?:the |an? )?(?P<other>.+)$",
    re.I,
)
_DATED = "born birth built founded opened year bought date since joined started planted"
# What a comparing word asks for: words that name such a column, and whether the larger value is meant.
_ASKED = tuple(
    (re.compile(rf"\b(?:{said})\b", re.I), frozenset(content_stems(names)), is_larger)
    for said, names, is_larger in (
        (
            "(?:been|worked|served|sung|played|lived|member)\\b.*\\blong(?:er|est)",
            "joined since started start entered",
            False,
        ),
        (
            "big|bigger|biggest|large|larger|largest|great|greater|greatest",
            "area size ha hectares acres population capacity seats members",
            True,
        ),
        ("small|smaller|smallest", "area size ha hectares acres population capacity seats members", False),
        (
            "dear|dearer|dearest|(?:more|most) (?:expensive|money)|costs? more|costlier|pricier|priciest",
            f"price cost fee rent fare {NAMES}",
            True,
        ),
        (
            "cheap|cheaper|cheapest|(?:less|least) expensive|costs? less",
            f"price cost fee rent fare {NAMES}",
            False,
        ),
        ("long|longer|longest", "length duration time min minutes hours km miles distance", True),
        ("short|shorter|shortest|quick|quicker|quickest", "length duration time min minutes hours km distance", False),
        ("heavy|heavier|heaviest", "weight kg mass tonnes", True),
        ("light|lighter|lightest", "weight kg mass tonnes", False),
        ("fast|faster|fastest|quick|quicker|quickest", "speed rate", True),
        ("fast|faster|fastest|quick|quicker|quickest", "days time duration delivery min hours", False),
        ("slow|slower|slowest", "speed rate", False),
        ("slow|slower|slowest", "days time duration delivery min hours", True),
        ("thick|thicker|thickest|wide|wider|widest", "width thickness", True),
        ("thin|thinner|thinnest|narrow|narrower", "width thickness", False),
        ("tall|taller|tallest|high|higher|highest|deep|deeper", "height depth elevation altitude", True),
        ("low|lower|lowest|shallower", "height depth elevation altitude", False),
        ("old|older|oldest", "age", True),
        ("young|younger|youngest", "age", False),
        ("old|older|oldest|earlier|earliest|first|sooner", _DATED, False),
        ("young|younger|youngest|newer|newest|later|latest|last", _DATED, True),
        ("worth(?: the)? more|worth(?: the)? most|most valuable", "value worth price insured insurance", True),
        ("worth(?: the)? less|worth(?: the)? least|least valuable", "value worth price insured insurance", False),
        ("best|(?:best|highest|top) rated", "rating score points stars", True),
        ("worst|(?:worst|lowest) rated", "rating score points stars", False),
        ("more|most", "", True),
        ("less|fewer|least|fewest", "", False),
    )
)
_IDENTIFIES = frozenset(
    content_stems(
        "ext extension phone telephone tel mobile fax number no nr id code ref room desk plate account postcode"
    )
)
"""Columns whose numbers tell things apart, and none of which is more than another."""
_SOFT = frozenset(
    content_stems(
        "allow allowed permit permitted possible available need needed can may must required include included get have "
        "use used we our us my you your i there any"
    )
)
_YES = re.compile(r"(?:yes|y|true|allowed|permitted|included|required|done|✓|x)\b", re.I)
_NO = re.compile(r"(?:no|n|none|false|not\b.*|never|forbidden|✗|-)", re.I)
_DAYS = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?(?:day)?s?\b", re.I)
_DENIES = re.compile(r"\b(?:no|not|less|never)\b(?! (?:expensive|than))", re.I)
_RANGE = re.compile(
    r"\b(?:to|till|until|through|daily|every day|except|closed|not|never|but)\b|[–—]\s*[A-Z]|[a-z]-[A-Z]", re.I
)
_HOURS = re.compile(r"\b(?:times?|hours|days|open|opening|schedule|collections?|deliver(?:y|ies))\b", re.I)
_PARTICIPLE = re.compile(
    r"[a-z]+ed|done|written|sent|paid|bought|made|taken|given|told|found|put|spoken|brought|met|sold|built|cut|got"
)
"""What a task need not say: that it was done, of which its box tells."""
_BOXES = {"done": "yes", "to do": "no"}
"""Whether what a task says was done, by its box."""
_WORD = re.compile(r"[\w'’-]+")
_AUXILIARY = re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|may|must|should)\s", re.I)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What structure decides: the answer, and the values that it rests on, surest wording first; `question` is what the
    document answers with them, "" where it asks nothing; `reason` says how the answer was worked out of them.
    """

    text: str
    places: tuple[Found, ...]
    confidence: float
    question: str = ""
    reason: str = ""


def decide_recorded(question: str, evidence: Evidence) -> Recorded | None:
    """The answer to a comparison of two things, or to a question for yes or no, that structure gives; else None."""
    text = " ".join(question.split()).strip(" ?.!")
    if len(text) > _LONGEST:
        return None
    if match := _THAN.match(text):
        names = match["one"], match["other"]
        sides = _compared(match["asked"], names, evidence) or _told_beside(match["asked"], names, evidence)
        return Recorded("yes" if sides[0] == 0 else "no", sides[1], sides[2]) if sides else None
    if _AUXILIARY.match(text):
        return None if " or " in text else _confirmed(text, evidence)
    if match := _EITHER.match(text):
        names = match["one"].strip(), match["other"].strip()
        sides = _compared(match["asked"], names, evidence) or _told_beside(match["asked"], names, evidence)
        return Recorded(names[sides[0]], sides[1], sides[2]) if sides else None
    return None


@dataclass(frozen=True, slots=True)
class Measure:
    """What a comparing word asks for: words that name such a column, and whether the larger value is meant; `said` are
    the stems of the words that ask.
    """

    columns: Stems
    is_larger: bool
    said: Stems


def asked_measures(asked: str) -> list[Measure]:
    """What the comparing words of a question may ask for; [] for one without any."""
    found = ((said.search(asked), columns, is_larger) for said, columns, is_larger in _ASKED)
    return [
        Measure(columns, is_larger, frozenset(content_stems(match.group())))
        for match, columns, is_larger in found
        if match
    ]


def _told_beside(asked: str, names: tuple[str, str], evidence: Evidence) -> tuple[int, tuple[Found, ...], float] | None:
    """Which of two things is more of what is asked by what prose tells of both."""
    directions = {one.is_larger for one in asked_measures(asked)}
    if not directions or _DENIES.search(asked):
        return None
    return compare_told(asked, names, evidence, is_larger=directions.pop() if len(directions) == 1 else None)


def _compared(asked: str, names: tuple[str, str], evidence: Evidence) -> tuple[int, tuple[Found, ...], float] | None:
    """Which of two things has the value that is asked for, and both values; None where no column tells, or two that may
    be meant do not agree.
    """
    if _DENIES.search(asked):
        return None
    kinds = asked_measures(asked)
    if not kinds:
        return None
    one, other = (_amounts(name, evidence) for name in names)
    own = frozenset(content_stems(asked))
    common = [
        relation
        for relation in one
        if relation in other and (not (stems := frozenset(content_stems(relation))) <= _IDENTIFIES or stems & own)
    ]
    for place, kind in enumerate(kinds):
        called = [relation for relation in common if frozenset(content_stems(relation)) & kind.columns]
        is_last = place == len(kinds) - 1
        offered = called or (common if is_last else [])
        told = [relation for relation in offered if frozenset(content_stems(relation)) & own] or called
        sides = [
            (0 if (first[1] > second[1]) == kind.is_larger else 1, (first[2], second[2]), STATED)
            for relation in told or (common if is_last and len(common) == 1 else [])
            if (first := one[relation])[0] == (second := other[relation])[0] and first[1] != second[1]
        ]
        if sides:
            return sides[0] if len({side for side, _, _ in sides}) == 1 else None
    return None


def _amounts(name: str, evidence: Evidence) -> dict[str, tuple[str, float, Found]]:
    """What structure measures of a thing, by the name of the value: what it is a measure of, how much, and where."""
    wanted = frozenset(content_stems(name))
    amounts: dict[str, tuple[str, float, Found]] = {}
    for doc in evidence.docs:
        for line in doc.lines:
            if not _is_of(doc, line, wanted):
                continue
            for value in line.values:
                amount = amount_of(doc.text[value.start : value.end])
                if amount:
                    amounts.setdefault(fold(value.relation), (*amount, doc.found(value.start, value.end, STATED)))
    return amounts


def _is_of(doc: Doc, line: Line, wanted: Stems) -> bool:
    """Whether a line speaks of the thing: by its subject, the cells of its row being there to tell it from others."""
    own = frozenset(content_stems(line.subject))
    if not own or not wanted:
        return False
    if wanted <= own:
        return True
    said = frozenset(content_stems(f"{doc.text[line.start : line.end]} {doc.headings_at(line.start)}"))
    cells = (frozenset(content_stems(doc.text[one.start : one.end])) for one in line.values if line.kind == "row")
    return wanted <= said and (own <= wanted or any(cell and cell <= wanted for cell in cells))


def amount_of(text: str) -> tuple[str, float] | None:
    """What a value is a measure of, and how much: a day as years; a year alone is a number as any other."""
    if month := _MONTH.fullmatch(text.strip()):
        return "", int(month[1]) + int(month[2]) / 12
    days = [date for date in find_dates(text) if date.year and date.month]
    if days:
        return "", days[0].year + days[0].month / 12 + days[0].day / 372
    numbers = find_numbers(text)
    return measured(text, numbers[0]) if numbers and numbers[0].start <= _BEFORE_NUMBER else None


def _confirmed(question: str, evidence: Evidence) -> Recorded | None:
    """Yes or no by the one line that says what the question says, or has another value in its place."""
    claim = _AUXILIARY.sub("", question)
    known = frozenset(content_stems(claim)) - _SOFT
    found = [told for doc, line, value in _values(evidence) for told in _told(claim, known, doc, line, value)]
    if not found or len({one.text for one in found}) > 1:
        return None
    return None if _is_told_since(known, found[0], evidence) else found[0]


def _is_told_since(known: Stems, found: Recorded, evidence: Evidence) -> bool:
    """Whether a task is open where other text says all that is asked: it may have been done since."""
    place = found.places[0]
    line = place.doc.line_at(place.start)
    if line is None or line.kind != "task" or found.text == "yes":
        return False
    own = place.doc.sentence_span(place.start)
    sentences = ((doc, span) for doc in evidence.docs for span in doc.sentences if (doc, span) != (place.doc, own))
    return any(known <= frozenset(content_stems(doc.text[start:end])) for doc, (start, end) in sentences)


def _values(evidence: Evidence) -> Iterator[tuple[Doc, Line, Value]]:
    """Every line with each name in it and all that stands under that name."""
    for doc in evidence.docs:
        for line in doc.lines:
            whole: dict[str, Value] = {}
            for one in line.values:
                before = whole.get(one.relation, one)
                whole[one.relation] = Value(one.relation, before.start, max(before.end, one.end))
            for value in whole.values():
                yield doc, line, value
            if line.kind == "turn" and _HOURS.search(doc.text[line.key[0] : line.key[1]]):
                start = line.key[1] + 1
                yield doc, line, Value(doc.text[line.key[0] : line.key[1]], start, doc.sentence_span(start)[1])


def _lost(claim: str, said: Stems) -> list[str]:
    """The words of a claim that are not said, but for those that say nothing by themselves."""
    return [word for word in _WORD.findall(claim) if frozenset(content_stems(word)) - _SOFT - said]


def _told(claim: str, known: Stems, doc: Doc, line: Line, value: Value) -> Sequence[Recorded]:
    called = frozenset(content_stems(value.relation))
    if line.kind == "task" and value.relation in _BOXES and not _DENIES.search(claim):
        said = frozenset(content_stems(f"{doc.text[line.start : line.end]} {doc.headings_at(line.start)}"))
        is_meant = len(known & said) > 1 and all(_PARTICIPLE.fullmatch(word) for word in _lost(claim, said))
        place = (doc.found(value.start, value.end, STATED),)
        return (Recorded(_BOXES[value.relation], place, STATED),) if is_meant else ()
    if not called or not called & known:
        return ()
    own = f"{doc.text[line.start : value.start]} {doc.text[value.end : line.end]}"
    around = frozenset(content_stems(f"{own} {line.subject} {value.relation} {doc.headings_at(value.start)}"))
    text = doc.text[value.start : value.end].strip(" .")
    place = (doc.found(value.start, value.end, STATED),)
    left = known - around
    if not left:
        yes, no = _YES.fullmatch(text), _NO.fullmatch(text)
        return (Recorded("yes" if yes else "no", place, STATED),) if yes or no else ()
    days = {match.lower() for match in _DAYS.findall(claim)}
    listed = {match.lower() for match in _DAYS.findall(text)}
    is_day = bool(days) and left == frozenset(content_stems(" ".join(m.group() for m in _DAYS.finditer(claim))))
    if is_day and listed and not _RANGE.search(text):
        return (Recorded("yes" if days <= listed else "no", place, STATED),)
    return ()
