"""What was decided or discussed at a meeting: its minutes are found by their day, and their points told in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.agent.offline.about_base.diary import quoted_line
from assistant.agent.offline.about_base.quoting import QUOTED, one_line
from assistant.agent.workspace import Workspace
from kb.documents.plaintext import MONTHS
from kb.records import Passage
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from kb.store.listing import DocumentLine
from tools.answer_rules.text import content_stems, sentence_spans
from tools.answer_rules.values import Date, find_dates

POINTS = 12
"""Points of a meeting that are told; more are counted."""
PASSAGES = 12
"""Passages of the longest minutes that are told."""
LOOKED_AT = 200
"""Minutes that are looked through for those that are meant."""
_HEAD = 300
"""Characters at the beginning of minutes in which their day may stand."""
_MINUTES = ("minutes", "meeting")
"""What minutes are called, in their title, their file's name or their text."""
_MEETING = frozenset(content_stems("minutes meeting session assembly agm call agenda notes note"))
_LAST = frozenset(content_stems("last latest previous recent most"))
_JOINTS = re.compile(r"[_\W]+")
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
_NUMBERS = {name.lower(): number for number, name in enumerate(MONTHS, 1)}


@dataclass(frozen=True, slots=True)
class _Minutes:
    line: DocumentLine
    opening: Passage
    day: Date | None


def is_of_meeting(subject: str) -> bool:
    """Whether minutes may be meant: a day, a month or "the last meeting" stands in it."""
    stems = frozenset(content_stems(subject))
    return bool(_month(subject) or (stems & _MEETING and stems & _LAST))


def minutes_of(kb: KnowledgeBase, subject: str) -> list[str]:
    """The keys of the documents that are minutes of the day or the month that `subject` names and of what else it says
    ("the June meeting of the committee"), or the last ones that there are; [] where none are.
    """
    if not is_of_meeting(subject):
        return []
    asked = _month(subject)
    rest = subject if asked is None else f"{subject[: asked.start]} {subject[asked.end :]}"
    wanted = frozenset(content_stems(rest)) - _MEETING - _LAST
    found = [one for one in _all_minutes(kb) if wanted <= _called(one)]
    if asked is not None:
        return [one.line.key for one in found if one.day is not None and _is_in(one.day, asked)]
    days = [(one.day.year, one.day.month, one.day.day) for one in found if one.day is not None]
    return [one.line.key for one in found if one.day and (one.day.year, one.day.month, one.day.day) == max(days)]


def told_of_meeting(kb: KnowledgeBase, workspace: Workspace, subject: str, *, decided: bool) -> tuple[str, str] | None:
    """The points of the minutes that `subject` names, as a short answer and their lines in order; of more than are told
    those that say what was `decided`, where this is asked. None where it names no minutes.

    "About the roof" names whatever minutes have a point that says so; with "in June", those of that month.
    """
    about = _ABOUT.search(subject)
    of_meeting = subject[: about.start()] + subject[about.end() :] if about else subject
    if about and not is_of_meeting(of_meeting):
        keys = [one.line.key for one in sorted(_all_minutes(kb), key=_order)]
    else:
        keys = minutes_of(kb, of_meeting)
    opened = [listing.passages_of_document(kb, key, limit=PASSAGES).items for key in keys]
    points = [(passage, text) for passages in opened for passage in passages for text in _points(passage)]
    if about:
        points = _about(points, frozenset(content_stems(about["thing"])))
    if not points:
        return None
    if decided and len(points) > POINTS:
        points = [one for one in points if _DECIDED.search(one[1])] or points
    lines = [quoted_line(workspace, passage, text) for passage, text in points[:POINTS]]
    more = [f"- and {len(points) - POINTS:,} more"] if len(points) > POINTS else []
    titles = dict.fromkeys(passage.title for passage, _ in points[:POINTS])
    return f"Noted in {'; '.join(titles)}", "\n".join([*lines, *more])


def _about(points: Sequence[tuple[Passage, str]], wanted: frozenset[str]) -> list[tuple[Passage, str]]:
    """The points that say most of the words, at least half of them."""
    said = [len(wanted & frozenset(content_stems(text))) for _, text in points]
    most = max(said, default=0)
    best = [one for one, count in zip(points, said, strict=True) if count == most and 2 * count >= len(wanted) > 0]
    return [(passage, _part(text, wanted)) for passage, text in best]


def _part(text: str, wanted: frozenset[str]) -> str:
    """Of a long point the sentences from the first that says one of the words to the one behind the last."""
    spans = sentence_spans(text)
    told = [at for at, (start, end) in enumerate(spans) if wanted & frozenset(content_stems(text[start:end]))]
    if len(text) <= QUOTED or not told:
        return text
    return text[spans[told[0]][0] : spans[min(told[-1] + 1, len(spans) - 1)][1]].strip()


def _points(passage: Passage) -> Iterator[str]:
    """The lines of a passage of minutes, without headings and who was there."""
    for line in passage.text.splitlines():
        text = one_line(line).lstrip("-*• ")
        if any(letter.isalnum() for letter in text) and not text.startswith("#") and not _PRESENT.match(text):
            yield text


def _month(text: str) -> Date | None:
    """The one day or month that a text names; None for none and for several."""
    found = [one for one in find_dates(text) if one.month and one.whole]
    if not found:
        alone = [(name.start(), name.end(), name[0]) for name in _MONTH.finditer(text)]
        found = [Date(start, end, name, 0, _NUMBERS[name.lower()]) for start, end, name in alone]
    return found[0] if len(found) == 1 else None


def _is_in(day: Date, asked: Date) -> bool:
    """Whether a day is the one asked for, or lies in that month; a year that is not told is any."""
    years = {day.year, asked.year} - {0}
    return day.month == asked.month and len(years) <= 1 and asked.day in (0, day.day)


def _all_minutes(kb: KnowledgeBase) -> list[_Minutes]:
    """Whatever has the word in its title, its file's name or its first lines, with the day that it tells first."""
    lines = {line.key: line for word in _MINUTES for line in listing.list_documents(kb, word, limit=LOOKED_AT).items}
    opening = listing.opening_passages(kb, list(lines))
    made = []
    for key, line in lines.items():
        if (passage := opening.get(key)) is None:
            continue
        names = f"{passage.title} {' '.join(_JOINTS.split(key))}"
        if frozenset(content_stems(f"{names} {passage.text[:_HEAD]}")) & frozenset(content_stems("minutes meeting")):
            made.append(_Minutes(line, passage, _day(passage, key)))
    return made


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


def _called(minutes: _Minutes) -> frozenset[str]:
    names = f"{minutes.opening.title} {' '.join(_JOINTS.split(minutes.line.key))} {minutes.opening.text[:_HEAD]}"
    return frozenset(content_stems(names))
