"""The year of a question that only the heads of documents tell: "Where was the 2022 retreat?" is answered by minutes of
17 May 2022 that say where the retreat will be, and by those of no other year.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.docs import EvidencePassage
from tools.answer_rules.money import NAMES
from tools.answer_rules.values import find_dates
from tools.planning.planner import plan_question
from tools.reading.answering import FoundAnswer, answer_question, held
from tools.reading.guess import ReaderPair

LIKELY = 0.9
"""How sure an answer is at most that rests on the year of its document alone."""

_HEAD = 200
"""Characters at the beginning of a document in which its day may stand."""

_YEAR = re.compile(
    r"(?:,? \b(?:in|of|for|during|from|at the end of)(?: the year)? (?P<in>(?:19|20)\d\d)\b(?!\s?[-–/]\s?\d)"
    r"|\b(?P<of>(?:19|20)\d\d)(?:['’]s)? (?=[a-z]))",
)
_AMOUNT = re.compile(
    rf" ?-?(?:(?:{'|'.join(NAMES.split())}|cents?|pence|francs?|percent|hours?|minutes?|seconds?"
    r"|mm|cm|m|km|kg|g|t|l|ml|ft|lbs?|(?:milli|centi|kilo)?met(?:re|er)s?|miles?|feet|foot|inch(?:es)?|hectares?|acres?"
    r"|kilos?|kilograms?|grams?|tonn?e?s?|lit(?:re|er)s?|gallons?|pints?|watts?|volts?|calories"
    r"|people|persons|men|women|children|members|copies|visitors|guests|readers|leaflets|tickets|books|pieces|pages"
    r"|words|plants|bulbs|trees|bricks|tiles|seats|times|points|steps|votes|signatures)\b|[€£$%])"
)
"""What stands behind a number that is no year: "the 2000 pound grant"."""
_SOME = re.compile(r" (?!(?:was|has|does|his|this|its|across|always|perhaps)\b)[a-z]{2,}[a-rt-z]s\b")
"""Several of something right behind a number, which with no "the" before it tells how many: "2000 roses"."""
_THE = re.compile(r"\b(?:the|our|my|your|their|his|her|its|which|what)(?: [a-z]+)? $|['’]s $", re.I)
_WAS = re.compile(r"^(\W*(?:when|where|what|which|who|how \w+)(?: [\w-]+)?) (was|were)\b", re.I)
_TOOK_PLACE = re.compile(r"^(\W*(?:when|where)) did (.+?) (?:take place|happen|go ahead)\b", re.I)
_YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ASKS = re.compile(r"\W*(?:(?:and|so) )?(?:(?:at|on|for|from|to|with|by) )?(?:who|what|where|when|which|how|why)", re.I)
"""Whether something was so in a year is not told by its being so in the documents of that year."""
_IN = re.compile(r"\W*(?:in|during) (?:19|20)\d\d\b(?!\s?[-–/]\s?\d)", re.I)
_ASKS_YEAR = re.compile(r"\b(?:what|which) year\b|\bsince\b|\buntil\b|\bbefore\b|\bafter\b", re.I)


def answer_of_year(
    kb: KnowledgeBase,
    question: str,
    passages: Sequence[EvidencePassage],
    readers: ReaderPair,
    saying: Callable[[str], Sequence[EvidencePassage]],
) -> FoundAnswer | None:
    """What documents of the year that a question names answer to the question without it; None where it names none, or
    none of the documents is of that year, or all are.
    """
    asked = without_year(question)
    own = passages_of_year(kb, passages, asked[1]) if asked else []
    if asked is None or not own or len(own) == len(passages):
        return None
    now = _as_told_then(asked[0])
    found = answer_question(now, plan_question(now), own, {}, *readers, None, saying)
    if not found.text or found.missing or any(not _may_be_of(asked[1], one) for one in _sentences(found)):
        return None
    return replace(found, confidence=min(found.confidence, LIKELY))


def doubting(question: str, found: FoundAnswer) -> FoundAnswer:
    """An answer, held back where its sentence begins with another year than the one that a question names: "In 2019 the
    cup was won by Tim" for who won the 2022 cup.
    """
    asked = without_year(question) if found.text else None
    if asked is None or not any(_IN.match(one) and not _may_be_of(asked[1], one) for one in _sentences(found)):
        return found
    return held(found)


def _sentences(found: FoundAnswer) -> list[str]:
    """The sentences that an answer stands in."""
    return [*(sentence for _, sentence in found.stated), *(hop.sentence for hop in found.hops)]


def _may_be_of(year: int, sentence: str) -> bool:
    """Whether a sentence names a year, or none at all."""
    named = {int(one) for one in _YEARS.findall(sentence)}
    return not named or year in named


def _as_told_then(question: str) -> str:
    """The question in the tense of those who write in that year: what they have moved since is not when it "was"."""
    question = _TOOK_PLACE.sub(r"\1 is \2", question, count=1)
    return _WAS.sub(lambda match: f"{match[1]} {'is' if match[2].lower() == 'was' else 'are'}", question, count=1)


def without_year(question: str) -> tuple[str, int] | None:
    """A question without the one year that it names, and that year; None where it names none or several, or a day, or
    bounds a time by it, or asks for yes or no.

    >>> without_year("Where was the 2022 retreat?")
    ('Where was the retreat?', 2022)
    """
    named = _YEARS.findall(question)
    match = _YEAR.search(question)
    if match is None or len(named) != 1 or _ASKS_YEAR.search(question) or not _ASKS.match(question):
        return None
    if _is_amount(question, match):
        return None
    if any(one.month for one in find_dates(question)):
        return None
    rest = f"{question[: match.start()]}{question[match.end() :]}"
    return " ".join(rest.split()), int(named[0])


def _is_amount(question: str, match: re.Match[str]) -> bool:
    """Whether a number is how much or how many there is of something."""
    start, end = match.span(match.lastgroup or 0)
    is_some = _SOME.match(question, end) and not _THE.search(question, 0, start)
    return bool(_AMOUNT.match(question, end) or is_some)


def passages_of_year(kb: KnowledgeBase, passages: Sequence[EvidencePassage], year: int) -> list[EvidencePassage]:
    """The passages whose documents are of a year and of no other, in their order."""
    keys = list(dict.fromkeys(one.place[0] for one in passages))
    opening = listing.opening_passages(kb, keys)
    years = {
        key: _own_years(f"{passage.title} {key.rpartition('/')[2]}", passage.text[:_HEAD])
        for key, passage in opening.items()
    }
    return [one for one in passages if years.get(one.place[0]) == {year}]


def _own_years(names: str, head: str) -> set[int]:
    """The years of a title or a file's name, else that of the first date with a day in the head of a text."""
    named = {int(one) for one in _YEARS.findall(names.replace("_", " "))}
    if named:
        return named
    first = next((one for one in find_dates(head) if one.day and one.year), None)
    return {first.year} if first else set()
