"""What was told once and is otherwise since: "Limit cut from 2 tonnes to 1.5 tonnes", "the party moves to 13 July".

Notes keep what has been changed beside the change. A sentence that names a value as the one of before, or that tells a
new one of the same thing on a later day, says more of what is asked than the one in which the old value stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date

from kb.documents.plaintext import MONTHS
from tools.answer_rules.docs import Doc, Evidence, EvidencePassage, Found
from tools.answer_rules.text import content_stems, words
from tools.reading.told_places import ANYTHING, FIGURES, Place, are_of_one, asks_how_it_was, told_at
from tools.reading.told_values import Value, is_near, is_year, people_of, takes_from_another, values_of, values_of_kind

REPLACED = 0.9
"""The most that is held for a value that a sentence puts in the place of the one that was found."""
ANNOUNCED = 0.78
"""The same for one that a later day tells without a word of the one before."""
_CHANGES = 3
"""Changes of one value that are followed, each told by another sentence."""
LATER = 0.85
"""The same for the later of two that are both likely."""

_LEAD = r"(?:the |only |a |about |on |at )*(?:\w+day,? (?:the )?)?(?:[$€£¥]\s?)?"
"""What may stand between the words that tell of a change and a value."""
_FROM, _TO = re.compile(rf"\bfrom {_LEAD}$", re.I), re.compile(rf"\W{{0,3}}(?:to|→|->) {_LEAD}", re.I)
_CHANGED = re.compile(
    r"\b(?:cut|rais|lower|reduc|increas|chang|mov|shift|postpon|put|brought|push|drop|goes|go|went|gone|up|down)\w*\b",
    re.I,
)
"""What a sentence says whose "from ... to" is a change: without it that is how long something lasts."""
_ASKED = 300
_NAME = r"[A-Z][\w-]+(?: [A-Z][\w-]+){0,3}"
_SUCCESSOR = re.compile(
    rf"\W*(?i:who(?:['’]s| is| has| was)?) (?:(?i:replac(?:ed|es|ing)|succeed(?:ed|s|ing)"
    rf"|(?:takes|took|taken|taking) over from|came after|following|followed) (?P<one>{_NAME})"
    rf"|(?i:takes|took|taken|taking|has|got)(?i: over)? (?P<other>{_NAME})['’]s? (?i:place|job|post|role|seat)"
    rf"|(?P<owner>{_NAME})['’]s? (?i:successor|replacement))"
    r"(?: (?:as|at|in|on|last|this|now)\b.*)?\W*",
)
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.I)
_MOVED_TO = re.compile(
    r"\b(?i:moved?|moves|switch(?:ed|es)?|chang(?:ed|es?)|transferred) (?:over )?to (?:the )?"
    r"(?P<name>[A-Z][^.;,\n]{0,60})"
)
_WAS_NOW = re.compile(rf"[^.!?;]{{0,30}}?[,;]?\s*\b(?:is |are )?now (?:to )?{_LEAD}", re.I)
_WAS_BEFORE = re.compile(
    r"[^\W\d_ ]{0,12}\s?\((?:it |this )?(?:was|were|formerly|previously|before|until now|old)\b(?: it was)?:? ?"
    rf"{_LEAD}",
    re.I,
)
_INSTEAD = re.compile(
    r"\W{0,3}(?:[\w'’%-]+ ){0,3}?(?:(?:instead|in (?:the )?place) of|rather than|up from|down from|no longer)"
    rf"\W{{1,3}}{_LEAD}|\W{{1,3}}(?:and )?not(?:, as [^,.;]{{1,20}},)? {_LEAD}",
    re.I,
)
_DENIED = re.compile(r"\b(?:not|no longer|instead of|rather than)\b", re.I)
_DATED = frozenset(content_stems("monday tuesday wednesday thursday friday saturday sunday")) | frozenset(
    content_stems(" ".join(MONTHS))
)
_TAKES_OVER = re.compile(
    r" (?:(?:takes|took|has taken|will take|is taking)(?: (?:it|this|that|them))? over (?:[\w'’-]+ ){0,6}?from"
    r"|replace[sd]|succeed(?:s|ed)|instead of) ",
    re.I,
)
_IN, _PLACE = re.compile(r"[^.:\nA-Z]{0,40} in "), re.compile(r"(?:['’]s?)? (?:place|stead|shoes)\b", re.I)
_HANDS_OVER = re.compile(
    r" (?:hands|handed|has handed|gives|gave|passes|passed|has passed)(?: [\w'’-]+){0,6}? to ", re.I
)
_LEAVES = re.compile(
    r" (?:(?:steps|stepped|stands|stood) down|resign(?:s|ed)|retire[sd]|leaves|left)\b[^\n]{0,120}", re.I
)
_COMES = re.compile(
    r" (?:was |is |has been |will be )?(?:elected|appointed|chosen|voted in|takes over|took over|becomes|became"
    r"|starts? as|started as|joins as|joined as)\b",
    re.I,
)
_LEADS = re.compile(
    r"(?:\bnew(?: [\w'’-]+){1,3}?(?: (?:is|are|will be))?[:,]?"
    r"|\b(?:mov|shift|postpon|put|push|brought|chang|rais|lower|cut|reduc|increas|drop)\w*(?: [\w'’-]+){0,4}?"
    r" (?:to|until)"
    r"|\bchanged\b[^.;:\n]{0,60}:|\b(?:goes|go|went|gone)(?: (?:up|down))? to|\bnow(?: [\w'’-]+){0,3}?)"
    rf"\s*{_LEAD}$",
    re.I,
)
_FOLLOWS = re.compile(r"\W{0,2}(?:[\w'’%-]+ ){0,2}?(?:instead\b(?! of)|from now on\b|now\b)", re.I)
_FROM_THEN = re.compile(
    r"(?:since|from|as of|starting) (?!now\b)[^.;:£$€]{3,40}?,? (?:this|that|it)(?:['’]s| is| was| will be| has been"
    rf"| goes up to| rises to| falls to| went up to| rose to| fell to) (?:now )?{_LEAD}",
    re.I,
)
_TIME = rf"[^:;,.\n]{{0,30}}\b(?:{'|'.join(f'{month}|{month[:3]}' for month in MONTHS)})\b[^:;,.\n]{{0,20}}[:;,]"
_SAYS_WHEN = re.compile(rf"\b(?:{'|'.join(MONTHS)}|(?:19|20)\d\d|before|until|till|first|originally)\b", re.I)
_ENDING = re.compile(rf"\W{{0,4}}(?:up )?(?:till|until|to) {_TIME}", re.I)
_BEGINNING = re.compile(rf"\W{{0,4}}(?:from|since|as of|after|starting) {_TIME}", re.I)
"""What stands before what is so until a day, and before what is so from one on: "till end of March: every 14 days". By
numbers alone prices by size are told so, too: "up to 5 people: £30".
"""
_MARKS = re.compile(r"^(?:[-*•]\s+|\d{1,3}[.)]\s+)?(?:the|a|an|our)\s+", re.I)
"""What stands before what a sentence is about."""
_ASKING = frozenset(("who", "whom", "whose", *content_stems("now currently our your my we")))
"""What a question says beside what somebody does."""
_BEFORE, _BEHIND = 90, 40
_BESIDE = 8
"""Letters of small words that may stand beside what is denied."""

Stems = frozenset[str]
Saying = Callable[[str], Sequence[EvidencePassage]]
"""Finds the passages that say something."""


def find_revision(question: str, found: Found, docs: Sequence[Doc], saying: Saying | None = None) -> Found | None:
    """What has taken the place of an answer (a day, a number or a person), scored with the most that is held for it;
    None where no sentence tells that, where several tell different things, and where the question asks how it was.

    `docs` are looked through, and what `saying` finds for the value of before.
    """
    if asks_how_it_was(question):
        return None
    now: Found | None = None
    for _ in range(_CHANGES):
        further = _next_revision(question, now or found, docs, saying)
        if further is None or words(further.text) == words(found.text):
            break
        now = further
    return now


def _next_revision(question: str, found: Found, docs: Sequence[Doc], saying: Saying | None) -> Found | None:
    values = values_of(found.text)
    if len(values) != 1:
        return None
    place = told_at(found)
    old, asked = values[0], frozenset(content_stems(question)) - ANYTHING
    wide = widened(docs, saying, found.text[old.start : old.end])
    tellings = (
        (_replacing(old, place, asked, wide), REPLACED),
        (_announcing(old, place, asked, wide), ANNOUNCED),
        (_from_then_on(old, place), ANNOUNCED),
        (_of_next_time(question, old, place), ANNOUNCED),
        (_moved_from(question, old, place, wide), REPLACED),
        (_of_same_item(old, place, wide), ANNOUNCED),
        (_person_of_same_item(old, place, asked, wide), ANNOUNCED),
    )
    for tells, most in tellings:
        if told := [doc.found(start, end, most) for doc, start, end in tells]:
            return told[-1] if len({values_of(one.text)[0].what for one in told}) == 1 else None
    return None


def find_successor(question: str, evidence: Evidence) -> Found | None:
    """Who has taken the place of somebody whom a question names: "Who has taken Callum's place?" by "Callum Deas left
    in January. Wren Sillars starts as deckhand". None for any other question, and where several are told or nobody.
    """
    asked = _SUCCESSOR.fullmatch(" ".join(question.split())[:_ASKED])
    named = asked["one"] or asked["other"] or asked["owner"] if asked else ""
    who = people_of(named)
    if len(who) != 1:
        return None
    told = [
        doc.found(start, end, REPLACED)
        for doc in evidence.docs
        for one in doc.sentences
        if _is_meant(named, _called_like(who[0], doc.text[slice(*one)]), _called_like(who[0], doc.text))
        for _, start, end in _replacing(who[0], Place(doc, *one), frozenset(), [doc])
    ]
    return told[0] if len({people_of(one.text)[0].what for one in told}) == 1 else None


def _called_like(who: Value, text: str) -> list[str]:
    """The names of a text that begin as somebody's."""
    return [text[one.start : one.end] for one in people_of(text) if one.what == who.what]


def _is_meant(named: str, here: Sequence[str], around: Sequence[str]) -> bool:
    """Whether the names of a sentence are of the one that is named, or a first name is and no passage around it calls
    another one so: "Hugh" is not Hugh Day where Hugh Petrie is told of.
    """
    wanted = frozenset(words(named))
    said = [frozenset(words(one)) for one in here]
    may_be = [frozenset(words(one)) for one in around] if wanted not in said else said
    return bool(said) and all(wanted <= one or one <= wanted for one in may_be)


def is_overtaken(question: str, doc: Doc, index: int, docs: Sequence[Doc]) -> bool:
    """Whether a sentence says a number, time or day of a question for which the same item of a later document of the
    series has another one; never where the question asks how it was.
    """
    place = Place(doc, *doc.sentences[index])
    if not place.item[0] or asks_how_it_was(question):
        return False
    said = [old for one in values_of(question) for old in values_of_kind(place.text, one) if old.what == one.what]
    return any(next(_of_same_item(old, place, docs), None) for old in said)


def denies(question: str, other: Found, found: Found) -> bool:
    """Whether the sentence of another find on the same thing says that it is not where or what the first one tells: "on
    the log store, not by the front door"; never where the question asks how it was.
    """
    if asks_how_it_was(question):
        return False
    doc, denied = other.doc, frozenset(content_stems(found.text))
    mine, its = told_at(other), told_at(found)
    if not denied or not ((mine.own | mine.above) & (its.own | its.above)) - denied:
        return False
    for match in _DENIED.finditer(doc.text, mine.start, mine.end):
        end = match.end() + len(found.text) + _BESIDE
        is_beside = other.end <= match.start() or other.start >= end
        if is_beside and denied <= frozenset(content_stems(doc.text[match.end() : end])):
            return True
    return False


def later_of(question: str, one: Found, other: Found) -> Found | None:
    """Which of two values that both answer was told later; None where they are not of one kind and size or come to the
    same, where they are people, of whom both may be meant, where the texts share no word or no days tell, and where the
    question asks how it was.
    """
    values = [values_of(found.text) for found in (one, other)]
    if asks_how_it_was(question) or not all(len(told) == 1 for told in values):
        return None
    (mine,), (its,) = values
    if (
        mine.kind == "person"
        or not mine.differs(its)
        or not is_near(mine, its)
        or not are_of_one(told_at(one), told_at(other))
    ):
        return None
    if told_at(one).is_later(told_at(other)):
        return one
    return other if told_at(other).is_later(told_at(one)) else None


def widened(docs: Sequence[Doc], saying: Saying | None, value: str) -> Sequence[Doc]:
    """These passages and what is found besides that says a value."""
    if saying is None:
        return docs
    known = {doc.passage.id for doc in docs}
    return [*docs, *Evidence([one for one in saying(value) if one.id not in known]).docs]


def _told(docs: Sequence[Doc], old: Value) -> Iterator[Place]:
    """The sentences; for a person each with the next one: who goes and who comes are told one after the other."""
    more = 1 if old.kind == "person" else 0
    for doc in docs:
        ends = [end for _, end in doc.sentences]
        for at, (start, end) in enumerate(doc.sentences):
            yield Place(doc, start, ends[min(at + more, len(ends) - 1)] if more else end)


def _replacing(old: Value, place: Place, asked: Stems, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """Values that a sentence about the same thing puts in the place of the old one."""
    about = place.own | place.above | asked
    for one in _told(docs, old):
        values = values_of_kind(one.text, old)
        before = [value for value in values if value.kind == old.kind and value.what == old.what]
        if not before or len(values) < 2 or not _besides(old, one.own | one.above) & about:
            continue
        for value in values:
            is_of_it = any(value.differs(other) and _takes_place(one.text, other, value) for other in before)
            if old.kind == "person" and takes_from_another(one.text, value, old):
                continue
            if is_of_it and old.unit in (value.unit, *(other.unit for other in before)):
                yield one.doc, one.start + value.start, one.start + value.end


def _besides(old: Value, stems: Stems) -> Stems:
    """Words that are not the person's own."""
    return stems - frozenset(content_stems(str(old.what[0]))) if old.kind == "person" else stems


def _takes_place(text: str, old: Value, new: Value) -> bool:
    """Whether a sentence says that a value is in the place of another one."""
    if old.end <= new.start:
        between, before = text[old.end : new.start], text[: old.start]
        if old.kind == "person":
            is_next = _LEAVES.fullmatch(between) and _COMES.match(text, new.end)
            return bool(_HANDS_OVER.fullmatch(between) or is_next)
        is_changed = _FROM.search(before) and _CHANGED.search(before) and _TO.fullmatch(between)
        return bool(is_changed or _WAS_NOW.fullmatch(between))
    between, behind = text[new.end : old.start], text[old.end : old.end + _BEHIND]
    if _WAS_BEFORE.fullmatch(between):
        return True
    if old.kind == "person" and _IN.fullmatch(between) and _PLACE.match(behind):
        return True
    return bool(_TAKES_OVER.fullmatch(between) if old.kind == "person" else _INSTEAD.fullmatch(between))


def _announcing(old: Value, place: Place, asked: Stems, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """Values that a later sentence about the same thing tells as new ones."""
    if old.kind == "person":
        return
    was = place.own | asked
    for one in _told(docs, old):
        is_of_it = len((one.own | one.above) & (was | place.above)) > 1 or _begin_alike(one.text, place.text)
        if not one.is_later(place) or not one.own & was or not is_of_it:
            continue
        for value in values_of_kind(one.text, old):
            if value.differs(old) and bool(value.unit) == bool(old.unit) and is_near(value, old):
                before, behind = one.text[max(0, value.start - _BEFORE) : value.start], one.text[value.end :]
                if _LEADS.search(before) or _FOLLOWS.match(behind[:_BEHIND]):
                    yield one.doc, one.start + value.start, one.start + value.end


def _from_then_on(old: Value, place: Place) -> Iterator[tuple[Doc, int, int]]:
    """The value that the next sentence tells from a day on: "We pay £6 a month. From January this is £9 a month"."""
    later = next((one for one in place.doc.sentences if one[0] >= place.end), None)
    if later is None or old.kind == "person":
        return
    start, end = later
    change = _FROM_THEN.match(place.doc.text, start, end)
    for value in values_of_kind(place.doc.text[start:end], old):
        is_next = change and start + value.start <= change.end() < start + value.end
        if is_next and value.differs(old) and is_near(value, old):
            yield place.doc, start + value.start, start + value.end


def _of_next_time(question: str, old: Value, place: Place) -> Iterator[tuple[Doc, int, int]]:
    """The value of the next line, from a day on, where that of the line itself is so until one: "till end of March:
    every 14 days", "from 1 April: every 7 days". None where the question says when.
    """
    doc = place.doc
    later = next((one for one in doc.sentences if one[0] >= place.end), None)
    is_until = _ENDING.match(place.text)
    if later is None or is_until is None or _SAYS_WHEN.search(question):
        return
    begins = _BEGINNING.match(doc.text, *later)
    if begins is None:
        return
    told = [one for one in values_of_kind(doc.text[begins.end() : later[1]], old) if is_near(one, old)]
    if len(told) == 1 and told[0].differs(old) and told[0].unit == old.unit:
        yield doc, begins.end() + told[0].start, begins.end() + told[0].end


def _begin_alike(one: str, other: str) -> bool:
    """Whether two sentences begin with the same two words, which is what they are about: "The open day is moved to the
    17th" and "The open day will be on 10 May".
    """
    mine, its = (_MARKS.sub("", text).casefold().split()[:2] for text in (one, other))
    return len(mine) == 2 and mine == its


def _moved_from(question: str, old: Value, place: Place, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """The place or firm to which a later paragraph on the same thing says that it has gone from the old one, which it
    names before: "Garvock rang: their cradle has cracked. Moved to Corran Slip". Nobody is moved to so where it is
    asked who.
    """
    if old.kind != "person" or _WHO.search(question):
        return
    about = _besides(old, place.own | place.above)
    for doc in docs:
        for change in _MOVED_TO.finditer(doc.text):
            one, at = Place(doc, *doc.sentence_span(change.start())), change.start("name")
            _, start, _ = one.item
            before, new = doc.text[start:at], people_of(change["name"])
            said = frozenset(content_stems(before)) | one.above
            if not new or not new[0].differs(old) or not one.is_later(place) or not _besides(old, said) & about:
                continue
            if any(person.what == old.what for person in people_of(before)):
                yield doc, at + new[0].start, at + new[0].end


def _of_same_item(old: Value, place: Place, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """The values that the same item of the latest document of the same series tells, where it tells but one of that
    kind: "Rent: 2,150 euros from January" in the minutes of May, "Rent: agreed on 2,060 euros" in those of September.
    """
    if old.kind == "person":
        return
    found: dict[tuple[int, int], tuple[Doc, int, Value]] = {}  # an item has several sentences
    for one in _latest_of_item(place, docs):
        _, start, end = one.item
        for its in values_of_kind(one.doc.text[start:end], old):
            if bool(its.unit) == bool(old.unit) and is_near(its, old) and not is_year(its):
                found[one.doc.passage.id, start + its.start] = (one.doc, start, its)
    if len(found) == 1:
        ((doc, start, its),) = found.values()
        if its.differs(old):
            yield doc, start + its.start, start + its.end


def _person_of_same_item(old: Value, place: Place, asked: Stems, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """Who alone stands in a sentence of the same item of the latest document of the series that says what else is
    asked: "Safeguarding. Siobhan is lead as of today" after "Safeguarding. Imelda takes over as lead".
    """
    role = asked - place.item[0] - _ASKING
    if old.kind != "person" or not role or not role <= place.own | place.above:
        return
    for one in _latest_of_item(place, docs):
        people = people_of(one.text)
        if role <= one.own | one.above and len(people) == 1 and people[0].differs(old):
            yield one.doc, one.start + people[0].start, one.start + people[0].end


def _latest_of_item(place: Place, docs: Sequence[Doc]) -> list[Place]:
    """The sentences of the same item of the latest document of the series, where one is later than a place."""
    label, _, _ = place.item
    series = frozenset(content_stems(FIGURES.sub(" ", place.doc.title))) - _DATED
    if not label or not series:
        return []
    told: list[tuple[date, Place]] = []
    for doc in docs:
        if series <= frozenset(content_stems(doc.title)):
            for start, end in doc.sentences:
                one, day = Place(doc, start, end), Place(doc, start, end).day
                if day and day != place.day and one.item[0] == label and one.is_later(place):
                    told.append((day, one))
    latest = max((day for day, _ in told), default=None)
    return [one for day, one in told if day == latest]
