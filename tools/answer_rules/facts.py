"""Facts of known kinds about a subject, read from the passages: dates, places, persons, countries, figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.kin import find_kin
from tools.answer_rules.life import life_dates, life_places
from tools.answer_rules.phrases import find_roles
from tools.answer_rules.places import find_countries, find_locations, topic_countries
from tools.answer_rules.text import name_score

_KIN = frozenset(("father", "mother", "parent", "child", "spouse", "sibling"))


_RELEASED = re.compile(
    r"\b(?:released|premiered|published|issued|aired|came out|debuted|opened in theat|release date|first published"
    r"|broadcast)\b",
    re.IGNORECASE,
)  # fmt: skip
_BEGUN = re.compile(
    r"\b(?:founded|established|formed|created|launched|opened|incorporated|built|constructed|inaugurated|started|"
    r"began|begun|"
    r"set up|organi[sz]ed|chartered|completed|instituted|commenced|founding|dates? (?:from|back to))\b", re.IGNORECASE,
)  # fmt: skip
_POPULATION = re.compile(r"\b(?:population|inhabitants|residents|people)\b")
_NUMERAL = re.compile(
    r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\d)|(?<![\w.,])\d+(?:\.\d+)?(?:\s(?:million|billion))?(?![\w,]*\d)"
)
_NOT_SETTLED = re.compile(r"\bcensus|\bas of|\bin\s*$|\bsince\s*$|\b(?:from|by|year)\s*$")


def find_facts(evidence: Evidence, subject: str, kind: str, sort: str = "") -> list[Found]:
    """What the passages say is the subject's `kind` (see `answer_relations`), surest first; [] for kinds without rules.

    `sort` narrows "located_in" to a part of an address ("county").
    """
    if kind == "nationality":
        found = list(find_countries(evidence, subject))
    elif kind == "located_in":
        found = list(find_locations(evidence, subject, sort))
    else:
        found = list(_read(evidence, subject, kind))
    return sorted(found, key=lambda one: (-one.score, one.doc.rank, one.start))


def _read(evidence: Evidence, subject: str, kind: str) -> Iterator[Found]:
    if kind in _KIN:
        yield from find_kin(evidence, subject, kind)
        return
    about = evidence.about(subject)
    for doc, certainty in about:
        for found in read_topic(doc, kind):
            yield replace(found, score=found.score * (0.4 + 0.6 * certainty))
    if kind in ("birth_date", "death_date", "birth_place", "death_place"):
        yield from _beside_mentions(evidence, subject, kind)


def _beside_mentions(evidence: Evidence, subject: str, kind: str) -> Iterator[Found]:
    """Life dates in the brackets behind a mention in somebody else's passage."""
    event, what = kind.split("_")
    reader = life_dates if what == "date" else life_places
    for doc in evidence.docs:
        for _, end in doc.mentions(subject):
            if doc.text[end : end + 3].lstrip(" ,").startswith("("):
                yield from reader(doc, event, after=end, certain=0.7)


def read_topic(doc: Doc, kind: str) -> list[Found]:
    """What a passage says of its own topic."""
    if kind not in doc.notes:
        reader = _READERS.get(kind)
        doc.notes[kind] = list(reader(doc)) if reader else list(find_roles(doc, kind))
    found: list[Found] = doc.notes[kind]
    return found


def find_owners(evidence: Evidence, value: str, kind: str) -> list[Found]:
    """The topics of the passages whose own `kind` is the given value: the films that a person directed."""
    found = []
    for doc in evidence.docs:
        agreement = [(name_score(value, one.text), one) for one in read_topic(doc, kind)]
        best = max(agreement, key=lambda pair: pair[0] * pair[1].score, default=(0.0, None))
        if best[1] is not None and best[0] >= 0.7:
            found.append(replace(doc.as_found, start=best[1].start, score=best[0] * best[1].score * 0.95))
    return sorted(found, key=lambda one: (-one.score, one.doc.rank))


def _released(doc: Doc) -> Iterator[Found]:
    lead_year = _lead_year(doc)
    for match in _RELEASED.finditer(doc.text):
        for found in _date_near(doc, match):
            agrees = lead_year is not None and lead_year.text in found.text
            sure = agrees and len(found.text) > 4
            yield replace(found, score=0.95 if sure else 0.7 - _lateness(doc, match))
    if lead_year is not None:
        yield lead_year


def _lateness(doc: Doc, match: re.Match[str]) -> float:
    """What a statement loses for standing further down: 0.02 a sentence."""
    return 0.02 * min(9, doc.sentence_index(match.start()))


def _lead_year(doc: Doc) -> Found | None:
    """The year in the definition: "is a 1962 crime film"."""
    if doc.copula < 0:
        return None
    end = min(doc.sentence_span(doc.copula)[1], doc.copula + 160)
    for date in doc.dates_between(doc.copula, end):
        if date.year:
            near = date.start - doc.copula < 40
            return doc.found(date.start, date.end, 0.92 if near else 0.72)
    return None


def _date_near(doc: Doc, match: re.Match[str]) -> Iterator[Found]:
    """The first date after a verb in its sentence, else the last one before it."""
    start, end = doc.sentence_span(match.start())
    dates = [date for date in doc.dates_between(start, end) if date.year]
    after = [date for date in dates if match.end() <= date.start < match.end() + 120 and date.whole]
    before = [date for date in dates if match.start() - 60 <= date.start < match.start()]
    for date in after[:1] or before[-1:]:
        yield doc.found(date.start, date.end, 0.8)


def _begun(doc: Doc) -> Iterator[Found]:
    for match in _BEGUN.finditer(doc.text):
        for found in _date_near(doc, match):
            yield replace(found, score=0.92 - 1.5 * _lateness(doc, match))
    lead = _lead_year(doc)
    if lead is not None:
        yield replace(lead, score=0.5)
    for date in doc.dates[:1]:
        if date.year and doc.copula > date.start:
            yield doc.found(date.start, date.end, 0.45)


def _population(doc: Doc) -> Iterator[Found]:
    for match in _POPULATION.finditer(doc.text):
        start, end = doc.sentence_span(match.start())
        numbers = [m for m in _NUMERAL.finditer(doc.text, start, end) if not _is_year(doc, m)]
        after = [m for m in numbers if m.start() >= match.end()] if match.group() == "population" else []
        before = [m for m in numbers if m.end() <= match.start() and match.start() - m.end() < 20]
        for number in after[:1] or before[-1:]:
            yield doc.found(number.start(), number.end(), 0.9 - _lateness(doc, match))


def _is_year(doc: Doc, number: re.Match[str]) -> bool:
    text = number.group()
    before = doc.text[max(0, number.start() - 12) : number.start()]
    return len(text) == 4 and text.isdigit() and bool(_NOT_SETTLED.search(before))


_READERS: dict[str, Callable[[Doc], Iterable[Found]]] = {
    "birth_date": lambda doc: life_dates(doc, "birth"),
    "death_date": lambda doc: life_dates(doc, "death"),
    "birth_place": lambda doc: life_places(doc, "birth"),
    "death_place": lambda doc: life_places(doc, "death"),
    "nationality": topic_countries,
    "release_date": _released,
    "inception": _begun,
    "population": _population,
}
