"""Who is to do what, in a list's item with a box: "Ana: order flour", "order flour (Ana)", "@ana order flour"."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from kb.name_keys import name_of_handle

_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
_NAME = r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}"
_CALLED = r"(?:owner|assignee|assigned to)(?::\s*|\s+)"
_IN_FRONT = re.compile(
    rf"(?:{_DATE}[:,]?\s+)?(?P<called>(?i:{_CALLED}))?"
    rf"(?:(?P<name>{_NAME})(?:(?P<colon>:)\s+|\s+[-–—]\s+)|(?P<handle>@[^\W\d_][\w.-]*(?<![.-]))(?::|\s+[-–—])?\s+)(?=\S)"
)
_IN_BRACKETS = re.compile(rf"\((?P<called>(?i:{_CALLED}))?(?P<name>@?{_NAME})(?:,[^()]*)?\)(?=\s*(?:[,.;]|$))")
_FULL = r"[^\W\d_][\w'’-]+(?: [^\W\d_][\w.'’-]*){1,2}"
_KNOWN = re.compile(
    rf"\[[ xX]\][ \t]+(?:{_DATE}[:,]?\s+)?(?P<owner>[^\W\d_][\w'’-]+):\s"
    rf"|(?<![\w@/.])@(?P<handle>[^\W\d_][\w.-]*)"
    rf"|\b(?i:{_CALLED})(?P<called>[^\W\d_][\w'’-]+)"
    rf"|(?:^[ \t]*(?:[-*+] )?|[:,;|(] ?)(?P<full>{_FULL})(?=[ \t]*(?:$|[,;:|)]))",
    re.MULTILINE,
)
_SPEAKS = re.compile(r"^[ \t]*(?:\[[^\]\n]{4,30}\] |\d\d?:\d\d )?([^\W\d_][\w'’-]+): +\S", re.MULTILINE)
_TIMES = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday today tomorrow".split()
)


@dataclass(frozen=True, slots=True)
class Owned:
    """A task with the name of whoever is to do it, where that stands, and where the words of the task do."""

    name: str
    key: tuple[int, int]
    task: tuple[int, int]


def owned(text: str, start: int, end: int) -> Owned | None:
    """The task in text[start:end], which stands behind its box; None where it names nobody."""
    front = _IN_FRONT.match(text, start, end)
    brackets = [
        one for one in _IN_BRACKETS.finditer(text, start, end) if _is_somebody(text, one["name"], one["called"])
    ]
    if brackets and (brackets[-1]["called"] or front is None):
        return _owned(text, brackets[-1], "name", (start, brackets[-1].start()))
    if front is None:
        return None
    name = "name" if front["name"] else "handle"
    is_said = front["called"] or front["colon"]
    is_owned = _is_name(front[name], is_alone=True) if is_said else _is_somebody(text, front[name], None)
    return _owned(text, front, name, (front.end(), end)) if is_owned else None


def _owned(text: str, found: re.Match[str], group: str, task: tuple[int, int]) -> Owned | None:
    at, end = found.span(group)
    at += text.startswith("@", at)
    name = name_of_handle(text[at:end]) if text[at - 1] == "@" else text[at:end]
    return Owned(name, (at, end), task) if task[0] < task[1] else None


def _is_somebody(text: str, words: str, called: str | None) -> bool:
    """Whether these are somebody's name though they may be any other remark: "(Lisbon)", "(Draft)", "Cleanup - "."""
    if not _is_name(words, is_alone=False):
        return False
    return bool(called) or words[0] == "@" or " " in words or words.casefold() in _first_names(text)


@lru_cache(maxsize=1)  # asked for each task of a text, one after another
def _first_names(text: str) -> frozenset[str]:
    """First names of those who own a task, talk, or have a full name that stands by itself, in a text."""
    keys = Counter(one[1] for one in _SPEAKS.finditer(text))
    names = {key for key, count in keys.items() if count > 1}
    for found in _KNOWN.finditer(text):
        if found["handle"]:
            names.add(name_of_handle(found["handle"]).split()[0])
        elif not found["full"]:
            names.add(found["owner"] or found["called"])
        elif all(word[0].isupper() for word in found["full"].split()):
            names.add(found["full"].split()[0])
    return frozenset(one.casefold() for one in names if one[0].isupper())


def _is_name(words: str, *, is_alone: bool) -> bool:
    """Whether these may be the words of a name: a handle, capitalised words, or one word that stands `is_alone`."""
    parts = words.removeprefix("@").split()
    is_written = words[0] == "@" or all(one[0].isupper() for one in parts) or (is_alone and len(parts) == 1)
    return is_written and parts[0].casefold() not in _TIMES
