"""By how much something changed, where a sentence tells from what to what: "raises the premium from 410 to 465 EUR"."""

from __future__ import annotations

import re

from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.recorded_rows import known_words
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import find_dates

CHANGED = 0.82
"""How sure it is that this change is the one that is asked about."""

_ASKS = re.compile(
    r"\bby how (?:much|many)\b|^\W*how much (?:more|less|higher|lower|dearer|cheaper)\b"
    r"|\b(?:how (?:big|large|much) is|what(?:['’]s| is| was)) the (?:increase|rise|drop|fall|decrease|change|cut)\b",
    re.I,
)
_CHANGES = re.compile(
    r"\b(?:rais(?:e[sd]?|ing)|ris(?:es?|en|ing)|rose|increas(?:e[sd]?|ing)|go(?:es)? up|went up|gone up|going up"
    r"|f[ae]ll(?:s|en|ing)?|drop(?:s|ped|ping)?|cuts?|lower(?:s|ed|ing)?|reduc(?:e[sd]?|ing)|gr[eo]w(?:s|n|ing)?"
    r"|climb(?:s|ed|ing)?|shr[aiu]nk(?:s|ing)?|declin(?:e[sd]?|ing)|go(?:es)? down|went down|going down"
    r"|chang(?:e[sd]?|ing))\b",
    re.I,
)
_NUMBER = (
    r"(?P<{0}sign>[$€£¥]\s?)?(?P<{0}>\d(?:[\d,]{{0,16}}\d)?(?:\.\d{{1,6}})?)(?:\s?(?P<{0}unit>%|[^\W\d_]{{1,12}}))?"
)
_FROM_TO = re.compile(rf"\bfrom {_NUMBER.format('one')} to {_NUMBER.format('two')}(?![\w:]|\.\d)", re.I)
_HOURS = re.compile(r"(?:[ap]m|h|o['’]clock|uhr)$", re.I)
_ASIDE = frozenset(
    content_stems(
        "by how much many more less higher lower dearer cheaper big large what is was did does do will has have the "
        "increase increased rise risen rose drop dropped fall fallen fell decrease decreased change changed cut go up "
        "down went gone raise raised lower lowered reduce reduced grow grown grew get got become became change"
    )
)


def find_change(question: str, evidence: Evidence) -> Recorded | None:
    """The difference of the two numbers of the one sentence that tells a change of what is asked about; None where none
    or several do, and where the numbers are not of one thing.
    """
    if not _ASKS.search(question[:300]):
        return None
    wanted = known_words(question, evidence, _ASIDE, lacking=0)
    if not wanted:
        return None
    found: dict[str, tuple[tuple[str, str], Found]] = {}
    for doc in evidence.docs:
        for index, (start, end) in enumerate(doc.sentences):
            text = doc.text[start:end]
            changes = [one for one in _FROM_TO.finditer(text) if not _is_time(one)] if _CHANGES.search(text) else []
            said = doc.sentence_stems[index] | frozenset(content_stems(doc.heading))
            if len(changes) == 1 and wanted <= said and (told := _difference(changes[0])):
                found.setdefault(text, (told, doc.found(start + changes[0].start(), start + changes[0].end(), CHANGED)))
    if len(found) != 1:
        return None
    [((amount, reason), place)] = found.values()
    return Recorded(amount, (place,), CHANGED, reason=reason)


def _is_time(change: re.Match[str]) -> bool:
    """Whether it is from one day or hour to another."""
    return bool(_HOURS.match(change["twounit"] or "")) or any(one.month for one in find_dates(change[0]))


def _difference(change: re.Match[str]) -> tuple[str, str] | None:
    """How much the change is, and how that is worked out; None for numbers of two things, and for shares: what lies
    between 3% and 4% is no percentage of anything.
    """
    sign, other = (change[name] or "" for name in ("onesign", "twosign"))
    unit, before = change["twounit"] or "", change["oneunit"] or ""
    if unit == "%" or (before and before != unit) or (other and sign.strip() != other.strip()) or (sign and not other):
        return None
    decimals = max(len(change[name].partition(".")[2]) for name in ("one", "two"))
    values = sorted((float(change[name].replace(",", "")), change[name]) for name in ("one", "two"))
    told = f"{values[1][0] - values[0][0]:,.{decimals}f}"
    return f"{other}{told} {unit}".rstrip(), f"{values[1][1]} - {values[0][1]} = {told}."
