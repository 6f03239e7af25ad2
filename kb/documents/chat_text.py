"""Chats in plain text: copied out, or exported by a messenger. They are told by what is in the file, not by its name.

Every chat becomes the same text: a heading for each day, and below it a line for each turn, `[09:13] Ana: words`, so
that a passage knows its day from the heading above and its speakers from its lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from kb.documents.plaintext import MONTHS, Block, Content, day_in_words, decode, heading, joined, one_line, tidy
from kb.documents.structure import is_heading
from kb.documents.text_files import read_text

MOST_NAMED = 20
"""Speakers up to which a chat names all of them at its top; of a larger group the list says little."""

_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTH = rf"(?:{'|'.join(f'{month[:3]}(?:{month[3:]})?' for month in MONTHS)})"
_WEEKDAY = r"(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?)"
_DAY = (
    rf"(?:{_WEEKDAY},? )?(?:(?P<a>\d{{1,4}})(?P<joint>[-/.])(?P<b>\d{{1,2}})(?P=joint)(?P<c>\d{{2,4}})"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?(?P<month>{_MONTH})\.?,? (?P<year>\d{{4}})"
    rf"|(?P<month2>{_MONTH})\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year2>\d{{4}}))"
)
_TIME = (
    r"(?P<hour>\d{1,2})(?(joint)[:.]|:)(?P<minute>[0-5]\d)(?:[:.][0-5]\d(?:[.,]\d{1,6})?)?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?(?:Z|\s?[+-]\d\d:?\d\d)?"
)
_STAMPED = re.compile(rf"[\[(]?(?:{_DAY}(?:,\s?| at |T|\s))?{_TIME}[\])]?(?:\s[-–—])?\s(?P<said>.*)", re.IGNORECASE)
_SAID = re.compile(r"(?:<(?P<nick>[^<>\n]{1,40})>|(?P<who>[~+(]?\s?\w[^:<>\"“”\n]{0,50}):)(?:\s(?P<words>.*)|$)")
_DAY_ALONE = re.compile(rf"[-=–—*#\s\[(]{{0,12}}{_DAY}[-=–—*:\s\])]{{0,12}}", re.IGNORECASE)
_UNDIRECTED = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # what phones put around names and times
_MEDIA = re.compile(
    r"<[^<>]{0,30}(?:omitted|weggelassen|omis|omitido|omesso)[^<>]{0,10}>|.{0,20} omitted", re.IGNORECASE
)
_NOTICE = re.compile(r"(?i)messages (?:and calls|to this chat|you send).{0,60}end-to-end encrypt")
_TURN = re.compile(r"[^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,3}: +\S")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one says: "" as `speaker` is the messenger itself. `time` is "09:13" or ""; no `day` is that of before."""

    day: date | None
    time: str
    speaker: str
    words: str


def read_txt(data: bytes) -> Content:
    """Plain text, or a chat where most of its lines are turns with a time. The title of a chat is what stands above it.

    Raises Unreadable as `read_text` does.
    """
    text = tidy(_UNDIRECTED.sub("", decode(data)))
    if chat := _from_lines(text.split("\n")):
        return chat
    content = read_text(_with_day_headings(text).encode())
    opens = not content.text.startswith("# ") and (_TURN.match(content.title) is not None or is_heading(content.title))
    return Content("", content.text) if opens else content


def _from_lines(lines: Sequence[str]) -> Content | None:
    """The chat that the lines are; None where they are not."""
    stamped = [_STAMPED.fullmatch(line.strip()) for line in lines]
    said = [_SAID.fullmatch(found["said"]) for found in stamped if found]
    turns = sum(one is not None for one in said)
    first = next((number for number, found in enumerate(stamped) if found), 0)
    if turns < 3 or 2 * (len(said) + _count_days(lines)) < sum(bool(line.strip()) for line in lines):
        return None
    days = _Days(found for found in stamped if found)
    dated = all(found["a"] or found["day"] or found["day2"] for found in stamped if found)
    while first and _DAY_ALONE.fullmatch(lines[first - 1].strip() or "-"):
        first -= 1
    top = read_text("\n".join(lines[:first]).encode()) if any(map(str.strip, lines[:first])) else Content("", "")
    title = top.title or (top.text if "\n" not in top.text and len(top.text) <= 120 else "")
    text = chat_text(_turns(lines[first:], stamped[first:], days, dated=dated))
    return Content(title, f"{top.text}\n\n{text}" if top.text and top.text != title else text)


def _count_days(lines: Iterable[str]) -> int:
    return sum(_DAY_ALONE.fullmatch(line) is not None for line in lines if line.strip())


def _turns(
    lines: Sequence[str], stamped: Sequence[re.Match[str] | None], days: _Days, *, dated: bool
) -> Iterator[Turn]:
    """Turns, each with the lines that it runs on in: up to a blank one, or to the next turn where all are `dated`."""
    waiting: list[str] = []
    day, time, speaker = None, "", ""
    for line, found in zip(lines, stamped, strict=True):
        alone = None if found else _DAY_ALONE.fullmatch(line.strip())
        if found is None and alone is None and (line.strip() or dated):
            waiting.append(line)
            continue
        yield Turn(day, time, speaker, one_line(" ".join(waiting)))
        waiting, day, time, speaker = [], None, "", ""
        if alone is not None:
            day = days.of(alone)
        if found is not None:
            said = _SAID.fullmatch(found["said"])
            day, time = days.of(found), _time(found)
            speaker = (said["nick"] or said["who"]) if said else ""
            waiting = [(said["words"] or "") if said else found["said"]]
    yield Turn(day, time, speaker, one_line(" ".join(waiting)))


class _Days:
    """Days as one file writes them: whether the day or the month comes first shows in all of its dates together."""

    def __init__(self, found: Iterable[re.Match[str]]) -> None:
        dates = [(int(one["a"]), int(one["b"]), one["joint"], bool(one["half"])) for one in found if one["a"]]
        self._month_first = False
        if any(second > 12 for _, second, _, _ in dates):
            self._month_first = True
        elif not any(first > 12 for first, _, _, _ in dates):
            falls = [sum(b < a for a, b in pairwise(order)) for order in
                     ([(second, first) for first, second, _, _ in dates], [one[:2] for one in dates])]  # fmt: skip
            american = any(joint == "/" and half for _, _, joint, half in dates)
            self._month_first = falls[1] < falls[0] or (falls[0] == falls[1] and american)

    def of(self, found: re.Match[str]) -> date | None:
        """The day of a stamp or of a line; None where it has none, or one that no calendar has."""
        if found["a"]:
            parts = [int(found[name]) for name in "abc"]
            if len(found["a"]) > 2:
                year, month, day = parts
            else:
                day, month, year = (parts[1], parts[0], parts[2]) if self._month_first else parts
            year += 2000 if year < 100 else 0
        elif found["day"] or found["day2"]:
            name = (found["month"] or found["month2"])[:3].casefold()
            month = [one[:3].casefold() for one in MONTHS].index(name) + 1
            day, year = int(found["day"] or found["day2"]), int(found["year"] or found["year2"])
        else:
            return None
        try:
            return date(year, month, day)
        except ValueError:
            return None


def _time(found: re.Match[str]) -> str:
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"] in "pP" else 0)
    return f"{hour:02}:{found['minute']}"


def _with_day_headings(text: str) -> str:
    """A line that is a date alone is a heading where a turn without a time stands below it."""
    lines = text.split("\n")
    below = False
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number].strip()
        if below and (found := _DAY_ALONE.fullmatch(line)) and (day := _Days([]).of(found)):
            lines[number] = f"## {written(day)}\n"
        if line:
            below = _TURN.match(line) is not None
    return tidy("\n".join(lines))


def written(day: date) -> str:
    """A day in words, "Sunday 12 May 2024"."""
    return f"{_WEEKDAYS[day.weekday()]} {day_in_words(day)}"


def chat_text(turns: Iterable[Turn]) -> str:
    """Turns as text, below a heading of the second level for each day; the speakers are named first. "" for none."""
    blocks: list[Block] = []
    speakers: dict[str, None] = {}
    latest: date | None = None
    for turn in turns:
        if turn.day is not None and turn.day != latest:
            latest = turn.day
            blocks.append(heading(2, written(turn.day)))
        words = one_line(turn.words)
        if not words or _MEDIA.fullmatch(words) or (not turn.speaker and _NOTICE.search(words)):
            continue
        speaker = _speaker(turn.speaker)
        speakers |= {speaker: None} if speaker else {}
        time = f"[{turn.time}] " if turn.time else ""
        blocks.append(Block(f"{time}{speaker}: {words}" if speaker else f"{time}{words}", "row"))
    if 1 < len(speakers) <= MOST_NAMED:
        blocks.insert(0, Block(f"Participants: {', '.join(speakers)}"))
    return joined(blocks) if speakers else ""


def _speaker(name: str) -> str:
    """A name as turns are told by: letters, of four words at most, without brackets and pictures."""
    words = re.findall(r"[^\W\d_][\w.'’-]*", re.sub(r"[(\[][^()\[\]]*[)\]]", " ", name))
    return " ".join(words[:4]).rstrip(".") or one_line(name).strip("~ :")
