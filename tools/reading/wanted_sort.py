"""What sort of thing a question asks for, by its words, and whether a text may be of that sort."""

from __future__ import annotations

import re
from typing import Literal

from tools.answer_rules.countries import form_of
from tools.answer_rules.docs import Found
from tools.answer_rules.text import content_stems, says
from tools.answer_rules.values import find_dates
from tools.planning.plan import Plan
from tools.reading.told_values import WEEKDAY

Wanted = Literal["", "number", "date", "person", "place"]

_DATED = r"(?:year|date|day|month|time)"

_SIZED = "many|much|long|far|old|tall|high|wide|deep|heavy|often|big|large|fast|hot"

_PLACED = "city|town|country|county|state|place|village|province|region"

_ASKED: tuple[tuple[Wanted, re.Pattern[str]], ...] = (
    ("date", re.compile(rf"\b(?:(?:since |until )?when|(?:what|which) (?:(?:is|was) the )?{_DATED})\b", re.I)),
    (
        "number",
        re.compile(
            rf"\bhow (?:{_SIZED})\b|\b(?:number|population|amount|cost|price|length|height|weight|temperature) of\b",
            re.I,
        ),
    ),
    ("person", re.compile(r"\b(?:who|whom|whose)\b", re.I)),
    ("place", re.compile(rf"\bwhere\b|\b(?:what|which) (?:{_PLACED})\b", re.I)),
)

_ASKING = r"(?:who|whom|whose|when|where|which|what|how|why)"

_LED = re.compile(
    rf"\W*(?:(?:and|so|but|then|also|exactly|roughly|since|until|till|from|to|by|on|in|at|for|of|with|about|after|before|during"
    rf"|under|near|around|over)\W+){{0,3}}(?P<asks>{_ASKING})\b(?P<rest>.*?)(?=[^\w\s'’-]*\s+{_ASKING}\b|$)",
    re.I | re.S,
)
"""The word that a question begins with, and what follows it up to the next such word: "Who took the notes when the
leads met?" asks for somebody.
"""

_TOWN_ASKED = re.compile(r"\b(?:what|which) (?:city|town|village|state|county|province)\b", re.I)
_WHEN_ASKED = re.compile(r"\W*(?:(?:and|so)\s+)?(?:(?:by|until|till|since|from)\s+)?when\b", re.I)
_DAY_ASKED = re.compile(
    r"\W*(?:(?:on|by|until) )?(?:(?:what|which) )?(?:(?:is|was) )?(?:the )?(?:first |last |next )?(?:day|date)\b"
    r"(?! of the month)",
    re.I,
)
_DATE_ASKED = re.compile(r"\W*(?:(?:and|so)[ ,]+)*(?:(?:on|by|until) )?(?:what|which) (?:day|date)\b", re.I)
_DATE_TOLD = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2}[./-]\d{1,2}\b|\b[12]\d{3}\b|^\W*(?:the )?\d{1,2}\W*$", re.I
)
_DAYS = 2
"""Figures of a number that is a number of days rather than a year."""
_MAIL_ASKED = re.compile(r"\be-?mail address\b|\b(?:what|which)(?:['’]s| is) (?:[\w'’-]+ ){1,4}e-?mail$", re.I)
_PHONE_ASKED = re.compile(
    r"\b(?:phone|telephone|mobile|fax) number\b|\b(?:phone|telephone|mobile)(?: no\.?)? (?:of|for)\b"
    r"|\b(?:what|which) (?:number|mobile) (?:do|can|should|must|shall)\b.*\b(?:ring|call|phone|dial|reach)\b"
    r"|\bnumber to (?:ring|call|phone|dial)\b",
    re.I,
)
_YEAR_ASKED = re.compile(r"\b(?:what|which) year\b", re.I)
_YEAR = re.compile(r"\b[12]\d{3}\b|['’]\d\d\b")
_WEEKDAY_ASKED = re.compile(r"\b(?:what|which) (?:weekdays?\b|days? of the week\b)", re.I)
_A_DAY = re.compile(rf"{WEEKDAY.pattern}|\b(?:daily|weekdays?|weekends?|days?)\b", re.I)
_BIRTHDAY_ASKED = re.compile(r"\b(?:when|what|which)\b.*\bbirthday\W*$", re.I)
_DAY_OF_MONTH = re.compile(r"(?<![\d.:])\d{1,2}(?!\d|:)|[a-z]+(?:first|second|third|th)\b", re.I)
_PHONE = re.compile(r"(?<![\w-])\+?\d[\d ()/.-]*\d(?![\w]|-\w)")
_TIME_BEGUN = re.compile(
    r"\W*(?:(?:only|not|just|shortly|soon)\s+)?(?:before|after|when|whenever|until|till|while|during|as|once|since|on|in|at"
    r"|by|from|upon|if)\b",
    re.I,
)
_TIMED = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|winter|easter|christmas"
    r"|today|yesterday|tomorrow|tonight|now|later|soon|never|always|next|last|every|(?:mid)?night|noon|mornings?"
    r"|afternoons?|evenings?|dusk|dawn|minutes?|hours?|days?|weeks?|weekends?|months?|years?|term|season|annually|yearly"
    r"|monthly|weekly|daily|immediately|tues?|wed|thurs?|fri|sat|sun|mon)\b",
    re.I,
)
_MANY_ASKED = re.compile(r"\W*(?:(?:and|so|of|for|in|on|at|to|with)\s+)*how many (?P<things>[\w-]+(?: [\w-]+)?)", re.I)
_WHERE_ASKED = re.compile(r"\W*(?:(?:and|so|but)\s+)?(?:from |to )?where\b", re.I)
_WHO_ASKED = re.compile(r"\W*(?:(?:and|so|but)\s+)?(?:to |from |by )?who(?:m)?\b", re.I)
_NO_DATING = r"(?<!\bin )(?<!\bof )(?<!\bsince )(?<!\bthe )(?<!\bour )(?<!\d-)(?<!\d/)"
"""What stands not before a number, where it is no year."""
_A_YEAR = re.compile(r"(?:19|20)\d\d")
_AMOUNT = re.compile(r"[$£€]? ?\d[\d.,]* ?(?:%|°C|[kmcµ]?g|[mc]?l|[kcm]?m|h|min|days?|hours?|years?|[$£€])?", re.I)
_CURRENCY = re.compile(r"\b(?:pounds?|euros?|dollars?|francs?|quid|pence|cents?)\b", re.I)
_SIGN = re.compile(r"[$£€¥]")
_SHARE_ASKED = re.compile(
    r"\b(?:an?|per|each|every) (?P<unit>night|week|month|quarter|head|hour|mile|kilo|child)\b", re.I
)
_NO_AMOUNT_ASKED = re.compile(
    r"\W*(?:(?:and|so|but)[ ,]+)*(?:why|when|where|who(?:m|se)?\b|how (?!much|many|often|dear))", re.I
)
_BEGUN = 4
"""First letters of a unit that all words for it begin with: "month", "monthly"."""
_SHORT_UNITS = {
    "night": re.compile(r"/ ?n\b|\b(?:pp)?pn\b", re.I),
    "week": re.compile(r"/ ?wk?\b|\bp\.?w\b", re.I),
    "month": re.compile(r"/ ?mo?\b|\bp\.?c\.?m\b", re.I),
    "head": re.compile(r"/ ?head|\bp\.?p\b|\beach\b|\bper person\b", re.I),
    "child": re.compile(r"\beach\b|\bper head\b", re.I),
    "hour": re.compile(r"/ ?h(?:r|our)?\b|\bp\.?h\b|\bhrly\b", re.I),
    "kilo": re.compile(r"/ ?kg\b|\b(?:per|a) kg\b", re.I),
}
"""What else says how much of something one costs."""
_WORDS_ALONE = re.compile(r"(?:[^\W\d_]|['’ ])+(?:-(?:[^\W\d_]|['’ ])+)*")
_ONE_OF_TWO = re.compile(r"\b(?:or|whether|either|both|which|whose)\b", re.I)
_ANYTHING = re.compile(r"(?:(?:some|any)(?:body|one|thing|where)(?: else)?|it|this|that|these|those)", re.I)
_LINK = re.compile(r"(?:(?:\b[a-z]{2,12}:)?//|www\.)[^\s<>()\[\]\"'`]+", re.I)
_LINK_ASKED = re.compile(
    r"\b(?:urls?|uris?|links?|address|(?:web ?)?(?:sites?|pages?)|domain|host|server|account|user ?name|handle"
    r"|online|web|repo(?:sitory)?|organi[sz]ation|where|paths?|files?|branch|port|badges?|endpoint|github|gitlab)\b",
    re.I,
)
NUMERAL = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty"
    r"|sixty|hundred|thousand|million|billion|dozen|half|once|twice)\b",
    re.I,
)


def wanted_sort(question: str, plan: Plan) -> Wanted:
    """What sort of thing the question asks for, by its words, else by its plan; "" where neither tells."""
    led = _LED.match(question)
    asked = f"{led['asks']}{led['rest']}" if led else question
    for wanted, pattern in _ASKED:
        if pattern.search(asked):
            return wanted
    known: dict[str, Wanted] = {
        "number": "number",
        "date": "date",
        "year": "date",
        "person": "person",
        "place": "place",
    }
    return known.get(plan.answer_type, "")


def fits_sort(wanted: Wanted, text: str) -> bool:
    """Whether a text may be of the sort that is wanted; any may where nobody tells the sort."""
    numeral = bool(NUMERAL.search(text))
    if wanted in ("number", "date"):
        return numeral or (wanted == "date" and bool(find_dates(text)))
    return not wanted or (has_capital(text) and not (wanted == "person" and numeral))


def is_unfit(question: str, text: str) -> bool:
    """Whether a text by itself cannot answer: it is of another sort than what is asked for, or says nothing new."""
    return (
        is_mere_amount(question, text)
        or is_no_contact(question, text)
        or says_nothing_new(question, text)
        or is_no_count(question, text)
        or is_no_time(question, text)
        or is_anything(text)
    )


def is_no_time(question: str, text: str) -> bool:
    """Whether it is asked when or on which day, and a text tells no time, or a mere number; or in which year, on which
    date or weekday, or when a birthday is, and it tells none.
    """
    told_by = ((_YEAR_ASKED, _YEAR), (_WEEKDAY_ASKED, _A_DAY), (_BIRTHDAY_ASKED, _DAY_OF_MONTH))
    if any(asked.search(question) and not told.search(text) for asked, told in told_by):
        return True
    if _DAY_ASKED.match(question) and text.strip().isdecimal() and len(text.strip()) <= _DAYS:
        return True
    if _DATE_ASKED.match(question) and not (find_dates(text) or _TIMED.search(text) or _DATE_TOLD.search(text)):
        return True
    is_time = NUMERAL.search(text) or _TIME_BEGUN.match(text) or _TIMED.search(text) or find_dates(text)
    return bool(_WHEN_ASKED.match(question)) and not is_time


def is_mere_amount(question: str, text: str) -> bool:
    """Whether it is asked where or who, and a text is a number with its unit or none."""
    asks = _WHERE_ASKED.match(question) or _WHO_ASKED.match(question)
    return bool(asks and _AMOUNT.fullmatch(text.strip()))


def is_no_contact(question: str, text: str) -> bool:
    """Whether an address for mail is asked for and a text has none, or a telephone number and it has letters."""
    if _MAIL_ASKED.search(question):
        return "@" not in text
    return bool(_PHONE_ASKED.search(question)) and not _PHONE.search(text)


def is_piece_of_link(question: str, found: Found) -> bool:
    """Whether a text is a word out of a link ("pytest-dev" of https://github.com/pytest-dev/pluggy), and no link, nor
    a place in one, is asked for.
    """
    links = _LINK.finditer(found.doc.text)
    is_piece = any(link.start() < found.start and found.end <= link.end() for link in links)
    return is_piece and not _LINK_ASKED.search(question)


def is_named(question: str, text: str) -> bool:
    """Whether a question names what it was answered with: "Baron Revelstoke's father" has Revelstoke's name in it."""
    told = frozenset(content_stems(text))
    return says(question, text) or (bool(told) and told <= frozenset(content_stems(question)))


def says_nothing_new(question: str, text: str) -> bool:
    """Whether a text of words alone has none but the question's: "his first score for a film" of "What was Herrmann's
    first film score?". Where one of two is asked for, it may.
    """
    told = frozenset(content_stems(text))
    is_of_words = bool(told) and bool(_WORDS_ALONE.fullmatch(text.strip()))
    return is_of_words and told <= frozenset(content_stems(question)) and not _ONE_OF_TWO.search(question)


def is_anything(text: str) -> bool:
    """Whether a text names somebody or something that nobody knows by it: "somebody else"."""
    return bool(_ANYTHING.fullmatch(text.strip()))


def is_no_count(question: str, text: str) -> bool:
    """Whether a number of things is asked for, and a text tells money or none; or how many pounds, and it has no
    figure.
    """
    match = _MANY_ASKED.match(question)
    if match is None:
        return False
    is_of_money = bool(_CURRENCY.search(match["things"]))
    return (
        not NUMERAL.search(text)
        or (is_of_money and not re.search(r"\d", text))
        or (not is_of_money and bool(_SIGN.search(text)))
    )


def is_year_told(question: str, text: str, sentence: str) -> bool:
    """Whether a number of things is asked for, and the one told is the year that they are of: "the 2024 hedgehogs"."""
    if not _MANY_ASKED.match(question) or not _A_YEAR.fullmatch(text):
        return False
    return not re.search(rf"{_NO_DATING}\b{text}\b", sentence, re.I)


def is_no_share(question: str, told: str) -> bool:
    """Whether it is asked how much something is a night, a month or a head, and what tells it speaks of none."""
    match = _SHARE_ASKED.search(question)
    if match is None or _NO_AMOUNT_ASKED.match(question):
        return False
    unit = match["unit"].lower()
    is_short = unit in _SHORT_UNITS and bool(_SHORT_UNITS[unit].search(told))
    return unit[:_BEGUN] not in told.lower() and not is_short


def has_capital(text: str) -> bool:
    """Whether a word of a text begins with a capital, as names do."""
    return any(word[:1].isupper() for word in text.split())


def is_other_sort(question: str, text: str) -> bool:
    """Whether a span is a country where a town is asked for."""
    return bool(_TOWN_ASKED.search(question)) and form_of(text) in ("name", "adjective")
