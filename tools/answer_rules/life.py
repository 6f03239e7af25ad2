"""What a text says of a life: dates and places of birth and death."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.answer_rules.docs import Doc, Found, closing
from tools.answer_rules.names import Span
from tools.answer_rules.text import words
from tools.answer_rules.values import Date

_REIGN = re.compile(r"\b(?:r\.|reign|ruled|fl\.|active|in office)", re.IGNORECASE)
_SPACED_DASH = re.compile(r"\s[–—-]\s*|[–—]\s|[;,]?\s*\b(?:died|d\.)\s|†")
_ANY_DASH = re.compile(r"[–—-]")
_BEFORE_LIFE = re.compile(r"\s*(?:(?:born|b\.|lived|c\.|ca\.|about)\s*)*")
_UNTIL = re.compile(r"\s*(?:to|until)\s+(?:(?:c\.|ca\.|about)\s*)?")
_DIED = re.compile(r"\bdied\b|\bd\.|†")
_BORN = re.compile(r"\b(?:born|birth|birthplace|b\.)(?!\w)", re.IGNORECASE)
_DEATH = re.compile(
    r"\b(?:died|dies|passed away|death|killed|assassinated|executed|murdered|drowned|beheaded)\b", re.IGNORECASE
)
_BORN_VALUE_STOP = re.compile(r"\b(?:died|who|where|moved|grew|educated|attended|studied|started|began|married)\b")
_DEATH_VALUE_STOP = re.compile(r"\b(?:buried|interred|cremated|survived|born|who|where|succeeded|leaving)\b|;")
_PLACE_BEFORE = re.compile(
    r"\b(?:in|at|near|from)\s+(?:the\s+|a\s+|his\s+|her\s+)?(?:[a-z]+\s+(?:of\s+|in\s+)?){0,4}[\"“]?$"
)
_NO_PLACE = frozenset(
    "he she his her they catholic protestant jewish christian king queen emperor world war parliament congress army "
    "university battle house".split()
)


@dataclass(frozen=True, slots=True)
class _Half:
    """One side of "(born - died)": where it stands in the text."""

    start: int
    end: int


def _life_brackets(doc: Doc, after: int) -> tuple[_Half | None, _Half | None]:
    """The halves for birth and death of the first dated brackets in the definition, or within 150 characters."""
    position, limit = after, after + 150 if after or doc.copula < 0 else max(150, doc.copula)
    for _ in range(3):
        opening = doc.text.find("(", position, limit)
        end = closing(doc.text, opening) if opening >= 0 else -1
        if end <= opening:
            return None, None
        halves = _halves(doc, opening + 1, end)
        if halves != (None, None):
            return halves
        position = end
    return None, None


def _halves(doc: Doc, start: int, end: int) -> tuple[_Half | None, _Half | None]:
    inside = doc.text[start:end]
    reign = _REIGN.search(inside)
    if reign:
        end = start + reign.start()
        inside = inside[: reign.start()]
    dates = [date for date in doc.dates_between(start, end) if date.end <= end and date.year]
    if not dates:
        return None, None
    cut = _cut(inside, start, dates)
    if cut is None:
        only = _Half(start, end)
        return (None, only) if _DIED.search(inside) and not _BORN.search(inside) else (only, None)
    left, right = _Half(start, cut), _Half(cut, end)
    return (left if any(date.end <= cut for date in dates) or left.end - left.start > 3 else None), right


def _cut(inside: str, start: int, dates: list[Date]) -> int | None:
    """Where the brackets pass from birth to death: a dash (or "died") between their dates, or before an open end.

    "to" parts only two dates with nothing else before or between them: "moved to Paris in 1970" tells no death.
    """
    opens = len(dates) > 1 and _BEFORE_LIFE.fullmatch(inside[: dates[0].start - start])
    if opens and _UNTIL.fullmatch(inside[dates[0].end - start : dates[1].start - start]):
        return dates[0].end
    for pattern in (_SPACED_DASH, _ANY_DASH):
        for match in pattern.finditer(inside):
            at = start + match.start()
            if any(date.end <= at for date in dates) and not any(date.start < at < date.end for date in dates):
                if any(date.start >= at for date in dates):
                    return _last_gap(inside, start, dates, pattern) or at
                if pattern is _SPACED_DASH and inside[match.end() :].strip(" ?") == "":
                    return at
    if len(dates) == 2 and dates[0].month and dates[1].month and dates[0].year + 10 < dates[1].year:
        return dates[1].start
    return None


def _last_gap(inside: str, start: int, dates: list[Date], pattern: re.Pattern[str]) -> int | None:
    """The dash before the last date: what comes earlier parts two guesses at one date ("1191-1192 - 1237")."""
    ends = [start + m.start() for m in pattern.finditer(inside) if start + m.start() <= dates[-1].start]
    ends = [at for at in ends if any(date.end <= at for date in dates)]
    return ends[-1] if ends and pattern is _SPACED_DASH else None


def life_dates(doc: Doc, kind: str, after: int = 0, certain: float = 0.97) -> Iterator[Found]:
    """Dates of "birth" or "death": from the brackets behind a name that ends at `after`, then from the sentences."""
    birth, death = _life_brackets(doc, after)
    half = birth if kind == "birth" else death
    if half:
        dates = [date for date in doc.dates_between(half.start, half.end) if date.end <= half.end and date.year]
        for date in dates[:1] if kind == "birth" else dates[-1:]:
            yield doc.found(date.start, date.end, certain)
    if after == 0:
        yield from _dates_told(doc, kind)


def _dates_told(doc: Doc, kind: str) -> Iterator[Found]:
    pattern = _BORN if kind == "birth" else _DEATH
    for match in pattern.finditer(doc.text):
        stop = _clause_end(doc, match.end(), kind)
        for date in doc.dates_between(match.end(), stop):
            if date.year:
                yield doc.found(date.start, date.end, _told_score(doc, match.start()))
                break


def _clause_end(doc: Doc, start: int, kind: str) -> int:
    _, sentence_end = doc.sentence_span(start)
    limit = min(sentence_end, start + 160)
    end, opening = doc.text.find(")", start, limit), doc.text.find("(", start, limit)
    if end >= 0 and (opening < 0 or end < opening):
        limit = end
    stop = (_BORN_VALUE_STOP if kind == "birth" else _DEATH_VALUE_STOP).search(doc.text, start, limit)
    return stop.start() if stop else limit


def _told_score(doc: Doc, position: int) -> float:
    """How surely a verb at a position is about the passage's topic and not about somebody named in between."""
    start, _ = doc.sentence_span(position)
    before = doc.text[start:position]
    names = [span for span in doc.names_between(start, position) if span.end <= position]
    if not names:
        return 0.9 if not before.strip() or re.search(r"\b(?:He|She|he|she|was)\b", before) else 0.75
    last = names[-1]
    near = doc.text[last.end : position]
    topic = set(words(doc.topic))
    if re.search(r"\b(?:he|she)\b", near):
        return 0.9
    if topic & set(words(doc.text[last.start : last.end])):
        return 0.9
    if re.match(r"['’]s\s", near):
        return 0.2
    return 0.85 if start == 0 and last.end <= max(doc.copula, 0) else 0.5


def life_places(doc: Doc, kind: str, after: int = 0, certain: float = 0.95) -> Iterator[Found]:
    """Places of "birth" or "death", the innermost part of an address ("Houston" of "Houston, Texas")."""
    birth, death = _life_brackets(doc, after)
    half = birth if kind == "birth" else death
    if half:
        yield from _bracket_place(doc, half, kind, certain)
    if after == 0:
        yield from _places_told(doc, kind)
        yield from _native(doc, kind)


def _bracket_place(doc: Doc, half: _Half, kind: str, certain: float) -> Iterator[Found]:
    dates = [date for date in doc.dates_between(half.start, half.end) if date.end <= half.end]
    names = [span for span in doc.names_between(half.start, half.end) if span.end <= half.end]
    for name in names:
        before = doc.text[half.start : name.start]
        if dates and name.start >= dates[0].end:
            gap = doc.text[dates[-1].end : name.start] if name.start >= dates[-1].end else "?"
            if re.fullmatch(r"\s*(?:O\.?S\.?)?[,;]?\s*(?:(?:in|at|near|aged \d+,? in)\s+)?[\"“]?", gap):
                yield doc.found(name.start, name.core, certain)
                return
        elif re.fullmatch(r"(?:.*;)?[\s–—-]*(?:born\s+(?:in|at))?\s*", before) and dates:
            between = doc.text[name.end : dates[0].start]
            if re.fullmatch(r"(?:,[^,\d]{2,30}){0,2},?\s*(?:on\s+|c\.\s*)?", between) and "," in between:
                yield doc.found(name.start, name.core, certain)
                return


_NATIVE = re.compile(
    r"\bnative (?:of|from)\s+|\bborn and raised in\s+|\bhails? from\s+|\b(?:raised|grew up) in\s+(?:the\s+)?"
)


def _native(doc: Doc, kind: str) -> Iterator[Found]:
    if kind != "birth":
        return
    for match in _NATIVE.finditer(doc.text):
        for name in doc.names:
            if 0 <= name.start - match.end() <= 15:
                yield doc.found(name.start, name.core, 0.5 if match.group().startswith(("raised", "grew")) else 0.8)
                break
    if doc.copula >= 0:
        end = doc.sentence_span(doc.copula)[1]
        for name in doc.names:
            if doc.copula <= name.start < end and doc.text[max(0, name.start - 6) : name.start].endswith("from "):
                yield doc.found(name.start, name.core, 0.6)
                break


def _places_told(doc: Doc, kind: str) -> Iterator[Found]:
    pattern = _BORN if kind == "birth" else _DEATH
    for match in pattern.finditer(doc.text):
        score = _told_score(doc, match.start())
        stop = _clause_end(doc, match.end(), kind)
        for name in doc.names_between(match.end(), stop):
            if _is_place(doc, name.start, name.core, match.end()):
                town = _town(doc, name)
                yield doc.found(town.start, town.core, score - 0.02)
                break


def _town(doc: Doc, name: Span) -> Span:
    """The town of "the Hacienda Motel in Los Angeles"."""
    following = doc.next_name(name.end)
    return following if following and doc.text[name.end : following.start] == " in " else name


def _is_place(doc: Doc, start: int, end: int, after: int) -> bool:
    before = doc.text[max(after, start - 60) : start]
    first = words(doc.text[start:end])[:1]
    return bool(_PLACE_BEFORE.search(before)) and not set(first) & _NO_PLACE
