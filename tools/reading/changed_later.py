"""What a later document tells otherwise in words of change, and what was turned down for something else.

"From June on lunch will be £5.20" in the minutes of 2023 is said after "Lunch costs £4" in a handbook of 2021; "Autumn
is not realistic. We agreed on March" says of itself what was before. Where such a sentence says no one value that can
take the place of the one that was found, that one still is in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kb.documents.plaintext import MONTHS
from tools.answer_rules.docs import Doc, Found
from tools.answer_rules.text import content_stems, says
from tools.reading.told_places import ANYTHING, Place, asks_how_it_was, told_at
from tools.reading.told_values import Value, all_of_kind, is_near, kinds_of, people_of, seasons_of, takes_from_another

Stems = frozenset[str]

SAID_SO = 0.78
"""The most that is held for what a later document tells in words of change, or that was agreed on instead."""

_DAY = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{'|'.join(MONTHS)}|next \w+|today|tomorrow|this \w+|then|now)"
    r" ?(?:on\b|onwards?)?"
)
_FROM_THEN = rf"(?:from|as of|as from|starting(?: from)?|with effect from|beginning) (?:the )?{_DAY}"
_NOW = rf"(?<!for )(?<!until )(?<!till )(?<!by )(?<!to )\bnow\b|\b{_FROM_THEN}|\bno longer\b"
_CHANGE = re.compile(
    rf"{_NOW}|\bin future\b"
    r"|\b(?:takes|took|taking|taken|take) over\b"
    r"|\b(?:was|is|were|been) (?:re-?)?(?:elected|appointed|chosen|made|voted)\b|\b(?:becomes?|became)\b"
    r"|\b(?:mov(?:e[sd]?|ing)|shift(?:s|ed)?|postponed|put (?:off|back|forward)|brought forward)\b"
    r"|\b(?:goes|went|go|gone|going|puts?|comes?|came) (?:[\w'’]+ ){0,4}?(?:up|down)\b"
    r"|\b(?:rais|lower|reduc|increas)(?:es?|ed|ing)\b|\bcut (?:to|from)\b|\binstead\b(?! of\b)"
    r"|\bany ?more\b|\b(?:was|were|is|are|has been|have) changed\b|\bchanges? to\b|\breplace[sd]?\b"
    r"|\b(?:agreed|decided|settled) (?:on|that|to)\b|\bagreed:|\b(?:is|are) to be\b|\bcan only\b|\bsuccessor\b",
    re.I,
)
"""What a sentence says that tells how something is from now on."""
_NEW = re.compile(r"\bnew:|\bnew (?P<what>[\w'’-]+(?: [\w'’-]+)?)", re.I)
_VALUE = frozenset(content_stems("date day deadline time price cost fee rate amount place venue address number"))
"""What is new where a value is, whatever it is of: "the new date for the party"."""
_OBJECT = re.compile(
    r"\b(?:for|of|with|the|an?|another|our|my|his|her|their|its|this|that) "
    r"(?P<thing>[^\W\d][\w'’-]*(?: [\w'’-]+){0,2})",
    re.I,
)
"""Another thing that a sentence speaks of between the one asked about and a value: "the fee for the locker is £5"."""
_WHEN_OR_WHERE = re.compile(
    r"\W*(?:(?:and|so) )?(?:on |at |in )?(?:when|where|what (?:day|date|time)|which day)\b", re.I
)
_MOVED = re.compile(
    r"\b(?:has|have|had|is|was|will|needs?) (?:to )?(?:be |been )?"
    r"(?:moved|postponed|put (?:off|back)|cancelled|called off)\b",
    re.I,
)
_FROM_NOW = re.compile(_NOW, re.I)
"""What one says who knows that it was otherwise."""
_OF_DAYS = re.compile(rf"\b{_FROM_THEN}", re.I)
_GOES = re.compile(
    r" (?:(?:has |is )?(?:stepp?(?:ed|ing|s) down|resign(?:s|ed|ing)|retir(?:es|ed|ing))"
    r"|(?:hands|handed|has handed|gives|gave|passes|passed)\b[^.;\n]{0,40}? (?:over )?to [A-Z]"
    r"|is (?:replaced|succeeded) by)",
)
"""What follows the name of somebody who does something no longer."""
_BECOMES = (
    r"(?: (?:now|also))? (?:is|was|has been|will be)(?: now)?(?: (?:the|our))?"
    r"(?: (?:re-?)?(?:new|elected|appointed|chosen|made))+\b| (?:is|will be) now\b| now is\b"
    r"| (?:takes|took|is taking|has taken|will take) over\b| (?:becomes|became|starts as|started as)\b"
)
_COMES = re.compile(_BECOMES)
_MADE = re.compile(
    r"\b(?:elected|appointed|chose|new [\w ]{2,30}? (?:is|will be|:)|from now on|made) (?:is )?$|: $", re.I
)
_BY_WHOM = re.compile(r"\b(?:by|to) $")
_PAST = re.compile(r"\W*(?:(?:and|so) )?(?:\w[\w-]* ){0,3}?(?:was|were|did|had|has been)\b", re.I)
"""A question for what was so."""
_UNFIT = re.compile(
    r"(?:,? (?:\w+ ){0,2}?(?:says|said|thinks|thought))?,? (?:is|was|are|will be|would be|['’]s)"
    r"(?:n['’]t| (?:[a-z]+ ){0,2}?(?:not|no longer|never|too|unrealistic|impossible|out of the question|off))\b",
    re.I,
)
"""What follows a value that is turned down: "autumn 2024 is not realistic"."""
_CANNOT = re.compile(
    r"\b(?:can(?:no|['’])t|can not|won['’]t|will not|could not|couldn['’]t) (?:[\w'’-]+ ){0,5}?"
    r"(?:on|at|in|for|by|until)? ?(?:the )?(?:\w+day,? )?$",
    re.I,
)
_AGREED = re.compile(
    r"(?:\b(?:agreed|settled|decided|fixed) (?:on|for|upon)|\bset aside"
    r"|\b(?:it|that|this|they)(?:['’]ll| will)(?: now)? be|\bput (?:it |them )?(?:off|back|forward)? ?to"
    r"|\bmov(?:e[sd]?|ing) (?:it |them )?to|\binstead(?: in| on)?"
    r"|\bnew (?:date|day|deadline|time|price)(?: is|:)?)"
    r" ?(?:the |on |at |in |by |(?:early |mid |late )|\w+day,? (?:the )?)*$",
    re.I,
)
"""What stands before a value that is taken instead."""
_BEFORE, _BEHIND, _NEXT = 70, 40, 2


def find_said_later(question: str, found: Found, docs: Sequence[Doc]) -> Found | None:
    """The value that has taken the place of one that was found, by a later document's words of change or by what was
    agreed on instead; None where there is none, several are told or the question asks how it was.
    """
    if asks_how_it_was(question) or _PAST.match(question):
        return None
    told = _instead(question, found, docs) or _announced(question, found, docs)
    same = {frozenset(content_stems(one.text)) for one in told}
    return told[0] if len(same) == 1 else None


def may_be_overtaken(question: str, found: Found, docs: Sequence[Doc]) -> bool:
    """Whether a sentence tells in words of change that what was found may be so no longer; never where the question
    asks how it was.
    """
    if asks_how_it_was(question) or _PAST.match(question):
        return False
    if is_turned_down(question, found, docs):
        return True
    place, olds = told_at(found), kinds_of(found.text)
    for one in _later(found, docs):
        if any(_goes(one, old) for old in olds if old.kind == "person") or _is_moved(question, found, place, one):
            return True
        if says(one.text, found.text) or not _is_of_it(question, found, place, one) or not _changes(question, one.text):
            continue
        if not olds or any(_others(said_in(one), old) for old in olds):
            return True
    return place.years is None and any(
        _others(said_in(one), old)
        for one in _undated(found, docs)
        if _is_of_it(question, found, place, one) and _FROM_NOW.search(one.text) and not says(one.text, found.text)
        for old in olds
    )


def is_turned_down(question: str, found: Found, docs: Sequence[Doc]) -> bool:
    """Whether a sentence on the same thing says that what was found is not to be."""
    return next(_turned_down(question, found, docs), None) is not None


def said_in(one: Place) -> str:
    """A sentence with blanks for who says it and when: "[13:05] Wiebke:"."""
    line = one.doc.line_at(one.start)
    if line is None or line.kind != "turn":
        return one.text
    return one.text[max(0, line.key[1] - one.start) :].rjust(len(one.text))


def _undated(found: Found, docs: Sequence[Doc]) -> Iterator[Place]:
    """The sentences of other documents of which nobody knows whether they are later."""
    for doc in docs:
        if doc.passage.source == found.doc.passage.source or not doc.sentences:
            continue
        if Place(doc, *doc.sentences[0]).day is None:
            yield from _prose(doc)


def _later(found: Found, docs: Sequence[Doc]) -> Iterator[Place]:
    """The sentences of later documents."""
    place = told_at(found)
    for doc in docs:
        if doc.passage.source == place.doc.passage.source or not doc.sentences:
            continue
        if Place(doc, *doc.sentences[-1]).is_later(place) or Place(doc, *doc.sentences[0]).is_later(place):
            yield from (one for one in _prose(doc) if one.is_later(place))


def _prose(doc: Doc) -> Iterator[Place]:
    """The sentences of a document, which are no rows."""
    yield from (Place(doc, start, end) for start, end in doc.sentences if doc.kind_at(start) != "row")


def _is_of_it(question: str, found: Found, place: Place, one: Place) -> bool:
    """Whether a sentence says all words of a question that the one with the answer says, and has one of them itself."""
    asked = frozenset(content_stems(question)) - ANYTHING - frozenset(content_stems(found.text))
    shared = asked & (place.own | place.above)
    return bool(shared & one.own) and shared <= one.own | one.above


def _is_moved(question: str, found: Found, place: Place, one: Place) -> bool:
    """Whether a sentence tells that what is asked when or where takes place at another time or place: "the party has to
    be moved" of the summer party; it may say half of its words.
    """
    if not _WHEN_OR_WHERE.match(question) or not _MOVED.search(one.text):
        return False
    asked = frozenset(content_stems(question)) - ANYTHING - frozenset(content_stems(found.text))
    shared = asked & (place.own | place.above)
    return bool(shared) and 2 * len(shared & one.own) >= len(shared)


def _others(text: str, old: Value) -> list[Value]:
    """The values of a text that could be told for an old one; of people those who take over, or by whom it is done."""
    found = [one for one in all_of_kind(text, old) if one.differs(old) and is_near(one, old)]
    if old.kind == "person":
        made = [one for one in found if _is_made(text, one) or _BY_WHOM.search(text, 0, one.start)]
        return [one for one in made if not takes_from_another(text, one, old)]
    return [one for one in found if bool(one.unit) == bool(old.unit)]


def _goes(one: Place, old: Value) -> bool:
    """Whether a sentence tells that somebody does something no longer."""
    return any(who.what == old.what and _GOES.match(one.text, who.end) for who in people_of(one.text))


def _announced(question: str, found: Found, docs: Sequence[Doc]) -> list[Found]:
    """The values that later sentences on the same thing tell in words of change, each the only one of its kind."""
    place, told = told_at(found), list[Found]()
    for one in _later(found, docs):
        if not _is_of_it(question, found, place, one) or says(one.text, found.text):
            continue
        if not _changes(question, one.text):
            continue
        text = said_in(one)
        for old in kinds_of(found.text):
            new = _others(text, old)
            if old.kind == "person":
                new = [who for who in new if _is_made(one.text, who)]
            elif old.kind == "day" and not _changes(question, _OF_DAYS.sub(" ", text)):
                new = []
            if len(new) == 1:
                if not _is_of_more(question, place, one.text[: new[0].start]):
                    told.append(one.doc.found(one.start + new[0].start, one.start + new[0].end, SAID_SO))
                break
    return told


def _changes(question: str, text: str) -> bool:
    """Whether a sentence tells how something is from now on; of what is "new" it has to be what is asked for."""
    if _CHANGE.search(text):
        return True
    asked = frozenset(content_stems(question)) | _VALUE
    return any(not new["what"] or asked & frozenset(content_stems(new["what"])) for new in _NEW.finditer(text))


def _is_of_more(question: str, place: Place, before: str) -> bool:
    """Whether the words before a value speak of another thing, behind the last that is asked for, than the question and
    the sentence of the value found do.
    """
    asked, before = frozenset(content_stems(question)) - ANYTHING, _CHANGE.sub(" ", before)
    last = max(
        (one.end() for one in re.finditer(r"[\w'’-]+", before) if asked & {*content_stems(one[0])}), default=None
    )
    if last is None:
        return False
    known = asked | ANYTHING | _VALUE | place.own | place.above
    things = (frozenset(content_stems(one["thing"])) for one in _OBJECT.finditer(before, last))
    return any(thing - known for thing in things)


def _is_made(text: str, who: Value) -> bool:
    """Whether a sentence says that somebody takes over or becomes something."""
    return bool(_COMES.match(text, who.end) or _MADE.search(text[max(0, who.start - _BEFORE) : who.start]))


def _turned_down(question: str, found: Found, docs: Sequence[Doc]) -> Iterator[tuple[Place, int, Value]]:
    """The sentences on the same thing that turn down the value that was found, where it ends in them, and the value."""
    asked = frozenset(content_stems(question)) - ANYTHING - frozenset(content_stems(found.text))
    olds = [
        *seasons_of(found.text),
        *(one for one in kinds_of(found.text) if one.kind in ("number", "day", "weekdays")),
    ]
    for doc in docs if olds else ():
        for start, end in doc.sentences:
            one = Place(doc, start, end)
            if not asked & (one.own | one.above):
                continue
            for old in olds:
                for value in all_of_kind(one.text, old):
                    before = one.text[max(0, value.start - _BEFORE) : value.start]
                    is_unfit = _UNFIT.match(one.text, value.end) or _CANNOT.search(before)
                    if value.what == old.what and is_unfit:
                        yield one, start + value.end, old


def _instead(question: str, found: Found, docs: Sequence[Doc]) -> list[Found]:
    """The values that were agreed on instead of one that was turned down, in its sentence or the next ones."""
    told = []
    for one, at, old in _turned_down(question, found, docs):
        index = one.doc.sentence_index(one.start)
        end = one.doc.sentences[min(index + _NEXT, len(one.doc.sentences) - 1)][1]
        line_end = one.doc.text.find("\n", at, end)
        text = one.doc.text[at : end if line_end < 0 else line_end]
        new = [
            value
            for value in all_of_kind(text, old)
            if value.what != old.what and _AGREED.search(text[max(0, value.start - _BEFORE) : value.start])
        ]
        if len(new) == 1:
            told.append(one.doc.found(at + new[0].start, at + new[0].end, SAID_SO))
    return told
