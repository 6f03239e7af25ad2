"""What a sentence forbids or limits in one place or time, and a question asks of another one.

"Smoking is forbidden indoors" tells nothing of the terrace, and what is forbidden between May and July nothing of
August; nor does "but only twice a year" deny that a thing is done.
"""

from __future__ import annotations

import re

from kb.documents.plaintext import MONTHS
from tools.answer_rules.asked_claims import NOT
from tools.answer_rules.text import content_stems, fold
from tools.answer_rules.values import WEEKDAYS

_FORBIDS = re.compile(
    r"\b(?:forbidden|prohibited|banned|(?:not|never) (?:be )?(?:allowed|permitted)|(?:may|must) not|no \w+ing)\b"
    r"|\b(?:mustn|aren|isn)['’]t\b",
    re.I,
)
_SCOPE = re.compile(
    r"\b(?!at all\b(?! times?\b))(?:in|on|at|during|between|from|until|till|before|after|within|near|outside|inside)\s+"
    r"(?:(?:the|a|an|my|our|your|his|her|their|this|that) )?"
    r"(?P<all>(?:all|any|each|every|entire|whole) (?:of )?(?:the |our )?)?(?P<scope>[\w'’-]+)"
    r"|\b(?P<side>indoors|outdoors|inside|outside|upstairs|downstairs)\b",
    re.I,
)
_EVERYWHERE = re.compile(
    r"(?:sites?|premises|property|grounds|estate|places?|areas?|campus|times?|years?|days?|hours?|seasons?|cases?"
    r"|circumstances|points?|events?)",
    re.I,
)
"""What leaves nothing out where all of it is meant: "on the whole site", "at any time"."""
_RANGE = re.compile(r"\b(?:between|from)\s+(?P<first>\w+)\s+(?:and|to|until|till)\s+(?P<last>\w+)", re.I)
_MONTHS = [month[:3].lower() for month in MONTHS]
_ONLY = re.compile(r"\b(?:only|just)\b", re.I)
_DENIES = re.compile(
    rf"{NOT.pattern}|\b(?:without|instead|rather|forbidden|prohibited|banned|closed|refused|rejected|declined|cancelled"
    r"|canceled|stopped|ended|until)\b",
    re.I,
)
_SUBJECT_ONLY = re.compile(r"^\W*(?:(?:and|but|so) )?only\b|\bonly (?:for|to|by)\b|\b(?:for|to|by) [\w ]+ only\b", re.I)


def is_of_another_scope(question: str, sentence: str, above: str = "") -> bool:
    """Whether a sentence, with the headings above it, forbids something in a place or at a time of its own, and a
    question asks of another; a year may well lie within what is told ("closed until 2040").
    """
    if not _FORBIDS.search(sentence):
        return False
    said = frozenset(content_stems(f"{above} {sentence}"))
    asked = [one for one in _scopes(question) if not one.isdigit() and not frozenset(content_stems(one)) <= said]
    known = frozenset(content_stems(question))
    own = [one for one in _own_scopes(sentence) if not frozenset(content_stems(one)) <= known]
    return bool(own) and any(not _is_within(one, sentence) for one in asked)


def _scopes(text: str) -> list[str]:
    return [match["scope"] or match["side"] for match in _SCOPE.finditer(text)]


def _own_scopes(text: str) -> list[str]:
    """The places and times of a sentence without those that are all there is."""
    places = [one for one in _SCOPE.finditer(text) if not (one["all"] and _EVERYWHERE.fullmatch(one["scope"]))]
    return [match["scope"] or match["side"] for match in places]


def _is_within(scope: str, sentence: str) -> bool:
    """Whether a month or day lies between two that a sentence names."""
    for match in _RANGE.finditer(sentence):
        for names in (_MONTHS, WEEKDAYS):
            short = [fold(one)[:3] for one in (match["first"], scope, match["last"])]
            if all(one in names for one in short):
                first, asked, last = map(names.index, short)
                return first <= asked <= last if first <= last else asked >= first or asked <= last
    return False


def is_only_limited(question: str, sentence: str) -> bool:
    """Whether a sentence says "only" of how often, when or where a thing is so, and nothing that denies it; what is
    said of "only members" leaves others out.
    """
    if re.search(r"\d", question) or _ONLY.search(question):
        return False  # another number stands in the place of the one that is asked for
    said = frozenset(content_stems(sentence))
    if any(not frozenset(content_stems(one)) <= said for one in _scopes(question)):
        return False  # "only in the morning" leaves out the afternoon
    return bool(_ONLY.search(sentence)) and not _SUBJECT_ONLY.search(sentence) and not _DENIES.search(sentence)
