"""Two questions in one, each put so that it stands alone; and answers in whole: numbers with their units, lists."""

from __future__ import annotations

import re

from kb.documents.structure import starts_line
from tools.answer_rules.docs import Doc
from tools.answer_rules.text import sentence_spans
from tools.answer_rules.values import find_numbers

_JOINT = re.compile(
    r"(?:,\s*|\s+)(?:and|then)\s+(?:also\s+)?"
    r"(?=(?:(?:on|in|to|with|for|from|by|at|until|till) )?(?:who|whom|whose|when|where|why|which|what|how)s?\b)"
)
_SHARED = re.compile(
    r"\W*(?P<one>(?:how|what|which|when|where|who)(?: \w+)?) and (?P<other>(?:how|what|which|when|where|who)(?: \w+)?) "
    r"(?P<rest>(?:is|are|was|were|do|does|did|has|have|had|can|could|should|must|will|would|may)\b.+)",
    re.I,
)
"""Two words that ask, of one and the same: "How hot and how long does it cook?"."""
_WHOLE = re.compile(r"\b(?:is|are|was|were|do|does|did)\b|\b(?:what|who|when|where|how)['’]?s\b", re.I)
_SHORT = 3
"""Words of a second half that may say no more than what it asks: "and from when?"."""
_LEADS = re.compile(r"\W*(?:who|what|which|when|where|how)(?P<being>['’]?s| is| are| was| were)?\b ?", re.I)
_ASKS = re.compile(r"^(?:and\s+)?(?:who|whom|whose|when|where|why|which|what|how|is|are|was|were|do|does|did)\b", re.I)
_PERSON = re.compile(r"\b(?:(his|her|their)(?=\s+\w)|he|she|him|they|them)\b", re.I)
_THING = re.compile(r"\b(?:(its)|it|that one|this one)\b", re.I)
_THERE = re.compile(r"\bthere\b", re.I)
_NAME = re.compile(r"(?<=\s)(?:the\s+)?(?:[A-Z\d][\w'’.-]*)(?:\s+(?:of|the|and|de|von)?\s*[A-Z\d][\w'’.-]*)*")

_UNIT = re.compile(
    r"\s?(?:%|percent\b|per cent\b|°\s?[CF]?|degrees?(?: (?:C|F|Celsius|Fahrenheit))?\b|k[gmW]h?\b|[cm]?m\b|[glVW]\b|"
    r"lit(?:re|er)s?\b|miles?\b|met(?:re|er)s?\b|feet\b|ft\b|inches\b|tons?\b|tonnes?\b|knots?\b|hours?\b|"
    r"minutes?\b|seconds?\b|days?\b|weeks?\b|months?\b|years?\b|am\b|pm\b|pounds?\b|euros?\b|dollars?\b|cents?\b|"
    r"pence\b|GBP\b|EUR\b|USD\b|CHF\b|kr\b|€|£|\$|million\b|billion\b|[kMG]B\b|m[sl]\b|"
    r"(?:square |cubic )(?:k?m|met(?:re|er)s|feet|miles)\b)"
)
_MOST_UNITS = 2

# A telephone number: groups of digits, more of them than a year or a date has.
_PHONE = re.compile(
    r"(?<![\w.,:/-])\+?(?=(?:[ ()/-]*\d){8,15}(?![\w]))(?:\(\d{1,5}\)|\d{2,6})(?:[ /-]\d{2,8}){1,4}(?![\w-])"
)

_NUMBERED = re.compile(r"[\w.,:/-]*\d[\w.,:/-]*")
_CASE = re.compile(r"\b(?:if|in case)\b[^,;?]*", re.I)
_AMOUNT = re.compile(r"(?!(?:1[0-9]|20)\d\d$)\d+(?:[.,]\d+)*")
"""A number that is neither an identifier nor a year."""
_SUFFIXED = re.compile(r"(\d[\d.,:/-]*?)(?:st|nd|rd|th|s|[ap]m|km|kg|m|cm|mm|g|l|h|x|%)?", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
# What a line of code begins with, and no line of prose: a comment, a prompt, a bracket, an attribute, an element.
_CODE = re.compile(r"[ \t]*(?:/[/*]|[$>] |[{}]|#\[|#!|</?\w|[|&;])")
# A path, a file's name, an address, an option or an identifier: a word of which no part stands for the whole.
_PART = re.compile(r"[^\s\"“”<>()\[\]{},;|`]+")
_UNDIVIDED = re.compile(
    r"^(?:~?/|\.{1,2}/|--?[A-Za-z]|\w+://)|\w@\w|\w_\w|\w/\w.*/\w|[A-Za-z\d]{2}\.[a-z]\w*$|\w\.[a-z]{2,}/"
)
_NAMED = r"[A-Z](?:\.|[\w'’-]+)"
_A_NAME = rf"{_NAMED}(?:\s(?:(?:de|da|di|del|van|von|der|den|la|le|bin|al)\s)*{_NAMED}){{0,4}}"
_NAMES = re.compile(rf"(?<![\w.]){_A_NAME}(?:,\s+{_A_NAME})+,?\s+and\s+{_A_NAME}")


def split_question(question: str) -> tuple[str, str] | None:
    """A question's two halves, both of them questions; None for one question. What the second half leaves unsaid is
    that of the first.
    """
    if shared := _SHARED.fullmatch(question.strip(" ?.!")):
        return f"{shared['one']} {shared['rest']}?", f"{shared['other']} {shared['rest']}?"
    match = _JOINT.search(question)
    if not match or not _ASKS.match(question.strip()):
        return None
    first, second = question[: match.start()].strip(" ,"), question[match.end() :].strip(" ?.!")
    if len(first.split()) < 3 or not second:
        return None
    if second.lower() == "why":
        return None  # the reason stands beside the answer, if anywhere
    if len(second.split()) <= _SHORT and not _WHOLE.search(second):
        lead = _LEADS.match(first)
        being = "is " if lead and lead["being"] else ""
        second = f"{second} {being}{first[lead.end() if lead else 0 :]}"
    return f"{first}?", f"{second}?"


def standing_on(second: str, first: str, answer: str) -> str:
    """The second half with its pronoun replaced: a person by the first half's answer, a thing by what that named."""
    named = [match.group().strip() for match in _NAME.finditer(first)]
    thing = max(named, key=len, default="")
    person = answer if re.match(r"^(?:who|whom|whose)\b", first, re.I) and answer else thing
    for pattern, name in ((_PERSON, person), (_THING, thing), (_THERE, f"at {thing}" if thing else "")):
        match = pattern.search(second)
        if match and name:
            owned = match.lastindex is not None and bool(match[1])
            return second[: match.start()] + name + ("'s" if owned else "") + second[match.end() :]
    return second


def lacks_number(doc: Doc, question: str) -> bool:
    """Whether a question has a number or an identifier ("2002", "STS-31") that its passage has nowhere: not as a part
    ("19 May" in "2025-05-19"), in words ("twelve"), or with other marks ("sts 31"). Of a case that is put, "if I want
    cloth for 70" or a sentence before the question, it need not have the amounts: a rule tells of limits.
    """
    last = max((start for start, _ in sentence_spans(question)), default=0)
    case = [(0, last), *(match.span() for match in _CASE.finditer(question))]
    asked = [
        match.group()
        for match in _NUMBERED.finditer(question)
        if not (
            _AMOUNT.fullmatch(match.group().strip(".,:/-")) and any(start <= match.start() < end for start, end in case)
        )
    ]
    if not asked:
        return False
    told = f"{doc.passage.title}\n{doc.passage.section}\n{doc.passage.source}\n{doc.text}"
    numbers = {one.lstrip("0") for one in _DIGITS.findall(told)} | {f"{one.value:g}" for one in find_numbers(told)}
    joined = _unmarked(told)
    for one in asked:
        number = _SUFFIXED.fullmatch(one.strip(".,:/-"))
        plain = number[1] if number else one
        if not (plain.lstrip("0") in numbers if plain.isdigit() else _unmarked(plain) in joined):
            return True
    return False


def _unmarked(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def whole_value(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """A span with a number in it, in whole: "4.1.2" for "4.1", "13:00" for "13", "€ 640" for "640", ">= 3.6" for "3.6";
    with its unit.
    """
    text = doc.text
    if not any(character.isdigit() for character in text[start:end]):
        return start, end
    for phone in _PHONE.finditer(text, max(0, start - 24), min(len(text), end + 24)):
        if phone.start() < end and start < phone.end():
            return phone.span()
    while start > 0 and (text[start - 1].isalnum() or _joins(text, start - 1)):
        start -= 1
    while end < len(text) and (text[end].isalnum() or _joins(text, end)):
        end += 1
    before = re.search(r"(?:[€£$]|\b(?:EUR|GBP|USD|CHF))\s?$", text[max(0, start - 5) : start])
    start -= len(before.group()) if before else 0
    bound = re.search(r"(?:[<>~]=|[≤≥])\s?$", text[max(0, start - 3) : start])
    start -= len(bound.group()) if bound else 0
    for _ in range(_MOST_UNITS):
        unit = _UNIT.match(text, end) if text[end - 1].isalnum() or text[end - 1] in "%°" else None
        if not unit:
            break
        end = unit.end()
    return start, end


def whole_word(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """A span whose first and last word are whole where they are paths, names of files, addresses or identifiers, and
    whose quotation marks and brackets have their other half: "70-fonts.conf" for "70-fonts".
    """
    text = doc.text
    for match in _PART.finditer(text, text.rfind("\n", 0, start) + 1):
        if match.start() >= end:
            break
        word = match.group().rstrip(".:!?'’")
        if match.end() > start and _UNDIVIDED.search(word):
            start, end = min(start, match.start()), max(end, match.start() + len(word))
    return _balanced(text, start, end)


def _balanced(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without what follows a quotation that opens just before it; with the end of one that it opens."""
    for opening, closing in (('"', '"'), ("“", "”"), ("(", ")"), ("`", "`")):
        inside = text[start:end]
        is_even = (
            inside.count(opening) % 2 == 0 if opening == closing else inside.count(opening) == inside.count(closing)
        )
        if is_even:
            continue
        if text[start - 1 : start] == opening and closing in inside:
            end = start + inside.index(closing)
        elif text[end : end + 1] == closing:
            end += 1
    return start, end


def all_named(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """A span with one of three or more names that are told together, "A, B and C", as all of them."""
    for match in _NAMES.finditer(doc.text, max(0, start - 300), end + 300):
        if match.start() <= start and end <= match.end():
            return match.span()
    return start, end


def within_line(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """A span without what it has of the next line, or of the next cell of a row; from its value on where it has one.

    "32 pounds Work: Crack in the top" is 32 pounds, "gbp: 40" is 40: no answer runs on from one line of a list, a table
    or a record to the next, nor into a line of code.
    """
    text = doc.text
    at = text.find("\n", start + 1, end)
    while at >= 0:
        if starts_line(text, at + 1) or _CODE.match(text, at + 1):
            end = at
            break
        at = text.find("\n", at + 1, end)
    line = doc.line_at(start)
    if line is None or not line.values:
        return start, end
    if line.kind == "row" and line.key[0] <= start < line.key[1]:
        return start, min(end, line.key[1])
    value = next((one for one in line.values if one.start < end and start < one.end), None)
    if value is None:
        return start, end
    listed = max(one.end for one in line.values if one.relation == value.relation)
    return max(start, value.start), min(end, listed)


def _joins(text: str, at: int) -> bool:
    """Whether a sign stands inside a number: "4.1", "13:00", "1,104", "60-114", "2025/06"."""
    inside = 0 < at < len(text) - 1
    return inside and text[at] in ".,:/-" and text[at - 1].isdigit() and text[at + 1].isdigit()
