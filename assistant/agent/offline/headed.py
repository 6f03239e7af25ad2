"""Passages of the day, month or release that a question names, which titles and headings have: those of diaries,
minutes and talks, and of the NEWS of a program; and those with a record of what it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kb.documents.plaintext import MONTHS
from kb.records import Passage
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.dated_entries import VERSION
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import Date, find_dates
from tools.planning.plan import Plan, is_name
from tools.reading.times import day_of

MOST = 4
"""Passages read of a day, month or release that is named."""

LOOKED_AT = 400
"""Passages looked at that have the day or release in their title or text: one that more have tells none apart."""

RECORDS = 3
"""Passages read with a record of what a question names; where more have one, none is read for that."""

SMALL = 10_000
"""Passages of a file up to which records are looked for by the names that they begin with."""

_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)


def passages_of_day(kb: KnowledgeBase, question: str) -> list[Passage]:
    """The passages of the first day, or month of a year, that a question names, those first that say most else of it;
    [] where it names none, or no passage is of that time. "What did Ada cook on 6 May 2022?" is told in the talk of
    that day, which need not say so.
    """
    named = next((one for one in find_dates(question) if one.month and one.year > 0), None)
    if named is None:
        return []
    found = listing.passages_saying(kb, _ways(named), limit=LOOKED_AT)
    of_day = [one for one in found if _is_of(named, one)] if len(found) < LOOKED_AT else []
    return _saying_most(question, named.text, of_day)


def passages_titled_by(kb: KnowledgeBase, day: Date) -> list[Passage]:
    """The passages of all documents whose title tells a day, in their order; where no year is told, of each year."""
    month = MONTHS[day.month - 1]
    ways = _ways(day) if day.year else [f"{day.day} {month}", f"{month} {day.day}", f"{day.month:02}-{day.day:02}"]
    found = listing.passages_saying(kb, ways, opening=True, limit=LOOKED_AT)
    keys = dict.fromkeys(one.document for one in found if _is_of(day, one))
    return [passage for key in keys for passage in kb.document_passages(key)]


def passages_of_release(kb: KnowledgeBase, question: str) -> list[Passage]:
    """The passages with a heading of the release that a question names, those first that say most else of it; [] where
    it names none. "What changed in diffutils 3.7?" is told below one of twenty such headings.
    """
    named = VERSION.search(question)
    if named is None:
        return []
    version = named[0].lstrip("vV")
    written = re.compile(rf"(?<![\w.])[vV]?{re.escape(version)}(?![\w.]*\w)")
    found = listing.passages_saying(kb, [version, f"v{version}"], limit=LOOKED_AT)
    headed = [one for one in found if any(map(written.search, (one.section, *_HEADING.findall(one.text))))]
    return _saying_most(question, named[0], headed) if len(found) < LOOKED_AT else []


def passages_of_record(kb: KnowledgeBase, plan: Plan | None) -> list[Passage]:
    """The passages with a row or heading that begins with a name of a plan, in the order of the names: what a table
    says of somebody stands in the middle of a passage that is about everybody. [] for no plan and for a large file;
    none of a name that more than RECORDS have.
    """
    if plan is None or kb.passage_count > SMALL:
        return []
    terms = (term for one in plan.constraints for term in (one.head, one.tail))
    found: dict[int, Passage] = {}
    for name in dict.fromkeys(filter(is_name, terms)):
        begins = re.compile(
            rf"^(?:#{{1,6}} +{re.escape(name)}\b|[ \t]*[^\n:;]{{1,40}}: +{re.escape(name)}\b[^\n;]{{0,30}}; [^\n:;]+:)",
            re.IGNORECASE | re.MULTILINE,
        )
        records = [one for one in listing.passages_saying(kb, [name], limit=LOOKED_AT) if begins.search(one.text)]
        found.update({one.id: one for one in records if len(records) <= RECORDS})
    return list(found.values())


def _saying_most(question: str, besides: str, passages: Iterable[Passage]) -> list[Passage]:
    wanted = frozenset(content_stems(question)) - frozenset(content_stems(besides))
    said = {one: len(wanted & frozenset(content_stems(f"{one.title} {one.text}"))) for one in passages}
    return sorted(said, key=lambda one: (-said[one], one.id))[:MOST]


def _ways(date: Date) -> list[str]:
    """How a title may put it."""
    month, year = MONTHS[date.month - 1], date.year
    if not date.day:
        return [f"{month} {year}", f"{year}-{date.month:02}"]
    days = dict.fromkeys((str(date.day), f"{date.day:02}"))
    told = [way for day in days for way in (f"{day} {month} {year}", f"{month} {day} {year}")]
    return [*told, f"{year}-{date.month:02}-{date.day:02}"]


def _is_of(date: Date, passage: Passage) -> bool:
    """Whether a passage's title tells that day, in any year where none is told, or one of that month."""
    day = day_of(passage.title)
    is_year = day is not None and date.year in (0, day.year)
    return day is not None and is_year and day.month == date.month and date.day in (0, day.day)
