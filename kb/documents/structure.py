"""What a document's structure says outright: headings, and the `Key: value` lines, table rows and turns below them.

Every reader writes structure the same way (docs/formats.md), so that it is read here from the text alone, whatever
format it came in. A line below a heading speaks of that heading, a row of a table of its first cell, a turn of a talk
of whoever says it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

from kb.documents.task_lines import owned
from kb.name_keys import ticket_of

SECTION_JOINT = " › "
"""What stands between the headings of a path."""

LONGEST_VALUE = 10
"""Words of the longest value that is a name of its own in the graph; of a longer one the names in it are."""

NARROWEST = 40
"""Columns of hard-wrapped text: nobody wraps at less."""

_HEADING = re.compile(r"^(#{1,6}) +(\S.*)$", re.MULTILINE)
_LINE = re.compile(r"^[ \t]*\S.*$", re.MULTILINE)
_STAMP = (
    r"(?:\[(?=[^\]\n]*\d)[^\]\n]{4,30}\]"
    r"|(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:, |T| ))?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?)"
    r"(?: +[-–—])?(?= )"
)
_ITEM = re.compile(rf"[ \t]*(?:(?:[-*+•]|\d{{1,3}}[.)]) +)?(?P<box>\[[ xX]\] +)?(?P<stamp>{_STAMP} *)?")
_STARTS = re.compile(
    rf"[ \t]*(?:(?P<mark>(?:[-*+•‣◦▪–—]|\d{{1,3}}[.)])[ \t]|#{{1,6}} )|{_STAMP}"
    rf"|[^\W_][^:;.!?\n]{{0,40}}:[ \t]+\S|[A-Za-z_]\w{{1,40}} = \S)"
)
PAIR = re.compile(r"(?P<key>[^\W_](?:[^:;|\n.!?]|\.(?=[\w:])){0,40}?):[ \t]+(?P<value>\S.*)")
_CELL = re.compile(r"(?P<key>[^\W_](?:[^:;|\n.!]|[.:](?=[\w:])){0,79}?):[ \t]+(?P<value>\S.*)")
"""A cell of a row behind its header, which may be long, ask or tell a time: "Starts (Mon 10:00): 2 March"."""
_SETTING = re.compile(r"(?P<key>[A-Za-z_]\w{1,40}) = (?P<value>\S.*)")
_SPEAKER = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}")
_FIELDS = frozenset(
    "address, cc, comment, contact, copyright, date, description, email, fax, files, firm, from, id, license, mobile, "
    "name, note, notes, phone, price, status, subject, tel, title, to, url, vat, website".split(", ")
)
"""Keys that nobody is called: records and the heads of mails have them again and again, and are no talk."""
_CONTACT = re.compile(
    r"[ \t]*(?:[-*+•] +)?(?P<name>[^\W_][^\n;|]{0,59}?[^\s;|])(?:[ \t]*+(?P<joint>\.{3,}+|…|[=,–—-])|[ \t])[ \t]*+"
    r"(?:(?:tel|phone|mobile|at night|office|practice)\.?[ \t]++)?+"
    r"(?P<value>(?P<phone>\+?(?=(?:[ ()/-]*\d){7,15}(?!\w))(?:\(\d{1,5}\)|\d{2,6})(?:[ /-]\d{2,8}){1,4})"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)(?![\w-])"
)
_NO_NAME = re.compile(r"[^\W\d_]{3}[.!?] +[A-Z]|:\s*$")
_ATTENDANCE = re.compile(
    r"(?:(?<=[.;] )|(?<=[-*•] )|^)(?P<key>(?i:Present|Attending|Attendance|Attendees|In attendance|Apologies"
    r"|Apols|Regrets|Absent|Sorry|Excused)(?=:|(?<=s) [A-Z]))(?::[ \t]*| )"
    r"(?P<value>[^.;:\n()]*(?:\([^()\n]{0,20}\)[^.;:\n()]*)*)",
    re.MULTILINE,
)
"""Who was at a meeting and who was not, which stand in one line: "Present: Ann, Bo (chair). Apologies Cy (ill)."."""
_DATED = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|[12]\d{3}[ -][12]\d{3}$")
_GENERAL = frozenset(
    "about, action items, actions, at a glance, background, basics, checklist, contact, contacts, data, details, "
    "facts, general, info, information, key data, key facts, links, meta, next steps, notes, overview, properties, "
    "status, summary, tasks, to do, to-do, todo".split(", ")
)
"""Headings that speak of what stands above them."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a line says of its subject: text[start:end] is the value."""

    relation: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text[start:end] that speaks of `subject`.

    `key` is where the first cell of a "row" stands, whoever is to do a "task" (empty where it names nobody), the
    speaker of a "turn", or the name of a "pair"; `relations` are where the words stand that name relations. A turn, or
    an entry that has sentences, has no values: what is said in it is prose, from the end of its key on. `is_said` tells
    the first from the second.
    """

    kind: Literal["pair", "row", "turn", "task"]
    start: int
    end: int
    subject: str
    key: tuple[int, int]
    values: tuple[Value, ...] = ()
    relations: tuple[tuple[int, int], ...] = ()
    is_said: bool = False


class Outline:
    """Which headings stand above each place of a text; `above` are those above the text itself, whose levels nobody
    knows: each one's is at least its place among them, so that a heading of the text ends what it surely ends, no more.
    """

    def __init__(self, text: str, above: tuple[str, ...] = ()) -> None:
        self._starts: list[int] = []
        self._paths: list[tuple[str, ...]] = [above]
        self._above: dict[int, tuple[str, ...]] = {}
        levels = list(range(1, len(above) + 1))
        path = list(above)
        for found in _HEADING.finditer(text):
            level = len(found[1])
            while levels and levels[-1] >= level:
                levels.pop()
                path.pop()
            self._above[found.start()] = tuple(path)
            levels.append(level)
            path.append(found[2].strip())
            self._starts.append(found.start())
            self._paths.append(tuple(path))

    def path(self, offset: int) -> tuple[str, ...]:
        """The headings above `offset`, outermost first; a heading is not above itself."""
        if offset in self._above:
            return self._above[offset]
        return self._paths[bisect_right(self._starts, offset)]

    @property
    def headings(self) -> tuple[str, ...]:
        """Every heading that stands above something, each once."""
        return tuple(dict.fromkeys(one for path in self._paths for one in path))

    @cached_property
    def longest(self) -> list[tuple[str, ...]]:
        """The three paths with the most characters."""
        return sorted(set(self._paths), key=lambda path: (-len(section(path)), path))[:3]


def section(path: tuple[str, ...]) -> str:
    """A path of headings in one line, "" for none."""
    return SECTION_JOINT.join(path)


def path_of(section: str) -> tuple[str, ...]:
    """The headings of a path that `section` has put in one line."""
    return tuple(section.split(SECTION_JOINT)) if section else ()


def starts_line(text: str, at: int = 0) -> bool:
    """Whether a list item, a heading, a `Key: value` line or a turn starts at `at`: it does not run on from before.

    What looks like a key or a time may stand there as prose is wrapped. It counts at the beginning, behind a blank
    line, the end of a sentence or a line too short to be wrapped, and beside another line that looks like it.
    """
    found = _STARTS.match(text, at)
    if found is None or found["mark"] or at == 0:
        return found is not None
    start = text.rfind("\n", 0, at - 1) + 1
    before = text[start : at - 1].strip()
    if not before or before.endswith((".", "!", "?", ":", "。")) or _STARTS.match(text, start):
        return True
    following = text.find("\n", at) + 1
    if following and _STARTS.match(text, following):
        return True
    return len(before) < NARROWEST and text[at : found.end()].lstrip()[:1].isupper()


def is_heading(text: str) -> bool:
    """Whether a line is a heading."""
    return _HEADING.match(text) is not None


def structured_lines(title: str, text: str, above: tuple[str, ...] = ()) -> list[Line]:
    """The lines of `text` that structure gives a subject, in order; `above` are the headings above the text.

    The subject of a pair is the nearest heading that is not a general one ("Details"), else `title`. Linear in the
    length of the text. [] for running text.
    """
    outline = Outline(text, above)
    found = [(match, outline.path(match.start())) for match in _LINE.finditer(text) if match[0][:1] != "#"]
    talks = _talks(found)
    contacts = _contacts(text, [match for match, _ in found])
    lines: list[Line] = []
    for match, path in found:
        talk = talks.get(path, range(0))
        line = contacts.get(match.start()) or _line(title, text, match, path, is_talk=match.start() in talk)
        if line is not None:
            lines.append(line)
        elif lines and lines[-1].kind == "turn" and lines[-1].start in talk and lines[-1].end + 1 == match.start():
            lines[-1] = replace(lines[-1], end=match.end())  # a turn runs on until a blank line
    return lines


@lru_cache(maxsize=1)  # asked for each passage of a document, one after another
def speakers(text: str) -> tuple[str, ...]:
    """All who talk in a document's text, in order; () for what is no talk."""
    return tuple(dict.fromkeys(line.subject for line in structured_lines("", text) if line.is_said))


def _line(title: str, text: str, match: re.Match[str], path: tuple[str, ...], *, is_talk: bool) -> Line | None:
    item = _ITEM.match(text, match.start(), match.end())
    assert item is not None, "the pattern matches the empty text"
    pair = PAIR.match(text, item.end(), match.end())
    if (is_talk or item["stamp"]) and pair is not None and _SPEAKER.fullmatch(pair["key"]):
        return Line("turn", match.start(), match.end(), pair["key"], pair.span("key"), is_said=True)
    if attendance := _attendance(title, text, item.end(), match, path):
        return attendance
    if row := _row(text, item.end(), match):
        return row
    if item["box"]:
        return _task(title, text, item, match, path)
    pair = pair or _SETTING.match(text, item.end(), match.end())
    if pair is None or _is_clause(pair["key"]):
        return None
    if _SENTENCE_BREAK.search(pair["value"]):  # an entry of a glossary or of a list of people, in sentences
        is_general = pair["key"].casefold() in _GENERAL
        return None if is_general else Line("turn", match.start(), match.end(), pair["key"], pair.span("key"))
    values = _values(text, pair["key"].strip(), pair.start("value"), match.end())
    key = pair.span("key")
    return Line("pair", match.start(), match.end(), _subject(title, path), key, values, (key,))


def _attendance(title: str, text: str, start: int, match: re.Match[str], path: tuple[str, ...]) -> Line | None:
    """Who was there and who was not, where one line tells both; None for a line that tells one or neither."""
    if not _ATTENDANCE.match(text, start, match.end()):
        return None
    told = [one for one in _ATTENDANCE.finditer(text, start, match.end()) if one["value"].strip()]
    if len(told) < 2:
        return None
    found = [value for one in told for value in _values(text, one["key"], *_stripped(text, *one.span("value")))]
    ends = [text.find(" (", one.start, one.end) for one in found]  # "Ros (chair)" is Ros
    values = tuple(replace(one, end=end) if end > 0 else one for one, end in zip(found, ends, strict=True))
    keys = tuple(one.span("key") for one in told)
    return Line("pair", match.start(), match.end(), _subject(title, path), keys[0], values, keys)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch without the space around it."""
    stretch = text[start:end]
    return start + len(stretch) - len(stretch.lstrip()), start + len(stretch.rstrip())


def _task(title: str, text: str, item: re.Match[str], match: re.Match[str], path: tuple[str, ...]) -> Line | None:
    """An item with a box, of whoever is named in it, else of what the list stands below; None for one in sentences
    that names nobody.
    """
    start, end = item.end(), match.end()
    found = owned(text, start, end)
    key, task = (found.key, found.task) if found else ((start, start), (start, end))
    if _SENTENCE_BREAK.search(text, *task):
        return Line("turn", match.start(), end, found.name, key) if found and key[0] < task[0] else None
    values = _values(text, "to do" if item["box"].startswith("[ ") else "done", *task)
    return Line("task", match.start(), end, found.name if found else _subject(title, path), key, values)


def _contacts(text: str, lines: Sequence[re.Match[str]]) -> dict[int, Line]:
    """The lines of lists of names with telephone numbers or addresses, by where they start.

    One line alone is no list, unless dots lead from the name to the number: prose names numbers too.
    """
    found: list[tuple[int, re.Match[str]]] = []
    for place, line in enumerate(lines):
        if match := _contact(text, line.start(), line.end()):
            found.append((place, match))
    places = {place for place, _ in found}
    made = {}
    for place, match in found:
        if (match["joint"] or " ")[0] in ".…" or {place - 1, place + 1} & places:
            relation = "phone number" if match["phone"] else "email address"
            line = lines[place]
            value = Value(relation, *match.span("value"))
            made[line.start()] = Line(
                "row", line.start(), line.end(), match["name"].strip(" ,-–—"), match.span("name"), (value,)
            )
    return made


def is_contact(line: str) -> bool:
    """Whether a line ends a name with a telephone number or an address."""
    return _contact(line, 0, len(line)) is not None


def _contact(text: str, start: int, end: int) -> re.Match[str] | None:
    match = _CONTACT.match(text, start, end)
    return match if match and not _DATED.match(match["value"]) and not _NO_NAME.search(match["name"]) else None


_PRONOUNS = frozenset("i you he she it we they this that there".split())
_SENTENCE_BREAK = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bSt)(?<!\bMrs)(?<!\bProf)(?<!\bRev)[.!?] +[A-Z]")


def _is_clause(key: str) -> bool:
    """Whether what stands before a colon is the beginning of a sentence rather than a name."""
    words = key.split()
    return len(words) > 6 or words[0].casefold() in _PRONOUNS


def _subject(title: str, path: tuple[str, ...]) -> str:
    return next((one for one in reversed(path) if one.rstrip(":").casefold() not in _GENERAL), title)


def _row(text: str, start: int, match: re.Match[str]) -> Line | None:
    """A line of cells that are told apart by semicolons and named by their header."""
    cells, relations = [], []
    for part in re.finditer(r"[^;]+", text[start : match.end()]):
        at = start + part.end() - len(part[0].lstrip())
        end = start + len(text[start : start + part.end()].rstrip())
        pair = _CELL.fullmatch(text, at, end)
        cells.append((pair["key"] if pair else "", pair.start("value") if pair else at, end))
        if pair:
            relations.append(pair.span("key"))
    if len(cells) < 2 or not all(name for name, _, _ in cells[1:]):
        return None
    (_, first, last), *others = cells
    values = tuple(one for name, at, end in others for one in _values(text, name, at, end))
    subject = text[first:last]
    if not subject:
        return None
    return Line("row", match.start(), match.end(), subject, (first, last), values, tuple(relations))


_APART = re.compile(r", (?:and )?| and ")


def _values(text: str, relation: str, start: int, end: int) -> tuple[Value, ...]:
    """The value, or its parts where it is a list of names."""
    value = text[start:end].rstrip(" \t.")
    value = value.removesuffix(")") if ")" in value and "(" not in value else value
    end = start + len(value)
    parts, at = [], start
    for joint in [*_APART.finditer(text, start, end), None]:
        stop = joint.start() if joint else end
        parts.append((at, stop))
        at = joint.end() if joint else end
    if len(parts) > 1 and all(text[a:b][:1].isupper() and len(text[a:b].split()) <= 4 for a, b in parts):
        return tuple(Value(relation, a, b) for a, b in parts)
    return (Value(relation, start, end),) if start < end else ()


def _talks(found: list[tuple[re.Match[str], tuple[str, ...]]]) -> dict[tuple[str, ...], range]:
    """The sections in which `Name: text` lines are turns, and from where to where they are: the same few names come
    again and again, one after another, in the whole section or, in sentences, in a part of it.

    A record that names the same thing many times in a row ("Tag: a", "Tag: b", …) is no talk.
    """
    sections: dict[tuple[str, ...], list[re.Match[str]]] = {}
    for match, path in found:
        pair = PAIR.match(match.string, match.start(), match.end())
        is_name = pair and _SPEAKER.fullmatch(pair["key"]) and pair["key"].casefold() not in _FIELDS
        if pair and is_name and pair["key"][:1].isupper():
            sections.setdefault(path, []).append(pair)
    talks = {path: _talk(pairs) for path, pairs in sections.items()}
    return {path: talk for path, talk in talks.items() if talk}


def _talk(pairs: Sequence[re.Match[str]]) -> range:
    """From where to where the pairs of a section are turns, empty where none are."""
    if _take_turns([pair["key"] for pair in pairs]):
        return range(sys.maxsize)
    counts = Counter(pair["key"] for pair in pairs)
    again = [number for number, pair in enumerate(pairs) if counts[pair["key"]] > 1]
    part = pairs[again[0] : again[-1] + 1] if again else []
    told = sum(pair["value"].rstrip().endswith((".", "!", "?", "…")) for pair in part)
    if 2 * told <= len(part) or not _take_turns([pair["key"] for pair in part]):
        return range(0)
    return range(part[0].start(), part[-1].end())


def _take_turns(names: Sequence[str]) -> bool:
    distinct, changes = len({*names}), sum(one != other for one, other in pairwise(names))
    return len(names) >= 3 and len(names) >= 1.5 * distinct and changes >= distinct


def heading_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the words of each heading stand."""
    return (match.span(2) for match in _HEADING.finditer(text))


_FULL_NAME = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)?(?: [^\W\d_]\.)?(?: [^\W\d_]+(?:[-'’][^\W\d_]+)?){1,2}")


# Words that begin the names of places, of which none is a person's first name.
_OF_PLACES = frozenset(
    "bad cape costa east el fort great la las le los mount new north port puerto rio saint san sankt santa santo south "
    "st the united upper west".split()
)


def full_names(text: str, lines: Sequence[Line]) -> list[str]:
    """Names of two or three capitalised words that structure sets apart: "Lead: Ana Souza", a speaker, a first cell.

    Those are left out whose first word begins the names of places, or stands in lower case somewhere in the text.
    """
    places = [line.key for line in lines] + [(value.start, value.end) for line in lines for value in line.values]
    names = dict.fromkeys(text[start:end].strip() for start, end in places)
    full = [name for name in names if _FULL_NAME.fullmatch(name) and all(word[0].isupper() for word in name.split())]
    plain = _OF_PLACES | ({word for word in re.findall(r"[^\W\d_]+", text) if word.islower()} if full else set())
    return [name for name in full if name.split()[0].lower() not in plain]


def ticketed_names(title: str, text: str, lines: Sequence[Line]) -> list[tuple[str, str]]:
    """Ticket ids with the names that begin with them: the title, headings, and what rows, turns and tasks are about."""
    names = [title, *(text[start:end] for start, end in heading_spans(text))]
    names += [line.subject for line in lines if line.kind != "pair"]
    return [(ticket, name.strip()) for name in dict.fromkeys(names) if (ticket := ticket_of(name.strip()))]
