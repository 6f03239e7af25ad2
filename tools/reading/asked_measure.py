"""What a question that asks how warm, heavy, long or dear something is can be answered with."""

from __future__ import annotations

import re

from tools.answer_rules.values import find_numbers, measured

_HOW = {
    "temperature": r"how (?:warm|hot|cold|cool)\b|(?:what|which) (?:\w+ ){0,2}?temperature\b",
    "mass": r"how heavy\b|how much (?:\w+ ){1,5}?weigh\b|(?:what|which) (?:\w+ ){0,2}?weight\b",
    "length": r"how (?:tall|high|deep|wide|thick|broad)\b|(?:what|which) (?:\w+ ){0,2}?(?:height|depth|width)\b",
    "time": r"how old\b|how many (?:seconds|minutes|hours|days|weeks|months|years)\b",
    "length or time": r"how long\b",
    "money": r"how (?:dear|expensive|cheap)\b|what(?: is| was|['’]s) (?:the |our )?(?:price|rent)(?! (?:rise|cut|inc))",
}
_LED = r"(?:(?:and|so|but|then|at|to|for|about|roughly)[ ,]+){0,3}"
_ASKED = {measure: re.compile(rf"{_LED}(?:{how})", re.I) for measure, how in _HOW.items()}
_DEGREES = re.compile(r"°|\bdegrees?\b|\d ?[CF]\b")
_MONEY = re.compile(r"[$£€¥]|\b(?:euros?|dollars?|francs?|quid|pence|cents?)\b", re.I)
_SHARE = re.compile(r"\d ?%|\bper ?cent\b", re.I)


def is_other_measure(question: str, text: str) -> bool:
    """Whether a text tells a number of another measure than the one that is asked for: "72 h" of "How warm were the
    plates kept?". A number without a unit may be of any, and so may words.
    """
    wanted = next((measure for measure, asked in _ASKED.items() if asked.match(question.strip())), "")
    told = _measure_of(text) if wanted else ""
    return bool(told) and told not in wanted.split(" or ")


def _measure_of(text: str) -> str:
    """What all numbers of a text measure; "" where nobody knows, or they are of several."""
    if _DEGREES.search(text):
        return "temperature"
    if _MONEY.search(text):
        return "money"
    if _SHARE.search(text):
        return "share"
    told = {measured(text, one)[0] for one in find_numbers(text)}
    return told.pop() if len(told) == 1 else ""
