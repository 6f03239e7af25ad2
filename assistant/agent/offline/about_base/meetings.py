"""What was decided or discussed at a meeting: its minutes are found by their day, and their points told in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.agent.offline.about_base.diary import quoted_line
from assistant.agent.offline.about_base.quoting import one_line
from assistant.agent.short_text import clip
from assistant.agent.workspace import Workspace
from kb.documents.plaintext import MONTHS
from kb.records import Passage
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from kb.store.listing import DocumentLine
from tools.answer_rules.text import content_stems, sentence_spans, words
from tools.answer_rules.values import Date, find_dates, month_number
from tools.planning.lexicon import singular

POINTS = 12
"""Points of a meeting that are told; more are counted."""
PASSAGES = 12
"""Passages of the longest minutes that are told."""
LOOKED_AT = 200
"""Minutes that are looked through for those that are meant."""
LONGEST = 500
"""Characters of a point that are told."""
_HEAD = 300
"""Characters at the beginning of minutes in which their day may stand."""
_MINUTES = ("minutes", "meeting")
"""What minutes are called, in their title or their file's name."""
_MEETING = frozenset(content_stems("minutes meeting"))
_ANNUAL = frozenset(content_stems("annual general"))
_LAST = frozenset(content_stems("last latest previous recent most"))
_JOINTS = re.compile(r"[_\W]+")
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)]|#{1,6})\s")
_IN_THE_END = re.compile(r"\b(?:in the end|finally|ultimately|lastly)\b", re.I)
_DECIDED = re.compile(
    r"\b(?:decided|decision|agreed|resolved|approved|accepted|adopted|carried|voted|unanimous(?:ly)?|will|shall"
    r"|to be)\b",
    re.I,
)
_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|as to|on|with) (?!\d)(?:(?:the|our|that|this) )?"
    r"(?P<thing>(?:(?!(?:at|in|on|during) )[\w'’-]+ ?){1,5})",
    re.I,
)
"""What the points are to be about; "on 3 May" is when."""
_PRESENT = re.compile(
    r"\W*(?:present|attend(?:ees|ance|ing)|apologies|absent|excused|chair(?:ed)?|minutes|scribe|date|time|place|venue)\b"
    r"[^:.]{0,20}:",
    re.I,
)
_MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.I)


@dataclass(frozen=True, slots=True)
class _Minutes:
    line: DocumentLine
    opening: Passage
    day: Date | None
    called: frozenset[str]


def minutes_of(kb: KnowledgeBase, subject: str) -> list[str]:
    """The keys of the documents that are minutes of the day or the month that `subject` names and are called by what
    else it says ("the June meeting of the committee", "the AGM"), by day, or the last ones that there are; [] where it
    names none that there is.
    """
    stems = frozenset(content_stems(subject))
    if not (_month(subject) or (stems & _MEETING and stems & _LAST)):
        return []
    return [one.line.key for one in _meant(kb, subject)]


def told_of_meeting(kb: KnowledgeBase, workspace: Workspace, subject: str, *, decided: bool) -> tuple[str, str] | None:
    """The points of the minutes that `subject` names, as a short answer and their lines in order; of more than are told
    those that say what was `decided`, where this is asked. None where it names no minutes.

    "About the roof" names whatever minutes have a point that says so, "in the end" the last of them; with "in June", or
    "at the AGM", those that are called so.
    """
    subject, is_last = _IN_THE_END.sub(" ", subject), bool(_IN_THE_END.search(subject))
    about = _ABOUT.search(subject)
    minutes = _meant(kb, subject[: about.start()] + subject[about.end() :] if about else subject)
    if not about and len(minutes) == len(_all_minutes(kb)) > 1:
        return None
    opened = [listing.passages_of_document(kb, one.line.key, limit=PASSAGES).items for one in minutes]
    points = [(passage, text) for passages in opened for passage in passages for text in _points(passage)]
    if about:
        points = [one for one in points if _says_all(one[1], about["thing"])]
    if is_last and points:
        points = [one for one in points if one[0].document == points[-1][0].document]
    if not points:
        return None
    if decided and len(points) > POINTS:
        points = [one for one in points if _DECIDED.search(one[1])] or points
    wanted = frozenset(content_stems(about["thing"])) if about else frozenset[str]()
    lines = [quoted_line(workspace, passage, _part(text, wanted), LONGEST) for passage, text in points[:POINTS]]
    more = [f"- and {len(points) - POINTS:,} more"] if len(points) > POINTS else []
    if about and len(points) == 1:
        return clip(_part(points[0][1], wanted), LONGEST), lines[0]
    titles = dict.fromkeys(passage.title for passage, _ in points[:POINTS])
    return f"Noted in {'; '.join(titles)}", "\n".join([*lines, *more])


def _meant(kb: KnowledgeBase, subject: str) -> list[_Minutes]:
    """The minutes of the day or month that is named, of the last ones, else all, that are called by all other words, by
    day; the AGM is an annual general meeting.
    """
    asked, stems = _month(subject), frozenset(content_stems(subject))
    rest = subject if asked is None else f"{subject[: asked.start]} {subject[asked.end :]}"
    wanted = frozenset(content_stems(rest)) - _MEETING - _LAST
    found = [one for one in _all_minutes(kb, rest) if wanted <= one.called]
    if asked is not None:
        found = [one for one in found if one.day is not None and _is_in(one.day, asked)]
    elif stems & _LAST:
        days = [_order(one)[:3] for one in found if one.day is not None]
        found = [one for one in found if one.day and _order(one)[:3] == max(days)]
    return sorted(found, key=_order)


def _says_all(text: str, thing: str) -> bool:
    """Whether a point says all words of a thing, the last of them as it is."""
    wanted, told = frozenset(content_stems(thing)), [singular(word) for word in words(text)]
    heads = [word for word in words(thing) if content_stems(word)]
    return bool(heads) and wanted <= frozenset(content_stems(text)) and singular(heads[-1]) in told


def _part(text: str, wanted: frozenset[str]) -> str:
    """Of a long point the sentences from the first that says one of the words to the one behind the last."""
    spans = sentence_spans(text)
    told = [at for at, (start, end) in enumerate(spans) if wanted & frozenset(content_stems(text[start:end]))]
    if len(text) <= LONGEST or not told:
        return text
    return text[spans[told[0]][0] : spans[min(told[-1] + 1, len(spans) - 1)][1]].strip()


def _points(passage: Passage) -> Iterator[str]:
    """The items and paragraphs of a passage of minutes, without headings and who was there."""
    for lines in _blocks(passage.text):
        text = one_line(" ".join(lines)).lstrip("-*• ")
        if any(letter.isalnum() for letter in text) and not text.startswith("#") and not _PRESENT.match(text):
            yield text


def _blocks(text: str) -> Iterator[list[str]]:
    """The lines of each item or paragraph: what follows an item's first line belongs to it."""
    block: list[str] = []
    for line in text.splitlines():
        if (not line.strip() or _ITEM.match(line) or (block and block[-1].startswith("#"))) and block:
            yield block
            block = []
        if line.strip():
            block.append(line.strip())
    if block:
        yield block


def _month(text: str) -> Date | None:
    """The one day or month that a text names; None for none and for several."""
    found = [one for one in find_dates(text) if one.month and one.whole]
    if not found:
        found = [Date(*name.span(), name[0], 0, month_number(name[0])) for name in _MONTH.finditer(text)]
    return found[0] if len(found) == 1 else None


def _is_in(day: Date, asked: Date) -> bool:
    """Whether a day is the one asked for, or lies in that month; a year that is not told is any."""
    years = {day.year, asked.year} - {0}
    return day.month == asked.month and len(years) <= 1 and asked.day in (0, day.day)


def _all_minutes(kb: KnowledgeBase, named: str = "") -> list[_Minutes]:
    """Whatever is called minutes, a meeting or by one of the words that are `named`, in its title, its file's name or
    its first line, with the day that it tells first.
    """
    sought = [*_MINUTES, *(word for word in words(named) if content_stems(word))]
    lines = {line.key: line for word in sought for line in listing.list_documents(kb, word, limit=LOOKED_AT).items}
    opening = listing.opening_passages(kb, list(lines))
    known = _MEETING | frozenset(content_stems(named)) - _LAST
    made = [
        _Minutes(lines[key], passage, _day(passage, key), _called(passage, key)) for key, passage in opening.items()
    ]
    return [one for one in made if one.called & known]


def _day(passage: Passage, key: str) -> Date | None:
    """The first day, else the first month, of the title, the file's name or the beginning of minutes."""
    told = [
        date
        for text in (passage.title, key.replace("_", " "), passage.text[:_HEAD])
        for date in find_dates(text) or filter(None, [_month(text)])
        if date.month and date.whole
    ]
    return next((one for one in told if one.day), next(iter(told), None))


def _order(minutes: _Minutes) -> tuple[int, int, int, str]:
    """By day, those without one first."""
    day = minutes.day
    return (day.year, day.month, day.day, minutes.line.key) if day else (0, 0, 0, minutes.line.key)


def _called(passage: Passage, key: str) -> frozenset[str]:
    """The stems of what minutes are called."""
    first = next((line for line in passage.text.splitlines() if line.strip()), "")[:_HEAD]
    called = frozenset(content_stems(f"{passage.title} {' '.join(_JOINTS.split(key))} {first}"))
    return called | frozenset(content_stems("agm")) if called >= _ANNUAL else called
